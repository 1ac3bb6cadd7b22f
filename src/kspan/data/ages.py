"""Ages from dates of birth: completed years on a day, or on the day that another column has."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl

from kspan.errors import DataError, PolicyError

ISO_DAY = r"^\d{4}-\d{2}-\d{2}([T ].*)?$"


@dataclass(frozen=True)
class Age:
    """An age: whose column of birth dates it is from, and on which day, or on that of which column."""

    born: str
    on: date | str

    @property
    def says(self) -> dict[str, str]:
        """How a policy writes it."""
        return {"born": self.born, "on": str(self.on)}


def declared_age(name: str, says: Any) -> Age:
    """The age that a policy declares; a text that is a date means that day, any other a column.

    >>> declared_age("age", {"born": "birth_date", "on": "2026-01-01"})
    Age(born='birth_date', on=datetime.date(2026, 1, 1))
    """
    if isinstance(says, Age):
        return says
    told = says if isinstance(says, Mapping) else {}
    born, on = told.get("born"), told.get("on")
    if set(told) != {"born", "on"} or not isinstance(born, str) or not isinstance(on, str | date):
        raise PolicyError(
            f"the age {name!r} must say when people were born and on which day they are as old: "
            f'{name} = {{ born = "birth_date", on = "2026-01-01" }}, or on = "admission", a column of dates'
        )
    return Age(born.strip(), _day(on) if isinstance(on, str) else date(on.year, on.month, on.day))


def _day(text: str) -> date | str:
    """The day that a text is, or the text."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        if re.fullmatch(ISO_DAY, text.strip()):
            raise PolicyError(
                f"an age is asked for on {text.strip()[:10]}, and there is no such day: correct it"
            ) from None
        return text.strip()


def with_ages(frame: pl.DataFrame, ages: Mapping[str, Age], missing: tuple[str, ...] = ()) -> pl.DataFrame:
    """Add the ages that a table does not have, where it has the dates of birth; a missing date gives a missing age."""
    made = [
        _years(frame, age, missing).alias(name)
        for name, age in ages.items()
        if name not in frame.columns and age.born in frame.columns
    ]
    return frame.with_columns(made) if made else frame


def _years(frame: pl.DataFrame, age: Age, missing: tuple[str, ...]) -> pl.Series:
    """Completed years: those born on 29 February have their birthday on 1 March in other years."""
    born = _days(frame[age.born], missing)
    if isinstance(age.on, str) and age.on not in frame.columns:
        raise DataError(f"the table lacks the column {age.on!r}, on whose day people are as old: add it")
    on = _days(frame[age.on], missing) if isinstance(age.on, str) else pl.Series([age.on]).new_from_index(0, len(born))
    unborn = int((born > on).sum())
    if unborn:
        raise DataError(
            f"{unborn} people were born ({age.born!r}) after the day on which they are to be as old ({age.on!s}): "
            "correct these dates, or name a later day"
        )
    # Month and day as one number: is the birthday still to come?
    before = on.dt.month().cast(pl.Int32) * 100 + on.dt.day() < born.dt.month().cast(pl.Int32) * 100 + born.dt.day()
    return on.dt.year() - born.dt.year() - before.cast(pl.Int32)


def _days(column: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    """The days in a column of dates."""
    if column.dtype == pl.Date or column.dtype == pl.Null:
        return column.cast(pl.Date)
    if isinstance(column.dtype, pl.Datetime):
        return column.dt.date()
    if column.dtype != pl.String:
        raise DataError(f"the column {column.name!r} holds no dates, so it tells nobody's age: give dates")
    cells = column.str.strip_chars()
    cells = cells.set(cells.is_in(["", *missing]), None)
    days = cells.set(~cells.str.contains(ISO_DAY), "").str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    wrong = int((days.is_null() & cells.is_not_null()).sum())
    if wrong:
        raise DataError(
            f"{wrong} cells of {column.name!r} are no dates as in 1970-03-04, so they tell nobody's age: correct them"
        )
    return days
