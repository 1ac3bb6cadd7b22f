"""Dates behave as the numbers of their days, in everything that is made and judged; and they are shown as dates."""

from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.kinds.days import DAYS
from kspan.tables.methods import methods
from laws.examples import share_of_examples

DECADES = ks.Intervals(widths=(400, 4000), origin=0)


@st.composite
def people(draw: st.DrawFn, *, missing: bool = True) -> pl.DataFrame:
    """People with a number of a day, some of them missing."""
    numbers = st.integers(-4000, 12000)
    days = draw(st.lists(st.one_of(st.none(), numbers) if missing else numbers, min_size=4, max_size=24))
    return pl.DataFrame(
        {
            "day": pl.Series(days, dtype=pl.Int64),
            "sex": draw(st.lists(st.sampled_from("FM"), min_size=len(days), max_size=len(days))),
            "ill": draw(st.lists(st.sampled_from("ab"), min_size=len(days), max_size=len(days))),
        }
    )


def as_dates(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(day=pl.col("day").cast(pl.Int32).cast(pl.Date))


@pytest.mark.slow
@pytest.mark.parametrize("method", methods())
@share_of_examples(0.1)
@given(frame=people(), seed=st.integers(0, 3))
def test_tables_of_dates_are_tables_of_days(method: str, frame: pl.DataFrame, seed: int) -> None:
    # With exact ends, since the round ones of dates are others than those of numbers.
    said = {"public": ["day", "sex"], "private": ["ill"], "target": "ill", "require": "k=2", "grid": "exact"}
    sexes = ks.Hierarchy.of([("F",), ("M",)])
    made = []
    for given_, hierarchy in ((frame, DECADES), (as_dates(frame), None)):
        hierarchies = {"sex": sexes} if hierarchy is None else {"sex": sexes, "day": hierarchy}
        if method in ("incognito", "datafly", "tds", "tdr") and hierarchy is None:
            return  # these want a hierarchy, and those of dates are others than those of numbers
        if method not in ("incognito", "datafly", "tds", "tdr"):
            hierarchies.pop("day", None)
        try:
            made.append(ks.anonymize(given_, ks.Policy(**said, hierarchies=hierarchies), method, secret=f"{seed:032x}"))  # type: ignore[arg-type]
        except ks.Unreachable:
            made.append(None)
    numbers, dates = made
    assert (numbers is None) == (dates is None)
    if numbers is None or dates is None:
        return
    shown = [None if cell is None else DAYS.show(cell) for cell in numbers.frame["day"]]
    assert sorted(map(str, shown)) == sorted(map(str, dates.frame["day"]))
    assert dates.audit.k == numbers.audit.k
    assert dates.audit.utility.ncp == pytest.approx(numbers.audit.utility.ncp)


@share_of_examples(0.3)
@given(frame=people(missing=False), k=st.integers(1, 4))
def test_trees_of_dates_are_trees_of_days(frame: pl.DataFrame, k: int) -> None:
    policy = ks.Policy(public=["day", "sex"], private=["ill"], target="ill", require=f"k={k}")
    try:
        numbers = ks.learn(frame, policy, "kadet")
    except ks.Unreachable:
        return
    dates = ks.learn(as_dates(frame), policy, "kadet")
    assert dates.root == numbers.root
    assert ks.predict(dates, as_dates(frame)).equals(ks.predict(numbers, frame))
    found = [ks.audit(dates, as_dates(frame), policy).as_dict(), ks.audit(numbers, frame, policy).as_dict()]
    for each in found:
        for name in ("smallest", "failing", "inferred"):  # these show dates
            del each[name]
    assert found[0] == found[1]
    text = frame.with_columns(day=as_dates(frame)["day"].cast(pl.String))
    assert ks.predict(dates, text).equals(ks.predict(numbers, frame))


@share_of_examples(0.2)
@given(days=st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=3, max_size=20))
def test_a_release_of_moments_shown_by_days_admits_its_people(days: list[date]) -> None:
    at = pl.Series(days).cast(pl.Datetime) + pl.Series([timedelta(minutes=7 * n) for n in range(len(days))])
    frame = pl.DataFrame({"at": at, "x": ["a"] * len(days)})
    policy = ks.Policy(public=["at", "x"], require="k=2", hierarchies={"at": {"build": "dates"}, "x": ks.Automatic()})
    release = ks.anonymize(frame, policy, "datafly")
    linked = ks.audit(release.frame, frame, policy).linked
    assert linked is not None
    assert linked.unmatched <= release.withheld


def test_a_tree_of_dates_is_written_and_read(tmp_path: Path) -> None:
    days = [date(1950, 1, 1) + timedelta(days=60 * number) for number in range(100)]
    frame = pl.DataFrame({"birth": days, "ill": ["old" if day < date(1958, 6, 1) else "young" for day in days]})
    policy = ks.Policy(public=["birth"], private=["ill"], target="ill", require="k=5")
    ks.publish_tree(ks.learn(frame, policy, "kadet"), frame, policy, tmp_path / "tree.json")
    read = ks.load_tree(tmp_path / "tree.json").tree
    assert "birth <= 1958-0" in str(read)
    assert ks.predict(read, frame)["predicted: ill"].equals(frame["ill"], check_names=False)
    assert ks.equivalent_table(read, frame, policy)["birth"].str.contains(r"^\[0001-01|, 9999-12").all()
