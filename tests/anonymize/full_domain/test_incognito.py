"""Incognito and the search for the optimum: the same as looking at every vector of levels, and what they refuse."""

import dataclasses
import math
from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from anonymize.full_domain.naive_levels import LOSSES, People, minimal
from anonymize.full_domain.worlds import cases, coded, generator, released, shown_by_person
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.full_domain import optimum
from kspan.anonymize.full_domain.incognito import incognito, minimal_vectors
from kspan.anonymize.full_domain.lattice import Lattice
from kspan.errors import PolicyError, Unreachable

Case = tuple[pl.DataFrame, ks.Policy, People]
SHARES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


def check_against_all(case: Case, made: Recoding, loss: str, allowance: int) -> None:
    """What was made is a vector that works, none is better, and the groups show just what it says."""
    frame, policy, people = case
    working = people.working(allowance)
    levels = tuple(made.facts["levels"][name] for name in policy.public)
    assert levels in working
    outcome = working[levels]
    assert made.facts["loss"][loss] == pytest.approx(outcome.loss[loss])
    assert outcome.loss[loss] == pytest.approx(min(other.loss[loss] for other in working.values()))
    assert made.partition.number == len(outcome.kept)
    expected = sorted(((*cells, row["ill"]) for cells, rows in outcome.kept.items() for row in rows), key=repr)
    assert shown_by_person(frame, policy, made.partition) == expected


@pytest.mark.slow
@given(case=cases(), loss=st.sampled_from(LOSSES), withhold=SHARES)
def test_auto_finds_the_optimum_of_all_vectors(case: Case, loss: Any, withhold: float) -> None:
    frame, policy, people = case
    if not people.working(0):
        with pytest.raises(Unreachable):
            incognito(coded(frame, policy), policy, rng=generator(), loss=loss, withhold=withhold)
        return
    made = incognito(coded(frame, policy), policy, rng=generator(), loss=loss, withhold=withhold)
    assert made.facts["optimum proved"]
    assert made.facts["vectors checked"] <= made.facts["lattice"]
    assert made.facts["lattice"] == math.prod(height + 1 for height in people.heights)
    check_against_all(case, made, loss, math.floor(withhold * len(people.rows) + 1e-9))


@pytest.mark.slow
@given(case=cases(), loss=st.sampled_from(LOSSES), withhold=SHARES)
def test_incognito_finds_all_minimal_vectors_and_the_optimum(case: Case, loss: Any, withhold: float) -> None:
    frame, policy, people = case
    allowance = math.floor(withhold * len(people.rows) + 1e-9)
    table = coded(frame, policy)
    if not people.working(0):
        return
    if allowance and set(people.require) != {"k"}:
        with pytest.raises(PolicyError, match="auto"):
            incognito(table, policy, rng=generator(), loss=loss, withhold=withhold, search="incognito")
        allowance, withhold = 0, 0.0
    made = incognito(table, policy, rng=generator(), loss=loss, withhold=withhold, search="incognito")
    check_against_all(case, made, loss, allowance)
    expected = minimal(list(people.working(allowance)))
    assert [tuple(vector[name] for name in policy.public) for vector in made.facts["minimal vectors"]] == expected
    if not allowance:
        assert minimal_vectors(table, policy) == made.facts["minimal vectors"]


@given(case=cases(), loss=st.sampled_from(LOSSES), withhold=SHARES, most=st.sampled_from([1, 10, 1000]))
def test_a_lattice_too_large_to_tag_is_searched_from_the_top(case: Case, loss: Any, withhold: float, most: int) -> None:
    frame, policy, people = case
    allowance = math.floor(withhold * len(people.rows) + 1e-9)
    if not people.working(0):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimum, "MOST_TAGGED", 0)
        patch.setattr(optimum, "MOST_CHECKED", most)
        made = incognito(coded(frame, policy), policy, rng=generator(), loss=loss, withhold=withhold)
    levels = tuple(made.facts["levels"][name] for name in policy.public)
    assert made.facts["loss"][loss] == pytest.approx(people.working(allowance)[levels].loss[loss])
    assert made.facts["optimum proved"] or most < 1000
    if made.facts["optimum proved"]:
        check_against_all(case, made, loss, allowance)


def test_more_attributes_than_arrays_have_axes() -> None:
    frame = pl.DataFrame({f"q{place}": ["x", "y"] if place % 20 else ["x", "x"] for place in range(70)})
    policy = ks.Policy(public=frame.columns, require="k=2")
    made = incognito(coded(frame, policy), policy, rng=generator())
    assert made.facts["loss"]["ncp"] == pytest.approx(66 / 70)
    assert made.facts["optimum proved"]


@pytest.mark.slow
@given(case=cases(), loss=st.sampled_from(LOSSES), withhold=SHARES, seed=st.integers(0, 9))
def test_the_order_of_rows_changes_nothing(case: Case, loss: Any, withhold: float, seed: int) -> None:
    frame, policy, people = case
    if not people.working(0):
        return
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    one, other = (
        incognito(coded(given, policy), policy, rng=generator(), loss=loss, withhold=withhold)
        for given in (frame, shuffled)
    )
    assert one.facts == other.facts
    assert shown_by_person(frame, policy, one.partition) == shown_by_person(shuffled, policy, other.partition)
    cells = [[made.partition.cells(group) for group in range(made.partition.number)] for made in (one, other)]
    assert cells[0] == cells[1]


@pytest.mark.slow
@given(case=cases(), withhold=SHARES)
def test_the_judge_accepts_the_release(case: Case, withhold: float) -> None:
    frame, policy, people = case
    if not people.working(0):
        return
    made = incognito(coded(frame, policy), policy, rng=generator(), withhold=withhold)
    assert ks.audit(released(frame, policy, made.partition), policy).holds


def test_incognito_s_patients() -> None:
    # Shaped as LeFevre et al., Fig. 1 and 2 (birth date, sex, zip code, with Z0 to Z2, B0 to B1, S0 to S1), k = 2.
    rows = [
        ("1/21/76", "Male", "53715"), ("4/13/86", "Female", "53715"), ("2/28/76", "Male", "53703"),
        ("1/21/76", "Male", "53703"), ("4/13/86", "Female", "53706"), ("2/28/76", "Female", "53706"),
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["birthdate", "sex", "zipcode"], orient="row").with_columns(
        disease=pl.Series(["Flu", "Hepatitis", "Bronchitis", "Broken Arm", "Sprained Ankle", "Hang Nail"])
    )
    zips = {"53715": "5371*", "53710": "5371*", "53706": "5370*", "53703": "5370*"}
    policy = ks.Policy(
        public=["birthdate", "sex", "zipcode"],
        private=["disease"],
        require="k=2",
        domains={"zipcode": sorted(zips)},
        hierarchies={"zipcode": ks.Hierarchy.of([(leaf, name, "537**") for leaf, name in zips.items()])},
    )
    found = minimal_vectors(coded(frame, policy), policy)
    # By hand: each of these makes groups of 2, and every finer one leaves somebody alone.
    assert sorted(tuple(vector.values()) for vector in found) == [(0, 1, 2), (1, 0, 2), (1, 1, 0)]
    # The paper's own steps for sex and zip code: <S1, Z0> and <S0, Z2> hold, <S0, Z0> and <S0, Z1> do not.
    pair = dataclasses.replace(policy, public=["sex", "zipcode"], identifier=["birthdate"], person=False)
    found = minimal_vectors(coded(frame, pair), pair)
    assert sorted(tuple(vector.values()) for vector in found) == [(0, 2), (1, 0)]


def two_of_a_kind() -> tuple[pl.DataFrame, ks.Policy]:
    frame = pl.DataFrame({"town": ["x", "x", "y"], "ill": ["flu", "cough", "flu"]})
    return frame, ks.Policy(public=["town"], private=["ill"], require="k=2")


def test_a_coarser_vector_may_bring_rows_back() -> None:
    frame, policy = two_of_a_kind()
    table = coded(frame, policy)
    assert incognito(table, policy, rng=generator(), withhold=0.5, loss="ncp").partition.withheld == 1
    assert incognito(table, policy, rng=generator(), withhold=0.5, loss="dm").partition.withheld == 1
    sure = pl.DataFrame({"town": ["x", "x", "y"], "ill": ["flu", "flu", "flu"]})
    labeled = ks.Policy(public=["town"], private=["ill"], target="ill", require="k=2")
    made = incognito(coded(sure, labeled), labeled, rng=generator(), withhold=0.5, loss="cm", search="incognito")
    assert made.partition.withheld == 0
    assert made.facts["levels"] == {"town": 1}
    assert made.facts["minimal vectors"] == [{"town": 0}]


def test_what_is_refused() -> None:
    frame, policy = two_of_a_kind()
    table = coded(frame, policy)
    with pytest.raises(PolicyError, match="did you mean 'ncp'"):
        incognito(table, policy, rng=generator(), loss="ncpp")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="did you mean 'auto'"):
        incognito(table, policy, rng=generator(), search="autos")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="target"):
        incognito(table, policy, rng=generator(), loss="cm")
    with pytest.raises(PolicyError, match="withhold must be a number from 0 to 1"):
        incognito(table, policy, rng=generator(), withhold=1.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("kspan.anonymize.full_domain.incognito"), "MOST_TAGGED", 1)
        with pytest.raises(Unreachable, match="too many"):
            minimal_vectors(table, policy)
    with pytest.raises(Unreachable, match="k=3"):
        incognito(table, ks.Policy(public=["town"], private=["ill"], require="k=4"), rng=generator())


def test_cells_that_are_general_already() -> None:
    jobs = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office")])
    frame = pl.DataFrame({"job": ["nurse", "health", "{nurse|clerk}", "{nurse|clerk}", "*", "*"]})
    policy = ks.Policy(public=["job"], require="k=2", hierarchies={"job": jobs})
    made = incognito(coded(frame, policy), policy, rng=generator())
    shown = made.partition.shown["job"]
    assert [shown.label(group) for group in made.partition.group] == ["health"] * 2 + ["{nurse|clerk}"] * 2 + ["*"] * 2


def test_keys_beyond_64_bits() -> None:
    rng = np.random.default_rng(1)
    columns = {f"q{place}": rng.integers(0, 250, 300).astype(str) for place in range(9)}
    frame = pl.DataFrame({**columns, "sex": ["F", "M"] * 150})
    policy = ks.Policy(public=[*columns, "sex"], require="k=5")
    lattice = Lattice(Crowds(coded(frame, policy), policy))
    wide = lattice.frequency_set((0,) * 9 + (1,))
    assert len(wide.people) == 300
    assert np.array_equal(lattice.place_in(wide), np.arange(300))
    made = incognito(coded(frame, policy), policy, rng=generator())
    assert made.facts["levels"]["sex"] == 0
    assert made.partition.number == 2


def test_progress_is_told() -> None:
    frame = ks.datasets.load_adult("train", missing=False).head(2000)
    policy = ks.datasets.adult_policy("k=3")
    told: list[str] = []
    made = incognito(coded(frame, policy), policy, rng=generator(), progress=told.append)
    assert len(told) == made.facts["vectors checked"] // 100 > 0
    assert told[0] == "100 vectors of levels looked at"


@pytest.mark.slow
@pytest.mark.parametrize("withhold", [0.0, 0.02, 1.0])
@pytest.mark.parametrize("require", ["k=10", "k=5, entropy_l[income]=1.3"])
def test_adult(require: str, withhold: float) -> None:
    frame = ks.datasets.load_adult("train", missing=False)
    whole = ks.datasets.adult_policy(require)
    public = ["age", "workclass", "education", "marital-status", "sex"]
    policy = ks.Policy(
        public=public,
        private=["income"],
        require=require,
        hierarchies={name: whole.hierarchies[name] for name in public},
    )
    frame = frame.select(*public, "income")
    made = incognito(coded(frame, policy), policy, rng=generator(), withhold=withhold)
    audit = ks.audit(released(frame, policy, made.partition), policy)
    assert audit.holds
    assert made.facts["optimum proved"]
    assert made.partition.withheld <= withhold * frame.height
    if withhold == 0.0:
        both = incognito(coded(frame, policy), policy, rng=generator(), search="incognito")
        assert both.facts["loss"]["ncp"] == pytest.approx(made.facts["loss"]["ncp"])
        assert made.facts["levels"] in both.facts["minimal vectors"]
        assert audit.utility.ncp == pytest.approx(made.facts["loss"]["ncp"])


def test_sizes_of_groups_are_those_of_the_release() -> None:
    frame, policy = two_of_a_kind()
    made = incognito(coded(frame, policy), policy, rng=generator())
    assert Counter(made.partition.group.tolist()) == {0: 3}
