"""Trees of other libraries are judged as these decide: everybody must end in the leaf that the library says."""

from dataclasses import replace
from typing import Any

import numpy as np

from kspan.audit.tree.truth import Ends, ends_of, node_counts
from kspan.data.arrays import Floats
from kspan.data.table import Table
from kspan.errors import ModelError
from kspan.model.tree.imported import NO_VALUE, columns_of
from kspan.model.tree.model import Edge, Node, Tree

CLOSE = 1e-9
"""Shares that differ by less are equal up to rounding."""


def as_fitted(model: Any, tree: Tree, table: Table) -> Tree:
    """Return a tree that was taken over from scikit-learn, with the labels of its people counted at every node.

    The library tells shares of labels, in which classes may have weights. If as many rows come to each leaf here as it
    was fitted on, and its shares are those of the people, its counts are theirs. Otherwise its own stay as they are,
    and the audit says that they are not those of the people.
    """
    ends = ends_of(tree, table)
    order = _preorder(model.tree_)
    leaves = [node for node in order if model.tree_.children_left[node] < 0]
    here = model.tree_.apply(_matrix(model, table))
    if ends.several or (np.array(leaves)[ends.leaf] != here).any():
        raise ModelError(
            "kspan sends people to other leaves of the tree than scikit-learn does: please report this; nothing was "
            "judged"
        )
    rows = np.bincount(ends.leaf, minlength=len(leaves))
    same_rows = rows.tolist() == [int(model.tree_.n_node_samples[node]) for node in leaves]
    counts = node_counts(list(tree.nodes()), ends)
    return _counted(tree, ends) if same_rows and _has_shares(model.tree_, order, counts) else tree


def _has_shares(grown: Any, order: list[int], counts: Floats) -> bool:
    """Are the shares of labels at every node those of these people, if every class may have one weight?"""
    values = grown.value[order, 0, :]
    shares = values / values.sum(axis=1, keepdims=True)
    is_weighted = not np.allclose(grown.weighted_n_node_samples, grown.n_node_samples)
    # Of a class that nobody has, no weight is known, and none is needed.
    root = counts[0]
    weights = np.divide(shares[0], root, out=np.zeros_like(root), where=root > 0) if is_weighted else np.ones(len(root))
    wanted = counts * weights
    wanted /= np.maximum(wanted.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return bool(np.allclose(shares, wanted, rtol=0, atol=CLOSE) and ((shares > 0) == (counts > 0)).all())


def _preorder(grown: Any) -> list[int]:
    """Return the nodes of a fitted tree, parents before children, left to right."""
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        found.append(node)
        if grown.children_left[node] >= 0:
            waiting += [int(grown.children_right[node]), int(grown.children_left[node])]
    return found


def _matrix(model: Any, table: Table) -> Any:
    """Return the rows of a table as the library sees them; columns that the tree does not ask are left at 0."""
    found = np.zeros((table.rows, model.n_features_in_), np.float32)
    with np.errstate(over="ignore"):  # what 32 bits cannot hold is infinite there, too
        for place, (name, value) in columns_of(model, table).items():
            found[:, place] = _numbers(table, name, value)
    return found


def _numbers(table: Table, name: str, value: str | None) -> Floats:
    column = table[name]
    by_code: Floats = np.full(column.size, np.nan)
    if value is None:
        by_code[: len(column.values)] = column.values.astype(np.float64)
    elif value in NO_VALUE and column.missing is not None:
        by_code = (np.arange(column.size) == column.missing).astype(np.float64)
    else:
        by_code = np.array([float(column.label(code) == value) for code in range(column.size)])
    numbers: Floats = by_code[column.codes]
    return numbers


def _counted(tree: Tree, ends: Ends) -> Tree:
    made: dict[int, Node] = {}
    order = list(tree.nodes())
    # Children before their parents.
    for node, counts in zip(reversed(order), reversed(node_counts(order, ends)), strict=True):
        edges = tuple(Edge(edge.region, made[id(edge.node)]) for edge in node.edges)
        made[id(node)] = Node.of_counts(counts.astype(np.int64).tolist(), node.attribute, edges)
    return replace(tree, root=made[id(tree.root)])
