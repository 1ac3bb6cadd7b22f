"""The numbers that an attribute may hold, cut into cells by every bound that some tree names."""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Bools, Floats
from kspan.model.tree.model import Attribute

WHOLE = 2.0**52
"""Up to here floats can hold every half."""


@dataclass(frozen=True, eq=False)
class NumberLine:
    """A finite range of numbers in cells; each holds the numbers above the end of the one before, up to its own."""

    base: float
    ends: Floats
    whole: bool
    """Are all bounds whole numbers or halves, so that people have whole numbers?"""

    @classmethod
    def of(cls, attribute: Attribute, named: Iterable[float], *, fractions: bool = False) -> "NumberLine":
        """Return the line of an attribute, cut at all bounds that trees name; no tree can tell anything finer apart.

        Where the range is open it reaches a little beyond the outermost bounds; if none is named it is the number 0.
        If all bounds are whole numbers or halves, people have whole numbers, unless there must be `fractions`.

        >>> NumberLine.of(Attribute("age", "public", "numeric", low=17, high=90), [27, 27.5, 38.5]).ends.tolist()
        [27.0, 38.0, 90.0]
        """
        bounds = np.unique(np.fromiter(named, np.float64))
        known = [] if attribute.low is None or attribute.high is None else [attribute.low, attribute.high]
        told = np.concatenate([bounds, known])
        whole = not fractions and bool((np.abs(told) < WHOLE).all() and (np.floor(2 * told) == 2 * told).all())
        # Whole bounds do not help where the range itself holds no whole number.
        if known and whole and np.ceil(known[0]) > np.floor(known[1]):
            whole = False
        if known:
            # Cells do not hold their lower end, so the line begins just below the lowest number.
            base, top = math.nextafter(known[0], -math.inf), known[1]
        elif not len(bounds):
            return cls(math.nextafter(0.0, -math.inf), np.zeros(1), True)
        else:
            base, top = _widened(bounds, whole)
        if whole:
            bounds, top = np.unique(np.floor(bounds)), math.floor(top)
        inside = bounds[(bounds > base) & (bounds < top)]
        return cls(base, np.append(inside, float(top)), whole)

    @property
    def starts(self) -> Floats:
        """The number after which each cell begins."""
        return np.append(self.base, self.ends[:-1])

    def middles(self) -> Floats:
        """Return the middle of each cell, or, on a line of whole numbers, the nearest one inside, if there is any."""
        return middle(self.starts, self.ends, self.whole)


def middle(low: Floats, high: Floats, whole: bool) -> Floats:
    """Return the middle of each stretch `low < x <= high`; if `whole`, a whole number near it, if one lies inside.

    >>> middle(np.array([17.0, 37.0, 37.0]), np.array([37.0, 38.0, 37.5]), True).tolist()
    [27.0, 38.0, 37.25]
    """
    # Halved first, since the sum may overflow; between neighboring floats the middle may be the lower end.
    found = low / 2 + high / 2
    found = np.where((found > low) & (found <= high), found, high)
    if not whole:
        return found
    near, last = np.rint(found), np.floor(high)
    return np.where(_inside(near, low, high), near, np.where(_inside(last, low, high), last, found))


def within(low: Floats, high: Floats, whole: bool, chance: Floats) -> Floats:
    """Draw a number from each stretch `low < x <= high`, all equally likely; if `whole`, whole numbers if any."""
    # A chance is below 1, so the lower end is never drawn, unless by rounding.
    found = high - chance * (high - low)
    found = np.where(_inside(found, low, high), found, high)
    if not whole:
        return found
    first, last = np.floor(low) + 1, np.floor(high)
    drawn = np.minimum(first + np.floor(chance * (last - first + 1)), last)
    return np.where(first <= last, drawn, found)


def _inside(numbers: Floats, low: Floats, high: Floats) -> Bools:
    return (numbers > low) & (numbers <= high)


def _widened(bounds: Floats, whole: bool) -> tuple[float, float]:
    """Return a range around some bounds, wider on both sides by the average distance between bounds."""
    lowest, highest = float(bounds[0]), float(bounds[-1])
    gap = (highest / len(bounds) - lowest / len(bounds)) * len(bounds) / max(len(bounds) - 1, 1) or 1.0
    # A smaller gap could vanish when it is added to large bounds.
    gap = max(gap, abs(lowest) * 2**-40, abs(highest) * 2**-40)
    gap = math.ceil(gap) if whole else gap
    return max(lowest - gap, -sys.float_info.max), min(highest + gap, sys.float_info.max)
