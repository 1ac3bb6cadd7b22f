"""What may be told of the numbers of people: means as they are, but medians and other quantiles only as round numbers.

A quantile is the number of one of the people. So it is told exactly only if a crowd of the table has that very number;
otherwise its end of the finest cell of round numbers in which a crowd of the table has numbers is told.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats, Int64s
from kspan.data.grid import grids
from kspan.data.kinds.kind import Kind
from kspan.data.kinds.numbers import NUMBERS
from kspan.model.outcome import NumberDisclosure, Numbers

MIDDLE, CENTRAL = 0.5, (0.1, 0.9)
"""The shares of people at the median, and below the two ends of an interval."""
SMALLEST_CROWD = 2
"""So many people share a number that may be told, even if no k is required."""
CRUMB = 1e-9
"""Shares that differ by less are equal up to rounding."""


class Rounding:
    """Finds the round numbers around the numbers of a table.

    >>> ages = Rounding([21, 24, 26, 38, 39, 39, 57], crowd=2)
    >>> ages.cell(39), ages.cell(21), ages.cell(57)
    ((39.0, 39.0), (20.0, 25.0), (0.0, 100.0))
    """

    def __init__(
        self,
        values: Sequence[float] | NDArray[Any],
        crowd: int,
        *,
        people: Sequence[int] | Int64s | None = None,
        kind: Kind = NUMBERS,
    ) -> None:
        """Take the numbers of everybody in the table; `people` says how many have each, one if it is not given."""
        every = np.asarray(values)
        self.values, place = np.unique(every, return_inverse=True)
        self.people: Int64s = np.bincount(place, people, len(self.values)).astype(np.int64)
        self.crowd = max(crowd, SMALLEST_CROWD)
        self._before = np.append(0, np.cumsum(self.people))
        self._grids = list(grids(kind, self.values))
        self._found: dict[float, tuple[float, float]] = {}

    def cell(self, value: float) -> tuple[float, float]:
        """Return the two round numbers around a number of the table: twice itself, if a crowd has it.

        If no cell has a crowd, the coarsest one is returned.
        """
        if value not in self._found:
            self._found[value] = self._cell(value)
        return self._found[value]

    def _cell(self, value: float) -> tuple[float, float]:
        place = int(np.searchsorted(self.values, value))
        if self.people[place] >= self.crowd:
            return float(value), float(value)
        exact = self.values[place : place + 1]
        for grid in self._grids:
            (low,), (high,), excluded = grid.cells(exact)
            ends = (
                np.searchsorted(self.values, low),
                np.searchsorted(self.values, high, "left" if excluded else "right"),
            )
            if self._before[ends[1]] - self._before[ends[0]] >= self.crowd:
                break
        return float(low), float(high)


def numbers_told(
    values: Floats, weights: Floats | None, rounding: Rounding, disclosure: NumberDisclosure = "mean"
) -> Numbers:
    """Return what a node may tell of the people who come to it, by their numbers and how much of each comes.

    >>> ages = np.array([21, 24, 26, 38, 39, 39, 57])
    >>> numbers_told(ages[:4], None, Rounding(ages, crowd=2), "interval")
    Numbers(people=4, mean=27.25, median=25.0, low=20.0, high=40.0, kind='interval')
    """
    parts = np.ones(len(values)) if weights is None else np.asarray(weights, np.float64)
    total = float(parts.sum())
    if not total > 0:
        return Numbers(0, None, kind=disclosure)
    mean = float(parts @ values / total)
    if disclosure == "mean":
        return Numbers(total, mean, kind=disclosure)
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(parts[order]) / total
    first, middle, last = (
        values[order[np.searchsorted(shares, share - CRUMB)]].item() for share in (CENTRAL[0], MIDDLE, CENTRAL[1])
    )
    below, above = rounding.cell(middle)
    median = float(below if middle - below <= above - middle else above)
    if disclosure == "median":
        return Numbers(total, mean, median, kind=disclosure)
    low, high = float(rounding.cell(first)[0]), float(rounding.cell(last)[1])
    # The cell of the median may be wider than those of the ends.
    return Numbers(total, mean, min(max(median, low), high), low, high, disclosure)
