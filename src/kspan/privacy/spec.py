"""Requirements as text, such as `k=10, entropy_l=1.5`, and as the `[require]` table of a policy.

A limit on one value is written `confidence[illness="hiv"]=0.2`, which tells where the name of the attribute ends.
People may write `confidence["illness=hiv"]=0.2`. That is read as a name, since a column may have it; `resolved` finds
the value in it once the private attributes are known.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kspan.data.having import same_value
from kspan.errors import PolicyError, did_you_mean
from kspan.privacy.k_anonymity import KAnonymity
from kspan.privacy.l_diversity import Alpha, Confidence, RecursiveCL
from kspan.privacy.requirement import REQUIREMENTS, AllOf, OnPrivate, Requirement

_TERM = re.compile(
    r"""\s*(?P<key>[A-Za-z_]\w*)\s*
        (?:\[(?P<on>(?:"(?:\\.|[^"\\])*"|[^\]"])*)\])?\s*
        =\s*(?P<value>[\[(][^\])]*[\])]|[^,&\s]+)\s*
        (?P<next>[,&]|$)""",
    re.VERBOSE,
)
_QUOTED = r'"(?:\\.|[^"\\])*"'
_NAME = re.compile(rf'\s*({_QUOTED}|[^,"]+?)\s*(?:=\s*({_QUOTED})\s*)?(?:,|$)')
OF_ONE_VALUE = tuple(kind.key for kind in (Confidence, Alpha))
"""Requirements that may be about one value of an attribute."""
OF_VALUES = "_of"
"""`confidence_of` in a table holds the limits on single values, by value."""

MEANT = {"l": "distinct_l", "l_diversity": "distinct_l", "k_anonymity": "k", "t_closeness": "t", "beta": "basic_beta"}
"""Keys that people may try, and the ones that they are likely to mean."""


def parse(text: str) -> Requirement:
    """Read a requirement from text; printing it gives the text back.

    >>> str(parse("k=10, entropy_l[income]=1.5, recursive_cl=(3, 3)"))
    'k=10, entropy_l[income]=1.5, recursive_cl=[3, 3]'
    """
    parts: list[Requirement] = []
    at = 0
    while at < len(text) or not parts:
        term = _TERM.match(text, at)
        if term is None or (term["next"] and term.end() == len(text)):  # not read, or nothing follows a comma
            raise PolicyError(f"cannot read the requirement {text!r}: write it as in 'k=10, distinct_l=2'")
        parts += _about(term["key"], _value(term["value"]), _names(term["key"], term["on"]))
        at = term.end()
    return combined(parts)


def from_table(table: Mapping[str, Any]) -> Requirement:
    """Read a requirement from the `[require]` table of a policy; an inner table is about the attribute that it names.

    >>> str(from_table({"k": 10, "income": {"distinct_l": 2}, "illness": {"confidence_of": {"hiv": 0.2}}}))
    'k=10, distinct_l[income]=2, confidence[illness="hiv"]=0.2'
    """
    parts: list[Requirement] = []
    for key, value in table.items():
        if not isinstance(value, Mapping):
            parts.append(_made(key, value, ()))
            continue
        for inner, parameter in value.items():
            if key in OF_ONE_VALUE and inner not in REQUIREMENTS and not isinstance(parameter, Mapping):
                # confidence."illness=hiv" = 0.2 says the same as a text with the name in brackets.
                parts.append(_made(key, parameter, (inner,)))
            else:
                parts += _of_attribute(inner, parameter, key)
    if not parts:
        raise PolicyError("the policy requires nothing: give at least k under [require]")
    return combined(parts)


def _of_attribute(key: str, parameter: Any, name: str) -> Iterable[Requirement]:
    """Read what an inner table requires of one attribute: of all its values, or of each by its name."""
    if not isinstance(parameter, Mapping):
        return [_made(key, parameter, (name,))]
    return [_made(key.removesuffix(OF_VALUES), bound, (name,), value) for value, bound in parameter.items()]


def to_table(requirement: Requirement) -> dict[str, Any]:
    """The `[require]` table of a requirement."""
    table: dict[str, Any] = {}
    combined(requirement.parts)  # for its error: a table cannot hold the same key twice
    for part in requirement.parts:
        if isinstance(part, KAnonymity):
            table[part.key] = part.k
        elif isinstance(part, OnPrivate):
            if any(not isinstance(table.get(name, {}), dict) for name in part.on):
                raise PolicyError(
                    f"{part} cannot be written: a column that is named like a requirement needs another name"
                )
            for place in [table.setdefault(name, {}) for name in part.on] or [table]:
                if part.only_value is None:
                    place[part.key] = part.parameter
                else:
                    place.setdefault(f"{part.key}{OF_VALUES}", {})[part.only_value] = part.parameter
    return table


def resolved(requirement: Requirement, private: Sequence[str]) -> Requirement:
    """Find the values in names such as `illness=hiv`, now that the private attributes are known.

    A private attribute of just that name is meant, if there is one. Otherwise the attribute is the longest private name
    before a `=`, and the rest is its value. Names in which there is no private one stay as they are, to be refused.

    >>> str(resolved(parse('k=2, confidence["illness=hiv"]=0.2'), ["illness"]))
    'k=2, confidence[illness="hiv"]=0.2'
    """
    parts: list[Requirement] = []
    for part in requirement.parts:
        if not isinstance(part, Confidence) or part.only_value is not None:
            parts.append(part)
            continue
        found = {name: split for name in part.on if (split := _attribute_and_value(name, private)) is not None}
        names = tuple(name for name in part.on if name not in found)
        if names or not part.on:
            parts.append(replace(part, on=names))
        parts += [replace(part, on=(name,), value=value) for name, value in found.values()]
    return combined(parts) if parts != list(requirement.parts) else requirement


def _attribute_and_value(name: str, private: Sequence[str]) -> tuple[str, str] | None:
    """Split a name that is no private attribute, but begins with one and `=`."""
    if name in private:
        return None
    splits = [(name[:at].strip(), name[at + 1 :].strip()) for at, char in enumerate(name) if char == "="]
    found = next((split for split in reversed(splits) if split[0] in private), None)
    if found is None:
        return None
    attribute, value = found
    # Other quotes than those of JSON are what a shell leaves over.
    return attribute, value[1:-1] if len(value) > 1 and value[0] == value[-1] == "'" else value


def at_once(parts: Iterable[Requirement]) -> Requirement:
    """All requirements of several lists at once, the same ones once, and of several k the largest.

    >>> from kspan.privacy import DistinctL
    >>> str(at_once([KAnonymity(3), DistinctL(2), KAnonymity(5), DistinctL(2), DistinctL(3)]))
    'k=5, distinct_l=2, distinct_l=3'
    """
    every = list(parts)
    largest = max((part.k for part in every if isinstance(part, KAnonymity)), default=None)
    different = {str(part): part for part in every if not isinstance(part, KAnonymity)}
    first = () if largest is None else (KAnonymity(largest),)
    found = (*first, *different.values())
    return found[0] if len(found) == 1 else AllOf(found)


def combined(parts: Sequence[Requirement]) -> Requirement:
    """Require several things at once; the same thing twice is refused."""
    for place, part in enumerate(parts):
        if any(_is_same(part, other) for other in parts[:place]):
            what = part.subject if isinstance(part, OnPrivate) else str(part).partition("=")[0]
            raise PolicyError(f"{what} is required twice: keep the stricter one")
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _is_same(one: Requirement, other: Requirement) -> bool:
    """Are two requirements the same but for how much they ask?"""
    if type(one) is not type(other) or not isinstance(one, OnPrivate) or not isinstance(other, OnPrivate):
        return type(one) is type(other)
    if one.only_value is None or other.only_value is None:
        return one.subject == other.subject
    return one.on == other.on and same_value(one.only_value, other.only_value)


def _about(key: str, parameter: Any, names: Sequence[tuple[str, str | None]]) -> Iterable[Requirement]:
    """Make what a term requires: of its attributes together, and of each single value."""
    plain = tuple(name for name, value in names if value is None)
    if plain or not names:
        yield _made(key, parameter, plain)
    for name, value in names:
        if value is not None:
            yield _made(key, parameter, (name,), value)


def _made(key: str, value: Any, on: tuple[str, ...], of: str | None = None) -> Requirement:
    kind = REQUIREMENTS.get(key)
    if kind is None:
        known = ", ".join(REQUIREMENTS)
        hint = f" (did you mean {MEANT[key]!r}?)" if key in MEANT else did_you_mean(key, REQUIREMENTS)
        raise PolicyError(f"there is no requirement {key!r}{hint}: use one of {known}")
    if kind is RecursiveCL and not (isinstance(value, list) and len(value) == 2):
        raise PolicyError("recursive_cl needs two numbers, c and l: recursive_cl = [3, 3]")
    values = value if kind is RecursiveCL else [value]
    if of is not None:
        if not issubclass(kind, Confidence):
            raise PolicyError(
                f"{key} is about all values of {on[0]!r}, not about {of!r:.40}: use confidence for one value"
            )
        return kind(*values, on=on, value=of)
    if issubclass(kind, OnPrivate):
        return kind(*values, on=on)
    if on:
        raise PolicyError(f"{key} is about whole groups, not about {on[0]!r}: write {key}={value}")
    return kind(*values)


def _value(text: str) -> Any:
    try:
        return json.loads(text.replace("(", "[").replace(")", "]"))
    except ValueError:
        return text


def _names(key: str, text: str | None) -> list[tuple[str, str | None]]:
    """Read the names in brackets, each perhaps with a value behind it."""
    names: list[tuple[str, str | None]] = []
    at = 0
    try:
        while at < len(text or ""):
            found = _NAME.match(text or "", at)
            if found is None:  # what is skipped might be the name that was meant
                raise PolicyError(f"cannot read the names in {key}[{text}]: put commas between them")
            name, value, at = found[1].strip(), found[2], found.end()
            if name:
                plain = json.loads(name) if name.startswith('"') else name
                names.append((plain, None if value is None else json.loads(value)))
        return names
    except json.JSONDecodeError:
        raise PolicyError(f"cannot read the name in {key}[{text}]: write special characters as JSON does") from None
