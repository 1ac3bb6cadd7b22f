"""`python -m experiments list`, `run NAME`, `all`: measure, draw, and write the page of results."""

import argparse
import os
import sys
from pathlib import Path

import kspan as ks
from experiments.catalog import EXPERIMENTS
from experiments.data_sets import DATA, HOME
from experiments.page import write_page
from experiments.progress import shown
from experiments.running import run_all

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
            run_all(chosen, given.data, out, quick=given.quick, jobs=given.jobs, tell=tell)
    except ks.KspanError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped. Finished blocks are kept: the same command goes on from there.", file=sys.stderr)
        return 130
    print(write_page(EXPERIMENTS.values(), out))
    return 0


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
        command.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many blocks run at once")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
