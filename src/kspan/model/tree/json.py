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
from kspan.model.tree.model import Attribute, Role, Tree
from kspan.model.tree.nodes import NodeReader, shown_by
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.writing import FORMAT, OF_NUMBERS, VERSION, write_tree
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
    check_keys(top, document, needed, ("claim", "marginals", "counts"))
    attributes = read_attributes(top, document["attributes"])
    of_numbers, place = document["version"] == OF_NUMBERS, Place(source, "the target")
    labels, kind = tuple[str, ...](), None
    if of_numbers:
        target, role, kind = _target_of_numbers(place, document["target"], attributes)
    else:
        target, role, labels = read_target(place, document["target"], attributes)
    known: Sequence[Disclosure] = NUMBER_DISCLOSURES if of_numbers else DISCLOSURES
    claim = None
    if "claim" in document:
        names = [*(one.name for one in attributes), target]
        claim = read_claim(Place(source, "the claim"), document["claim"], names, known)
    # A claim says what all nodes disclose; without one, the root decides.
    disclosure = shown_by(document["root"], known) if claim is None else claim.disclosure
    reader = NodeReader(attributes, labels, disclosure)
    root = reader.read(Place(source, "root"), document["root"])
    marginals = reader.marginals(top, document.get("marginals", []), root.people)
    by_rows = "counts" in document and one_of(top, "'counts'", document["counts"], ("people", "rows")) == "rows"
    return TreeRelease(Tree(attributes, target, role, labels, root, by_rows, kind), claim, marginals)


# The head


def read_attributes(top: Place, found: Any) -> tuple[Attribute, ...]:
    """Read the attributes that a document lists."""
    if not isinstance(found, list):
        top.refuse("'attributes' must be a list")
    attributes = []
    names = set[str]()
    for count, each in enumerate(found, 1):
        place = Place(top.source, f"attribute {count}")
        attribute = _attribute(place, each)
        if attribute.name in names:
            place.refuse("an earlier attribute has the same name")
        names.add(attribute.name)
        attributes.append(attribute)
    return tuple(attributes)


def _attribute(place: Place, found: Any) -> Attribute:
    check_keys(place, found, ("name", "role", "kind", "domain"), ("missing", "calendar"))
    name, role = text(place, "'name'", found["name"]), one_of(place, "'role'", found["role"], ROLES)
    kind, missing = _kind(place, found, FAMILIES), flag(place, found)
    if not kind.is_measured:
        return Attribute(name, role, kind, texts(place, "'domain'", found["domain"]), has_missing=missing)
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


def _target_of_numbers(place: Place, found: Any, attributes: Sequence[Attribute]) -> tuple[str, Role, Kind]:
    """Read the name, the role and the kind of a target that is a number."""
    check_keys(place, found, ("name", "role", "kind"), ("calendar",))
    return *_named(place, found, attributes), _kind(place, found, (NUMERIC,))


def _named(place: Place, found: Any, attributes: Sequence[Attribute]) -> tuple[str, Role]:
    """Read the name and the role of the target, which must not be an attribute."""
    name, role = text(place, "'name'", found["name"]), one_of(place, "'role'", found["role"], ROLES)
    if any(attribute.name == name for attribute in attributes):
        place.refuse("an attribute has the same name")
    return name, role


def read_target(place: Place, found: Any, attributes: Sequence[Attribute]) -> tuple[str, Role, tuple[str, ...]]:
    """Read the name, the role and the labels of the target, which must not be an attribute."""
    check_keys(place, found, ("name", "role", "labels"))
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
