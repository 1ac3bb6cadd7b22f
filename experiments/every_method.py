"""Accuracy along k of every method on the same folds of Adult, between raw rows and the majority label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
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
LEVELS = {"incognito": "all", **dict.fromkeys(("grouped", "kadet-c45", "kadet", "tds", "k-optimize"), "words")}
"""Who is given hierarchies: of all attributes, or of the categorical ones; the others have no use for them."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a fold, k and method, so that a method that is new is measured by itself."""
    asked = [(SOME, 0, 25)] if quick else [(ALL, fold, k) for fold in range(ROUNDS * FOLDS) for k in KS]
    return [
        {"data": "adult", "people": people, "fold": fold, "k": k, "method": method}
        for people, fold, k in asked
        for method in (RAW, FLOOR, *METHODS)
    ]


@dataclass(frozen=True)
class Fold:
    """One fold: people to learn from, and people to be predicted."""

    data: DataSet
    known: pl.DataFrame
    asked: pl.DataFrame

    @cached_property
    def raw(self) -> float:
        """What C4.5 reaches that learns from the rows as they are."""
        return self.accuracy(ks.learn(self.known, self.data.policy("k=1"), "c45"))

    @cached_property
    def floor(self) -> float:
        """What is reached by saying the commoner label of everybody."""
        target = self.data.target
        return ks.accuracy([str(self.known[target].mode().sort()[0])] * self.asked.height, self.asked[target])

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
    return Fold(data, data.people.filter(half != place), data.people.filter(half == place))


def measure(block: Block, data: Data) -> list[Row]:
    """What one method reaches with one k on one fold."""
    fold = fold_of(data(str(block["data"])), int(block["people"]), int(block["fold"]))
    method = str(block["method"])
    if method in (RAW, FLOOR):
        return [{"accuracy": fold.raw if method == RAW else fold.floor}]
    make = _tree if METHODS[method] == "tree" else _table
    return [{"kind": METHODS[method], **_reached(partial(make, fold, method, block))}]


def _reached(make: Callable[[], Row]) -> Row:
    """What a method reached, or nothing if it has nothing to release."""
    try:
        return make()
    except ks.Unreachable:
        return {"accuracy": None}


def _tree(fold: Fold, method: str, block: Block) -> Row:
    rules = policy_of(fold.data, method, int(block["k"]))

    def make() -> Any:
        return ks.share_tree(fold.known, rules).tree if method == "atp" else ks.learn(fold.known, rules, method)

    make()  # to load compiled loops is no part of what a tree takes
    begun = process_time()
    tree = make()
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
