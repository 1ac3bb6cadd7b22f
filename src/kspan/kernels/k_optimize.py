"""What it costs to split or to unite intervals: all values of all attributes at once.

A cell is a combination of public values, `bins[cell, attribute]`, with `counts[cell, label]` people (one column if
labels do not matter). `interval[attribute, bin]` numbers the intervals of each attribute from 0 on.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Counts = NDArray[np.int32] | NDArray[np.int64]
Int64s = NDArray[np.int64]
Int32s = NDArray[np.int32]
Floats = NDArray[np.float64]

CM, CM_AT_LEAST, DM, DM_AT_LEAST = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def price(counts: Counts, kind: int, k: int, everybody: int) -> float:
    """What a group costs: CM counts its minority, DM the square of its people; fewer than k people are withheld.

    The kinds `AT_LEAST` are what its people cost at least, in whatever larger group they will be.
    """
    people, most = 0, 0
    for count in counts:
        people += count
        most = max(most, count)
    if kind == CM_AT_LEAST:
        return float(people - most)
    if kind == DM_AT_LEAST:
        return float(people) * max(k, people)
    if people < k:
        return withheld_price(people, kind, everybody)
    return float(people - most) if kind == CM else float(people) * people


@njit(cache=True, nogil=True)
def withheld_price(people: int, kind: int, everybody: int) -> float:
    """What withholding some people costs: 1 each in CM, everybody each in DM."""
    return float(people) if kind in (CM, CM_AT_LEAST) else float(people) * everybody


@njit(cache=True, nogil=True)
def bill(counts: Counts, kind: int, k: int, everybody: int) -> tuple[float, int]:
    """What all groups cost together, and how many people are in those smaller than k."""
    cost, small = 0.0, 0
    for group in range(counts.shape[0]):
        cost += price(counts[group], kind, k, everybody)
        people = 0
        for count in counts[group]:
            people += count
        if people < k:
            small += people
    return cost, small


@njit(cache=True, nogil=True)
def count_labels(cell: Int64s, label: NDArray[Any], weights: Int64s, counts: Counts) -> None:
    """Add the people of every row to the counts of its cell and label; without weights a row is one person."""
    for row in range(cell.size):
        counts[cell[row], label[row]] += weights[row] if weights.size else 1


@njit(cache=True, nogil=True)
def _look_up(where: Int32s, slots: Int32s, example: Int32s, bins: NDArray[Any], interval: Int32s) -> int:
    """The slot of the group in these intervals, or the empty one where it belongs; a group is known by a cell of it."""
    mixed = np.uint64(0)
    for a in range(where.size):
        mixed = (mixed ^ np.uint64(where[a])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(slots.size - 1))
    while slots[slot] >= 0:
        cell, same = example[slots[slot]], True
        for a in range(where.size):
            if where[a] != interval[a, bins[cell, a]]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & (slots.size - 1)
    return slot


@njit(cache=True, nogil=True)
def _look_ups(number: int, slots: int, example: Int32s, bins: NDArray[Any], interval: Int32s) -> Int32s:
    """So many slots with a number of different groups in them."""
    table = np.full(slots, -1, np.int32)
    where = np.empty(bins.shape[1], np.int32)
    for group in range(number):
        for a in range(where.size):
            where[a] = interval[a, bins[example[group], a]]
        table[_look_up(where, table, example, bins, interval)] = group
    return table


@njit(cache=True, nogil=True)
def group_cells(bins: NDArray[Any], interval: Int32s) -> tuple[Int32s, Int32s]:
    """The group of every cell, by equal intervals in all attributes, and the first cell of every group."""
    cells, attributes = bins.shape
    example = np.empty(cells, np.int32)
    group = np.empty(cells, np.int32)
    where = np.empty(attributes, np.int32)
    number, slots = 0, np.full(1024, -1, np.int32)
    for cell in range(cells):
        for a in range(attributes):
            where[a] = interval[a, bins[cell, a]]
        slot = _look_up(where, slots, example, bins, interval)
        if slots[slot] < 0:
            if 4 * number >= 3 * slots.size:
                slots = _look_ups(number, 2 * slots.size, example, bins, interval)
                slot = _look_up(where, slots, example, bins, interval)
            slots[slot] = number
            example[number] = cell
            number += 1
        group[cell] = slots[slot]
    return group, example[:number].copy()


@njit(cache=True, nogil=True)
def group_totals(group: Int32s, number: int, counts: Counts) -> Counts:
    """The counts of each group."""
    totals = np.zeros((number, counts.shape[1]), counts.dtype)
    for cell in range(group.size):
        for label in range(counts.shape[1]):
            totals[group[cell], label] += counts[cell, label]
    return totals


@njit(cache=True, nogil=True)
def _by_group(group: Int32s, number: int) -> tuple[Int32s, Int64s]:
    """All cells group by group, and where each group ends there."""
    ends = np.zeros(number + 1, np.int64)
    for g in group:
        ends[g + 1] += 1
    for g in range(number):
        ends[g + 1] += ends[g]
    order = np.empty(group.size, np.int32)
    for cell in range(group.size):
        order[ends[group[cell]]] = cell
        ends[group[cell]] += 1  # begins as the end of the group before
    return order, ends[:number]


@njit(cache=True, nogil=True)
def additions(
    bins: NDArray[Any], width: int, group: Int32s, totals: Counts, counts: Counts, kind: int, k: int, everybody: int
) -> tuple[Floats, Floats, Int64s, Int64s]:
    """For every attribute and bin, what happens if a new interval begins there.

    How much the cost (CM or DM) changes; how much more the people cost at least who are withheld then, than each cell
    alone does at least; how many these are; and in how many groups it leaves somebody who is not withheld.
    """
    attributes, labels = bins.shape[1], counts.shape[1]
    kind_at_least = CM_AT_LEAST if kind == CM else DM_AT_LEAST
    change, at_least = np.zeros((attributes, width + 1)), np.zeros((attributes, width + 1))
    lost, useful = np.zeros((attributes, width + 1), np.int64), np.zeros((attributes, width + 1), np.int64)
    order, ends = _by_group(group, totals.shape[0])
    inside, floors = np.zeros((width, labels), np.int64), np.zeros(width)  # of the cells of a group, by bin
    present, there = np.zeros(width, np.bool_), np.empty(width, np.int64)
    left, right = np.zeros(labels, np.int64), np.zeros(labels, np.int64)
    for g in range(totals.shape[0]):
        size = totals[g].sum()
        if size < k:
            continue
        cells = order[ends[g - 1] if g else 0 : ends[g]]
        whole, floor = price(totals[g], kind, k, everybody), 0.0
        for cell in cells:
            floor += price(counts[cell], kind_at_least, k, everybody)
        for a in range(attributes):
            different = 0
            for cell in cells:
                b = bins[cell, a]
                if not present[b]:
                    present[b], there[different] = True, b
                    different += 1
                for label in range(labels):
                    inside[b, label] += counts[cell, label]
                floors[b] += price(counts[cell], kind_at_least, k, everybody)
            there[:different].sort()
            left[:] = 0
            people, below = 0, 0.0  # in the bins before
            for place in range(different):
                b = there[place]
                if place:
                    first, after = there[place - 1] + 1, b + 1
                    for label in range(labels):
                        right[label] = totals[g, label] - left[label]
                    grown = price(left, kind, k, everybody) + price(right, kind, k, everybody) - whole
                    change[a, first] += grown
                    change[a, after] -= grown
                    gone, extra = 0, 0.0
                    if people < k:
                        gone += people
                        extra += withheld_price(people, kind, everybody) - below
                    if size - people < k:
                        gone += size - people
                        extra += withheld_price(size - people, kind, everybody) - (floor - below)
                    at_least[a, first] += extra
                    at_least[a, after] -= extra
                    lost[a, first] += gone
                    lost[a, after] -= gone
                    if gone < size:
                        useful[a, first] += 1
                        useful[a, after] -= 1
                for label in range(labels):
                    left[label] += inside[b, label]
                    people += inside[b, label]
                    inside[b, label] = 0
                below += floors[b]
                present[b], floors[b] = False, 0.0
    for a in range(attributes):
        for b in range(width):
            change[a, b + 1] += change[a, b]
            at_least[a, b + 1] += at_least[a, b]
            lost[a, b + 1] += lost[a, b]
            useful[a, b + 1] += useful[a, b]
    return change[:, :width], at_least[:, :width], lost[:, :width], useful[:, :width]


@njit(cache=True, nogil=True)
def removals(
    bins: NDArray[Any], interval: Int32s, counts: Counts, kind: int, k: int, everybody: int
) -> tuple[Floats, Int64s]:
    """For every attribute and interval, what happens if it becomes one with the interval before.

    How much the cost changes, and how many fewer people are withheld then. No two cells may be in the same intervals.
    """
    cells, attributes = bins.shape
    change = np.zeros((attributes, interval.shape[1]))
    freed = np.zeros((attributes, interval.shape[1]), np.int64)
    both = np.zeros(counts.shape[1], np.int64)
    every, size = np.arange(cells).astype(np.int32), 16
    while 3 * size < 4 * cells:
        size *= 2
    slots = _look_ups(cells, size, every, bins, interval)
    where = np.empty(attributes, np.int32)
    for cell in range(cells):
        for a in range(attributes):
            where[a] = interval[a, bins[cell, a]]
        own = price(counts[cell], kind, k, everybody)
        for a in range(attributes):
            if where[a] == 0:
                continue
            where[a] -= 1
            before = slots[_look_up(where, slots, every, bins, interval)]
            where[a] += 1
            if before < 0:
                continue
            people, people_before = 0, 0
            for label in range(counts.shape[1]):
                both[label] = counts[cell, label] + counts[before, label]
                people += counts[cell, label]
                people_before += counts[before, label]
            grown = price(both, kind, k, everybody) - own - price(counts[before], kind, k, everybody)
            change[a, where[a]] += grown
            if people + people_before >= k:
                freed[a, where[a]] += people if people < k else 0
                freed[a, where[a]] += people_before if people_before < k else 0
    return change, freed
