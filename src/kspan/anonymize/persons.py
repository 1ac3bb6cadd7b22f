"""Tables in which people have several rows: every method makes groups of people, not of rows.

A method sees rows. Each row weighs a part of its person, so that all rows of a person weigh as much as one person, and
a group that weighs k people has at least k. Rows with the same public values always stand together. Where a person's
rows come apart (an age that changes between visits), somebody who knows several of them may find the person by the
groups that they are in: then rows are withheld until enough people have the same groups. Rows of whoever has more than
one in k of a group are withheld, too.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kspan.anonymize.crowds import Recoding
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import NO_WEIGHTS, Groups, count_groups, tally
from kspan.data.persons import count_persons
from kspan.data.table import Table
from kspan.errors import Unreachable
from kspan.model.partition import WITHHELD, Partition, Shown
from kspan.policy import Policy
from kspan.privacy import KAnonymity
from kspan.privacy.spec import combined
from kspan.utility.loss import certainty_penalty

WHOLE = 720_720
"""What all rows of one person weigh together; it can be divided by every number up to 16."""


def made_of_people(
    method: Callable[[Table, Policy], Recoding], table: Table, policy: Policy, rng: np.random.Generator
) -> Recoding:
    """The groups of people that a method makes; of larger and larger ones, those that lose least.

    Small groups keep more of the cells, but more people have their rows in groups of their own, which are withheld.
    """
    people, size = table.people, policy.require.crowd
    if people < size:
        raise Unreachable(f"{people} people cannot be crowds of {size}: lower k, or add people")
    best, least = None, np.inf
    for larger in (1, 2, 4, 8, 16):
        if best is not None and larger * size * 2 > people:
            break
        try:
            recoding = kept_together(method(*weighed(table, policy, larger)), table, policy, rng)
        except Unreachable:  # its figures are of parts of people
            if best is not None:
                break
            raise Unreachable(
                f"{policy.require} cannot be reached, even with every public cell suppressed: lower it, or add people"
            ) from None
        loss = loss_of(recoding.partition)
        if loss >= least:
            break
        best, least = recoding, loss
        if not recoding.partition.withheld:
            break
    assert best is not None
    return best


def loss_of(partition: Partition) -> float:
    """The share of public cells that is lost, where a row that is withheld loses all."""
    released = np.bincount(partition.group[partition.group != WITHHELD], minlength=len(partition))
    if not len(partition):
        return 1.0
    return (certainty_penalty(partition, released) * int(released.sum()) + partition.withheld) / len(partition.group)


def weighed(table: Table, policy: Policy, larger: int = 1) -> tuple[Table, Policy]:
    """The table and the policy for a method that counts rows: rows weigh parts of people, and k asks for whole ones.

    Groups may be asked to be so many times `larger` than k.
    """
    assert table.persons is not None
    rows = np.bincount(table.persons)[table.persons]
    # What is left over when a person is divided goes to the first rows.
    weights = WHOLE // rows + (_place_in_person(table.persons) < WHOLE % rows)
    unit = WHOLE * larger
    parts = [replace(part, k=part.k * unit) if isinstance(part, KAnonymity) else part for part in policy.require.parts]
    # Groups that overlap tell more of people than of rows, which a method may heed.
    counted = replace(
        policy, person=False, identifier=(), order=None, ages={}, counting="people", require=combined(parts)
    )
    return replace(table, weights=weights, persons=None), counted


def kept_together(recoding: Recoding, table: Table, policy: Policy, rng: np.random.Generator) -> Recoding:
    """The recoding without the rows that give people away."""
    repair = _Repair(table, policy, recoding.partition, rng)
    group = repair.kept()
    partition = without_empty(replace(recoding.partition, group=group))
    return replace(recoding, partition=partition, regions=None)


def kept_groups(table: Table, policy: Policy, partition: Partition, rng: np.random.Generator) -> Int64s:
    """The group of each row without the rows that give people away; groups keep their numbers."""
    return _Repair(table, policy, partition, rng).kept()


class _Repair:
    """Withholds rows until every group, and all groups that one person has, are good."""

    def __init__(self, table: Table, policy: Policy, partition: Partition, rng: np.random.Generator) -> None:
        assert table.persons is not None
        self.table, self.policy, self.person, self.rng = table, policy, table.persons, rng
        self.group, self.number = partition.group.copy(), partition.number
        self.k = policy.require.crowd
        self.asked = policy.require.about(policy.private)

    def kept(self) -> Int64s:
        """Return the group of each row; rows are only ever withheld, so this ends."""
        while True:
            before = int((self.group == WITHHELD).sum())
            self._cap()
            self._withhold_groups()
            if self.policy.known_rows != 1:
                self._withhold_scattered()
            if int((self.group == WITHHELD).sum()) == before:
                return self.group

    def _cap(self) -> None:
        """Withhold rows, at random, of people who have more than one in k of the rows of a group."""
        rows = self._rows()
        if not len(rows):
            return
        people = int(self.person.max()) + 1
        keys = self.group[rows] * people + self.person[rows]
        pairs, has, pair = tally(keys, self.number * people, NO_WEIGHTS, locate=True)
        cap = _caps(pairs // people, has, self.number, self.k)[pairs // people]
        too_many = (has > cap)[pair]
        rows, pair = rows[too_many], pair[too_many]
        order = np.lexsort((self.rng.random(len(rows)), pair))
        rows, pair = rows[order], pair[order]
        self.group[rows[_place_in_person(pair) >= cap[pair]]] = WITHHELD

    def _withhold_groups(self) -> None:
        """Withhold groups that are too small, or break the requirement by people or by rows."""
        rows = self._rows()
        if not len(rows):
            return
        there, group = np.unique(self.group[rows], return_inverse=True)
        good = self._good(rows, group, len(there))
        self.group[rows[~good[group]]] = WITHHELD

    def _withhold_scattered(self) -> None:
        """Of people whose groups are those of too few, keep the rows of the group where each has most."""
        rows = self._rows()
        if not len(rows):
            return
        of_person = _sets(self.person[rows], self.group[rows])
        there, set_ = np.unique(of_person[self.person[rows]], return_inverse=True)
        good = self._good(rows, set_, len(there), by_row=False)
        bad = rows[~good[set_]]
        if not len(bad):
            return
        elsewhere = bad[self.group[bad] != _commonest(self.person[bad], self.group[bad])]
        # Whoever has one group only, with too few others, must leave; but first those come who have it and another one.
        self.group[elsewhere if len(elsewhere) else bad] = WITHHELD

    def _good(self, rows: Int64s, group: Int64s, number: int, *, by_row: bool = True) -> Bools:
        table = Table({name: self.table[name] for name in self.asked}, self.table.rows).at(rows)
        good = self.policy.require.holds(count_persons(table.columns, self.person[rows], group, number))
        if by_row and self.asked:
            counted = count_groups(table, group, number, self.asked)
            good &= self.policy.require.holds(Groups(np.full(number, self.k), counted.private))
        return good

    def _rows(self) -> Int64s:
        return np.flatnonzero(self.group != WITHHELD)


def _place_in_person(person: Int64s) -> Int64s:
    """The place of each row among the rows of its person."""
    order = np.argsort(person, kind="stable")
    begins = np.searchsorted(person[order], person[order])
    place = np.empty(len(person), np.int64)
    place[order] = np.arange(len(person)) - begins
    return place


def _caps(group: Int64s, has: Int64s, number: int, k: int) -> Int64s:
    """How many rows of one person each group may have, so that nobody has more than one in k; as many as possible.

    `has[i]` is the number of rows that a person has in `group[i]`.

    >>> _caps(np.array([0, 0, 0, 1, 1]), np.array([9, 1, 1, 5, 5]), 2, 2).tolist()
    [2, 5]
    """
    order = np.lexsort((-has, group))
    group, has = group[order], has[order]
    begin = np.searchsorted(group, np.arange(number))
    end = np.searchsorted(group, np.arange(number), side="right")
    sums = np.r_[0, np.cumsum(has)]
    cap = has[np.minimum(begin, len(has) - 1)]  # the most that anybody has
    waiting = np.flatnonzero(end - begin >= k)
    for above in range(k):
        # If just the first `above` people have more than that, the others must make up for the rest.
        others = begin[waiting] + above
        most = (sums[end[waiting]] - sums[others]) // (k - above)
        fits = most >= has[others]
        cap[waiting[fits]] = np.minimum(cap[waiting[fits]], most[fits])
        waiting = waiting[~fits]
    return cap


def _sets(person: Int64s, group: Int64s) -> Int64s:
    """For each person by number, the number of the set of groups that the person has.

    Sets are told apart by the sums of random marks of their groups.
    """
    width, people = int(group.max()) + 1, int(person.max()) + 1
    pairs, _, _ = tally(person * width + group, people * width, NO_WEIGHTS)
    owner, member = np.divmod(pairs, width)
    marks = np.random.default_rng(0).integers(0, 1 << 63, width, np.uint64)
    begins = np.flatnonzero(np.r_[True, np.diff(owner) != 0])
    of_person = np.full(people, -1, np.int64)
    of_person[owner[begins]] = np.unique(np.add.reduceat(marks[member], begins), return_inverse=True)[1]
    return of_person


def _commonest(person: Int64s, group: Int64s) -> Int64s:
    """For each row, the group in which its person has most rows; of several the first."""
    width, people = int(group.max()) + 1, int(person.max()) + 1
    pairs, rows, _ = tally(person * width + group, people * width, NO_WEIGHTS)
    owner, member = np.divmod(pairs, width)
    order = np.lexsort((member, -rows, owner))
    begins = np.flatnonzero(np.r_[True, np.diff(owner[order]) != 0])
    most = np.full(people, -1, np.int64)
    most[owner[order[begins]]] = member[order[begins]]
    return most[person]


def without_empty(partition: Partition) -> Partition:
    """The partition without groups of which every row is withheld."""
    there, group = np.unique(partition.group, return_inverse=True)
    withheld = int(WITHHELD in there)
    kept = there[withheld:]
    shown = {name: Shown(cells.code[kept], cells.column) for name, cells in partition.shown.items()}
    return Partition(group - withheld, len(kept), shown)
