"""Datafly: step by step as its definition says."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given

import kspan as ks
from anonymize.full_domain.naive_levels import People
from anonymize.full_domain.worlds import cases, coded, generator, released, shown_by_person
from kspan.anonymize.full_domain.datafly import datafly
from kspan.errors import Unreachable

Case = tuple[pl.DataFrame, ks.Policy, People]


def naive_datafly(people: People) -> tuple[int, ...]:
    levels = [0] * len(people.public)
    while True:
        outcome = people.outcome(tuple(levels))
        if outcome.kept and outcome.withheld <= people.require["k"]:
            return tuple(levels)
        distinct = [
            len({people.cell(name, row[name], level) for row in people.rows}) if level < height else 0
            for name, level, height in zip(people.public, levels, people.heights, strict=True)
        ]
        levels[distinct.index(max(distinct))] += 1


@pytest.mark.slow
@given(case=cases())
def test_it_is_the_naive_one(case: Case) -> None:
    frame, policy, people = case
    table = coded(frame, policy)
    if not people.working(0):
        with pytest.raises(Unreachable):
            datafly(table, policy, rng=generator())
        return
    made = datafly(table, policy, rng=generator())
    levels = naive_datafly(people)
    assert tuple(made.facts["levels"].values()) == levels
    assert len(made.facts["steps"]) == sum(levels)
    kept = people.outcome(levels).kept
    expected = sorted(((*cells, row["ill"]) for cells, rows in kept.items() for row in rows), key=repr)
    assert shown_by_person(frame, policy, made.partition) == expected
    assert ks.audit(released(frame, policy, made.partition), policy).holds


def test_most_distinct_first_and_ties_in_the_policy_s_order() -> None:
    frame = pl.DataFrame({"town": list("xyxyxy"), "pay": [1, 1, 2, 2, 3, 3], "sex": list("FFMMFM")})
    policy = ks.Policy(public=["town", "sex", "pay"], require="k=1")
    assert datafly(coded(frame, policy), policy, rng=generator()).facts["steps"] == []
    policy = ks.Policy(public=["town", "sex", "pay"], require="k=3")
    made = datafly(coded(frame, policy), policy, rng=generator())
    assert made.facts["steps"] == ["pay", "town"]
    assert [made.partition.shown["sex"].label(group) for group in (0, 1)] == ["F", "M"]


def test_adult() -> None:
    frame = ks.datasets.load_adult("train", missing=False)
    policy = ks.datasets.adult_policy("k=10")
    made = datafly(coded(frame, policy), policy, rng=np.random.default_rng(0))
    assert made.partition.withheld <= 10
    assert ks.audit(released(frame, policy, made.partition), policy).holds
