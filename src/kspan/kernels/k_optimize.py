"""What it costs to split or to unite intervals, for all values of all attributes at once.

A cell is a combination of public values, `bins[cell, attribute]`, with `counts[cell, label]` people (one column if
labels do not matter). `interval[attribute, bin]` is the interval of each bin, numbered from 0 on in each attribute.
"""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Counts = NDArray[np.signedinteger[Any]]
Int64s = NDArray[np.int64]
Int32s = NDArray[np.int32]
Floats = NDArray[np.float64]

CM, CM_AT_LEAST, DM, DM_AT_LEAST = 0, 1, 2, 3


@compiled
def price(counts: Counts, kind: int, k: int, everybody: int) -> float:
    """The cost of a group: CM counts its minority, DM squares its people; a group of fewer than k people is withheld.

    The kinds `AT_LEAST` are lower bounds: what its people cost at least, in whatever larger group they end up.
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


@compiled
def withheld_price(people: int, kind: int, everybody: int) -> float:
    """The cost of withholding some people: 1 each in CM, the number of all people each in DM."""
    return float(people) if kind in (CM, CM_AT_LEAST) else float(people) * everybody


@compiled
def bill(counts: Counts, kind: int, k: int, everybody: int) -> tuple[float, int]:
    """The total cost of all groups, and how many people are in groups smaller than k."""
    cost, small = 0.0, 0
    for group in range(counts.shape[0]):
        cost += price(counts[group], kind, k, everybody)
        people = 0
        for count in counts[group]:
            people += count
        if people < k:
            small += people
    return cost, small


@compiled
def count_labels(cell: Int64s, label: NDArray[Any], weights: Int64s, counts: Counts) -> None:
    """Add the people of every row to the counts of its cell and label; without weights a row is one person."""
    for row in range(cell.size):
        counts[cell[row], label[row]] += weights[row] if weights.size else 1


@compiled
def _noise(interval: Int32s) -> NDArray[np.uint64]:
    """Pseudo-random numbers, equal for bins of the same interval; added up over attributes they hash a cell."""
    noise = np.empty(interval.shape, np.uint64)
    # The mixing steps of SplitMix64, applied to the attribute and the interval.
    for a in range(interval.shape[0]):
        for b in range(interval.shape[1]):
            mixed = np.uint64((a << 32) + interval[a, b] + 1) * np.uint64(0x9E3779B97F4A7C15)
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            noise[a, b] = mixed ^ (mixed >> np.uint64(31))
    return noise


@compiled
def _empty_slots(cells: int) -> Int32s:
    """A hash table of empty slots (-1), at most three quarters full with so many cells."""
    size = 16
    while 3 * size < 4 * cells:
        size *= 2
    return np.full(size, -1, np.int32)


@compiled
def _look_up(
    cell: SupportsIndex, slots: Int32s, noise: NDArray[np.uint64], bins: NDArray[Any], interval: Int32s
) -> np.int64:
    """The slot of a cell that is in the same intervals or, if there is none, the empty slot for this one."""
    mixed = np.uint64(0)
    for a in range(bins.shape[1]):
        mixed += noise[a, bins[cell, a]]
    slot = np.int64(mixed & np.uint64(slots.size - 1))
    while slots[slot] >= 0:
        other, same = slots[slot], True
        for a in range(bins.shape[1]):
            if interval[a, bins[cell, a]] != interval[a, bins[other, a]]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & (slots.size - 1)
    return slot


@compiled
def group_cells(bins: NDArray[Any], interval: Int32s) -> tuple[Int32s, Int32s]:
    """The group of every cell, and the first cell of every group; cells in the same intervals are a group."""
    cells = bins.shape[0]
    slots, noise = _empty_slots(cells), _noise(interval)
    group, first, number = np.empty(cells, np.int32), np.empty(cells, np.int32), 0
    for cell in range(cells):
        slot = _look_up(cell, slots, noise, bins, interval)
        if slots[slot] < 0:
            slots[slot], first[number], group[cell] = cell, cell, number
            number += 1
        else:
            group[cell] = group[slots[slot]]
    return group, first[:number].copy()


@compiled
def group_totals(group: Int32s, number: int, counts: Counts) -> Counts:
    """The counts of each group."""
    totals = np.zeros((number, counts.shape[1]), counts.dtype)
    for cell in range(group.size):
        for label in range(counts.shape[1]):
            totals[group[cell], label] += counts[cell, label]
    return totals


@compiled
def _by_group(group: Int32s, number: int) -> tuple[Int32s, Int64s]:
    """All cells ordered by group, and where each group ends in that order."""
    ends = np.zeros(number + 1, np.int64)
    for g in group:
        ends[g + 1] += 1
    for g in range(number):
        ends[g + 1] += ends[g]
    order = np.empty(group.size, np.int32)
    for cell in range(group.size):
        order[ends[group[cell]]] = cell
        ends[group[cell]] += 1  # was where the group begins, and becomes where it ends
    return order, ends[:number]


@compiled
def _by_bin(bins: NDArray[Any], width: int, order: Int32s) -> None:
    """Fill `order` with all cells in the order of their bins, given for one attribute."""
    begins = np.zeros(width + 1, np.int64)
    for b in bins:
        begins[b + 1] += 1
    for b in range(width):
        begins[b + 1] += begins[b]
    for cell in range(bins.size):
        order[begins[bins[cell]]] = cell
        begins[bins[cell]] += 1


@compiled
def additions(
    bins: NDArray[Any], width: int, group: Int32s, totals: Counts, counts: Counts, kind: int, k: int, everybody: int
) -> tuple[Floats, Floats, Int64s, Int64s]:
    """For every attribute and bin, what happens if a new interval begins there.

    Returns four arrays: the change of the cost (CM or DM); by how much the cost of the people who are withheld then
    exceeds the lower bounds of their cells; how many people these are; and in how many groups somebody is left who is
    not withheld.
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
        if size < k:  # withheld already, and the price of that is the same for the parts
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
                    # It makes no difference at which bin after the last occupied one, up to this one, the interval
                    # begins. So changes are noted where this run begins and ends, and are added up in the end.
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


@compiled
def removals(
    bins: NDArray[Any], interval: Int32s, counts: Counts, kind: int, k: int, everybody: int
) -> tuple[Floats, Int64s]:
    """For every attribute and interval, what happens if it is united with the interval before it.

    Returns the change of the cost, and how many fewer people are withheld. No two cells may be in the same intervals.
    """
    cells, attributes = bins.shape
    change = np.zeros((attributes, interval.shape[1]))
    freed = np.zeros((attributes, interval.shape[1]), np.int64)
    both = np.zeros(counts.shape[1], np.int64)
    slots, order = _empty_slots(cells), np.empty(cells, np.int32)
    for a in range(attributes):
        if interval[a, -1] == 0:  # a single interval
            continue
        _by_bin(bins[:, a], interval.shape[1], order)
        others = interval.copy()
        others[a] = 0  # cells that agree in all other attributes share a slot
        noise = _noise(others)
        slots[:] = -1
        for cell in order:
            slot = _look_up(cell, slots, noise, bins, others)
            # Cells come in the order of their bins, so that the slot has the nearest one below.
            before, slots[slot] = slots[slot], cell
            here = interval[a, bins[cell, a]]
            if before < 0 or interval[a, bins[before, a]] + 1 != here:
                continue
            people, people_before = 0, 0
            for label in range(counts.shape[1]):
                both[label] = counts[cell, label] + counts[before, label]
                people += counts[cell, label]
                people_before += counts[before, label]
            change[a, here] += price(both, kind, k, everybody)
            change[a, here] -= price(counts[cell], kind, k, everybody) + price(counts[before], kind, k, everybody)
            if people + people_before >= k:
                freed[a, here] += people if people < k else 0
                freed[a, here] += people_before if people_before < k else 0
    return change, freed
