"""Numbers: of any type, written in text, or the seconds of a duration."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import polars as pl

from kspan.data.cells import NOT_A_NUMBER, number_text
from kspan.data.kinds.kind import NUMERIC, Given, Kind
from kspan.errors import PolicyError, check_number
from kspan.limits import LARGEST_NUMBER, LEAST_NUMBER

WIDE = tuple(kind for name in ("Int128", "UInt128") if (kind := getattr(pl, name, None)) is not None)
"""Whole numbers that numpy has no type for; they are words."""

INTEGER, DECIMAL = r"^[+-]?(0|[1-9]\d*)$", r"^[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$"


@dataclass(frozen=True)
class Numbers(Kind):
    """Numbers, which are kept and written as such."""

    plural = "numbers"
    is_measured = True
    family = NUMERIC
    says = NUMERIC

    @property
    def measure(self) -> Kind:
        """The same kind."""
        return self

    def recognizes(self, given: Given) -> bool:
        """Is the column of a type of numbers or durations? Numbers in text are found by `parsed`."""
        kind = given.type
        return (kind.is_numeric() and kind not in WIDE) or kind == pl.Duration

    def plain(self, series: pl.Series) -> pl.Series:
        """The numbers, or their texts if they are too large, too small or too fine to compute with."""
        kind = series.dtype
        if kind.is_float():
            series = series.fill_nan(None)
            return series if _are_reckoned(series).all() else as_text(series)
        if kind.is_decimal():
            floats = series.cast(pl.Float64)
            # Numbers, unless floats have too few digits to keep all values apart.
            return floats if floats.n_unique() == series.n_unique() else series.cast(pl.String)
        return series.dt.total_microseconds() / 1e6 if kind == pl.Duration else series  # in seconds

    def example(self, places: Sequence[int | None]) -> pl.Series:
        """The whole numbers themselves."""
        return pl.Series(places, dtype=pl.Int64)

    def bounds(self, name: str, says: Sequence[Any]) -> tuple[float, float] | None:
        """Two numbers, the lower one first."""
        if any(isinstance(bound, bool) or not isinstance(bound, int | float) for bound in says):
            return None
        for bound in says:
            check_number(f"a bound of the domain of {name!r}", bound, low=-LARGEST_NUMBER, high=LARGEST_NUMBER)
        low, high = map(float, says)
        if not low <= high:
            raise PolicyError(
                f"the domain of {name!r} runs from {number_text(low)} down to {number_text(high)}: swap them"
            )
        return low, high


NUMBERS = Numbers()


def parsed(labels: pl.Series) -> pl.Series | None:
    """The labels as numbers (null for a sign of a missing number), or None if they are words.

    >>> parsed(pl.Series(["1", "?", "1e3"])).to_list(), parsed(pl.Series(["1", "one"]))
    ([1.0, None, 1000.0], None)
    >>> parsed(pl.Series(["1.5", "NaN"])).to_list()
    [1.5, None]
    """
    words = labels.is_in(list(NOT_A_NUMBER))
    if words.all():
        return None
    for pattern, kind in ((INTEGER, pl.Int64), (DECIMAL, pl.Float64)):
        if (labels.str.contains(pattern) | words).all():
            # Polars takes NaN for a number.
            numbers = labels.set(words, None).cast(kind, strict=False)
            finite = numbers.is_not_null() if kind == pl.Int64 else _are_reckoned(numbers).fill_null(False)
            return numbers if (finite | words).all() and _stay_different(labels.filter(~words), numbers) else None
    return None


def as_text(series: pl.Series) -> pl.Series:
    """The cells of a column, each number in its one spelling."""
    if series.dtype == pl.String:
        return series
    distinct = series.unique().drop_nulls()
    return series.replace_strict(
        distinct, [number_text(value) for value in distinct], return_dtype=pl.String, default=None
    )


def _are_reckoned(numbers: pl.Series) -> pl.Series:
    """Which numbers are neither too large nor too small to compute with; null where there is none."""
    sizes = numbers.abs()
    return (sizes == 0) | sizes.is_between(LEAST_NUMBER, LARGEST_NUMBER)


def _stay_different(labels: pl.Series, numbers: pl.Series) -> bool:
    """Do labels that spell different numbers stay different as numbers? With too many digits they do not."""
    different = numbers.drop_nulls().n_unique()
    return different == len(labels) or different == len({Decimal(label) for label in labels})
