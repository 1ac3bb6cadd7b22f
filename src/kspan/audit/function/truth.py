"""Is what the trees of an ensemble tell true of these people? Every node is counted again."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.alike import look
from kspan.data.arrays import Floats, Int64s
from kspan.data.table import Column
from kspan.errors import DataError
from kspan.kernels import forests
from kspan.model.function.grown import Grown, Trees

CLOSE = 1e-7
"""Shares and means, beside the largest, that differ by less are equal up to rounding."""
NOT_COUNTED = (
    "Its counts are of rows that were drawn by chance, or are not told: that it was fitted on these people is taken "
    "for granted."
)


LABELS_NOT_COUNTED = (
    "Its trees tell no shares or means of the target that could be counted again: that the labels of these people are "
    "those that it was fitted on is taken for granted."
)


def untrue_nodes(ensembles: Sequence[Trees], ends: Sequence[Int64s], target: Column | None) -> tuple[str, ...]:
    """Return the nodes that tell something else than is true of the people, by their numbers."""
    found, before = list[str](), 0
    for trees, end in zip(ensembles, ends, strict=True):
        labels = _labels(trees, target)
        numbers = None if target is None or not target.is_measured else _numbers(target)
        if labels is not None and trees.prior is not None:
            shares = np.bincount(labels, minlength=len(trees.labels)) / len(labels)
            found += [] if np.allclose(shares, trees.prior, rtol=0, atol=CLOSE) else ["the shares of labels"]
        for place, tree in enumerate(trees.grown):
            drawn = np.arange(len(end)) if trees.drawn is None else trees.drawn[place]
            if trees.people not in (None, len(end)) or (len(drawn) and drawn.max() >= len(end)):
                wrong = np.array([0])
            elif knows_rows(trees, tree, len(end)):
                times = np.bincount(drawn, minlength=len(end))
                wrong = _wrong(tree, end[:, place], times, labels, len(trees.labels), numbers)
            else:
                wrong = _too_many(tree, end[:, place])
            found += [f"node {node} of tree {before + place + 1}" for node in wrong.tolist()]
        before += len(trees.grown)
    return tuple(found)


def is_counted(trees: Trees, people: int) -> bool:
    """Can what the trees tell be counted again?"""
    return all(tree.rows is not None and knows_rows(trees, tree, people) for tree in trees.grown)


def tells_labels(trees: Trees) -> bool:
    """Is anything told of the target that can be counted again?"""
    return any(tree.shares is not None or tree.means is not None for tree in trees.grown)


def knows_rows(trees: Trees, tree: Grown, people: int) -> bool:
    """Is it known which rows a tree was fitted on? If as many as there are, on all."""
    return trees.knows_rows or (tree.rows is not None and tree.rows[0] == people)


def _wrong(
    tree: Grown, ends: Int64s, times: Int64s, labels: Int64s | None, number: int, numbers: Floats | None
) -> Int64s:
    """Return the nodes whose rows, shares or means are not those of the rows that were drawn so many times each."""
    wrong = np.zeros(len(tree.left), bool)
    nodes = len(tree.left)
    if tree.rows is not None:
        wrong |= _summed(tree, np.bincount(ends[times > 0], minlength=nodes)[:, None])[:, 0] != tree.rows
    if tree.shares is not None and labels is not None:
        counts = np.bincount(ends * number + labels, times, nodes * number).reshape(nodes, number)
        wrong |= _wrong_shares(tree.shares, _summed(tree, counts))
    if tree.means is not None and numbers is not None:
        sums = np.column_stack([np.bincount(ends, times * one, nodes) for one in (numbers, np.ones(len(ends)))])
        total, people = _summed(tree, sums).T
        scale = float(np.abs(numbers).max()) or 1.0
        wrong |= ~(np.abs(np.divide(total, people, out=np.zeros(nodes), where=people > 0) - tree.means) < CLOSE * scale)
    return np.flatnonzero(wrong)


def _wrong_shares(shares: Floats, counts: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell at which nodes shares are not those of the people, if every class may have one weight."""
    root = counts[0]
    # Of a class that nobody has, no weight is known, and none is needed.
    weights = np.divide(shares[0], root, out=np.zeros_like(root), where=root > 0)
    wanted = counts * weights
    wanted /= np.maximum(wanted.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    wrong = (np.abs(shares - wanted) > CLOSE) | ((shares > 0) != (counts > 0))
    return np.asarray(wrong.any(axis=1))


def _too_many(tree: Grown, ends: Int64s) -> Int64s:
    """Return the nodes that more rows are said to have come to than people can."""
    if tree.rows is None:
        return np.empty(0, np.int64)
    most = _summed(tree, np.bincount(ends, minlength=len(tree.left))[:, None])[:, 0]
    return np.flatnonzero(tree.rows > most)


def _summed(tree: Grown, at_leaves: NDArray[Any]) -> Floats:
    """Return the sums at every node of what is at the leaves."""
    sums = at_leaves.astype(np.float64)
    forests.summed(tree.left, tree.right, sums)
    return sums


def _labels(trees: Trees, target: Column | None) -> Int64s | None:
    """Return the label of every row, as its place among the labels of the trees."""
    if target is None or not trees.labels:
        return None
    place = {look(label): number for number, label in reversed(list(enumerate(trees.labels)))}
    known = [place.get(look(target.label(code)), -1) for code in range(target.size)]
    if min(known) < 0:
        raise DataError(
            f"the people have labels in {target.name!r} that the model does not know: give the table it was made from"
        )
    return np.array(known, np.int64)[target.codes]


def _numbers(target: Column) -> Floats:
    by_code = np.full(target.size, np.nan)
    by_code[: len(target.values)] = target.values
    return by_code[target.codes]
