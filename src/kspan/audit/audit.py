"""The audit of a table: link, count, judge."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from kspan.audit.crowd import crowds
from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.link import people_matching
from kspan.audit.models import audit_model
from kspan.audit.people import linked_people
from kspan.audit.table_spans import TableSpans
from kspan.data.arrays import Int64s
from kspan.data.encode import encode
from kspan.data.groups import count_groups
from kspan.data.meaning import canonical
from kspan.errors import KspanError, PolicyError
from kspan.frames.files import load
from kspan.frames.native import like
from kspan.model.kinds import given_model
from kspan.model.partition import Partition
from kspan.policy import Policy, PolicyLike, people_and_policy
from kspan.privacy.requirement import Requirement

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
    if (model := given_model(release, with_people=people is not None)) is not None:
        return audit_model(model, people, policy, require=require, beside=beside, show=show)
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
    identifiers = tuple(name for name in policy.identifier if name in frame.columns)
    spans = TableSpans(table, partition, groups, crowd, linkage, policy, identifiers, population_sizes)
    found = judge(spans, policy.require, show=show)
    if isinstance(release, str | os.PathLike):
        return found
    return replace(found, make_per_row=lambda: like(release, found.make_per_row()))


def _in_population(partition: Partition, population: pl.DataFrame, policy: Policy) -> Int64s:
    absent = [name for name in policy.public if name not in population.columns]
    if absent:
        raise PolicyError(f"the population lacks the public column {absent[0]!r}: add it there, or make it private")
    try:
        known = canonical(encode(population, policy.only(policy.public), policy.public), policy.range_pattern)
    except KspanError as error:
        raise type(error)(f"the population cannot be used: {error}", details=error.details) from None
    return people_matching(partition, known)
