"""Samples: weights of rows that stand for a population give risks, and make no crowd larger."""

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.risk import individual_risk

SAMPLE = pl.DataFrame(
    {
        "A": ["2", "3", "2", "2", "3", "3", "1", "2"],
        "B": ["3", "3", "3", "3", "3", "3", "4", "3"],
        "C": ["1", "3", "1", "2", "1", "1", "1", "1"],
        "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0],
    }
)
"""The keys and weights of the tests of indivRisk in sdcMicro, whose expectations are below."""
HIDDEN = SAMPLE.with_columns(
    A=pl.Series(["2", "3", "2", "2", "3", "3", "1", "*"]), C=pl.Series(["1", "3", "*", "2", "1", "1", "*", "1"])
)
"""The same with three cells suppressed, which sdcMicro takes for anything."""
POLICY = ks.Policy(public=["A", "B", "C"], sampling_weight="w", require="k=2")


def test_frequencies_and_risks_are_those_of_sdcmicro() -> None:
    rows = ks.audit(SAMPLE, POLICY).per_row
    assert rows["sample"].to_list() == [3, 1, 3, 1, 2, 2, 1, 3]
    assert rows["population"].to_list() == [108.0, 45.5, 108.0, 17.0, 100.0, 100.0, 123.5, 108.0]
    exact = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]
    assert rows["individual_risk"].to_list() == pytest.approx(exact, abs=1e-8)


def test_suppressed_cells_of_a_sample_are_those_of_sdcmicro() -> None:
    rows = ks.audit(HIDDEN, replace(POLICY, suppressed="anything")).per_row
    assert [1 / size for size in rows["sample"]] == pytest.approx([1 / 3, 1, 1 / 4, 1 / 2, 1 / 3, 1 / 3, 1, 1 / 5])
    exact = [0.013552968, 0.085791288, 0.010504889, 0.032466112, 0.009756889, 0.009756889, 0.039316254, 0.005962551]
    assert rows["individual_risk"].to_list() == pytest.approx(exact, abs=1e-8)


def test_the_figures_of_a_sample() -> None:
    found = ks.audit(SAMPLE, POLICY)
    sampled = found.risk.sampled
    assert sampled is not None
    assert (sampled.population, sampled.smallest) == (394.0, 17.0)
    assert sampled.expected == pytest.approx(sum(found.per_row["individual_risk"]))
    assert sampled.highest == pytest.approx(0.17707583, abs=1e-8)


def people_of_a_town() -> pl.DataFrame:
    """A sample of 300 people, of whom most share their age and street with few others."""
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {"age": rng.poisson(40, 300), "street": rng.zipf(1.7, 300).clip(max=60), "w": np.full(300, 20.0)}
    )


def test_people_who_are_alone_in_the_population_are_estimated() -> None:
    town, policy = people_of_a_town(), ks.Policy(public=["age", "street"], sampling_weight="w", require="k=2")
    found = ks.audit(town, policy)
    assert found.risk.sampled is not None
    unique = found.risk.sampled.unique
    assert unique.model == "Pitman"
    assert 1 < unique.people < found.risk.prosecutor.unique
    assert unique.share == pytest.approx(unique.people / 300)
    told = json.loads(found.to_json())["risk"]["sampled"]["unique"]
    assert told == {"people": unique.people, "share": unique.share, "model": "Pitman"}
    everybody = ks.audit(town.with_columns(w=1.0), policy).risk.sampled
    assert everybody is not None
    assert (everybody.unique.people, everybody.unique.model) == (found.risk.prosecutor.unique, "counted")


def test_whoever_fits_others_is_not_alone_in_the_population() -> None:
    """Two people are alone in their cells, and one of them may be anybody."""
    frame = pl.DataFrame({"a": ["1", "*"], "w": [1.0, 1.0]})
    policy = ks.Policy(public=["a"], sampling_weight="w", require="k=1")
    for reading, people in (("value", 2.0), ("anything", 0.0)):
        found = ks.audit(frame, replace(policy, suppressed=reading)).risk.sampled
        assert found is not None
        assert (found.unique.people, found.unique.share) == (people, people / 2)


def test_weights_of_a_sample_make_no_crowd_larger() -> None:
    found = ks.audit(SAMPLE, POLICY)
    assert not found.holds
    assert (found.k.people, found.people, found.failing_people) == (1, 8, 3)
    assert "goes out as it is, and is taken to be unknown to an attacker" in found.assumptions[0]


@given(people=st.integers(1, 12), factor=st.floats(1.0, 60.0))
def test_the_individual_risk_is_the_mean_of_the_definition(people: int, factor: float) -> None:
    """F is at least `people`; its excess is negative binomial with the share of those who were drawn."""
    population = people * factor
    share = people / population
    terms = (
        math.exp(
            math.lgamma(total) - math.lgamma(people) - math.lgamma(total - people + 1)
            + people * math.log(share) + ((total - people) * math.log1p(-share) if share < 1 else 0.0)
        )
        / total
        for total in range(people, people + (1 if share == 1 else 20_000))
    )  # fmt: skip
    assert individual_risk(np.array([people]), np.array([population]))[0] == pytest.approx(math.fsum(terms), rel=1e-6)


def test_a_release_of_a_sample() -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"age": rng.integers(20, 60, 200), "sex": rng.choice(["F", "M"], 200), "pweight": rng.uniform(0.4, 90, 200)}
    )
    policy = ks.Policy(public=["age", "sex"], sampling_weight="pweight", require="k=5")
    release = ks.anonymize(frame, policy, "mondrian")
    assert release.audit.k.rows >= 5
    assert sorted(release.frame["pweight"]) == sorted(frame["pweight"])
    assert release.audit.risk.sampled is not None
    assert release.audit.risk.sampled.smallest >= 5


def test_what_is_refused() -> None:
    with pytest.raises(ks.DataError, match=r"is no count of people in 2 rows.*for the weights of a sample there is"):
        ks.audit(SAMPLE, ks.Policy(public=POLICY.public, weight="w", require="k=2"))
    for wrong in (-1.0, float("nan"), float("inf"), None):
        bad = SAMPLE.with_columns(w=pl.Series([wrong, *SAMPLE["w"][1:]]))
        with pytest.raises(ks.DataError, match="is no number from 0 on in 1 rows"):
            ks.audit(bad, POLICY)
    for other in ({"weight": "n"}, {"person": "n"}):
        with pytest.raises(ks.PolicyError, match="gives a sampling_weight and a"):
            ks.Policy(public=["A"], sampling_weight="w", require="k=2", **other)  # type: ignore[arg-type]


def test_somebody_is_found_in_a_household() -> None:
    """Of three people who each hide among two, hardly any household of three is safe."""
    frame = pl.DataFrame({"home": [1, 1, 1, 2, 2, 3, None], "sex": ["F", "F", "M", "M", "M", "F", "M"]})
    policy = ks.Policy(household="home", public=["sex"], require="k=2")
    found = ks.audit(frame, policy)
    assert found.identifiers == ("home",)
    homes = found.risk.households
    assert homes is not None
    each = [1 - (2 / 3) ** 2 * (3 / 4), 1 - (3 / 4) ** 2, 1 / 3, 1 / 4]
    assert (homes.households, homes.highest) == (4, pytest.approx(each[0]))
    assert homes.expected == pytest.approx(sum(each))
    release = ks.anonymize(frame, policy, "mondrian")
    assert release.frame.columns == ["sex"]
    assert release.audit.risk.households == homes
    alone = ks.audit(pl.DataFrame({"home": [1, 1], "sex": ["F", "M"]}), policy).risk.households
    assert alone is not None
    assert alone.expected == 1.0
