"""The crowd of each group: whom its people blend with, under either reading of suppressed cells."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from kspan.audit.findings import K, SuppressedCells
from kspan.audit.sets import Sets
from kspan.audit.table.overlap import overlapping
from kspan.data.arrays import Int64s
from kspan.data.groups import Groups, tally
from kspan.model.partition import Partition
from kspan.policy.policy import Counting, Suppressed

AT_ONCE = 4096


@dataclass(frozen=True)
class CrowdOfGroups:
    """For each group of a partition, the crowd that must satisfy the requirement; and the k that is reached."""

    groups: Groups
    k: K
    suppressed: SuppressedCells


def crowds(partition: Partition, groups: Groups, reading: Suppressed, counting: Counting) -> CrowdOfGroups:
    """Find the crowd of each group.

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
        return CrowdOfGroups(groups, alone, SuppressedCells(0, reading, alone, alone))
    # Under either reading, since the audit reports the k of both.
    rows, people = _matching(partition, groups)
    together = K(rows=int(rows.sizes.min()), people=int(people.sizes.min()))
    suppressed = SuppressedCells(cells, reading, alone, together)
    if reading == "value":
        return CrowdOfGroups(groups, alone, suppressed)
    return CrowdOfGroups(rows if counting == "rows" else people, together, suppressed)


def _matching(partition: Partition, groups: Groups) -> tuple[Groups, Groups]:
    """Return, for each group, the rows it matches, and the people who match the same rows."""
    number = len(groups)
    stars = [shown.column.suppressed for shown in partition.shown.values()]
    codes = [shown.code for shown in partition.shown.values()]
    parts, sets = [], Sets(owners=number, members=number)
    # Very many pairs of groups may match, so the groups are taken in parts.
    for begin in range(0, number, AT_ONCE):
        some = [code[begin : begin + AT_ONCE] for code in codes]
        group, match = overlapping(some, codes, stars)
        parts.append(united(groups, match, group, len(some[0])))
        sets.add(begin + group, match)
    return reduce(followed_by, parts), _sharing(groups, sets.numbered()[0])


def _sharing(groups: Groups, span: Int64s) -> Groups:
    """Return, for each group, the people of all groups with the same span."""
    each = np.arange(len(span))
    spans = united(groups, each, span, int(span.max()) + 1)
    return united(spans, span, each, len(span))


def united(groups: Groups, member: Int64s, union: Int64s, number: int) -> Groups:
    """Return `number` unions of groups; entry i says that union `union[i]` takes in group `member[i]`."""
    # No union is empty, so there is one size for each.
    _, sizes, _ = tally(union, number, groups.sizes[member])
    return Groups(sizes, {name: counts.united(member, union, number) for name, counts in groups.private.items()})


def followed_by(some: Groups, more: Groups) -> Groups:
    """Join two lists of groups of the same people, one after the other."""
    private = {name: counts.followed_by(more.private[name]) for name, counts in some.private.items()}
    return Groups(np.concatenate([some.sizes, more.sizes]), private)
