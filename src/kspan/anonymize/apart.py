"""Groups that are parts of the domain, in each of which every class that is known is nobody or a crowd.

Where people are counted, groups must not overlap: whoever matches two of them is told apart by that. So classes that
earlier releases tell apart cannot be made anonymous one by one (`known.py`), since the groups of one class would lie
across those of another. Instead the whole table is cut as Mondrian does (LeFevre et al. 2006), at the place nearest to
the median of the widest attribute that leaves no class too small on either side. What was a group before is a class
now, so the cuts of an earlier release are found again.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kspan.anonymize.cells import as_cells
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.known import Known, kept_beside, withhold_small_classes
from kspan.anonymize.persons import kept_groups, weighed
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import Groups, count_groups
from kspan.data.table import Column, Table
from kspan.model.partition import WITHHELD, Partition
from kspan.policy import Policy
from kspan.utility.loss import penalties

TRIES = 8
"""How many places of an attribute are tried where more than k is required."""


def made_apart(table: Table, policy: Policy, known: Known, rng: np.random.Generator) -> Recoding:
    """Return groups that do not overlap, in each of which every class is nobody or satisfies the requirement."""
    if table.persons is None:
        partition = _partition(table, Crowds(table, policy), known)
        return Recoding(kept_beside(partition, table, policy, known))
    partition = _partition(table, Crowds(*weighed(table, policy)), known)
    group, strict = partition.group.copy(), replace(policy, known_rows="all")
    # Whose rows are in which groups must not tell people of one class apart either.
    for class_ in np.unique(known.of_row):
        rows = np.flatnonzero(known.of_row == class_)
        group[rows] = kept_groups(table.at(rows), strict, replace(partition, group=group[rows]), rng)
    return Recoding(kept_beside(replace(partition, group=group), table, policy, known))


def _partition(table: Table, crowds: Crowds, known: Known) -> Partition:
    """Cut the table until no part can be cut any more."""
    group = np.full(table.rows, WITHHELD, np.int64)
    waiting, number = [withhold_small_classes(crowds, known)], 0
    weights = np.ones(table.rows, np.int64) if crowds.table.weights is None else crowds.table.weights
    while waiting:
        rows = waiting.pop()
        right = next(_cuts(crowds, rows, known.of_row[rows], weights[rows]), None)
        if right is None:
            group[rows], number = number, number + 1
        else:
            waiting += [rows[right], rows[~right]]
    return _shown(group, number, crowds.columns)


def _shown(group: Int64s, number: int, columns: tuple[Column, ...]) -> Partition:
    there = group != WITHHELD
    some = [replace(column, codes=column.codes[there]) for column in columns]
    return Partition(group, number, {column.name: as_cells(column, group[there], number) for column in some})


def _cuts(crowds: Crowds, rows: Int64s, class_: Int64s, weights: Int64s) -> Iterator[Bools]:
    """Yield which rows of a part would be on the right, for cuts that leave crowds, the best first."""
    if int(weights.sum()) < 2 * crowds.k:
        return
    for column in sorted(crowds.columns, key=lambda one: -_width(one, rows)):
        codes = column.codes[rows].astype(np.int64)
        for place in _places(codes, class_, weights, crowds.k)[: None if crowds.only_k else TRIES]:
            right = codes > place
            if crowds.only_k or _holds(crowds, rows, class_, right):
                yield right


def _width(column: Column, rows: Int64s) -> float:
    """The share of the domain that the rows of a part cover, as a cell that shows them would lose it."""
    there = replace(column, codes=column.codes[rows])
    shown = as_cells(there, np.zeros(len(rows), np.int64), 1)
    return float(penalties(shown.column)[shown.code[0]])


def _places(codes: Int64s, class_: Int64s, weights: Int64s, k: int) -> Int64s:
    """The codes after which a part may be cut, so that each class is nobody or at least k on both sides, best first.

    >>> _places(np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1]), np.ones(6, np.int64), 2).tolist()
    [0, 1]
    """
    order = np.lexsort((codes, class_))
    codes, class_, weights = codes[order], class_[order], weights[order]
    sums = np.cumsum(weights)
    begin = np.flatnonzero(np.r_[True, np.diff(class_) != 0])
    end = np.r_[begin[1:], len(class_)] - 1
    before, total = sums[begin] - weights[begin], sums[end]
    # A cut after code c is forbidden where a class has some, but fewer than k, up to c, or beyond c.
    enough = np.minimum(np.searchsorted(sums, before + k), end)
    too_late = np.searchsorted(sums, total - k, side="right")
    low, high = int(codes.min()), int(codes.max())
    forbidden = np.zeros(high - low + 2, np.int64)
    for first, after in ((codes[begin], codes[enough]), (codes[np.clip(too_late, begin, end)], codes[end])):
        np.add.at(forbidden, first - low, 1)
        np.add.at(forbidden, np.maximum(after, first) - low, -1)
    left = np.cumsum(np.bincount(codes - low, weights, high - low + 1))
    good = np.flatnonzero((np.cumsum(forbidden)[: high - low] == 0) & (np.diff(left) > 0))
    return (good[np.argsort(np.abs(2 * left[good] - left[-1]), kind="stable")] + low).astype(np.int64)


def _holds(crowds: Crowds, rows: Int64s, class_: Int64s, right: Bools) -> bool:
    """Does every class on both sides satisfy the requirement?"""
    _, side = np.unique(2 * class_ + right, return_inverse=True)
    number = int(side.max()) + 1
    table = Table({name: crowds.table[name] for name in crowds.asked}, crowds.rows, crowds.table.weights).at(rows)
    groups: Groups = count_groups(table, side, number, crowds.asked)
    # What is compared with everybody is compared with the whole table.
    private = {
        name: replace(
            counts,
            whole=np.bincount(crowds.table[name].codes, crowds.table.weights, len(counts.whole)).astype(np.int64),
        )
        for name, counts in groups.private.items()
    }
    return bool(crowds.policy.require.holds(Groups(groups.sizes, private)).all())
