"""How long owners and a miner take to share trees, beside learning one tree of all people: ratios from one run."""

import argparse
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np
import polars as pl
from adult_scaled import scaled
from goals import Result, in_ms, say, seconds, told

import kspan as ks
from kspan.share.merging import pool_of
from kspan.share.pgen import pgen

OWNERS, EACH = 10, 100_000
DRAWN = 3
"""Cells of each variation of a person that are drawn anew."""


def main() -> int:
    """Measure and print; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    everybody = scaled(
        ks.datasets.load_adult(missing=False).drop("split", "fnlwgt"), 23, DRAWN, rng=np.random.default_rng(0)
    )
    order = np.random.default_rng(1).permutation(everybody.height)[: OWNERS * EACH]
    people = everybody[order]
    results = []
    for require in ("k=10", "k=10, confidence=0.95"):
        say(f"sharing under {require}")
        results += shared(people, require, given.rounds)
    results += cells(people)
    return told(results)


def shared(people: pl.DataFrame, require: str, rounds: int) -> list[Result]:
    """Publish ten trees, make a million pseudo-people and a tree of them, beside one tree of all people."""
    policy = policy_of(people, require)
    parts = [people[begin : begin + EACH] for begin in range(0, people.height, EACH)]
    ratios, steps = [], []
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / f"{number}.json" for number in range(OWNERS)]

        def publish() -> None:
            for part, place in zip(parts, places, strict=True):
                ks.share_tree(part, policy).save(place)

        for turn in range(1 + rounds):
            own = seconds(publish)
            making = seconds(lambda: ks.pseudo_data(places, rows=OWNERS * EACH))
            both = seconds(lambda: ks.merge_trees(places, rows=OWNERS * EACH))
            pooled = seconds(lambda: ks.learn(people, policy, "c45"))
            if turn:
                ratios.append((own + making + both) / pooled)
                steps.append((own, making, both, pooled))
        leaves = sum(len(ks.load_tree(place).tree.leaves) for place in places)
    own, making, both, pooled = (float(np.median(each)) for each in zip(*steps, strict=True))
    context = (
        f"publish {in_ms(own)}, pseudo-data {in_ms(making)}, merge {in_ms(both)}, one tree {in_ms(pooled)}; "
        f"{leaves:,} leaves together"
    )
    return [Result(f"share {OWNERS} trees / one tree, {require}", float(np.median(ratios)), "at most", 4.0, context)]


def cells(people: pl.DataFrame) -> list[Result]:
    """How many cells PGEN makes in a second, of pruned trees and of large ones, and how much memory that takes."""
    policy = policy_of(people, "k=10")
    parts = [people[begin : begin + EACH] for begin in range(0, people.height, EACH)]
    results = []
    for name, options in (("pruned", {}), ("unpruned", {"prune": False, "min_rows": 1})):
        say(f"PGEN of {name} trees")
        trees = [ks.learn(part, policy, "c45", **options) for part in parts]
        pool = pool_of(trees)
        pgen(pool, rows=1000)
        made = pgen(pool, rows=OWNERS * EACH)
        number = made.rows * len(made.columns)
        size = sum(column.codes.nbytes for column in made.columns.values())
        del made
        before = getrusage(RUSAGE_SELF).ru_maxrss
        fastest = min(seconds(lambda: pgen(pool, rows=OWNERS * EACH)) for _ in range(3))  # noqa: B023
        more = (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1024
        leaves = sum(len(tree.leaves) for tree in trees)
        memory = f"{size / 2**20:.0f} MiB, peak +{more:.0f} MiB"
        context = f"{leaves:,} leaves, {number / 1e6:.0f} million cells in {in_ms(fastest)}, {memory}"
        results.append(
            Result(
                f"PGEN of {name} trees, million cells a second", number / fastest / 1e6, "at least", 10.0, context, ""
            )
        )
    return results


def policy_of(people: pl.DataFrame, require: str) -> ks.Policy:
    """All but the income is public; domains are declared."""
    public = [name for name in people.columns if name != "income"]
    numbers = {name: [people[name].min(), people[name].max()] for name in public if people[name].dtype.is_numeric()}
    return ks.Policy(public=public, target="income", require=require, domains=numbers)


if __name__ == "__main__":
    sys.exit(main())
