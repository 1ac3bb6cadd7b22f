"""Which rows go down which branch."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


@njit(cache=True, nogil=True)
def divide_rows(codes: NDArray[Any], branch: Int32s, rows: Int32s, branches: int) -> Int64s:
    """Bring the rows of each branch together, in place and in their order; says where each branch's rows end.

    `branch` has the branch of each code, or -1: such rows come first, and where they end is said first.
    """
    sizes = np.zeros(branches + 1, np.int64)
    for i in range(rows.size):
        sizes[branch[codes[rows[i]]] + 1] += 1
    ends = np.cumsum(sizes)
    place = ends - sizes
    sorted_rows = np.empty_like(rows)
    for i in range(rows.size):
        to = branch[codes[rows[i]]] + 1
        sorted_rows[place[to]] = rows[i]
        place[to] += 1
    rows[:] = sorted_rows
    return ends
