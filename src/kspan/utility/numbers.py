"""What it cost to show numbers coarser: how far from what people have they are, and how many are still rare."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import Between
from kspan.data.coarse import plain_values
from kspan.data.meaning import meanings
from kspan.data.table import Column


@dataclass(frozen=True)
class NumbersLost:
    """What the numbers of one column lost; every figure but `rare` is of the people behind a table."""

    people: int
    """How many have a number."""
    changed: float
    """The share of them who show another one, or a range."""
    mean_change: float | None
    """How far the number that is shown is from theirs, on average; None of ranges."""
    of_spread: float | None
    """The same, or the mean width, over the standard deviation of their numbers; None if they are all equal."""
    mean_width: float | None
    """How wide ranges with two ends are on average; None of numbers, and if no range has two."""
    endless: float | None
    """The share of people who show a range that has no end on one side; None of numbers."""
    rare: int
    """How many show what fewer people of the table than a crowd show."""

    def told(self) -> dict[str, Any]:
        """The figures by name, without those that do not apply."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def numbers_lost(before: Column, after: Column, weights: Int64s, crowd: int) -> NumbersLost | None:
    """Compare numbers with what is shown of them, row by row; None if nobody has any."""
    has: Bools = before.codes < len(before.values)
    if not has.any():
        return None
    people, codes = weights[has], after.codes[has].astype(np.int64)
    had = plain_values(before).astype(np.float64)[before.codes[has]]
    number = int(people.sum())
    spread = math.sqrt(float(np.average((had - np.average(had, weights=people)) ** 2, weights=people)))
    shown_by: Int64s = np.bincount(codes, people).astype(np.int64)
    rare = int(shown_by[shown_by < crowd].sum())
    if after.is_measured:
        away = np.abs(plain_values(after).astype(np.float64)[codes] - had)
        change = float(np.average(away, weights=people))
        changed = float(people[away > 0].sum() / number)
        return NumbersLost(number, changed, change, change / spread if spread else None, None, None, rare)
    widths = _widths(after)[codes]
    two = np.isfinite(widths)
    width = float(np.average(widths[two], weights=people[two])) if two.any() else None
    endless = float(people[~two].sum() / number)
    of_spread = None if width is None or not spread else width / spread
    return NumbersLost(number, 1.0, None, of_spread, width, endless, rare)


def _widths(column: Column) -> Floats:
    """How wide the cell of each code is; infinite without an end, and 0 of a number."""
    cells = meanings(column).cells
    return np.array([one.high - one.low if isinstance(one, Between) else 0.0 for one in cells], np.float64)
