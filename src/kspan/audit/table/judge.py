"""The audit of a table: link, count, judge."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.table.crowd import crowds
from kspan.audit.table.link import people_matching
from kspan.audit.table.people import as_shown, linked_people, people_behind
from kspan.audit.table.person_spans import PersonSpans
from kspan.audit.table.sampled import sample_of
from kspan.audit.table.spans import TableSpans
from kspan.audit.table.wide import WideTable
from kspan.data.arrays import Int64s
from kspan.data.domain import Domain, told
from kspan.data.encode import encode
from kspan.data.groups import count_groups
from kspan.data.meaning import canonical
from kspan.data.prepared import computed, prepared
from kspan.data.table import Table
from kspan.errors import KspanError, PolicyError
from kspan.frames.files import load
from kspan.frames.native import like, of_its_kind
from kspan.model.partition import Partition
from kspan.policy import Policy
from kspan.policy.free_text import told_of_free_text

Progress = Callable[[str], None]


def audit_table(
    release: Any,
    people: pl.DataFrame | None,
    policy: Policy,
    population: Any,
    show: int,
    progress: Progress,
    *,
    times: pl.Series | None = None,
) -> Audit:
    """Judge a table: every group of rows that show the same public cells must satisfy the policy's requirement.

    With the people behind the table, what each of them matches must satisfy it, too. A population adds figures on risk,
    and does not change the verdict. `times` says how many rows of the table each one stands for, if not one.
    """
    progress("reading the table")
    people = None if people is None else as_shown(prepared(people, policy)[0], policy)
    given = load(release)
    frame, policy = prepared(given, policy, released=True)
    if (wide := WideTable.of(frame, people, policy)) is not None:
        require, people, policy = policy.require, wide.people, wide.policy
    else:
        require = policy.require
    progress("coding its columns")
    behind = None if people is None else people_behind(people, policy)
    table, policy = coded(frame, behind, policy)
    progress("linking people to groups")
    partition = Partition.by_equality(table, policy.public)
    groups = count_groups(table, partition.group, partition.number, policy.private if wide is None else ())
    crowd = crowds(partition, groups, policy.suppressed, policy.counting)
    _check_says_whose(frame, behind, policy)
    known = _declaring(policy, _spelled(table))
    population_sizes = (
        None if population is None else _in_population(partition, computed(load(population), known), known)
    )
    progress("judging")
    identifiers = tuple(name for name in policy.never_released if name in given.columns)
    by_person = table.persons is not None or (behind is not None and behind.persons is not None)
    each = bool(policy.person) or wide is not None
    linkage = None if behind is None or by_person else linked_people(behind, partition, groups, policy, by_person=each)
    sample = sample_of(frame, partition, groups, policy)
    homes = _households(frame if linkage is None else people, policy)
    spans = TableSpans(
        table, partition, groups, crowd, linkage, policy, identifiers, population_sizes, sample, homes, behind
    )
    if table.persons is not None:
        spans = PersonSpans.of_groups(spans)
    elif by_person and behind is not None:
        spans = PersonSpans.of_linked(spans, behind)
    elif wide is not None:
        spans = wide.spans(spans)
    found = judge(spans, require, show=show)
    found = replace(found, assumptions=(*found.assumptions, *told_of_free_text(frame, policy, times)))
    if isinstance(release, str | os.PathLike):
        return found
    # Rows are handed out as the kind of dataframe that was given, which has others if its sets became rows.
    handed_out = like if frame.height == given.height else of_its_kind
    return replace(found, make_per_row=lambda: handed_out(release, found.make_per_row()))


def _check_says_whose(frame: pl.DataFrame, behind: Table | None, policy: Policy) -> None:
    """Refuse a table of people with several rows where nothing says whose they are."""
    if policy.person and policy.person not in frame.columns and behind is None:
        raise PolicyError(
            f"people may have several rows (person = {policy.person!r}), and the table does not say whose they are: "
            "give the people behind it (--data), so that people are counted and not rows"
        )


def coded(frame: pl.DataFrame, behind: Table | None, policy: Policy) -> tuple[Table, Policy]:
    """Code a released table, and return the policy that tells how; the people behind it tell what cells may mean."""
    if behind is not None:
        # A release may show days where people have moments: then these are ranges of moments.
        policy = _declaring(policy, _spelled(behind))
    table = encode(frame, policy, by_person=True, released=True, like=behind)
    return canonical(table, policy.range_pattern, known=behind), policy


def _households(people: pl.DataFrame | None, policy: Policy) -> Int64s | None:
    """Return the household of each row, if a table tells."""
    if people is None or policy.household is None or policy.household not in people.columns:
        return None
    household = people[policy.household].rank("dense").cast(pl.Int64)
    # Whoever has none lives alone.
    return (
        household.fill_null(pl.int_range(people.height, 2 * people.height, eager=True) + 1).rank("dense").to_numpy() - 1
    )


def _spelled(table: Table) -> dict[str, Domain]:
    return told({name: column.kind for name, column in table.columns.items()})


def _declaring(policy: Policy, domains: Mapping[str, Domain]) -> Policy:
    """Return the policy with these domains of columns for which it declares none."""
    return replace(policy, domains={**domains, **policy.domains}) if domains else policy


def _in_population(partition: Partition, population: pl.DataFrame, policy: Policy) -> Int64s:
    absent = [name for name in policy.public if name not in population.columns]
    if absent:
        raise PolicyError(f"the population lacks the public column {absent[0]!r}: add it there, or make it private")
    try:
        known = canonical(encode(population, policy.only(policy.public), policy.public), policy.range_pattern)
    except KspanError as error:
        raise type(error)(f"the population cannot be used: {error}", details=error.details) from None
    return people_matching(partition, known)
