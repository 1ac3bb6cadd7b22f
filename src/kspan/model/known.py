"""Reads and writes as JSON what a model knows of its attributes."""

from itertools import pairwise
from typing import Any

from kspan.data.cells import SUPPRESSED
from kspan.data.expected import Known, Numbers, Signs, Words
from kspan.data.hierarchy import Hierarchy
from kspan.data.kinds.kind import CATEGORICAL, FAMILIES, NUMERIC
from kspan.data.schema import Schema
from kspan.errors import HierarchyError, PolicyError
from kspan.model.checks import Place, check_keys, number, one_of, pair, text, texts


def write_known(known: Known) -> dict[str, Any]:
    """Write an attribute as JSON; the weights of words are left out if all of them are 1."""
    above: dict[str, Any] = {}
    if known.hierarchy is not None:
        above["hierarchy"] = [list(level) for level in known.hierarchy.levels]
    if known.signs.missing:
        above["missing"] = list(known.signs.missing)
    if known.signs.suppressed != SUPPRESSED:
        above["suppressed"] = known.signs.suppressed
    if isinstance(known, Numbers):
        return {"name": known.name, "kind": NUMERIC, "range": [known.low, known.high], **above}
    weights = {} if set(known.weights) <= {1.0} else {"weights": list(known.weights)}
    return {"name": known.name, "kind": CATEGORICAL, "values": list(known.values), **weights, **above}


def read_known(place: Place, found: Any, more: tuple[str, ...], maybe: tuple[str, ...] = ()) -> Known:
    """Read an attribute from a JSON object, which must also have the keys `more` and may have the keys `maybe`."""
    if not isinstance(found, dict):
        place.refuse("a JSON object is expected")
    family = one_of(place, "'kind'", found.get("kind"), FAMILIES)
    own, optional = ("range", ()) if family == NUMERIC else ("values", ("weights",))
    check_keys(place, found, ("name", "kind", own, *more), (*optional, "hierarchy", "missing", "suppressed", *maybe))
    name = text(place, "'name'", found["name"])
    hierarchy = _hierarchy(place, found["hierarchy"]) if "hierarchy" in found else None
    signs = _signs(place, found)
    if family == NUMERIC:
        low, high = (number(place, "an end of 'range'", end) for end in pair(place, "'range'", found["range"]))
        if low > high:
            place.refuse("'range' must run from the lowest number to the highest")
        return Numbers(name, low, high, hierarchy, signs)
    values = texts(place, "'values'", found["values"])
    weights = (1.0,) * len(values)
    if "weights" in found:
        weights = row(place, "'weights'", found["weights"], len(values), low=0.0)
    return Words(name, values, weights, hierarchy, signs)


def read_head(top: Place, found: Any) -> tuple[str, tuple[str, ...]]:
    """Read the name of the target, and its labels."""
    place = Place(top.source, "the target")
    check_keys(place, found, ("name", "labels"))
    labels = texts(place, "'labels'", found["labels"])
    if not labels:
        place.refuse("'labels' must not be empty")
    return text(place, "'name'", found["name"]), labels


def check_names(top: Place, names: list[str], target: str) -> None:
    """Refuse two attributes with the same name, or one with the name of the target."""
    if len(set(names)) != len(names):
        top.refuse("two attributes have the same name")
    if target in names:
        top.refuse("an attribute has the name of the target")


def row(
    place: Place, what: str, found: Any, size: int, *, low: float | None = None, above: float | None = None
) -> tuple[float, ...]:
    """Read a list of `size` numbers, each at least `low` or more than `above`, if these are given."""
    if not isinstance(found, list) or len(found) != size:
        place.refuse(f"{what} must be a list of {size}")
    numbers = tuple(number(place, f"each of {what}", one) for one in found)
    if (low is not None and any(one < low for one in numbers)) or (
        above is not None and any(one <= above for one in numbers)
    ):
        place.refuse(f"each of {what} must be " + (f"at least {low:g}" if low is not None else f"more than {above:g}"))
    return numbers


def rows(
    place: Place, what: str, found: Any, shape: tuple[int, int], *, above: float | None = None
) -> tuple[tuple[float, ...], ...]:
    """Read a list of `shape[0]` lists of `shape[1]` numbers, as `row` reads each."""
    if not isinstance(found, list) or len(found) != shape[0]:
        place.refuse(f"{what} must be a list of {shape[0]}")
    return tuple(row(place, f"each of {what}", one, shape[1], above=above) for one in found)


def read_cuts(place: Place, found: Any) -> tuple[float, ...]:
    """Read the cuts between bins: numbers in strictly ascending order."""
    if not isinstance(found, list):
        place.refuse("'cuts' must be a list")
    cuts = row(place, "'cuts'", found, len(found))
    if any(later <= earlier for earlier, later in pairwise(cuts)):
        place.refuse("'cuts' must be in order")
    return cuts


def _signs(place: Place, found: dict[str, Any]) -> Signs:
    missing = texts(place, "'missing'", found.get("missing", []))
    suppressed = text(place, "'suppressed'", found.get("suppressed", SUPPRESSED))
    try:
        return Signs.of(Schema(missing=missing, suppressed_text=suppressed))
    except PolicyError:
        return place.refuse("'suppressed' would be read as something else")


def _hierarchy(place: Place, found: Any) -> Hierarchy:
    if not isinstance(found, list) or not found or not all(isinstance(level, list) for level in found):
        place.refuse("'hierarchy' must be a list of levels, each a list of names")
    for level in found:
        for name in level:
            text(place, "each name of 'hierarchy'", name)
    if len({len(level) for level in found}) > 1:
        place.refuse("the levels of 'hierarchy' must be equally long")
    try:
        # The file has one list per level, a hierarchy is made from one row per value.
        return Hierarchy.of(list(zip(*found, strict=True)), source="it")
    except HierarchyError as error:
        return place.refuse(f"'hierarchy' is none: {error}")
