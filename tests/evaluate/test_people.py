"""Measuring models of people with several rows, and of people whose age is computed."""

from datetime import date

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.evaluate.cost import cost_curve
from kspan.evaluate.trial import Trial, parted
from kspan.evaluate.validation import halves

# Everybody has a label of their own habit: whoever knows the person knows the label.
PEOPLE = 60
VISITS = pl.DataFrame(
    [(f"p{one}", one % 7, date(1950 + one % 40, 3, 1), "yes" if (one // 3) % 2 else "no")
     for one in range(PEOPLE) for _ in range(1 + one % 4)],
    schema=["id", "ward", "born", "ill"], orient="row",
)  # fmt: skip
POLICY = ks.Policy(person="id", identifier=["born"], public=["ward"], target="ill", require="k=2")
WITH_AGE = ks.Policy(
    person="id", identifier=["born"], public=["ward", "age"], target="ill", require="k=2",
    ages={"age": {"born": "born", "on": "2026-01-01"}},
)  # fmt: skip


def test_all_rows_of_a_person_are_in_one_half() -> None:
    person = np.array([0, 0, 1, 2, 2, 2, 3, 4])
    for known, asked in halves(len(person), 0, person):
        assert sorted([*known, *asked]) == list(range(8))
        assert not set(person[known]) & set(person[asked])
        assert len(set(person[known])) in (2, 3)


def test_all_rows_of_a_person_are_in_one_part() -> None:
    person = np.repeat(np.arange(30), 3)
    known, asked = parted((person % 3 == 0).astype(np.uint8), 0.5, rng=np.random.default_rng(0), persons=person)
    assert not set(person[known]) & set(person[asked])
    assert len(set(person[asked])) == 15
    trial = Trial.of(VISITS, POLICY, 0.5, rng=np.random.default_rng(0))
    assert not set(trial.known["id"]) & set(trial.asked["id"])


def test_one_person_cannot_be_halved() -> None:
    with pytest.raises(ks.DataError, match="one person cannot be halved: give rows of at least two people"):
        ks.five_by_two(VISITS.filter(pl.col("id") == "p3"), POLICY, ["c45"])


def test_a_model_is_not_asked_about_people_whom_it_knows() -> None:
    """Whoever sees the id of a person in both halves could tell the label."""

    def by_id(known: pl.DataFrame, asked: pl.DataFrame) -> list[str]:
        labels = dict(known.select("id", "ill").iter_rows())
        return [labels.get(one, "unknown") for one in asked["id"]]

    assert ks.five_by_two(VISITS, POLICY, {"by id": by_id}).means["by id"] == 0.0


def test_ages_are_computed_before_people_are_divided() -> None:
    found = ks.five_by_two(VISITS, WITH_AGE, ["c45", "kadet"])
    assert set(found.means) == {"c45", "kadet"}
    assert cost_curve(VISITS, WITH_AGE, "kadet", ks=[2]).points[0].accuracy is not None
    release = ks.anonymize(VISITS, WITH_AGE, "mondrian", secret="1" * 32)
    compared = ks.compare(VISITS, {"k=2": release}, VISITS, WITH_AGE, ["c45"])
    assert compared.table["columns"].to_list() == [2, 2]
    assert compared.left_out == ()
