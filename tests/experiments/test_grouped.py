"""Trees of grouped values: measured on a few people, and what the results that are kept show."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kspan as ks
from experiments import census, scikit_tree
from experiments import trees_grouped as measuring
from experiments import trees_grouped_told as told
from experiments.data_sets import HOME, DataSet
from experiments.experiment import Block, read_rows, run

FULL = HOME / "experiments"
RESULTS = read_rows(FULL / "results" / f"{told.NAME}.csv")
COMPLETE = {split: ks.datasets.load_adult(split, missing=False).head(240) for split in ("train", "test")}
EVERYBODY = {split: ks.datasets.load_adult(split).head(240) for split in ("train", "test")}
INCOME = {"data": "adult", "target": "income"}
ASKED: list[Block] = [
    {**INCOME, "people": told.COMPLETE, "taxonomy": "none", "cells": told.AS_THEY_ARE, "k": 20},
    {**INCOME, "people": told.COMPLETE, "taxonomy": "shipped", "cells": told.AS_THEY_ARE, "k": 20},
    {**INCOME, "people": told.COMPLETE, "taxonomy": "none", "cells": told.ONE_MISSING, "k": 20},
    {**INCOME, "people": told.COMPLETE, "taxonomy": "none", "cells": told.ALL_MISSING, "k": 20},
    {**INCOME, "people": told.EVERYBODY, "taxonomy": "none", "cells": told.AS_THEY_ARE, "k": 20},
    {**INCOME, "target": "age", "people": told.COMPLETE, "taxonomy": "none", "cells": told.AS_THEY_ARE, "k": 20},
    {"data": "glass"},
]


def small(name: str) -> DataSet:
    people = COMPLETE["train"].select("age", "education", "sex", "hours-per-week", "income")
    return DataSet(name, people, "income", Path("nowhere"))


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """The rows of a run on 240 people."""
    asked = replace(measuring.EXPERIMENT, blocks=lambda quick: ASKED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(census, "people", COMPLETE.__getitem__)
        patch.setattr(census, "everybody", EVERYBODY.__getitem__)
        path = tmp_path_factory.mktemp("few") / "rows.csv"
        return run(asked, small, path, quick=True, tell=lambda *step, **named: None)


def test_every_tree_is_measured_and_keeps_its_crowd(few: pl.DataFrame) -> None:
    assert few.filter(taxonomy="none", k=20, target="income", people="complete", cells=told.AS_THEY_ARE)[
        "method"
    ].to_list() == [*told.METHODS, told.FLOOR]
    assert few.filter(target="age")["method"].to_list() == [told.GROUPED, told.SCIKIT, told.FLOOR]
    assert told.halves(few).height == 4 * 3 * len(told.METHODS)
    ours = few.filter(pl.col("method").is_in(told.OURS))
    assert (ours["k_reached"] >= ours["k"]).all()
    assert few.filter(pl.col("target") != "age")["error"].is_between(0, 1).all()


def test_the_page_and_the_chart_of_a_few_people_tell_everything(few: pl.DataFrame) -> None:
    page = told.found(few)
    for said in ("without missing values", "also people who miss a value", told.ONE_MISSING, told.ALL_MISSING):
        assert f"Adult, {said}" in page or f"Adult, people {said}" in page
    assert "| glass | 25 |" in page
    assert told.charts(few)["error"].to_dict()["title"]


def test_one_cell_is_missing_in_each_column_and_of_each_person() -> None:
    people = COMPLETE["train"]
    names = [name for name in people.columns if name not in ("income", measuring.NEVER_MISSING)]
    missing = measuring.one_missing(people, names)
    assert len(names) == 13
    assert sum(missing.null_count().row(0)) == 13
    assert missing.head(13).transpose().null_count().row(0) == (1,) * 13


def test_scikit_learns_tree_leaves_crowds_and_meets_words_that_it_does_not_know() -> None:
    age = pl.when(pl.col("age") > 20).then("age")  # numbers may be missing
    train, test = (people.with_columns(age) for people in EVERYBODY.values())
    tree = scikit_tree.grown(train, ["age", "education"], "income", 20, 4)
    assert min(np.unique(tree.tree.apply(tree.columns.of(train)), return_counts=True)[1]) >= 20
    assert len(tree.predict(test.with_columns(education=pl.lit("unheard")))) == test.height


def test_the_results_are_complete() -> None:
    asked = measuring.blocks(False)
    plain = [block for block in asked if block.get("taxonomy") == "none"]
    income = [block for block in asked if block.get("target") == "income"]
    numbers = len(told.NUMBERS) * len(told.KS)
    assert RESULTS.filter(target="income").height == 3 * len(income) + 2 * (len(plain) - numbers)
    assert RESULTS.filter(pl.col("target").is_in(told.NUMBERS)).height == 3 * numbers
    assert set(told.halves(RESULTS).group_by("data").len()["len"]) == {4 * 3 * len(told.METHODS)}


def test_the_page_is_that_of_the_results() -> None:
    assert told.found(RESULTS) in (FULL / "RESULTS.md").read_text(encoding="utf-8")


def error(people: str, taxonomy: str, cells: str, method: str) -> Mapping[int, float]:
    """Errors along k as the file of results has them, in hundredths of a percent."""
    rows = RESULTS.filter(target="income", people=people, taxonomy=taxonomy, cells=cells, method=method)
    return {row["k"]: round(10_000 * row["error"]) for row in rows.iter_rows(named=True)}


@pytest.mark.parametrize("k", told.KS)
def test_without_taxonomy_scikit_learns_tree_errs_no_less(k: int) -> None:
    ours, theirs = (error(told.COMPLETE, "none", told.AS_THEY_ARE, each)[k] for each in (told.GROUPED, told.SCIKIT))
    assert ours <= theirs


@pytest.mark.parametrize("taxonomy", census.TAXONOMIES)
@pytest.mark.parametrize("k", told.KS)
def test_with_taxonomies_kadet_by_c45_errs_no_less(k: int, taxonomy: str) -> None:
    ours, theirs = (error(told.COMPLETE, taxonomy, told.AS_THEY_ARE, each)[k] for each in (told.GROUPED, told.C45))
    assert ours <= theirs


@pytest.mark.parametrize("taxonomy", ["none", *census.TAXONOMIES])
@pytest.mark.parametrize("k", told.KS)
def test_one_missing_cell_in_each_of_13_columns_costs_little(k: int, taxonomy: str) -> None:
    less, more = (
        error(told.COMPLETE, taxonomy, cells, told.GROUPED)[k] for cells in (told.AS_THEY_ARE, told.ONE_MISSING)
    )
    assert more - less <= 100 * told.MOST_LOST


@pytest.mark.parametrize("method", told.OURS[1:])
def test_one_missing_cell_in_every_column_leaves_the_papers_trees_one_label(method: str) -> None:
    floor = error(told.COMPLETE, "none", told.AS_THEY_ARE, told.FLOOR)
    assert error(told.COMPLETE, "none", told.ALL_MISSING, method) == floor


def test_the_page_says_where_a_goal_is_missed() -> None:
    worse = RESULTS.with_columns(_worse())
    (said,) = (
        line for line in told.found(worse).splitlines() if line.startswith("`grouped` errs") and "but 50" in line
    )
    gap = (2000 - error(told.COMPLETE, "none", told.AS_THEY_ARE, told.SCIKIT)[50]) / 100
    assert f"at every k but 50 ({gap:.2f} points more)" in said


def _worse() -> pl.Expr:
    """Errors, with one of `grouped` that is far too large."""
    of_it = (pl.col("method") == told.GROUPED) & (pl.col("k") == 50) & (pl.col("taxonomy") == "none")
    whole = (pl.col("people") == told.COMPLETE) & (pl.col("cells") == told.AS_THEY_ARE)
    asked = of_it & whole & (pl.col("target") == "income")
    return pl.when(asked).then(0.2).otherwise(pl.col("error")).alias("error")


def test_the_page_names_every_data_set_on_which_ours_loses() -> None:
    mean = told.halves(RESULTS).group_by("data", "k", "method").agg(pl.col("error").mean())
    wide = mean.pivot("method", index=["data", "k"], values="error")
    page = told.found(RESULTS)
    for method in told.METHODS[1:]:
        (said,) = re.findall(rf"^- than {method}: (.*)$", page, re.MULTILINE) or [""]
        lost = wide.filter((10_000 * (pl.col(told.GROUPED) - pl.col(method))).round() > 0)
        gaps = re.findall(r"([\w-]+) at k = (\d+) \(\d+\.\d\d points\)", said)
        assert {(name, int(k)) for name, k in gaps} == set(lost.select("data", "k").iter_rows())


def test_every_error_of_the_notes_stands_in_the_tables() -> None:
    page = set(re.findall(r"\d+\.\d\d", told.found(RESULTS)))
    for kind in ("short", "differs"):
        said = set(re.findall(r"\d+\.\d\d", (FULL / "notes" / f"{told.NAME}-{kind}.md").read_text(encoding="utf-8")))
        assert said
        assert said <= page
