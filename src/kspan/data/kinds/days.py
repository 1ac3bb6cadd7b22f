"""Days: dates without a time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from kspan.data.kinds.calendar import (
    EPOCH,
    FIRST_DAY,
    LAST_DAY,
    PARTS_OF_DATES,
    SECONDS,
    Calendar,
    Range,
    days_in,
    named,
    part_of_days,
)


@dataclass(frozen=True)
class Days(Calendar):
    """Dates, which are kept as days since 1970.

    >>> DAYS.read("[1970-01, 1970-02]"), DAYS.read("{1970-01-02|1970-02-01}")
    ('[0, 58]', '{1|31}')
    >>> [DAYS.show(cell) for cell in ("31", "[31, 58]", "[0, 1825]", "[0, 40]", "{1|31}", "*")]
    ['1970-02-01', '1970-02', '[1970-01, 1974-12]', '[1970-01-01, 1970-02-10]', '{1970-01-02|1970-02-01}', '*']
    """

    plural = "dates"
    says = "date"
    unit = "day"
    apart = "days"
    polars = pl.Date
    python = date
    ends = (FIRST_DAY, LAST_DAY)
    parts = PARTS_OF_DATES

    def range(self, text: str) -> Range | None:
        """The first and the last day of a date or a month.

        >>> DAYS.range("1970-02-01"), DAYS.range("1970-02"), DAYS.range("1970")
        ((31, 31), (31, 58), None)
        """
        return days_in(text)

    def numbers(self, series: pl.Series) -> pl.Series:
        """The days since 1970."""
        return series.to_physical().cast(pl.Int64)

    def example(self, places: Sequence[int | None]) -> pl.Series:
        """Days since 1970."""
        return pl.Series(places, dtype=pl.Int32).cast(pl.Date)

    def part(self, value: float, name: str) -> Range:
        """The first and the last day of a part; a part of a day is the day.

        >>> DAYS.part(40, "month"), DAYS.part(40, "decade")
        ((31, 58), (0, 3651))
        """
        day = math.floor(value)
        return (day, day) if name in SECONDS else part_of_days(day, name)

    def interval(self, low: float, high: float) -> str:
        """Write a range; whole months by their names."""
        months = _whole_months(low, high)
        return super().interval(low, high) if months is None else named(*months)

    def _moment(self, value: float) -> date:
        return EPOCH + timedelta(days=math.floor(value))


DAYS = Days()


def _whole_months(low: float, high: float) -> tuple[str, str] | None:
    """The first and the last month of a range of days, if it is one of whole months."""
    try:
        first, after = EPOCH + timedelta(days=low), EPOCH + timedelta(days=high + 1)
    except OverflowError:
        return None
    if first.day != 1 or after.day != 1:
        return None
    last = after - timedelta(days=1)
    # Not by `%Y`, which writes years before 1000 with fewer digits.
    return first.isoformat()[:7], last.isoformat()[:7]
