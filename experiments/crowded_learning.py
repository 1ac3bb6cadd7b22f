"""Accuracy of what is learned from people made anonymous first, on halves that all ways share (003, Fig. 7)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, pstdev
from time import perf_counter
from typing import Any, Literal

import numpy as np
import polars as pl

import kspan as ks
from experiments.data_sets import DataSet
from experiments.experiment import SEED, Row

LEARNERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "c45": ("c45", {}),
    "part": ("part", {}),
    "naive-bayes": ("naive-bayes", {}),
    "naive-bayes, by label": ("naive-bayes", {"numbers": "by-label"}),
    "logistic": ("logistic", {}),
    "logistic, by label": ("logistic", {"numbers": "by-label"}),
}
"""What learns from a table, by the name of its rows."""
ORIGINAL, KADET = "original", "kadet"
MEDIANS: Mapping[str, Any] = {"show": "median", "blank": True}
"""kACTUS as it was by default when these ways were measured."""
PRINTED = {"show": "mean", "blank": True, "refine": False}
"""kACTUS with Figures 5 and 6 as they are printed."""
INTERVALS = {"show": "interval", "blank": True, "refine": False}


@dataclass(frozen=True)
class Way:
    """How people are made anonymous; kADET makes a model instead, and `original` nothing."""

    name: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    hierarchies: bool = False
    counting: Literal["rows", "people"] = "rows"
    alike: bool = False
    """Are the people who are predicted shown as the release shows such people, and not as they are?"""
    exact_ends: bool = False
    """Do ranges end at numbers of people, as they did when the results were measured?"""


ORIGINALLY = Way(ORIGINAL, ORIGINAL)
KACTUS = Way("kactus", "kactus", MEDIANS)
KACTUS_INTERVALS = Way("kactus, intervals", "kactus", INTERVALS, exact_ends=True)
KACTUS_ALIKE = Way("kactus, shown alike", "kactus", {**MEDIANS, "refine": False}, alike=True)
OPTIONS = (
    Way("kactus, as printed", "kactus", PRINTED),
    Way("kactus, merged siblings", "kactus", {**MEDIANS, "merge_siblings": True}),
    Way("kactus, greedy", "kactus", {**MEDIANS, "transfer": "greedy"}),
    Way("kactus, people", "kactus", counting="people", exact_ends=True),
)
"""Ways beside the first one: as the paper prints it, and answers to the drawbacks that it lists."""


def halvings(rows: int, rounds: int) -> Iterator[tuple[list[int], list[int]]]:
    """Rows to learn from and rows to be predicted: so many random halvings, each both ways.

    >>> [len(known) + len(asked) for known, asked in halvings(5, 2)]
    [5, 5, 5, 5]
    """
    random = np.random.default_rng([SEED, 2])
    for _ in range(rounds):
        order = random.permutation(rows)
        one, other = sorted(order[: rows // 2].tolist()), sorted(order[rows // 2 :].tolist())
        yield one, other
        yield other, one


def reached(
    data: DataSet,
    public: Sequence[str],
    k: int,
    way: Way,
    learners: Sequence[str],
    rounds: int,
    folds: int | None = None,
) -> list[Row]:
    """A row a learner: how many of the people who were not learned from get their own label, fold by fold."""
    policy = _policy(data, public, k, way)
    right: dict[str, list[float]] = {name: [] for name in learners}
    seconds = dict.fromkeys(learners, 0.0)
    withheld, making = [], 0.0
    for known, asked in list(halvings(data.people.height, rounds))[:folds]:
        people, others = data.people[known], data.people[asked]
        begun = perf_counter()
        table, others, gone = _released(people, others, policy, way)
        making += perf_counter() - begun
        withheld.append(gone / people.height)
        for name in learners:
            begun = perf_counter()
            labels = ks.predict(_model(table, policy, way, name), others)[f"predicted: {data.target}"]
            right[name].append(ks.accuracy(labels, others[data.target]))
            seconds[name] += perf_counter() - begun
    return [
        {
            "method": way.name,
            "inducer": name,
            "accuracy": fmean(each),
            "deviation": pstdev(each),
            "folds": " ".join(f"{one:.4f}" for one in each),
            "withheld": fmean(withheld),
            "seconds_to_release": making / len(each),
            "seconds_to_learn": seconds[name] / len(each),
        }
        for name, each in right.items()
    ]


def _policy(data: DataSet, public: Sequence[str], k: int, way: Way) -> ks.Policy:
    policy = data.policy(f"k={k}", hierarchies=way.hierarchies)
    trees = {name: tree for name, tree in policy.hierarchies.items() if name in public and _is_given(tree)}
    private = tuple(name for name in data.people.columns if name not in public)
    domains = {**data.policy("k=1").domains, **policy.domains}
    said = {name: domain for name, domain in domains.items() if name not in trees or name in policy.domains}
    asked = replace(
        policy, public=tuple(public), private=private, hierarchies=trees, domains=said, counting=way.counting
    )
    return replace(asked, grid="exact") if way.exact_ends else asked


def _is_given(hierarchy: Any) -> bool:
    """Is it a taxonomy that somebody wrote, and not one that is built from the values?"""
    return isinstance(hierarchy, ks.Hierarchy)


def _released(
    people: pl.DataFrame, others: pl.DataFrame, policy: ks.Policy, way: Way
) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """What is learned from, who is predicted, and how many people were withheld."""
    if way.method in (ORIGINAL, KADET):
        return people, others, 0
    release = ks.anonymize(people, policy, way.method, secret=f"{SEED:032x}", **way.options)
    return release.table, release.recode(others) if way.alike else others, release.withheld


def _model(table: pl.DataFrame, policy: ks.Policy, way: Way, learner: str) -> Any:
    if way.method == KADET:
        return ks.learn(table, policy, "kadet-c45")
    name, options = LEARNERS[learner]
    return ks.learn(table, policy, name, **options)
