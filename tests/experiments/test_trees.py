"""The experiments on anonymous trees and on every method, on a table of a few people."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

import kspan as ks
from experiments import (
    census,
    every_method,
    every_method_told,
    trees_confidence,
    trees_confidence_told,
    trees_k,
    trees_k_told,
    trees_spans,
    trees_spans_told,
    trees_table,
    trees_table_told,
)
from experiments.__main__ import FULL
from experiments.data_sets import DataSet
from experiments.experiment import Block, Kept, read_rows, run
from experiments.page import write_page
from experiments.stated import beside, difference, stated

FEW = {split: ks.datasets.load_adult(split, missing=False).head(240) for split in ("train", "test")}
OURS = {"taxonomy": "shipped"}
ASKED: dict[str, list[Block]] = {
    "trees-k": [{"attributes": 8, "taxonomy": "none", "k": 1}, {"attributes": 8, **OURS, "k": 20}],
    "trees-confidence": [{"attributes": 8, **OURS, "limit": limit} for limit in (9500, 6000)],
    "trees-table": [
        {**OURS, "attributes": "7 categorical", "method": method, "k": 10} for method in ("kadet", "k-optimize")
    ],
    "trees-spans": [{"attributes": 8, **OURS, "private": private, "k": 20} for private in (0, 2)],
    "every-method": [{**block, "k": 5} for block in every_method.blocks(True)],
}
EXPERIMENTS = [each.EXPERIMENT for each in (trees_k, trees_confidence, trees_table, trees_spans, every_method)]
TOLD = (trees_k_told, trees_confidence_told, trees_table_told, trees_spans_told)


def few(name: str) -> DataSet:
    people = FEW["train"].select("age", "education", "sex", "hours-per-week", "income")
    return DataSet(name, people, "occupation", Path("nowhere"))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the results of all; the search that ends by the clock is given little time."""
    out = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(census, "people", FEW.__getitem__)
        patch.setattr(census, "FEW", 50)
        patch.setattr(trees_table, "SECONDS", 0.05)
        patch.setattr(every_method, "SECONDS", {every_method.SOME: 0.05})
        for each in EXPERIMENTS:
            small = replace(each, blocks=lambda quick, each=each: ASKED[each.name])
            run(small, few, out / "results" / f"{each.name}.csv", quick=True, tell=lambda *step, **named: None)
        yield out


def rows(results: Path, name: str) -> pl.DataFrame:
    return read_rows(results / "results" / f"{name}.csv")


def test_trees_along_k_stand_beside_tables_and_plain_trees(results: Path) -> None:
    found = rows(results, "trees-k")
    assert found["method"].to_list() == ["id3", "c45", "kadet", "tds", "tds, both"]
    anonymous = found.filter(pl.col("k") == 20)
    assert anonymous["k_reached"].min() >= 20
    assert anonymous["exposed"].is_between(0, 1).all()
    assert found.filter(method="kadet")["root"].item() in census.EIGHT


def test_a_limit_that_cannot_be_kept_is_a_row_without_error(results: Path) -> None:
    found = rows(results, "trees-confidence")
    assert found["way"].to_list() == ["confidence", "entropy"] * 2
    assert found["reached"].to_list() == [True, True, False, False]
    assert found["error"].is_null().to_list() == [False, False, True, True]


def test_withheld_people_count_in_the_classification_metric(results: Path) -> None:
    found = rows(results, "trees-table")
    assert found["method"].to_list() == ["kadet", "k-optimize"]
    assert (found["cm"] >= found["withheld"]).all()


def test_private_attributes_leave_fewer_spans_than_leaves(results: Path) -> None:
    public, private = rows(results, "trees-spans").iter_rows(named=True)
    assert public["spans"] == public["peopled"]
    assert private["spans"] < private["peopled"]
    assert min(public["k_reached"], private["k_reached"]) >= 20


def test_every_method_is_measured_and_what_releases_nothing_is_a_gap(results: Path) -> None:
    found = rows(results, "every-method")
    told = every_method_told
    assert found["method"].to_list() == [told.RAW, told.FLOOR, *told.METHODS]
    nothing = found.filter(pl.col("accuracy").is_null())["method"].to_list()
    assert nothing == ["atp"]  # the tree of so few people has one leaf
    assert "Best: of trees" in told.found(found)


def test_a_new_method_is_measured_by_itself(tmp_path: Path) -> None:
    found = rows(FULL, "every-method")
    found.filter(pl.col("method") != "grouped").write_csv(tmp_path / "rows.csv")
    missing = Kept(tmp_path / "rows.csv", every_method.blocks(False)).missing
    assert {block["method"] for block in missing} == {"grouped"}
    assert len(missing) == every_method.ROUNDS * every_method.FOLDS * len(every_method.KS)


def test_every_method_is_told_as_it_was_measured() -> None:
    found, told = rows(FULL, "every-method"), every_method_told
    assert found.height == len(every_method.blocks(False))
    assert found["method"].head(3).to_list() == [told.RAW, told.FLOOR, told.TREE]
    assert told.found(found) in (FULL / "RESULTS.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("k", every_method.KS)
def test_trees_of_grouped_values_are_the_best_of_trees(k: int) -> None:
    mean = rows(FULL, "every-method").filter(k=k, kind="tree").group_by("method").agg(pl.col("accuracy").mean())
    assert mean.sort("accuracy")["method"].last() == "grouped"


def test_charts_and_the_page_tell_everything(results: Path) -> None:
    for each in EXPERIMENTS:
        for chart in each.charts(rows(results, each.name)).values():
            assert chart.to_dict()["title"]
    page = write_page(EXPERIMENTS, results).read_text()
    for paper in ("000", "001"):
        for statement in pl.read_csv(f"experiments/published/{paper}.csv", infer_schema=False)[
            "statement"
        ].drop_nulls():
            assert statement in page


@pytest.mark.parametrize("told", TOLD, ids=[told.NAME for told in TOLD])
def test_everything_that_was_published_has_ours_beside_it(told: ModuleType) -> None:
    kept = rows(FULL, told.NAME)
    ours = told.compared(kept)
    quantities = stated(told.NAME, told.PAPERS)["quantity"]
    assert set(quantities) <= {name for name, one in ours.items() if one is not None}
    assert "| - |" not in beside(told.NAME, told.PAPERS, ours)


def test_table_6_is_exact() -> None:
    kept = rows(FULL, "trees-table")
    ours = trees_table_told.compared(kept)
    assert [ours[f"Anonymous-DT, CM at k = {k}"] for k in trees_table_told.KS] == [5198, 5273, 5379, 5439]


def test_differences_are_signed_and_bounds_hold_or_not() -> None:
    assert difference("5460", 5380) == "-80"
    assert difference("less than 25", 23.08) == "holds"
    assert difference("75.1", 75.11) == "+0.01"


def test_taxonomies_of_the_papers_are_asked_for_by_name() -> None:
    with pytest.raises(ks.FileError, match="--data"):
        census.policy(census.EIGHT, "k=2", "papers", Path("nowhere"))
