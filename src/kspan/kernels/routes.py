"""Which rows go down which branch, and where to divide them by a number."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


@compiled
def divide_rows(codes: NDArray[Any], branch: Int32s, rows: Int32s, branches: int) -> Int64s:
    """Bring the rows of each branch together, in place and in their order; return where the rows of each branch end.

    `branch` has the branch of each code, or -1. Rows of codes with -1 come first, and so does their end.
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


@compiled
def middle_cut(codes: NDArray[Any], rows: Int32s, weights: Int64s) -> tuple[int, int, int]:
    """The width of the codes of some rows, the code after which the halves are most equal, and the smaller half's size.

    With empty `weights`, every row counts once. If there is only one code, nobody is in the smaller half.
    """
    low, high = int(codes[rows[0]]), int(codes[rows[0]])
    for i in range(rows.size):
        low, high = min(low, int(codes[rows[i]])), max(high, int(codes[rows[i]]))
    if low == high:
        return 0, low, 0
    people = np.zeros(high - low + 1, np.int64)
    for i in range(rows.size):
        people[int(codes[rows[i]]) - low] += weights[rows[i]] if weights.size else 1
    below, beyond = 0, int(people.sum())
    fewer, cut = 0, low
    for place in range(high - low):
        below += people[place]
        beyond -= people[place]
        if min(below, beyond) > fewer:
            fewer, cut = min(below, beyond), low + place
        if below > beyond:  # from here on the smaller half can only shrink
            break
    return high - low, cut, fewer


@compiled
def divide_at(codes: NDArray[Any], rows: Int32s, cut: int) -> int:
    """Bring the rows with codes up to a cut to the front, in place and in their order; return how many they are."""
    beyond = np.empty_like(rows)
    front, back = 0, 0
    for i in range(rows.size):
        if codes[rows[i]] <= cut:
            rows[front] = rows[i]
            front += 1
        else:
            beyond[back] = rows[i]
            back += 1
    rows[front:] = beyond[:back]
    return front
