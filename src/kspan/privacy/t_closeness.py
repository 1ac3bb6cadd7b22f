"""Groups whose private values are spread like those of everybody (Li, Li, Venkatasubramanian 2007)."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from kspan.data.arrays import Bools, Floats
from kspan.data.groups import Counts
from kspan.errors import check_number
from kspan.privacy.requirement import SLACK, OnPrivate

CHUNK = 1 << 22
"""How many cells of a dense table of groups by values are held at once."""


@dataclass(frozen=True)
class TCloseness(OnPrivate):
    """The earth mover's distance between a group's private values and everybody's is at most t.

    Numbers are as far apart as their ranks (a missing number ranks last), categories as the height of their lowest
    common name in the hierarchy, or all equally far without one. The salaries of the paper, 3k to 11k:

    >>> nine = np.eye(9, dtype=int)
    >>> groups = Counts.of([nine[0:3].sum(0), nine[3] + nine[5] + nine[8], nine[4] + nine[6:8].sum(0)], ordered=True)
    >>> TCloseness(0.2).level(groups).round(3).tolist()
    [0.375, 0.167, 0.236]
    """

    key: ClassVar[str] = "t"
    beside_everybody: ClassVar[bool] = True

    t: float

    def check_parameters(self) -> None:
        """Refuse a t that is no distance from 0 to 1."""
        check_number(self.key, self.t, low=0, high=1)

    def level(self, counts: Counts) -> Floats:
        """The distance of each group."""
        if counts.ordered:
            return _ordered_distance(counts)
        return _hierarchical_distance(counts) if counts.levels else _equal_distance(counts)

    def admits(self, level: Floats) -> Bools:
        """Levels of at most t are good enough."""
        return level <= self.t + SLACK

    def promise(self, what: str) -> str:
        """What it means for people."""
        return f"In every crowd {what} spreads as among everybody, up to a distance of {self.t:g}."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With t = 1 any distance will do."""
        return cls(1.0)


def _equal_distance(counts: Counts) -> Floats:
    """The distance where all values are equally far apart: the sum of what a group has too much of."""
    share = counts.people / counts.sizes[counts.group]
    overall = counts.whole[counts.value] / counts.whole.sum()
    return counts.sum(np.maximum(share - overall, 0.0))


def _ordered_distance(counts: Counts) -> Floats:
    """The distance of ordered values, the sum of what crosses each step of the order: sum |F(i) - G(i)| / (m - 1).

    Between two neighboring values of a group, its cumulative share F is constant while that of everybody, G, rises. So
    each such run of steps is summed at once, from prefix sums of G on both sides of the step where G passes F.
    """
    steps = len(counts.whole) - 1
    if steps < 1:
        return np.zeros(len(counts.start) - 1)
    overall = np.cumsum(counts.whole) / counts.whole.sum()
    area = np.concatenate([[0.0], np.cumsum(overall)])
    first, last = counts.start[:-1], counts.start[1:] - 1

    reached = np.cumsum(counts.people)
    before = np.concatenate([[0], reached])[first]
    height = (reached - before[counts.group]) / counts.sizes[counts.group]
    begin, end = counts.value, np.append(counts.value[1:], steps)
    end[last] = steps  # not beyond: at the very last value both shares are 1
    middle = np.clip(np.searchsorted(overall, height), begin, end)
    runs = height * (2 * middle - begin - end) - 2 * area[middle] + area[begin] + area[end]
    # Before the first value of a group F is 0, and the area below G is all that counts.
    distance: Floats = (counts.sum(runs) + area[counts.value[first]]) / steps
    return distance


def _hierarchical_distance(counts: Counts) -> Floats:
    """The distance in a hierarchy: for every name, what its children exchange, weighted by the height of the name."""
    groups, width, height = len(counts.start) - 1, len(counts.whole), len(counts.levels)
    overall = counts.whole / counts.whole.sum()
    distance = np.empty(groups)
    chunk = max(1, CHUNK // width)
    for begin in range(0, groups, chunk):
        end = min(begin + chunk, groups)
        entries = slice(counts.start[begin], counts.start[end])
        rows = counts.group[entries] - begin
        surplus = np.tile(-overall, (end - begin, 1))
        surplus[rows, counts.value[entries]] += counts.people[entries] / counts.sizes[begin:end][rows]
        distance[begin:end] = _exchanged(surplus, counts.levels) / height
    return distance


def _exchanged(surplus: Floats, levels: tuple[np.ndarray, ...]) -> Floats:
    """What the children of all names exchange in each group (row), weighted by height; `surplus` is by value."""
    total = np.zeros(len(surplus))
    code = np.arange(surplus.shape[1])
    for height, names in enumerate(levels, start=1):
        parent = np.empty(surplus.shape[1], np.int64)
        parent[code] = names  # both are by value: together they map each name below to its name here
        members = np.eye(names.max() + 1)[parent]
        total += height * np.minimum(np.maximum(surplus, 0) @ members, np.maximum(-surplus, 0) @ members).sum(axis=1)
        surplus, code = surplus @ members, names
    return total
