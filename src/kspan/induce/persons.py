"""People with several rows, as learners see them: would what a model tells of them keep a requirement?

A model tells of rows; those of which it tells the same are in one bin (a span of the model). Whoever knows one row of a
person finds the people of its bin, whoever knows several those who have rows in all these bins, and whoever knows all
rows those who have rows in just these. All of these must be crowds of people, nobody may have more than one in k of the
rows of a bin, and private values must be spread by rows and by people.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_values, runs, tally
from kspan.data.persons import everybody_by_value, rows_of_the_largest, values_of_persons
from kspan.data.table import Column
from kspan.policy.policy import KnownRows
from kspan.privacy import Requirement

MOST_PARTS = 2000
"""So many sets of bins are looked at; what would need more is not allowed."""
NOTHING_TOLD = -1
"""The bin of a row of which a model tells nothing."""


@dataclass(frozen=True, repr=False)
class Persons:
    """The person of each row, and how many rows of one may be known."""

    person: Int64s
    known: KnownRows

    def hold(
        self,
        require: Requirement,
        bins: Int64s,
        private: Mapping[str, Column],
        *,
        new: Int64s | None = None,
        silent: Bools | None = None,
    ) -> bool:
        """Do people keep a requirement, given the bin of every row and what is told of it?

        If it held before some rows got bins that are `new`, only these rows are given, and only their people are looked
        at. Rows may be `silent`: their bins tell people apart, but nothing of what is asked.
        """
        known = np.flatnonzero(bins != NOTHING_TOLD) if new is None else new[bins[new] != NOTHING_TOLD]
        rows = known if silent is None else known[~silent[known]]
        if not len(rows):
            return True
        there = bins[rows]
        first = int(there.min())
        different, _, place = tally(there - first, int(there.max()) - first + 1, NO_WEIGHTS, locate=True)
        if not self._bins_hold(require, rows, place, len(different), private):
            return False
        if self.known == 1:
            return True
        theirs = known if new is None else self._rows_of(np.unique(self.person[rows]))
        theirs = theirs[bins[theirs] != NOTHING_TOLD]
        sets = _Sets.of(self.person[theirs], bins[theirs])
        if silent is not None:
            theirs, sets = theirs[~silent[theirs]], sets.at(np.flatnonzero(~silent[theirs]))
        if self.known == "all":
            there, of_row = np.unique(sets.of_row, return_inverse=True)
            return bool(require.holds(self._counted(private, theirs, of_row, len(there))).all())
        parts = sets.parts(self.known, frozenset((different + first).tolist()))
        return len(parts) <= MOST_PARTS and all(
            self._known_hold(require, theirs, bins[theirs], sets, some, private) for some in parts
        )

    def _bins_hold(
        self, require: Requirement, rows: Int64s, place: Int64s, number: int, private: Mapping[str, Column]
    ) -> bool:
        """Does the requirement hold in every bin, by people and by rows?"""
        if not require.holds(self._counted(private, rows, place, number)).all():
            return False
        times = np.bincount(place) // rows_of_the_largest(self.person[rows], place, number)
        counts = {}
        for name, column in private.items():
            some = count_values(replace(column, codes=column.codes[rows]), place, number, NO_WEIGHTS)
            counts[name] = replace(some, whole=self._everybody(column)[1])
        return bool(require.holds(Groups(times, counts)).all())

    def _known_hold(
        self,
        require: Requirement,
        rows: Int64s,
        bins: Int64s,
        sets: "_Sets",
        some: frozenset[int],
        private: Mapping[str, Column],
    ) -> bool:
        """Does the requirement hold for those who have rows in all of some bins, by what is told of these rows?"""
        having = np.array([some <= members for members in sets.members])
        there = np.flatnonzero(having[sets.of_row] & np.isin(bins, list(some)))
        return bool(require.holds(self._counted(private, rows[there], np.zeros(len(there), np.int64), 1)).all())

    def _counted(self, private: Mapping[str, Column], rows: Int64s, group: Int64s, number: int) -> Groups:
        """The people of each group of some rows, each of them once, and their values."""
        pairs, _, _ = tally(group * self._number + self.person[rows], number * self._number, NO_WEIGHTS)
        counts = {
            name: values_of_persons(column, self.person, group, number, rows, self._everybody(column)[0])
            for name, column in private.items()
        }
        return Groups(np.bincount(pairs // self._number, minlength=number), counts)

    def _everybody(self, column: Column) -> tuple[Counts, Int64s]:
        """How many people, and how many rows, have each value; found once for a column that is asked for again."""
        last = self._last.get(column.name)
        if last is None or last[0] is not column:
            rows = np.bincount(column.codes, minlength=column.size).astype(np.int64)
            last = self._last[column.name] = column, everybody_by_value(column, self.person), rows
        return last[1], last[2]

    @cached_property
    def _last(self) -> dict[str, tuple[Column, Counts, Int64s]]:
        """By name, the columns that were asked for last, with the values of everybody."""
        return {}

    @cached_property
    def _number(self) -> int:
        return int(self.person.max()) + 1

    @cached_property
    def _by_owner(self) -> tuple[Int64s, Int64s]:
        """The rows in the order of their people, and where those of each person begin."""
        order = np.argsort(self.person, kind="stable")
        return order, np.searchsorted(self.person[order], np.arange(self._number + 1))

    def _rows_of(self, people: Int64s) -> Int64s:
        order, begin = self._by_owner
        return order[runs(begin[people], begin[people + 1] - begin[people])]


@dataclass(frozen=True, repr=False)
class _Sets:
    """The sets of bins that people have."""

    of_row: Int64s
    """For each row, the number of its person's set."""
    members: list[frozenset[int]]

    @classmethod
    def of(cls, person: Int64s, bins: Int64s) -> "_Sets":
        """Find the sets of the people who have some rows; they are told apart by sums of random marks."""
        (everybody, who), (different, place) = (np.unique(each, return_inverse=True) for each in (person, bins))
        owner, member = np.divmod(np.unique(who * len(different) + place), len(different))
        marks = np.random.default_rng(0).integers(0, 1 << 63, len(different), np.uint64)
        begin = np.searchsorted(owner, np.arange(len(everybody) + 1))
        sums = np.add.reduceat(marks[member], begin[:-1])
        _, example, number = np.unique(sums, return_index=True, return_inverse=True)
        runs_of = zip(begin[example], begin[example + 1], strict=True)
        members = [frozenset(different[member[first:after]].tolist()) for first, after in runs_of]
        return cls(number.astype(np.int64)[who], members)

    def at(self, some: Int64s) -> "_Sets":
        """The sets of the people of some of the rows."""
        return replace(self, of_row=self.of_row[some])

    def parts(self, most: int, new: frozenset[int]) -> set[frozenset[int]]:
        """Return the sets of two up to `most` bins that somebody has, with at least one that is new.

        If there are more than `MOST_PARTS`, only one more is returned.
        """
        found = set[frozenset[int]]()
        for members in self.members:
            for size in range(2, min(most, len(members)) + 1):
                for some in combinations(sorted(members), size):
                    if not new.isdisjoint(some):
                        found.add(frozenset(some))
                        if len(found) > MOST_PARTS:
                            return found
        return found
