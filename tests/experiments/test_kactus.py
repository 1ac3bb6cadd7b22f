"""The experiments on kACTUS and on general cells, on few people: measured, told, and set beside the papers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from experiments import (
    crowded_learning,
    general_cells,
    kactus_data_sets,
    kactus_data_sets_told,
    kactus_methods,
    kactus_scale,
)
from experiments.beside import Printed, chance, printed, verdict
from experiments.catalog import EXPERIMENTS
from experiments.data_sets import DATA, DataSet, load
from experiments.experiment import Block, Experiment, read_rows, run
from experiments.page import PUBLISHED, write_page

PEOPLE = load("adult-income").people.head(300)
FEW = PEOPLE.select("age", "education", "sex", "income").head(120)


def few(name: str) -> DataSet:
    return DataSet(name, FEW, "income")


def wide(name: str) -> DataSet:
    return DataSet(name, PEOPLE, "income")


def wanted(experiment: Experiment) -> list[Block]:
    adult = {"data": "adult-income"}
    if experiment is kactus_data_sets.EXPERIMENT:
        kinds = [(1, "c45"), (5, "c45"), (5, "others"), (5, "c45, alike"), (5, "others, alike"), (5, "options")]
        return [{**adult, "k": k, "measured": measured} for k, measured in kinds]
    if experiment is kactus_methods.EXPERIMENT:
        kinds = [
            ("kactus", 10),
            ("tables", 10),
            ("kadet", 1),
            ("mondrian", 1),
            ("others", 1),
            ("alike", 1),
            ("others, alike", 1),
            ("by label", 1),
            ("others' tables", 1),
        ]
        asked: list[Block] = [
            {**adult, "public": 11, "k": 5, "measured": each, "halves": folds} for each, folds in kinds
        ]
        return [
            *asked,
            *(
                {**adult, "public": 14, "k": 20, "measured": each, "halves": 2}
                for each in ("kactus", "alike", "tables", "kadet")
            ),
        ]
    return [{**adult, "factor": factor} for factor in (1, 2)]


KACTUS = [kactus_data_sets.EXPERIMENT, kactus_methods.EXPERIMENT, kactus_scale.EXPERIMENT]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of all; three attributes are what is public."""
    out = tmp_path_factory.mktemp("kactus")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kactus_methods, "PUBLIC", {11: ("age", "education")})
        patch.setattr(kactus_methods, "SUPPRESSING", kactus_methods.SUPPRESSING[:1])
        patch.setattr(kactus_data_sets, "ROUNDS", dict.fromkeys(kactus_data_sets.ROUNDS, 1))
        for each in KACTUS:
            small = replace(each, blocks=_fixed(wanted(each)))
            data = wide if each is kactus_scale.EXPERIMENT else few
            run(small, data, out / "results" / f"{each.name}.csv", quick=True, tell=lambda *step, **named: None)
    return out


def _fixed(asked: Sequence[Block]) -> Callable[[bool], Sequence[Block]]:
    return lambda quick: asked


def test_ways_meet_on_the_same_halves() -> None:
    halves = list(crowded_learning.halvings(11, 5))
    assert len(halves) == 10
    for known, asked in halves:
        assert sorted(known + asked) == list(range(11))
    assert halves[0] == halves[1][::-1]
    assert halves[:4] == list(crowded_learning.halvings(11, 2))


@pytest.mark.slow
def test_every_kind_of_block_is_measured(results: Path) -> None:
    rows = read_rows(results / "results" / "kactus-data-sets.csv")
    names = {"original", *kactus_data_sets_told.WAYS, *(way.name for way in crowded_learning.OPTIONS)}
    assert set(rows["method"]) == names
    assert set(rows["inducer"]) == {"c45", *kactus_data_sets.OTHERS}
    assert rows["accuracy"].is_between(0.4, 1).all()
    methods = read_rows(results / "results" / "kactus-methods.csv")
    assert {"tds", "tds, suppressing", "kadet", "mondrian"} <= set(methods["method"])
    scale = read_rows(results / "results" / "kactus-scale.csv")
    assert scale["rows"].to_list() == [300, 600]


def test_the_page_sets_ours_beside_theirs(results: Path) -> None:
    for each in KACTUS:
        for chart in each.charts(read_rows(results / "results" / f"{each.name}.csv")).values():
            assert chart.to_dict()["title"]
    page = write_page(KACTUS, results).read_text()
    for statement in pl.read_csv(PUBLISHED / "003.csv")["statement"]:
        assert statement in page
    for words in ("85.88 ± 0.21", "within the published interval or better in", "5x2 F test", "Bonferroni-Dunn"):
        assert words in page


def test_published_tables_are_whole() -> None:
    rows = pl.read_csv(PUBLISHED / "003-accuracy.csv", schema_overrides={"public": pl.String})
    assert rows["table"].value_counts(sort=True).sort("table").rows() == [(2, 240), (3, 234), (4, 162), (5, 72)]
    assert rows["accuracy"].is_between(29, 99).all()
    # Both tables print Adult with all attributes public.
    both = rows.filter(pl.col("method") == "kactus", pl.col("public") == "14", pl.col("k").is_in([5, 20]))
    assert both.group_by("inducer", "k").agg(pl.col("accuracy").n_unique())["accuracy"].max() == 1


def test_an_interval_admits_what_is_better() -> None:
    theirs = {("c45", 5): Printed(0.8, 0.02), ("c45", 9): Printed(0.8, 0.02)}
    ours = {("c45", 5): {"accuracy": 0.78}, ("c45", 9): {"accuracy": 0.7799}}
    said = verdict(theirs, ours, str)
    assert said.startswith("1 of 2 (50%); not: ('c45', 9)")
    assert len(printed("inducer", "public", "k", table=3, method="kactus")) == 72


def test_chance_needs_five_rounds() -> None:
    ten = " ".join(f"{each:.4f}" for each in np.linspace(0.5, 0.6, 10))
    assert chance({"folds": ten}, {"folds": ten}) == 1
    assert chance({"folds": ten}, {"folds": "0.5 0.5"}) is None
    assert chance({"folds": ten}, None) is None


@pytest.mark.slow
def test_sets_are_counted_in_every_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    halves = PEOPLE.drop_nulls()[:150], PEOPLE.drop_nulls()[150:]
    monkeypatch.setattr(general_cells, "_adult", lambda: halves)
    asked: list[Block] = [{"k": 1, "public": 6}, {"k": 4, "public": 6}, {"k": 64, "public": 6}, {"k": 64, "public": 7}]
    small = replace(general_cells.EXPERIMENT, blocks=_fixed(asked))
    rows = run(small, few, tmp_path / "results" / "general-cells.csv", quick=True, tell=lambda *step, **named: None)
    assert set(rows["method"]) == {"original", *general_cells.WAYS}
    for chart in general_cells.EXPERIMENT.charts(rows).values():
        assert chart.to_dict()["title"]
    page = write_page([general_cells.EXPERIMENT], tmp_path).read_text()
    for statement in pl.read_csv(PUBLISHED / "002.csv")["statement"]:
        assert statement in page
    assert "80.96 published" in page


def test_large_tables_keep_three_cells_of_somebody() -> None:
    names = list(kactus_scale.SEVEN)
    large = kactus_scale.enlarged(PEOPLE.select(*names, "income"), 3, np.random.default_rng(0))
    again = pl.concat([PEOPLE] * 3)
    same = sum((large[name] == again[name]).cast(pl.Int64) for name in names)
    assert large.height == 900
    assert int(same.min()) == kactus_scale.KEPT  # type: ignore[arg-type]


@pytest.mark.shared_data
@pytest.mark.skipif(not DATA.exists(), reason="the papers' data sets are not here")
def test_data_sets_have_the_sizes_of_their_description() -> None:
    sizes = {name: load(name).people.shape for name in kactus_data_sets.SMALL}
    assert sizes == {
        "credit": (690, 16), "pima": (768, 9), "glass": (214, 10), "ionosphere": (351, 35), "nursery": (12960, 9),
        "tic-tac-toe": (958, 10), "vehicle": (846, 19), "waveform": (5000, 41), "german": (1000, 21),
    }  # fmt: skip
    assert sum(load("german").people[name].dtype.is_numeric() for name in load("german").attributes) == 7


def test_all_of_them_are_listed() -> None:
    assert {each.name for each in KACTUS} | {"general-cells"} <= set(EXPERIMENTS)
