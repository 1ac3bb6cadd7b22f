r"""What dates and times have in common: numbers inside, so that there are ranges and cuts, and dates outside.

A day is a whole number of days since 1970, a moment one of seconds, a time of day one of seconds since midnight. Cells
are written as ISO 8601 does: `1970-03-04`, `1970-03` for a whole month, `[1970-01, 1974-12]`, `2021-03-04T10:15:00`,
`10:15:00`.
"""

import math
import re
from abc import abstractmethod
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar

import polars as pl

from kspan.data.cells import SUPPRESSED, Between, Exact, OneOf, number_text, read_cell, write_set
from kspan.data.kinds.kind import NUMERIC, Given, Kind
from kspan.data.kinds.numbers import NUMBERS
from kspan.errors import PolicyError

EPOCH = date(1970, 1, 1)
DAY_SECONDS = 86_400
STEP = 1e-6
"""The smallest step between two moments, in seconds."""
LOOKS_LIKE = r"^[\[{]?\s*(\d{4}-\d\d(\D|$)|\d\d:\d\d)"
"""How cells of dates and times begin; what begins otherwise need not be parsed."""
A_FEW = 100
"""So many cells are looked at before all of them are: most columns of text hold no dates."""
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_ENDS = re.compile(r"\[\s*([^\s,;]+(?: [\d:.]+Z?)?)\s*[,;]\s*([^\s,;]+(?: [\d:.]+Z?)?)\s*\]")

Range = tuple[float, float]

FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""Of the years 1 to 9999."""
SECONDS = {"minute": 60, "hour": 3600, "6 hours": 6 * 3600, "12 hours": 12 * 3600, "day": DAY_SECONDS}
MONTHS = {"month": 1, "quarter": 3, "half-year": 6, "year": 12, "5 years": 60, "decade": 120}
PARTS = (*SECONDS, "week", *MONTHS)
"""The parts of the calendar by their names."""
PARTS_OF_DATES = ("month", "quarter", "year", "5 years", "decade")


@dataclass(frozen=True)
class Calendar(Kind):
    """How the cells of a column of days, moments or times are read as numbers, and written again."""

    is_measured = True
    family = NUMERIC
    recipe = '{ build = "dates" }    # months, quarters, years ...'
    polars: ClassVar[Any]
    """The type of such columns in polars."""
    python: ClassVar[type]
    """The type of such values in Python, and in a policy."""
    ends: ClassVar[Range]
    """The first and the last number that can be written."""
    parts: ClassVar[tuple[str, ...]]
    """The parts of the calendar into which such values are put, unless the policy names others."""

    @property
    def measure(self) -> Kind:
        """The same kind."""
        return self

    @abstractmethod
    def range(self, text: str) -> Range | None:
        """The first and the last number that a date or time stands for; None if it is none."""

    @abstractmethod
    def numbers(self, series: pl.Series) -> pl.Series:
        """The cells of a column of the type of this kind as numbers."""

    @abstractmethod
    def part(self, value: float, name: str) -> Range:
        """The part of the calendar, by its name, in which a number lies: its first and its last number."""

    def is_finer(self, series: pl.Series) -> bool:
        """Do typed values differ by less than a step? Then they are words, since numbers would make them equal."""
        return False

    def recognizes(self, given: Given) -> bool:
        """Is the column of the type or, if it is text, are all cells dates or times in the spelling of ISO 8601?"""
        if given.type == self.polars:
            return not self.is_finer(given.series)
        texts = given.texts
        looks = (some.str.contains(LOOKS_LIKE).all() for some in (texts.head(A_FEW), texts))
        return len(texts) > 0 and all(looks) and all(self.read(text) for text in texts)

    def plain(self, series: pl.Series) -> pl.Series:
        """The cells as numbers; as text, if some of them are ranges or sets."""
        if series.dtype == self.polars:
            return NUMBERS.plain(self.numbers(series))
        labels = series.unique().drop_nulls()
        read = [self.read(label.strip()) or label for label in labels]
        return series.replace_strict(labels, read, return_dtype=pl.String, default=None)

    def number(self, text: str) -> float | None:
        """The number of one date or time; None if the text is none, or stands for several."""
        ends = self.range(text)
        return ends[0] if ends is not None and ends[0] == ends[1] else None

    def bounds(self, name: str, says: Sequence[Any]) -> Range | None:
        """Two dates or times, the earlier one first."""
        if {type(bound) for bound in says} != {self.python}:
            return None
        low, high = (self.number(bound.isoformat()) for bound in says)
        if low is None or high is None or low > high:
            raise PolicyError(f"the domain of {name!r} must run from one date up to another: swap them")
        return low, high

    def text(self, value: float) -> str:
        """Write one date or time; what the calendar has no date for is written as its end."""
        written: str = self.bound(value).isoformat()
        return written

    def bound(self, value: float) -> Any:
        """The date or time that a number stands for, as Python has it."""
        low, high = self.ends
        return self._moment(min(max(float(value), low), high))

    def _moment(self, value: float) -> date | datetime | time:
        """The date or time of a number within the ends of the calendar."""
        return datetime(1970, 1, 1) + timedelta(seconds=value)

    def read(self, text: str) -> str | None:
        """The text of a cell as one of numbers; None if it is no cell of such dates or times."""
        if text == SUPPRESSED:
            return text
        if (ends := _ENDS.fullmatch(text)) is not None:
            first, last = self.range(ends[1]), self.range(ends[2])
            return None if first is None or last is None or first[0] > last[1] else spelled(first[0], last[1])
        if text.startswith("{") and isinstance(cell := read_cell(text), OneOf):
            numbers = [self.number(value) for value in cell.values]
            return None if None in numbers else write_set(number_text(float(one or 0)) for one in numbers)
        found = self.range(text)
        return None if found is None else spelled(*found)

    def show(self, text: str) -> str:
        """The text of a cell of numbers as one of dates or times; a word stays as it is."""
        match read_cell(text):
            case Between(low, high, False, False) if not (math.isinf(low) or math.isinf(high)):
                return self.interval(low, high)
            case OneOf(values):
                return write_set(map(self.show, values))
            case Exact(value):
                try:
                    return self.text(float(value))
                except (ValueError, OverflowError):
                    return value
        return text

    def interval(self, low: float, high: float) -> str:
        """Write a range."""
        return f"[{self.text(low)}, {self.text(high)}]"


def spelled(low: float, high: float) -> str:
    """The cell of a range of numbers, as it is kept."""
    return number_text(float(low)) if low == high else f"[{number_text(float(low))}, {number_text(float(high))}]"


def named(first: str, last: str) -> str:
    """The cell of the parts of a calendar from the first to the last."""
    return first if first == last else f"[{first}, {last}]"


def days_in(text: str) -> Range | None:
    """The first and the last day of a date or a month; None if the text is neither."""
    if found := _DAY.fullmatch(text):
        day = _number(int(found[1]), int(found[2]), int(found[3]))
        return None if day is None else (day, day)
    if (found := _MONTH.fullmatch(text)) and (first := _number(int(found[1]), int(found[2]), 1)) is not None:
        return first, first + monthrange(int(found[1]), int(found[2]))[1] - 1
    return None


def _number(year: int, month: int, day: int) -> int | None:
    try:
        return (date(year, month, day) - EPOCH).days
    except ValueError:
        return None


def part_of_days(day: int, name: str) -> tuple[int, int]:
    """The first and the last day of the week, month or longer part in which a day lies."""
    if name == "week":  # from Monday to Sunday
        first = day - (day + 3) % 7
        return first, first + 6
    at = EPOCH + timedelta(days=day)
    width = MONTHS[name]
    month = (at.year * 12 + at.month - 1) // width * width
    begin, end = _first_of(month), _first_of(month + width)
    return begin, end - 1


def part_of_seconds(value: float, name: str) -> Range:
    """The first and the last second of the part in which a second lies."""
    if name in SECONDS:
        low = math.floor(value / SECONDS[name]) * SECONDS[name]
        return low, low + SECONDS[name] - STEP
    first, last = part_of_days(math.floor(value / DAY_SECONDS), name)
    return first * DAY_SECONDS, (last + 1) * DAY_SECONDS - STEP


def _first_of(month: int) -> int:
    """The first day of a month, counted from the year 0."""
    year, place = divmod(month, 12)
    # The calendar of Python begins with the year 1 and ends with 9999.
    return (date(min(max(year, 1), 9999), place + 1, 1) - EPOCH).days
