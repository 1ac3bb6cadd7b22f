"""Requirements as text, such as `k=10, entropy_l=1.5`, and as the `[require]` table of a policy."""

import json
import re
from collections.abc import Mapping
from typing import Any

from kspan.errors import PolicyError, did_you_mean
from kspan.privacy.k_anonymity import KAnonymity
from kspan.privacy.l_diversity import RecursiveCL
from kspan.privacy.requirement import REQUIREMENTS, AllOf, OnPrivate, Requirement

_TERM = re.compile(
    r"""\s*(?P<key>[A-Za-z_]\w*)\s*
        (?:\[(?P<on>(?:"(?:\\.|[^"\\])*"|[^\]"])*)\])?\s*
        =\s*(?P<value>[\[(][^\])]*[\])]|[^,&\s]+)\s*
        (?P<next>[,&]|$)""",
    re.VERBOSE,
)
_NAME = re.compile(r'\s*("(?:\\.|[^"\\])*"|[^,"]+)\s*(?:,|$)')

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
        parts.append(_made(term["key"], _value(term["value"]), _names(term["key"], term["on"])))
        at = term.end()
    return _combined(parts)


def from_table(table: Mapping[str, Any]) -> Requirement:
    """Read a requirement from the `[require]` table of a policy; an inner table is about the attribute that it names.

    >>> str(from_table({"k": 10, "income": {"distinct_l": 2}}))
    'k=10, distinct_l[income]=2'
    """
    parts: list[Requirement] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            parts += [_made(inner, parameter, (key,)) for inner, parameter in value.items()]
        else:
            parts.append(_made(key, value, ()))
    if not parts:
        raise PolicyError("the policy requires nothing: give at least k under [require]")
    return _combined(parts)


def to_table(requirement: Requirement) -> dict[str, Any]:
    """The `[require]` table of a requirement."""
    table: dict[str, Any] = {}
    _combined(list(requirement.parts))  # for its error: a table cannot hold the same key twice
    for part in requirement.parts:
        if isinstance(part, KAnonymity):
            table[part.key] = part.k
        elif isinstance(part, OnPrivate):
            if any(not isinstance(table.get(name, {}), dict) for name in part.on):
                raise PolicyError(
                    f"{part} cannot be written: a column that is named like a requirement needs another name"
                )
            for place in [table.setdefault(name, {}) for name in part.on] or [table]:
                place[part.key] = part.parameter
    return table


def _combined(parts: list[Requirement]) -> Requirement:
    said = [str(part).partition("=")[0] for part in parts]
    twice = [key for key in said if said.count(key) > 1]
    if twice:
        raise PolicyError(f"{twice[0]} is required twice: keep the stricter one")
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _made(key: str, value: Any, on: tuple[str, ...]) -> Requirement:
    kind = REQUIREMENTS.get(key)
    if kind is None:
        known = ", ".join(REQUIREMENTS)
        hint = f" (did you mean {MEANT[key]!r}?)" if key in MEANT else did_you_mean(key, REQUIREMENTS)
        raise PolicyError(f"there is no requirement {key!r}{hint}: use one of {known}")
    if kind is RecursiveCL and not (isinstance(value, list) and len(value) == 2):
        raise PolicyError("recursive_cl needs two numbers, c and l: recursive_cl = [3, 3]")
    values = value if kind is RecursiveCL else [value]
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


def _names(key: str, text: str | None) -> tuple[str, ...]:
    names = (match[1].strip() for match in _NAME.finditer(text or ""))
    try:
        return tuple(json.loads(name) if name.startswith('"') else name for name in names if name)
    except json.JSONDecodeError:
        raise PolicyError(f"cannot read the name in {key}[{text}]: write special characters as JSON does") from None
