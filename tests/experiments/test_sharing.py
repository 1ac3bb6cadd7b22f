"""The experiments on sharing, on a table of a few people: every cell is measured, kept, drawn and told."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from experiments import sharing_generation, sharing_generation_told, sharing_pruning, sharing_pruning_told
from experiments.__main__ import FULL, main
from experiments.catalog import EXPERIMENTS
from experiments.data_sets import DataSet, load, parts
from experiments.experiment import SEED, Block, Experiment, holds, read_rows, run
from experiments.page import PUBLISHED, markdown, write_page

SHARING = (sharing_generation.EXPERIMENT, sharing_pruning.EXPERIMENT)
PEOPLE = load("adult").people.select("age", "education", "sex", "income").head(150)


def few(name: str) -> DataSet:
    return DataSet(name, PEOPLE, "income")


def asked(experiment: Experiment) -> list[Block]:
    if experiment.name == sharing_generation.EXPERIMENT.name:
        return [{"data": "adult", "fold": 0, "sources": 2}]
    one = {"data": "adult", "fold": 0, "sources": 1, "methods": "all"}
    return [{**one, "requirement": text} for text in ("recursive_cl=(20,2)", "simple_l=2")]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of both; the search that ends by the clock is given little time."""
    out = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing_pruning, "SECONDS", {1: 0.05})
        for each in SHARING:
            small = replace(each, blocks=lambda quick, each=each: asked(each))
            run(small, few, out / "results" / f"{each.name}.csv", quick=True, tell=lambda *step, **named: None)
    return out


def test_every_method_is_measured_with_every_model(results: Path) -> None:
    rows = read_rows(results / "results" / "sharing-generation.csv")
    wanted = {(method, model) for method in sharing_generation_told.METHODS for model in sharing_generation_told.MODELS}
    wanted |= {(method, "c45") for method in sharing_generation_told.VARIANTS}
    assert set(rows.select("method", "model").rows()) == wanted
    assert rows.height == len(wanted)
    assert rows.filter(method="basis")["class_match"].to_list() == [1.0] * 3
    assert rows.filter(method="basis", model="c45")["path_match"].item() == 1
    assert rows["seed"].unique().to_list() == [SEED]


def test_what_is_not_reached_is_a_row_without_accuracy(results: Path) -> None:
    rows = read_rows(results / "results" / "sharing-pruning.csv")
    assert rows.height == 2 * len(sharing_pruning_told.METHODS)
    gone = rows.filter(requirement="simple_l=2")  # three quarters earn at most 50K
    assert gone["reached"].to_list() == [0.0] * len(sharing_pruning_told.METHODS)
    assert gone["accuracy"].null_count() == gone.height
    assert gone["accuracy_or_majority"].min() == gone["accuracy_or_majority"].max() > 0.5
    there = rows.filter(requirement="recursive_cl=(20,2)")
    assert there.filter(method="ldm")["reached"].item() == 1
    assert (there["accuracy"].drop_nulls() == there.drop_nulls("accuracy")["accuracy_or_majority"]).all()


def test_finished_blocks_are_not_measured_again(results: Path) -> None:
    def refused(block: Block, data: object) -> list[dict[str, object]]:
        raise AssertionError("measured again")

    for each in SHARING:
        done = replace(each, blocks=lambda quick, each=each: asked(each), measure=refused)
        path = results / "results" / f"{each.name}.csv"
        before = path.read_bytes()
        run(done, few, path, quick=True, tell=lambda *step, **named: None)
        assert path.read_bytes() == before
    kept = read_rows(path)
    assert not holds(kept, {"data": "another"})
    assert not holds(kept.with_columns(seed=pl.lit(SEED + 1)), asked(each)[0])


def test_charts_and_the_page_tell_every_figure(results: Path) -> None:
    for each in SHARING:
        for chart in each.charts(read_rows(results / "results" / f"{each.name}.csv")).values():
            assert chart.to_dict()["title"]
    page = write_page(SHARING, results).read_text()
    stated = pl.read_csv(PUBLISHED / "004.csv")
    assert set(stated["experiment"]) == {each.name for each in SHARING}
    for statement in stated["statement"]:
        assert statement in page


@pytest.mark.slow
def test_the_page_that_is_kept_is_that_of_the_results_that_are_kept(tmp_path: Path) -> None:
    for folder in ("results", "charts"):
        (tmp_path / folder).symlink_to(FULL / folder)
    assert write_page(EXPERIMENTS.values(), tmp_path).read_text() == (FULL / "RESULTS.md").read_text()


def test_owners_share_people_evenly() -> None:
    owned = parts(PEOPLE.with_row_index(), 7, np.random.default_rng(0))
    assert sorted(part.height for part in owned) == [21] * 4 + [22] * 3
    assert sorted(pl.concat(owned)["index"]) == list(range(150))


@pytest.mark.slow
def test_the_command_lists_and_refuses(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(EXPERIMENTS)
    assert main(["run", "sharing-pruning", "--quick", "--data", str(tmp_path), "--out", str(tmp_path)]) == 2
    assert "--data" in capsys.readouterr().err


def test_a_share_is_a_percentage_and_a_gap_a_dash() -> None:
    assert markdown(["a", "b"], [("x", 0.5), ("y", None)]).splitlines()[2:] == ["| x | 50.0 |", "| y | - |"]
