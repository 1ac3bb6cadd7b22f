"""Trees pruned or learned under an l-diversity, beside tables made under it, from one owner or ten (004, 7.3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

import kspan as ks
from experiments.data_sets import DataSet, parts
from experiments.experiment import SEED, Block, Data, Experiment, Row
from experiments.sharing_pruning_told import METHODS, TREES, charts, found
from kspan.evaluate.agreement import accuracy

ATP = {"atp": "rules", "atp, information": "information"}
SECONDS = {1: 0.6, 10: 0.15}
"""How long K-Optimize may search, by the number of owners."""


def recursive(*pairs: tuple[int, int]) -> tuple[str, ...]:
    """(c,l)-diversities."""
    return tuple(f"recursive_cl=({c},{least})" for c, least in pairs)


def simple(*numbers: int) -> tuple[str, ...]:
    """Simple l-diversities."""
    return tuple(f"simple_l={least}" for least in numbers)


@dataclass(frozen=True)
class Plan:
    """What is asked of a data set."""

    data: str
    sources: int
    folds: int
    requirements: tuple[str, ...]
    few: tuple[str, ...] = ()
    """Those that are asked of every method, if the others are asked of pruned trees alone since the rest take long."""


NURSERY = recursive(*((c, least) for least in (2, 3, 4, 5) for c in (20, 15, 10, 5)))
ADULT = recursive(*((c, least) for least in (2, 3, 4, 5, 6, 7) for c in (20, 10, 5)))
PLANS = (
    Plan("car", 1, 10, recursive((20, 2), (10, 2), (5, 2), (20, 3)) + simple(2)),
    Plan("car", 10, 3, recursive((20, 2), (10, 2), (5, 2), (20, 3))),
    Plan("cmc", 1, 10, recursive((20, 2), (5, 2), (20, 3), (10, 3), (5, 3)) + simple(2)),
    Plan("cmc", 10, 3, recursive((20, 2), (5, 2), (20, 3), (10, 3))),
    Plan("nursery", 1, 10, NURSERY + simple(2, 3, 4, 5)),
    Plan("nursery", 10, 1, recursive(*((c, least) for least in (2, 3, 4) for c in (20, 5)))),
    Plan("adult", 10, 1, recursive((10, 4))),
    Plan("adult", 1, 1, ADULT + simple(2, 3, 4, 5), recursive((10, 2), (10, 4)) + simple(2, 4)),
)
QUICK = (
    Plan("car", 1, 1, recursive((20, 2), (20, 3)) + simple(2)),
    Plan("car", 10, 1, recursive((20, 2))),
)


def blocks(quick: bool) -> Sequence[Block]:
    """A block a requirement, fold and number of sources."""
    return [
        {"data": plan.data, "sources": plan.sources, "fold": fold, "requirement": requirement, "methods": methods}
        for plan in (QUICK if quick else PLANS)
        for fold in range(plan.folds)
        for requirement in plan.requirements
        for methods in ["all" if not plan.few or requirement in plan.few else "atp"]
    ]


@dataclass(frozen=True)
class _Fold:
    """One fold: the people of each owner and what each would learn of them alone, and people to be predicted."""

    data: DataSet
    owned: Sequence[pl.DataFrame]
    trees: Sequence[ks.Tree]
    asked: pl.DataFrame
    majority: str

    @property
    def people(self) -> int:
        """How many there are to learn from."""
        return sum(part.height for part in self.owned)


@lru_cache(maxsize=1)
def _fold(data: DataSet, number: int, sources: int) -> _Fold:
    fold, policy = data.folds(SEED), data.policy("k=1")
    known = data.people.filter(fold != number)
    owned = parts(known, sources, np.random.default_rng([SEED, number, sources]))
    trees = [ks.learn(part, policy, "c45") for part in owned]
    majority = str(known[data.target].mode().sort()[0])
    return _Fold(data, owned, trees, data.people.filter(fold == number), majority)


@dataclass(frozen=True)
class _Published:
    """What owners published by one method, and how to learn from all of it."""

    reached: int
    learn: Callable[[str], Any]
    cm: float | None
    cm_of_paths: float | None = None
    withheld: float = 0.0


def measure(block: Block, data: Data) -> list[Row]:
    """What each method publishes under one requirement, and what is learned from that."""
    place, sources = int(block["fold"]), int(block["sources"])
    fold = _fold(data(str(block["data"])), place, sources)
    target = fold.data.target
    truth = fold.asked[target]
    floor = accuracy([fold.majority] * len(truth), truth)
    rows = []
    for method in METHODS if block["methods"] == "all" else tuple(ATP):
        begun = perf_counter()
        make = _from_trees if method in TREES else _from_tables
        made = make(fold, method, str(block["requirement"]), place)
        seconds = perf_counter() - begun
        for model in ("c45",) if sources == 1 else ("c45", "naive-bayes"):
            begun = perf_counter()
            learned = made.learn(model) if made.reached else None
            right = learned and accuracy(ks.predict(learned, fold.asked)[f"predicted: {target}"], truth)
            rows.append(
                {
                    "method": method,
                    "model": model,
                    "reached": made.reached / sources,
                    "accuracy": right,
                    "accuracy_or_majority": floor if right is None else right,
                    "cm": made.cm,
                    "cm_of_paths": made.cm_of_paths,
                    "withheld": made.withheld,
                    "seconds": seconds + perf_counter() - begun,
                }
            )
    return rows


def _from_trees(fold: _Fold, method: str, require: str, rng: int) -> _Published:
    policy = fold.data.policy(require)
    trees = [
        tree
        for part, own in zip(fold.owned, fold.trees, strict=True)
        if (tree := _reached(partial(_tree, method, policy, part, own)))
    ]
    if not trees:
        return _Published(0, _nothing, None)

    def learn(model: str) -> Any:
        return trees[0] if len(fold.owned) == 1 else ks.merge_trees(trees, model, rng=rng)

    told = sum(sum(leaf.counts) for tree in trees for leaf in tree.leaves)
    hit = sum(max(leaf.counts) for tree in trees for leaf in tree.leaves)
    asked = {tree.attributes[node.attribute].name for tree in trees for node in tree.nodes() if node.edges}
    pseudo = ks.pseudo_data(trees, rng=rng).select(*sorted(asked), fold.data.target)
    return _Published(len(trees), learn, _cm(pseudo, fold.data.target) / pseudo.height, 1 - hit / told)


def _tree(method: str, policy: ks.Policy, part: pl.DataFrame, own: ks.Tree) -> ks.Tree:
    if method == "ldm":
        return ks.share_tree(part, policy, "ldm").tree
    merge: Any = ATP[method]
    try:
        return ks.prune_tree(own, people=part, policy=policy, merge=merge).tree
    except ks.Unreachable:  # sharing also tries to raise the largest branch
        return ks.share_tree(part, policy, merge=merge).tree


def _from_tables(fold: _Fold, method: str, require: str, rng: int) -> _Published:
    policy = fold.data.policy(require, hierarchies=True)
    name = "k-optimize" if method == "opti" else "one-dim" if require.startswith("simple") else "incognito"
    options: dict[str, Any] = {"seconds": SECONDS[len(fold.owned)]} if method == "opti" else {}
    releases = [
        release
        for part in fold.owned
        if (release := _reached(partial(ks.anonymize, part, policy, name, secret=f"{rng:032x}", **options)))
    ]
    if not releases:
        return _Published(0, _nothing, None)
    # What is a number in the table of one owner may be an interval in another's.
    table = pl.concat([release.table.cast(pl.String) for release in releases])
    withheld = sum(release.withheld for release in releases)
    told = table.height + withheld

    def learn(model: str) -> Any:
        return ks.learn(table, policy, model)

    return _Published(
        len(releases), learn, (_cm(table, fold.data.target) + withheld) / told, withheld=withheld / fold.people
    )


def _reached(make: Callable[[], Any]) -> Any:
    """What was made, or None if the requirement cannot be reached."""
    try:
        return make()
    except (ks.Unreachable, ks.DoesNotHold):
        return None


def _cm(table: pl.DataFrame, target: str) -> int:
    """People outside the majority of those who show the same."""
    public = [name for name in table.columns if name != target]
    cells = table.group_by(*public, target).len()
    majority = cells.group_by(public).agg(pl.col("len").max())["len"].sum()
    return table.height - int(majority)


def _nothing(model: str) -> None:
    raise ks.Unreachable(f"nothing was published that a {model} could be learned from")


EXPERIMENT = Experiment(
    name="sharing-pruning",
    paper="004",
    figures="Figs. 14, 15, 16",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
