"""Experiments as they are run: one after the other, or several at once in processes of their own."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from experiments.catalog import EXPERIMENTS
from experiments.data_sets import DataSet, load
from experiments.experiment import run
from experiments.progress import Tell
from kspan.report.charts import write_chart


def run_all(names: Sequence[str], folder: Path, out: Path, *, quick: bool, jobs: int, tell: Tell) -> None:
    """Run experiments, several at once in processes of their own."""
    if min(jobs, len(names)) < 2:
        for name in names:
            _run(name, folder, out, quick, tell)
        return
    with get_context("spawn").Manager() as manager, ProcessPoolExecutor(jobs, get_context("spawn")) as workers:
        said = manager.Queue()
        running = {workers.submit(_run, name, folder, out, quick, _Sent(said)) for name in names}
        try:
            while running:
                done, running = wait(running, timeout=0.2)
                for one in done:
                    one.result()
                while not said.empty():
                    tell(*said.get())
        except BaseException:
            workers.shutdown(cancel_futures=True)
            raise


@dataclass(frozen=True)
class _Sent:
    """Tells another process how far an experiment is."""

    said: Any

    def __call__(self, experiment: str, done: int, blocks: int, what: str) -> None:
        self.said.put((experiment, done, blocks, what))


def _run(name: str, folder: Path, out: Path, quick: bool, tell: Tell) -> None:
    @cache
    def data(name: str) -> DataSet:
        return load(name, folder)

    experiment = EXPERIMENTS[name]
    table = run(experiment, data, out / "results" / f"{name}.csv", quick=quick, tell=tell)
    charts = out / "charts"
    charts.mkdir(parents=True, exist_ok=True)
    for ending, chart in experiment.charts(table).items():
        chart.save(str(charts / f"{name}-{ending}.png"), scale_factor=1)  # small, for it is kept with the results
        write_chart(chart, charts / f"{name}-{ending}.html")
