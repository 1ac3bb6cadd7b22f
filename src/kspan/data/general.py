"""What the cells of a released column may stand for: sets of values, ranges of numbers, names of a hierarchy, anything.

Cells are read as this package writes them (`{a|b}`, `[lo, hi]`, `*`, names), and as others do: `[20, 40[`, `]20, 40]`
leave out an end, and `20-39`, `<20`, `>=60` are ranges in a column where every cell is a number or a range. A pattern
of one's own comes first. What looks like such a cell and is none is an error: nothing is guessed.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import Between, OneOf, number, read_cell
from kspan.data.domain import Kind
from kspan.data.ranges import Ends, ends_of
from kspan.data.table import Column
from kspan.errors import DataError
from kspan.limits import LARGEST_NUMBER

ROUNDING = 1e-12

EVERYTHING: Bools = np.empty(0, bool)
"""Every value can occur."""

_NUMBER = r"\s*([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*"
_OPEN = re.compile(rf"([\[\]]){_NUMBER}[,;]{_NUMBER}([\[\]])")
_DASH = re.compile(rf"{_NUMBER}-{_NUMBER}")
_BOUND = re.compile(rf"([<>]=?){_NUMBER}")
_BRACKETS = "[]{}"
EXPECTED = "a value, {a|b}, [lo, hi], [lo, hi[, lo-hi, * or a name of its hierarchy"


@dataclass(frozen=True, repr=False)
class General:
    """A column of cells, and the values that each code admits: a table for words, a range of places for numbers."""

    column: Column
    kind: Kind
    values: NDArray[np.object_] | Floats
    """All values that somebody may have, in order."""
    admits: Bools
    """For words: does a code (row) admit a value (column)? A missing cell admits none."""
    low: Int64s
    high: Int64s
    """For numbers: the first place that a code admits, and the place after its last."""
    lowest: Floats
    highest: Floats
    """For numbers: the ends of what a code admits, infinite where it has none, nan where it is missing."""

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def cells(self) -> int:
        """How many codes there are, those of narrowed cells included."""
        return len(self.low)

    @cached_property
    def is_exact(self) -> bool:
        """Does every cell admit one value, or is missing?"""
        return bool((self.numbers_admitted <= 1).all())

    @cached_property
    def numbers_admitted(self) -> Int64s:
        """How many values each code admits."""
        return self.high - self.low if self.kind == "numeric" else self.admits.sum(axis=1)

    def places(self, code: int) -> Int64s:
        """The places of the values that a code admits."""
        if self.kind == "categorical":
            return np.flatnonzero(self.admits[code])
        return np.arange(self.low[code], self.high[code])

    @cached_property
    def listed(self) -> tuple[Int64s, Int64s]:
        """The words that each code admits, one after the other: those of code c from `start[c]` to `start[c + 1]`."""
        return np.append(0, np.cumsum(self.admits.sum(axis=1))), np.nonzero(self.admits)[1]

    @cached_property
    def evenly(self) -> Floats:
        """How likely each value is before anything is known: words alike, numbers by the room around them."""
        if self.kind == "categorical" or self.size < 2:
            return np.ones(self.size)
        gaps = np.diff(self.values.astype(np.float64)) / 2
        room = np.append(gaps, gaps[-1]) + np.append(gaps[0], gaps)
        return np.where(np.isfinite(room) & (room > 0), room, 1.0)

    def mass(self, weights: Floats) -> Floats:
        """For each code the weight of all values that it admits; weights may have several columns."""
        if self.kind == "categorical":
            return self.admits @ weights
        sums = np.concatenate([np.zeros((1, *weights.shape[1:])), np.cumsum(weights, axis=0)])
        inside: Floats = np.where(self._some(weights), sums[self.high] - sums[self.low], 0.0)
        return inside

    def expected(self, counts: Floats, weights: Floats, inside: Bools | None = None) -> Floats:
        """How many people have each value, if so many show each code and values are as likely as their weights.

        Both have a column for each label; only values `inside` can occur, if it is given. Where the values that a code
        admits have no weight, its people are nowhere.
        Table III of Shao and Beckford has 5.5 F and 2.5 M:

        >>> import polars as pl
        >>> from kspan.data.encode import encode_column
        >>> from kspan.data.schema import Schema
        >>> sex = general(encode_column(pl.Series("sex", ["{M|F}", "F", "M"]), Schema(public=["sex"])))
        >>> shown = np.array([[3.0, 1.0], [0.0, 1.0], [2.0, 1.0]])  # F, M, {M|F}; up to 50, and more
        >>> sex.expected(shown, np.ones((2, 2))).tolist()
        [[4.0, 1.5], [1.0, 1.5]]
        """
        from kspan.kernels.spread import expected_numbers, expected_words  # loading compiled code takes a moment

        found, possible = np.zeros((self.size, counts.shape[1])), EVERYTHING if inside is None else inside
        if self.kind == "categorical":
            expected_words(*self.listed, weights, possible, counts, found)
        else:
            expected_numbers(self.low, self.high, weights, possible, counts, ROUNDING, found)
        return found

    def narrowed(self, codes: Int64s, inside: Bools) -> tuple["General", Int64s]:
        """For some codes those of cells that admit only the values inside, and what has them all; new ones come last.

        Of numbers those inside must be neighbors. Nothing is narrowed to nothing.
        """
        if self.kind == "categorical":
            cells, wanted = self.admits, self.admits[codes] & inside
            empty = ~wanted.any(axis=1)
        else:
            first, last = (int(inside.argmax()), len(inside) - int(inside[::-1].argmax())) if inside.any() else (0, 0)
            cells = np.column_stack([self.low, self.high])
            wanted = np.column_stack([np.maximum(self.low[codes], first), np.minimum(self.high[codes], last)])
            empty = wanted[:, 0] >= wanted[:, 1]
        wanted[empty] = cells[codes[empty]]
        known = {cell.tobytes(): code for code, cell in reversed(list(enumerate(cells)))}
        found, new = list[int](), list[int]()
        for place, cell in enumerate(wanted):
            code = known.setdefault(cell.tobytes(), self.cells + len(new))
            if code == self.cells + len(new):
                new.append(place)
            found.append(code)
        added = wanted[new]
        if self.kind == "categorical":
            nowhere = np.zeros(len(new), np.int64)
            more = replace(self, admits=np.concatenate([self.admits, added]))
            added = np.column_stack([nowhere, nowhere])
        else:
            more = replace(self, admits=np.empty((self.cells + len(new), 0), bool))
        ends = added.astype(np.int64)
        low, high = np.concatenate([self.low, ends[:, 0]]), np.concatenate([self.high, ends[:, 1]])
        return replace(more, low=low, high=high), np.array(found, np.int64)

    def _some(self, weights: Floats) -> Bools:
        some = self.high > self.low
        return some[:, None] if weights.ndim > 1 else some


@dataclass(frozen=True)
class _Range:
    """Numbers from low to high, with or without the ends."""

    low: float
    high: float
    without_low: bool = False
    without_high: bool = False

    def closed(self, whole: bool) -> tuple[float, float]:
        """The lowest and the highest number in it, of whole numbers or of all."""
        low = (self.low + 1 if whole else math.nextafter(self.low, math.inf)) if self.without_low else self.low
        high = (self.high - 1 if whole else math.nextafter(self.high, -math.inf)) if self.without_high else self.high
        return low, high


Meaning = OneOf | _Range
"""What a cell may mean, but `*`: one of some words or numbers, or a range."""


def general(column: Column, pattern: str | None = None) -> General:
    """What the cells of a column stand for; a pattern with the groups `low` and `high` says how ranges are written."""
    meanings = _meanings(column, pattern)
    words = column.domain is not None and column.domain.kind == "categorical"
    if words and (ranges := [code for code, meaning in enumerate(meanings) if isinstance(meaning, _Range)]):
        raise _not_understood(column, ranges[0])
    numeric = column.values.dtype != object or (not words and _all_numbers(column, meanings))
    return _of_numbers(column, meanings) if numeric else _of_words(column, meanings)


def has_general_cells(column: Column, pattern: str | None = None) -> bool:
    """Does a column show anything but single values and missing ones?"""
    return not general(column, pattern).is_exact


def _meanings(column: Column, pattern: str | None) -> list[Meaning]:
    """What each value of a column means, by its code."""
    if column.values.dtype != object:
        return [_Range(float(value), float(value)) for value in column.values]
    labels = [str(label) for label in column.values]
    written = [None] * len(labels) if pattern is None else ends_of(pattern, labels)
    return [_meaning(column, code, label, ends) for code, (label, ends) in enumerate(zip(labels, written, strict=True))]


def _meaning(column: Column, code: int, label: str, ends: Ends | None) -> Meaning:
    hierarchy = column.hierarchy
    if hierarchy is not None and (name := hierarchy.find(label)):
        return OneOf(tuple(hierarchy.values[member] for member in hierarchy.members[name]))
    if ends is not None:
        return _range(column, code, ends[0] or "", ends[1] or "")
    cell = read_cell(label)
    if isinstance(cell, Between):
        return _unless_endless(cell.low, cell.high)
    if isinstance(cell, OneOf):
        return cell
    if found := _OPEN.fullmatch(label):
        begin, low, high, end = found.groups()
        return _range(column, code, low, high, begin == "]", end == "[")
    if label[:1] in _BRACKETS or label[-1:] in _BRACKETS:
        raise _not_understood(column, code)
    return OneOf((label,))


def _range(
    column: Column, code: int, low: str, high: str, without_low: bool = False, without_high: bool = False
) -> _Range:
    ends = number(low.strip()), number(high.strip())
    if ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        raise _not_understood(column, code)
    return _unless_endless(ends[0], ends[1], without_low, without_high)


def _unless_endless(low: float, high: float, without_low: bool = False, without_high: bool = False) -> _Range:
    """A range whose ends are none if they are beyond all numbers that are reckoned with: so tables write open ones."""
    return _Range(
        min(low, LARGEST_NUMBER) if low >= -LARGEST_NUMBER else -math.inf,
        max(high, -LARGEST_NUMBER) if high <= LARGEST_NUMBER else math.inf,
        without_low and low >= -LARGEST_NUMBER,
        without_high and high <= LARGEST_NUMBER,
    )


def _all_numbers(column: Column, meanings: list[Meaning]) -> bool:
    """Are all cells numbers or ranges? Then those written `20-39`, `<20` or `>=60` become ranges, too.

    If some are ranges, or the column is declared to hold numbers, then all must be.
    """
    ranges = [_as_range(meaning) for meaning in meanings]
    strange = [code for code, found in enumerate(ranges) if found is None]
    declared = column.domain is not None and column.domain.kind == "numeric"
    if strange and (declared or any(isinstance(meaning, _Range) for meaning in meanings)):
        raise _not_understood(column, strange[0])
    if strange or not ranges:
        return declared
    meanings[:] = [found for found in ranges if found is not None]
    return True


def _as_range(meaning: Meaning) -> Meaning | None:
    """A meaning as numbers, or None if it is about words."""
    if not isinstance(meaning, OneOf):
        return meaning
    if all(number(value) is not None for value in meaning.values):
        return meaning
    if len(meaning.values) > 1:
        return None
    text = meaning.values[0]
    if (found := _DASH.fullmatch(text)) and (low := float(found[1])) <= (high := float(found[2])):
        return _unless_endless(low, high)
    if found := _BOUND.fullmatch(text):
        sign, end = found[1], min(max(float(found[2]), -LARGEST_NUMBER), LARGEST_NUMBER)
        return _Range(-math.inf, end, False, sign == "<") if sign[0] == "<" else _Range(end, math.inf, sign == ">")
    return None


def _of_words(column: Column, meanings: Sequence[Meaning]) -> General:
    # A range among words was refused before.
    sets = [meaning.values for meaning in meanings if isinstance(meaning, OneOf)]
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
    nowhere = np.zeros(column.size, np.int64)
    nothing = np.full(column.size, np.nan)
    return General(column, "categorical", values, admits, nowhere, nowhere, nothing, nothing)


def _of_numbers(column: Column, meanings: Sequence[Meaning]) -> General:
    whole = all(end.is_integer() for meaning in meanings for end in _finite(meaning))
    ends = [_ends(meaning, whole) for meaning in meanings]
    inner = [float(value) for meaning in meanings if isinstance(meaning, OneOf) for value in meaning.values]
    numbers = np.unique([end for pair in ends for end in pair if math.isfinite(end)] + inner)
    low, high = np.zeros(column.size, np.int64), np.zeros(column.size, np.int64)
    lowest, highest = np.full(column.size, np.nan), np.full(column.size, np.nan)
    if ends:
        lowest[: len(ends)], highest[: len(ends)] = np.array(ends).T
        low[: len(ends)] = np.searchsorted(numbers, [first for first, _ in ends], side="left")
        high[: len(ends)] = np.searchsorted(numbers, [last for _, last in ends], side="right")
    if column.suppressed is not None:
        high[column.suppressed] = len(numbers)
        lowest[column.suppressed], highest[column.suppressed] = -np.inf, np.inf
    return General(column, "numeric", numbers, np.empty((column.size, 0), bool), low, high, lowest, highest)


def _finite(meaning: Meaning) -> list[float]:
    if isinstance(meaning, _Range):
        return [end for end in (meaning.low, meaning.high) if math.isfinite(end)]
    return [float(value) for value in meaning.values]


def _ends(meaning: Meaning, whole: bool) -> tuple[float, float]:
    """The lowest and the highest number; of several ones all between them count as admitted."""
    if isinstance(meaning, _Range):
        return meaning.closed(whole)
    values = _finite(meaning)
    return min(values), max(values)


def _not_understood(column: Column, code: int) -> DataError:
    row = int(np.flatnonzero(column.codes == code)[0]) + 1
    return DataError(
        f"row {row} of column {column.name!r} shows a cell that is not understood: expected {EXPECTED}, "
        "or say by a pattern how ranges are written"
    )
