"""How fast trees are shared beside learning from pooled rows, and how fast and lean pseudo-data is: one run."""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np
import peak_memory
import polars as pl
from adult_scaled import scaled
from goals import Result, compared, in_ms, say, seconds, told

import kspan as ks
from kspan.share.merging import pool_of
from kspan.share.pgen import pgen
from kspan.share.source import read_sources

DRAWN = 3
"""Cells of 15 that a variation draws; with more there is little to learn."""
SOURCES, REQUIRE = 10, "k=10, distinct_l=2"
PARTS = ("publishing", "pseudo-data", "global tree with its own pseudo-data")
POOLED, CELLS, TABLES = 4.0, 10.0, 3.0
"""The goals: times one tree on pooled rows, million cells a second, and times the table at the peak."""
GIVE_BACK = {"MALLOC_MMAP_THRESHOLD_": "65536", "POLARS_MAX_THREADS": "1"}
"""So that arrays go back to the system when they are freed."""


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    factor: int
    """How many times Adult the large table is."""
    rows: int
    """How many rows of it all owners have together, and how many pseudo-people are made of them."""
    targets: tuple[str, ...]
    memory: bool
    """Is memory measured? A small table tells nothing of it: what every process needs would count most."""


FULL = Size(23, 1_000_000, ("income", "occupation"), memory=True)
QUICK = Size(3, 100_000, ("income",), memory=False)


def main() -> int:
    """Measure, print, and say by the exit code if every goal is reached."""
    given = _arguments()
    size = QUICK if given.quick else FULL
    rng = np.random.default_rng(given.seed)
    say(f"scaling Adult {size.factor} times")
    many = scaled(ks.datasets.load_adult(missing=False).drop("split"), size.factor, given.drawn, rng=rng)
    many = many[rng.permutation(many.height)[: size.rows]]
    results = []
    with tempfile.TemporaryDirectory() as root:
        folders = {target: Path(root) / target for target in size.targets}
        for target, folder in folders.items():
            results.append(beside_pooled(many, target, folder, given.rounds))
        first = size.targets[0]
        say(f"publishing trees for {first} that C4.5 has not pruned")
        folders[f"{first}, unpruned"] = Path(root) / "unpruned"
        publish(many, first, Path(root) / "unpruned", prune=False)
        for what, folder in folders.items():
            results.append(speed(what, folder, size.rows))
        if size.memory:
            results += [memory(what, folder, size.rows) for what, folder in folders.items()]
    return told(results)


def policy(many: pl.DataFrame, target: str) -> ks.Policy:
    """Everything but the target is public; every path needs ten people and two labels."""
    return ks.Policy(public=[name for name in many.columns if name != target], target=target, require=REQUIRE)


def publish(many: pl.DataFrame, target: str, folder: Path, **options: object) -> None:
    """Learn, prune, judge and write the tree of each owner."""
    folder.mkdir(exist_ok=True)
    asked, rows = policy(many, target), many.height // SOURCES
    for owner in range(SOURCES):
        shared = ks.share_tree(many.slice(owner * rows, rows), asked, **options)
        shared.save(folder / f"{owner}.json")


def beside_pooled(many: pl.DataFrame, target: str, folder: Path, rounds: int) -> Result:
    """Publishing, pseudo-data and a global tree, from frames to files and back, beside one tree on the pooled rows."""
    sharing(many.head(20_000), target, folder)  # which loads what is compiled
    parts, times = [], []
    for _ in range(rounds):
        say(f"one tree for {target} on {many.height:,} rows")
        pooled = seconds(lambda: ks.learn(many, policy(many, target), "c45"))
        say(f"{SOURCES} trees for {target}, pseudo-data and a global tree")
        parts.append(sharing(many, target, folder))
        times.append((sum(parts[-1]), pooled))
    found = compared(f"sharing / one tree on pooled rows, {target}", times, POOLED)
    each = (f"{what} {in_ms(median(side))}" for what, side in zip(PARTS, zip(*parts, strict=True), strict=True))
    return replace(found, context=f"{found.context}: {', '.join(each)}")


def sharing(many: pl.DataFrame, target: str, folder: Path) -> Sequence[float]:
    """Seconds of each part; that pseudo-data is made twice only adds to them."""
    return (
        seconds(lambda: publish(many, target, folder)),
        seconds(lambda: ks.pseudo_data(folder, rows=many.height)),
        seconds(lambda: ks.merge_trees(folder, rows=many.height)),
    )


def speed(what: str, folder: Path, rows: int) -> Result:
    """How many million cells of pseudo-data a second PGEN makes, by the best of five rounds, from trees in memory."""
    say(f"PGEN from trees for {what}")
    pooled = pool_of(folder)
    cells = rows * (len(pooled.attributes) + 1) / 1e6
    times = [seconds(lambda: pgen(pooled, rows=rows)) for _ in range(5)]
    reading = min(seconds(lambda: pool_of(folder)) for _ in range(3))
    frame = min(seconds(lambda: ks.pseudo_data(folder, rows=rows)) for _ in range(3))
    leaves = sum(len(member.tree.leaves) for member in pooled.members)
    context = f"{leaves:,} leaves; {in_ms(min(times))}, reading {in_ms(reading)}, from files to a frame {in_ms(frame)}"
    return Result(f"PGEN, million cells a second, trees for {what}", cells / min(times), "at least", CELLS, context, "")


def memory(what: str, folder: Path, rows: int) -> Result:
    """The peak of making pseudo-data over the size of its table, in a process of its own that has read the trees."""
    say(f"memory of pseudo-data from trees for {what}")
    name = f"memory of pseudo-data / its table, trees for {what}"
    if not peak_memory.possible():
        return Result(name, None, "at most", TABLES, "only Linux counts pages so that it can be measured")
    os.environ.update(GIVE_BACK)
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as new:
            peak, table, trees = new.submit(_peak, folder, rows).result()
    finally:
        for variable in GIVE_BACK:
            del os.environ[variable]
    context = f"peak {peak / 1e6:.0f} MB, table {table / 1e6:.0f} MB; trees, read before, {trees / 1e6:.0f} MB"
    return Result(name, peak / table, "at most", TABLES, context)


def _peak(folder: Path, rows: int) -> tuple[int, int, int]:
    """Bytes beyond those at the start, bytes of the table, and bytes of the trees."""
    ks.pseudo_data(folder, rows=1_000)
    before = peak_memory.settled()
    trees = read_sources([folder])
    start = peak_memory.settled()
    frame = ks.pseudo_data(trees, rows=rows)
    return peak_memory.peak() - start, frame.estimated_size(), start - before


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, epilog="The exit code is 1 if a goal is missed.")
    parser.add_argument("--quick", action="store_true", help="100,000 rows, one target, no memory")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="of sharing and pooling (default: 1)")
    parser.add_argument("--drawn", type=int, default=DRAWN, metavar="N", help=f"cells drawn (default: {DRAWN})")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random variation (default: 0)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
