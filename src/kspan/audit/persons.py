"""People with several rows: whom each of them blends with, for someone who knows some or all rows of a person.

Every row is in a bin: the group that it shows or, if people are linked to a table, the groups that admit it; for a
model its span. Rows of which a release tells nothing are in none. Someone who knows one row of a person finds the
people who have a row in that bin. Someone who knows several rows, or all, finds those who have rows in all of these
bins, or in exactly these. A release does not tell which of its rows are of one person, but private values may give that
away, so nothing less is asked.

A crowd must be of people, not of rows: each counts once. Whoever has most of the rows of a bin is found there all the
same, so nobody may have more than one in k. Private values must satisfy the requirement by rows (what was it on that
visit?) and by people (did the person ever have it?).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kspan.audit.infer import certain
from kspan.audit.sets import Sets
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_values, runs, tally
from kspan.data.persons import count_persons, rows_of_the_largest, values_of_persons
from kspan.data.table import Column
from kspan.errors import PolicyError
from kspan.limits import MOST_KNOWN_SETS
from kspan.policy.policy import KnownRows
from kspan.privacy.requirement import Requirement


@dataclass(frozen=True, repr=False)
class SetsOfBins:
    """Sets of bins that somebody may know of a person, and the people who have rows in them."""

    groups: Groups
    """For each set, the people and their private values."""
    owner: tuple[Int64s, Int64s]
    """Which person has which set, in pairs."""
    member: tuple[Int64s, Int64s]
    """Which set has which bin, in pairs."""


@dataclass(frozen=True, repr=False)
class PersonCrowds:
    """People with several rows each, the bins of their rows, and how many rows of one may be known."""

    private: Mapping[str, Column]
    """What a release tells of every row."""
    person: Int64s
    """The person of every row."""
    rows: Int64s
    """The rows that are in bins."""
    bin: Int64s
    """The bin of each of these rows; no bin is empty."""
    bins: int
    known: KnownRows
    absent: Int64s
    """How many of the rows of each bin are not in the release, as far as it tells; they may be of as many people."""
    silent: Bools
    """Bins that tell people apart, but nothing of what is asked: whoever knows rows there knows the person better."""

    @cached_property
    def who(self) -> Int64s:
        """The person of each row that is in a bin."""
        return self.person[self.rows]

    @cached_property
    def by_person(self) -> Groups:
        """The people of each bin, each of them once."""
        counted = count_persons(self.private, self.person, self.bin, self.bins, self.rows)
        return replace(_less(counted, self.absent), exposing=~self.silent)

    @cached_property
    def by_row(self) -> Groups:
        """The rows of each bin; its size is how often the rows of whoever has most of them go into all."""
        rows = np.bincount(self.bin, minlength=self.bins)
        times = (rows - self.absent) // rows_of_the_largest(self.who, self.bin, self.bins)
        counts = {name: values_of_rows(column, self.bin, self.bins, self.rows) for name, column in self.private.items()}
        return Groups(np.maximum(times, 1), counts, ~self.silent)

    @cached_property
    def sets(self) -> tuple[SetsOfBins, ...]:
        """The sets of several bins that may be known of somebody."""
        space = int(self.person.max()) + 1
        pairs, _, _ = tally(self.bin + self.who * self.bins, space * self.bins, NO_WEIGHTS)
        person, bin_ = np.divmod(pairs, self.bins)
        if len(np.unique(person)) == len(person) or self.known == 1:
            return ()  # everybody has one bin, or no more is known than one
        if self.known == "all":
            return (self._whole(person, bin_),)
        return tuple(self._some(person, bin_, self.known))

    def _whole(self, person: Int64s, bin_: Int64s) -> SetsOfBins:
        """Return the sets of all bins that people have."""
        everybody, place = np.unique(person, return_inverse=True)
        sets = Sets(owners=len(everybody), members=self.bins)
        sets.add(place, bin_)
        number, _ = sets.numbered()
        pairs, _, _ = tally(number[place] * self.bins + bin_, (int(number.max()) + 1) * self.bins, NO_WEIGHTS)
        set_, member = np.divmod(pairs, self.bins)
        # Sets of which nothing is told are not asked; others are numbered anew.
        telling = np.zeros(int(number.max()) + 1, bool)
        telling[set_[~self.silent[member]]] = True
        anew = np.cumsum(telling) - 1
        kept, there = telling[set_], telling[number]
        set_, member, everybody, number = anew[set_[kept]], member[kept], everybody[there], anew[number[there]]
        rows = np.flatnonzero(~self.silent[self.bin])
        of_row = number[np.searchsorted(everybody, self.who[rows])]
        groups = count_persons(self.private, self.person, of_row, int(telling.sum()), self.rows[rows])
        return SetsOfBins(self._present(groups, set_, member), (everybody, number), (set_, member))

    def _some(self, person: Int64s, bin_: Int64s, most: int) -> Iterator[SetsOfBins]:
        """Yield the sets of two bins that people have, then those of three, and so on, up to `most`."""
        end = np.searchsorted(person, person, side="right")  # pairs are in the order of people, then of bins
        last, bins = np.arange(len(person)), bin_[:, None]
        while bins.shape[1] < most:
            more = end[last] - last - 1
            if int(more.sum()) > MOST_KNOWN_SETS:
                raise PolicyError(
                    f"there are too many ways to know {bins.shape[1] + 1} rows of a person here: ask for known_rows = "
                    '"all", which promises more, or for fewer'
                )
            if not more.any():
                return
            next_, before = runs(last + 1, more), np.repeat(np.arange(len(last)), more)
            last, bins = next_, np.column_stack([bins[before], bin_[next_]])
            telling = (~self.silent[bins]).any(axis=1)
            if telling.any():
                yield self._known(person[last[telling]], bins[telling])

    def _known(self, person: Int64s, bins: Int64s) -> SetsOfBins:
        """Return sets of bins of one size; `person[i]` has a row in each of `bins[i]`."""
        different, number = np.unique(bins, axis=0, return_inverse=True)
        number = number.reshape(-1)
        # The private values in the rows of these people in these bins.
        order = np.lexsort((self.bin, self.who))
        keys = self.who[order] * self.bins + self.bin[order]
        told = ~self.silent[bins].reshape(-1)
        wanted = (person[:, None] * self.bins + bins).reshape(-1)[told]
        first, after = np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, side="right")
        row = self.rows[order[runs(first, after - first)]]
        of_row = np.repeat(np.repeat(number, bins.shape[1])[told], after - first)
        private = {
            name: values_of_persons(column, self.person, of_row, len(different), row)
            for name, column in self.private.items()
        }
        set_, member = np.repeat(np.arange(len(different)), bins.shape[1]), different.reshape(-1)
        groups = self._present(Groups(np.bincount(number), private), set_, member)
        return SetsOfBins(groups, (person, number), (set_, member))

    def _present(self, groups: Groups, set_: Int64s, member: Int64s) -> Groups:
        """Take those off the people of each set who may not be in the release."""
        absent = np.zeros(len(groups), np.int64)
        np.add.at(absent, set_, self.absent[member])
        return _less(groups, absent)

    def holds(self, part: Requirement) -> Bools:
        """Tell which bins satisfy one part of the requirement, alone and as part of whatever may be known."""
        good = part.holds(self.by_person) & part.holds(self.by_row)
        for sets in self.sets:
            held = part.holds(sets.groups)
            np.logical_and.at(good, sets.member[1], held[sets.member[0]])
        return good

    @cached_property
    def crowd(self) -> Int64s:
        """The smallest crowd of each bin: how many people blend there, whatever may be known."""
        smallest = np.minimum(self.by_person.sizes, self.by_row.sizes)
        for sets in self.sets:
            np.minimum.at(smallest, sets.member[1], sets.groups.sizes[sets.member[0]])
        return smallest

    def fails(self, require: Requirement) -> Bools:
        """Tell which people have rows in a bin that breaks a requirement, or in bins that do together."""
        fails = self.having(~(require.holds(self.by_person) & require.holds(self.by_row)))
        for sets in self.sets:
            held = require.holds(sets.groups)
            fails[sets.owner[0][~held[sets.owner[1]]]] = True
        return fails

    def having(self, some: Bools) -> Bools:
        """Tell which people have rows in some of the bins."""
        there = np.zeros(int(self.person.max()) + 1, bool)
        there[self.who[some[self.bin]]] = True
        return there

    @cached_property
    def of_person(self) -> Int64s:
        """The smallest crowd of every person who has rows in bins, in the order of people."""
        smallest = np.full(int(self.person.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(smallest, self.who, np.minimum(self.by_person.sizes, self.by_row.sizes)[self.bin])
        for sets in self.sets:
            np.minimum.at(smallest, sets.owner[0], sets.groups.sizes[sets.owner[1]])
        return smallest[np.unique(self.who)]

    def exposed(self, name: str) -> int:
        """Count the people of whom a private value can be told with certainty, by what may be known of them."""
        sure = certain(self.by_person.private[name]) | certain(self.by_row.private[name])
        told = self.having(sure & ~self.silent)
        for sets in self.sets:
            told[sets.owner[0][certain(sets.groups.private[name])[sets.owner[1]]]] = True
        return int(told.sum())

    def counts(self, name: str) -> list[Counts]:
        """All the ways in which a private attribute is counted, where something is told of it."""
        each = [groups.private[name] for groups in (self.by_person, self.by_row)]
        if self.silent.any():
            telling = np.flatnonzero(~self.silent)
            each = [
                replace(one.united(telling, np.arange(len(telling)), len(telling)), whole=one.whole) for one in each
            ]
        return [*each, *(one.groups.private[name] for one in self.sets)]


def values_of_rows(column: Column, group: Int64s, number: int, rows: Int64s) -> Counts:
    """Count the values of some rows, group by group, beside those of all rows."""
    if len(rows) == len(column.codes):
        return count_values(column, group, number, NO_WEIGHTS)
    some = count_values(replace(column, codes=column.codes[rows]), group, number, NO_WEIGHTS)
    return replace(some, whole=np.bincount(column.codes, minlength=column.size).astype(np.int64))


def _less(groups: Groups, absent: Int64s) -> Groups:
    """Take people off the size of each group; somebody is in each."""
    return Groups(np.maximum(groups.sizes - absent, 1), groups.private) if absent.any() else groups
