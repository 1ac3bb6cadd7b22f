"""C4.5 beside J48 of Weka 3.6.14 with its defaults, and beside the accuracy that the kACTUS paper prints for it."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.data.encode import encode
from kspan.induce.tree.c45 import c45
from kspan.model.predict import predicted
from kspan.model.tree.model import Tree
from papers.halvings import halvings

EIGHT = [
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
]  # fmt: skip


def learned(people: pl.DataFrame, **options: bool) -> Tree:
    *names, target = people.columns
    policy = ks.Policy(public=names, target=target, require="k=1")
    return c45(encode(people, policy), policy, **options)  # type: ignore[arg-type]


def accuracy(tree: Tree, people: pl.DataFrame) -> float:
    right = predicted(tree, people)[f"predicted: {tree.target}"] == people[tree.target].cast(pl.String)
    return float(np.mean(right.to_numpy()))


@pytest.mark.parametrize(
    ("names", "leaves", "right"), [(None, 560, 0.8531), (EIGHT, 209, 0.8240)], ids=["14 attributes", "8 categorical"]
)
def test_adult_gives_the_tree_of_j48(names: list[str] | None, leaves: int, right: float) -> None:
    """The official split without rows that miss a value."""
    train, test = (ks.datasets.load_adult(part, missing=False) for part in ("train", "test"))
    tree = learned(train if names is None else train.select(*names, "income"))
    assert len(tree.leaves) == leaves
    assert accuracy(tree, test) == pytest.approx(right, abs=5e-4)


@pytest.mark.slow
def test_adult_with_missing_values_gives_the_tree_of_j48() -> None:
    tree = learned(ks.datasets.load_adult("train"))
    assert len(tree.leaves) == 564
    assert accuracy(tree, ks.datasets.load_adult("test")) == pytest.approx(0.8585, abs=5e-4)


def table(folder: Path, name: str) -> pl.DataFrame:
    path = next(path for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if path.exists())
    people = pl.read_csv(path, null_values="?", infer_schema_length=None)
    people = people.drop("Id_number", strict=False)
    return people.with_columns(people[people.columns[-1]].cast(pl.String))


J48 = {
    "credit_approval": (29, 64, 31, 63),
    "pima_diabetes": (20, 122, 20, 122),
    "ionosphere": (18, 1, 18, 1),
    "nursery": (359, 242, 359, 242),
    "tic_tac_toe": (95, 60, 111, 56),
    "vehicle": (98, 26, 97, 28),
    "waveform": (330, 125, 332, 124),
    "german": (98, 145, 98, 145),
}
"""Leaves and training errors with and without subtree raising. Glass is left out: J48 takes numbers that differ by less
than 0.00001 for equal, which its refraction index does."""


@pytest.mark.slow
@pytest.mark.shared_data
@pytest.mark.parametrize("name", J48)
def test_tables_of_the_kactus_paper_give_the_trees_of_j48(shared_data: Path, name: str) -> None:
    people = table(shared_data, name)
    raised, plain = learned(people), learned(people, subtree_raising=False)
    wrong = [round((1 - accuracy(tree, people)) * people.height) for tree in (raised, plain)]
    assert (len(raised.leaves), wrong[0], len(plain.leaves), wrong[1]) == J48[name]


TABLE_2 = {
    "credit_approval": 85.08,
    "ionosphere": 89.08,
    "nursery": 95.84,
    "tic_tac_toe": 81.20,
    "waveform": 74.78,
    "german": 71.67,
    "adult": 85.96,
}
"""Kisilevich et al., Table 2, C4.5, k=1: 5x2 cross-validation."""

ON_THESE_FOLDS = {"pima_diabetes": 73.15, "glass": 62.15, "vehicle": 69.65}
"""What J48 reaches on the very folds below. The paper prints 75.17, 67.63 and 66.39 for these, which J48 misses too."""


def cross_validated(people: pl.DataFrame) -> float:
    """Five times two halves at random, in percent."""
    return float(100 * np.mean([accuracy(learned(train), test) for train, test in halvings(people)]))


@pytest.mark.slow
@pytest.mark.shared_data
@pytest.mark.parametrize("name", TABLE_2)
def test_accuracy_of_the_kactus_paper_under_cross_validation(shared_data: Path, name: str) -> None:
    people = ks.datasets.load_adult().drop("split") if name == "adult" else table(shared_data, name)
    assert cross_validated(people) == pytest.approx(TABLE_2[name], abs=1.5)


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ON_THESE_FOLDS)
def test_accuracy_of_j48_under_cross_validation(shared_data: Path, name: str) -> None:
    assert cross_validated(table(shared_data, name)) == pytest.approx(ON_THESE_FOLDS[name], abs=0.75)
