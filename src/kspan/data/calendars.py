r"""Dates and times: numbers inside, so that they have an order, ranges and cuts, and dates again in all that is shown.

A day is a whole number of days since 1970, a moment one of seconds, a time of day one of seconds since midnight. Cells
are written as ISO 8601 does: `1970-03-04`, `1970-03` for a whole month, `[1970-01, 1974-12]`, `2021-03-04T10:15:00`,
`10:15:00`.
"""

import math
import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

import polars as pl

from kspan.data.cells import NOT_A_NUMBER, SUPPRESSED, Between, Exact, OneOf, number_text, read_cell, write_set

Unit = Literal["day", "moment", "time"]
UNITS: tuple[Unit, ...] = ("day", "moment", "time")

EPOCH = date(1970, 1, 1)
DAY_SECONDS = 86_400
STEP = 1e-6
"""The smallest step between two moments, in seconds."""
MOST_FINE = 4e9
"""So far from 1970, in seconds, floats can tell moments apart that differ by a step: from 1843 to 2096."""
LOOKS_LIKE = r"^[\[{]?\s*(\d{4}-\d\d(\D|$)|\d\d:\d\d)"
"""How cells of dates and times begin; what begins otherwise need not be parsed."""
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_HOUR = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d)")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|\+00:00)?")
_TIME = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(\.\d{1,6})?)?")
_ENDS = re.compile(r"\[\s*([^\s,;]+(?: [\d:.]+Z?)?)\s*[,;]\s*([^\s,;]+(?: [\d:.]+Z?)?)\s*\]")

Range = tuple[float, float]

ENDS: dict[Unit, Range] = {
    "day": (-719_162, 2_932_896),
    "moment": (-719_162 * DAY_SECONDS, 2_932_897 * DAY_SECONDS - 1),
    "time": (0, DAY_SECONDS - STEP),
}
SECONDS = {"minute": 60, "hour": 3600, "6 hours": 6 * 3600, "12 hours": 12 * 3600, "day": DAY_SECONDS}
MONTHS = {"month": 1, "quarter": 3, "half-year": 6, "year": 12, "5 years": 60, "decade": 120}
PARTS = (*SECONDS, "week", *MONTHS)
"""The parts of the calendar by their names."""
DATES = ("month", "quarter", "year", "5 years", "decade")
MOMENTS = ("hour", "day", *DATES)
TIMES_OF_DAY = ("hour", "6 hours", "12 hours")


@dataclass(frozen=True)
class Calendar:
    """How the cells of a column of days, moments or times are read as numbers, and written again."""

    unit: Unit

    def __str__(self) -> str:
        return {"day": "dates", "moment": "dates with a time", "time": "times of day"}[self.unit]

    def range(self, text: str) -> Range | None:
        """The first and the last number that a date or time stands for; None if it is none.

        >>> Calendar("day").range("1970-02-01"), Calendar("day").range("1970-02"), Calendar("day").range("1970")
        ((31, 31), (31, 58), None)
        """
        if self.unit == "time":
            second = _second(text)
            return None if second is None else (second, second)
        days = _days(text)
        if self.unit == "day" or days is None:
            return days if self.unit == "day" else _moment(text)
        return days[0] * DAY_SECONDS, (days[1] + 1) * DAY_SECONDS - STEP

    def number(self, text: str) -> float | None:
        """The number of one date or time; None if the text is none, or stands for several."""
        ends = self.range(text)
        return ends[0] if ends is not None and ends[0] == ends[1] else None

    def text(self, value: float) -> str:
        """Write one date or time; what the calendar has no date for is written as its end.

        >>> Calendar("day").text(31), Calendar("moment").text(90.5), Calendar("time").text(3600)
        ('1970-02-01', '1970-01-01T00:01:30.500000', '01:00:00')
        """
        low, high = ENDS[self.unit]  # of the years 1 to 9999, or of a day
        value = min(max(float(value), low), high)
        if self.unit == "day":
            return (EPOCH + timedelta(days=math.floor(value))).isoformat()
        moment = datetime(1970, 1, 1) + timedelta(seconds=value)
        return moment.isoformat() if self.unit == "moment" else moment.time().isoformat()

    def moment(self, value: float) -> date | datetime | time:
        """The date or time that a number stands for, as Python has it."""
        text = self.text(value)
        if self.unit == "day":
            return date.fromisoformat(text)
        return datetime.fromisoformat(text) if self.unit == "moment" else time.fromisoformat(text)

    def read(self, text: str) -> str | None:
        """The text of a cell as one of numbers; None if it is no cell of such dates or times.

        >>> Calendar("day").read("[1970-01, 1970-02]"), Calendar("day").read("{1970-01-02|1970-02-01}")
        ('[0, 58]', '{1|31}')
        """
        if text == SUPPRESSED:
            return text
        if (ends := _ENDS.fullmatch(text)) is not None:
            first, last = self.range(ends[1]), self.range(ends[2])
            return None if first is None or last is None or first[0] > last[1] else _spelled(first[0], last[1])
        if text.startswith("{") and isinstance(cell := read_cell(text), OneOf):
            numbers = [self.number(value) for value in cell.values]
            return None if None in numbers else write_set(number_text(float(one or 0)) for one in numbers)
        found = self.range(text)
        return None if found is None else _spelled(*found)

    def show(self, text: str) -> str:
        """The text of a cell of numbers as one of dates or times; a word stays as it is.

        >>> [Calendar("day").show(cell) for cell in ("31", "[31, 58]", "[0, 1825]", "[0, 40]", "{1|31}", "*")]
        ['1970-02-01', '1970-02', '[1970-01, 1974-12]', '[1970-01-01, 1970-02-10]', '{1970-01-02|1970-02-01}', '*']
        """
        match read_cell(text):
            case Between(low, high, False, False) if not (math.isinf(low) or math.isinf(high)):
                return self._interval(low, high)
            case OneOf(values):
                return write_set(map(self.show, values))
            case Exact(value):
                try:
                    return self.text(float(value))
                except (ValueError, OverflowError):
                    return value
        return text

    def part(self, value: float, name: str) -> Range:
        """The part of the calendar, by its name, in which a number lies: its first and its last number.

        >>> DAY.part(40, "month"), DAY.part(40, "decade"), TIME.part(4000, "hour")
        ((31, 58), (0, 3651), (3600, 7199.999999))
        """
        if name in SECONDS:
            width = SECONDS[name]
            low = math.floor(value / width) * width if self.unit != "day" else math.floor(value)
            return (low, low + width - STEP) if self.unit != "day" else (low, low)
        if self.unit == "day":
            return _part_of_days(math.floor(value), name)
        first, last = _part_of_days(math.floor(value / DAY_SECONDS), name)
        return first * DAY_SECONDS, (last + 1) * DAY_SECONDS - STEP

    def _interval(self, low: float, high: float) -> str:
        """Write a range; whole hours, days and months by their names."""
        ends = _whole_months(low, high) if self.unit == "day" else None
        after = round(high + STEP)
        if self.unit == "moment" and abs(high + STEP - after) < STEP / 2:
            if low % DAY_SECONDS == after % DAY_SECONDS == 0:
                return DAY.show(_spelled(low // DAY_SECONDS, after // DAY_SECONDS - 1))
            if low % 3600 == after % 3600 == 0:
                ends = self.text(low)[:13], self.text(after - 3600)[:13]
        if ends is None:
            return f"[{self.text(low)}, {self.text(high)}]"
        return ends[0] if ends[0] == ends[1] else f"[{ends[0]}, {ends[1]}]"


DAY, MOMENT, TIME = Calendar("day"), Calendar("moment"), Calendar("time")


def calendar_of(series: pl.Series) -> Calendar | None:
    """The calendar of a column: by its type or, of text, if all cells are dates or times in the spelling of ISO 8601.

    >>> calendar_of(pl.Series(["1970-03-04", "*", None])), calendar_of(pl.Series(["1970-03-04", "today"]))
    (Calendar(unit='day'), None)
    """
    typed = {pl.Date: DAY, pl.Datetime: MOMENT, pl.Time: TIME}.get(series.dtype.base_type())
    if typed is not None or series.dtype != pl.String:
        return None if typed is not None and _is_finer(series) else typed
    signs = [SUPPRESSED, "", *NOT_A_NUMBER]
    labels = series.unique().drop_nulls().str.strip_chars()
    labels = labels.filter(~labels.is_in(signs))
    if not len(labels) or not labels.str.contains(LOOKS_LIKE).all():
        return None
    return next((each for each in (DAY, MOMENT, TIME) if all(each.read(label) for label in labels)), None)


def as_numbers(series: pl.Series, calendar: Calendar) -> pl.Series:
    """The cells of a column as numbers; as text, if some of them are ranges or sets."""
    if series.dtype == pl.Date:
        return series.to_physical().cast(pl.Int64)
    if series.dtype == pl.Time:
        nanos = series.cast(pl.Int64)
        return nanos / 1e9 if (nanos % 10**9 != 0).any() else nanos // 10**9
    if series.dtype.base_type() == pl.Datetime:
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if series.dtype.time_zone else series  # type: ignore[attr-defined]
        micros = moments.dt.timestamp("us")
        return micros / 1e6 if (micros % 10**6 != 0).any() else micros // 10**6
    labels = series.unique().drop_nulls()
    read = [calendar.read(label.strip()) or label for label in labels]
    return series.replace_strict(labels, read, return_dtype=pl.String, default=None)


def _is_finer(series: pl.Series) -> bool:
    """Do moments or times differ by less than a step? Then they are words, since numbers would make them equal."""
    if series.dtype == pl.Date:
        return False
    if series.dtype == pl.Time:
        return bool((series.cast(pl.Int64) % 1000 != 0).any())
    micros = series.dt.timestamp("us")
    fine = (micros % 10**6 != 0) & (micros.abs() > MOST_FINE * 1e6)
    return bool(fine.any()) or (_unit(series) == "ns" and bool((series.to_physical() % 1000 != 0).any()))


def _unit(series: pl.Series) -> str | None:
    """The unit in which a typed column counts moments."""
    return series.dtype.time_unit if isinstance(series.dtype, pl.Datetime) else None


def _spelled(low: float, high: float) -> str:
    return number_text(float(low)) if low == high else f"[{number_text(float(low))}, {number_text(float(high))}]"


def _days(text: str) -> Range | None:
    if found := _DAY.fullmatch(text):
        day = _date(int(found[1]), int(found[2]), int(found[3]))
        return None if day is None else (day, day)
    if (found := _MONTH.fullmatch(text)) and (first := _date(int(found[1]), int(found[2]), 1)) is not None:
        return first, first + monthrange(int(found[1]), int(found[2]))[1] - 1
    return None


def _date(year: int, month: int, day: int) -> int | None:
    try:
        return (date(year, month, day) - EPOCH).days
    except ValueError:
        return None


def _part_of_days(day: int, name: str) -> tuple[int, int]:
    if name == "week":  # from Monday to Sunday
        first = day - (day + 3) % 7
        return first, first + 6
    at = EPOCH + timedelta(days=day)
    width = MONTHS[name]
    month = (at.year * 12 + at.month - 1) // width * width
    begin, end = _first_of(month), _first_of(month + width)
    return begin, end - 1


def _first_of(month: int) -> int:
    """The first day of a month, counted from the year 0."""
    year, place = divmod(month, 12)
    # The calendar of Python begins with the year 1 and ends with 9999.
    return (date(min(max(year, 1), 9999), place + 1, 1) - EPOCH).days


def _moment(text: str) -> Range | None:
    if hour := _HOUR.fullmatch(text):
        days = _days(hour[1])
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


def _second(text: str) -> float | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    try:
        time.fromisoformat(text)
    except ValueError:
        return None
    return int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3] or 0) + float(found[4] or 0)


def _whole_months(low: float, high: float) -> tuple[str, str] | None:
    """The first and the last month of a range of days, if it is one of whole months."""
    try:
        first, after = EPOCH + timedelta(days=low), EPOCH + timedelta(days=high + 1)
    except OverflowError:
        return None
    if first.day != 1 or after.day != 1:
        return None
    last = after - timedelta(days=1)
    return f"{first:%Y-%m}", f"{last:%Y-%m}"
