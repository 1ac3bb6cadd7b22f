"""Rolling up groups of rows from one vector of levels to a coarser one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Floats = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


@compiled
def roll_up(
    cells: NDArray[Any], example: Int32s, people: NDArray[Any], digits: Int64s, place: Int32s
) -> tuple[Int32s, NDArray[Any]]:
    """Unite finer groups into coarser ones; return an example and the people of each, in order of first appearance.

    The example of a group is one line of `cells` that belongs to it. The key of its coarser group is the sum of
    `digits[cell]` over the cells of that line. A `place` that is not empty gets the coarser group of each finer one.
    """
    slots, shift = 16, np.uint64(60)  # the highest bits of a product number the slots: 2 ** (64 - shift) of them
    while 3 * slots < 4 * example.size:
        slots *= 2
        shift -= np.uint64(1)
    taken = np.full(slots, -1, np.int32)
    keys = np.empty(example.size, np.int64)
    examples = np.empty(example.size, np.int32)
    totals = np.empty(example.size, people.dtype)
    found = 0
    for i in range(example.size):
        key, line = np.int64(0), np.uint32(example[i])
        for attribute in range(cells.shape[1]):
            key += digits[cells[line, np.uint32(attribute)]]
        # Fibonacci hashing: the odd multiplier spreads neighboring keys, best in the highest bits.
        slot = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift
        while taken[slot] >= 0 and keys[taken[slot]] != key:
            slot = (slot + np.uint64(1)) & np.uint64(slots - 1)
        group = taken[slot]
        if group < 0:
            group = np.int32(found)
            taken[slot] = group
            keys[group] = key
            examples[group] = example[i]
            totals[group] = people[i]
            found += 1
        else:
            totals[group] += people[i]
        if place.size:
            place[i] = group
    return examples[:found].copy(), totals[:found].copy()


@compiled
def cost_of_cells(
    cells: NDArray[Any], example: Int32s, people: NDArray[Any], which: NDArray[np.bool_], costs: Floats
) -> float:
    """The total cost of the cells of all people in some groups; `costs` is laid out like `digits`."""
    total = 0.0
    for i in range(example.size):
        if which[i]:
            cost = 0.0
            for attribute in range(cells.shape[1]):
                cost += costs[cells[example[i], attribute]]
            total += people[i] * cost
    return total


@compiled
def majorities(place: Int64s, start: Int64s, value: Int64s, people: Int64s, number: int, width: int) -> Int64s:
    """How many people of each of `number` groups have its commonest value.

    `place` has the group of each kind of row; kind i has the sparse counts from `start[i]` up to `start[i + 1]`.
    """
    counts = np.zeros((number, width), np.int64)
    largest = np.zeros(number, np.int64)
    for kind in range(place.size):
        group = place[kind]
        for entry in range(start[kind], start[kind + 1]):
            counts[group, value[entry]] += people[entry]
            largest[group] = max(largest[group], counts[group, value[entry]])
    return largest
