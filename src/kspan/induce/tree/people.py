"""The people that a tree is grown from: labels, weights, and how rows divide."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan import kernels
from kspan.data.arrays import Bools, Codes, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS
from kspan.data.having import Having
from kspan.data.table import Column, Table
from kspan.induce.tree.features import Feature

Rows = NDArray[np.int32]
"""Places of rows in a table: four bytes are enough for two billion people."""

LEAST_SHARE = 0.01
"""People are not divided into shares smaller than this, so that nobody is in more than a hundred places."""

NO_SHARE: Floats = np.empty(0)
"""No weights: every row counts once."""


@dataclass(frozen=True, eq=False)
class Split:
    """A way to divide a leaf by the codes of a feature."""

    feature: int
    sons: int
    son: Int64s
    """The son of each code of a categorical feature; -1 if the code cannot occur here, or goes to all sons."""
    cut: int = -1
    """The last code of a numeric feature that goes to the first son, before those of the second; -1 if not numeric."""
    at: float = 0.0
    """The threshold: a number between that code's and the next; infinite if all numbers go to the first son."""
    missing: int = 2
    """The son of a missing number."""

    @cached_property
    def codes(self) -> list[Int64s]:
        """The codes of a categorical feature that go to each son."""
        order = np.argsort(self.son, kind="stable")
        # Codes without a son (-1) stand before the first son's, and are left out.
        ends = np.searchsorted(self.son[order], np.arange(self.sons + 1))
        return [order[begin:end] for begin, end in pairwise(ends.tolist())]

    def by_code(self, feature: Feature) -> Int64s:
        """The son of each code."""
        if self.cut < 0:
            return self.son
        son = np.full(feature.size, self.missing, np.int64)
        son[: feature.plain] = np.arange(feature.plain) > self.cut
        return son


@dataclass(frozen=True)
class Way:
    """How rows are divided if their cells may admit several values."""

    inside: Bools | None = None
    """Which values can still occur; None if all of them can."""
    shares_missing: bool = False
    rng: np.random.Generator | None = None
    """If given, every row goes to one son, drawn by chance."""


@dataclass(frozen=True, repr=False)
class People:
    """The label of each row, and how many people it stands for."""

    label: Codes
    labels: int
    weights: Int64s
    ordered: bool = False
    """Are the labels numbers, so that they are as far apart as their ranks?"""
    levels: tuple[Int64s, ...] = ()
    """The hierarchy above the labels, if there is one."""
    having: Having | None = None
    """Finds a label by its name."""
    numbers: Floats | None = None
    """The number of each label, if labels are numbers."""
    known: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    """The class of each row that anybody can tell already; empty if nothing tells people apart."""

    @classmethod
    def of(cls, table: Table, target: str) -> "People":
        """Everybody in a table."""
        return cls.of_column(table[target], NO_WEIGHTS if table.weights is None else table.weights)

    @classmethod
    def of_column(cls, column: Column, weights: Int64s) -> "People":
        """Everybody by what a column has."""
        measured, numbers = column.is_measured, column.numbers
        return cls(column.codes, column.size, weights, measured, column.levels, column.having, numbers)

    def without_labels(self) -> "People":
        """The same people, of whom nothing is counted but how many they are."""
        return People(np.zeros(len(self.label), np.uint8), 1, self.weights, known=self.known)

    def everybody(self) -> tuple[Rows, Floats]:
        """All rows, and their weights if they have any."""
        share = self.weights.astype(np.float64) if len(self.weights) else NO_SHARE
        return np.arange(len(self.label), dtype=np.int32), share

    def counts(self, rows: Rows) -> Int64s:
        """How many people of each label are in some rows."""
        weights = self.weights[rows] if len(self.weights) else None
        return np.bincount(self.label[rows], weights, self.labels).astype(np.int64)

    def by_code(self, rows: Rows, place: Int64s, feature: Feature) -> tuple[Int64s, Int64s, Int64s]:
        """The codes of a feature that occur at each place, in order, if some rows are at these places.

        Returns the place of each code, the code, and the number of people by label.
        """
        keys = place * feature.size + feature.codes[rows]
        here, number = np.unique(keys, return_inverse=True)
        weights = self.weights[rows] if len(self.weights) else None
        counts = np.bincount(number * self.labels + self.label[rows], weights, len(here) * self.labels)
        return *np.divmod(here, feature.size), counts.astype(np.int64).reshape(-1, self.labels)

    def by_son(self, rows: Rows, share: Floats, feature: Feature, split: Split) -> Floats:
        """How many people of each label some rows send to each son."""
        counts = np.zeros((split.sons, self.labels))
        kernels.son_counts(
            feature.codes, split.son, split.cut, feature.plain, split.missing, self.label, rows, share, counts
        )
        return counts

    def divide(
        self, rows: Rows, share: Floats, feature: Feature, split: Split
    ) -> tuple[list[Rows], list[Floats], Floats]:
        """Reorder rows in place so that each son's stand together.

        Returns for each son a view of its rows and one of their weights, and then the people by son and label.
        """
        counts = np.zeros((split.sons, self.labels))
        ends = kernels.divide(
            feature.codes, split.son, split.cut, feature.plain, split.missing, self.label, rows, share, counts
        )
        return _parts(rows, ends), _parts(share, ends) if len(share) else [share] * split.sons, counts

    def divide_shares(
        self, rows: Rows, share: Floats, feature: Feature, split: Split
    ) -> tuple[list[Rows], list[Floats], Floats]:
        """Divide into new arrays; a row whose value is missing goes to all sons, with a share of its weight to each."""
        counts = np.zeros((split.sons, self.labels))
        rows, share, ends = kernels.divide_shares(
            feature.codes, split.son, split.cut, feature.plain, self.label, rows, share, counts
        )
        return _parts(rows, ends), _parts(share, ends), counts

    def divide_spread(
        self, rows: Rows, share: Floats, feature: Feature, split: Split, way: "Way"
    ) -> tuple[list[Rows], list[Floats], Floats]:
        """Divide into new arrays where cells may admit several values.

        A row goes to all sons that it may belong to, with a share of its weight, or to one by chance if `way` says so.
        """
        assert feature.spread is not None
        portion = feature.spread.portions(split.by_code(feature), split.sons, way.inside)
        cells = np.zeros((feature.cells, self.labels))
        kernels.histograms(feature.codes[None], np.zeros(1, np.int64), self.label, rows, share, cells)
        known = (portion * cells[:, :, None]).sum(axis=(0, 1))
        if way.shares_missing:
            # Cells that say nothing have no son so far: they are shared out in proportion to the others.
            everywhere = known / known.sum() if known.sum() > 0 else np.full(split.sons, 1 / split.sons)
            portion[feature.spread.unknown] = everywhere
        if way.rng is not None:
            return self._divide_by_chance(rows, share, feature, portion, way.rng)
        counts = np.zeros((split.sons, self.labels))
        rows, share, ends = kernels.divide_portions(
            feature.codes, portion, self.label, rows, share, LEAST_SHARE, counts
        )
        return _parts(rows, ends), _parts(share, ends), counts

    def _divide_by_chance(
        self, rows: Rows, share: Floats, feature: Feature, portion: Floats, rng: np.random.Generator
    ) -> tuple[list[Rows], list[Floats], Floats]:
        sons = portion.shape[2]
        chances = np.cumsum(portion[feature.codes[rows], self.label[rows]], axis=1)
        # Rounding may leave the last sum just below 1, so that a draw lies beyond it.
        son = np.minimum((rng.random(len(rows))[:, None] >= chances).sum(axis=1), sons - 1)
        order = np.argsort(son, kind="stable")
        ends = np.cumsum(np.bincount(son, minlength=sons))
        rows = rows[order]
        share = share[order] if len(share) else share
        counts = np.zeros((sons, self.labels))
        np.add.at(counts, (son[order], self.label[rows]), share if len(share) else 1.0)
        return _parts(rows, ends), _parts(share, ends) if len(share) else [share] * sons, counts

    def divide_parts(self, parts: list[Rows], feature: Feature, split: Split) -> tuple[Rows, Int64s]:
        """Divide several parts at once, without moving their own rows.

        Returns a new array of the rows, part after part and son by son in each, and how many rows each part has in
        each son.
        """
        rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
        sizes = np.zeros((len(parts), split.sons), np.int64)
        ends = np.cumsum([len(part) for part in parts])
        moved = kernels.divide_parts(
            feature.codes, split.son, split.cut, feature.plain, split.missing, rows, ends, sizes
        )
        return moved, sizes

    def by_part_and_son(self, parts: list[Rows], feature: Feature, split: Split) -> Int64s:
        """How many people of each label each of several parts sends to each son: part, then son, then label."""
        rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
        place = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        keys = (place * split.sons + split.by_code(feature)[feature.codes[rows]]) * self.labels + self.label[rows]
        weights = self.weights[rows] if len(self.weights) else None
        counts = np.bincount(keys, weights, len(parts) * split.sons * self.labels)
        return counts.astype(np.int64).reshape(len(parts), split.sons, self.labels)


def _parts(array: NDArray[Any], ends: Int64s) -> list[NDArray[Any]]:
    return [array[begin:end] for begin, end in pairwise([0, *ends.tolist()])]
