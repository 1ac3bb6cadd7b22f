"""Experiments as they are run: one block of one experiment after the other, or several at once in processes."""

import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import polars as pl

from experiments.catalog import EXPERIMENTS
from experiments.data_sets import load
from experiments.experiment import Block, Kept, Row, measured, run, said
from experiments.progress import Tell
from kspan.report.charts import write_chart

_load = cache(load)
"""Data sets that a process has read."""


def run_all(names: Sequence[str], folder: Path, out: Path, *, quick: bool, jobs: int, tell: Tell) -> None:
    """Run experiments, with so many blocks at once."""
    if jobs < 2:
        for name in names:
            data = partial(_load, folder=folder)
            _draw(name, run(EXPERIMENTS[name], data, _rows(out, name), quick=quick, tell=tell), out)
        return
    kept = {name: Kept(_rows(out, name), EXPERIMENTS[name].blocks(quick)) for name in names}
    for name, each in kept.items():
        tell(name, each.done, len(each.blocks), "")
    with ProcessPoolExecutor(jobs, get_context("spawn"), _leave_interrupts_to_the_first) as workers:
        running = {
            workers.submit(_measured, name, block, folder): (name, block)
            for name, each in kept.items()
            for block in each.missing
        }
        try:
            for done in as_completed(running):
                name, block = running[done]
                kept[name].add(done.result())
                tell(name, kept[name].done, len(kept[name].blocks), said(block))
        except BaseException:
            workers.shutdown(cancel_futures=True)
            raise
    for name, each in kept.items():
        _draw(name, each.in_order(), out)


def _leave_interrupts_to_the_first() -> None:
    """A process that measures ends when the one that asked does; Ctrl-C reaches all of them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _measured(name: str, block: Block, folder: Path) -> list[Row]:
    return measured(EXPERIMENTS[name], block, partial(_load, folder=folder))


def _rows(out: Path, name: str) -> Path:
    return out / "results" / f"{name}.csv"


def _draw(name: str, table: pl.DataFrame, out: Path) -> None:
    """Write the charts of an experiment."""
    charts = out / "charts"
    charts.mkdir(parents=True, exist_ok=True)
    for ending, chart in EXPERIMENTS[name].charts(table).items():
        chart.save(str(charts / f"{name}-{ending}.png"), scale_factor=1)  # small, for it is kept with the results
        write_chart(chart, charts / f"{name}-{ending}.html")
