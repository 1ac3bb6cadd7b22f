"""What a name of a recipe means follows from the recipe and the people, not from the cells that happen to be shown."""

import datetime as dt
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.table.judge import coded
from kspan.audit.table.people import people_behind
from kspan.data.admitted import admitted
from kspan.data.encode import encode

DAY = dt.date(2020, 1, 1)
DIGITS = st.integers(1000, 1250).map(str)
UNEVEN = st.integers(1, 12_000).map(str)
ICD = st.sampled_from(["A1", "A10", "A10.1", "A10.12", "B2", "C77.8", "C77.9"])
WHOLE = st.integers(-50, 100)
HALVES = st.integers(-100, 200).map(lambda number: number / 2)
WORDS = st.sampled_from(["low", "middle", "high", "d e", "f|g", "M", "F", "20-30"])
DAYS = st.integers(0, 3000).map(lambda days: DAY + dt.timedelta(days))
HOURS = st.integers(0, 9000).map(lambda hours: dt.datetime(2020, 1, 1) + dt.timedelta(hours=hours))
TIMES = st.times().map(lambda time: time.replace(second=0, microsecond=0))

RECIPES: list[tuple[Any, tuple[st.SearchStrategy[Any], ...]]] = [
    (ks.Intervals((5.0, 20.0)), (WHOLE, HALVES)),
    (ks.Intervals((0.5, 2.0, 10.0), origin=0.25), (WHOLE, HALVES)),
    (ks.Ordered(), (WHOLE, HALVES, WORDS, ICD, UNEVEN)),
    (ks.Ordered(order=("low", "middle", "high", "d e", "f|g", "M", "F", "20-30"), fanout=3), (WORDS,)),
    (ks.Prefixes(), (DIGITS, UNEVEN, ICD, WHOLE)),
    (ks.Prefixes("-"), (DIGITS, UNEVEN)),
    (ks.Prefixes("x"), (DIGITS, UNEVEN)),
    (ks.Prefixes("y"), (ICD,)),
    (ks.Prefixes("0"), (DIGITS, UNEVEN)),
    (ks.Automatic(), (DIGITS, UNEVEN, ICD, WORDS, WHOLE, HALVES)),
    (ks.Dates(), (DAYS, HOURS)),
    (ks.Dates(("hour", "day", "year")), (HOURS,)),
    (ks.Dates(("minute", "hour", "6 hours")), (TIMES,)),
]

NAMES = [repr(recipe) for recipe, _ in RECIPES]
MASKS_THAT_CODES_MAY_CONTAIN = (ks.Prefixes("y"), ks.Prefixes("0"))
COUNTING = st.sampled_from(["rows", "people"])


@st.composite
def generalized(draw: st.DrawFn, recipe: Any, kinds: tuple[st.SearchStrategy[Any], ...]) -> tuple[Any, Any, ks.Policy]:
    """A release in which each row shows a level of its own, the people behind it, and the policy."""
    some = st.lists(draw(st.sampled_from(kinds)), min_size=1, max_size=8)
    values = draw(some)
    cells = draw(st.lists(st.sampled_from([*values, None]), min_size=2, max_size=14))
    assume(any(cell is not None for cell in cells))
    people = pl.DataFrame({"x": cells, "s": ["a", "b"] * (len(cells) // 2) + ["a"] * (len(cells) % 2)}, strict=False)
    policy = ks.Policy(public=["x"], private=["s"], hierarchies={"x": recipe}, require="k=1", counting=draw(COUNTING))
    try:
        column = encode(people, policy)["x"]
    except ks.KspanError:  # a code that is a name of others, too: that is refused, and rightly
        assume(False)
    hierarchy = column.hierarchy
    assert hierarchy is not None
    levels = draw(st.lists(st.integers(0, len(hierarchy.levels) - 1), min_size=len(cells), max_size=len(cells)))

    def cell(code: int, level: int) -> str | None:
        if code == column.missing:
            return "*" if level == len(hierarchy.levels) - 1 else None
        return column.kind.show(hierarchy.path(column.label(code))[level])

    shown = [cell(int(code), level) for code, level in zip(column.codes, levels, strict=True)]
    return people.with_columns(x=pl.Series(shown, dtype=pl.String)), people, policy


@pytest.mark.parametrize(("recipe", "kinds"), RECIPES, ids=NAMES)
@settings(max_examples=25)
@given(data=st.data())
def test_everybody_matches_the_own_row(
    recipe: Any, kinds: tuple[st.SearchStrategy[Any], ...], data: st.DataObject
) -> None:
    release, people, policy = data.draw(generalized(recipe, kinds))
    found = ks.audit(release, people, policy)
    assert found.linked is not None
    assert found.linked.unmatched == 0
    behind = people_behind(people, policy)
    shown, known = coded(release, behind, policy)[0]["x"], behind["x"]
    start, values = admitted(shown, known)
    for cell, value in zip(shown.codes.tolist(), known.codes.tolist(), strict=True):
        assert value in values[start[cell] : start[cell + 1]]


@pytest.mark.parametrize(("recipe", "kinds"), RECIPES, ids=NAMES)
@settings(max_examples=25)
@given(data=st.data())
def test_a_release_can_be_judged_without_its_people(
    recipe: Any, kinds: tuple[st.SearchStrategy[Any], ...], data: st.DataObject
) -> None:
    release, people, policy = data.draw(generalized(recipe, kinds))
    known = ks.audit(release, people, replace(policy, counting="rows"))
    try:
        alone = ks.audit(release, replace(policy, counting="rows"))
    except ks.HierarchyError:  # only the people tell whether such a code is masked
        assert recipe in MASKS_THAT_CODES_MAY_CONTAIN
    else:
        assert alone.groups == known.groups
        # A whole day is a value among days and a range among moments: which, only the people or the policy tell.
        assert alone.utility == known.utility or people["x"].dtype == pl.Datetime
