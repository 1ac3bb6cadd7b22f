"""Which of several lines are lowest somewhere: the cells into which one unknown number can fall."""

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def mark_lowest(
    intercepts: Floats, offsets: Floats, slopes: Floats, low: float, high: float, reached: NDArray[np.bool_]
) -> None:
    """For each row, mark the lines that are lowest at some number from `low` to `high`; of equal ones, the first.

    The lines of a row are `intercepts + offsets + slopes * number`. The lower envelope is walked from the left: at a
    crossing, the line with the smallest slope goes on, and the first of the lines that meet has the point itself.
    """
    lines = len(slopes)
    heights = np.empty(lines)
    for row in range(len(intercepts)):
        for line in range(lines):
            heights[line] = intercepts[row, line] + offsets[line]
        current, first, at = 0, 0, low
        if low == -np.inf:  # far to the left the line with the largest slope is lowest
            for line in range(1, lines):
                steeper = slopes[line] > slopes[current]
                if steeper or (slopes[line] == slopes[current] and heights[line] < heights[current]):
                    current = line
            first = current
        else:
            least = heights[0] + slopes[0] * low
            for line in range(1, lines):
                here = heights[line] + slopes[line] * low
                if here < least:
                    least, current, first = here, line, line
                elif here == least and slopes[line] < slopes[current]:
                    current = line
        reached[row, first] = True
        while at < high:
            reached[row, current] = True
            crossing, following, first = np.inf, -1, current
            for line in range(lines):
                if slopes[line] >= slopes[current]:
                    continue
                # Never back to the left, not even by rounding.
                there = max((heights[line] - heights[current]) / (slopes[current] - slopes[line]), at)
                if there < crossing:
                    crossing, following, first = there, line, min(line, current)
                elif there == crossing:
                    first = min(first, line)
                    if slopes[line] < slopes[following]:
                        following = line
            if following < 0 or crossing > high:
                break
            reached[row, first] = True
            current, at = following, crossing
