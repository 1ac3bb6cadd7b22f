"""A wide table, judged: one row a person, with all rows of the person side by side.

Its public cells, numbered ones and the number of rows included, are judged as those of any table. So whoever knows all
rows of a person, with their number, finds a crowd. Private values must satisfy the requirement row by row, among those
who have that row, and for people over all their rows: where one half had an illness first and the other half had it
later, no column tells, but everybody had it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import Persons
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured, worst
from kspan.audit.seen import Seen
from kspan.audit.table.people import NOBODY
from kspan.audit.table.spans import TableSpans
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.groups import Counts, Groups, count_groups
from kspan.data.meaning import canonical
from kspan.data.persons import count_persons
from kspan.data.table import Table
from kspan.data.wide import Shape, lengthened, people_in_order, row_counts, shape_of
from kspan.errors import DataError, KspanError, PolicyError
from kspan.policy import Policy
from kspan.policy.values import unseen
from kspan.policy.wide import wide_policy
from kspan.privacy import OnPrivate
from kspan.privacy.requirement import Requirement


@dataclass(frozen=True, repr=False)
class PrivateRows:
    """The private values of people in all their rows."""

    table: Table
    person: Int64s
    """The person of each row of the table."""
    place: Int64s
    """Which of the rows of the person it is."""

    @classmethod
    def of(cls, frame: pl.DataFrame, policy: Policy, shape: Shape) -> "PrivateRows":
        """Read them from a wide table."""
        rows, person, place = lengthened(frame, policy.private, shape)
        read = Table({}, len(person))
        if policy.private:
            read = encode(rows, policy.of_rows(), policy.private)
        return cls(canonical(read, policy.range_pattern), person, place)

    def counted(self, group: Int64s, number: int) -> Iterator[tuple[Groups, Int64s]]:
        """Count the people of groups by private values, over all rows and row by row, with the groups counted.

        `group` is that of each person, or `NOBODY`.
        """
        there = group[self.person] != NOBODY
        for place in (None, *range(int(self.place.max()) + 1)):
            rows = np.flatnonzero(there if place is None else there & (self.place == place))
            if not len(rows):
                continue
            some, of_row = np.unique(group[self.person[rows]], return_inverse=True)
            table, names = self.table.at(rows), list(self.table.columns)
            if place is None:
                yield count_persons(table.columns, self.person[rows], of_row, len(some)), some
            else:
                yield count_groups(table, of_row, len(some), names), some

    def holds(self, part: OnPrivate, group: Int64s, number: int) -> Bools:
        """Tell which groups satisfy a requirement, over all rows and row by row."""
        good: Bools = np.ones(number, bool)
        for groups, some in self.counted(group, number):
            good[some] &= part.holds(groups)
        return good


@dataclass(frozen=True, repr=False, kw_only=True)
class WideSpans(TableSpans):
    """The groups of a wide table; its private values are judged by all rows of people."""

    asked: Policy
    """The policy of the long table."""
    rows_shown: PrivateRows
    rows_of_people: PrivateRows | None
    """The rows of the people behind the table, if these are counted."""
    row_numbers: Int64s
    """How many rows each person has."""

    def holds(self, part: Requirement) -> Bools:
        """Tell which groups satisfy one part of the requirement."""
        if not isinstance(part, OnPrivate):
            return super().holds(part)
        good = self.rows_shown.holds(part, self.partition.group, len(self.partition))
        if self.rows_of_people is not None and self.linked is not None:
            by_span = self.rows_of_people.holds(part, self.linked.of_row, len(self.linked.people.sizes))
            good &= self.linked.seen_from(len(self.groups), {"": by_span})[0][""]
        return good

    @cached_property
    def _counted(self) -> tuple[tuple[Groups, Int64s], ...]:
        return tuple(self.rows_shown.counted(self.partition.group, len(self.partition)))

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """The private values of each group, by people over all their rows."""
        return self._counted[0][0].private

    def exposed(self, name: str) -> int:
        """How many people have a value of a private attribute, in some row, that can be told with certainty."""
        told = np.zeros(len(self.partition), bool)
        for groups, some in self._counted:
            told[some] |= certain(groups.private[name])
        return int(self.sizes[told].sum())

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """The worst level that a private attribute reaches in every measure, over all rows or in one."""
        return worst([measured(groups.private[name]) for groups, _ in self._counted])

    def limited(self, name: str, require: Requirement) -> dict[str, float]:
        """The level that each limit on one value of a private attribute reaches, by what is limited."""
        return {
            part.subject: max(float(part.level(groups.private[name]).max()) for groups, _ in self._counted)
            for part in require.parts
            if isinstance(part, OnPrivate) and part.only_value is not None and name in part.on
        }

    def facts(self) -> dict[str, Any]:
        """What a table tells, and how many rows people have."""
        found, rows = super().facts(), self.row_numbers
        having = {name: column.having for name, column in self.rows_shown.table.columns.items()}
        assumptions = (*found["assumptions"], *unseen(self.asked.require, self.asked, having))
        several = int((rows > 1).sum())
        persons = Persons(str(self.asked.person), len(rows), several, int(rows.max()), "all", "wide")
        return {**found, "assumptions": assumptions, "persons": persons}

    def seen(self) -> Seen | None:
        """Refuse: a wide table tells of all rows of a person at once, and others do not."""
        raise PolicyError("a wide table cannot be judged together with other releases: release a long one beside them")

    def per_row(self, good: Bools) -> pl.DataFrame:
        """The risk of each row, without its cells; the best guess is of any row of the person."""
        counts, group = self.disclosed, self.partition.group
        told = {f"confidence: {name}": confidence(each)[group] for name, each in counts.items()}
        sure = {f"certain: {name}": certain(each)[group] for name, each in counts.items()}
        return super().per_row(good).with_columns(**told, **sure)


@dataclass(frozen=True, repr=False)
class WideTable:
    """A wide table, and the people behind it in the same shape, with the policies of both forms."""

    frame: pl.DataFrame
    people: pl.DataFrame | None
    shape: Shape
    asked: Policy
    policy: Policy
    """The policy of the wide table."""

    @classmethod
    def of(cls, frame: pl.DataFrame, people: pl.DataFrame | None, policy: Policy) -> "WideTable | None":
        """Return the wide table that a frame is; None if it is none."""
        shape = shape_of(frame, policy)
        if shape is None:
            return None
        behind = None if people is None else _people(people, policy, shape)
        return cls(frame, behind, shape, policy, wide_policy(policy, shape))

    def spans(self, spans: TableSpans) -> WideSpans:
        """Judge the private values of groups by all rows of people."""
        by_people = self.people if self.policy.counting == "people" else None
        return WideSpans(
            **vars(spans),
            asked=self.asked,
            rows_shown=PrivateRows.of(self.frame, self.asked, self.shape),
            rows_of_people=None if by_people is None else PrivateRows.of(by_people, self.asked, self.shape),
            row_numbers=row_counts(self.frame),
        )


def _people(people: pl.DataFrame, policy: Policy, shape: Shape) -> pl.DataFrame:
    """The people behind a wide table in its shape: they may be given in the long form, or in the wide one."""
    try:
        own = shape_of(people, policy)
        if own is not None and own != shape:
            raise DataError("their numbered columns are not those of the release")
        if own is not None:
            return people
        if policy.person not in people.columns:
            raise DataError(f"they do not say whose row it is: add the column {policy.person!r}")
        return people_in_order(people, encode(people, policy, by_person=True), policy, policy.order, shape)
    except KspanError as error:
        raise type(error)(f"the people cannot be used: {error}", details=error.details) from None
