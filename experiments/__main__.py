"""`python -m experiments list`, `run NAME`, `all`: measure, draw, and write the page of results."""

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import kspan as ks
from experiments.catalog import EXPERIMENTS
from experiments.data_sets import DATA, HOME, DataSet, load
from experiments.experiment import run
from experiments.page import write_page
from experiments.progress import Tell, shown
from kspan.report.charts import write_chart

FULL, QUICK = HOME / "experiments", HOME / "build" / "experiments"
"""Where results go: those of a quick run must not take the place of the others."""


def main(words: list[str] | None = None) -> int:
    """Do what the command line says; the exit code is 2 if it cannot be done."""
    given = _arguments(words)
    if given.command == "list":
        for each in EXPERIMENTS.values():
            print(f"{each.name:<22} {each.place}")
        return 0
    out = given.out or (QUICK if given.quick else FULL)
    chosen = list(EXPERIMENTS) if given.command == "all" else [given.name]
    try:
        with shown() as tell:
            _run_all(chosen, given.data, out, quick=given.quick, jobs=given.jobs, tell=tell)
    except ks.KspanError as error:
        print(error, file=sys.stderr)
        return 2
    print(write_page(EXPERIMENTS.values(), out))
    return 0


def _run_all(names: Sequence[str], folder: Path, out: Path, *, quick: bool, jobs: int, tell: Tell) -> None:
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


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="name the experiments")
    one = commands.add_parser("run", help="run one experiment")
    one.add_argument("name", choices=EXPERIMENTS, help="its name")
    for command in (one, commands.add_parser("all", help="run every experiment")):
        command.add_argument("--data", type=Path, default=DATA, help="the folder with the papers' data sets")
        command.add_argument("--quick", action="store_true", help="a small part, to see that everything works")
        command.add_argument("--out", type=Path, help="where results, charts and the page go")
        command.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many experiments run at once")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
