"""The audit of a table: link, count, judge."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.crowd import Crowds, crowds
from kspan.audit.findings import Audit, Finding, K, LinkedPeople, Utility
from kspan.audit.infer import certain, confidence, exposed
from kspan.audit.link import people_matching
from kspan.audit.measured import measured
from kspan.audit.models import audit_model, is_for_models
from kspan.audit.people import Linked, linked_people
from kspan.audit.risk import Risk, journalist_risk, risk_of
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.groups import NO_WEIGHTS, Groups, count_groups, count_values
from kspan.data.meaning import canonical
from kspan.data.table import Table
from kspan.errors import KspanError, PolicyError
from kspan.frames.files import load
from kspan.frames.native import like
from kspan.model.partition import Partition
from kspan.policy import Policy, PolicyLike, people_and_policy
from kspan.privacy.requirement import Requirement
from kspan.utility.loss import average_group_size, certainty_penalty, classification_metric, discernibility

Progress = Callable[[str], None]


def audit(
    release: Any,
    people: Any = None,
    policy: PolicyLike | None = None,
    *,
    require: Requirement | str | None = None,
    beside: Sequence[Any] = (),
    population: Any = None,
    show: int = 5,
    progress: Progress = lambda step: None,
) -> Audit:
    """Replay the linking attack: `audit(table, policy)`, `audit(table, people, policy)`, `audit(tree, people, policy)`.

    A table, the people that a release was made from and a `population` are dataframes (pandas, polars, pyarrow) or
    paths of files; a tree is a `Tree`, the path of a model, or a fitted `DecisionTreeClassifier` of scikit-learn; the
    policy is a `Policy` or the path of one. What `kspan.anonymize` made needs no policy: `audit(release)`, or
    `audit(release, people)`. With the people of a table, what they match is counted exactly, not only its groups.
    Without its people a tree is judged by what it publishes: `audit(tree)` by its claim, or by what you `require`.
    Trees that are published `beside` a tree about the same people are judged together with it. `show` says how many of
    the smallest and of the failing groups are listed.

    >>> people = pl.DataFrame({"sex": ["F", "F", "M"], "income": ["low", "high", "low"]})
    >>> audit(people, Policy(public=["sex"], private=["income"], require="k=2"))
    Audit(k=2 does not hold: 3 people in 2 groups, k=1)
    """
    if isinstance(people, Policy) and policy is None:
        people, policy = None, people
    if isinstance(own := getattr(release, "policy", None), Policy):
        release, policy = release.table, policy or own
    people, policy = people_and_policy(people, policy)
    if is_for_models(release, people):
        return audit_model(release, people, policy, require=require, beside=beside, show=show)
    if policy is None:
        raise PolicyError("a table needs the policy that says who may know what: give it, too")
    if beside:
        raise PolicyError("a table cannot be judged together with other releases: only trees can")
    if require is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    return _audit_table(release, None if people is None else load(people), policy, population, show, progress)


def _audit_table(
    release: Any, people: pl.DataFrame | None, policy: Policy, population: Any, show: int, progress: Progress
) -> Audit:
    progress("reading the table")
    frame = load(release)
    progress("coding its columns")
    table = canonical(encode(frame, policy), policy.range_pattern)
    progress("linking people to groups")
    partition = Partition.by_equality(table, policy.public)
    groups = count_groups(table, partition.group, partition.number, policy.private)
    crowd = crowds(partition, groups, policy.suppressed, policy.counting)
    linkage = None if people is None else linked_people(people, partition, groups, policy)
    population_sizes = None if population is None else _in_population(partition, load(population), policy)
    progress("judging")
    verdicts = _verdicts(crowd, groups, linkage, policy)
    good = verdicts.good
    identifiers = tuple(name for name in policy.identifier if name in frame.columns)

    def crowds_of(most: int) -> tuple[Finding, ...]:
        return _smallest(partition, groups, verdicts, np.arange(len(groups)), most)

    def per_row() -> Any:
        made = _per_row(partition, groups, crowd.groups, verdicts, population_sizes)
        return made if isinstance(release, str | os.PathLike) else like(release, made)

    return Audit(
        holds=bool(good.all()) and not identifiers,
        requirement=str(policy.require),
        counting=policy.counting,
        rows=table.rows,
        people=table.people,
        groups=len(groups),
        k=verdicts.k,
        identifiers=identifiers,
        failing_groups=int((~good).sum()),
        failing_people=int(groups.sizes[~good].sum()),
        failing=_smallest(partition, groups, verdicts, np.flatnonzero(~good), show),
        smallest=crowds_of(show),
        exposed={name: exposed(counts, verdicts.people) for name, counts in verdicts.spread.private.items()},
        reached={name: measured(counts) for name, counts in verdicts.spread.private.items()},
        risk=replace(
            verdicts.risk,
            journalist=None if population_sizes is None else journalist_risk(groups.sizes, population_sizes),
        ),
        utility=_utility(table, partition, groups, policy.target),
        suppressed=crowd.suppressed,
        linked=None if linkage is None else LinkedPeople(linkage.given, linkage.unmatched),
        make_per_row=per_row,
        make_crowds=crowds_of,
    )


@dataclass(frozen=True, repr=False)
class _Verdicts:
    """What was found of each group, and the crowds from which it was found."""

    holds: Mapping[str, Bools]
    """For each part of the requirement, which groups satisfy it."""
    crowd: Int64s
    """How many people or rows each group is taken for."""
    spread: Groups
    """The crowds in which private values are looked at."""
    people: Int64s
    """How many people have each of these crowds."""
    risk: Risk
    k: K

    @cached_property
    def good(self) -> Bools:
        """Which groups satisfy all that is required."""
        good: Bools = np.logical_and.reduce(list(self.holds.values()))
        return good


def _verdicts(crowd: Crowds, groups: Groups, linkage: Linked | None, policy: Policy) -> _Verdicts:
    """Judge the groups of a table as they stand and, where the people are known, by all whom they admit."""
    parts = {str(part): part for part in policy.require.parts}
    holds = {name: part.holds(crowd.groups) for name, part in parts.items()}
    alone = _Verdicts(
        holds, crowd.groups.sizes, crowd.groups, groups.sizes, risk_of(crowd.groups.sizes, groups.sizes), crowd.k
    )
    if linkage is None:
        return alone
    of_people, smallest = linkage.seen_from(
        len(groups), {name: part.holds(linkage.asked) for name, part in parts.items()}
    )
    found = replace(
        alone,
        holds={name: holds[name] & of_people[name] for name in parts},
        crowd=np.minimum(alone.crowd, smallest),
        risk=risk_of(linkage.asked.sizes, linkage.people.sizes),
        k=K(rows=min(crowd.k.rows, linkage.k.rows), people=min(crowd.k.people, linkage.k.people)),
    )
    # Who matches more rows than those of a group finds more values there: the groups themselves are the worst case.
    by_rows = policy.counting == "rows"
    return found if by_rows else replace(found, spread=linkage.people, people=linkage.people.sizes)


def _in_population(partition: Partition, population: pl.DataFrame, policy: Policy) -> Int64s:
    absent = [name for name in policy.public if name not in population.columns]
    if absent:
        raise PolicyError(f"the population lacks the public column {absent[0]!r}: add it there, or make it private")
    try:
        known = canonical(encode(population, policy.only(policy.public), policy.public), policy.range_pattern)
    except KspanError as error:
        raise type(error)(f"the population cannot be used: {error}", details=error.details) from None
    return people_matching(partition, known)


def _smallest(
    partition: Partition, groups: Groups, verdicts: _Verdicts, among: Int64s, show: int
) -> tuple[Finding, ...]:
    chosen = among[np.argsort(verdicts.crowd[among], kind="stable")[:show]]
    return tuple(
        Finding(
            shown=partition.cells(group),
            people=int(groups.sizes[group]),
            crowd=int(verdicts.crowd[group]),
            breaks=tuple(part for part, good in verdicts.holds.items() if not good[group]),
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
    partition: Partition, groups: Groups, crowd: Groups, verdicts: _Verdicts, population: Int64s | None
) -> pl.DataFrame:
    """The risk of each row: no cell of it, only its place in the file and the numbers of its group."""
    per_group: dict[str, Any] = {
        "group_size": groups.sizes,
        "crowd": verdicts.crowd,
        "prosecutor_risk": 1 / verdicts.crowd,
        "holds": verdicts.good,
    }
    if population is not None:
        per_group["journalist_risk"] = 1 / np.maximum(population, groups.sizes)
    for name, counts in crowd.private.items():
        per_group[f"confidence: {name}"] = confidence(counts)
        per_group[f"certain: {name}"] = certain(counts)
    rows = {name: values[partition.group] for name, values in per_group.items()}
    return pl.DataFrame({"row": np.arange(1, len(partition.group) + 1), "group": partition.group + 1, **rows})
