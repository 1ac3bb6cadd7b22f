"""The cells of a clustering that people can be in, if only their public values are known."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.optimize import linprog

from kspan.data.arrays import Bools, Floats
from kspan.errors import DataError
from kspan.model.clusters.axes import NumberAxis, WordAxis, category_squares
from kspan.model.clusters.model import Clusters

AT_ONCE = 1 << 22
"""How many numbers are held at once."""
MOST_COMBINATIONS = 100_000
"""How many combinations of private categories are tried."""
SLACK = 1e-9
"""What a solver may be off by, in numbers of the size of 1."""
SOLVED, INFEASIBLE = 0, 2
"""How a solver ends."""


def cells_reached(clusters: Clusters, known: Floats) -> Bools:
    """Tell which cells each kind of people can be in; `known` are their squared distances in public attributes.

    As a function of an unknown number, the squared distance from a center is a square that is the same for all centers,
    plus a line. So with one unknown number, a cell is reached if its line is lowest somewhere (Friedman et al. 2008,
    Sect. 4.2); with several, if some inequalities have a solution. Unknown categories are tried one by one.
    """
    numbers, words = clusters.hidden
    offsets = _of_categories(words)
    reached = np.zeros(known.shape, bool)
    step = max(AT_ONCE // max(known.shape[1], 1), 1)
    for begin in range(0, len(known), step):
        # `found` is a view: to mark it is to mark `reached`.
        here, found = known[begin : begin + step], reached[begin : begin + step]
        for offset in np.zeros((1, len(clusters))) if offsets is None else offsets:
            if len(numbers) > 1:
                _mark_feasible(here + offset, numbers, found)
            elif numbers:
                _mark_lowest(here, offset, *numbers[0], found)
            else:
                found[np.arange(len(here)), (here + offset).argmin(axis=1)] = True
    return reached


def _of_categories(axes: Sequence[tuple[WordAxis, Floats]]) -> Floats | None:
    """Return what each combination of unknown categories adds to the squared distances; None if there are none."""
    if not axes:
        return None
    # As a float, so that no product of whole numbers wraps around.
    combinations = int(np.prod([len(axis.values) for axis, _ in axes], dtype=np.float64))
    if combinations > MOST_COMBINATIONS:
        raise DataError(
            f"the private categories have {combinations:,} combinations, too many to try: make some of them public, or "
            "cluster without them"
        )
    parts = [category_squares(centers, axis.scale) for axis, centers in axes]
    return np.array([sum(choice) for choice in product(*parts)])


def _mark_lowest(known: Floats, offset: Floats, axis: NumberAxis, centers: Floats, reached: Bools) -> None:
    """Mark the cells that people with one unknown number reach."""
    from kspan.kernels.envelope import mark_lowest  # loading compiled code takes a moment

    slopes, squares = _lines(axis, centers)
    low, high = _range(axis)
    mark_lowest(np.ascontiguousarray(known), offset + squares, slopes, low, high, reached)


def _lines(axis: NumberAxis, centers: Floats) -> tuple[Floats, Floats]:
    """Return the slope and the height at 0 of each center's line: its squared distance without the common square."""
    return -2 * centers / axis.scale**2, (centers / axis.scale) ** 2


def _range(axis: NumberAxis) -> tuple[float, float]:
    """The lowest and the highest number that a person may have; infinite if no range is declared."""
    attribute = axis.attribute
    if attribute.low is None or attribute.high is None:
        return -np.inf, np.inf
    return attribute.low, attribute.high


def _mark_feasible(known: Floats, numbers: Sequence[tuple[NumberAxis, Floats]], reached: Bools) -> None:
    """Mark the cells that people with several unknown numbers reach."""
    slopes = np.array([_lines(axis, centers)[0] for axis, centers in numbers])
    heights = known + sum(_lines(axis, centers)[1] for axis, centers in numbers)
    low, high = np.array([_range(axis) for axis, _ in numbers]).T
    # Points and bounds decide most cells, so that few programs are left to solve.
    _mark_at_points(heights, slopes, _points(numbers, low, high), reached)
    for cell in range(slopes.shape[1]):
        # Where the cell is farther than another one even at best, nobody is in it.
        beyond = _lowest_difference(slopes[:, cell, None] - slopes, low, high)
        possible = ((heights[:, cell, None] - heights + beyond) <= SLACK).all(axis=1)
        for kind in np.flatnonzero(possible & ~reached[:, cell]).tolist():
            reached[kind, cell] = _is_feasible(
                heights[kind] - heights[kind, cell], slopes - slopes[:, cell, None], cell, low, high
            )


def _points(numbers: Sequence[tuple[NumberAxis, Floats]], low: Floats, high: Floats) -> Floats:
    """Return points that cells are likely to have: the centers, and the corners of the ranges of numbers."""
    centers = np.clip(np.array([own for _, own in numbers]), low[:, None], high[:, None]).T
    corners = np.array(list(product(*[sorted({a, b}) for a, b in zip(low, high, strict=True)])))
    return np.vstack([centers, corners[np.isfinite(corners).all(axis=1)]])


def _mark_at_points(heights: Floats, slopes: Floats, points: Floats, reached: Bools) -> None:
    """Mark the cells that have some point, unless another cell before them is as near but for rounding."""
    each = np.arange(len(heights))
    before = np.arange(heights.shape[1])
    for point in points:
        sums = heights + point @ slopes
        nearest = sums.argmin(axis=1)
        slack = SLACK * np.maximum(np.abs(sums).max(axis=1), 1e-300)
        lead = sums - sums[each, nearest][:, None]
        is_clear = ((lead > slack[:, None]) | (before >= nearest[:, None])).all(axis=1)
        reached[each[is_clear], nearest[is_clear]] = True


def _lowest_difference(slopes: Floats, low: Floats, high: Floats) -> Floats:
    """Return the least that each sum of lines through 0 can be within the ranges of the numbers."""
    with np.errstate(invalid="ignore"):
        # 0 times infinity is not a number, but it is never chosen.
        ends = np.where(slopes > 0, slopes * low[:, None], np.where(slopes < 0, slopes * high[:, None], 0.0))
    least: Floats = ends.sum(axis=0)
    return least


def _is_feasible(heights: Floats, slopes: Floats, cell: int, low: Floats, high: Floats) -> bool:
    """Is there a point within the ranges that belongs to a cell: nearer than to all before it, as near as to others?

    `heights` and `slopes` are sums of lines, how much farther each center is than the cell's own. A tie goes to the
    first center, so a cell that only ties with one before it is not reached. The largest lead over those before it is
    found, and must be more than what a solver may be off by.
    """
    bounds = [(None if a == -np.inf else a, None if b == np.inf else b) for a, b in zip(low, high, strict=True)]
    others = np.arange(len(heights)) != cell
    leads = (np.arange(len(heights)) < cell).astype(np.float64)[others]
    if not leads.any():
        leads = np.ones_like(leads)  # the first of all wins every tie: any lead will do, even none
    scale = max(float(np.abs(heights).max(initial=0.0)), float(np.abs(slopes).max(initial=0.0)), 1e-300)
    found = linprog(
        np.append(np.zeros(len(low)), -1.0),
        A_ub=np.column_stack([-slopes.T[others] / scale, leads]),
        b_ub=heights[others] / scale,
        bounds=[*bounds, (None, 1.0)],
        method="highs",
    )
    if found.status == INFEASIBLE:
        return False
    if found.status != SOLVED:
        raise DataError("whether people can be in a cluster could not be decided: bring numbers to a common scale")
    lead = float(found.x[-1])
    return lead >= -SLACK if cell == 0 else lead > SLACK
