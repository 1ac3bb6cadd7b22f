"""Naive Bayes as it is written: how frequent each label is, and how likely it makes each value of each attribute."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.data.arrays import Floats
from kspan.data.expected import NumberCells, Numbers, Words
from kspan.data.numeric_features import as_columns, check_present

NARROW = 1e-6
"""A range no wider than this, in standard deviations, counts as a single number."""

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class WordChances:
    """How likely each word is for each label."""

    known: Words
    table: Rows
    """One row per word, one column per label; the words of a label add up to 1."""

    def logs(self, people: pl.DataFrame, pattern: str | None) -> Floats:
        """For each row, the logarithm of its likelihood under each label."""
        cells = self.known.read(people[self.known.name])
        if not self.table:
            # No word is known: 0 for every label, since one column is added to all.
            return np.zeros((len(cells.codes), 1))
        return _told(cells.chances @ np.array(self.table), cells.says)[cells.codes]


@dataclass(frozen=True)
class Gaussian:
    """The mean and the variance of a number for each label."""

    known: Numbers
    means: tuple[float, ...]
    variances: tuple[float, ...]

    def logs(self, people: pl.DataFrame, pattern: str | None) -> Floats:
        """For each row, the logarithm of its density under each label; for a range, of the mean density inside."""
        cells = self.known.read(people[self.known.name], pattern)
        return np.where(cells.says[:, None], self._by_code(cells), 0.0)[cells.codes]

    def _by_code(self, cells: NumberCells) -> Floats:
        from scipy.special import log_ndtr  # which takes a while to load

        deviation = np.sqrt(np.array(self.variances))
        low, high = (
            (np.where(cells.says, end, 0.0)[:, None] - np.array(self.means)) / deviation
            for end in (cells.low, cells.high)
        )
        width = np.where(cells.says, cells.high - cells.low, 0.0)[:, None]
        narrow = ~(width / deviation > NARROW)
        center = np.where(narrow, np.where(np.isfinite(low), low, 0.0), 0.0)
        density = -0.5 * np.log(2 * np.pi * deviation**2) - 0.5 * center**2
        # Only the lower tail is exact far out, so a range above the mean is mirrored.
        flip = low > 0
        near, far = np.where(narrow, 0.0, np.where(flip, -high, low)), np.where(narrow, 1.0, np.where(flip, -low, high))
        inside = log_ndtr(far) + np.log1p(-np.exp(log_ndtr(near) - log_ndtr(far)))
        # All labels share the width, so an infinite one need not be divided by.
        spread = np.where(np.isfinite(width) & (width > 0), width, 1.0)
        mean: Floats = np.where(narrow, density, inside - np.log(spread))
        return mean


@dataclass(frozen=True)
class Binned:
    """How likely each bin of numbers is for each label."""

    known: Numbers
    cuts: tuple[float, ...]
    """The numbers between the bins, in ascending order; a number on a cut belongs to the bin below."""
    table: Rows
    """One row per bin, one column per label; the bins of a label add up to 1."""

    def logs(self, people: pl.DataFrame, pattern: str | None) -> Floats:
        """For each row, the logarithm of its likelihood under each label; a range is spread over bins by length."""
        cells = self.known.read(people[self.known.name], pattern)
        return _told(as_columns(self.known, cells, self.cuts) @ np.array(self.table), cells.says)[cells.codes]


Chances = WordChances | Gaussian | Binned


@dataclass(frozen=True, repr=False)
class NaiveBayes:
    """Scores each label by its frequency times how likely it makes each cell; a cell that says nothing is skipped."""

    target: str
    labels: tuple[str, ...]
    prior: tuple[float, ...]
    attributes: tuple[Chances, ...]

    def __repr__(self) -> str:
        return f"NaiveBayes({len(self.attributes)} attributes, {len(self.labels)} labels, target {self.target!r})"

    @property
    def tells_shares(self) -> bool:
        """It tells how likely the labels are."""
        return True

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, raw or released, the share of each label; `range_pattern` says how ranges are written."""
        check_present([attribute.known.name for attribute in self.attributes], people.columns)
        logs = np.repeat(np.log(self.prior)[None, :], people.height, axis=0)
        for attribute in self.attributes:
            logs += attribute.logs(people, range_pattern)
        return softmax(logs)


def softmax(logs: Floats) -> Floats:
    """Turn logarithms into shares that add up to 1, row by row."""
    # Less the largest, so that nothing overflows; shares stay the same.
    each = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: Floats = each / each.sum(axis=1, keepdims=True)
    return shares


def _told(likelihood: Floats, says: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
    """Take the logarithms of likelihoods; 0 where a cell says nothing."""
    return np.log(np.where(says[:, None], likelihood, 1.0))
