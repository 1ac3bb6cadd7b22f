"""Trees as JSON files; what is read is never trusted: a file that contradicts itself is refused, with the place."""

import json
import os
from collections.abc import Sequence
from typing import Any, get_args

from kspan.data.kinds.kind import FAMILIES, NUMERIC, Kind
from kspan.data.kinds.registry import UNITS, kind_in_file
from kspan.frames.files import read_text, write_text
from kspan.model.checks import Place, check_keys, flag, known_rows, number, one_of, pair, text, texts
from kspan.model.claim import Claim
from kspan.model.documents import check_format, lines, parsed
from kspan.model.outcome import DISCLOSURES, NUMBER_DISCLOSURES, Disclosure
from kspan.model.tree.model import WEIGHABLE, Attribute, Role, Target, Tree
from kspan.model.tree.nodes import OTHERS, NodeReader
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.told import OutcomeReader, shown_by
from kspan.model.tree.writing import FORMAT, OF_NUMBERS, UNNAMED, VERSION, WEIGHTS, write_tree
from kspan.policy.policy import Counting

BY_PATHS = "paths"
"""What the claim of a tree counts if the tree was judged without its people."""
ROLES: tuple[Role, ...] = get_args(Role)


def tree_json(release: TreeRelease) -> str:
    """Write a released tree as JSON text: one line for each part of its head and one for its nodes."""
    return lines(write_tree(release))


def save_tree(release: TreeRelease, path: str | os.PathLike[str]) -> None:
    """Write a released tree to a file: completely or not at all, and only if it can be read back."""
    written = tree_json(release)
    read_tree(json.loads(written), "the tree to be written")
    write_text(written, path)


def load_tree(path: str | os.PathLike[str]) -> TreeRelease:
    """Read the released tree in a file."""
    return read_tree(parsed(read_text(path, "the model"), str(path)), str(path))


def read_tree(document: Any, source: str = "the model") -> TreeRelease:
    """Read the released tree in a JSON document; an error names the source and the place.

    >>> read_tree({"format": "kspan/tree", "version": 3}, "it")
    Traceback (most recent call last):
    kspan.errors.ModelError: it is malformed at the top: this version reads versions 1 and 2 of the format and no other
    """
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "tree", OF_NUMBERS)
    needed = ("format", "version", "attributes", "target", "root")
    of_numbers = document["version"] == OF_NUMBERS
    check_keys(top, document, needed, ("claim", "marginals", "counts", *([OTHERS] if of_numbers else [])))
    attributes = read_attributes(top, document["attributes"], [UNNAMED] if of_numbers else [])
    place = Place(source, "the target")
    if of_numbers:
        first, *others = _targets(place, document, attributes)
    else:
        first, others = Target(*read_target(place, document["target"], attributes)), []
    known = _known(first)
    claim = None
    if "claim" in document:
        names = [*(one.name for one in attributes), *(one.name for one in (first, *others))]
        claim = read_claim(Place(source, "the claim"), document["claim"], names, known)
    # A claim says what all nodes disclose; without one, the root decides. It also does for the other targets.
    root = document["root"]
    disclosure = shown_by(root, known) if claim is None else claim.disclosure
    beside = [OutcomeReader(one.labels, shown_by(told, _known(one))) for one, told in _beside(root, others)]
    reader = NodeReader(attributes, OutcomeReader(first.labels, disclosure), *beside)
    read = reader.read(Place(source, "root"), root)
    marginals = reader.marginals(top, document.get("marginals", []), read.people)
    by_rows = "counts" in document and one_of(top, "'counts'", document["counts"], ("people", "rows")) == "rows"
    named = first.name, first.role, first.labels
    weights = _label_weights(place, document["target"])
    if weights and disclosure not in WEIGHABLE:
        place.refuse(f"{WEIGHTS!r} need nodes that tell {' or '.join(WEIGHABLE)}")
    return TreeRelease(Tree(attributes, *named, read, by_rows, first.kind, tuple(others), weights), claim, marginals)


def _known(target: Target) -> Sequence[Disclosure]:
    """Return what may be disclosed of a target."""
    return DISCLOSURES if target.kind is None else NUMBER_DISCLOSURES


def _beside(root: Any, others: Sequence[Target]) -> list[tuple[Target, Any]]:
    """Return what the root tells of each of the other targets, as far as it is there; the reader looks closer."""
    told = root.get(OTHERS) if isinstance(root, dict) else None
    found = told if isinstance(told, list) else []
    return [(one, found[place] if place < len(found) else None) for place, one in enumerate(others)]


# The head


def read_attributes(top: Place, found: Any, further: Sequence[str] = ()) -> tuple[Attribute, ...]:
    """Read the attributes that a document lists; they may say `further` things."""
    if not isinstance(found, list):
        top.refuse("'attributes' must be a list")
    attributes = []
    names = set[str]()
    for count, each in enumerate(found, 1):
        place = Place(top.source, f"attribute {count}")
        attribute = _attribute(place, each, further)
        if attribute.name in names:
            place.refuse("an earlier attribute has the same name")
        names.add(attribute.name)
        attributes.append(attribute)
    return tuple(attributes)


def _attribute(place: Place, found: Any, further: Sequence[str]) -> Attribute:
    check_keys(place, found, ("name", "role", "kind", "domain"), ("missing", "calendar", *further))
    name, role = text(place, "'name'", found["name"]), one_of(place, "'role'", found["role"], ROLES)
    kind, missing = _kind(place, found, FAMILIES), flag(place, found)
    others = flag(place, found, UNNAMED)
    if others and (kind.is_measured or not missing):
        place.refuse(f"{UNNAMED!r} is for categories, and where values may be missing")
    if not kind.is_measured:
        domain = texts(place, "'domain'", found["domain"])
        return Attribute(name, role, kind, domain, has_missing=missing, others=others)
    if found["domain"] is None:
        return Attribute(name, role, kind, has_missing=missing)
    low, high = (number(place, "a bound of 'domain'", bound) for bound in pair(place, "'domain'", found["domain"]))
    if low > high:
        place.refuse("'domain' must run from the lowest number to the highest")
    return Attribute(name, role, kind, low=low, high=high, has_missing=missing)


def _kind(place: Place, found: Any, families: Sequence[str]) -> Kind:
    """Read of which kind values are: one of some families, and perhaps with a calendar."""
    family = one_of(place, "'kind'", found["kind"], families)
    unit = one_of(place, "'calendar'", found["calendar"], UNITS) if "calendar" in found else None
    kind = kind_in_file(family, unit)
    if family != kind.family:
        place.refuse("'calendar' is for numbers")
    return kind


def _targets(place: Place, document: Any, attributes: Sequence[Attribute]) -> list[Target]:
    """Read a target that is a number or has weights of labels or, if there are others, any; no two have one name."""
    further = document.get(OTHERS, [])
    if not isinstance(further, list) or (OTHERS in document and not further):
        place.refuse(f"{OTHERS!r} must be a list of at least one more target")
    found = list[Target]()
    places = [place, *(Place(place.source, f"other target {count}") for count in range(1, len(further) + 1))]
    for at, given in zip(places, (document["target"], *further), strict=True):
        has_labels = isinstance(given, dict) and "labels" in given
        target = (
            Target(*read_target(at, given, attributes, [] if found else [WEIGHTS]))
            if has_labels
            else _target_of_numbers(at, given, attributes)
        )
        if any(target.name == other.name for other in found):
            at.refuse("an earlier target has the same name")
        found.append(target)
    return found


def _target_of_numbers(place: Place, found: Any, attributes: Sequence[Attribute]) -> Target:
    """Read the name, the role and the kind of a target that is a number."""
    check_keys(place, found, ("name", "role", "kind"), ("calendar",))
    name, role = _named(place, found, attributes)
    return Target(name, role, kind=_kind(place, found, (NUMERIC,)))


def _named(place: Place, found: Any, attributes: Sequence[Attribute]) -> tuple[str, Role]:
    """Read the name and the role of the target, which must not be an attribute."""
    name, role = text(place, "'name'", found["name"]), one_of(place, "'role'", found["role"], ROLES)
    if any(attribute.name == name for attribute in attributes):
        place.refuse("an attribute has the same name")
    return name, role


def _label_weights(place: Place, found: Any) -> tuple[float, ...]:
    """Read how much people of each label count in predictions, if that is said."""
    if WEIGHTS not in found:
        return ()
    if not isinstance(found[WEIGHTS], list) or len(found[WEIGHTS]) != len(found["labels"]):
        place.refuse(f"{WEIGHTS!r} must be a list of numbers, one a label")
    weights = tuple(number(place, f"each of {WEIGHTS!r}", each) for each in found[WEIGHTS])
    return weights if min(weights) > 0 else place.refuse(f"each of {WEIGHTS!r} must be above 0")


def read_target(
    place: Place, found: Any, attributes: Sequence[Attribute], further: Sequence[str] = ()
) -> tuple[str, Role, tuple[str, ...]]:
    """Read the name, the role and the labels of the target, which must not be an attribute; it may say `further`."""
    check_keys(place, found, ("name", "role", "labels"), further)
    name, role = _named(place, found, attributes)
    labels = texts(place, "'labels'", found["labels"])
    if not labels:
        place.refuse("'labels' must not be empty")
    return name, role, labels


def read_claim(place: Place, found: Any, names: Sequence[str], known: Sequence[Disclosure] = DISCLOSURES) -> Claim:
    """Read what a model promises; `names` are those of its attributes and its target, `known` what it may disclose."""
    check_keys(place, found, ("requirement", "counting", "disclosure", "inferred_domains"), ("missing", "known_rows"))
    requirement = _said(place, "'requirement'", found["requirement"])
    counting = one_of(place, "'counting'", found["counting"], (*get_args(Counting), BY_PATHS))
    disclosure = one_of(place, "'disclosure'", found["disclosure"], known)
    inferred = texts(place, "'inferred_domains'", found["inferred_domains"])
    if not set(inferred) <= set(names):
        place.refuse("'inferred_domains' names what is neither an attribute nor the target")
    missing = _said(place, "'missing'", found["missing"]) if "missing" in found else None
    return Claim(requirement, counting, disclosure, inferred, missing, known_rows(place, found))


def _said(place: Place, what: str, found: Any) -> str:
    return text(place, what, found) or place.refuse(f"{what} must not be empty")
