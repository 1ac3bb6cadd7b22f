"""Which codes occur in groups of rows; a row whose group is negative is in no group."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]


@compiled
def lowest_and_highest(codes: NDArray[Any], size: int, group: Int64s, number: int) -> tuple[Int64s, Int64s]:
    """The lowest and the highest code of each of `number` groups; a group without rows has `size` and -1."""
    low, high = np.full(number, size, np.int64), np.full(number, -1, np.int64)
    for row in range(codes.size):
        if group[row] >= 0:
            code = np.int64(codes[row])
            low[group[row]] = min(low[group[row]], code)
            high[group[row]] = max(high[group[row]], code)
    return low, high


@compiled
def masks(codes: NDArray[Any], group: Int64s, number: int) -> Int64s:
    """The codes that occur in each group, as bits of one number; all codes are below 63, since bit 63 is the sign."""
    mask = np.zeros(number, np.int64)
    for row in range(codes.size):
        if group[row] >= 0:
            mask[group[row]] |= np.int64(1) << np.int64(codes[row])
    return mask


@compiled
def bits(mask: Int64s) -> tuple[Int64s, Int64s]:
    """Arrays `start` and `code`: the codes in mask m, ascending, are `code[start[m]:start[m + 1]]`."""
    start = np.zeros(mask.size + 1, np.int64)
    for place in range(mask.size):
        rest, size = mask[place], 0
        while rest:
            rest &= rest - 1  # clears the lowest bit that is set
            size += 1
        start[place + 1] = start[place] + size
    code = np.empty(start[-1], np.int64)
    for place in range(mask.size):
        rest, at, bit = mask[place], start[place], 0
        while rest:
            if rest & 1:
                code[at] = bit
                at += 1
            rest >>= 1
            bit += 1
    return start, code
