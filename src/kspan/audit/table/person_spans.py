"""The groups of a table in which people have several rows, judged by people."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kspan.audit.findings import K, LinkedPeople, Persons, Utility
from kspan.audit.measured import measured, worst
from kspan.audit.persons import PersonCrowds
from kspan.audit.risk import Risk, journalist_risk, risk_of
from kspan.audit.seen import Seen
from kspan.audit.table.link import Links
from kspan.audit.table.people import NOBODY, spans_of_kinds
from kspan.audit.table.spans import TableSpans
from kspan.audit.table.theirs import bins_of_groups, check_all_are_in_it, check_theirs, check_values
from kspan.data.arrays import Bools, Int64s
from kspan.data.table import Table
from kspan.errors import DataError
from kspan.model.partition import Partition
from kspan.policy import Policy
from kspan.privacy import OnPrivate
from kspan.privacy.requirement import Requirement
from kspan.utility.loss import average_group_size


@dataclass(frozen=True, repr=False, kw_only=True)
class PersonSpans(TableSpans):
    """The groups of a table, judged by the people who have rows there and not by rows."""

    crowds: PersonCrowds
    of_bin: tuple[Int64s, Int64s]
    """Which group belongs to which bin, in pairs of a bin and a group."""
    given: LinkedPeople | None
    """The people who were given with the table, if they were linked to it."""
    of_row: Int64s | None = None
    """The bin of every row of these people, or `NOBODY`."""

    counting = "people"

    @classmethod
    def of_groups(cls, spans: TableSpans) -> "PersonSpans":
        """Judge a table that says whose row is whose: its groups are the bins."""
        table, number = spans.table, len(spans.partition)
        assert table.persons is not None
        each = np.arange(number)
        crowds = _crowds(table, table.persons, spans.partition.group, np.zeros(number, np.int64), spans.policy)
        return cls(**vars(spans), crowds=crowds, of_bin=(each, each), given=None)

    @classmethod
    def of_linked(cls, spans: TableSpans, people: Table) -> "PersonSpans":
        """Judge a table by the people behind it: people are in one bin if the same groups admit them."""
        kinds = Partition.by_equality(people, spans.policy.public)
        links = Links(kinds, spans.partition)
        span, example = spans_of_kinds(links, len(kinds), len(spans.partition))
        if not len(example):
            raise DataError("no row of the release admits any of the people: give the table that it was made from")
        rows = np.flatnonzero(span[kinds.group] != NOBODY)
        unmatched, withheld = people.rows - len(rows), max(people.rows - spans.table.rows, 0)
        if unmatched > withheld:
            raise DataError(
                f"{unmatched} of {people.rows} rows of people match no row, though at most {withheld} can be withheld: "
                "nobody can be counted where cells are not true of people (means, medians); show intervals"
            )
        there = people.at(rows)
        assert there.persons is not None
        bin_ = span[kinds.group[rows]]
        of_bin = bins_of_groups(links, span, len(spans.partition))
        theirs = np.zeros(len(spans.partition), np.int64)
        np.add.at(theirs, of_bin[1], np.bincount(bin_)[of_bin[0]])
        check_theirs(spans.groups.sizes, theirs, len(rows))
        absent = _absent(np.bincount(bin_), spans.groups.sizes, of_bin)
        if absent.any() and spans.policy.require.about(spans.policy.private):
            raise DataError(
                f"the people have {int(absent.sum())} rows more than the release admits, so that their private values "
                "are not those of the release: give just the rows that are in it"
            )
        check_values(spans, there, bin_, of_bin, spans.policy.require.about(spans.policy.private))
        given = LinkedPeople(people.people, people.people - there.people)
        crowds = _crowds(there, there.persons, bin_, absent, spans.policy)
        return cls(**vars(spans), crowds=crowds, of_bin=of_bin, given=given, of_row=span[kinds.group])

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.crowds.of_person)

    @cached_property
    def sizes(self) -> Int64s:
        """How many people each group admits, at most."""
        bin_, group = self.of_bin
        person = np.zeros(len(self.partition), np.int64)
        np.add.at(person, group, self.crowds.by_person.sizes[bin_])
        return person

    def holds(self, part: Requirement) -> Bools:
        """Tell which groups satisfy one part of the requirement by their rows and by the people in their bins."""
        bin_, group = self.of_bin
        good = part.holds(self.alone.groups)
        np.logical_and.at(good, group, self.crowds.holds(part)[bin_])
        return good

    @cached_property
    def crowd(self) -> Int64s:
        """The smallest crowd of people in each group."""
        bin_, group = self.of_bin
        smallest = self.alone.groups.sizes.copy()
        np.minimum.at(smallest, group, self.crowds.crowd[bin_])
        return smallest

    @property
    def k(self) -> K:
        """The k that is reached, by rows and by people."""
        return K(rows=self.alone.k.rows, people=min(self.alone.k.people, int(self.crowds.crowd.min())))

    @property
    def risk(self) -> Risk:
        """How likely people are to be re-identified."""
        crowd = self.crowds.of_person
        journalist = None if self.population is None else journalist_risk(self.groups.sizes, self.population)
        return replace(risk_of(crowd, np.ones(len(crowd), np.int64)), journalist=journalist)

    @property
    def utility(self) -> Utility:
        """How much information the table keeps."""
        return replace(super().utility, average_group_size=average_group_size(self.sizes))

    def failing_people(self, good: Bools) -> int:
        """How many people have rows in groups that are not good, or whose rows together give them away."""
        bin_, group = self.of_bin
        good_by_cells = np.ones(self.crowds.bins, bool)
        np.logical_and.at(good_by_cells, bin_, self.policy.require.holds(self.alone.groups)[group])
        return int((self.crowds.fails(self.policy.require) | self.crowds.having(~good_by_cells)).sum())

    def exposed(self, name: str) -> int:
        """How many people have a value of a private attribute that can be told with certainty."""
        return self.crowds.exposed(name)

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """The worst level that a private attribute reaches in every measure, however it is counted."""
        return worst([measured(counts) for counts in self.crowds.counts(name)])

    def limited(self, name: str, require: Requirement) -> dict[str, float]:
        """The level that each limit on one value of a private attribute reaches, by what is limited."""
        return {
            part.subject: max(float(part.level(counts).max()) for counts in self.crowds.counts(name))
            for part in require.parts
            if isinstance(part, OnPrivate) and part.only_value is not None and name in part.on
        }

    def seen(self) -> Seen | None:
        """What the table lets anybody see of each row of the people behind it: the groups that it matches."""
        if self.behind is None or self.of_row is None:
            return None
        there = np.flatnonzero(self.of_row != NOBODY)
        check_all_are_in_it(len(there), self.table.rows)
        check_values(self, self.behind.at(there), self.of_row[there], self.of_bin, self.policy.private)
        return self._seen_of(self.behind, self.of_row, self.of_bin)

    def facts(self) -> dict[str, Any]:
        """What a table tells, and how many people have how many rows."""
        persons = Persons.of(self.crowds.person, str(self.policy.person), self.policy.known_rows)
        return {**super().facts(), "linked": self.given, "persons": persons}


def _crowds(table: Table, person: Int64s, bin_: Int64s, absent: Int64s, policy: Policy) -> PersonCrowds:
    private = {name: table[name] for name in policy.private}
    nowhere = np.zeros(len(absent), bool)
    return PersonCrowds(private, person, np.arange(table.rows), bin_, len(absent), policy.known_rows, absent, nowhere)


def _absent(rows: Int64s, released: Int64s, of_bin: tuple[Int64s, Int64s]) -> Int64s:
    """Return how many of the rows of people in each bin cannot be in the release, since it has fewer there."""
    bin_, group = of_bin
    alone = (np.bincount(bin_)[bin_] == 1) & (np.bincount(group)[group] == 1)
    absent: Int64s = np.full(len(rows), max(int(rows.sum() - released.sum()), 0))
    # Where a bin has a group for itself, it is known how many: where they share groups, it may be all.
    absent[bin_[alone]] = np.maximum(rows[bin_[alone]] - released[group[alone]], 0)
    np.minimum(absent, rows, out=absent)
    return absent
