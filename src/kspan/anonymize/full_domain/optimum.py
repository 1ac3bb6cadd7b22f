"""The vector of levels with the smallest loss: a search that tags what it need not look at.

Each vector that is looked at says something of all finer and of all coarser ones: those finer than a hopeless one are
hopeless (Samarati 2001), and prices bound each other (see `price`). A vector is open as long as the lower bound of its
loss is below the best loss found; the optimum is proved when none is open. As in Flash (Kohlmayer et al. 2012) the
next vectors are found by halving a path of open ones that leads upwards from the most promising.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kspan.anonymize.full_domain.lattice import FrequencySet, Lattice, Vector
from kspan.anonymize.full_domain.price import Price, Pricing
from kspan.data.arrays import Bools, Floats

MOST_TAGGED = 1 << 22
"""Larger lattices are not tagged vector by vector: they are searched from the top down, and often not to the end."""

MOST_AXES = 32
"""The most attributes for which an array has axes."""

MOST_CHECKED = 5000
"""The most vectors of such a larger lattice that are looked at."""

TOLD = 100
"""Progress is told each time this many more vectors have been looked at."""

Progress = Callable[[str], None]


@dataclass(frozen=True, repr=False)
class Checked:
    """One vector that was looked at."""

    groups: FrequencySet
    kept: Bools
    works: bool
    """Does it withhold no more people than it may, and not everybody?"""
    hopeless: bool
    """Is it certain that neither this vector nor any finer one works?"""
    price: Price


@dataclass
class BestVector:
    """The best vector so far."""

    progress: Progress | None = None
    best: Checked | None = None
    checked: int = 0
    proved: bool = False

    @property
    def loss(self) -> float:
        """The smallest loss."""
        return np.inf if self.best is None else self.best.price.loss

    def see(self, one: Checked) -> None:
        """Note one more vector."""
        if one.works and one.price.loss < self.loss:
            self.best = one
        self.count()

    def count(self) -> None:
        """Count one more vector, and tell the progress now and then."""
        self.checked += 1
        if self.progress is not None and self.checked % TOLD == 0:
            self.progress(f"{self.checked} vectors of levels looked at")


class Checker:
    """What is asked of a vector: does it work, what does it cost, and what follows for others?"""

    def __init__(self, lattice: Lattice, prices: Pricing, allowance: int) -> None:
        self.lattice, self.prices, self.allowance = lattice, prices, allowance
        crowds = lattice.crowds
        self.fails_downwards = crowds.policy.require.monotone and allowance == 0
        """If nobody may be withheld, a group that breaks a monotone requirement has a part that does."""

    def works(self, vector: Vector) -> bool:
        """Does a vector withhold no more people than it may, and not everybody?"""
        groups = self.lattice.frequency_set(vector)
        small = groups.people < self.lattice.crowds.k
        return not self._loses_too_many(groups, small) and self._is_enough(groups, self.lattice.holding(groups))

    def check(self, vector: Vector) -> Checked:
        """Look at a vector."""
        groups = self.lattice.frequency_set(vector)
        small = groups.people < self.lattice.crowds.k
        if self._loses_too_many(groups, small):
            # The price of a hopeless vector is never used.
            return Checked(groups, ~small, False, True, Price(np.inf, -np.inf, np.inf))
        kept = self.lattice.holding(groups)
        works = self._is_enough(groups, kept)
        hopeless = not works and self.fails_downwards
        return Checked(groups, kept, works, hopeless, self.prices.price(groups, kept, small))

    def _loses_too_many(self, groups: FrequencySet, small: Bools) -> bool:
        """Are more people than may be withheld in groups of fewer than k? They are so in all finer vectors too."""
        lost = int(groups.people[small].sum())
        return lost > self.allowance or lost == self.lattice.people

    def _is_enough(self, groups: FrequencySet, kept: Bools) -> bool:
        return int(groups.people[~kept].sum()) <= self.allowance and bool(kept.any())


class Tags:
    """A lower bound of the loss of every vector from some lowest levels on; infinite once the vector is closed.

    A vector goes by its place in the flat order of arrays that have an axis for each attribute.
    """

    def __init__(self, checker: Checker, floor: Vector) -> None:
        self.floor = floor
        self.base = checker.prices.bases(floor)
        self.extra, self.bound = np.zeros_like(self.base), self.base.copy()
        self.shape = self.bound.shape
        self.strides = [stride // self.bound.itemsize for stride in self.bound.strides]
        self._flat = self.bound.reshape(-1)  # a view, which changes with it

    def most_promising(self, loss: float) -> int | None:
        """The open vector with the lowest bound, the first of them in lexicographic order."""
        place = int(self._flat.argmin())
        return place if self._flat[place] < loss else None

    def is_open(self, place: int, loss: float) -> bool:
        """May it be better than what was found?"""
        return bool(self._flat[place] < loss)

    def path(self, start: int, loss: float) -> list[int]:
        """Open vectors from one upwards, each a level coarser in one attribute: always the most promising step."""
        path, index = [start], [int(at) for at in np.unravel_index(start, self.shape)]
        while True:
            best, step = loss, -1
            for attribute, at in enumerate(index):
                if at + 1 < self.shape[attribute]:
                    bound = self._flat[path[-1] + self.strides[attribute]]
                    if bound < best:
                        best, step = bound, attribute
            if step < 0:
                return path
            index[step] += 1
            path.append(path[-1] + self.strides[step])

    def vector(self, place: int) -> Vector:
        """The vector at a place."""
        return tuple(int(at) + low for at, low in zip(np.unravel_index(place, self.shape), self.floor, strict=True))

    def learn(self, one: Checked) -> None:
        """Close a vector, and raise the bounds of all finer and all coarser ones."""
        index = tuple(level - low for level, low in zip(one.groups.vector, self.floor, strict=True))
        price = one.price
        finer, coarser = tuple(slice(0, at + 1) for at in index), tuple(slice(at, None) for at in index)
        if one.hopeless:
            self.bound[finer] = np.inf
        else:
            # What raises nothing here raises nothing beyond, because the arrays are monotone.
            if price.extra > self.extra[index] or price.finer > -np.inf:
                _raise(self.extra[finer], price.extra)
                _raise(self.bound[finer], np.maximum(self.base[finer] + self.extra[finer], price.finer))
            if price.base > self.base[index] or price.coarser > -np.inf:
                _raise(self.base[coarser], price.base)
                _raise(self.bound[coarser], np.maximum(self.base[coarser] + self.extra[coarser], price.coarser))
        self.bound[index] = np.inf

    def close(self, which: Bools) -> None:
        """Close all these vectors."""
        self.bound[which] = np.inf


def _raise(numbers: Floats, least: Floats | float) -> None:
    np.maximum(numbers, least, out=numbers)


def optimum(checker: Checker, progress: Progress | None = None) -> BestVector:
    """The vector that works and has the smallest loss, proved to be so unless the lattice is too large."""
    found = BestVector(progress)
    alone = _attributes_alone(checker, found)
    lowest = tuple(min(levels) for levels in zip(*(one.groups.vector for one in alone), strict=True))
    heights = [high - low + 1 for low, high in zip(lowest, checker.lattice.top, strict=True)]
    if math.prod(heights) > MOST_TAGGED or len(heights) > MOST_AXES:
        _descend(checker, alone, found)
    else:
        tags = Tags(checker, lowest)
        for one in alone:
            tags.learn(one)
        search_open(checker, tags, found)
    return found


def search_open(checker: Checker, tags: Tags, found: BestVector) -> None:
    """Look at open vectors until there is none."""
    while (start := tags.most_promising(found.loss)) is not None:
        # Vectors that are passed over when the path is halved are found again later, if they are still open.
        path = tags.path(start, found.loss)
        while path:
            middle = len(path) // 2
            if tags.is_open(path[middle], found.loss):
                one = checker.check(tags.vector(path[middle]))
                found.see(one)
                tags.learn(one)
            finer, coarser = path[:middle], path[middle + 1 :]
            path = finer if any(tags.is_open(place, found.loss) for place in finer) else coarser
    found.proved = True


def _attributes_alone(checker: Checker, found: BestVector) -> list[Checked]:
    """The top, and for each attribute the lowest level that is not hopeless with all others at `*`.

    This is the first round of Incognito: lower levels need no look in any vector.
    """
    top = checker.lattice.top
    alone = [checker.check(top)]
    found.see(alone[0])
    for attribute, height in enumerate(top):
        for level in range(height):
            one = checker.check((*top[:attribute], level, *top[attribute + 1 :]))
            found.see(one)
            if not one.hopeless:
                alone.append(one)
                break
    return alone


def _descend(checker: Checker, known: Sequence[Checked], found: BestVector) -> None:
    """Search from the top down: look at the finer neighbors of the best vector whose neighbors are not yet known.

    No vector above one that is not hopeless is hopeless, so that all of these are seen if there is time.
    """
    queue = [(one.price.loss, one.groups.vector) for one in known]
    heapq.heapify(queue)
    seen = {vector for _, vector in queue}
    while queue and found.checked < MOST_CHECKED:
        _, vector = heapq.heappop(queue)
        for finer in _finer(vector):
            if finer in seen:
                continue
            seen.add(finer)
            one = checker.check(finer)
            found.see(one)
            if not one.hopeless:
                heapq.heappush(queue, (one.price.loss, finer))
    found.proved = not queue


def _finer(vector: Vector) -> Iterator[Vector]:
    """The vectors that are a level finer in one attribute."""
    for attribute, level in enumerate(vector):
        if level:
            yield (*vector[:attribute], level - 1, *vector[attribute + 1 :])
