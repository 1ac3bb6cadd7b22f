"""A tree whose answers tell most of several attributes at once, and not of one target.

The idea is that of predictive clustering trees (H. Blockeel, L. De Raedt, J. Ramon, Top-down induction of clustering
trees, ICML 1998): people of one leaf should be alike in all that matters. A question is worth the bits that its answer
tells of every attribute, each as a share of that attribute's entropy, so that all count alike. As C4.5 does, questions
that tell at least as much as the average are compared by what they tell for each bit of their own. Numbers are told in
bins of about equally many people. A question may be told of itself as well, since people of one answer are alike in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Codes, Int64s
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.induce.tree.features import Feature, features
from kspan.model.tree.model import Edge, Node, Region, Tree

Int32s = NDArray[np.int32]

TOLD, ASKED = 16, 64
"""Numbers are told in so many bins at most, and asked for between so many."""
LEAST_BITS = 1e-9
"""Fewer bits are taken for a rounding error."""


@dataclass(eq=False)
class _Grown:
    """A node that is grown, with its question if it has one."""

    rows: Int32s
    feature: int | None = None
    regions: Sequence[Region] = ()
    sons: "list[_Grown]" = field(default_factory=list)


def together(table: Table, schema: Schema, told: Sequence[str], *, min_rows: int) -> Tree:
    """Return a tree over the public attributes whose leaves are alike in the attributes that are to be told.

    A node is split only if at least two of the branches have `min_rows` people. A missing value is an answer by itself.
    The tree knows nobody's labels: its nodes count people.

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> people = pl.DataFrame({"sex": ["f"] * 4 + ["m"] * 4, "car": ["no"] * 4 + ["yes"] * 4, "day": list("abcdabcd")})
    >>> schema = Schema(public=["day", "sex", "car"])
    >>> tree = together(encode(people, schema), schema, schema.public, min_rows=4)
    >>> tree.attributes[tree.root.attribute].name, [edge.node.people for edge in tree.root.edges]
    ('sex', [4, 4])
    """
    growing = _Growing(table, schema, told, min_rows)
    root = _Grown(np.arange(table.rows, dtype=np.int32))
    grown, waiting = [root], [root]
    while waiting:
        node = waiting.pop()
        growing.split(node)
        grown += node.sons
        waiting += node.sons
    made: dict[int, Node] = {}
    # Sons stand after their parents.
    for node in reversed(grown):
        edges = tuple(Edge(region, made.pop(id(son))) for region, son in zip(node.regions, node.sons, strict=True))
        made[id(node)] = Node.of_counts((growing.people(node.rows),), node.feature, edges)
    attributes = tuple(feature.attribute for feature in growing.features)
    return Tree(attributes, "", "private", ("anybody",), made[id(root)])


class _Growing:
    """The rows in bins: what is asked, and what is to be told."""

    def __init__(self, table: Table, schema: Schema, told: Sequence[str], min_rows: int) -> None:
        self.weights = np.empty(0, np.int64) if table.weights is None else table.weights
        self.min_rows = min_rows
        self.features = features(table, schema, schema.public)
        asked = [_bins(one.codes, one.size, one.plain, self.weights, _most(one, ASKED)) for one in self.features]
        self.bin_of = asked
        self.asked = _stacked([bins[one.codes] for bins, one in zip(asked, self.features, strict=True)], table.rows)
        self.sizes = np.array([_number(bins) for bins in asked], np.int64)
        self.plain = np.array([_cuts(one, bins) for one, bins in zip(self.features, asked, strict=True)], np.int64)
        bins = [_told(table[name], self.weights) for name in told]
        self.told = _stacked(bins, table.rows)
        self.told_sizes = np.array([int(each.max(initial=0)) + 1 for each in bins], np.int64)
        self.worth = np.array([_worth(each, self.weights) for each in bins])

    def people(self, rows: Int32s) -> int:
        """How many people some rows are."""
        return int(self.weights[rows].sum()) if len(self.weights) else len(rows)

    def split(self, node: _Grown) -> None:
        """Give a node its best question, and sons, if there is one."""
        from kspan.kernels.together import best_splits  # loading compiled code takes a moment

        if self.people(node.rows) < 2 * self.min_rows:
            return
        gains, own, cuts = best_splits(
            node.rows, self.weights, self.asked, self.sizes, self.plain, self.told, self.told_sizes, self.worth,
            self.min_rows,
        )  # fmt: skip
        able = np.flatnonzero(gains > LEAST_BITS)
        if not len(able):
            return
        able = able[gains[able] >= gains[able].mean() - LEAST_BITS]
        node.feature = best = int(able[np.argmax(gains[able] / own[able])])
        self._divide(node, best, int(cuts[best]))

    def _divide(self, node: _Grown, number: int, cut: int) -> None:
        feature, bins = self.features[number], self.asked[number, node.rows]
        if feature.numbers is None:
            answers = np.unique(bins)
            node.regions = [feature.region(np.array([answer])) for answer in answers.tolist()]
            parts = [node.rows[bins == answer] for answer in answers.tolist()]
        else:
            last = int(np.flatnonzero(self.bin_of[number][: feature.plain] <= cut)[-1])
            bound = float(feature.floats[last])
            node.regions = [Region(intervals=((None, bound),)), Region(intervals=((bound, None),))]
            parts = [node.rows[bins <= cut], node.rows[(bins > cut) & (bins < self.plain[number])]]
            if (bins >= self.plain[number]).any():
                node.regions.append(Region(missing=True))
                parts.append(node.rows[bins >= self.plain[number]])
        node.sons = [_Grown(part) for part in parts]


def _most(feature: Feature, bins: int) -> int:
    return feature.size if feature.numbers is None else bins


def _cuts(feature: Feature, bins: Int64s) -> int:
    """Between how many bins numbers may be cut; -1 for words."""
    return -1 if feature.numbers is None else _number(bins[: feature.plain])


def _number(bins: Int64s) -> int:
    return int(bins.max(initial=-1)) + 1


def _told(column: Column, weights: Int64s) -> Int64s:
    most = TOLD if column.is_measured else column.size
    return _bins(column.codes, column.size, len(column.values), weights, most)[column.codes]


def _bins(codes: Codes, size: int, plain: int, weights: Int64s, most: int) -> Int64s:
    """The bin of each code: those of values in their order, at most so many, and each other code by itself."""
    bins = np.arange(size)
    if plain > most:
        people = np.bincount(codes, weights if len(weights) else None, size)[:plain]
        middle = np.cumsum(people) - people / 2
        _, bins[:plain] = np.unique(np.floor(middle * most / max(people.sum(), 1)), return_inverse=True)
        bins[plain:] = bins[:plain].max() + 1 + np.arange(size - plain)
    return bins


def _stacked(codes: Sequence[Int64s], rows: int) -> Int32s:
    return np.ascontiguousarray(np.array(codes, np.int32).reshape(len(codes), rows))


def _worth(bins: Int64s, weights: Int64s) -> float:
    """One over the entropy of what is told, so that each attribute counts alike; 0 if there is nothing to tell."""
    people = np.bincount(bins, weights if len(weights) else None)
    share = people[people > 0] / people.sum()
    entropy = float(-(share * np.log2(share)).sum())
    return 1.0 / entropy if entropy > LEAST_BITS else 0.0
