"""Moments: dates with a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from kspan.data.kinds.calendar import (
    DAY_SECONDS,
    FIRST_DAY,
    LAST_DAY,
    PARTS_OF_DATES,
    STEP,
    Calendar,
    Range,
    days_in,
    named,
    part_of_seconds,
    spelled,
)
from kspan.data.kinds.days import DAYS

MOST_FINE = 4e9
"""So far from 1970, in seconds, floats can tell moments apart that differ by a step: from 1843 to 2096."""
_HOUR = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d)")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|\+00:00)?")


@dataclass(frozen=True)
class Moments(Calendar):
    """Dates with a time, in UTC or without a zone, which are kept as seconds since 1970.

    >>> MOMENTS.read("1970-01-02"), MOMENTS.show("[86400, 172799.999999]"), MOMENTS.text(90.5)
    ('[86400, 172799.999999]', '1970-01-02', '1970-01-01T00:01:30.500000')
    """

    plural = "dates with a time"
    says = "datetime"
    unit = "moment"
    apart = "seconds"
    polars = pl.Datetime
    python = datetime
    ends = (FIRST_DAY * DAY_SECONDS, (LAST_DAY + 1) * DAY_SECONDS - 1)
    parts = ("hour", "day", *PARTS_OF_DATES)

    def range(self, text: str) -> Range | None:
        """The first and the last second of a moment, an hour, a date or a month."""
        days = days_in(text)
        return _moment(text) if days is None else (days[0] * DAY_SECONDS, (days[1] + 1) * DAY_SECONDS - STEP)

    def numbers(self, series: pl.Series) -> pl.Series:
        """The seconds since 1970, whole ones if all are."""
        zoned = isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zoned else series
        micros = moments.dt.timestamp("us")
        return micros / 1e6 if (micros % 10**6 != 0).any() else micros // 10**6

    def is_finer(self, series: pl.Series) -> bool:
        """Are there nanoseconds, or microseconds of a year in which floats have no digits for them?"""
        micros = series.dt.timestamp("us")
        fine = (micros % 10**6 != 0) & (micros.abs() > MOST_FINE * 1e6)
        in_nanos = isinstance(series.dtype, pl.Datetime) and series.dtype.time_unit == "ns"
        return bool(fine.any()) or (in_nanos and bool((series.to_physical() % 1000 != 0).any()))

    def example(self, places: Sequence[int | None]) -> pl.Series:
        """Minutes since 1970."""
        return (pl.Series(places, dtype=pl.Int64) * 60_000_000).cast(pl.Datetime("us"))

    def part(self, value: float, name: str) -> Range:
        """The first and the last second of a part."""
        return part_of_seconds(value, name)

    def interval(self, low: float, high: float) -> str:
        """Write a range; whole hours, days and months by their names."""
        after = round(high + STEP)
        if abs(high + STEP - after) < STEP / 2:
            if low % DAY_SECONDS == after % DAY_SECONDS == 0:
                return DAYS.show(spelled(low // DAY_SECONDS, after // DAY_SECONDS - 1))
            if low % 3600 == after % 3600 == 0:
                return named(self.text(low)[:13], self.text(after - 3600)[:13])
        return super().interval(low, high)


MOMENTS = Moments()


def _moment(text: str) -> Range | None:
    if hour := _HOUR.fullmatch(text):
        days = days_in(hour[1])
        first = None if days is None or int(hour[2]) > 23 else days[0] * DAY_SECONDS + int(hour[2]) * 3600
        return None if first is None else (first, first + 3600 - STEP)
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{found[1]}T{found[2]}")
    except ValueError:
        return None
    seconds = moment.replace(tzinfo=UTC).timestamp()
    return None if moment.microsecond and abs(seconds) > MOST_FINE else (seconds, seconds)
