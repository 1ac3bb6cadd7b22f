"""What the splits of a leaf are worth, for all attributes in a few passes over its rows."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from kspan import kernels
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.induce.tree.features import Feature
from kspan.induce.tree.levels import Levels
from kspan.induce.tree.people import NO_SHARE, People, Rows
from kspan.kernels.splits import C45, DIGITS, GAIN_RATIO, GINI, INFORMATION_GAIN, LEAST_GAIN, ROUNDING

__all__ = [
    "ANYWHERE",
    "C45",
    "DIGITS",
    "INFORMATION_GAIN",
    "LEAST_GAIN",
    "NO_SCORES",
    "ROUNDING",
    "SCORES",
    "Score",
    "Scores",
    "Threshold",
    "Worth",
]

Score = Literal["information-gain", "gain-ratio", "gini"]
SCORES: Mapping[Score, int] = {"information-gain": INFORMATION_GAIN, "gain-ratio": GAIN_RATIO, "gini": GINI}
"""Information gain (Quinlan 1986), its ratio to the entropy of the split, and the gain in Gini impurity.

The score of C4.5 is not among them: its learners always use it, and others never do.
"""

EVERYTHING: Mapping[int, Bools] = {}
"""All values can still occur."""

ANYWHERE: Bools = np.empty(0, bool)
"""No cut is forbidden."""

MANY_VALUES = 0.3
"""A categorical attribute with this many values per person gains by chance: it is left out of the average gain."""

ABOUT_AVERAGE = 1e-3
"""A gain that is so little below the average counts as average."""


class Scores(NamedTuple):
    """The gain (-1 if the level cannot be asked) and the worth of every level of every categorical feature."""

    gains: list[float]
    worths: list[float]
    useful: list[int]
    """The levels that gain."""


NO_SCORES = Scores([], [], [])


class Threshold(NamedTuple):
    """The best cut of a numeric feature: its gain (-1 if there is none), worth, last code below, and place."""

    gain: float
    worth: float
    cut: int
    at: float


class Worth:
    """Scores the splits of one set of people by one score."""

    def __init__(
        self, people: People, features: Sequence[Feature], score: int, min_rows: int, *, shares_missing: bool
    ) -> None:
        self.people, self.features, self.score, self.min_rows = people, features, score, min_rows
        self.shares_missing = shares_missing
        self.words = [number for number, feature in enumerate(features) if not feature.numeric]
        self.numbers = [number for number, feature in enumerate(features) if feature.numeric]
        words = [features[number] for number in self.words]
        # Of one type, for one pass over all of them.
        self.codes = np.stack([word.codes for word in words]) if words else np.empty((0, 0), np.uint8)
        sizes, cells = np.array([(word.size, word.cells) for word in words], np.int64).reshape(-1, 2).T
        self.begins = np.cumsum(sizes) - sizes
        self.cell_begins = np.cumsum(cells) - cells
        self.any_spread = any(word.spread is not None for word in words)
        self.levels = Levels.of(words, self.begins)
        self.levels_of = dict(zip(self.words, self.levels.of_feature, strict=True))
        self.feature_of = [number for number, levels in self.levels_of.items() for _ in levels]
        self.shared = np.zeros(int(sizes.sum()), bool)
        if shares_missing:
            # The code of a missing value is a feature's last one.
            ends = (self.begins + sizes).tolist()
            self.shared[[end - 1 for end, word in zip(ends, words, strict=True) if word.can_be_missing]] = True
        # Room for the kernels to count in, which leave it full of zeros.
        self.room = {number: np.zeros((features[number].plain, people.labels + 1)) for number in self.numbers}
        weight = int(people.weights.sum()) if len(people.weights) else len(people.label)
        few = [word.plain < MANY_VALUES * weight for word in words]
        # If every attribute has that many values, all of them count: otherwise there would be no average.
        self.in_average = few if any(few) or self.numbers else [True] * len(few)

    def of_levels(
        self, rows: Rows, share: Floats, k: int, allowed: Bools | None, inside: Mapping[int, Bools] = EVERYTHING
    ) -> Scores:
        """The gain and the worth of each level of each categorical feature.

        A level cannot be asked if it is not `allowed`, or if it is public and leaves a son with 1 to `k` - 1 people.
        `inside` says which values can still occur, for features whose cells may admit several.
        """
        tally, levels = self._tally(rows, share, inside), self.levels
        gains, worths = np.empty(len(levels.public)), np.empty(len(levels.public))
        kernels.level_worths(
            tally, self.shared, levels.rows, levels.names, levels.begins, levels.public,
            self.score, self.min_rows, k, gains, worths,
        )  # fmt: skip
        if allowed is not None:
            gains[~allowed], worths[~allowed] = -1.0, 0.0
        return Scores(gains.tolist(), worths.tolist(), np.flatnonzero(np.minimum(gains, worths) > LEAST_GAIN).tolist())

    def by_value(self, number: int, rows: Rows, share: Floats, inside: Mapping[int, Bools] = EVERYTHING) -> Floats:
        """The number of people in some rows by value of one feature and label; a missing value comes last."""
        feature = self.features[number]
        cells = np.zeros((feature.cells, self.people.labels))
        kernels.histograms(feature.codes[None], np.zeros(1, np.int64), self.people.label, rows, share, cells)
        return cells if feature.spread is None else feature.spread.counts(cells, inside.get(number), feature.size)

    def parts(self, rows: Rows) -> Int64s:
        """The number of people in some rows by label, for every name of every level of every categorical feature."""
        # Spans hold whole people: a row has its own weight here, not a leaf's share of it.
        share = self.people.weights[rows].astype(np.float64) if len(self.people.weights) else NO_SHARE
        return self.levels.summed(self._tally(rows, share, EVERYTHING).astype(np.int64))

    def _tally(self, rows: Rows, share: Floats, inside: Mapping[int, Bools]) -> Floats:
        """The number of people in some rows by label, for every value of every categorical feature."""
        words = [self.features[number] for number in self.words]
        cells = np.zeros((sum(word.cells for word in words), self.people.labels))
        kernels.histograms(self.codes, self.cell_begins, self.people.label, rows, share, cells)
        if not self.any_spread:
            return cells
        tally = np.empty((len(self.shared), self.people.labels))
        for number, word, begin, first in zip(self.words, words, self.begins, self.cell_begins, strict=True):
            shown = cells[first : first + word.cells]
            values = shown if word.spread is None else word.spread.counts(shown, inside.get(number), word.size)
            tally[begin : begin + word.size] = values
        return tally

    def of_threshold(
        self,
        number: int,
        rows: Rows,
        share: Floats,
        k: int,
        allowed: Bools = ANYWHERE,
        inside: Mapping[int, Bools] = EVERYTHING,
    ) -> Threshold:
        """The best cut of a numeric feature; if the feature is public, no son may have fewer than `k` people."""
        feature = self.features[number]
        if feature.spread is not None:
            cells = np.zeros((feature.cells, self.people.labels))
            kernels.histograms(feature.codes[None], np.zeros(1, np.int64), self.people.label, rows, share, cells)
            counts = feature.spread.counts(cells, inside.get(number), feature.plain + 1)
            with_sums = np.column_stack([counts, counts.sum(axis=1)])
            seen = np.flatnonzero(with_sums[: feature.plain, -1] > 0)
            return Threshold(
                *kernels.best_cut(
                    seen, with_sums, counts[feature.plain], feature.floats, self.shares_missing, self.score,
                    self.min_rows, k if feature.public else 0, allowed,
                )
            )  # fmt: skip
        found = kernels.best_threshold(
            feature.codes, feature.floats, rows, share, self.people.label, self.room[number],
            self.shares_missing, self.score, self.min_rows, k if feature.public else 0, allowed,
        )  # fmt: skip
        return Threshold(*found)

    def average(self, scores: Scores, thresholds: Iterable[Threshold]) -> float:
        """What the attributes gain on average, each by its lowest level that can be asked (C4.5 only)."""
        if self.score != C45:
            return 0.0
        usable = [found.gain for found in thresholds if found.gain > 0]
        for levels, counts in zip(self.levels.of_feature, self.in_average, strict=True):
            lowest = next((scores.gains[level] for level in levels if scores.gains[level] >= 0), None)
            if lowest is not None and counts:
                usable.append(lowest)
        # Without an average every candidate is second-rate.
        return sum(usable) / len(usable) if usable else math.inf

    def is_second_rate(self, gain: float, average: float) -> bool:
        """Does a split gain less than the average, so that the ratio of C4.5 says nothing about it?"""
        return self.score == C45 and gain < average - ABOUT_AVERAGE
