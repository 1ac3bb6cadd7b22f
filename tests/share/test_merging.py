"""One model of many trees, by every learner, from every kind of place."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.datasets import load_adult
from kspan.errors import FileError, ModelError, PolicyError
from kspan.induce.methods import learn
from kspan.induce.tree.c45 import c45
from kspan.model.committee.model import Committee
from kspan.model.models import load_model, save_model
from kspan.model.predict import predicted
from kspan.model.tree.json import save_tree
from kspan.model.tree.model import Tree
from kspan.model.tree.release import TreeRelease
from kspan.policy import Policy
from kspan.share.merging import MERGERS, merge_trees, pseudo_data
from kspan.share.source import Source

ATTRIBUTES = ["age", "education-num", "marital-status", "hours-per-week", "sex"]
TARGET = "income"


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return load_adult("train").select(*ATTRIBUTES, TARGET)[:4000]


@pytest.fixture(scope="module")
def trees(people: pl.DataFrame) -> list[Tree]:
    schema = Schema(public=ATTRIBUTES, target=TARGET)
    return [c45(encode(people[part::2], schema), schema, min_rows=20) for part in (0, 1)]


def accuracy(model: Any, people: pl.DataFrame) -> float:
    return float((predicted(model, people)[f"predicted: {TARGET}"] == people[TARGET].cast(str)).mean())  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("method", MERGERS)
def test_every_method_gives_a_model_that_predicts_and_survives_a_file(
    method: str, trees: list[Tree], people: pl.DataFrame, tmp_path: Path
) -> None:
    model = merge_trees(trees, method)
    assert accuracy(model, people) > 0.76
    save_model(model, tmp_path / "global.json")
    again, labels = load_model(tmp_path / "global.json"), f"predicted: {TARGET}"
    assert (predicted(again, people)[labels] == predicted(model, people)[labels]).all()


def test_a_tree_of_one_source_is_found_again(trees: list[Tree], people: pl.DataFrame) -> None:
    model = merge_trees(trees[0], "c45", min_rows=20)
    assert isinstance(model, Tree)
    assert accuracy(model, people) > accuracy(trees[0], people) - 0.02


def test_the_same_seed_gives_the_same_model(trees: list[Tree]) -> None:
    for method in ("c45", "conjunctive"):
        assert merge_trees(trees, method, rng=3) == merge_trees(trees, method, rng=3)
    assert merge_trees(trees, rng=3) != merge_trees(trees, rng=4)


def test_trees_may_be_given_in_any_way(trees: list[Tree], tmp_path: Path) -> None:
    save_tree(TreeRelease(trees[0]), tmp_path / "a.json")
    save_tree(TreeRelease(trees[1]), tmp_path / "b.json")
    wanted = pseudo_data([tmp_path / "a.json", str(tmp_path / "b.json")])
    for given in [
        tmp_path,
        f"file://{tmp_path}",
        [Source("a", TreeRelease(trees[0])), TreeRelease(trees[1])],
        [tmp_path / "a.json", trees[1]],
    ]:
        found = pseudo_data(given)  # type: ignore[arg-type]
        assert found.height == wanted.height == 4000
        assert found.columns == [*ATTRIBUTES, TARGET]
    with pytest.raises(FileError, match="given twice"):
        pseudo_data([tmp_path / "a.json", trees[1], tmp_path / "a.json"])
    with pytest.raises(ModelError, match="a dict is no tree"):
        pseudo_data([{}])  # type: ignore[list-item]
    with pytest.raises(ModelError, match="no tree to pool"):
        pseudo_data([])


def test_pseudo_data_can_be_learned_from_as_any_table(trees: list[Tree], people: pl.DataFrame) -> None:
    found = pseudo_data(trees, rows=3000)
    policy = Policy(public=ATTRIBUTES, target=TARGET, require="k=2")
    assert accuracy(learn(found, policy, "naive-bayes", numbers="binned"), people) > 0.7
    assert pseudo_data(trees, method="basegen", rows=500).height == 500


def test_basegen_can_be_learned_from(trees: list[Tree], people: pl.DataFrame) -> None:
    assert accuracy(merge_trees(trees, generator="basegen", rows=4000), people) > 0.6


@pytest.mark.parametrize(
    ("method", "options", "says"),
    [
        ("kadet", {}, "kadet keeps a requirement, and pseudo-people need no privacy"),
        ("kadet-c45", {}, "kadet-c45 keeps a requirement"),
        ("c4.5", {}, "no method 'c4.5' to merge trees .did you mean 'c45'"),
        ("c45", {"min_row": 3}, "c45 has no option 'min_row' .did you mean 'min_rows'"),
        ("c45", {"generator": "pgn"}, "the generator cannot be 'pgn' .did you mean 'pgen'"),
        ("bagging", {"rows": 5}, "leave out rows and options"),
        ("bagging", {"min_rows": 5}, "leave out rows and options"),
    ],
)
def test_what_cannot_be_done_is_refused(method: str, options: dict[str, Any], says: str, trees: list[Tree]) -> None:
    with pytest.raises(PolicyError, match=says):
        merge_trees(trees, method, **options)


def test_trees_that_tell_only_labels_can_vote(trees: list[Tree], people: pl.DataFrame) -> None:
    model = merge_trees([tree.disclosing("label") for tree in trees], "bagging")
    assert isinstance(model, Committee)
    assert np.unique(model.of_people(people).round(3)).tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(ModelError, match="ask its owner for hit-miss or counts, or let the trees vote"):
        merge_trees([tree.disclosing("label") for tree in trees])
