"""Full-domain generalization: every public attribute is shown at one level of its hierarchy in the whole table.

A vector has one level for each attribute: level 0 shows the values, the highest level shows `*`. An attribute without a
hierarchy has only these two. The vectors form a lattice, in which groups of rows are rolled up: the groups of a vector
are unions of those of any finer one, so that nothing is ever counted from the rows again (LeFevre, DeWitt,
Ramakrishnan, SIGMOD 2005).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.cells import as_suppressed, at_levels
from kspan.anonymize.cells import shown as shown_cells
from kspan.anonymize.crowds import Crowds
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, Groups, count_groups, group_rows, tally
from kspan.data.table import Column
from kspan.kernels.lattice import Int32s, cost_of_cells, roll_up
from kspan.model.partition import WITHHELD, Partition, Shown

Vector = tuple[int, ...]
"""One level for each public attribute, in the policy's order."""

KEYS = 1 << 62
"""The most different keys of groups, so that they fit into 64-bit integers."""

REMEMBERED = 0.5
"""Frequency sets are kept for rolling up while they have together at most this share of the groups of the finest."""

MOST_REMEMBERED = 256

WORTH_KEEPING = 0.9
"""A frequency set is kept if it has at most this share of the groups that it was rolled up from."""

NEVER = np.iinfo(np.int64).max
"""More groups than there can be: an empty slot."""

NO_PLACES: Int32s = np.empty(0, np.int32)


@dataclass(frozen=True, repr=False)
class FrequencySet:
    """The groups that a vector makes: for each, one kind of row as an example, and how many people it has.

    The numbers of people take four bytes each, unless there are more than two billion.
    """

    vector: Vector
    example: Int32s
    people: NDArray[Any]


class FrequencySets:
    """Frequency sets from which others are rolled up: the finest is kept for good, of the others the latest."""

    def __init__(self, finest: FrequencySet) -> None:
        # The finest has the first slot; the others are filled in turn, and again from the second on.
        self._sets: list[FrequencySet] = [finest] * (MOST_REMEMBERED + 1)
        self._vectors = np.zeros((MOST_REMEMBERED + 1, len(finest.vector)), np.int64)
        self._groups = np.full(MOST_REMEMBERED + 1, NEVER)
        self._groups[0] = len(finest.people)
        self._latest = self._oldest = 0
        self._room = int(REMEMBERED * len(finest.people))

    def smallest_below(self, vector: Vector) -> FrequencySet:
        """The one with the fewest groups whose vector is no coarser anywhere."""
        return self._sets[int(np.where((self._vectors <= vector).all(axis=1), self._groups, NEVER).argmin())]

    def remember(self, made: FrequencySet) -> None:
        """Keep one more; the oldest give way."""
        self._latest = self._latest % MOST_REMEMBERED + 1
        if self._groups[self._latest] != NEVER:  # all slots are full, and this one has the oldest
            self._oldest = self._latest
        self._forget(self._latest)
        self._sets[self._latest], self._vectors[self._latest] = made, made.vector
        self._groups[self._latest] = len(made.people)
        self._room -= len(made.people)
        while self._room < 0:
            self._oldest = self._oldest % MOST_REMEMBERED + 1
            self._forget(self._oldest)

    def _forget(self, slot: int) -> None:
        if self._groups[slot] != NEVER:
            self._room += int(self._groups[slot])
            self._sets[slot], self._groups[slot] = self._sets[0], NEVER  # so that the memory of the old one is free


class Lattice:
    """The kinds of rows of a table (distinct in their public cells) and the levels at which they can be shown."""

    def __init__(self, crowds: Crowds) -> None:
        self.crowds = crowds
        self.columns = crowds.columns
        kind, self.kinds = group_rows(self.columns, crowds.rows)
        example = np.empty(self.kinds, np.int32)
        example[kind] = np.arange(crowds.rows, dtype=np.int32)
        self.kind: Int32s = kind.astype(np.int32)
        """The kind of each row; kinds are in lexicographic order, so nothing below depends on the order of the rows."""
        self.people = crowds.table.people
        self.names = [_names_by_level(column) for column in self.columns]
        """For each attribute and level, the code of the name that each value has there."""
        self.widths = [[int(names.max()) + 1 for names in levels] for levels in self.names]
        self.top: Vector = tuple(len(levels) - 1 for levels in self.names)
        self.bottom: Vector = (0,) * len(self.columns)
        sizes = [column.size for column in self.columns]
        self.begins = [sum(sizes[:attribute]) for attribute in range(len(sizes))]
        self.cells = np.empty((self.kinds, len(sizes)), np.min_scalar_type(sum(sizes)))
        """The codes of each kind, counted on from attribute to attribute: places in arrays of all values of all."""
        for attribute, column in enumerate(self.columns):
            self.cells[:, attribute] = column.codes[example]
            self.cells[:, attribute] += self.cells.dtype.type(self.begins[attribute])
        few = self.people <= np.iinfo(np.int32).max
        everybody = crowds.sizes(kind, self.kinds).astype(np.int32 if few else np.int64)
        self.finest = FrequencySet(self.bottom, np.arange(self.kinds, dtype=np.int32), everybody)
        self._known = FrequencySets(self.finest)

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return math.prod(height + 1 for height in self.top)

    def levels(self, vector: Vector) -> dict[str, int]:
        """The level of each public attribute by its name."""
        return {column.name: int(level) for column, level in zip(self.columns, vector, strict=True)}

    def frequency_set(self, vector: Vector) -> FrequencySet:
        """The groups of a vector, rolled up from the smallest known frequency set of a finer one."""
        finer = self._known.smallest_below(vector)
        if finer.vector == vector:
            return finer
        made = self._rolled_up(finer, vector)
        if len(made.people) <= WORTH_KEEPING * len(finer.people):
            self._known.remember(made)
        return made

    def shown_codes(self, attribute: int, level: int, kinds: Int32s | slice) -> Int64s:
        """The codes of what some kinds of rows show of an attribute at a level."""
        codes: Int64s = self.names[attribute][level][self.cells[kinds, attribute] - self.begins[attribute]]
        return codes

    def distinct(self, attribute: int, groups: FrequencySet) -> int:
        """How many different cells some groups show of an attribute."""
        values = np.unique(self.cells[groups.example, attribute]) - self.begins[attribute]
        return len(np.unique(self.names[attribute][groups.vector[attribute]][values]))

    def place_in(self, groups: FrequencySet) -> Int64s:
        """The group of every kind of row, numbered as in the frequency set: in the order of their first kinds."""
        if self._is_wide(groups.vector):
            return self._counted(groups.vector)[1]
        place = np.empty(self.kinds, np.int32)
        everybody = self.finest
        # Whether they are rolled up from the finest or from any other, groups come in the order of their first kinds.
        roll_up(self.cells, everybody.example, everybody.people, self._digits(groups.vector), place)
        return place.astype(np.int64)

    def partition(self, groups: FrequencySet, kept: Bools) -> Partition:
        """The rows of the table as a vector shows them; rows of groups that are not `kept` are withheld.

        Groups are numbered by the codes of what they show: the order of their finest kinds would tell of people.
        """
        self._known = FrequencySets(self.finest)  # nothing is rolled up any more, and the rows need the room
        order = self._by_shown(groups)
        order = order[kept[order]]
        numbering = np.full(len(kept), WITHHELD, np.int32)
        numbering[order] = np.arange(len(order), dtype=np.int32)
        example = groups.example[order]
        shown = {}
        for attribute, (column, level) in enumerate(zip(self.columns, groups.vector, strict=True)):
            name = self.shown_codes(attribute, level, example)
            shown[column.name] = shown_at(column, level, name)
        of_kind = numbering[self.place_in(groups)]
        return Partition(of_kind[self.kind].astype(np.int64), len(order), shown)

    def holding(self, groups: FrequencySet) -> Bools:
        """Which groups of a vector can be released.

        Groups that are too small go first, then all that break the rest, until none of what remains does: what a
        requirement compares with everybody is compared with everybody who is released.
        """
        kept: Bools = groups.people >= self.crowds.k
        if self.crowds.only_k:
            return kept
        place = self.place_in(groups)
        while kept.any():
            good = self._good(place, kept, groups.people)
            if good.all():
                break
            kept[kept] = good
        return kept

    def _good(self, place: Int64s, kept: Bools, people: NDArray[Any]) -> Bools:
        """Which of the groups that are kept satisfy the requirement if just they are released."""
        members = np.flatnonzero(kept[place])
        numbering = np.cumsum(kept) - 1
        private = {}
        for name, counts in self.groups_of_kinds.private.items():
            united = counts.united(members, numbering[place[members]], int(kept.sum()))
            whole = np.bincount(united.value, united.people, len(counts.whole)).astype(np.int64)
            private[name] = replace(united, whole=whole)
        return self.crowds.policy.require.holds(Groups(people[kept].astype(np.int64), private))

    @cached_property
    def groups_of_kinds(self) -> Groups:
        """The private values of each kind of row, of those attributes that the requirement looks at."""
        return count_groups(self.crowds.table, self.kind.astype(np.int64), self.kinds, self.crowds.asked)

    def cost_of_cells(self, groups: FrequencySet, which: Bools, costs: Sequence[Sequence[Floats]]) -> float:
        """What the cells of some groups cost, summed over their people; `costs[attribute][level]` is by value."""
        return self.cost_of_values(groups, which, [costs[at][level] for at, level in enumerate(groups.vector)])

    def cost_of_values(self, groups: FrequencySet, which: Bools, costs: Sequence[Floats]) -> float:
        """The same, where `costs[attribute]` says what each value costs as the vector shows it."""
        return float(cost_of_cells(self.cells, groups.example, groups.people, which, np.concatenate(costs)))

    def _rolled_up(self, finer: FrequencySet, vector: Vector) -> FrequencySet:
        if self._is_wide(vector):
            return self._counted(vector)[0]
        made = roll_up(self.cells, finer.example, finer.people, self._digits(vector), NO_PLACES)
        return FrequencySet(vector, *made)

    def _is_wide(self, vector: Vector) -> bool:
        """Are there too many possible keys for the groups of a vector to fit into 64 bits?"""
        return math.prod(self.widths[attribute][level] for attribute, level in enumerate(vector)) > KEYS

    def _digits(self, vector: Vector) -> Int64s:
        """What each value adds to the key of its group: mixed radix, attribute after attribute."""
        digits, radix = [], 1
        for attribute, level in enumerate(vector):
            digits.append(self.names[attribute][level] * radix)
            radix *= self.widths[attribute][level]
        return np.concatenate(digits)

    def _counted(self, vector: Vector) -> tuple[FrequencySet, Int64s]:
        """The groups of a vector with wide keys, and the group of every kind; each attribute's keys are renumbered."""
        place, space = np.zeros(self.kinds, np.int64), 1
        for attribute, level in enumerate(vector):
            width = self.widths[attribute][level]
            keys = place * width + self.shown_codes(attribute, level, slice(None))
            distinct, _, place = tally(keys, space * width, NO_WEIGHTS, locate=True)
            space = len(distinct)
        # Numbered in the order of their first kinds, as `roll_up` does.
        first = np.full(space, self.kinds)
        np.minimum.at(first, place, np.arange(self.kinds))
        order = np.argsort(first)
        rank = np.empty(space, np.int64)
        rank[order] = np.arange(space)
        people = np.bincount(rank[place], self.finest.people, space).astype(self.finest.people.dtype)
        return FrequencySet(vector, first[order].astype(np.int32), people), rank[place]

    def _by_shown(self, groups: FrequencySet) -> Int64s:
        """The groups in lexicographic order of the codes that they show."""
        shown = [self.shown_codes(attribute, level, groups.example) for attribute, level in enumerate(groups.vector)]
        return np.lexsort(shown[::-1])


def _names_by_level(column: Column) -> tuple[Int64s, ...]:
    """For each level, the code of every value's name; unless the highest level has one name only, `*` is put on top."""
    levels = (np.arange(column.size), *column.levels)
    ends_in_one = len(levels) > 1 and not levels[-1].any()
    return levels if ends_in_one else (*levels, np.zeros(column.size, np.int64))


def shown_at(column: Column, level: int, name: Int64s) -> Shown:
    """What groups show of an attribute at a level, by the code of their name there."""
    has_others = column.has_missing or column.has_suppressed
    if level > len(column.levels) or (level == len(column.levels) > 0 and has_others):
        # Missing values are not below the name of the root.
        return as_suppressed(column, len(name))
    if level:
        return at_levels(column, np.full(len(name), level, np.int64), name)
    cells: list[str | None] = [column.label(value) for value in range(column.size)]
    if column.missing is not None:
        cells[column.missing] = None
    return shown_cells(column, name, cells)
