"""The expected content of cells, released or raw, of an attribute that is already known from another table.

A missing cell, `*`, and a cell that admits only unknown words say nothing.
"""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import polars as pl

from kspan.data.arrays import Bools, Codes, Floats
from kspan.data.cells import NOT_A_NUMBER, SUPPRESSED
from kspan.data.domain import Domain
from kspan.data.encode import encode_column
from kspan.data.general import General, GeneralNumbers, GeneralWords, general
from kspan.data.hierarchy import Hierarchy
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema
from kspan.data.table import Column
from kspan.errors import DataError, check_choice

Likelihood = Literal["even", "em"]
LIKELIHOODS: tuple[str, ...] = get_args(Likelihood)
MOST_ROUNDS, CHANGE = 500, 0.01
"""Estimating how likely values are ends after so many rounds, or when a round moves less than this share of people.

To go on would fit noise: on Adult, naive Bayes would lose again what it had gained (docs/learn.md).
"""


@dataclass(frozen=True, repr=False)
class WordCells:
    """The code of each row, and how likely every word is for each code."""

    codes: Codes
    chances: Floats
    """One row per code, one column per word; all zeros where a code says nothing."""
    says: Bools
    missing: Bools


@dataclass(frozen=True, repr=False)
class NumberCells:
    """The code of each row, and the lowest and highest number of each code, which may be infinite."""

    codes: Codes
    low: Floats
    high: Floats
    says: Bools
    missing: Bools


@dataclass(frozen=True)
class Signs:
    """The texts of cells that say nothing, besides empty cells and `*`."""

    missing: tuple[str, ...] = ()
    suppressed: str = SUPPRESSED

    @classmethod
    def of(cls, schema: Schema) -> "Signs":
        """The signs that a policy declares."""
        return cls(schema.missing, schema.suppressed_text)


NO_SIGNS = Signs()


@dataclass(frozen=True)
class Words:
    """An attribute of words, as known from some table."""

    name: str
    values: tuple[str, ...]
    weights: tuple[float, ...]
    """How likely each word is, relative to the other words that a cell admits."""
    hierarchy: Hierarchy | None = None
    signs: Signs = NO_SIGNS

    def read(self, series: pl.Series) -> WordCells:
        """What the cells of a column say."""
        # Declared as words, so that a column of words that happen to be numbers stays what it was.
        schema = Schema(
            public=[self.name],
            domains={self.name: Domain(WORDS)},
            missing=self.signs.missing,
            suppressed_text=self.signs.suppressed,
        )
        return self.cells(general(_named(encode_column(series.alias(self.name), schema), self.hierarchy)))

    def cells(self, shown: General) -> WordCells:
        """What the cells of a column say."""
        place = {word: at for at, word in enumerate(shown.values)}
        known = [(at, place[word]) for at, word in enumerate(self.values) if word in place]
        chances = np.zeros((shown.column.size, len(self.values)))
        if known and isinstance(shown, GeneralWords):
            ours, theirs = map(list, zip(*known, strict=True))
            chances[:, ours] = shown.admits[:, theirs] * np.array(self.weights)[ours]
        if shown.column.suppressed is not None:  # it admits every word, but says nothing
            chances[shown.column.suppressed] = 0.0
        sums = chances.sum(axis=1, keepdims=True)
        says = sums[:, 0] > 0
        np.divide(chances, sums, out=chances, where=sums > 0)
        return WordCells(shown.column.codes, chances, says, _missing(shown.column))


@dataclass(frozen=True)
class Numbers:
    """An attribute of numbers, as known from some table, with its lowest and highest number."""

    name: str
    low: float
    high: float
    hierarchy: Hierarchy | None = None
    signs: Signs = NO_SIGNS

    def read(self, series: pl.Series, pattern: str | None = None) -> NumberCells:
        """What the cells of a column say; `pattern` says how ranges are written."""
        # Beside ranges, `encode_column` takes a sign such as `?` for a word; here it can only mean a missing number.
        missing = NOT_A_NUMBER.union(self.signs.missing)
        schema = Schema(public=[self.name], missing=missing, suppressed_text=self.signs.suppressed)
        shown = general(_named(encode_column(series.alias(self.name), schema), self.hierarchy), pattern)
        if isinstance(shown, GeneralWords) and shown.size:
            raise DataError(
                f"column {self.name!r} holds words, but it held numbers when the model was learned: "
                "mend it, or say by a pattern how ranges are written"
            )
        return self.cells(shown)

    def cells(self, shown: General) -> NumberCells:
        """What the cells of a column say."""
        nothing = np.full(shown.column.size, np.nan)  # where no cell speaks of numbers
        low, high = (shown.lowest, shown.highest) if isinstance(shown, GeneralNumbers) else (nothing, nothing)
        says = ~np.isnan(low) & (np.isfinite(low) | np.isfinite(high))
        return NumberCells(shown.column.codes, low, high, says, _missing(shown.column))

    def ends(self, cells: NumberCells) -> tuple[Floats, Floats]:
        """The ends of what each code admits; an open end becomes the lowest or the highest known number."""
        low, high = cells.low, cells.high
        # A range beyond all known numbers ends where it begins: `>=99` is 99 if the highest known number is 90.
        below = np.minimum(self.low, np.where(np.isfinite(high), high, self.low))
        above = np.maximum(self.high, np.where(np.isfinite(low), low, self.high))
        return np.where(low == -np.inf, below, low), np.where(high == np.inf, above, high)


Known = Words | Numbers


def known(shown: General, weights: Floats | None = None, signs: Signs = NO_SIGNS) -> Known:
    """The attribute that a column of a table shows; `weights` says how likely each word is (default: all alike)."""
    column = shown.column
    if isinstance(shown, GeneralWords):
        each = np.ones(shown.size) if weights is None else weights
        return Words(column.name, tuple(map(str, shown.values)), tuple(each.tolist()), column.hierarchy, signs)
    ends = (float(shown.values[0]), float(shown.values[-1])) if shown.size else (0.0, 0.0)
    return Numbers(column.name, *ends, column.hierarchy, signs)


def spoken(shown: General, counts: Floats) -> Floats:
    """The counts of people by code (and label), without those whose cells are suppressed or missing."""
    said = counts.copy()
    for code in (shown.column.suppressed, shown.column.missing):
        if code is not None:
            said[code] = 0.0
    return said


def likely(shown: General, counts: Floats, likelihood: str) -> Floats:
    """How likely each value is among the people of each label: evenly, or as estimated from the table itself (by EM).

    Two of three people who show a single word have `a`, so that it is twice as likely as `b` in `{a|b}`:

    >>> rows = pl.Series("x", ["a", "a", "b", "{a|b}"])
    >>> shown = general(encode_column(rows, Schema(public=["x"])))
    >>> likely(shown, np.array([[2.0], [1.0], [1.0]]), "em").round(3).tolist()
    [[0.664], [0.336]]
    """
    check_likelihood(likelihood)
    weights = np.repeat(shown.evenly[:, None], counts.shape[1], axis=1)
    if likelihood == "even" or not shown.size:
        return weights
    weights /= weights.sum(axis=0)
    for _ in range(MOST_ROUNDS):
        people = shown.expected(counts, weights)
        sums = people.sum(axis=0)
        better = np.where(sums > 0, people / np.where(sums > 0, sums, 1.0), weights)
        # Whoever moves leaves one value for another, so half the differences are the share of people who move.
        change = np.abs(better - weights).sum(axis=0).max() / 2
        weights = better
        if change < CHANGE:
            break
    return weights


def check_likelihood(word: str) -> None:
    """Refuse a word that is not one of `LIKELIHOODS`."""
    check_choice("likelihood", word, LIKELIHOODS)


def _named(column: Column, hierarchy: Hierarchy | None) -> Column:
    """The column with a hierarchy, which need not know all of its cells."""
    return column if hierarchy is None else replace(column, hierarchy=hierarchy)


def _missing(column: Column) -> Bools:
    missing = np.zeros(column.size, bool)
    if column.missing is not None:
        missing[column.missing] = True
    return missing
