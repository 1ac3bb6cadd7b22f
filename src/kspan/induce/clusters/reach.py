"""Which cells people can be in if their private values are unknown, as the maker of clusters finds it."""

from itertools import product

import numpy as np
from scipy.optimize import linprog

from kspan.data.arrays import Bools, Floats
from kspan.errors import DataError
from kspan.model.clusters.axes import category_squares
from kspan.model.clusters.model import Clusters

MOST_COMBINATIONS = 100_000
SLACK = 1e-9


def cells_of(clusters: Clusters, known: Floats) -> Bools:
    """For each kind of people and each cell: do some private values lead there?

    `known` has the squared distances from the centers by public values. The squared distance by an unknown number is
    its square, the same for all centers, plus a line: so cells are compared by the `heights` and `slopes` of lines.
    """
    numbers, categories = clusters.hidden
    words = [category_squares(own, axis.scale) for axis, own in categories]
    if np.prod([len(each) for each in words], dtype=np.float64) > MOST_COMBINATIONS:
        raise DataError("the private categories have too many combinations to try: make some public, or drop them")
    slopes = np.array([-2 * own / axis.scale**2 for axis, own in numbers])
    low = [axis.attribute.low for axis, _ in numbers]
    high = [axis.attribute.high for axis, _ in numbers]
    found = np.zeros(known.shape, bool)
    for choice in product(*words):
        heights = known + sum(choice, sum(((own / axis.scale) ** 2 for axis, own in numbers), np.zeros(len(clusters))))
        if not numbers:
            found[np.arange(len(known)), heights.argmin(axis=1)] = True
        elif len(numbers) == 1:
            _mark_between(heights, slopes[0], low[0], high[0], found)
        else:
            for cell in range(len(clusters)):
                _mark_anywhere(heights, slopes, low, high, cell, found[:, cell])
    return found


def _mark_between(heights: Floats, slopes: Floats, low: float | None, high: float | None, found: Bools) -> None:
    """Mark the cells that some value of one number leads to."""
    from kspan.kernels.cuts import mark_between  # loading compiled code takes a moment

    ends = (-np.inf, np.inf) if low is None or high is None else (low, high)
    mark_between(heights, slopes, *ends, found)


def _mark_anywhere(
    heights: Floats, slopes: Floats, low: list[float | None], high: list[float | None], cell: int, found: Bools
) -> None:
    """Mark the kinds of people who are in a cell for some values of several numbers.

    A linear program asks how much nearer than all before it the cell can be, if it is as near as the others: of
    several at the same distance the first has the person.
    """
    others = np.arange(heights.shape[1]) != cell
    if not others.any():
        found[:] = True
        return
    # The unknowns are the numbers and a margin, which shall be as large as possible; at most 1 keeps it finite.
    first = np.ones(others.sum()) if cell == 0 else (np.flatnonzero(others) < cell).astype(np.float64)
    lines = np.column_stack([(slopes[:, cell, None] - slopes[:, others]).T, first])
    least = -SLACK if cell == 0 else SLACK
    bounds = [*zip(low, high, strict=True), (None, 1.0)]
    goal = np.append(np.zeros(len(slopes)), -1.0)
    for kind in np.flatnonzero(~found).tolist():
        gaps = heights[kind, others] - heights[kind, cell]
        best = linprog(goal, A_ub=lines, b_ub=gaps, bounds=bounds, method="highs")
        found[kind] = best.status == 0 and -best.fun >= least
