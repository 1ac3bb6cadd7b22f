"""What it costs to split or to unite intervals: all values of all attributes at once.

A cell is a combination of public values, `bins[cell, attribute]`, with `counts[cell, label]` people (one column if
labels do not matter). `interval[attribute, bin]` numbers the intervals of each attribute from 0 on.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
Int32s = NDArray[np.int32]
Floats = NDArray[np.float64]

CM, CM_AT_LEAST, DM, DM_AT_LEAST = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def price(counts: Int64s, kind: int, k: int, everybody: int) -> float:
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
def group_cells(bins: NDArray[Any], interval: Int32s) -> tuple[Int32s, int]:
    """The group of every cell, by equal intervals in all attributes, and how many there are; by first appearance."""
    cells, attributes = bins.shape
    slots = 16
    while slots < 2 * cells:
        slots *= 2
    table = np.full(slots, -1, np.int32)
    example = np.empty(cells, np.int32)
    group = np.empty(cells, np.int32)
    number = 0
    for cell in range(cells):
        mixed = np.uint64(0)
        for a in range(attributes):
            mixed = (mixed ^ np.uint64(interval[a, bins[cell, a]])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(slots - 1))
        while table[slot] >= 0:
            other, same = example[table[slot]], True
            for a in range(attributes):
                if interval[a, bins[cell, a]] != interval[a, bins[other, a]]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = number
            example[number] = cell
            number += 1
        group[cell] = table[slot]
    return group, number


@njit(cache=True, nogil=True)
def group_totals(group: NDArray[Any], number: int, counts: Int64s) -> Int64s:
    """The counts of each group."""
    totals = np.zeros((number, counts.shape[1]), np.int64)
    for cell in range(group.size):
        for label in range(counts.shape[1]):
            totals[group[cell], label] += counts[cell, label]
    return totals


@njit(cache=True, nogil=True)
def prices(counts: Int64s, kind: int, k: int, everybody: int) -> Floats:
    """What each group costs."""
    costs = np.empty(counts.shape[0])
    for row in range(counts.shape[0]):
        costs[row] = price(counts[row], kind, k, everybody)
    return costs


@njit(cache=True, nogil=True)
def _sorted_by(keys: NDArray[Any], order: Int32s, number: int) -> Int32s:
    """Some rows by their key, those with the same key as they stand."""
    begins = np.zeros(number + 1, np.int64)
    for row in order:
        begins[keys[row] + 1] += 1
    for key in range(number):
        begins[key + 1] += begins[key]
    result = np.empty(order.size, np.int32)
    for row in order:
        result[begins[keys[row]]] = row
        begins[keys[row]] += 1
    return result


@njit(cache=True, nogil=True)
def additions(
    bins: NDArray[Any],
    width: int,
    group: Int32s,
    totals: Int64s,
    counts: Int64s,
    floors: Floats,
    kind: int,
    k: int,
    everybody: int,
) -> tuple[Floats, Floats, Int64s, Int64s]:
    """For every attribute and bin, what happens if a new interval begins there.

    How much the cost changes; how much more the people cost at least who are withheld then, than by their `floors`; how
    many these are; and in how many groups it leaves somebody who is not withheld.
    """
    cells, attributes = bins.shape
    labels = counts.shape[1]
    change, at_least = np.zeros((attributes, width + 1)), np.zeros((attributes, width + 1))
    lost, useful = np.zeros((attributes, width + 1), np.int64), np.zeros((attributes, width + 1), np.int64)
    whole = prices(totals, kind, k, everybody)
    sizes, floor = np.zeros(totals.shape[0], np.int64), np.zeros(totals.shape[0])
    for g in range(totals.shape[0]):
        for label in range(labels):
            sizes[g] += totals[g, label]
    for cell in range(cells):
        floor[group[cell]] += floors[cell]
    left, right = np.zeros(labels, np.int64), np.zeros(labels, np.int64)
    people, below = 0, 0.0  # in the cells before, of the same group
    for a in range(attributes):
        order = _sorted_by(group, _sorted_by(bins[:, a], np.arange(cells, dtype=np.int32), width), totals.shape[0])
        for place in range(cells):
            cell = order[place]
            g = group[cell]
            if sizes[g] < k:
                continue
            if place == 0 or group[order[place - 1]] != g:
                left[:] = 0
                people, below = 0, 0.0
            elif bins[order[place - 1], a] != bins[cell, a]:
                first, after = bins[order[place - 1], a] + 1, bins[cell, a] + 1
                for label in range(labels):
                    right[label] = totals[g, label] - left[label]
                grown = price(left, kind, k, everybody) + price(right, kind, k, everybody) - whole[g]
                change[a, first] += grown
                change[a, after] -= grown
                gone, extra = 0, 0.0
                if people < k:
                    gone += people
                    extra += withheld_price(people, kind, everybody) - below
                if sizes[g] - people < k:
                    gone += sizes[g] - people
                    extra += withheld_price(sizes[g] - people, kind, everybody) - (floor[g] - below)
                at_least[a, first] += extra
                at_least[a, after] -= extra
                lost[a, first] += gone
                lost[a, after] -= gone
                if gone < sizes[g]:
                    useful[a, first] += 1
                    useful[a, after] -= 1
            for label in range(labels):
                left[label] += counts[cell, label]
                people += counts[cell, label]
            below += floors[cell]
        for b in range(width):
            change[a, b + 1] += change[a, b]
            at_least[a, b + 1] += at_least[a, b]
            lost[a, b + 1] += lost[a, b]
            useful[a, b + 1] += useful[a, b]
    return change[:, :width], at_least[:, :width], lost[:, :width], useful[:, :width]


@njit(cache=True, nogil=True)
def removals(
    bins: NDArray[Any], interval: Int32s, counts: Int64s, kind: int, k: int, everybody: int
) -> tuple[Floats, Int64s]:
    """For every attribute and interval, what happens if it becomes one with the interval before.

    How much the cost changes, and how many fewer people are withheld then. No two cells may be in the same intervals.
    """
    cells, attributes = bins.shape
    change = np.zeros((attributes, interval.shape[1]))
    freed = np.zeros((attributes, interval.shape[1]), np.int64)
    own = prices(counts, kind, k, everybody)
    both = np.zeros(counts.shape[1], np.int64)
    in_attribute = np.empty(cells, np.int32)
    for a in range(attributes):
        without = interval.copy()
        without[a, :] = 0
        line, lines = group_cells(bins, without)
        for cell in range(cells):
            in_attribute[cell] = interval[a, bins[cell, a]]
        order = _sorted_by(line, _sorted_by(in_attribute, np.arange(cells, dtype=np.int32), interval.shape[1]), lines)
        for place in range(1, cells):
            one, other = order[place - 1], order[place]
            if line[one] != line[other] or in_attribute[one] + 1 != in_attribute[other]:
                continue
            size_one, size_other = 0, 0
            for label in range(counts.shape[1]):
                both[label] = counts[one, label] + counts[other, label]
                size_one += counts[one, label]
                size_other += counts[other, label]
            change[a, in_attribute[other]] += price(both, kind, k, everybody) - own[one] - own[other]
            if size_one + size_other >= k:
                freed[a, in_attribute[other]] += size_one if size_one < k else 0
                freed[a, in_attribute[other]] += size_other if size_other < k else 0
    return change, freed
