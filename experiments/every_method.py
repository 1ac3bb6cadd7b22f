"""Accuracy along k of every method on the same folds of Adult, between raw rows and the majority label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from time import process_time
from typing import Any

import polars as pl

import kspan as ks
from experiments.census import EIGHT, TARGET
from experiments.data_sets import ADULT, DataSet
from experiments.every_method_told import FLOOR, METHODS, NAME, RAW, charts, found
from experiments.experiment import SEED, Block, Data, Experiment, Row

ROUNDS, FOLDS = 2, 2
"""How often people are halved at random, each half being learned from once."""
KS = (5, 10, 25, 50, 100, 250, 500, 1000)
ALL, SOME = 45_222, 4000
"""How many people take part in a full run, and in a quick one."""
SECONDS = {ALL: 10.0, SOME: 0.3}
"""How long K-Optimize may search."""
AS_MEASURED: dict[str, dict[str, Any]] = {"kactus": {"show": "median", "blank": True}}
"""Options that were defaults when the results were measured."""
LEVELS = {"incognito": "all", "kadet": "words", "kadet-c45": "words", "tds": "words", "k-optimize": "words"}
"""Who is given hierarchies: of all attributes, or of the categorical ones; the others have no use for them."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a k and fold; those of one fold follow each other, for they share the tree of the raw rows."""
    if quick:
        return [{"data": "adult", "people": SOME, "fold": 0, "k": 25}]
    return [{"data": "adult", "people": ALL, "fold": fold, "k": k} for fold in range(ROUNDS * FOLDS) for k in KS]


@dataclass(frozen=True)
class Fold:
    """One fold: people to learn from, people to be predicted, and what raw rows and the majority label reach."""

    data: DataSet
    known: pl.DataFrame
    asked: pl.DataFrame
    raw: float
    floor: float

    def accuracy(self, model: Any) -> float:
        """The share of people who get their own label."""
        target = self.data.target
        return ks.accuracy(ks.predict(model, self.asked)[f"predicted: {target}"], self.asked[target])


@lru_cache(maxsize=1)
def fold_of(given: DataSet, people: int, number: int) -> Fold:
    """One of the halves of the first people of a data set; what is asked of Adult is the income."""
    target = TARGET if given.name == ADULT else given.target
    data = replace(given, people=given.people.head(people), target=target)
    half, place = data.folds(SEED + number // FOLDS, FOLDS), number % FOLDS
    known, asked = data.people.filter(half != place), data.people.filter(half == place)
    majority = str(known[target].mode().sort()[0])
    made = Fold(data, known, asked, 0.0, ks.accuracy([majority] * asked.height, asked[target]))
    return replace(made, raw=made.accuracy(ks.learn(known, data.policy("k=1"), "c45")))


def measure(block: Block, data: Data) -> list[Row]:
    """What every method reaches with one k on one fold."""
    fold = fold_of(data(str(block["data"])), int(block["people"]), int(block["fold"]))
    rows: list[Row] = [{"method": RAW, "accuracy": fold.raw}, {"method": FLOOR, "accuracy": fold.floor}]
    for method, kind in METHODS.items():
        make = _tree if kind == "tree" else _table
        rows.append({"method": method, "kind": kind, **_reached(partial(make, fold, method, block))})
    return rows


def _reached(make: Callable[[], Row]) -> Row:
    """What a method reached, or nothing if it has nothing to release."""
    try:
        return make()
    except ks.Unreachable:
        return {"accuracy": None}


def _tree(fold: Fold, method: str, block: Block) -> Row:
    rules = policy_of(fold.data, method, int(block["k"]))
    begun = process_time()
    tree = ks.share_tree(fold.known, rules).tree if method == "atp" else ks.learn(fold.known, rules, method)
    seconds = process_time() - begun
    return {"accuracy": fold.accuracy(tree), "making": seconds, "withheld": 0.0}


def _table(fold: Fold, method: str, block: Block) -> Row:
    """The table of a method, and C4.5 learned from it as it is released."""
    rules = policy_of(fold.data, method, int(block["k"]))
    options = {"seconds": SECONDS[int(block["people"])]} if method == "k-optimize" else AS_MEASURED.get(method, {})
    begun = process_time()
    release = ks.anonymize(fold.known, rules, method, secret=f"{SEED:032x}", **options)
    made = process_time()
    tree = ks.learn(release.table, rules, "c45")
    return {
        "accuracy": fold.accuracy(tree),
        "making": made - begun,
        "learning": process_time() - made,
        "withheld": release.withheld / fold.known.height,
        "ncp": release.audit.utility.ncp,
    }


def policy_of(data: DataSet, method: str, k: int) -> ks.Policy:
    """All attributes public, with the hierarchies that a method is given."""
    levels = LEVELS.get(method)
    rules = data.policy(f"k={k}", hierarchies=levels is not None)
    if levels != "words":
        return rules
    return replace(rules, hierarchies={name: tree for name, tree in rules.hierarchies.items() if name in EIGHT})


EXPERIMENT = Experiment(
    name=NAME,
    paper="",
    figures="a chart that no paper has",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
