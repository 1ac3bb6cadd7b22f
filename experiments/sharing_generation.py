"""Pseudo-data from the trees of several owners, beside naive pseudo-data, votes and the pooled rows (004, 7.2)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

import kspan as ks
from experiments.data_sets import DataSet, parts
from experiments.experiment import SEED, Block, Data, Experiment, Row
from experiments.sharing_generation_told import MODELS, charts, found
from kspan.data.encode import encode
from kspan.evaluate.agreement import accuracy
from kspan.model.tree.release import TreeRelease
from kspan.share.spread import marginals

UNPRUNED = {"prune": False, "min_rows": 1}
FOLDS = {"car": 10, "cmc": 10, "nursery": 10, "adult": 1}
"""Folds of ten that are tested: on Adult one, since its unpruned trees have tens of thousands of leaves."""
SOURCES = {"car": (1, 2, 3, 5, 7, 10), "cmc": (1, 2, 5, 10), "nursery": (1, 2, 5, 10), "adult": (2, 5, 10)}
QUICK = [{"data": "car", "fold": 0, "sources": number} for number in (1, 2, 10)]
HARDER = 0.001
"""The confidence factor of a global tree that is pruned harder than C4.5 does by itself."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a fold and number of sources; those of one fold follow each other, for they share the base models."""
    if quick:
        return QUICK
    return [
        {"data": name, "fold": fold, "sources": number}
        for name, folds in FOLDS.items()
        for fold in range(folds)
        for number in SOURCES[name]
    ]


@dataclass(frozen=True)
class _Fold:
    """One fold: people to learn from, people to be predicted, and the models of the pooled rows with their labels."""

    known: pl.DataFrame
    asked: pl.DataFrame
    policy: ks.Policy
    basis: Mapping[str, Any]
    labels: Mapping[str, pl.Series]


@lru_cache(maxsize=1)
def _fold(data: DataSet, number: int) -> _Fold:
    fold, policy = data.folds(SEED), data.policy("k=1")
    known, asked = data.people.filter(fold != number), data.people.filter(fold == number)
    basis = {model: ks.learn(known, policy, model) for model in MODELS}
    return _Fold(known, asked, policy, basis, {model: _labels(made, asked) for model, made in basis.items()})


def _labels(model: Any, people: pl.DataFrame) -> pl.Series:
    labels: pl.Series = ks.predict(model, people)[f"predicted: {model.target}"]
    return labels


def measure(block: Block, data: Data) -> list[Row]:
    """Every method with every global model on one fold, dealt out to so many owners."""
    place, number = int(block["fold"]), int(block["sources"])
    fold = _fold(data(str(block["data"])), place)
    owned = parts(fold.known, number, np.random.default_rng([SEED, place, number]))
    truth = fold.asked[str(fold.policy.target)]
    rows = []
    for method, model, make in _models(fold, owned, place):
        begun = perf_counter()
        made = make()
        seconds = perf_counter() - begun
        basis = fold.basis[model]
        labels = _labels(made, fold.asked)
        trees = isinstance(made, ks.Tree) and isinstance(basis, ks.Tree)
        rows.append(
            {
                "method": method,
                "model": model,
                "accuracy": accuracy(labels, truth),
                "class_match": ks.class_match(fold.labels[model], labels),
                "path_match": ks.path_match(basis, made) if trees else None,
                "leaves": len(made.leaves) if isinstance(made, ks.Tree) else None,
                "seconds": seconds,
            }
        )
    return rows


def _models(fold: _Fold, owned: Sequence[pl.DataFrame], rng: int) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    policy = fold.policy
    trees = [ks.learn(part, policy, "c45", **UNPRUNED) for part in owned]
    for model in MODELS:
        yield "basis", model, partial(fold.basis.__getitem__, model)
        yield "pgen", model, partial(ks.merge_trees, trees, model, rng=rng)
        yield "basegen", model, partial(ks.merge_trees, trees, model, generator="basegen", rng=rng)
        yield "bagging", model, lambda: ks.merge_trees(trees, "bagging")
    yield "basis, unpruned", "c45", lambda: ks.learn(fold.known, policy, "c45", **UNPRUNED)
    spread = [
        TreeRelease(tree, None, marginals(tree, encode(part, policy), policy.require))
        for tree, part in zip(trees, owned, strict=True)
    ]
    pruned = [ks.learn(part, policy, "c45") for part in owned]
    coarse = [tree.disclosing("hit-miss") for tree in trees]
    yield "pgen, marginals", "c45", lambda: ks.merge_trees(spread, "c45", rng=rng)
    yield "pgen, hit-miss", "c45", lambda: ks.merge_trees(coarse, "c45", rng=rng)
    yield "pgen, pruned local trees", "c45", lambda: ks.merge_trees(pruned, "c45", rng=rng)
    yield "pgen, pruned harder", "c45", lambda: ks.merge_trees(trees, "c45", rng=rng, confidence_factor=HARDER)


EXPERIMENT = Experiment(
    name="sharing-generation",
    paper="004",
    figures="Figs. 10, 11, 12, 13",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
