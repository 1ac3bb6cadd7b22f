"""Trees of grouped values beside those of the papers and scikit-learn's: on Adult along k, and on other data sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import process_time

import polars as pl

import kspan as ks
from experiments import census, scikit_tree
from experiments.census import NONE
from experiments.data_sets import FILES, MEASURED
from experiments.experiment import SEED, Block, Data, Experiment, Row
from experiments.trees_grouped_told import (
    ALL_MISSING,
    AS_THEY_ARE,
    COMPLETE,
    EVERYBODY,
    FLOOR,
    KS,
    NAME,
    NUMBERS,
    ONE_MISSING,
    OURS,
    SCIKIT,
    charts,
    found,
)
from kspan.data.kinds.numbers import NUMBERS as ARE_NUMBERS
from kspan.evaluate.errors import Errors, mean_of, numbers_of

ROUNDS, FOLDS = 2, 2
"""How often the people of other data sets are halved at random, each half being learned from once."""
SMALL_KS = (5, 10, 25)
"""The k for data sets of some hundreds of people."""
NEVER_MISSING = "fnlwgt"
"""The attribute in which no cell is taken away where all others miss one."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a k and kind of people, taxonomy, cells and target of Adult, and one a data set."""
    taxonomies = (NONE, *census.TAXONOMIES[:1]) if quick else (NONE, *census.TAXONOMIES)
    kinds = [
        *({"people": COMPLETE, "taxonomy": each, "cells": AS_THEY_ARE} for each in taxonomies),
        *({"people": COMPLETE, "taxonomy": each, "cells": ONE_MISSING} for each in taxonomies),
        *({"people": COMPLETE, "taxonomy": each, "cells": ALL_MISSING} for each in taxonomies),
        *({"people": EVERYBODY, "taxonomy": each, "cells": AS_THEY_ARE} for each in taxonomies),
    ]
    order = KS[-1:] if quick else KS
    income: list[Block] = [{"data": "adult", "target": census.TARGET, **kind, "k": k} for kind in kinds for k in order]
    numbers: list[Block] = [
        {"data": "adult", "target": name, **kinds[0], "k": k} for name in NUMBERS[: 1 if quick else None] for k in order
    ]
    others: list[Block] = [{"data": name} for name in (("glass",) if quick else sorted([*FILES, *MEASURED]))]
    return [*income, *numbers, *others]


def measure(block: Block, data: Data) -> list[Row]:
    """What all kinds of trees get wrong in a part of Adult, or in all halves of another data set."""
    if "target" in block:
        return _adult(block, data)
    given = data(str(block["data"]))
    rows = []
    for fold in range(ROUNDS * FOLDS):
        half, place = given.folds(SEED + fold // FOLDS, FOLDS), fold % FOLDS
        known, asked = given.people.filter(half != place), given.people.filter(half == place)
        for k in SMALL_KS:
            trial = Trial(known, asked, given.policy(f"k={k}"))
            rows += [{"fold": fold, "k": k, **row} for row in (*(trial.ours(each) for each in OURS), trial.theirs(k))]
    return rows


def _adult(block: Block, data: Data) -> list[Row]:
    """The official split; numbers are predicted by trees that can."""
    target, k, taxonomy = str(block["target"]), int(block["k"]), str(block["taxonomy"])
    people = census.everybody if block["people"] == EVERYBODY else census.people
    known, asked = people("train"), people("test")
    names = [name for name in known.columns if name != target]
    if block["cells"] == ALL_MISSING:
        known = one_missing(known, names)
    elif block["cells"] == ONE_MISSING:
        known = one_missing(known, [name for name in names if name != NEVER_MISSING])
    rules = replace(census.policy(names, f"k={k}", taxonomy, data("adult").folder), target=target)
    trial = Trial(known, asked, rules)
    methods = OURS if target == census.TARGET else OURS[:1]
    others = [trial.theirs(k), trial.floor()] if taxonomy == NONE else []
    return [*(trial.ours(method) for method in methods), *others]


def one_missing(people: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Take one cell away in each of some columns, of the first person in the first one, of the second in the second.

    >>> one_missing(pl.DataFrame({"age": [30, 40], "sex": ["m", "f"]}), ["age", "sex"]).rows()
    [(None, 'm'), (40, None)]
    """
    row = pl.int_range(pl.len())
    return people.with_columns(pl.when(row != place).then(pl.col(name)) for place, name in enumerate(names))


@dataclass(frozen=True)
class Trial:
    """People to learn from, people to be predicted, and the policy."""

    known: pl.DataFrame
    asked: pl.DataFrame
    rules: ks.Policy

    def ours(self, method: str) -> Row:
        """What a tree of ours gets wrong, and how large its smallest span is."""
        learn = partial(ks.learn, policy=self.rules, method=method)
        learn(self.known)  # to load compiled loops is no part of what a tree takes
        begun = process_time()
        tree = learn(self.known)
        seconds = process_time() - begun
        judged = ks.audit(tree, self.known, self.rules)
        predicted = ks.predict(tree, self.asked)[f"predicted: {self.rules.target}"]
        return {
            "method": method,
            **self._off(predicted),
            "leaves": len(tree.leaves),
            "k_reached": judged.k.people,
            "seconds": seconds,
        }

    def theirs(self, k: int) -> Row:
        """What scikit-learn's tree gets wrong; its seconds are those of all trees that were compared to prune it."""
        begun = process_time()
        tree = scikit_tree.grown(self.known, list(self.rules.public), str(self.rules.target), k, SEED)
        seconds = process_time() - begun
        return {"method": SCIKIT, **self._off(tree.predict(self.asked)), "leaves": tree.leaves, "seconds": seconds}

    def floor(self) -> Row:
        """What is wrong if everybody gets the commonest label, or the mean."""
        known = self.known[str(self.rules.target)]
        usual = known.mean() if known.dtype.is_numeric() else known.mode().sort()[0]
        return {"method": FLOOR, **self._off(pl.repeat(usual, self.asked.height, eager=True))}

    def _off(self, predicted: pl.Series) -> Row:
        """The share of people who get a label that is not theirs, or of the variance that numbers leave open."""
        truth = self.asked[str(self.rules.target)]
        if not truth.dtype.is_numeric():
            return {"error": 1 - ks.accuracy(predicted, truth)}
        found, true = (numbers_of(each, ARE_NUMBERS) for each in (predicted, truth))
        apart = Errors.of(found, true, mean_of(true))
        assert apart.explained is not None
        return {"error": 1 - apart.explained, "mean_absolute": apart.mean_absolute}


EXPERIMENT = Experiment(
    name=NAME,
    paper="",
    figures="a chart that no paper has",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
