"""Tables beside earlier releases: people whom these tell apart are never shown as one crowd.

What anybody can tell of people already is the class that they are in. It works like a public attribute that is known
and not shown, and that cannot be made coarser. So every class is made anonymous by itself: a group that is left whole
shows what it showed before, and a large class is divided further where that keeps more. A class of which only some
are shown is told apart from the rest of it. So if a method withholds rows, these must be a crowd as well, or nobody of
their class is shown, and nothing new is told of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kspan.anonymize.cells import shown
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.frame import labels_of
from kspan.anonymize.persons import without_empty
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import count_groups
from kspan.data.persons import count_persons
from kspan.data.table import Table
from kspan.errors import Unreachable
from kspan.model.partition import WITHHELD, Partition, Shown
from kspan.policy import Policy

Method = Callable[[Table], Recoding]


@dataclass(frozen=True, repr=False)
class Known:
    """What anybody can tell of people already."""

    of_row: Int64s
    """The class of each row; rows of one class are not told apart by anything earlier."""
    newcomers: int | None
    """The class of those of whom nothing was told before, if there are any: they may be withheld one by one."""

    @property
    def is_nothing(self) -> bool:
        """Is nothing told of anybody?"""
        return self.newcomers is not None and bool((self.of_row == self.newcomers).all())


def made_by_class(method: Method, table: Table, policy: Policy, known: Known) -> Recoding:
    """Return what a method makes of every class by itself, as one recoding; classes that are too small are withheld."""
    made: list[tuple[Int64s, Partition]] = []
    facts: dict[str, Any] = {}
    order = np.argsort(known.of_row, kind="stable")
    classes, begins = np.unique(known.of_row[order], return_index=True)
    for rows in np.split(order, begins[1:]):
        try:
            recoding = method(table.at(rows))
        except Unreachable:
            continue
        facts = dict(recoding.facts) if not made else {**facts, **_added(facts, recoding.facts)}
        made.append((rows, recoding.partition))
    if not made:
        raise _nobody(len(classes), policy)
    partition = kept_beside(_united(table, made), table, policy, known)
    return Recoding(partition, {**facts, "classes": len(classes)})


def _added(facts: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Add up the figures of several recodings; of all else the first stays."""
    return {name: facts[name] + value for name, value in more.items() if type(facts.get(name)) is type(value) is int}


def _united(table: Table, made: Sequence[tuple[Int64s, Partition]]) -> Partition:
    """The groups of several parts of a table as one partition; groups that show the same become one."""
    group = np.full(table.rows, WITHHELD, np.int64)
    begin = 0
    for rows, part in made:
        there = part.group != WITHHELD
        group[rows[there]] = part.group[there] + begin
        begin += part.number
    every = {name: _joined(table, name, [part.shown[name] for _, part in made]) for name in made[0][1].shown}
    seen = Table({name: cells.column for name, cells in every.items()}, begin)
    different = Partition.by_equality(seen, every)
    kept = group != WITHHELD
    group[kept] = different.group[group[kept]]
    return Partition(group, different.number, different.shown)


def _joined(table: Table, name: str, parts: Sequence[Shown]) -> Shown:
    """What groups show of one attribute, part after part."""
    cells: list[str | None] = []
    codes = []
    for part in parts:
        codes.append(part.code + len(cells))
        cells += labels_of(part.column)
    return shown(table[name], np.concatenate(codes), cells)


def withhold_small_classes(crowds: Crowds, known: Known) -> Int64s:
    """The rows of classes that satisfy the requirement by themselves."""
    classes, of_row = np.unique(known.of_row, return_inverse=True)
    rows = np.flatnonzero(crowds.holds(of_row, len(classes))[of_row])
    if not len(rows):
        raise _nobody(len(classes), crowds.policy)
    return rows


def _nobody(classes: int, policy: Policy) -> Unreachable:
    return Unreachable(
        f"none of the {classes:,} crowds that earlier releases tell apart reaches {policy.require} by itself: lower "
        "it, or leave these people out"
    )


def kept_beside(partition: Partition, table: Table, policy: Policy, known: Known) -> Partition:
    """Withhold groups that break the requirement, and classes of which too few are withheld; rows only ever go."""
    crowds, group = Crowds(table, policy), partition.group.copy()
    while True:
        before = int((group == WITHHELD).sum())
        if before == len(group):
            raise Unreachable(
                f"everybody would be withheld to reach {policy.require} beside earlier releases: lower it, or add "
                "people"
            )
        if table.persons is None:
            _withhold_failing(group, partition.number, crowds)
        few = _too_few(_absent(group, table), table, policy, known)
        group[np.isin(known.of_row, few)] = WITHHELD
        if int((group == WITHHELD).sum()) == before:
            return without_empty(Partition(group, partition.number, partition.shown))


def _absent(group: Int64s, table: Table) -> Bools:
    """Which rows are of people who are not shown: of several rows of a person, none is."""
    if table.persons is None:
        gone: Bools = group == WITHHELD
        return gone
    shown = np.zeros(int(table.persons.max()) + 1, bool)
    shown[table.persons[group != WITHHELD]] = True
    return ~shown[table.persons]


def _too_few(absent: Bools, table: Table, policy: Policy, known: Known) -> Int64s:
    """The classes of which some are not shown, who are no crowd."""
    rows = np.flatnonzero(absent & (known.of_row != (-1 if known.newcomers is None else known.newcomers)))
    if not len(rows):
        return rows
    classes, of_row = np.unique(known.of_row[rows], return_inverse=True)
    asked = policy.require.about(policy.private)
    there = Table({name: table[name] for name in asked}, table.rows, table.weights, table.persons).at(rows)
    if there.persons is None:
        groups = count_groups(there, of_row, len(classes), asked)
    else:
        groups = count_persons(there.columns, there.persons, of_row, len(classes))
    return classes[~policy.require.holds(groups)]


def _withhold_failing(group: Int64s, number: int, crowds: Crowds) -> None:
    there = np.unique(group[group != WITHHELD])
    place = np.full(number, WITHHELD, np.int64)
    place[there] = np.arange(len(there))
    numbered = np.where(group == WITHHELD, WITHHELD, place[group])
    failing = there[~crowds.holds(numbered, len(there))]
    group[np.isin(group, failing)] = WITHHELD
