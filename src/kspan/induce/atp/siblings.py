"""The children of a node of which some are to be merged, in the order in which ATP prefers them."""

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import chain, islice

FEW = 32
"""This many siblings are tried first, then as many again as so far, and so on: most of thousands are never tried."""

SLACK = 1e-3
"""Sums of fractions of people may be off by less."""


class Siblings:
    """The children of one node, of which one that `failed` is merged with its siblings, one after the other.

    Here three of five children fail. The first has only hits, so it is the worst; with the second or the fourth it
    would have fewer than 9 people:

    >>> family = Siblings(0, [1, 2, 3, 4, 5], [False, False, False, True, True], [1, 2, 8, 0, 9], [1, 1, 5, 0, 6])
    >>> family.failed, family.untried(9)
    (1, [3, 5])
    """

    def __init__(
        self, parent: int, sons: Sequence[int], passes: Sequence[bool], people: Sequence[float], hits: Sequence[float]
    ) -> None:
        self.parent = parent
        self.order = sorted(zip(passes, people, sons, strict=True))
        """All but the failed one: first those that fail, too (rule 2), the fewest people first (rule 3)."""
        self.place = {son: (good, size, son) for good, size, son in self.order}
        known = zip(sons, passes, people, hits, strict=True)
        self.worst = [(-hit / size, son) for son, good, size, hit in known if not good]
        heapq.heapify(self.worst)
        self.turn_to_the_worst()

    def turn_to_the_worst(self) -> None:
        """Take out the failed child with the highest share of hits, which is protected worst."""
        self.failed, self.people, self.tried, self.has_tried_all = -1, 0.0, 0, False
        while self.worst and self.failed < 0:
            _, son = heapq.heappop(self.worst)
            # Children that were merged into others are still in the heap.
            if son in self.place:
                self.failed, self.people = son, self.remove(son)

    def remove(self, son: int) -> float:
        """Take out a child, and return how many people it has."""
        place = self.place.pop(son)
        del self.order[bisect_left(self.order, place)]
        return place[1]

    def untried(self, k: int) -> list[int]:
        """The next siblings to try, the preferred first, without those with which the failed child stays below k."""
        more = max(FEW, self.tried)
        some = [self.order[place][-1] for place in islice(self.enough(k), self.tried, self.tried + more)]
        self.tried, self.has_tried_all = self.tried + len(some), len(some) < more
        return some

    def enough(self, k: int) -> Iterator[int]:
        """The places of siblings that may bring the failed child to k people."""
        # Siblings that fail, and those that pass, are each in order of their people: only a beginning is too small.
        least = k - self.people - SLACK
        passing = bisect_left(self.order, (True,))
        return chain(
            range(bisect_left(self.order, (False, least)), passing),
            range(bisect_left(self.order, (True, least)), len(self.order)),
        )

    def take_in(self, sibling: int, people: float, good: bool) -> None:
        """Let the failed child take in a sibling and have `people` then; if it is `good`, turn to the next failed."""
        self.remove(sibling)
        self.people, self.tried, self.has_tried_all = people, 0, False
        if good:
            self.place[self.failed] = (True, people, self.failed)
            insort(self.order, self.place[self.failed])
            self.turn_to_the_worst()

    @property
    def is_settled(self) -> bool:
        """Is nothing left to merge?"""
        return self.failed < 0 or not self.order

    @property
    def left(self) -> list[int]:
        """All children that are left, in their old order."""
        return sorted(self.place) if self.failed < 0 else sorted([*self.place, self.failed])
