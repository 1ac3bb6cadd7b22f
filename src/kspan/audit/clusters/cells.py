"""The cells of a clustering that people can be in, where some of what they are is unknown."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.optimize import linprog

from kspan.data.arrays import Bools, Floats
from kspan.errors import DataError
from kspan.model.clusters.model import Axis, Clusters, category_squares

AT_ONCE = 1 << 22
"""Numbers that are held at once."""
MOST_COMBINATIONS = 100_000
"""Of private categories."""
SLACK = 1e-9
"""A cell that is missed by so little of a distance is reached: a solver is no more exact."""


def cells_reached(clusters: Clusters, known: Floats) -> Bools:
    """Which cells each kind of people can be in, from their squared distances by public attributes.

    The squared distance from a center is a square of the unknown number that is the same for all centers, plus a line.
    So with one unknown number a cell is reached if its line is lowest somewhere (Friedman et al. 2008, Sect. 4.2), with
    several if some inequalities have a solution; unknown categories are tried one by one.
    """
    private = [
        (axis, centers)
        for axis, centers in zip(clusters.axes, clusters.by_axis, strict=True)
        if axis.attribute.role == "private"
    ]
    numbers = [(axis, centers[:, 0]) for axis, centers in private if axis.attribute.kind == "numeric"]
    offsets = _of_categories([(axis, centers) for axis, centers in private if axis.attribute.kind == "categorical"])
    reached = np.zeros(known.shape, bool)
    step = max(AT_ONCE // max(known.shape[1], 1), 1)
    for begin in range(0, len(known), step):
        here, found = known[begin : begin + step], reached[begin : begin + step]
        for offset in np.zeros((1, len(clusters))) if offsets is None else offsets:
            if len(numbers) > 1:
                _mark_feasible(here + offset, numbers, found)
            elif numbers:
                _mark_lowest(here, offset, *numbers[0], found)
            else:
                found[np.arange(len(here)), (here + offset).argmin(axis=1)] = True
    return reached


def _of_categories(axes: Sequence[tuple[Axis, Floats]]) -> Floats | None:
    """For every combination of unknown categories what it adds to the squared distance from each center."""
    if not axes:
        return None
    combinations = int(np.prod([len(axis.values) for axis, _ in axes], dtype=np.float64))
    if combinations > MOST_COMBINATIONS:
        raise DataError(
            f"the private categories have {combinations:,} combinations, too many to try: make some of them public, or "
            "cluster without them"
        )
    parts = [category_squares(centers, axis.scale) for axis, centers in axes]
    return np.array([sum(choice) for choice in product(*parts)])


def _mark_lowest(known: Floats, offset: Floats, axis: Axis, centers: Floats, reached: Bools) -> None:
    """Mark the cells that people reach whose one number is unknown."""
    from kspan.kernels.envelope import mark_lowest  # loading compiled code takes a moment

    slopes, squares = _lines(axis, centers)
    low, high = _range(axis)
    mark_lowest(np.ascontiguousarray(known), offset + squares, slopes, low, high, reached)


def _lines(axis: Axis, centers: Floats) -> tuple[Floats, Floats]:
    """The slope and the height at 0 of the distance from each center, without what is the same for all."""
    return -2 * centers / axis.scale**2, (centers / axis.scale) ** 2


def _range(axis: Axis) -> tuple[float, float]:
    """The numbers that a person may have; any, if none are declared."""
    attribute = axis.attribute
    if attribute.low is None or attribute.high is None:
        return -np.inf, np.inf
    return attribute.low, attribute.high


def _mark_feasible(known: Floats, numbers: Sequence[tuple[Axis, Floats]], reached: Bools) -> None:
    """Mark the cells that people reach whose several numbers are unknown."""
    slopes = np.array([_lines(axis, centers)[0] for axis, centers in numbers])
    heights = known + sum(_lines(axis, centers)[1] for axis, centers in numbers)
    low, high = np.array([_range(axis) for axis, _ in numbers]).T
    _mark_at_points(heights, slopes, _points(numbers, low, high), reached)
    for cell in range(slopes.shape[1]):
        beyond = _lowest_difference(slopes[:, cell, None] - slopes, low, high)
        possible = ((heights[:, cell, None] - heights + beyond) <= SLACK).all(axis=1)
        for kind in np.flatnonzero(possible & ~reached[:, cell]).tolist():
            reached[kind, cell] = _is_feasible(
                heights[kind] - heights[kind, cell], slopes - slopes[:, cell, None], low, high
            )


def _points(numbers: Sequence[tuple[Axis, Floats]], low: Floats, high: Floats) -> Floats:
    """Places where cells are likely to be: the centers, and the corners of what numbers may be."""
    centers = np.clip(np.array([own for _, own in numbers]), low[:, None], high[:, None]).T
    corners = np.array(list(product(*[sorted({a, b}) for a, b in zip(low, high, strict=True)])))
    return np.vstack([centers, corners[np.isfinite(corners).all(axis=1)]])


def _mark_at_points(heights: Floats, slopes: Floats, points: Floats, reached: Bools) -> None:
    each = np.arange(len(heights))
    for point in points:
        reached[each, (heights + point @ slopes).argmin(axis=1)] = True


def _lowest_difference(slopes: Floats, low: Floats, high: Floats) -> Floats:
    """The least that a sum of lines through 0 can be."""
    with np.errstate(invalid="ignore"):
        ends = np.where(slopes > 0, slopes * low[:, None], np.where(slopes < 0, slopes * high[:, None], 0.0))
    least: Floats = ends.sum(axis=0)
    return least


def _is_feasible(heights: Floats, slopes: Floats, low: Floats, high: Floats) -> bool:
    """Is there a place where all of these are at least 0?"""
    bounds = [(None if a == -np.inf else a, None if b == np.inf else b) for a, b in zip(low, high, strict=True)]
    found = linprog(np.zeros(len(low)), A_ub=-slopes.T, b_ub=heights + SLACK, bounds=bounds, method="highs")
    return bool(found.status == 0)
