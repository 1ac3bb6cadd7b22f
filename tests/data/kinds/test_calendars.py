"""Dates and times: read from text and from typed columns, written as people do, and never mixed up."""

from datetime import date, datetime, time, timedelta

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.encode import encode
from kspan.data.kinds.days import DAYS
from kspan.data.kinds.moments import MOMENTS
from kspan.data.kinds.registry import kind_of
from kspan.data.kinds.times import TIMES
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema

SOME = st.datetimes(datetime(1850, 1, 1), datetime(2090, 1, 1))


@given(st.dates())
def test_every_day_is_a_number_and_back(day: date) -> None:
    number = DAYS.number(day.isoformat())
    assert number == (day - date(1970, 1, 1)).days
    assert DAYS.text(number) == day.isoformat()
    assert DAYS.bound(number) == day


@given(SOME)
def test_every_moment_is_a_number_and_back(moment: datetime) -> None:
    number = MOMENTS.number(moment.isoformat())
    assert number is not None
    assert MOMENTS.text(number) == moment.isoformat()
    assert MOMENTS.number(moment.isoformat(" ")) == number
    assert MOMENTS.number(f"{moment.isoformat()}Z") == number


@given(st.times())
def test_every_time_is_a_number_and_back(moment: time) -> None:
    number = TIMES.number(moment.isoformat())
    assert number is not None
    assert TIMES.text(number) == moment.isoformat()


@given(st.tuples(SOME, SOME))
def test_different_moments_are_different_numbers(pair: tuple[datetime, datetime]) -> None:
    numbers = [MOMENTS.number(each.isoformat()) for each in pair]
    assert (numbers[0] == numbers[1]) == (pair[0] == pair[1])
    typed = encode(pl.DataFrame({"at": pair}), Schema(public=["at"]))["at"]
    assert (len(typed.values) == 1) == (pair[0] == pair[1])


@given(st.tuples(st.dates(date(1, 1, 1), date(9990, 1, 1)), st.integers(1, 3000)))
def test_ranges_are_read_as_they_are_written(given_: tuple[date, int]) -> None:
    first, days = given_
    low = DAYS.number(first.isoformat())
    assert low is not None
    cell = f"[{low:.0f}, {low + days:.0f}]"
    assert DAYS.read(DAYS.show(cell)) == cell


@given(SOME, st.sampled_from(["minute", "hour", "day", "week", "month", "quarter", "half-year", "year", "decade"]))
def test_parts_hold_their_moments_and_are_read_as_they_are_written(moment: datetime, name: str) -> None:
    number = MOMENTS.number(moment.isoformat())
    assert number is not None
    low, high = MOMENTS.part(number, name)
    assert low <= number <= high
    shown = MOMENTS.show(f"[{low:.0f}, {high:.6f}]")
    read = MOMENTS.read(shown)
    assert read is not None
    ends = [float(end) for end in read.strip("[]").split(",")]
    assert ends == pytest.approx([low, high], abs=2e-6)


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["1970-03-04", "1999-12-31", None, "*", "?"], DAYS),
        (["[1970-01, 1974-12]", "1970-03"], DAYS),
        (["2021-03-04T10:15:00", "2021-03-04 10:15"], MOMENTS),
        (["2021-03-04", "2021-03-04T10"], MOMENTS),
        (["10:15", "23:59:59.5"], TIMES),
        (["1970-02-30", "1970-03-01"], WORDS),
        (["1970-03-04", "soon"], WORDS),
        (["1970", "1971"], WORDS),
        (["2021-03-04T10:15:00.1234567"], WORDS),
        (["2021-03-04T10:15:00+02:00"], WORDS),
        (["04/03/1970"], WORDS),
        (["*", None], WORDS),
    ],
)
def test_which_cells_are_dates(cells: list[str | None], found: object) -> None:
    assert kind_of(pl.Series(cells, dtype=pl.String)) == found


def test_moments_that_numbers_cannot_tell_apart_stay_words() -> None:
    fine = pl.Series([datetime(2021, 3, 4)] * 2).cast(pl.Datetime("ns")) + pl.Series([0, 1]).cast(pl.Duration("ns"))
    assert kind_of(fine) == WORDS
    far = pl.Series([datetime(2500, 1, 1), datetime(2500, 1, 1) + timedelta(microseconds=1)])
    assert kind_of(far) == WORDS
    assert len(encode(pl.DataFrame({"at": far}), Schema(public=["at"]))["at"].values) == 2


def test_what_a_policy_declares() -> None:
    said = 'public = ["birth"]\n[require]\nk = 2\n[domains]\nbirth = [1900-01-01, 2020-12-31]\n'
    policy = ks.Policy.from_toml(said)
    assert ks.Policy.from_toml(policy.to_toml()) == policy
    assert policy.domains["birth"].says == [date(1900, 1, 1), date(2020, 12, 31)]
    with pytest.raises(ks.DataError, match=r"outside its domain \[1900-01-01, 2020-12-31\]"):
        ks.audit(pl.DataFrame({"birth": ["1899-01-01", "1950-01-01"]}), policy)
    with pytest.raises(ks.PolicyError, match="must run from one date up to another"):
        ks.Policy(public=["birth"], require="k=2", domains={"birth": [date(2000, 1, 1), date(1900, 1, 1)]})
    with pytest.raises(ks.DataError, match="holds dates with a time, and the policy declares dates"):
        ks.audit(pl.DataFrame({"birth": [datetime(1950, 1, 1, 10), datetime(1950, 1, 1)]}), policy)


def test_dates_declared_to_be_words_are_words() -> None:
    policy = ks.Policy(public=["birth"], require="k=2", domains={"birth": "categorical"})
    people = pl.DataFrame({"birth": ["1950-01-01", "1950-01-02"] * 2})
    assert set(ks.anonymize(people, policy, "mondrian").frame["birth"]) == {"1950-01-01", "1950-01-02"}
    shown = ks.anonymize(people.head(2), policy, "mondrian").frame["birth"]
    assert shown.to_list() == ["{1950-01-01|1950-01-02}"] * 2
    free = ks.anonymize(people.head(2), ks.Policy(public=["birth"], require="k=2"), "mondrian").frame["birth"]
    assert free.to_list() == ["1950-01"] * 2


def test_weeks_do_not_fit_into_months() -> None:
    policy = ks.Policy(
        public=["birth"], require="k=1", hierarchies={"birth": {"build": "dates", "levels": ["week", "month"]}}
    )
    days = [date(2021, 3, 29) + timedelta(days=number) for number in range(7)]
    with pytest.raises(ks.HierarchyError, match="'birth' cannot be built: a week may lie in more than one month"):
        ks.audit(pl.DataFrame({"birth": days}), policy)
    with pytest.raises(ks.PolicyError, match="the levels of dates must be among"):
        ks.Policy(public=["birth"], require="k=1", hierarchies={"birth": {"build": "dates", "levels": ["fortnight"]}})


def test_categories_with_an_order_keep_it() -> None:
    sizes = pd.DataFrame({"size": pd.Categorical(["L", "S", "M", "XL"] * 2, ["S", "M", "L", "XL"], ordered=True)})
    policy = ks.Policy(public=["size"], require="k=3")
    assert set(ks.anonymize(sizes, policy, "mondrian").table["size"]) == {"{S|M}", "{L|XL}"}
    words = sizes.astype(str)
    assert set(ks.anonymize(words, policy, "mondrian").table["size"]) == {"{L|M}", "{S|XL}"}
    typed = pl.DataFrame({"size": pl.Series(words["size"], dtype=pl.Enum(["S", "M", "L", "XL"]))})
    assert set(ks.anonymize(typed, policy, "mondrian").table["size"]) == {"{S|M}", "{L|XL}"}
