"""The audit of a table: link, count, judge."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.crowd import crowds
from kspan.audit.findings import Audit, Finding, Utility
from kspan.audit.infer import certain, confidence, exposed
from kspan.audit.link import people_matching
from kspan.audit.measured import measured
from kspan.audit.risk import risk_of
from kspan.audit.tree import audit_tree
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.groups import NO_WEIGHTS, Groups, count_groups, count_values
from kspan.data.table import Table
from kspan.errors import KspanError, PolicyError
from kspan.frames.files import load
from kspan.frames.native import like
from kspan.model.imported import imported, is_fitted_tree
from kspan.model.kind import is_model
from kspan.model.partition import Partition
from kspan.model.store import load_tree
from kspan.model.tree import Tree
from kspan.policy import Policy
from kspan.utility.loss import average_group_size, certainty_penalty, classification_metric, discernibility

Progress = Callable[[str], None]


def audit(
    release: Any,
    people: Any = None,
    policy: Policy | str | os.PathLike[str] | None = None,
    *,
    population: Any = None,
    show: int = 5,
    progress: Progress = lambda step: None,
) -> Audit:
    """Replay the linking attack on a release: `audit(table, policy)` or `audit(tree, people, policy)`.

    A table, the people of a tree and a `population` are dataframes (pandas, polars, pyarrow) or paths of files; a tree
    is a `Tree`, the path of a model, or a fitted `DecisionTreeClassifier` of scikit-learn; the policy is a `Policy` or
    the path of one. `show` says how many of the smallest and of the failing groups are listed.

    >>> people = pl.DataFrame({"sex": ["F", "F", "M"], "income": ["low", "high", "low"]})
    >>> audit(people, Policy(public=["sex"], private=["income"], require="k=2"))
    Audit(k=2 does not hold: 3 people in 2 groups, k=1)
    """
    if policy is None:
        people, policy = None, people
    if not isinstance(policy, Policy | str | os.PathLike):
        raise PolicyError(f"a {type(policy).__name__} is no policy: give a kspan.Policy or the path of a policy.toml")
    policy = policy if isinstance(policy, Policy) else Policy.load(policy)
    if isinstance(release, str | os.PathLike) and is_model(release):
        release = load_tree(release).tree
    if isinstance(release, Tree) or is_fitted_tree(release):
        if people is None:
            raise PolicyError("a tree is judged by the people it was made from: give their table, too")
        frame = load(people)
        if not isinstance(release, Tree):
            release = imported(release, encode(frame, policy), policy)
        return audit_tree(release, frame, policy, show=show)
    return _audit_table(release, policy, population, show, progress)


def _audit_table(release: Any, policy: Policy, population: Any, show: int, progress: Progress) -> Audit:
    progress("reading the table")
    frame = load(release)
    progress("coding its columns")
    table = encode(frame, policy)
    progress("linking people to groups")
    partition = Partition.by_equality(table, policy.public)
    groups = count_groups(table, partition.group, partition.number, policy.private)
    crowd = crowds(partition, groups, policy.suppressed, policy.counting)
    population_sizes = None if population is None else _in_population(partition, load(population), policy)
    progress("judging")
    good = policy.require.holds(crowd.groups)
    identifiers = tuple(name for name in policy.identifier if name in frame.columns)

    def per_row() -> Any:
        made = _per_row(partition, groups, crowd.groups, good, population_sizes)
        return made if isinstance(release, str | os.PathLike) else like(release, made)

    return Audit(
        holds=bool(good.all()) and not identifiers,
        requirement=str(policy.require),
        counting=policy.counting,
        rows=table.rows,
        people=table.people,
        groups=len(groups),
        k=crowd.k,
        identifiers=identifiers,
        failing_groups=int((~good).sum()),
        failing_people=int(groups.sizes[~good].sum()),
        failing=_smallest(partition, groups, crowd.groups, policy, np.flatnonzero(~good), show),
        smallest=_smallest(partition, groups, crowd.groups, policy, np.arange(len(groups)), show),
        exposed={name: exposed(counts, groups.sizes) for name, counts in crowd.groups.private.items()},
        reached={name: measured(counts) for name, counts in crowd.groups.private.items()},
        risk=risk_of(crowd.groups.sizes, groups.sizes, population_sizes),
        utility=_utility(table, partition, groups, policy.target),
        suppressed=crowd.suppressed,
        make_per_row=per_row,
    )


def _in_population(partition: Partition, population: pl.DataFrame, policy: Policy) -> Int64s:
    absent = [name for name in policy.public if name not in population.columns]
    if absent:
        raise PolicyError(f"the population lacks the public column {absent[0]!r}: add it there, or make it private")
    try:
        known = encode(population, policy.only(policy.public), policy.public)
    except KspanError as error:
        raise type(error)(f"the population cannot be used: {error}") from None
    return people_matching(partition, known)


def _smallest(
    partition: Partition, groups: Groups, crowd: Groups, policy: Policy, among: Int64s, show: int
) -> tuple[Finding, ...]:
    chosen = among[np.argsort(crowd.sizes[among], kind="stable")[:show]]
    holds = {str(part): part.holds(crowd) for part in policy.require.parts}
    return tuple(
        Finding(
            shown=partition.cells(group),
            people=int(groups.sizes[group]),
            crowd=int(crowd.sizes[group]),
            breaks=tuple(part for part, good in holds.items() if not good[group]),
        )
        for group in chosen.tolist()
    )


def _utility(table: Table, partition: Partition, groups: Groups, target: str | None) -> Utility:
    weights = NO_WEIGHTS if table.weights is None else table.weights
    labels = None if target is None else count_values(table[target], partition.group, partition.number, weights)
    return Utility(
        cm=None if labels is None else classification_metric(labels),
        dm=discernibility(groups.sizes),
        average_group_size=average_group_size(groups.sizes),
        ncp=certainty_penalty(partition, groups.sizes),
    )


def _per_row(
    partition: Partition, groups: Groups, crowd: Groups, good: Bools, population: Int64s | None
) -> pl.DataFrame:
    """The risk of each row: no cell of it, only its place in the file and the numbers of its group."""
    per_group: dict[str, Any] = {
        "group_size": groups.sizes,
        "crowd": crowd.sizes,
        "prosecutor_risk": 1 / crowd.sizes,
        "holds": good,
    }
    if population is not None:
        per_group["journalist_risk"] = 1 / np.maximum(population, groups.sizes)
    for name, counts in crowd.private.items():
        per_group[f"confidence: {name}"] = confidence(counts)
        per_group[f"certain: {name}"] = certain(counts)
    rows = {name: values[partition.group] for name, values in per_group.items()}
    return pl.DataFrame({"row": np.arange(1, len(partition.group) + 1), "group": partition.group + 1, **rows})
