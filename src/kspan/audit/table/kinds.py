"""The audit of a table that is not in memory: its different rows are judged, each for as many people as it has.

The verdict and every figure are those of the table itself. The risk of each row is asked for seldom, and brings the
rows into memory.
"""

from dataclasses import replace
from typing import Any

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.table.judge import Progress, audit_table
from kspan.data.persons import check_rows_are_people, names_of_people
from kspan.data.prepared import without_target_of_dates
from kspan.engines.kinds import Kinds
from kspan.engines.rows import Rows
from kspan.policy import Policy


def needs_rows(policy: Policy) -> str | None:
    """Say what a policy asks that cannot be told from the kinds of rows; None if there is nothing."""
    asked = {
        "people with several rows (person)": policy.person,
        "sets of codes (sets)": policy.sets,
        "households (household)": policy.household,
        "sampling weights (sampling_weight)": policy.sampling_weight,
    }
    return next((what for what, given in asked.items() if given), None)


def audit_rows(release: Rows, people: Any, policy: Policy, population: Any, show: int, progress: Progress) -> Audit:
    """Judge a table that an engine holds; `people` are those behind it: a frame, or rows that an engine holds."""
    policy.check_columns({**dict.fromkeys(release.names), **dict.fromkeys(policy.ages)})
    progress(f"counting rows by {release.engine}")
    _check_one_row_each(release, policy)
    kinds = _kinds(release, policy)
    frame, weighted = kinds.weighted(policy)
    behind = None if people is None else _behind(people, policy)
    if behind is not None:
        weighted = without_target_of_dates(behind, weighted)
    found = audit_table(frame, behind, weighted, population, show, progress, times=kinds.times)

    def per_row() -> Any:
        everybody = people.whole() if isinstance(people, Rows) else people
        judged = policy if everybody is None else without_target_of_dates(everybody, policy)
        return audit_table(release.whole(), everybody, judged, population, show, progress).per_row

    return replace(found, rows=kinds.rows, make_per_row=per_row, make_seen=lambda: None)


def _kinds(rows: Rows, policy: Policy) -> Kinds:
    """Count the rows by all that a policy says of them."""
    dates = (name for age in policy.ages.values() for name in (age.born, age.on) if isinstance(name, str))
    weight = () if policy.weight is None else (policy.weight,)
    return rows.kinds((*policy.public, *policy.private, *weight, *dates))


def _behind(people: Any, policy: Policy) -> pl.DataFrame:
    if isinstance(people, Rows):
        _check_one_row_each(people, policy)
        return _kinds(people, policy).weighted(policy)[0]
    kinds = Kinds(people, pl.Series([1] * people.height, dtype=pl.Int64))
    return kinds.weighted(policy)[0]


def _check_one_row_each(rows: Rows, policy: Policy) -> None:
    """Refuse a table in which the same person has several rows, if it names people."""
    names = names_of_people(rows.names, policy)
    if policy.person is None and names:
        kinds = rows.kinds(names)
        check_rows_are_people(kinds.frame, policy, kinds.times)
