"""Every method that makes tables anonymous, on random tables: what it releases holds, and it tells the truth."""

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.cells import Anything, Between, Exact, OneOf, number, read_cell
from kspan.privacy import Requirement
from kspan.tables.methods import APART, methods
from laws.asked import KEYS, asked, of_crowds
from laws.examples import share_of_examples

pytestmark = pytest.mark.slow

FEW = 0.2
"""Of the examples of a law, for each method, which has laws of its own besides."""
FEWER = FEW / 4
"""The same for each method with each kind of requirement."""
TOWNS = ks.Hierarchy.of([("ay", "north"), ("by", "north"), ("cy", "south"), ("dy", "south")])
RANGES = ks.Hierarchy.of([(str(value), "low" if value < 4 else "high") for value in range(8)])


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Few values, many ties, some missing; a label, a private number, and a name."""
    gaps = draw(st.booleans())
    rows = draw(st.integers(4, 30))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(st.none() | values if gaps else values, min_size=rows, max_size=rows))

    return pl.DataFrame(
        {
            "name": [f"person {number}" for number in range(rows)],
            "age": pl.Series(column(st.integers(0, 7)), dtype=pl.Int64),
            "town": pl.Series(column(st.sampled_from(["ay", "by", "cy", "dy"])), dtype=pl.String),
            "color": pl.Series(column(st.sampled_from(["red", "blue", "green"])), dtype=pl.String),
            "income": pl.Series(draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)), dtype=pl.Int64),
            "label": pl.Series(draw(st.lists(st.sampled_from("uv"), min_size=rows, max_size=rows)), dtype=pl.String),
        }
    )


def policy(require: str | Requirement, **more: Any) -> ks.Policy:
    return ks.Policy(
        identifier=["name"],
        public=["age", "town", "color"],
        private=["income"],
        target="label",
        require=require,
        hierarchies={"town": TOWNS},
        **more,
    )


@share_of_examples(FEWER)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("method", methods())
@given(people=tables(), data=st.data(), seed=st.integers(0, 3))
def test_what_is_released_holds_and_is_true(
    method: str, key: str, people: pl.DataFrame, data: st.DataObject, seed: int
) -> None:
    rules = policy(of_crowds(2, data.draw(asked(key, "label"))))
    try:
        release = ks.anonymize(people, rules, method, secret=f"{seed:032x}")
    except ks.Unreachable:
        return
    assert ks.audit(release.frame, rules).holds
    assert release.frame.height + release.withheld == people.height
    assert release.frame.columns == [name for name in people.columns if name != "name"]
    # No private row is changed or invented, and none is lost but those withheld.
    private = Counter(people.select("income", "label").rows())
    assert not Counter(release.frame.select("income", "label").rows()) - private
    kept = ks.anonymize(people, rules, method, secret=f"{seed:032x}", keep_order=True)
    assert_cells_admit(people, kept.frame, kept.partition.group)
    again = ks.anonymize(people, rules, method, secret=f"{seed:032x}")
    assert again.frame.equals(release.frame)
    assert again.manifest() == release.manifest()


def assert_cells_admit(people: pl.DataFrame, shown: pl.DataFrame, group: Any) -> None:
    """Every cell admits the value that it stands for."""
    source = people.filter(pl.Series(np.asarray(group) >= 0))
    for name in ("age", "town", "color"):
        for value, cell in zip(source[name].to_list(), shown[name].to_list(), strict=True):
            if cell is None:
                assert value is None
                continue
            match read_cell(cell):
                case Anything():
                    pass
                case Between(low, high):
                    assert value is not None
                    assert low <= value <= high
                case OneOf(values):
                    assert value is not None
                    assert str(value) in values
                case Exact(text):
                    assert value is not None
                    in_hierarchy = name == "town" and TOWNS.values.index(value) in TOWNS.members.get(text, ())
                    assert text == str(value) or in_hierarchy or number(text) == value


@share_of_examples(FEWER)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("method", methods())
@given(people=tables(), data=st.data())
def test_who_counts_people_gets_people_or_nothing(
    method: str, key: str, people: pl.DataFrame, data: st.DataObject
) -> None:
    require = of_crowds(2, data.draw(asked(key, "label")))
    rules = policy(require, counting="people")
    try:
        release = ks.anonymize(people, rules, method, secret="0" * 32)
    except ks.Unreachable as refused:
        # Groups of some methods may always overlap, and those of cuts where a cell hides a missing value.
        overlap = method not in APART or (method in ("mondrian", "crowd") and sum(people.null_count().row(0)) > 0)
        assert ("overlap" in str(refused)) <= overlap  # noqa: PT017
        return
    inside = people.filter(pl.Series(release.partition.group >= 0))
    assert ks.audit(release, inside).holds
    k = next(part.k for part in require.parts if isinstance(part, ks.KAnonymity))
    assert ks.audit(release, inside).k.people >= k


@share_of_examples(FEW)
@pytest.mark.parametrize("method", methods())
@given(people=tables())
def test_what_cannot_be_reached_is_refused(method: str, people: pl.DataFrame) -> None:
    with pytest.raises(ks.Unreachable, match=f"reach k={people.height}"):
        ks.anonymize(people, policy(f"k={people.height + 1}"), method)


@share_of_examples(FEW)
@pytest.mark.parametrize("method", methods())
@given(people=tables())
def test_weights_count_people(method: str, people: pl.DataFrame) -> None:
    weighted = people.with_columns(n=pl.lit(3))
    rules = ks.Policy(
        identifier=["name"],
        public=["age", "town", "color"],
        private=["income"],
        target="label",
        weight="n",
        require="k=6",
        hierarchies={"town": TOWNS},
    )
    release = ks.anonymize(weighted, rules, method, secret="0" * 32)
    assert ks.audit(release.frame, rules).holds


def test_a_secret_makes_the_same_table_again_and_cannot_be_small() -> None:
    people = ks.datasets.mortgage().drop("Name", "Sports car")
    asked = ks.Policy(public=["Gender", "Married", "Age"], private=["Loan risk"], require="k=3")
    first, other = (ks.anonymize(people, asked, "mondrian") for _ in range(2))
    again = ks.anonymize(people, asked, "mondrian", secret=first.secret)
    assert first.frame.equals(again.frame)
    assert first.secret != other.secret
    for small in ("7", 7, "g" * 32, "7" * 31):
        with pytest.raises(ks.PolicyError, match="at least 32 hexadecimal digits"):
            ks.anonymize(people, asked, "mondrian", secret=small)  # type: ignore[arg-type]
