"""Wide tables: everybody is one row with all rows of the person side by side, so that any method can make groups.

How many rows somebody has can be seen in the release, since the cells beyond them are empty. So people with as many
rows are made anonymous by themselves, and where they are too few, their last row is withheld, again and again, until
they join those who have fewer. A method sees the requirement on private values column by column. Groups that break it
for people over all their rows are withheld; larger groups are tried, too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from kspan.anonymize.cells import shown
from kspan.anonymize.crowds import Recoding
from kspan.anonymize.frame import labels_of
from kspan.anonymize.persons import loss_of, without_empty
from kspan.data.arrays import Bools, Codes, Int64s
from kspan.data.encode import encode
from kspan.data.groups import count_groups
from kspan.data.kinds.words import WORDS
from kspan.data.persons import count_persons
from kspan.data.table import Column, Table
from kspan.data.wide import ABSENT, Shape, rows_in_order, shape_for, widened
from kspan.errors import PolicyError, Unreachable, check_number
from kspan.limits import MOST_ROWS_A_PERSON
from kspan.model.partition import WITHHELD, Partition
from kspan.policy import Policy
from kspan.policy.values import named_values
from kspan.policy.wide import carried_over, wide_policy
from kspan.privacy import Confidence, KAnonymity
from kspan.privacy.spec import combined

LARGER = (1, 2, 4, 8, 16)
"""How many times larger than k groups are tried."""

Method = Callable[[Table, Policy], Recoding]


@dataclass(frozen=True, repr=False)
class WidePeople:
    """People with several rows in the wide form."""

    long: pl.DataFrame
    coded: Table
    """The long table, coded."""
    asked: Policy
    """The policy of the long table."""
    rows: Int64s
    """The rows of each person in the long table, one person a line; those that are withheld are `ABSENT`."""

    @classmethod
    def of(cls, people: pl.DataFrame, coded: Table, policy: Policy, at_most: int | None = None) -> "WidePeople":
        """Put the rows of everybody side by side, in the policy's order, so many of each at most."""
        if at_most is not None:
            check_number("at_most", at_most, low=1, whole=True)
        rows = rows_in_order(coded, people, policy, policy.order)
        if at_most is None and rows.shape[1] > MOST_ROWS_A_PERSON:
            raise PolicyError(
                f"one person has {rows.shape[1]} rows, and a wide table has all of them side by side: say how many of "
                f"each are kept (at_most, --at-most), or make a long one"
            )
        return cls(people, coded, policy, cls(people, coded, policy, rows[:, :at_most])._joining())

    def _joining(self) -> Int64s:
        """Withhold the last row of those who have as many rows as too few others, until they are enough."""
        rows = self.rows.copy()
        for number in range(rows.shape[1], 1, -1):
            same = (rows != ABSENT).sum(axis=1) == number
            if same.any() and not replace(self, rows=rows).good(np.where(same, 0, WITHHELD), 1).all():
                rows[same, number - 1] = ABSENT
        return rows[:, : int((rows != ABSENT).sum(axis=1).max())]

    @cached_property
    def shape(self) -> Shape:
        """Which columns are numbered, and up to which number."""
        return shape_for(self.long, self.rows, self.asked)

    @cached_property
    def policy(self) -> Policy:
        """The policy of the wide table."""
        return wide_policy(self.asked, self.shape)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The wide table."""
        return widened(self.long, self.rows, self.asked, self.shape)

    @cached_property
    def table(self) -> Table:
        """The wide table, coded."""
        return encode(self.frame, self.policy, by_person=True)

    def released(self, partition: Partition) -> Bools:
        """Which rows of the long table are in a release."""
        kept: Bools = np.zeros(self.long.height, bool)
        there = self.rows[partition.group != WITHHELD]
        kept[there[there != ABSENT]] = True
        return kept

    def left_out(self, partition: Partition) -> int:
        """How many rows of people who are in a release are not."""
        there = self.rows[partition.group != WITHHELD]
        persons = np.arange(self.coded.rows) if self.coded.persons is None else self.coded.persons
        theirs = np.bincount(persons)[partition.group != WITHHELD]
        return int(theirs.sum() - (there != ABSENT).sum())

    def only(self, partition: Partition) -> "WidePeople":
        """The people who are in a release, as if there were no others: these have no row."""
        there = np.where((partition.group == WITHHELD)[:, None], ABSENT, self.rows)
        return WidePeople(self.long, self.coded, self.asked, there[:, : int((there != ABSENT).sum(axis=1).max())])

    def good(self, group: Int64s, number: int) -> Bools:
        """Which groups satisfy the requirement for people over all their rows, and row by row.

        `group` is that of each person, or `WITHHELD`; no group may be empty.
        """
        require, asked = self.asked.require, self.asked.require.about(self.asked.private)
        person, place = np.nonzero((self.rows != ABSENT) & (group != WITHHELD)[:, None])
        private = Table({name: self.coded[name] for name in asked}, self.coded.rows).at(self.rows[person, place])
        good = require.holds(count_persons(private.columns, person, group[person], number))
        for at in range(self.rows.shape[1] if asked else 0):
            here = np.flatnonzero(place == at)
            some, of_row = np.unique(group[person[here]], return_inverse=True)
            if len(some):
                good[some] &= require.holds(count_groups(private.at(here), of_row, len(some), asked))
        return good

    def ever(self) -> Iterator[tuple[Confidence, Column]]:
        """For each limit on one value, one on a column that tells who has the value in any row, which is the same."""
        for number, (part, name, value) in enumerate(named_values(self.asked.require)):
            has = np.append(self.coded[name].having.codes(value)[self.coded[name].codes], False)  # no row has none
            codes: Codes = np.asarray(has[self.rows].any(axis=1), np.uint8)
            column = Column(f"{name} in any row, {number}", WORDS, codes, np.array(["no", "yes"], object))
            assert isinstance(part, Confidence)
            yield replace(part, on=(column.name,), value="yes"), column


def made_wide(method: Method, people: WidePeople) -> tuple[WidePeople, Recoding]:
    """The groups that a method makes of people in the wide form, and the people that they were made of.

    Which columns are numbered, and up to which number, must not tell of people who are withheld: whose sex changed, who
    had most rows. So where it does, groups are made again of the others alone.
    """
    while True:
        recoding = _made(method, people)
        if (recoding.partition.group == WITHHELD).all():
            return people, recoding
        others = people.only(recoding.partition)
        if others.shape == people.shape:
            return people, recoding
        people = others


def _made(method: Method, people: WidePeople) -> Recoding:
    """The groups that a method makes of people in the wide form; everybody in a group has as many rows."""
    counts = (people.rows != ABSENT).sum(axis=1)
    group, number, parts = np.full(len(counts), WITHHELD, np.int64), 0, {}
    for rows in np.unique(counts[counts > 0]).tolist():
        same = np.flatnonzero(counts == rows)
        try:
            made = _made_of_same(method, people, same, rows)
        except Unreachable:  # they are too few, even together
            continue
        parts[rows] = made
        own = made.partition.group
        group[same] = np.where(own == WITHHELD, WITHHELD, own + number)
        number += len(made.partition)
    if not parts:
        raise Unreachable(
            f"{people.asked.require} cannot be reached by {len(counts)} people with all their rows side by side: keep "
            "fewer rows of each (at_most), lower it, or add people"
        )
    names = [name for name in people.policy.public if any(name in made.partition.shown for made in parts.values())]
    cells = {
        name: _side_by_side(name, people.table[name], [made.partition for made in parts.values()]) for name in names
    }
    partition = without_empty(replace(Partition(group, number, cells), group=_kept(people, group)))
    return Recoding(partition, _facts({rows: made.facts for rows, made in parts.items()}))


def _made_of_same(method: Method, people: WidePeople, same: Int64s, rows: int) -> Recoding:
    """The groups of people who all have so many rows: of larger and larger ones, those that lose least."""
    size, best, least = people.asked.require.crowd, None, np.inf
    for larger in LARGER:
        if best is not None and larger * size * 2 > len(same):
            break
        try:
            recoding = method(*_asked_of_same(people, same, rows, size * larger))
        except Unreachable:
            if best is not None:
                break
            raise
        whole = np.full(len(people.rows), WITHHELD, np.int64)
        whole[same] = recoding.partition.group
        partition = without_empty(replace(recoding.partition, group=_kept(people, whole)[same]))
        if (loss := loss_of(partition)) >= least:
            break
        best, least = replace(recoding, partition=partition, regions=None), loss
        if not partition.withheld:
            break
    assert best is not None
    return best


def _asked_of_same(people: WidePeople, same: Int64s, rows: int, k: int) -> tuple[Table, Policy]:
    """The table of people who all have so many rows, and what a method is to keep there."""
    limits = list(people.ever())
    policy, shape = wide_policy(people.asked, people.shape, rows), people.shape
    parts = [part for part in carried_over(people.asked, shape, rows).parts if not isinstance(part, KAnonymity)]
    columns = {name: people.table[name] for name in (*policy.public, *policy.private)}
    table = Table({**columns, **{column.name: column for _, column in limits}}, len(people.rows)).at(same)
    return (
        replace(table, columns={name: _without_absent(column) for name, column in table.columns.items()}),
        replace(
            policy,
            private=(*policy.private, *(column.name for _, column in limits)),
            require=combined([KAnonymity(k), *_on_all(parts, policy.private), *(part for part, _ in limits)]),
        ),
    )


def _on_all(parts: Sequence[Any], private: tuple[str, ...]) -> Iterator[Any]:
    """Parts about all private columns, so that columns which only methods see are none of them."""
    return (replace(part, on=private) if not part.on else part for part in parts)


def _without_absent(column: Column) -> Column:
    """The column without a code for missing cells, if there are none."""
    return replace(column, has_missing=bool((column.codes == column.missing).any())) if column.has_missing else column


def _kept(people: WidePeople, group: Int64s) -> Int64s:
    """Withhold groups that break the requirement over all rows, until none does; `group` is that of each person."""
    group = group.copy()
    while (group != WITHHELD).any():
        there = np.flatnonzero(group != WITHHELD)
        some, number = np.unique(group[there], return_inverse=True)
        of_all = np.full(len(group), WITHHELD, np.int64)
        of_all[there] = number
        good = people.good(of_all, len(some))
        if good.all():
            break
        group[there[~good[number]]] = WITHHELD
    return group


def _side_by_side(name: str, column: Column, parts: Sequence[Partition]) -> Any:
    """What the groups of several partitions show of a column; nothing, where people do not have that row."""
    labels: list[str | None] = [None]
    codes = []
    for part in parts:
        if name in part.shown:
            codes.append(part.shown[name].code + len(labels))
            labels += labels_of(part.shown[name].column)
        else:
            codes.append(np.zeros(len(part), np.int64))
    return shown(column, np.concatenate(codes), labels)


def _facts(found: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """What is true of the groups of all people, and of those who have so many rows."""
    first = next(iter(found.values()))
    same = {
        name: fact for name, fact in first.items() if all(name in one and one[name] == fact for one in found.values())
    }
    return {**same, "by rows of a person": {str(rows): dict(facts) for rows, facts in found.items()}}
