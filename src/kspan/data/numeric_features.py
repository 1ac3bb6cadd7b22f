"""Columns, released or raw, as expected numbers from which any linear model can learn.

A cell of words becomes the probability of each word: `{a|b}` is one half each. A cell of numbers becomes the middle of
the range that it admits or, where numbers are cut into bins, its share in each bin. A cell that says nothing gets the
mean of those that do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.data.arrays import Floats
from kspan.data.bins import bin_names, shares_in_bins
from kspan.data.expected import (
    NO_SIGNS,
    Known,
    NumberCells,
    Numbers,
    Signs,
    WordCells,
    Words,
    check_likelihood,
    known,
    likely,
    spoken,
)
from kspan.data.general import General, GeneralWords
from kspan.errors import DataError, listed


@dataclass(frozen=True)
class NumericFeature:
    """One attribute as numbers: a column for each word or bin, or one for a number."""

    known: Known
    mean: tuple[float, ...]
    """What a cell that says nothing counts as."""
    scale: float = 1.0
    """The standard deviation of a number."""
    cuts: tuple[float, ...] | None = None
    """The cuts between bins, for a number that is represented by bins."""

    def by_code(self, cells: WordCells | NumberCells) -> Floats:
        """The numbers that represent each code, one row per code."""
        return np.where(cells.says[:, None], as_columns(self.known, cells, self.cuts), np.array(self.mean))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        if isinstance(self.known, Words):
            return [f"{self.known.name}_{value}" for value in self.known.values]
        if self.cuts is not None:
            return [f"{self.known.name} {each}" for each in bin_names(self.cuts)]
        return [self.known.name]


@dataclass(frozen=True)
class NumericFeatures:
    """How the columns of a table become numbers."""

    features: tuple[NumericFeature, ...]
    standardize: bool = False
    """Are numbers given as their distance from the mean, in standard deviations?"""
    indicator: bool = False
    """Is there a further column for each attribute that says whether it is missing?"""

    @property
    def names(self) -> list[str]:
        """The names of the columns of the matrix."""
        marks = [f"{feature.known.name} is missing" for feature in self.features] if self.indicator else []
        return [*(name for feature in self.features for name in feature.names), *marks]

    def matrix(self, people: pl.DataFrame, pattern: str | None = None) -> Floats:
        """The rows of a frame as numbers; `pattern` says how ranges are written."""
        check_present([feature.known.name for feature in self.features], people.columns)
        return self.of_cells([read(feature.known, people, pattern) for feature in self.features])

    def of_cells(self, cells: Sequence[WordCells | NumberCells]) -> Floats:
        """The rows as numbers, given what the cells of each attribute say."""
        columns = [self._scaled(feature, each)[each.codes] for feature, each in zip(self.features, cells, strict=True)]
        marks = [each.missing[each.codes][:, None] for each in cells] if self.indicator else []
        return np.hstack([*columns, *marks]).astype(np.float64)

    def _scaled(self, feature: NumericFeature, cells: WordCells | NumberCells) -> Floats:
        numbers = feature.by_code(cells)
        if self.standardize and isinstance(feature.known, Numbers) and feature.cuts is None:
            numbers = (numbers - feature.mean[0]) / feature.scale
        return numbers


def learn_features(
    columns: Iterable[General],
    weights: Floats,
    *,
    likelihood: str = "even",
    standardize: bool = False,
    indicator: bool = False,
    signs: Signs = NO_SIGNS,
    cuts: Mapping[str, tuple[float, ...]] | None = None,
) -> tuple[NumericFeatures, Floats]:
    """Learn how the columns of a table become numbers; return that, and the rows of the table as numbers.

    Row i stands for `weights[i]` people. An attribute that is listed in `cuts` is represented by bins.
    """
    check_likelihood(likelihood)
    features, cells = [], []
    for shown in columns:
        counts = np.bincount(shown.column.codes, weights, shown.column.size).astype(np.float64)[:, None]
        told = likely(shown, spoken(shown, counts), likelihood)[:, 0] if isinstance(shown, GeneralWords) else None
        attribute = known(shown, told, signs)
        said = attribute.cells(shown)
        features.append(_feature(attribute, said, counts, (cuts or {}).get(attribute.name)))
        cells.append(said)
    encoding = NumericFeatures(tuple(features), standardize, indicator)
    return encoding, encoding.of_cells(cells)


def as_columns(attribute: Known, cells: WordCells | NumberCells, cuts: tuple[float, ...] | None) -> Floats:
    """The expected content of each code: a column for each word, a column for each bin, or one for the number."""
    if isinstance(cells, WordCells):
        return cells.chances
    assert isinstance(attribute, Numbers)
    if cuts is None:
        return middle(attribute, cells)[:, None]
    # A code that says nothing may have no ends to compute with; whatever comes out, callers replace its row.
    low, high = (np.where(cells.says, end, attribute.low) for end in attribute.ends(cells))
    return shares_in_bins(cuts, low, high)


def middle(attribute: Numbers, cells: NumberCells) -> Floats:
    """The number halfway between the ends of each code."""
    low, high = attribute.ends(cells)
    halfway: Floats = low / 2 + high / 2
    return np.where(low == high, low, halfway)  # the sum of two halves may be off by a rounding error


def read(attribute: Known, people: pl.DataFrame, pattern: str | None) -> WordCells | NumberCells:
    """What the cells of an attribute say in a frame."""
    series = people[attribute.name]
    return attribute.read(series) if isinstance(attribute, Words) else attribute.read(series, pattern)


def check_present(names: Iterable[str], columns: Iterable[str]) -> None:
    """Refuse a table without a column that a model asks for."""
    present = set(columns)
    absent = [name for name in names if name not in present]
    if absent:
        raise DataError(f"the table lacks {listed(absent)}, which the model asks for: add the column")


def _feature(
    attribute: Known, cells: WordCells | NumberCells, counts: Floats, cuts: tuple[float, ...] | None
) -> NumericFeature:
    people = np.where(cells.says[:, None], counts, 0.0)
    everybody = people.sum()
    if not everybody:
        return NumericFeature(attribute, _of_nobody(attribute, cuts), cuts=cuts)
    numbers = np.where(cells.says[:, None], as_columns(attribute, cells, cuts), 0.0)
    mean = (people * numbers).sum(axis=0) / everybody
    if isinstance(attribute, Words) or cuts is not None:
        return NumericFeature(attribute, tuple(mean.tolist()), cuts=cuts)
    spread = float(np.sqrt((people * (numbers - mean) ** 2).sum() / everybody))
    return NumericFeature(attribute, tuple(mean.tolist()), spread if spread > 0 and np.isfinite(spread) else 1.0)


def _of_nobody(attribute: Known, cuts: tuple[float, ...] | None) -> tuple[float, ...]:
    """The numbers that everybody gets where no cell of an attribute says anything."""
    if isinstance(attribute, Words):
        weights = np.array(attribute.weights)
        return tuple((weights / max(weights.sum(), 1.0)).tolist())
    return (attribute.low,) if cuts is None else (1 / (len(cuts) + 1),) * (len(cuts) + 1)
