"""Top and bottom by a share of people: the number that they show must not be that of one person.

So it is a number that a crowd has or, where there is none, a round one beyond which there are enough people.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Int64s
from kspan.data.grid import Multiples, grids
from kspan.data.kinds.numbers import NUMBERS

COARSEST, CLOSEST = 10, 1000
"""A round number may be so far from that of a person: a tenth of the way to the number at the other end, and at least a
thousandth of the number; a tenth of it if nobody has less."""


def top_of(values: NDArray[Any], people: Int64s, share: float, crowd: int) -> float:
    """Return the top that a share of people, and at least a crowd, have or exceed; there must be a crowd.

    `values` are in ascending order, and `people` says whose highest number each is.

    >>> top_of(np.arange(1, 101), np.ones(100, np.int64), 0.05, 3)
    95
    >>> top_of(np.array([1, 2, 3, 814, 937, 1041]), np.ones(6, np.int64), 0.1, 3)
    800
    """
    least = max(crowd, math.ceil(share * int(people.sum())))
    at = int(np.flatnonzero(np.cumsum(people[::-1])[::-1] >= least)[-1])
    if people[at] >= crowd:
        return _plain(values[at])
    number = float(values[at])
    way = max((number - float(values[0])) / COARSEST, abs(number) / (CLOSEST if at else COARSEST))
    chosen: Any = None
    for grid in grids(NUMBERS, values[: at + 1]):
        low, high, _ = grid.cells(values)
        if chosen is not None and float(high[at]) - float(low[at]) > way:
            break
        chosen = low[at]
        here = low == chosen
        if people[here].sum() >= crowd and here.sum() > 1:
            break
    return _plain(chosen)


def _plain(number: Any) -> float:
    return number.item() if isinstance(number, np.generic) else number  # type: ignore[no-any-return]


def rounded_top(top: float, step: float) -> float:
    """Return a top that what is rounded to multiples of a step can show, not above the one that was found.

    >>> rounded_top(8450, 1000), rounded_top(0.37, 0.1)
    (8000, 0.3)
    """
    whole = float(top).is_integer() and float(step).is_integer()
    low, _, _ = Multiples(int(step) if whole else float(step)).cells(np.array([int(top) if whole else float(top)]))
    return _plain(low[0])


def rounded_bottom(bottom: float, step: float) -> float:
    """Return the same of a bottom, not below the one that was found.

    >>> rounded_bottom(450, 1000)
    1000
    """
    return -rounded_top(-bottom, step)


def bottom_of(values: NDArray[Any], people: Int64s, share: float, crowd: int) -> float:
    """Return the bottom that a share of people, and at least a crowd, have or fall below.

    >>> bottom_of(np.arange(1, 101), np.ones(100, np.int64), 0.05, 3)
    5
    """
    return -top_of(-values[::-1], people[::-1], share, crowd)
