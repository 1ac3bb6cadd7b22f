"""People with several rows, as learners see them: would what a model tells of them keep a requirement?

A model tells of rows; those of which it tells the same are in one bin (a span of the model). Whoever knows one row of a
person finds the people of its bin, whoever knows several those who have rows in all these bins, and whoever knows all
rows those who have rows in just these. All of these must be crowds of people, nobody may have more than one in k of the
rows of a bin, and private values must be spread by rows and by people.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import NO_WEIGHTS, Groups, count_values
from kspan.data.persons import count_persons, rows_of_the_largest
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
        changed: Bools | None = None,
    ) -> bool:
        """Do people keep a requirement, given the bin of every row and what is told of it?

        If only some rows have `changed` their bins since it held, no others are looked at.
        """
        there = bins != NOTHING_TOLD
        asked = there if changed is None else there & changed
        if not asked.any():
            return True
        new = np.zeros(int(bins.max()) + 1, bool)
        new[bins[asked]] = True
        rows = np.flatnonzero(there & new[bins])
        if not self._bins_hold(require, rows, bins[rows], private):
            return False
        if self.known == 1:
            return True
        mine = np.zeros(int(self.person.max()) + 1, bool)
        mine[self.person[rows]] = True
        theirs = np.flatnonzero(there & mine[self.person])
        sets = _Sets.of(self.person[theirs], bins[theirs])
        if self.known == "all":
            return bool(
                require.holds(count_persons(private, self.person, sets.of_row, len(sets.members), theirs)).all()
            )
        parts = sets.parts(self.known, new)
        return len(parts) <= MOST_PARTS and all(
            self._known_hold(require, theirs, bins[theirs], sets, some, private) for some in parts
        )

    def _bins_hold(self, require: Requirement, rows: Int64s, bins: Int64s, private: Mapping[str, Column]) -> bool:
        """Does the requirement hold in every bin, by people and by rows?"""
        _, place = np.unique(bins, return_inverse=True)
        number = int(place.max()) + 1
        if not require.holds(count_persons(private, self.person, place, number, rows)).all():
            return False
        times = np.bincount(place) // rows_of_the_largest(self.person[rows], place, number)
        counts = {}
        for name, column in private.items():
            some = count_values(replace(column, codes=column.codes[rows]), place, number, NO_WEIGHTS)
            counts[name] = replace(some, whole=np.bincount(column.codes, minlength=column.size).astype(np.int64))
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
        together = np.zeros(len(there), np.int64)
        return bool(require.holds(count_persons(private, self.person, together, 1, rows[there])).all())


@dataclass(frozen=True, repr=False)
class _Sets:
    """The sets of bins that people have."""

    of_row: Int64s
    """For each row, the number of its person's set."""
    members: list[frozenset[int]]

    @classmethod
    def of(cls, person: Int64s, bins: Int64s) -> "_Sets":
        """Find the sets of the people who have some rows; they are told apart by sums of random marks."""
        width = int(bins.max()) + 1
        owner, member = np.divmod(np.unique(person * width + bins), width)
        marks = np.random.default_rng(0).integers(0, 1 << 63, width, np.uint64)
        sums = np.zeros(int(person.max()) + 1, np.uint64)
        np.add.at(sums, owner, marks[member])
        _, example, number = np.unique(sums[person], return_index=True, return_inverse=True)
        begin, end = (np.searchsorted(owner, person[example], side=side) for side in ("left", "right"))
        members = [frozenset(member[first:after].tolist()) for first, after in zip(begin, end, strict=True)]
        return cls(number.astype(np.int64), members)

    def parts(self, most: int, new: Bools) -> set[frozenset[int]]:
        """Return the sets of two up to `most` bins that somebody has, with at least one that is new.

        If there are more than `MOST_PARTS`, only one more is returned.
        """
        found = set[frozenset[int]]()
        for members in self.members:
            for size in range(2, min(most, len(members)) + 1):
                for some in combinations(sorted(members), size):
                    if new[list(some)].any():
                        found.add(frozenset(some))
                        if len(found) > MOST_PARTS:
                            return found
        return found
