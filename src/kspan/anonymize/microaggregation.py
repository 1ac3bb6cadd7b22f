"""Microaggregation of one column: neighboring numbers are put into groups, and everybody shows the mean of a group."""

import numpy as np

from kspan.data.arrays import Floats, Int64s


def means_of_neighbors(numbers: Floats, people: Int64s, least: int, tied: Int64s) -> Floats:
    """Return the mean of the group of each number, if groups of at least `least` people have the least spread inside.

    `people` says how many have each number, and there must be enough of them. The groups are the best ones for one
    column (Hansen, Mukherjee 2003). They may part equal numbers: `tied` is an order that decides between these.

    >>> each = np.ones(5, np.int64)
    >>> means_of_neighbors(np.array([10.0, 1, 11, 2, 3]), each, 2, np.arange(5)).tolist()
    [10.5, 2.0, 10.5, 2.0, 2.0]
    """
    from kspan.kernels.microaggregation import best_groups  # loading compiled code takes a moment

    order = tied[np.argsort(numbers[tied], kind="stable")]
    group = np.empty(len(numbers), np.int64)
    group[order] = best_groups(numbers[order], people[order], least)
    first = numbers[order[0]]  # means are of distances from one of the numbers, so that equal ones stay what they are
    means: Floats = first + np.bincount(group, (numbers - first) * people) / np.bincount(group, people)
    return means[group]
