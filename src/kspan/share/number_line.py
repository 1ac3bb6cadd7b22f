"""The numbers that an attribute may hold, cut into cells by every bound that some tree names."""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Bools, Floats
from kspan.model.tree.model import Attribute

WHOLE = 2.0**52
"""Up to here floats tell every half."""


@dataclass(frozen=True, eq=False)
class NumberLine:
    """A finite range of numbers in cells, of which each holds the numbers above the end before it, up to its own."""

    base: float
    ends: Floats
    whole: bool
    """Are all bounds whole numbers or halves, so that people have whole numbers?"""

    @classmethod
    def of(cls, attribute: Attribute, named: Iterable[float], *, fractions: bool = False) -> "NumberLine":
        """The line of an attribute with the bounds that are named; nothing finer could be told apart by a tree.

        Where the range is open it reaches a little beyond the outermost bounds; if none is named it is the number 0.
        Whole numbers are told apart by whole bounds, unless there must be `fractions`.

        >>> NumberLine.of(Attribute("age", "public", "numeric", low=17, high=90), [27, 27.5, 38.5]).ends.tolist()
        [27.0, 38.0, 90.0]
        """
        bounds = np.unique(np.fromiter(named, np.float64))
        known = [] if attribute.low is None or attribute.high is None else [attribute.low, attribute.high]
        told = np.concatenate([bounds, known])
        whole = not fractions and bool((np.abs(told) < WHOLE).all() and (np.floor(2 * told) == 2 * told).all())
        if known and whole and np.ceil(known[0]) > np.floor(known[1]):
            whole = False
        if known:
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
        """What each cell begins after."""
        return np.append(self.base, self.ends[:-1])

    def middles(self) -> Floats:
        """The middle of each cell, or the whole number next to it, if there is one inside."""
        return middle(self.starts, self.ends, self.whole)


def middle(low: Floats, high: Floats, whole: bool) -> Floats:
    """The middles of stretches `low < x <= high`.

    >>> middle(np.array([17.0, 37.0, 37.0]), np.array([37.0, 38.0, 37.5]), True).tolist()
    [27.0, 38.0, 37.25]
    """
    found = low / 2 + high / 2
    found = np.where((found > low) & (found <= high), found, high)
    if not whole:
        return found
    near, last = np.rint(found), np.floor(high)
    return np.where(_inside(near, low, high), near, np.where(_inside(last, low, high), last, found))


def within(low: Floats, high: Floats, whole: bool, chance: Floats) -> Floats:
    """A number in each of some stretches `low < x <= high`, all equally likely; whole ones if there are any inside."""
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
    """A range around some bounds: on both sides as much more as they usually are apart."""
    lowest, highest = float(bounds[0]), float(bounds[-1])
    gap = (highest / len(bounds) - lowest / len(bounds)) * len(bounds) / max(len(bounds) - 1, 1) or 1.0
    gap = max(gap, abs(lowest) * 2**-40, abs(highest) * 2**-40)
    gap = math.ceil(gap) if whole else gap
    return max(lowest - gap, -sys.float_info.max), min(highest + gap, sys.float_info.max)
