"""Which tuples match in every attribute: for each value of an attribute, bits mark the tuples that admit it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]
Bits = NDArray[np.uint64]


@compiled
def set_bits(bits: Bits, cells: Int64s, start: Int64s, value: Int64s) -> None:
    """Set the bit of every tuple in the rows of all values that its cell admits.

    Tuple i has the cell `cells[i]`, and cell c admits `value[start[c]:start[c + 1]]`.
    """
    for place in range(cells.size):
        word, bit = place >> 6, np.uint64(1) << np.uint64(place & 63)
        for at in range(start[cells[place]], start[cells[place] + 1]):
            bits[value[at], word] |= bit


@compiled
def matches(values: Int64s, bits: Bits, begins: Int64s) -> tuple[Int64s, Int64s]:
    """All pairs of a row of `values` and a tuple that admits all of its values, row by row.

    In `bits`, the rows of attribute a begin at `begins[a]`.
    """
    total = 0  # counted in a first pass, so that memory is taken once
    for row in range(len(values)):
        for word in range(bits.shape[1]):
            common = _common(values, bits, begins, row, word)
            while common:
                common &= common - np.uint64(1)  # clears the lowest bit that is set
                total += 1
    rows, tuples = np.empty(total, np.int64), np.empty(total, np.int64)
    at = 0
    for row in range(len(values)):
        for word in range(bits.shape[1]):
            common = _common(values, bits, begins, row, word)
            bit = 0
            while common:
                if common & np.uint64(1):
                    rows[at], tuples[at] = row, (word << 6) + bit
                    at += 1
                common >>= np.uint64(1)
                bit += 1
    return rows, tuples


@compiled
def _common(values: Int64s, bits: Bits, begins: Int64s, row: int, word: int) -> Any:
    """The bits of one word that are set for all values of a row."""
    common = bits[begins[0] + values[row, 0], word]
    for attribute in range(1, len(begins)):
        if not common:
            break
        common &= bits[begins[attribute] + values[row, attribute], word]
    return common
