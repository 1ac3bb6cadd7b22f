"""What can be counted in a column before anybody asks what it means: gaps, repetition, range, words."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from kspan.data.encode import encode_column
from kspan.data.free_text import is_free_text
from kspan.data.schema import Schema
from kspan.data.table import Column

CELLS = 200
"""So many different cells are looked at to see what they look like."""


@dataclass(frozen=True, repr=False)
class Facts:
    """One column: its coded form and what it holds."""

    column: Column
    dtype: pl.DataType
    cells: tuple[str, ...]
    """Some of its different cells, as text."""
    free_text: bool

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.column.codes)

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.column.values)

    @cached_property
    def missing(self) -> int:
        """How many cells are missing."""
        return 0 if self.column.missing is None else int((self.column.codes == self.column.missing).sum())

    @property
    def filled(self) -> int:
        """How many cells hold something."""
        return self.rows - self.missing

    @property
    def unique_share(self) -> float:
        """How many different values there are for each filled cell."""
        return self.distinct / self.filled if self.filled else 0.0

    @cached_property
    def numbers(self) -> "Numbers | None":
        """Its different numbers in order; None if it holds words."""
        column = self.column
        if not column.is_measured or not len(column.values) or column.kind.has_own_spelling:
            return None
        return Numbers(column.values.astype(float))

    @cached_property
    def total(self) -> float:
        """The sum of all its numbers."""
        numbers = self.numbers
        if numbers is None:
            return 0.0
        times = np.bincount(self.column.codes, minlength=self.column.size)[: len(numbers.values)]
        return float((numbers.values * times).sum())


@dataclass(frozen=True, repr=False)
class Numbers:
    """The different numbers of a column, in order."""

    values: np.ndarray[tuple[int], np.dtype[np.float64]]

    @property
    def low(self) -> float:
        """The lowest."""
        return float(self.values[0])

    @property
    def high(self) -> float:
        """The highest."""
        return float(self.values[-1])

    @property
    def middle(self) -> float:
        """The middle one of the different numbers."""
        return float(self.values[len(self.values) // 2])

    @cached_property
    def whole(self) -> bool:
        """Are all of them whole numbers?"""
        return bool((self.values == np.floor(self.values)).all())

    @property
    def span(self) -> float:
        """How far the highest is from the lowest."""
        return self.high - self.low

    @cached_property
    def resolution(self) -> float:
        """The smallest step between two of them; infinite if there is one alone."""
        steps = np.diff(self.values)
        return float(steps.min()) if len(steps) else float("inf")

    @cached_property
    def digits(self) -> set[int]:
        """How many digits they have, if they are whole numbers that are not negative."""
        if not self.whole or self.low < 0:
            return set()
        return {len(str(int(self.low))), len(str(int(self.high)))}

    @property
    def count_through(self) -> bool:
        """Are they whole numbers with hardly a gap, as if somebody had counted?"""
        return self.whole and self.span < 1.2 * len(self.values)


def facts_of(series: pl.Series) -> Facts:
    """Count what is in one column of a frame."""
    column = encode_column(series, Schema())
    text = series.dtype in (pl.String, pl.Categorical) or isinstance(series.dtype, pl.Enum)
    step = max(1, len(column.values) // CELLS)
    cells = tuple(column.spelled(code) for code in range(0, len(column.values), step)[:CELLS])
    return Facts(column, series.dtype, cells, text and is_free_text(series))
