"""Ages: completed years, as Python's own dates count them."""

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.ages import Age, with_ages
from laws.examples import share_of_examples

DAYS = st.one_of(
    st.dates(date(1900, 1, 1), date(2030, 12, 31)),
    st.sampled_from([date(2000, 2, 29), date(1999, 2, 28), date(2001, 3, 1)]),
)


def completed(born: date | None, on: date | None) -> int | None:
    """How many birthdays have passed; whoever is born on 29 February has it on 1 March in other years."""
    if born is None or on is None:
        return None
    birthdays = 0
    while True:
        year = born.year + birthdays + 1
        try:
            birthday = born.replace(year=year)
        except ValueError:
            birthday = date(year, 3, 1)
        if birthday > on:
            return birthdays
        birthdays += 1


@pytest.mark.parametrize("form", ["date", "text", "datetime", "text with time"])
@share_of_examples(0.3)
@given(pairs=st.lists(st.tuples(st.none() | DAYS, st.none() | DAYS), min_size=1, max_size=6))
def test_ages_are_completed_years(form: str, pairs: list[tuple[date | None, date | None]]) -> None:
    ordered = [(min(pair), max(pair)) if None not in pair else pair for pair in pairs]  # type: ignore[type-var]
    born = pl.Series("born", [one for one, _ in ordered], dtype=pl.Date)
    if form == "datetime":
        born = born.cast(pl.Datetime)
    elif form != "date":
        born = born.cast(pl.String) + ("T23:59" if form == "text with time" else "")
    frame = pl.DataFrame([born, pl.Series("on", [one for _, one in ordered], dtype=pl.Date)])
    assert with_ages(frame, {"age": Age("born", "on")})["age"].to_list() == [completed(*pair) for pair in ordered]
    today = date(2031, 2, 28)
    by_day = with_ages(frame, {"age": Age("born", today)})["age"].to_list()
    assert by_day == [completed(one, today) for one, _ in ordered]


@share_of_examples(0.2)
@given(born=DAYS, on=DAYS)
def test_nobody_is_younger_than_not_born(born: date, on: date) -> None:
    frame = pl.DataFrame({"born": [born.isoformat()]})
    if born > on:
        with pytest.raises(ks.DataError, match=r"1 people were born \('born'\) after the day"):
            with_ages(frame, {"age": Age("born", on)})
    else:
        assert with_ages(frame, {"age": Age("born", on)})["age"].item() == completed(born, on)


def test_a_moment_is_on_its_day() -> None:
    frame = pl.DataFrame({"born": [datetime(2000, 5, 1, 23, 59)]})
    assert with_ages(frame, {"age": Age("born", date(2001, 5, 1))})["age"].item() == 1


def test_a_day_that_is_none() -> None:
    with pytest.raises(ks.PolicyError, match="an age is asked for on 2025-02-29, and there is no such day"):
        ks.Policy(
            identifier=["born"], public=["age"], require="k=2", ages={"age": {"born": "born", "on": "2025-02-29"}}
        )
