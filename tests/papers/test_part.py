"""PART beside that of Weka 3.6.14 with its defaults, and beside the accuracy that the kACTUS paper prints for it.

Weka was run once, as `weka.classifiers.rules.PART -t TRAIN -T TEST` and `weka.classifiers.rules.ConjunctiveRule`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.data.encode import encode
from kspan.induce.lists.conjunctive import conjunctive
from kspan.induce.lists.part import part
from kspan.model.lists.model import DecisionList
from papers.halvings import halvings

pytestmark = pytest.mark.slow

EIGHT = [
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
]  # fmt: skip


def learned(people: pl.DataFrame, learner: Callable[..., DecisionList] = part, **options: Any) -> DecisionList:
    *names, target = people.columns
    policy = ks.Policy(public=names, target=target, require="k=1")
    return learner(encode(people, policy), policy, **options)


def accuracy(found: DecisionList, people: pl.DataFrame) -> float:
    told = np.array(found.labels)[found.of_people(people).argmax(axis=1)]
    return float(np.mean(told == people[found.target].cast(pl.String).to_numpy()))


@pytest.mark.parametrize(
    ("names", "missing", "rules", "right"),
    [(None, False, 994, 84.32), (EIGHT, False, 281, 82.48), (None, True, 776, 85.24)],
    ids=["14 attributes", "8 categorical", "with missing values"],
)
def test_adult_gives_about_the_rules_of_weka(names: list[str] | None, missing: bool, rules: int, right: float) -> None:
    """The official split; Weka's numbers of rules (the default is one) and its accuracy in percent on the test people.

    The first 560 of 994 rules are the same; then a tie within rounding is broken differently.
    """
    train, test = (ks.datasets.load_adult(one, missing=missing) for one in ("train", "test"))
    found = learned(train if names is None else train.select(*names, "income"))
    assert len(found.rules) + 1 == pytest.approx(rules, rel=0.02)
    assert 100 * accuracy(found, test) == pytest.approx(right, abs=0.3)
    assert found.people == train.height


def test_adult_gives_the_conjunctive_rule_of_weka() -> None:
    """Weka: Married-civ-spouse and education-num > 8.5 and age > 26.5 and hours-per-week > 8.5; 76.69% on the test."""
    train, test = (ks.datasets.load_adult(one, missing=False) for one in ("train", "test"))
    found = learned(train, conjunctive)
    asked = [found.attributes[one.attribute].name for one in found.rules[0].conditions]
    assert asked == ["marital-status", "education-num", "age", "hours-per-week"]
    assert 100 * accuracy(found, test) == pytest.approx(76.69, abs=0.7)


def table(folder: Path, name: str) -> pl.DataFrame:
    path = next(path for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if path.exists())
    people = pl.read_csv(path, null_values="?", infer_schema_length=None)
    people = people.drop("Id_number", strict=False)
    return people.with_columns(people[people.columns[-1]].cast(pl.String))


WEKA = {
    "credit_approval": (23, 45),
    "pima_diabetes": (13, 144),
    "ionosphere": (10, 1),
    "nursery": (202, 17),
    "tic_tac_toe": (49, 41),
    "vehicle": (29, 129),
    "waveform": (93, 365),
    "german": (78, 103),
}
"""Rules and training errors of Weka's PART."""


@pytest.mark.shared_data
@pytest.mark.parametrize("name", WEKA)
def test_tables_of_the_kactus_paper_give_the_rules_of_weka(shared_data: Path, name: str) -> None:
    people = table(shared_data, name)
    found = learned(people)
    assert (len(found.rules) + 1, round((1 - accuracy(found, people)) * people.height)) == WEKA[name]


TABLE_2 = {
    "credit_approval": 83.19,
    "ionosphere": 88.16,
    "nursery": 98.10,
    "tic_tac_toe": 89.24,
    "vehicle": 68.57,
    "waveform": 76.60,
    "german": 69.91,
}
"""Kisilevich et al., Table 2, PART, k=1: 5x2 cross-validation. Left out are Pima (74.88, here 72.1) and Glass (68.88,
here 63.9), where what the paper prints for C4.5 is missed by J48 itself as well."""


@pytest.mark.shared_data
@pytest.mark.parametrize("name", TABLE_2)
def test_accuracy_of_the_kactus_paper_under_cross_validation(shared_data: Path, name: str) -> None:
    found = [accuracy(learned(train), test) for train, test in halvings(table(shared_data, name))]
    assert 100 * np.mean(found) == pytest.approx(TABLE_2[name], abs=1.5)
