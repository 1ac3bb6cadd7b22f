"""The crowd of each group: whom its people blend with, under either reading of suppressed cells."""

from dataclasses import dataclass

import numpy as np

from kspan.audit.findings import K, SuppressedCells
from kspan.audit.link import linked, sameness
from kspan.data.arrays import Int64s
from kspan.data.groups import Groups, tally
from kspan.model.partition import Partition
from kspan.policy.policy import Counting, Suppressed


@dataclass(frozen=True)
class Crowds:
    """For each group of a partition the people that the requirement is asked of, and the k that all reach."""

    groups: Groups
    k: K
    suppressed: SuppressedCells


def crowds(partition: Partition, groups: Groups, reading: Suppressed, counting: Counting) -> Crowds:
    """The crowd of each group.

    If a suppressed cell is a value of its own, a crowd is the group. If it may stand for anything, groups overlap: a
    row matches every row that agrees with it in all cells that neither suppresses. Counting rows, a crowd is all that
    a row matches; counting people, the people who match the same rows.
    """
    alone = K(rows=int(groups.sizes.min()), people=int(groups.sizes.min()))
    cells = sum(
        int(groups.sizes[shown.code == shown.column.suppressed].sum())
        for shown in partition.shown.values()
        if shown.column.suppressed is not None
    )
    if not cells:
        return Crowds(groups, alone, SuppressedCells(0, reading, alone, alone))
    rows, people = _matching(partition, groups)
    together = K(rows=int(rows.sizes.min()), people=int(people.sizes.min()))
    suppressed = SuppressedCells(cells, reading, alone, together)
    if reading == "value":
        return Crowds(groups, alone, suppressed)
    return Crowds(rows if counting == "rows" else people, together, suppressed)


def _matching(partition: Partition, groups: Groups) -> tuple[Groups, Groups]:
    """For each group the rows it matches, and the people who match the same rows."""
    codes = [shown.code for shown in partition.shown.values()]
    group, match = linked(codes, codes, [sameness(shown.column) for shown in partition.shown.values()])
    span = _same_sets(group, match, len(groups))
    order = np.argsort(span, kind="stable")
    begin = np.searchsorted(span[order], span)
    lengths = np.searchsorted(span[order], span, side="right") - begin
    sharer = np.repeat(np.arange(len(span)), lengths)
    offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return _united(groups, match, group), _united(groups, order[np.repeat(begin, lengths) + offset], sharer)


def _united(groups: Groups, member: Int64s, union: Int64s) -> Groups:
    """One union for each group: entry i says that the union of group `union[i]` takes in group `member[i]`."""
    _, sizes, _ = tally(union, len(groups), groups.sizes[member])
    return Groups(sizes, {name: counts.united(member, union) for name, counts in groups.private.items()})


def _same_sets(group: Int64s, match: Int64s, number: int) -> Int64s:
    """Number the groups by the set of groups that they match.

    Sets are told apart by the sums of random marks of their members, 128 bits of them.
    """
    marks = np.random.default_rng(0).integers(0, 1 << 63, (number, 2), np.uint64)
    sums = np.zeros((number, 2), np.uint64)
    np.add.at(sums, group, marks[match])
    _, same = np.unique(sums, axis=0, return_inverse=True)
    return same.reshape(-1).astype(np.int64)
