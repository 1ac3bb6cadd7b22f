"""Which cells a person can be in if one number is unknown: each cell is judged by itself, by narrowing an interval."""

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def mark_between(heights: Floats, slopes: Floats, low: float, high: float, found: NDArray[np.bool_]) -> None:
    """For each row, mark the lines that are lowest somewhere from `low` to `high`; of equal ones, the first.

    If one line is lowest at both ends, no other is lowest between them, since lines are straight.
    """
    for row in range(len(heights)):
        here = heights[row]
        left, right = _lowest_at(here, slopes, low), _lowest_at(here, slopes, high)
        found[row, left] = found[row, right] = True
        if left == right:
            continue
        for cell in range(len(slopes)):
            if not found[row, cell]:
                found[row, cell] = (
                    _overtakes(here, slopes, low, high, cell, left)
                    and _overtakes(here, slopes, low, high, cell, right)
                    and _is_lowest(here, slopes, low, high, cell)
                )


@compiled
def _lowest_at(heights: Floats, slopes: Floats, place: float) -> int:
    """The first of the lines that are lowest at a place, which may be infinitely far out on one side."""
    best = 0
    for line in range(1, len(slopes)):
        if np.isfinite(place):
            lower = heights[line] + slopes[line] * place < heights[best] + slopes[best] * place
        else:
            outward = slopes[line] - slopes[best] if place > 0 else slopes[best] - slopes[line]
            lower = outward < 0 or (outward == 0 and heights[line] < heights[best])
        if lower:
            best = line
    return best


@compiled
def _overtakes(heights: Floats, slopes: Floats, low: float, high: float, cell: int, line: int) -> bool:
    """Is a line at or below another one somewhere between the ends? A quick test before all lines are compared."""
    above, steeper = heights[cell] - heights[line], slopes[cell] - slopes[line]
    if steeper == 0.0:
        return bool(above <= 0.0)
    crossing = -above / steeper
    return bool(crossing >= low if steeper > 0.0 else crossing <= high)


@compiled
def _is_lowest(heights: Floats, slopes: Floats, low: float, high: float, cell: int) -> bool:
    """Is a line lowest somewhere between `low` and `high`?

    Each other line leaves it the numbers on one side of their crossing. The crossing itself is left to it if the other
    line comes later.
    """
    start, stop, open_start, open_stop = low, high, low == -np.inf, high == np.inf
    for line in range(len(slopes)):
        if line == cell:
            continue
        above, steeper = heights[cell] - heights[line], slopes[cell] - slopes[line]
        if steeper == 0.0:
            if above > 0.0 or (above == 0.0 and line < cell):
                return False
            continue
        crossing = -above / steeper
        if steeper > 0.0:
            if crossing < stop:
                stop, open_stop = crossing, line < cell
            elif crossing == stop and line < cell:
                open_stop = True
        elif crossing > start:
            start, open_start = crossing, line < cell
        elif crossing == start and line < cell:
            open_start = True
        if start > stop or (start == stop and (open_start or open_stop)):
            return False
    return True
