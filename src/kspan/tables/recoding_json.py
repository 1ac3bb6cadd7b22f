"""Kept recodings as JSON: how they are written, and read without trust."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.frame import labels_of
from kspan.anonymize.ways import ABSENT, Way, Ways
from kspan.data.arrays import Int64s
from kspan.data.cells import SUPPRESSED
from kspan.data.cells import number as spelled_number
from kspan.data.hierarchy import Hierarchy
from kspan.data.kinds.kind import FAMILIES
from kspan.data.kinds.registry import UNITS, kind_in_file
from kspan.data.table import Column
from kspan.errors import KspanError
from kspan.limits import LARGEST_NUMBER
from kspan.model.checks import Place, check_keys, one_of, text
from kspan.model.documents import check_format
from kspan.model.partition import Shown
from kspan.policy import Policy
from kspan.policy.document import hierarchy_document, hierarchy_in, policy_document, policy_in
from kspan.policy.private_numbers import PrivateNumbers, declared_numbers

FORMAT, VERSION = "kspan/recoding", 1
KEYS = ("format", "version", "salt", "method", "options", "facts", "policy", "attributes", "group_of_region")
NUMBERS = "private_numbers"
ATTRIBUTE_KEYS = (
    "name", "kind", "calendar", "numbers", "values", "hierarchy", "became", "by_value", "cells", "shown", "regions",
)  # fmt: skip


@dataclass(frozen=True)
class Written:
    """What a file of a recoding holds."""

    policy: Policy
    method: str
    options: Mapping[str, Any]
    facts: Mapping[str, Any]
    ways: Ways
    salt: str
    numbers: Mapping[str, PrivateNumbers] = field(default_factory=dict)
    """How private numbers are shown, with what was found for that."""


def write_recoding(made: Written) -> dict[str, Any]:
    """Write a recoding as a JSON document."""
    ways = made.ways
    return {
        "format": FORMAT,
        "version": VERSION,
        "salt": made.salt,
        "method": made.method,
        "options": dict(made.options),
        "facts": dict(made.facts),
        "policy": policy_document(made.policy),
        "attributes": [_attribute(way, made.policy, ways) for way in ways.attributes.values()],
        "group_of_region": None if ways.group_of_region is None else ways.group_of_region.tolist(),
        **({NUMBERS: {name: each.says for name, each in made.numbers.items()}} if made.numbers else {}),
    }


def read_recoding(document: Any, source: str) -> Written:
    """Read a recoding; what does not fit together is refused."""
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "recoding")
    check_keys(top, document, KEYS, (NUMBERS,))
    for name in ("options", "facts", "policy"):
        if not isinstance(document[name], dict):
            top.refuse(f"{name!r} must be an object")
    policy = _policy(top, document["policy"])
    given = document["attributes"]
    if not isinstance(given, list) or len(given) != len(policy.public) or not given:
        top.refuse("'attributes' must be a list of the public columns")
    regions = document["group_of_region"]
    number = None if regions is None else len(regions) if isinstance(regions, list) else top.refuse("no regions")
    ways: dict[str, Way] = {}
    for name, says in zip(policy.public, given, strict=True):
        ways[name] = _way(top.below(f"attribute {len(ways) + 1}"), says, name, policy, number)
    groups = {len(way.shown.code) for way in ways.values()}
    if len(groups) > 1 or 0 in groups:
        top.refuse("all attributes must be shown by the same groups, and there must be some")
    return Written(
        policy,
        text(top, "'method'", document["method"]),
        document["options"],
        document["facts"],
        Ways(ways, None if regions is None else _codes(top, "'group_of_region'", regions, 0, groups.pop())),
        text(top, "'salt'", document["salt"]),
        _private_numbers(top, document.get(NUMBERS, {}), policy),
    )


def _private_numbers(top: Place, says: Any, policy: Policy) -> dict[str, PrivateNumbers]:
    """Read how private numbers are shown: each as the policy says, with numbers in the place of shares."""
    check_keys(top.below("its private numbers"), says, list(policy.private_numbers))
    try:
        read = {name: declared_numbers(name, each) for name, each in says.items()}
    except KspanError as error:
        top.refuse(f"its private numbers cannot be used ({error})")
    for name, each in read.items():
        asked, found = policy.private_numbers[name].says, each.says
        same = all(found.get(key) == value or _is_found(key, value, found.get(key)) for key, value in asked.items())
        if not same or set(asked) != set(found):
            top.refuse(f"{name!r} is shown otherwise than its policy says")
    return read


def _is_found(key: str, asked: Any, found: Any) -> bool:
    """May that have been found for what a policy asks: a number for a share, and as many people as a crowd has?"""
    if key == "microaggregate":
        return isinstance(found, int) and found >= asked
    return isinstance(asked, str) and isinstance(found, int | float)


def _policy(top: Place, says: dict[str, Any]) -> Policy:
    try:
        return policy_in(says, "the recoding")
    except KspanError as error:
        top.refuse(f"its policy cannot be used ({error})")
    except (TypeError, AttributeError):  # a part of another kind than any policy has
        top.refuse("its policy cannot be used")


def _attribute(way: Way, policy: Policy, ways: Ways) -> dict[str, Any]:
    source, declared = way.source, policy.hierarchies.get(way.name)
    own = source.hierarchy is not None and source.hierarchy is not declared
    return {
        "name": way.name,
        "kind": source.kind.family,
        "calendar": source.kind.unit,
        "numbers": source.is_measured,
        "values": labels_of(source),
        "hierarchy": hierarchy_document(source.hierarchy) if own and source.hierarchy else None,
        "became": way.became.tolist(),
        "by_value": way.by_value,
        "cells": labels_of(way.shown.column),
        "shown": way.shown.code.tolist(),
        "regions": None
        if ways.group_of_region is None
        else {"cells": labels_of(way.region.column), "shown": way.region.code.tolist()},
    }


def _way(place: Place, says: Any, name: str, policy: Policy, regions: int | None) -> Way:
    check_keys(place, says, ATTRIBUTE_KEYS)
    if says["name"] != name:
        place.refuse("its 'name' must be that of the public column in its place in the policy")
    for flag in ("numbers", "by_value"):
        if not isinstance(says[flag], bool):
            place.refuse(f"{flag!r} must be true or false")
    family, unit, domain = one_of(place, "'kind'", says["kind"], FAMILIES), says["calendar"], policy.domains.get(name)
    kind = kind_in_file(family, None if unit is None else one_of(place, "'calendar'", unit, UNITS))
    hierarchy = _hierarchy(place, says["hierarchy"], policy.hierarchies.get(name))
    values, suppressed, missing = _labels(place, "'values'", says["values"])
    listed = _numbers(place, values) if says["numbers"] else _words(values)
    none = np.zeros(0, np.uint8)
    source = Column(name, kind, none, listed, suppressed, missing, domain, hierarchy)

    def shown(place: Place, part: Mapping[str, Any]) -> Shown:
        cells, suppressed, missing = _labels(place, "'cells'", part["cells"])
        column = Column(name, kind, none, _words(cells), suppressed, missing, domain, hierarchy)
        return Shown(_codes(place, "'shown'", part["shown"], 0, column.size), column)

    groups = shown(place, says)
    region = groups
    if regions is not None:
        below = place.below("its regions")
        check_keys(below, says["regions"], ("cells", "shown"))
        region = shown(below, says["regions"])
        if len(region.code) != regions:
            below.refuse("there must be as many as 'group_of_region' has")
    became = _codes(place, "'became'", says["became"], ABSENT, groups.column.size)
    if len(became) != source.size:
        place.refuse("'became' must have a cell for each of 'values'")
    return Way(source, became, says["by_value"], groups, region)


def _hierarchy(place: Place, says: Any, declared: Any) -> Hierarchy | None:
    if says is None:
        return declared if isinstance(declared, Hierarchy) else None
    if not isinstance(says, dict):
        place.refuse("its 'hierarchy' must be an object or null")
    try:
        return hierarchy_in(says, "its hierarchy")
    except KspanError as error:
        place.refuse(str(error))


def _labels(place: Place, what: str, found: Any) -> tuple[list[str], bool, bool]:
    """Read cells as `labels_of` gives them: plain ones, then perhaps `*`, and last perhaps null for a missing one."""
    if not isinstance(found, list):
        place.refuse(f"{what} must be a list")
    plain: list[Any] = list(found)
    missing = bool(plain) and plain[-1] is None
    plain = plain[: len(plain) - missing]
    suppressed = bool(plain) and plain[-1] == SUPPRESSED
    plain = [text(place, f"each of {what}", one) for one in plain[: len(plain) - suppressed]]
    if len({*plain, SUPPRESSED}) != len(plain) + 1:
        place.refuse(f"{what} must not list the same twice")
    return plain, suppressed, missing


def _words(labels: list[str]) -> NDArray[Any]:
    words = np.empty(len(labels), object)
    words[:] = labels
    return words


def _numbers(place: Place, labels: list[str]) -> NDArray[Any]:
    found = [spelled_number(label) for label in labels]
    if any(value is None or abs(value) > LARGEST_NUMBER for value in found):
        place.refuse(f"'values' must be numbers, at most {LARGEST_NUMBER:g}")
    numbers: NDArray[Any] = np.array(found, np.float64)
    if all(label.lstrip("+-").isdecimal() for label in labels):
        whole = [int(label) for label in labels]  # with all their digits
        kinds = (kind for kind in (np.int64, np.uint64) if _fit(whole, kind))
        if (kind := next(kinds, None)) is not None:
            numbers = np.array(whole, kind)
    if (numbers[1:] <= numbers[:-1]).any():
        place.refuse("'values' must be numbers in ascending order")
    return numbers


def _fit(whole: list[int], kind: type[np.integer[Any]]) -> bool:
    ends = np.iinfo(kind)
    return all(ends.min <= value <= ends.max for value in whole)


def _codes(place: Place, what: str, found: Any, low: int, end: int) -> Int64s:
    """Read a list of whole numbers from `low` to below `end`."""
    if not isinstance(found, list) or not all(type(one) is int and low <= one < end for one in found):
        place.refuse(f"{what} must be a list of whole numbers from {low} to {end - 1}")
    return np.array(found, np.int64)
