"""Grades of people: what a model expects of them that was learned from others."""

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.anonymize import graded as module
from kspan.anonymize.graded import GRADES, graded
from kspan.data.encode import encode

pytestmark = pytest.mark.slow


def people(rows: int = 1500, labels: int = 2) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    age = rng.integers(0, 1000, rows)
    town = rng.choice(["ay", "by", "cy"], rows)
    chance = 1 / (1 + np.exp(-(age - 500) / 120 - (town == "ay")))
    label = rng.binomial(labels - 1, chance)
    return pl.DataFrame({"age": age, "town": town, "label": [f"l{one}" for one in label], "income": age * 2.0 + 7})


def grades_of(frame: pl.DataFrame, target: str, **more: str) -> list[np.ndarray]:
    policy = ks.Policy(public=["age", "town"], private=["label", "income"], target=target, require="k=5", **more)
    table = encode(frame, policy)
    return graded(table, [table["age"], table["town"]], table[target], np.random.default_rng(2))


@pytest.fixture(autouse=True)
def few_teach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST", 300)


@pytest.mark.parametrize("target", ["label", "income"])
def test_grades_follow_what_public_values_tell(target: str) -> None:
    frame = people()
    (grades,) = grades_of(frame, target)
    assert set(grades.tolist()) <= set(range(GRADES))
    assert np.corrcoef(grades, frame["age"])[0, 1] > 0.8


def test_each_of_several_labels_has_grades() -> None:
    found = grades_of(people(labels=4), "label")
    assert len(found) == 4


def test_labels_that_follow_from_nothing_get_no_grades() -> None:
    """Nobody's grade depends on the own label: a model would know its own people by heart."""
    rng = np.random.default_rng(3)
    frame = people().with_columns(label=pl.Series(rng.choice(["l0", "l1"], 1500)))
    (grades,) = grades_of(frame, "label")
    own = (frame["label"] == "l1").to_numpy()
    assert grades[own].mean() < grades[~own].mean() + 0.1


def test_too_few_kinds_or_too_many_labels_are_not_graded() -> None:
    assert grades_of(people(200), "label") == []
    assert grades_of(people().with_columns(label="x" + pl.col("income").cast(pl.String)), "label") == []
    assert grades_of(people().with_columns(label=pl.lit("l0")), "label") == []


def test_rows_in_another_order_and_weights_make_the_same_groups() -> None:
    frame = people().with_columns(pl.col("age") // 4)
    plain = ks.Policy(public=["age", "town"], target="label", private=["income"], require="k=6")
    weighted = ks.Policy(public=["age", "town"], target="label", private=["income"], require="k=6", weight="n")
    counted = frame.group_by(frame.columns, maintain_order=True).len("n")
    one, mixed, other = (
        ks.anonymize(rows, asked, "crowd", secret="0" * 32)
        for rows, asked in ((frame, plain), (frame.reverse(), plain), (counted, weighted))
    )
    assert one.facts["graded"]
    both = other.frame.select(pl.exclude("n").repeat_by("n").explode())
    for release in (mixed.frame, both):
        assert one.frame.sort(one.frame.columns).equals(release.select(one.frame.columns).sort(one.frame.columns))
