"""What an attacker can tell of private values once a person's group is known."""

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import Counts


def certain(counts: Counts) -> Bools:
    """Tell which groups share one private value, so that membership gives it away (Friedman et al. 2008, 6.3)."""
    one: Bools = counts.distinct == 1
    return one


def confidence(counts: Counts) -> Floats:
    """Return the confidence of the best guess in each group: the share of its commonest value."""
    return counts.majority / counts.sizes


def exposed(counts: Counts, people: Int64s) -> int:
    """Count the people of groups whose private value is certain.

    >>> leaves = Counts.of([[3, 0], [1, 2], [0, 3], [2, 1]])
    >>> exposed(leaves, leaves.sizes)
    6
    """
    return int(np.sum(people[certain(counts)]))
