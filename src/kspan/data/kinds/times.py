"""Times of day."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

import polars as pl

from kspan.data.kinds.calendar import DAY_SECONDS, STEP, Calendar, Range, part_of_seconds

_TIME = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(\.\d{1,6})?)?")


@dataclass(frozen=True)
class Times(Calendar):
    """Times of day, which are kept as seconds since midnight.

    >>> TIMES.read("01:00"), TIMES.text(3600), TIMES.part(4000, "hour")
    ('3600', '01:00:00', (3600, 7199.999999))
    """

    plural = "times of day"
    says = "time"
    unit = "time"
    apart = "seconds"
    polars = pl.Time
    python = time
    ends = (0, DAY_SECONDS - STEP)
    parts = ("hour", "6 hours", "12 hours")

    def range(self, text: str) -> Range | None:
        """The second of a time, twice."""
        found = _TIME.fullmatch(text)
        if found is None:
            return None
        try:
            time.fromisoformat(text)
        except ValueError:
            return None
        second = int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3] or 0) + float(found[4] or 0)
        return second, second

    def numbers(self, series: pl.Series) -> pl.Series:
        """The seconds since midnight, whole ones if all are."""
        nanos = series.cast(pl.Int64)
        return nanos / 1e9 if (nanos % 10**9 != 0).any() else nanos // 10**9

    def is_finer(self, series: pl.Series) -> bool:
        """Are there nanoseconds?"""
        return bool((series.cast(pl.Int64) % 1000 != 0).any())

    def example(self, places: Sequence[int | None]) -> pl.Series:
        """Minutes since midnight."""
        return (pl.Series(places, dtype=pl.Int64) % 1440 * 60_000_000_000).cast(pl.Time)

    def part(self, value: float, name: str) -> Range:
        """The first and the last second of a part."""
        return part_of_seconds(value, name)

    def _moment(self, value: float) -> time:
        return (datetime(1970, 1, 1) + timedelta(seconds=value)).time()


TIMES = Times()
