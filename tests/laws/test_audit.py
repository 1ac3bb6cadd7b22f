"""The audit of a table, against definitions spelled out by brute force on small random tables."""

import json
from collections import Counter
from importlib import import_module
from itertools import product
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from laws import naive
from laws.examples import share_of_examples

pytestmark = pytest.mark.slow

PUBLIC = ["age", "sex", "zip"]
CELLS = {
    "age": st.sampled_from([23, 35, 47, None]),
    "sex": st.sampled_from(["F", "M", None]),
    "zip": st.sampled_from(["1", "2"]),
}
PEOPLE = st.lists(
    st.fixed_dictionaries({**CELLS, "illness": st.sampled_from(["flu", "ulcer", None])}), min_size=1, max_size=14
)
POLICY = ks.Policy(public=PUBLIC, private=["illness"], target="illness", require="k=3, distinct_l=2")


def framed(people: list[dict[str, Any]]) -> pl.DataFrame:
    kinds = {"age": pl.Int64 if all(isinstance(row["age"], int | None) for row in people) else pl.String}
    return pl.DataFrame(people, schema={"age": kinds["age"], "sex": pl.String, "zip": pl.String, "illness": pl.String})


def facts(audit: ks.Audit) -> dict[str, Any]:
    return json.loads(audit.to_json(), parse_constant=lambda word: AssertionError(word))


@given(people=PEOPLE)
def test_equals_the_definitions(people: list[dict[str, Any]]) -> None:
    crowds: dict[tuple[Any, ...], list[Any]] = {}
    for row in people:
        crowds.setdefault(tuple(row[name] for name in PUBLIC), []).append(row["illness"])
    groups = list(crowds.values())
    audit = ks.audit(framed(people), POLICY)
    good = [
        size and diverse
        for size, diverse in zip(
            naive.holds("k", 3, groups, distance=naive.equal_distance()),
            naive.holds("distinct_l", 2, groups, distance=naive.equal_distance()),
            strict=True,
        )
    ]
    risk = naive.risk(groups)
    assert audit.holds == all(good)
    assert (audit.people, audit.groups) == (len(people), len(groups))
    assert audit.k.rows == audit.k.people == min(map(len, groups))
    assert audit.failing_people == sum(len(group) for group, fine in zip(groups, good, strict=True) if not fine)
    assert audit.exposed == {"illness": naive.exposed(groups)}
    assert audit.risk.prosecutor.highest == float(risk["prosecutor_highest"])
    assert audit.risk.prosecutor.unique == risk["unique"]
    assert abs(audit.risk.marketer - float(risk["marketer"])) < 1e-12
    assert (audit.utility.cm, audit.utility.dm) == (naive.cm(groups), naive.dm(groups))


@given(people=PEOPLE, order=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(people: list[dict[str, Any]], order: Any) -> None:
    shuffled = people.copy()
    order.shuffle(shuffled)
    assert facts(ks.audit(framed(people), POLICY)) == facts(ks.audit(framed(shuffled), POLICY))


@given(people=PEOPLE)
def test_weights_equal_repeated_rows(people: list[dict[str, Any]]) -> None:
    counted = framed(people).group_by(pl.all(), maintain_order=True).len("n")
    weighted = facts(ks.audit(counted, ks.Policy(**{**vars(POLICY), "weight": "n"})))
    plain = facts(ks.audit(framed(people), POLICY))
    assert {**weighted, "rows": 0} == {**plain, "rows": 0}


@given(people=PEOPLE)
def test_each_row_gets_the_numbers_of_its_group(people: list[dict[str, Any]]) -> None:
    sizes = Counter(tuple(row[name] for name in PUBLIC) for row in people)
    rows = ks.audit(framed(people), POLICY).per_row
    assert rows["row"].to_list() == list(range(1, len(people) + 1))
    assert rows["group_size"].to_list() == [sizes[tuple(row[name] for name in PUBLIC)] for row in people]


STARRED = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from(["23", "35", "*"]),
            "sex": st.sampled_from(["F", "M", "*", None]),
            "zip": st.sampled_from(["1", "2", "*"]),
            "illness": st.sampled_from(["flu", "ulcer"]),
        }
    ),
    min_size=1,
    max_size=12,
)


def agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[name] == other[name] or "*" in (one[name], other[name]) for name in PUBLIC)


@pytest.mark.parametrize("at_once", [2, 4096])
@share_of_examples(0.4)
@given(people=STARRED)
def test_suppressed_cells_may_stand_for_anything(at_once: int, people: list[dict[str, Any]]) -> None:
    with patch.object(import_module("kspan.audit.table.crowd"), "AT_ONCE", at_once):
        check_suppressed_as_anything(people)


def check_suppressed_as_anything(people: list[dict[str, Any]]) -> None:
    matches = [frozenset(j for j, other in enumerate(people) if agree(row, other)) for row in people]
    shared = Counter(matches)
    audit = ks.audit(framed(people), ks.Policy(**{**vars(POLICY), "suppressed": "anything", "require": "k=3"}))
    assert audit.k.rows == min(map(len, matches))
    assert audit.k.people == min(shared.values())
    assert audit.holds == (min(map(len, matches)) >= 3)
    by_people = ks.audit(
        framed(people), ks.Policy(**{**vars(POLICY), "suppressed": "anything", "counting": "people", "require": "k=3"})
    )
    assert by_people.holds == (min(shared.values()) >= 3)
    exposed = sum(len({people[j]["illness"] for j in match}) == 1 for match in matches)
    assert audit.exposed == {"illness": exposed}
    values = Counter(tuple(row[name] for name in PUBLIC) for row in people)
    assert audit.suppressed is not None
    assert audit.suppressed.k_as_value.rows == min(values.values())
    assert audit.suppressed.cells == sum(row[name] == "*" for row in people for name in PUBLIC)


AGES = {"23": {23}, "35": {35}, "[20, 40]": {23, 35}, "{23|47}": {23, 47}, "*": {23, 35, 47, None}}
SEXES = {"F": {"F"}, "M": {"M"}, "*": {"F", "M", None}, None: {None}}
ZIPS = {"1": {"1"}, "2": {"2"}, "both": {"1", "2"}, "*": {"1", "2"}}


@given(
    released=st.lists(st.tuples(*map(st.sampled_from, (list(AGES), list(SEXES), list(ZIPS)))), min_size=1, max_size=8),
    everybody=st.lists(st.tuples(*CELLS.values()), min_size=1, max_size=20),
)
def test_journalist_risk_counts_who_fits_in_the_population(released: list[Any], everybody: list[Any]) -> None:
    release = pl.DataFrame(released, schema=dict.fromkeys(PUBLIC, pl.String), orient="row")
    population = pl.DataFrame(everybody, schema={"age": pl.Int64, "sex": pl.String, "zip": pl.String}, orient="row")
    policy = ks.Policy(
        public=PUBLIC,
        require="k=1",
        domains={"age": [0, 99]},
        hierarchies={"zip": ks.Hierarchy.of([("1", "both"), ("2", "both"), ("3", "3")])},
    )
    sizes = Counter(released)
    fitting = {
        shown: sum(
            age in AGES[shown[0]] and sex in SEXES[shown[1]] and place in ZIPS[shown[2]]
            for age, sex, place in everybody
        )
        for shown in sizes
    }
    expected = [1 / max(fitting[shown], sizes[shown]) for shown in released]
    assert ks.audit(release, policy, population=population).per_row["journalist_risk"].to_list() == expected


def test_every_combination_of_stars_in_two_columns() -> None:
    cells = list(product(["a", "b", "*"], repeat=2))
    frame = pl.DataFrame(cells, schema=["x", "y"], orient="row")
    audit = ks.audit(frame, ks.Policy(public=["x", "y"], require="k=2", suppressed="anything"))
    # (a, a) matches itself, (a, *), (*, a) and (*, *); everything else matches more.
    assert audit.k == ks.audit(frame.reverse(), ks.Policy(public=["x", "y"], require="k=2", suppressed="anything")).k
    assert (audit.k.rows, audit.k.people) == (4, 1)
