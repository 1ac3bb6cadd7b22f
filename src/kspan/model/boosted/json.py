"""Gradient boosting as a JSON document; what is read is never trusted."""

from typing import Any

from kspan.model.boosted.model import Boosted, BoostedTree, Question
from kspan.model.boosted.numbered import Numbered
from kspan.model.checks import Place, check_keys, number
from kspan.model.documents import check_format
from kspan.model.known import check_names, read_head, read_known, row, write_known

FORMAT, VERSION = "kspan/boosted", 1
ASKED = 5
"""What a question has: attribute, threshold, where missing values go, left, right."""


def write_boosted(model: Boosted) -> dict[str, Any]:
    """Write a model as a JSON document; a node is `[attribute, threshold, missing left, left, right]`, or what it adds.

    Attributes and nodes are counted from 0. The words of an attribute are numbered in the order in which they stand.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": {"name": model.target, "labels": list(model.labels)},
        "attributes": [write_known(attribute) for attribute in model.numbered.attributes],
        "start": list(model.start),
        "trees": [{"label": tree.label, "nodes": [_written(node) for node in tree.nodes]} for tree in model.trees],
    }


def read_boosted(document: Any, source: str = "the model") -> Boosted:
    """Read the model in a JSON document; an error names the source and the place."""
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "boosted model")
    check_keys(top, document, ("format", "version", "target", "attributes", "start", "trees"))
    target, labels = read_head(top, document["target"])
    for key in ("attributes", "trees"):
        if not isinstance(document[key], list):
            top.refuse(f"{key!r} must be a list")
    attributes = tuple(
        read_known(Place(source, f"attribute {count}"), found, ())
        for count, found in enumerate(document["attributes"], 1)
    )
    check_names(top, [attribute.name for attribute in attributes], target)
    start = row(top, "'start'", document["start"], len(labels))
    trees = tuple(
        _read(Place(source, f"tree {count}"), found, len(labels), len(attributes))
        for count, found in enumerate(document["trees"], 1)
    )
    return Boosted(target, labels, Numbered(attributes), start, trees)


def _written(node: Question | float) -> Any:
    if isinstance(node, Question):
        return [node.attribute, node.at_most, node.missing_left, node.left, node.right]
    return node


def _read(place: Place, found: Any, labels: int, attributes: int) -> BoostedTree:
    check_keys(place, found, ("label", "nodes"))
    label = _whole(place, "'label'", found["label"], labels)
    if not isinstance(found["nodes"], list) or not found["nodes"]:
        place.refuse("'nodes' must be a list of at least one")
    size = len(found["nodes"])
    nodes = tuple(
        _node(place.below(f"node {count}"), node, count, size, attributes) for count, node in enumerate(found["nodes"])
    )
    children = [child for node in nodes if isinstance(node, Question) for child in (node.left, node.right)]
    # Children come after parents, so whoever has one parent each, all but the root, is in one tree.
    if sorted(children) != list(range(1, size)):
        place.refuse("every node but the first must be the child of one other")
    return BoostedTree(label, nodes)


def _node(place: Place, found: Any, own: int, size: int, attributes: int) -> Question | float:
    if not isinstance(found, list):
        return number(place, "what a leaf adds", found)
    if len(found) != ASKED:
        place.refuse(f"a question must be a list of {ASKED}")
    attribute, at_most, missing_left, left, right = found
    if not isinstance(missing_left, bool):
        place.refuse("where missing values go must be true or false")
    children = [_whole(place, "a child", child, size) for child in (left, right)]
    if min(children) <= own:
        place.refuse("children must come after their parents")
    asked = _whole(place, "an attribute", attribute, attributes)
    return Question(asked, number(place, "a threshold", at_most), missing_left, *children)


def _whole(place: Place, what: str, found: Any, end: int) -> int:
    """Return a whole number from 0 on that is less than `end`; refuse anything else."""
    if type(found) is not int or not 0 <= found < end:
        place.refuse(f"{what} must be a whole number from 0 to {end - 1}")
    return int(found)
