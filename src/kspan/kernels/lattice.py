"""Rolling up groups of rows from one vector of levels to a coarser one."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


@njit(cache=True, nogil=True)
def key_of(codes: NDArray[Any], example: int, digits: Int64s, begin: Int64s) -> int:
    """What a kind of row shows, as one number: the sum of its digit in each attribute."""
    key = 0
    for attribute in range(begin.size):
        key += digits[begin[attribute] + codes[example, attribute]]
    return key


@njit(cache=True, nogil=True)
def roll_up(
    codes: NDArray[Any], example: Int32s, people: Int64s, digits: Int64s, begin: Int64s, place: Int32s
) -> tuple[Int32s, Int64s]:
    """An example and the people of every coarser group, in order of first appearance.

    `example` names for each finer group one kind of row in it (a line of `codes`). A `place` that is not empty gets the
    coarser group of each finer one.
    """
    slots = 16
    while slots < 2 * example.size:
        slots *= 2
    taken = np.full(slots, -1, np.int32)
    keys = np.empty(example.size, np.int64)
    examples = np.empty(example.size, np.int32)
    totals = np.empty(example.size, np.int64)
    found = 0
    for i in range(example.size):
        key = key_of(codes, example[i], digits, begin)
        # Fibonacci hashing: the odd multiplier spreads neighboring keys over the table.
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(slots - 1))
        while taken[slot] >= 0 and keys[taken[slot]] != key:
            slot = (slot + 1) & (slots - 1)
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


@njit(cache=True, nogil=True)
def cost_of_cells(
    codes: NDArray[Any], example: Int32s, people: Int64s, which: NDArray[np.bool_], costs: Floats, begin: Int64s
) -> float:
    """The costs of all cells of some groups, person by person; `costs` is laid out as digits are."""
    total = 0.0
    for i in range(example.size):
        if which[i]:
            cells = 0.0
            for attribute in range(begin.size):
                cells += costs[begin[attribute] + codes[example[i], attribute]]
            total += people[i] * cells
    return total


@njit(cache=True, nogil=True)
def majorities(place: Int64s, start: Int64s, value: Int64s, people: Int64s, number: int, width: int) -> Int64s:
    """People with the commonest value of each of `number` groups, from the sparse counts of kinds that they take in."""
    counts = np.zeros((number, width), np.int64)
    largest = np.zeros(number, np.int64)
    for kind in range(place.size):
        group = place[kind]
        for entry in range(start[kind], start[kind + 1]):
            counts[group, value[entry]] += people[entry]
            largest[group] = max(largest[group], counts[group, value[entry]])
    return largest
