"""Numbers shown coarser, each by itself: rounded, kept within limits, or put into ranges."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import Between, number_text, write_cell
from kspan.data.encode import encode_column
from kspan.data.grid import Multiples
from kspan.data.kinds.calendar import Calendar
from kspan.data.schema import Schema
from kspan.data.table import Column

Numbers = NDArray[Any]
Limits = tuple[float | None, float | None]
"""The lowest and the highest number that is shown; None if there is no such limit."""
LARGEST_WHOLE = 2**63
HALFWAY = 1e-9
"""Floats count as halfway between two multiples if they miss that by so little of the step."""
ENDLESS = (-math.inf, math.inf)


def numbers_of(series: pl.Series, schema: Schema) -> Column | None:
    """Return the numbers of a column, each value once, checked against its domain; None if it holds anything else.

    Durations count as times here, and so they are no numbers. A column of missing cells alone may be one of numbers.
    """
    column = encode_column(series, schema)
    if isinstance(column.kind, Calendar) or series.dtype.is_temporal():
        return None
    return column if column.is_measured or not len(column.values) else None


def plain_values(column: Column) -> Numbers:
    """Return the values of a column as 64-bit integers, or else as floats."""
    values = column.values
    if values.dtype == np.float32:  # through their texts: the 32-bit float 1.1 is 1.1
        return np.array([float(str(value)) for value in values], np.float64)
    if values.dtype.kind in "iu" and (not len(values) or values.max() <= np.iinfo(np.int64).max):
        return values.astype(np.int64)
    return values.astype(np.float64)


def rounded(values: Numbers, step: float) -> Numbers:
    """Return the nearest multiple of a number; in the middle between two of them, the higher one.

    >>> rounded(np.array([1499, 1500, -500, -501]), 1000).tolist()
    [1000, 2000, 0, -1000]
    """
    if not len(values):
        return values
    low, high, _ = Multiples(step).cells(values)
    # What is halfway on paper may be a little less as a float: 2.15 - 2.1 is less than 2.2 - 2.15.
    slack = 0 if values.dtype.kind in "iu" else step * HALFWAY
    nearest: Numbers = np.where((high - values) - (values - low) > slack, low, high)
    return nearest.astype(np.float64) if nearest.dtype == object else nearest  # whole numbers that are too large


def limited(values: Numbers, limits: Limits) -> Numbers:
    """Return numbers beyond a limit as the limit itself.

    >>> limited(np.array([-5, 20, 900]), (0, 100)).tolist()
    [0, 20, 100]
    """
    for limit, smaller in zip(limits, (True, False), strict=True):
        beyond = np.zeros(len(values), bool) if limit is None else values < limit if smaller else values > limit
        if limit is not None and beyond.any():
            whole = values.dtype.kind in "iu" and float(limit).is_integer() and abs(limit) < LARGEST_WHOLE
            end = np.full(len(values), int(limit) if whole else limit, values.dtype if whole else np.float64)
            values = np.where(beyond, end, values)
    return values


def ranges(values: Numbers, step: float, limits: Limits) -> list[Between]:
    """Return the range from one multiple to the next that each number is in; beyond a limit it has no end.

    >>> [write_cell(one) for one in ranges(np.array([-3, 7, 99, 250]), 10, (0, 100))]
    ['<0', '[0, 10[', '[90, 100[', '>=100']
    """
    if not len(values):
        return []
    low, high, _ = Multiples(step).cells(values)
    bottom, top = (infinite if limit is None else limit for limit, infinite in zip(limits, ENDLESS, strict=True))
    made = []
    for value, begin, end in zip(values.tolist(), low.tolist(), high.tolist(), strict=True):
        if value >= top:
            made.append(Between(top, ENDLESS[1]))
        elif value < bottom:
            made.append(Between(ENDLESS[0], bottom, without_low=True, without_high=True))
        else:
            made.append(Between(max(begin, bottom), min(end, top), without_high=True))
    return made


def ranges_at(values: Numbers, cuts: Sequence[float]) -> list[Between]:
    """Return the range between two of some numbers that each number is in; the outer ones have no end.

    >>> [write_cell(one) for one in ranges_at(np.array([-1, 0, 49, 50]), [0, 50])]
    ['<0', '[0, 50[', '[0, 50[', '>=50']
    """
    ends = [ENDLESS[0], *cuts, ENDLESS[1]]
    place = np.searchsorted(np.array(cuts, np.float64), values, side="right")
    cells = [Between(low, high, low == ENDLESS[0], True) for low, high in pairwise(ends)]
    return [cells[at] for at in place.tolist()]


def cells_of(made: Sequence[Between], codes: Int64s, has: Bools, others: pl.Series) -> pl.Series:
    """Return a column of ranges: the one of each row that has a number, and else what the row shows instead."""
    texts = pl.Series([write_cell(one) for one in made], dtype=pl.String)
    return _filled(texts[codes[has]], has, others)


def numbers_again(numbers: Numbers, has: Bools, others: pl.Series) -> pl.Series:
    """Return a column of the numbers of the rows that have one; it is text if other rows show anything."""
    if others.null_count() < len(others):
        distinct, place = np.unique(numbers, return_inverse=True)
        return _filled(pl.Series([number_text(one) for one in distinct], dtype=pl.String)[place], has, others)
    shown = np.zeros(len(has), numbers.dtype)
    shown[has] = numbers
    return pl.Series(shown).set(pl.Series(~has), None)


def _filled(texts: pl.Series, has: Bools, others: pl.Series) -> pl.Series:
    place = np.cumsum(has) - 1
    # Rows without a number take any text first, which is then replaced.
    taken = texts[np.maximum(place, 0)] if len(texts) else others
    return taken.zip_with(pl.Series(has), others)


def what_others_show(column: Column, suppressed_text: str) -> pl.Series:
    """Return the text of suppressed cells where there are any, and null in all other rows."""
    is_suppressed = column.codes == (-1 if column.suppressed is None else column.suppressed)
    return pl.Series(np.where(is_suppressed, suppressed_text, ""), dtype=pl.String).replace("", None)
