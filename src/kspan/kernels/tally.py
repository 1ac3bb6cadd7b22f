"""Counting keys."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]


@compiled
def tally_dense(keys: Int64s, weights: Int64s, totals: NDArray[Any], places: Int64s) -> tuple[Int64s, Int64s]:
    """The distinct keys in ascending order, and the total weight of each; `totals` has a zero for every possible key.

    With empty `weights`, every key counts once. A `places` that is not empty gets the place of each key among the
    distinct ones.
    """
    for i in range(keys.size):
        totals[keys[i]] += weights[i] if weights.size else 1
    distinct = np.empty(min(totals.size, keys.size), np.int64)
    weight = np.empty(distinct.size, np.int64)
    found = 0
    for key in range(totals.size):
        if totals[key]:
            distinct[found] = key
            weight[found] = totals[key]
            totals[key] = found  # the weight is saved in its list, so its entry can now hold the place of the key
            found += 1
    for i in range(places.size):
        places[i] = totals[keys[i]]
    return distinct[:found].copy(), weight[:found].copy()


@compiled
def tally_hashed(keys: Int64s, weights: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """The same for keys of any size, by open addressing; the distinct keys come in order of first appearance."""
    slots = 16
    while slots < 2 * keys.size:
        slots *= 2
    table = np.full(slots, -1, np.int64)
    distinct = np.empty(keys.size, np.int64)
    weight = np.zeros(keys.size, np.int64)
    places = np.empty(keys.size, np.int64)
    found = 0
    for i in range(keys.size):
        key = keys[i]
        # Fibonacci hashing: the odd multiplier spreads neighboring keys over the table.
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(slots - 1))
        while table[slot] >= 0 and distinct[table[slot]] != key:
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = found
            distinct[found] = key
            found += 1
        places[i] = table[slot]
        weight[table[slot]] += weights[i] if weights.size else 1
    return distinct[:found].copy(), weight[:found].copy(), places


@compiled
def rank_keys(keys: Int64s, marks: NDArray[np.uint64]) -> int:
    """Replace every key by its rank among the distinct keys, in place; return how many distinct keys there are.

    `marks` has a bit, not yet set, for every possible key.
    """
    one, inside = np.uint64(1), np.uint64(63)
    for key in keys:
        marks[key >> 6] |= one << (np.uint64(key) & inside)
    before = np.empty(marks.size, np.int64)  # how many keys are in the words before
    found = 0
    for word in range(marks.size):
        before[word] = found
        found += int(_bits(marks[word]))
    for i in range(keys.size):
        word, bit = keys[i] >> 6, np.uint64(keys[i]) & inside
        keys[i] = before[word] + _bits(marks[word] & ((one << bit) - one))
    return found


@compiled
def _bits(word: np.uint64) -> np.int64:
    """Count the bits of a word that are set: in pairs, then fours, then bytes, which a product adds up."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
