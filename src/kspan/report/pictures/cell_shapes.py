"""The cells of centers in the plane, as polygons."""

import numpy as np

from kspan.data.arrays import Floats

Polygon = tuple[tuple[float, float], ...]
SLACK = 1e-12


def cell_shapes(centers: Floats, offsets: Floats, low: Floats, high: Floats) -> tuple[Polygon, ...]:
    """Return for each center the part of a rectangle that is nearest to it; empty if there is none.

    `offsets` are added to the squared distances: how far each center is away in attributes that the plane does not
    show. `low` and `high` are opposite corners of the rectangle.

    >>> cell_shapes(np.array([[1.0, 1.0], [3.0, 1.0]]), np.zeros(2), np.zeros(2), np.array([4.0, 2.0]))[0]
    ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))
    """
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    # A point x is nearer to a than to b if 2(b - a)·x <= |b|² - |a|², offsets included: that is a half-plane.
    constant = (centers**2).sum(axis=1) + offsets
    return tuple(
        _cell(corners, 2 * (centers - center), constant - own) for center, own in zip(centers, constant, strict=True)
    )


def _cell(corners: Floats, slopes: Floats, levels: Floats) -> Polygon:
    """Return the part of a polygon where `slope · point` is not above the level, for every slope and its level."""
    slack = SLACK * max(1.0, float(np.abs(levels).max()))
    # Each round cuts by one half-plane; the bound keeps rounding errors from cutting for ever.
    for _ in range(len(slopes) + 1):
        beyond = corners @ slopes.T - levels
        worst = int(beyond.max(axis=0).argmax())
        if beyond[:, worst].max() <= slack:
            break
        corners = _cut(corners, beyond[:, worst])
        if len(corners) < 3:
            return ()
    return tuple((float(x), float(y)) for x, y in corners)


def _cut(corners: Floats, beyond: Floats) -> Floats:
    """Return the part of a convex polygon where a linear function, given at the corners, is not above zero."""
    kept = list[Floats]()
    for place in range(len(corners)):
        here, after = beyond[place - 1], beyond[place]
        if (here > 0) != (after > 0):
            kept.append(corners[place - 1] + here / (here - after) * (corners[place] - corners[place - 1]))
        if after <= 0:
            kept.append(corners[place])
    return np.array(kept).reshape(-1, 2)
