"""Places of points on Hilbert's curve (J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 2004)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

UInt64s = NDArray[np.uint64]
Int64s = NDArray[np.int64]

WORD = 64


@compiled
def hilbert_keys(codes: NDArray[Any], sizes: Int64s, bits: int) -> UInt64s:
    """The place on the curve of every row of `codes[row, axis]`, as 64-bit words, the most significant first.

    Each axis has `2 ** bits` steps, and the codes `0 .. sizes[axis] - 1` are spread evenly over them.
    """
    rows, axes = codes.shape
    words = (axes * bits + WORD - 1) // WORD
    keys = np.zeros((rows, words), np.uint64)
    point = np.empty(axes, np.int64)
    last = (np.int64(1) << bits) - 1
    for row in range(rows):
        for axis in range(axes):
            point[axis] = np.int64(codes[row, axis]) * last // max(sizes[axis] - 1, 1)
        _to_transpose(point, bits)
        place = words * WORD - axes * bits  # how many bits of the first word stay empty
        for bit in range(bits - 1, -1, -1):
            for axis in range(axes):
                if (point[axis] >> bit) & 1:
                    keys[row, place // WORD] |= np.uint64(1) << np.uint64(WORD - 1 - place % WORD)
                place += 1
    return keys


@compiled
def _to_transpose(point: Int64s, bits: int) -> None:
    """Turn coordinates, in place, into the bits of the place on the curve, dealt out to the axes in turn."""
    axes = point.size
    step = np.int64(1) << (bits - 1)
    bit = step
    while bit > 1:  # undo the turns of the curve
        below = bit - 1
        for axis in range(axes):
            if point[axis] & bit:
                point[0] ^= below
            else:
                swapped = (point[0] ^ point[axis]) & below
                point[0] ^= swapped
                point[axis] ^= swapped
        bit >>= 1
    for axis in range(1, axes):  # Gray code
        point[axis] ^= point[axis - 1]
    flips = np.int64(0)
    bit = step
    while bit > 1:
        if point[axes - 1] & bit:
            flips ^= bit - 1
        bit >>= 1
    for axis in range(axes):
        point[axis] ^= flips
