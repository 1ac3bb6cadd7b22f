"""What the cells of a released column may stand for, as arrays: which values, and how likely each of them is."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import Between, Cell, values_in
from kspan.data.meaning import meanings
from kspan.data.table import Column
from kspan.errors import DataError

ROUNDING = 1e-12

EVERYTHING: Bools = np.empty(0, bool)
"""An empty mask of values means that every value can occur."""

EXPECTED = "a value, {a|b}, [lo, hi], [lo, hi[, lo-hi, * or a name of its hierarchy"


@dataclass(frozen=True, repr=False)
class General(ABC):
    """A column, and the values that each of its codes admits."""

    column: Column
    values: NDArray[Any]
    """All values that somebody may have, in order."""

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    @abstractmethod
    def cells(self) -> int:
        """How many codes there are, those of narrowed cells included."""

    @cached_property
    def is_exact(self) -> bool:
        """Is every cell either a single value or missing?"""
        return bool((self.numbers_admitted <= 1).all())

    @cached_property
    @abstractmethod
    def numbers_admitted(self) -> Int64s:
        """How many values each code admits."""

    @abstractmethod
    def places(self, code: int) -> Int64s:
        """The places of the values that a code admits."""

    @cached_property
    @abstractmethod
    def evenly(self) -> Floats:
        """How likely each value is before anything is known."""

    @abstractmethod
    def mass(self, weights: Floats) -> Floats:
        """For each code, the total weight of the values that it admits; `weights` may have several columns."""

    @abstractmethod
    def narrowed(self, codes: Int64s, inside: Bools) -> tuple["General", Int64s]:
        """Narrow the cells of some codes to the values `inside`; return a `General` with them, and their codes in it.

        Codes of cells that did not exist before come last. For numbers, the values inside must be neighbors. A cell
        that would admit nothing stays as it is.
        """

    def expected(self, counts: Floats, weights: Floats, inside: Bools | None = None) -> Floats:
        """How many people are expected to have each value, given how many show each code and how likely values are.

        `counts` (by code) and `weights` (by value) have one column per label. If `inside` is given, only these values
        can occur. If no value that a code admits has any weight, the people of that code are not counted at all.
        Table III of Shao and Beckford has 5.5 F and 2.5 M:

        >>> import polars as pl
        >>> from kspan.data.encode import encode_column
        >>> from kspan.data.schema import Schema
        >>> sex = general(encode_column(pl.Series("sex", ["{M|F}", "F", "M"]), Schema(public=["sex"])))
        >>> shown = np.array([[3.0, 1.0], [0.0, 1.0], [2.0, 1.0]])  # F, M, {M|F}; up to 50, and more
        >>> sex.expected(shown, np.ones((2, 2))).tolist()
        [[4.0, 1.5], [1.0, 1.5]]
        """
        found = np.zeros((self.size, counts.shape[1]))
        self._expect(counts, weights, EVERYTHING if inside is None else inside, found)
        return found

    @abstractmethod
    def _expect(self, counts: Floats, weights: Floats, possible: Bools, found: Floats) -> None:
        """Write into `found` how many people are expected to have each value."""


@dataclass(frozen=True, repr=False)
class GeneralWords(General):
    """A column of words, and a table of those that each code admits."""

    admits: Bools
    """Does a code (row) admit a value (column)? A missing cell admits none."""

    @property
    def cells(self) -> int:
        """How many codes there are, those of narrowed cells included."""
        return len(self.admits)

    @cached_property
    def numbers_admitted(self) -> Int64s:
        """How many values each code admits."""
        admitted: Int64s = self.admits.sum(axis=1)
        return admitted

    def places(self, code: int) -> Int64s:
        """The places of the values that a code admits."""
        return np.flatnonzero(self.admits[code])

    @cached_property
    def listed(self) -> tuple[Int64s, Int64s]:
        """Arrays `start` and `place`: the words that code c admits are at `place[start[c]:start[c + 1]]`."""
        return np.append(0, np.cumsum(self.admits.sum(axis=1))), np.nonzero(self.admits)[1]

    @cached_property
    def evenly(self) -> Floats:
        """How likely each word is before anything is known: all alike."""
        return np.ones(self.size)

    def mass(self, weights: Floats) -> Floats:
        """For each code, the total weight of the words that it admits; `weights` may have several columns."""
        return self.admits @ weights

    def narrowed(self, codes: Int64s, inside: Bools) -> tuple[General, Int64s]:
        """Narrow the cells of some codes to the words `inside`."""
        wanted = self.admits[codes] & inside
        found, added = _with_new(self.admits, codes, wanted)
        return replace(self, admits=np.concatenate([self.admits, added])), found

    def _expect(self, counts: Floats, weights: Floats, possible: Bools, found: Floats) -> None:
        from kspan.kernels.spread import expected_words  # loading compiled code takes a moment

        expected_words(*self.listed, weights, possible, counts, found)


@dataclass(frozen=True, repr=False)
class GeneralNumbers(General):
    """A column of numbers, and the range of places that each code admits."""

    low: Int64s
    high: Int64s
    """The first place in `values` that a code admits, and the place after the last one."""
    lowest: Floats
    highest: Floats
    """The ends of what a code admits; infinite where there is no end, nan where the cell is missing."""

    @property
    def cells(self) -> int:
        """How many codes there are, those of narrowed cells included."""
        return len(self.low)

    @cached_property
    def numbers_admitted(self) -> Int64s:
        """How many values each code admits."""
        return self.high - self.low

    def places(self, code: int) -> Int64s:
        """The places of the values that a code admits."""
        return np.arange(self.low[code], self.high[code])

    @cached_property
    def evenly(self) -> Floats:
        """How likely each number is before anything is known: by the room around it."""
        if self.size < 2:
            return np.ones(self.size)
        gaps = np.diff(self.values.astype(np.float64)) / 2
        # The room of a number is half the way to each neighbor; the first and the last one count their one gap twice.
        room = np.append(gaps, gaps[-1]) + np.append(gaps[0], gaps)
        return np.where(np.isfinite(room) & (room > 0), room, 1.0)

    def mass(self, weights: Floats) -> Floats:
        """For each code, the total weight of the numbers that it admits; `weights` may have several columns."""
        sums = np.concatenate([np.zeros((1, *weights.shape[1:])), np.cumsum(weights, axis=0)])
        some = self.high > self.low
        inside: Floats = np.where(some[:, None] if weights.ndim > 1 else some, sums[self.high] - sums[self.low], 0.0)
        return inside

    def narrowed(self, codes: Int64s, inside: Bools) -> tuple[General, Int64s]:
        """Narrow the cells of some codes to the numbers `inside`, which must be neighbors."""
        first, last = (int(inside.argmax()), len(inside) - int(inside[::-1].argmax())) if inside.any() else (0, 0)
        wanted = np.column_stack([np.maximum(self.low[codes], first), np.minimum(self.high[codes], last)])
        wanted[wanted[:, 0] >= wanted[:, 1]] = 0
        found, added = _with_new(np.column_stack([self.low, self.high]), codes, wanted)
        low, high = np.concatenate([self.low, added[:, 0]]), np.concatenate([self.high, added[:, 1]])
        # `lowest` and `highest` keep the codes of the column alone: of narrowed cells only the places are used.
        return replace(self, low=low, high=high), found

    def _expect(self, counts: Floats, weights: Floats, possible: Bools, found: Floats) -> None:
        from kspan.kernels.spread import expected_numbers  # loading compiled code takes a moment

        expected_numbers(self.low, self.high, weights, possible, counts, ROUNDING, found)


def _with_new(cells: NDArray[Any], codes: Int64s, wanted: NDArray[Any]) -> tuple[Int64s, NDArray[Any]]:
    """The codes of the cells that are wanted for some codes, and those of these cells that are new.

    Where what is wanted is all zero, the cell stays as it is.
    """
    empty = np.flatnonzero(~np.any(wanted, axis=1))
    wanted[empty] = cells[codes[empty]]
    # Reversed, so that of codes that admit the same the first one counts.
    known = {cell.tobytes(): code for code, cell in reversed(list(enumerate(cells)))}
    found, new = list[int](), list[int]()
    for place, cell in enumerate(wanted):
        code = known.setdefault(cell.tobytes(), len(cells) + len(new))
        if code == len(cells) + len(new):
            new.append(place)
        found.append(code)
    return np.array(found, np.int64), wanted[new]


def general(column: Column, pattern: str | None = None) -> GeneralWords | GeneralNumbers:
    """What the cells of a column stand for; a pattern with the groups `low` and `high` says how ranges are written."""
    if column.is_measured:
        return _of_exact_numbers(column)
    read = meanings(column, pattern)
    if read.doubtful is not None:
        raise _not_understood(column, read.doubtful)
    return _of_numbers(column, read.cells) if read.numeric else _of_words(column, read.cells)


def has_general_cells(column: Column, pattern: str | None = None) -> bool:
    """Does a column show anything but single values and missing cells?"""
    return not general(column, pattern).is_exact


def _of_words(column: Column, cells: Sequence[Cell]) -> GeneralWords:
    sets = [values_in(cell) for cell in cells]  # a range among words was refused before
    declared = column.domain.values if column.domain is not None and column.domain.values else ()
    known = column.hierarchy.values if column.hierarchy is not None else ()
    words = sorted({word for each in (*sets, declared, known) for word in each})
    values: NDArray[np.object_] = np.empty(len(words), object)
    values[:] = words
    place = {word: at for at, word in enumerate(words)}
    admits = np.zeros((column.size, len(words)), bool)
    for code, each in enumerate(sets):
        admits[code, [place[word] for word in each]] = True
    if column.suppressed is not None:
        admits[column.suppressed] = True
    return GeneralWords(column, values, admits)


def _of_exact_numbers(column: Column) -> GeneralNumbers:
    numbers = column.values.astype(np.float64)
    return _ranges(column, np.unique(numbers), numbers, numbers)


def _of_numbers(column: Column, cells: Sequence[Cell]) -> GeneralNumbers:
    # Among whole numbers alone, `]20, 40[` runs from 21 to 39.
    whole = all(end.is_integer() for cell in cells for end in _finite(cell))
    ends = np.array([_ends(cell, whole) for cell in cells]).reshape(-1, 2)
    inner = [float(value) for cell in cells for value in values_in(cell)]
    return _ranges(column, np.unique([*ends[np.isfinite(ends)], *inner]), *ends.T)


def _ranges(column: Column, numbers: Floats, first: Floats, last: Floats) -> GeneralNumbers:
    """A column of numbers in which code i admits the numbers from `first[i]` to `last[i]`."""
    # `first` and `last` cover ordinary cells alone: the codes of a suppressed and of a missing cell come after them.
    low, high = np.zeros(column.size, np.int64), np.zeros(column.size, np.int64)
    lowest, highest = np.full(column.size, np.nan), np.full(column.size, np.nan)
    lowest[: len(first)], highest[: len(last)] = first, last
    low[: len(first)] = np.searchsorted(numbers, first, side="left")
    high[: len(last)] = np.searchsorted(numbers, last, side="right")
    if column.suppressed is not None:
        high[column.suppressed] = len(numbers)
        lowest[column.suppressed], highest[column.suppressed] = -np.inf, np.inf
    return GeneralNumbers(column, numbers, low, high, lowest, highest)


def _finite(cell: Cell) -> list[float]:
    if isinstance(cell, Between):
        return [end for end in (cell.low, cell.high) if math.isfinite(end)]
    return [float(value) for value in values_in(cell)]


def _ends(cell: Cell, whole: bool) -> tuple[float, float]:
    """The lowest and the highest number of a cell; a set of numbers counts as the whole range that it spans."""
    if isinstance(cell, Between):
        return cell.closed(whole=whole)
    values = _finite(cell)
    return min(values), max(values)


def _not_understood(column: Column, code: int) -> DataError:
    row = int(np.flatnonzero(column.codes == code)[0]) + 1
    return DataError(
        f"row {row} of column {column.name!r} shows a cell that is not understood: expected {EXPECTED}, "
        "or say by a pattern how ranges are written"
    )
