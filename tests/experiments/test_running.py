"""Blocks of an experiment are kept as they are done, in whatever order, and read in the order of the experiment."""

from pathlib import Path

import polars as pl
import pytest

from experiments import __main__ as command
from experiments.data_sets import DATA
from experiments.experiment import SEED, Block, Kept, read_rows
from experiments.running import run_all

BLOCKS: list[Block] = [{"data": "car", "k": k} for k in (2, 5, 10)]


def rows(block: Block) -> list[dict[str, object]]:
    return [{**block, "accuracy": place / 10, "seed": SEED} for place in range(2)]


def test_rows_are_in_the_order_of_blocks_whichever_was_done_first(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "rows.csv", BLOCKS)
    for done, block in enumerate(reversed(BLOCKS)):
        assert kept.done == done
        kept.add(rows(block))
    assert kept.in_order()["k"].to_list() == [2, 2, 5, 5, 10, 10]
    assert read_rows(kept.path).equals(kept.table)
    assert kept.table["accuracy"].to_list() == [0.0, 0.1] * 3


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    Kept(tmp_path / "rows.csv", BLOCKS).add(rows(BLOCKS[1]))
    again = Kept(tmp_path / "rows.csv", BLOCKS)
    assert (again.missing, again.done) == ([BLOCKS[0], BLOCKS[2]], 1)
    for block in again.missing:
        again.add(rows(block))
    assert again.in_order()["k"].to_list() == [2, 2, 5, 5, 10, 10]
    assert Kept(tmp_path / "rows.csv", BLOCKS).missing == []


def test_rows_of_other_blocks_are_kept(tmp_path: Path) -> None:
    old = [{**row, "seed": SEED - 1} for row in rows(BLOCKS[0])]
    pl.DataFrame(old).write_csv(tmp_path / "rows.csv")
    kept = Kept(tmp_path / "rows.csv", BLOCKS[:1])
    assert kept.missing == BLOCKS[:1]
    kept.add(rows(BLOCKS[0]))
    assert kept.in_order()["seed"].to_list() == [SEED - 1, SEED - 1, SEED, SEED]


@pytest.mark.slow
@pytest.mark.shared_data
@pytest.mark.skipif(not DATA.exists(), reason="the papers' taxonomies are not here")
def test_several_at_once_measure_what_one_after_the_other_does(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    for jobs in (1, 2):
        run_all(
            ["trees-table"],
            DATA,
            tmp_path / str(jobs),
            quick=True,
            jobs=jobs,
            tell=lambda experiment, done, blocks, what: told.append((experiment, done, blocks)),
        )
    one, two = (read_rows(tmp_path / str(jobs) / "results" / "trees-table.csv").drop("seconds") for jobs in (1, 2))
    assert one.equals(two)
    assert told[-1][1] == told[-1][2] > 0
    assert list((tmp_path / "2" / "charts").glob("*.png"))


def test_whoever_stops_a_run_is_told_that_it_can_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def stopped(*given: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run_all", stopped)
    assert command.main(["run", "trees-k", "--out", str(tmp_path)]) == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
