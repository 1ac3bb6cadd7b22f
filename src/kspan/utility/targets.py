"""What the groups of a table still tell of a target, as the others of a group would guess it.

Whoever is counted in the majority of the own group helped to make it: in a group of ten that is often chance, and the
smaller groups are, the better they seem. So everybody is guessed by the others of the group alone.
"""

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats, Int64s
from kspan.data.groups import Counts


def guessed_wrong(counts: Counts) -> float:
    """Return how many people have another value than most others of their group; a half of those where it is a tie.

    >>> guessed_wrong(Counts.of([[3, 0], [1, 2], [1, 1], [2, 2]]))
    8.0
    >>> guessed_wrong(Counts.of([[2, 1]]))
    2.0
    """
    order = np.lexsort((-counts.people, counts.group))
    most, second = order[counts.start[:-1]], np.zeros(len(counts.start) - 1, np.int64)
    several = np.diff(counts.start) > 1
    second[several] = counts.people[order[counts.start[:-1][several] + 1]]
    rival = counts.people[most][counts.group]
    rival[most] = second
    own = counts.people - 1
    alone = (own == 0) & (rival == 0)
    share = np.where((own < rival) | alone, 1.0, np.where(own == rival, 0.5, 0.0))
    return float((counts.people * share).sum())


def left_unexplained(numbers: Floats, group: Int64s, groups: int, weights: NDArray[np.int64]) -> float:
    """Return the share of the variance of numbers that is left if everybody gets the mean of the others of the group.

    Who has no number (NaN) does not count; who is alone has the mean of all.

    >>> ones = np.ones(4, np.int64)
    >>> left_unexplained(np.array([1.0, 1.0, 5.0, 5.0]), np.array([0, 0, 1, 1]), 2, ones)
    0.0
    >>> left_unexplained(np.array([1.0, 5.0, 1.0, 5.0]), np.array([0, 0, 1, 1]), 2, ones)
    1.0
    """
    known = ~np.isnan(numbers)
    numbers, group, people = numbers[known], group[known], weights[known].astype(np.float64)
    if not len(numbers):
        return 0.0
    around = numbers - np.average(numbers, weights=people)
    whole = float(people @ around**2)
    if whole <= 0:
        return 0.0
    sizes, sums = np.bincount(group, people, groups), np.bincount(group, people * around, groups)
    others = np.maximum(sizes[group] - 1, 1)
    expected = np.where(sizes[group] > 1, (sums[group] - around) / others, 0.0)
    return min(float(people @ (around - expected) ** 2) / whole, 1.0)
