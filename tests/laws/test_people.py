"""The people behind a table: what they match and who matches the same, against the definitions on small tables."""

from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.cells import Anything, Between, Exact, OneOf, number, read_cell
from laws import naive
from laws.examples import share_of_examples

pytestmark = pytest.mark.slow

TOWNS = ks.Hierarchy.of([("ay", "north"), ("by", "north"), ("cy", "south"), ("dy", "south")])
PEOPLE = st.lists(
    st.tuples(
        st.none() | st.integers(0, 5),
        st.none() | st.sampled_from(["ay", "by", "cy", "dy"]),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=15,
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["0", "3", "[1, 4]", "[0, 5]", "{2|5}", "*", None, "2.5"]),
        st.sampled_from(["ay", "dy", "{ay|cy}", "{by|dy}", "north", "south", "*", None]),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=12,
)


REQUIRED = ["k=2", "k=3, distinct_l=2", "k=2, confidence=0.7", 'k=1, confidence[label="u"]=0.4']


def framed(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    ages, towns, labels = zip(*rows, strict=True)
    kind = pl.String if any(isinstance(age, str) for age in ages) else pl.Int64
    return pl.DataFrame(
        {"age": pl.Series(ages, dtype=kind), "town": pl.Series(towns, dtype=pl.String), "label": list(labels)}
    )


def policy(require: str, counting: Any) -> ks.Policy:
    return ks.Policy(
        public=["age", "town"], private=["label"], require=require, counting=counting, hierarchies={"town": TOWNS}
    )


def admits(cell: str | None, value: Any) -> bool:
    """Does a released cell admit a value of a person, by its definition?"""
    if cell is None:
        return value is None
    match read_cell(cell):
        case Anything():
            return True
        case Between(low, high):
            return value is not None and low <= value <= high
        case OneOf(values):
            return str(value) in values
        case Exact(text):
            below = text in TOWNS.members and value in [TOWNS.values[member] for member in TOWNS.members[text]]
            return value is not None and (text == str(value) or below or number(text) == value)
    raise AssertionError(cell)


def matched(person: tuple[Any, ...], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows that a person matches."""
    return [row for row in rows if admits(row[0], person[0]) and admits(row[1], person[1])]


def all_hold(require: str, groups: list[list[str]]) -> bool:
    for part in require.split(","):
        key, _, value = part.strip().rpartition("=")
        if "[" in key:  # about one label, in quotes
            if any(naive.share(key.split('"')[1], group) > naive.decimal(value) for group in groups):
                return False
        elif not all(naive.holds(key, float(value), groups, distance=naive.equal_distance())):
            return False
    return True


def by_equal_cells(rows: list[tuple[Any, ...]]) -> list[list[str]]:
    groups: dict[tuple[Any, ...], list[str]] = {}
    for *cells, label in rows:
        groups.setdefault(tuple(cells), []).append(label)
    return list(groups.values())


@pytest.mark.parametrize("require", REQUIRED)
@share_of_examples(0.4)
@given(people=PEOPLE, rows=ROWS)
def test_everybody_must_match_enough_rows(require: str, people: Any, rows: Any) -> None:
    reached = [found for person in people if (found := matched(person, rows))]
    assume(reached)
    crowds = [[row[2] for row in found] for found in reached]
    if len(rows) > len(people):
        with pytest.raises(ks.DataError, match="rows more than these people can have"):
            ks.audit(framed(rows), framed(people), policy(require, "rows"))
        return
    audit = ks.audit(framed(rows), framed(people), policy(require, "rows"))
    assert audit.holds == all_hold(require, [*by_equal_cells(rows), *crowds])
    assert audit.k.rows == min(map(len, [*by_equal_cells(rows), *crowds]))
    assert audit.linked is not None
    assert (audit.linked.people, audit.linked.unmatched) == (len(people), len(people) - len(reached))
    assert audit.exposed["label"] == sum(len(group) for group in by_equal_cells(rows) if len(set(group)) == 1)
    assert audit.risk.prosecutor.highest == 1 / min(map(len, crowds))


@pytest.mark.parametrize("require", REQUIRED)
@share_of_examples(0.4)
@given(people=PEOPLE, rows=ROWS)
def test_enough_people_must_match_the_same_rows(require: str, people: Any, rows: Any) -> None:
    spans: dict[frozenset[Any], list[str]] = {}
    for person in people:
        if found := matched(person, rows):
            spans.setdefault(frozenset(row[:2] for row in found), []).append(person[2])
    unmatched = len(people) - sum(map(len, spans.values()))
    rules = policy(require, "people")
    if not spans or unmatched > len(people) - len(rows):
        with pytest.raises(ks.DataError, match=r"no row|rows more than these people can have"):
            ks.audit(framed(rows), framed(people), rules)
        return
    audit = ks.audit(framed(rows), framed(people), rules)
    assert audit.holds == all_hold(require, [*by_equal_cells(rows), *spans.values()])
    assert audit.k.people == min(map(len, [*by_equal_cells(rows), *spans.values()]))
    assert audit.exposed["label"] == sum(len(span) for span in spans.values() if len(set(span)) == 1)


@given(people=PEOPLE, rows=ROWS, counting=st.sampled_from(["rows", "people"]))
def test_knowing_the_people_only_finds_more(people: Any, rows: Any, counting: str) -> None:
    rules = policy("k=2", counting)
    try:
        known = ks.audit(framed(rows), framed(people), rules)
    except ks.DataError:
        return
    plain = ks.audit(framed(rows), rules)
    assert known.holds <= plain.holds
    assert known.k.rows <= plain.k.rows
    assert (known.rows, known.groups, known.utility) == (plain.rows, plain.groups, plain.utility)
