"""The cuts of Mondrian, for all parts of one level at once.

In every array with one entry per row, the rows of part p are those from `begin[p]` up to `end[p]`. With empty
`weights`, every row counts once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]
Bytes = NDArray[np.uint8]

BINS = 1024
"""Bins of a histogram; a wider range of codes is narrowed down in several passes, so that a small part costs little."""


@compiled
def extents(codes: NDArray[Any], begin: Int64s, end: Int64s) -> tuple[Int64s, Int64s]:
    """The lowest and the highest code of each part."""
    low, high = np.empty(begin.size, np.int64), np.empty(begin.size, np.int64)
    for part in range(begin.size):
        least = most = codes[begin[part]]
        for i in range(begin[part], end[part]):
            least = min(least, codes[i])
            most = max(most, codes[i])
        low[part], high[part] = least, most
    return low, high


@compiled
def varieties(codes: NDArray[Any], size: int, begin: Int64s, end: Int64s) -> Int64s:
    """How many of the `size` different codes each part has."""
    different = np.zeros(begin.size, np.int64)
    # The last part that had a code is noted, so that nothing has to be cleared between parts.
    seen_in = np.full(size, -1, np.int64)
    for part in range(begin.size):
        for i in range(begin[part], end[part]):
            code = codes[i]
            different[part] += seen_in[code] != part
            seen_in[code] = part
    return different


@compiled
def medians(
    codes: NDArray[Any], weights: Int64s, begin: Int64s, end: Int64s, low: Int64s, high: Int64s, people: Int64s
) -> tuple[Int64s, Int64s, Int64s]:
    """The lowest code that half the people of each part do not exceed, how many are below it, and how many have it.

    `low` and `high` enclose the codes of each part, `people` counts its people.
    """
    median, below, having = (
        np.empty(begin.size, np.int64),
        np.zeros(begin.size, np.int64),
        np.zeros(begin.size, np.int64),
    )
    bins = np.empty(BINS, np.int64)
    for part in range(begin.size):
        first, last, lower = low[part], high[part], 0
        while True:
            shift = 0
            while (last - first) >> shift >= BINS:
                shift += 1
            used = ((last - first) >> shift) + 1
            bins[:used] = 0
            for i in range(begin[part], end[part]):
                code = np.int64(codes[i])
                if first <= code <= last:
                    bins[(code - first) >> shift] += weights[i] if weights.size else 1
            place = 0
            while lower + bins[place] < people[part] - (lower + bins[place]):  # a sum times two might overflow
                lower += bins[place]
                place += 1
            first += place << shift
            last = min(last, first + (1 << shift) - 1)
            if shift == 0:
                break
        median[part], below[part], having[part] = first, lower, bins[place]
    return median, below, having


@compiled
def mark_sides(
    codes: NDArray[Any], weights: Int64s, begin: Int64s, end: Int64s, cut: Int64s, shared: Int64s, right: Bytes
) -> Int64s:
    """Mark the rows right of the cut of each part by 1, the others by 0; return how many people are left of each cut.

    Codes up to `cut` are left. Of the rows with the next code, the first ones go left until they are `shared` people.
    """
    left = np.zeros(begin.size, np.int64)
    for part in range(begin.size):
        last, wanted = cut[part], shared[part]
        for i in range(begin[part], end[part]):
            code, weight = np.int64(codes[i]), weights[i] if weights.size else 1
            beyond = code > last
            if wanted > 0 and code == last + 1:
                wanted -= weight
                beyond = False
            right[i] = beyond
            left[part] += 0 if beyond else weight
    return left


@compiled
def divide(column: NDArray[Any], right: Bytes, begin: Int64s, end: Int64s, aside: NDArray[Any]) -> Int64s:
    """Move the entries of each part that are left of its cut before the others; return where the others begin.

    Otherwise all stay in their order. `aside` has room for the largest part.
    """
    middle = np.empty(begin.size, np.int64)
    for part in range(begin.size):
        to, others = begin[part], 0
        for i in range(begin[part], end[part]):
            # Always both writes, one of them in vain: a branch here would be mispredicted every other time. `to` never
            # passes i, so that nothing is overwritten before it is read.
            entry, is_right = column[i], right[i]
            column[to] = entry
            aside[others] = entry
            to += 1 - is_right
            others += is_right
        for i in range(others):
            column[to + i] = aside[i]
        middle[part] = to
    return middle


@compiled
def count_sides(
    labels: NDArray[Any], size: int, weights: Int64s, begin: Int64s, end: Int64s, right: Bytes, room: int
) -> tuple[Int64s, Int64s, Int64s]:
    """The labels that occur on each side of the cut of each part, ascending, and how many people have each.

    Side s of part p is number 2p + s; its labels begin at `start[2p + s]`. `room` must be enough for all of them.
    """
    start = np.zeros(2 * begin.size + 1, np.int64)
    label, people = np.empty(room, np.int64), np.empty(room, np.int64)
    counts = np.zeros((2, size), np.int64)
    seen = np.empty((2, size), np.int64)
    filled = 0
    for part in range(begin.size):
        different = np.zeros(2, np.int64)
        for i in range(begin[part], end[part]):
            side, code = right[i], labels[i]
            if counts[side, code] == 0:
                seen[side, different[side]] = code
                different[side] += 1
            counts[side, code] += weights[i] if weights.size else 1
        for side in range(2):
            found = seen[side, : different[side]]
            found.sort()
            for code in found:
                label[filled] = code
                people[filled] = counts[side, code]
                counts[side, code] = 0
                filled += 1
            start[2 * part + side + 1] = filled
    return start, label[:filled].copy(), people[:filled].copy()
