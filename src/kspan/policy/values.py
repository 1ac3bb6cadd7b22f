"""Values that a requirement names: are they declared, or does anybody have them? A misspelled one would always hold."""

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import and_

from kspan.data.alike import look
from kspan.data.baskets import BOUGHT
from kspan.data.cells import number
from kspan.data.having import Having, same_value
from kspan.data.hierarchy import Hierarchy
from kspan.data.levels import Ordered
from kspan.data.ranges import ends_of
from kspan.data.schema import Schema
from kspan.data.table import MISSING_LABEL, Table
from kspan.errors import PolicyError, did_you_mean
from kspan.privacy.k_anonymity import KAnonymity
from kspan.privacy.requirement import OnPrivate, Requirement


def named_values(requirement: Requirement) -> Iterator[tuple[OnPrivate, str, str]]:
    """Yield the parts of a requirement that name a value, with their attribute and that value."""
    for part in requirement.parts:
        if isinstance(part, OnPrivate) and part.only_value is not None:
            yield part, part.on[0], part.only_value


def check_declared(requirement: Requirement, schema: Schema) -> None:
    """Refuse a value that is none of those that the schema declares for its attribute."""
    for part, name, value in named_values(requirement):
        if look(value) == MISSING_LABEL:
            continue
        if look(value) in map(look, schema.missing):
            raise PolicyError(f"{part} names a sign of a missing value: write {MISSING_LABEL!r} instead")
        if look(value) == look(schema.suppressed_text):
            raise PolicyError(f"{part} names the text of suppressed cells: name a value")
        if schema.range_pattern is not None and ends_of(schema.range_pattern, [value])[0] is not None:
            raise PolicyError(f"{part} names a range as the range_pattern does: write it as [low, high]")
        known, domain = _listed(name, schema), schema.domains.get(name)
        if known and value not in known and not any(same_value(value, other) for other in known):
            raise PolicyError(
                f"{part} names none of the values declared for {name!r}{did_you_mean(value, known)}: name one"
            )
        if domain is not None and domain.kind.is_measured:
            given = number(look(value))
            low, high = (domain.low, domain.high) if domain.low is not None else (None, None)
            if given is None or (low is not None and high is not None and not low <= given <= high):
                raise PolicyError(f"{part} names a value that is not in the declared domain of {name!r}: correct one")


def check_occurs(requirement: Requirement, table: Table, schema: Schema) -> None:
    """Refuse a value that nobody in a table of people has, unless it is declared."""
    for part, name, _ in _undeclared(requirement, schema, {name: one.having for name, one in table.columns.items()}):
        raise PolicyError(
            f"{part} names a value that nobody has: correct its spelling, or declare the values of {name!r} under "
            "[domains]"
        )


def of_some(requirement: Requirement, table: Table, schema: Schema) -> Requirement:
    """Leave out the limits on values that nobody has among some of the people for whom they were checked."""
    having = {name: one.having for name, one in table.columns.items()}
    absent = [part for part, _, _ in _undeclared(requirement, schema, having)]
    kept = [part for part in requirement.parts if part not in absent]
    return requirement if not absent else reduce(and_, kept) if kept else KAnonymity(1)


def unseen(requirement: Requirement, schema: Schema, having: Mapping[str, Having]) -> Iterator[str]:
    """Yield a sentence for each value that nobody in a release shows; refuse one that has other capital letters there.

    People who have it may have been withheld, or it is misspelled.
    """
    for part, name, value in _undeclared(requirement, schema, having):
        if having[name].shown_in_other_case(value):
            raise PolicyError(f"{part} names a value of {name!r} that is written in other letters there: correct it")
        yield f"Nobody here shows the value of {name!r} that {part} names: check its spelling."


def _undeclared(
    requirement: Requirement, schema: Schema, having: Mapping[str, Having]
) -> Iterator[tuple[OnPrivate, str, str]]:
    """Yield the parts that name a value which is not declared and which nobody has, of attributes that are known."""
    for part, name, value in named_values(requirement):
        if name in having and not is_declared(name, schema) and not having[name].shown(value):
            yield part, name, value


def is_declared(name: str, schema: Schema) -> bool:
    """Does the schema say which values an attribute may have?"""
    domain = schema.domains.get(name)
    return bool(_listed(name, schema)) or (domain is not None and domain.low is not None)


def check_items(requirement: Requirement) -> None:
    """Refuse a value that no item has: one is bought or not."""
    for part, _, value in named_values(requirement):
        if not BOUGHT.shown(value):
            raise PolicyError(f"{part} names a value that no item has: write 'yes' for bought, and 'no' for not bought")


def _listed(name: str, schema: Schema) -> tuple[str, ...]:
    """The values that a schema lists for an attribute."""
    domain, hierarchy = schema.domains.get(name), schema.hierarchies.get(name)
    if domain is not None and domain.values is not None:
        return domain.values
    if isinstance(hierarchy, Hierarchy):
        return hierarchy.values
    return tuple(hierarchy.order) if isinstance(hierarchy, Ordered) else ()
