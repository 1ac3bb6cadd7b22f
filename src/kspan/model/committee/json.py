"""Committees as JSON documents; what is read is never trusted."""

from typing import Any

from kspan.errors import ModelError
from kspan.model.checks import Place, check_keys
from kspan.model.committee.model import Committee
from kspan.model.documents import check_format
from kspan.model.tree.json import read_tree
from kspan.model.tree.model import Tree
from kspan.model.tree.nodes import MOST_NODES
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.writing import write_tree

FORMAT, VERSION = "kspan/committee", 1
MOST_TREES = 1000


def write_committee(committee: Committee) -> dict[str, Any]:
    """Write a committee as a JSON document: its trees, without the claims of their owners."""
    trees = [write_tree(TreeRelease(tree)) for tree in committee.trees]
    return {"format": FORMAT, "version": VERSION, "trees": trees}


def read_committee(document: Any, source: str = "the model") -> Committee:
    """Read the committee in a JSON document; an error names the source and the place.

    >>> read_committee({"format": "kspan/committee", "version": 1, "trees": []})
    Traceback (most recent call last):
    kspan.errors.ModelError: the model is malformed at the top: 'trees' must be a list of 1 to 1,000 trees
    """
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "committee")
    check_keys(top, document, ("format", "version", "trees"))
    found = document["trees"]
    if not isinstance(found, list) or not 1 <= len(found) <= MOST_TREES:
        top.refuse(f"'trees' must be a list of 1 to {MOST_TREES:,} trees")
    trees, nodes = list[Tree](), 0
    for number, each in enumerate(found, 1):
        release = read_tree(each, f"tree {number} of {source}")
        if release != TreeRelease(release.tree):
            top.refuse(f"tree {number} has a claim or marginals, which a committee does not tell")
        nodes += sum(1 for _ in release.tree.nodes())
        if nodes > MOST_NODES:
            top.refuse(f"its trees have more than {MOST_NODES:,} nodes together")
        trees.append(release.tree)
    try:
        return Committee(tuple(trees))
    except ModelError as error:
        return top.refuse(str(error))
