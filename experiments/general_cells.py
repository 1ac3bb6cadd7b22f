"""ID3 from the sets of values that Mondrian shows, however it counts them (002, Figs. 2 and 3, Table IV)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any

import polars as pl

import kspan as ks
from experiments.experiment import Block, Data, Experiment, Row
from experiments.general_cells_told import charts, found

SIX = ("age", "education", "hours-per-week", "native-country", "capital-gain", "workclass")
ADDED = ("occupation", "marital-status", "relationship", "race", "sex", "capital-loss")
TARGET = "income"
KS, PUBLIC, HIGHEST = (4, 8, 16, 32, 64), tuple(range(6, 13)), 64
RUNS = 3
"""Runs of what chance decides, as in the paper."""
WAYS: Mapping[str, Mapping[str, Any]] = {
    "by chance": {"entropy": "equal", "division": "random"},
    "mapped at random": {"entropy": "random"},
    "own value": {"entropy": "own-value"},
    "by shares": {"entropy": "equal", "division": "fractional"},
    "by shares, estimated": {"entropy": "em", "division": "fractional"},
    "most frequent": {"entropy": "equal", "division": "frequent"},
}
"""How sets are counted and divided: the paper's own first, then others that it names, and ours."""
CHANCE = ("by chance", "mapped at random")
ROOT_ROWS = 100
"""For the root alone two branches must have so many people, since a tree is not needed below it."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a table that Mondrian makes; the original has k=1."""
    if quick:
        return [{"k": k, "public": 6} for k in (1, 64)]
    return [
        {"k": 1, "public": 6},
        *({"k": k, "public": 6} for k in KS),
        *({"k": HIGHEST, "public": p} for p in PUBLIC[1:]),
    ]


@lru_cache(maxsize=1)
def _adult() -> tuple[pl.DataFrame, pl.DataFrame]:
    train, test = (ks.datasets.load_adult(part, missing=False) for part in ("train", "test"))
    return train, test


def measure(block: Block, data: Data) -> list[Row]:
    """A tree a way and run, learned from the categorical attributes of one table; test people are as they are."""
    train, test = _adult()
    words = [name for name in train.columns if train[name].dtype == pl.String and name != TARGET]
    policy = ks.Policy(public=words, target=TARGET, require="k=1")
    k, table = int(block["k"]), train
    if k > 1:
        public = (SIX + ADDED)[: int(block["public"])]
        private = [name for name in train.columns if name not in public]
        released = ks.Policy(public=public, private=private, target=TARGET, require=ks.KAnonymity(k))
        table = ks.anonymize(train, released, "mondrian", show="set", width="distinct", secret="0" * 32).table
    shown = table.select(*words, TARGET)
    ways = WAYS if k > 1 else {"original": {}}
    rows = []
    for name, options in ways.items():
        root = ks.learn(shown, policy, "id3", min_rows=ROOT_ROWS, **options)
        for run in range(RUNS if name in CHANCE else 1):
            begun = perf_counter()
            tree = ks.learn(shown, policy, "id3", rng=run, **options)
            seconds = perf_counter() - begun
            right = ks.accuracy(ks.predict(tree, test)[f"predicted: {TARGET}"], test[TARGET])
            rows.append(
                {
                    "method": name,
                    "run": run,
                    "accuracy": right,
                    "root": _root(root),
                    "leaves": len(tree.leaves),
                    "seconds": seconds,
                }
            )
    return rows


def _root(tree: ks.Tree) -> str:
    number = tree.root.attribute
    return "none" if number is None else tree.attributes[number].name


EXPERIMENT = Experiment(
    name="general-cells",
    paper="002",
    figures="Figs. 2, 3, Table IV",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
