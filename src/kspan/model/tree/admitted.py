"""What can reach a node, and whether its edges divide exactly that."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kspan.model.checks import Place
from kspan.model.tree.model import Attribute, Region

Stretch = tuple[float, float]
"""Numbers low < x <= high."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """What of one attribute can still reach a node: values, or disjoint stretches in ascending order, or missing."""

    values: frozenset[str] = frozenset()
    stretches: tuple[Stretch, ...] = ()
    missing: bool = False

    @classmethod
    def all_of(cls, attribute: Attribute) -> "Admitted":
        """Everything in the domain of an attribute, as at the root."""
        if not attribute.is_measured:
            return cls(frozenset(attribute.values), (), attribute.has_missing)
        if attribute.low is None or attribute.high is None:
            return cls(frozenset(), ((-math.inf, math.inf),), attribute.has_missing)
        # The lowest number of the domain belongs to it, so the stretch begins just below.
        return cls(frozenset(), ((math.nextafter(attribute.low, -math.inf), attribute.high),), attribute.has_missing)

    def through(self, region: Region) -> "Admitted":
        """Return what an edge with this region lets through."""
        stretches = _overlap(self.stretches, sorted(map(_stretch, region.intervals)))
        return Admitted(self.values & region.values, stretches, self.missing and region.missing)

    def __bool__(self) -> bool:
        return bool(self.values or self.stretches or self.missing)


def check_disjoint(place: Place, regions: Sequence[Region]) -> None:
    """Refuse edges if two of them admit the same value; only a missing value may go down all of them."""
    stretches = sorted(_stretch(interval) for region in regions for interval in region.intervals)
    # In ascending order, comparing neighbors is enough.
    overlapping = any(high > low for (_, high), (low, _) in pairwise(stretches))
    several = sum(len(region.values) for region in regions) > len(frozenset().union(*(one.values for one in regions)))
    if overlapping or several:
        place.refuse("two of its edges or intervals admit the same value")
    if sum(region.missing for region in regions) not in (0, 1, len(regions)):
        place.refuse("'missing' must be on none of its edges, on one of them, or on all")


def check_cover(place: Place, admitted: Admitted, regions: Sequence[Region]) -> None:
    """Refuse edges that leave out something that can reach their node; they must be disjoint."""
    if admitted.missing and not any(region.missing for region in regions):
        place.refuse("the value can be missing here, but no edge admits that")
    # Edges that touch cover a stretch that crosses their border, so they are joined first.
    stretches = _merged(sorted(_stretch(interval) for region in regions for interval in region.intervals))
    values = frozenset[str]().union(*(region.values for region in regions))
    if not admitted.values <= values or _overlap(admitted.stretches, stretches) != admitted.stretches:
        place.refuse("its edges do not cover every value that can come here")


def _stretch(interval: tuple[float | None, float | None]) -> Stretch:
    low, high = interval
    return -math.inf if low is None else low, math.inf if high is None else high


def _merged(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Join stretches that touch; they must be disjoint and in ascending order.

    >>> _merged([(0, 1), (1, 2), (3, 4)])
    [(0, 2), (3, 4)]
    """
    merged: list[Stretch] = []
    for low, high in stretches:
        if merged and merged[-1][1] == low:
            merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    return merged


def _overlap(some: Sequence[Stretch], others: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Return what two lists of stretches have in common, each disjoint and in ascending order.

    >>> _overlap([(0, 10)], [(-5, 2), (3, 4), (8, 20)])
    ((0, 2), (3, 4), (8, 10))
    """
    common, first, second = list[Stretch](), 0, 0
    while first < len(some) and second < len(others):
        low, high = max(some[first][0], others[second][0]), min(some[first][1], others[second][1])
        if low < high:
            common.append((low, high))
        # The stretch that ends first meets nothing further on.
        if some[first][1] < others[second][1]:
            first += 1
        else:
            second += 1
    return tuple(common)
