"""The information loss of a partition, by the measures that papers use."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kspan.data.arrays import Floats, Int64s
from kspan.data.cells import Between, Cell, range_of, values_in
from kspan.data.groups import Counts
from kspan.data.meaning import meanings
from kspan.data.table import Column
from kspan.model.partition import Partition


def classification_metric(counts: Counts) -> int:
    """CM: the number of people outside the majority of their group (Friedman et al. 2008, 6.2).

    >>> classification_metric(Counts.of([[3, 0], [1, 2]]))
    1
    """
    return int((counts.sizes - counts.majority).sum())


def discernibility(sizes: ArrayLike, withheld: int = 0) -> int:
    """DM: each person costs the size of the group, a withheld one the size of the table (Bayardo, Agrawal 2005).

    >>> discernibility([3, 2], withheld=1)
    19
    """
    size, times = np.unique(np.asarray(sizes, np.int64), return_counts=True)
    # As Python integers, which do not overflow.
    pairs: list[tuple[int, int]] = list(zip(size.tolist(), times.tolist(), strict=True))
    everybody = sum(people * often for people, often in pairs) + withheld
    return sum(people**2 * often for people, often in pairs) + withheld * everybody


def average_group_size(sizes: Int64s) -> float:
    """People per group."""
    return float(sizes.sum() / len(sizes))


def certainty_penalty(partition: Partition, sizes: Int64s) -> float:
    """NCP: how much of its domain a public cell leaves open, averaged over the cells of all people (Xu et al. 2006)."""
    if not partition.shown:
        return 0.0
    people = sizes.astype(np.float64)
    per_attribute = [(people * penalties(shown.column)[shown.code]).sum() for shown in partition.shown.values()]
    return float(np.mean(per_attribute) / people.sum())


def penalties(column: Column) -> Floats:
    """The penalty of every code of a column: 0 for a single or a missing value, 1 for a suppressed cell.

    A range of numbers costs its length over that of the domain, a set of values its size over that of the domain.
    """
    penalty = np.zeros(column.size)
    if column.suppressed is not None:
        penalty[column.suppressed] = 1.0
    if not column.is_measured:
        # Without the hierarchy, so that a name that is a range costs its length, not the number of its values.
        cells = meanings(replace(column, hierarchy=None)).cells
        numeric = column.kind.is_measured or any(isinstance(cell, Between) for cell in cells)
        share = _ranges(column, cells) if numeric else _shares(column, cells)
        penalty[: len(cells)] = np.clip(share, 0.0, 1.0)
    return penalty


def _ranges(column: Column, cells: Sequence[Cell]) -> Floats:
    ranges = [range_of(cell) for cell in cells]
    known = [end for ends in ranges if ends is not None for end in ends if math.isfinite(end)]
    lowest, highest = min(known, default=0.0), max(known, default=0.0)
    domain = column.domain
    if domain is not None and domain.low is not None and domain.high is not None:
        lowest, highest = domain.low, domain.high
    # Where the domain is one number, no cell leaves anything open.
    width = highest - lowest
    return np.array([_length(ends, lowest, highest) / width if ends and width > 0 else 0.0 for ends in ranges])


def _length(ends: tuple[float, float], lowest: float, highest: float) -> float:
    """The length of a range; an open one runs to the end of the domain."""
    low, high = ends
    return (highest if high == math.inf else high) - (lowest if low == -math.inf else low)


def _shares(column: Column, cells: Sequence[Cell]) -> Floats:
    hierarchy, domain = column.hierarchy, column.domain
    if hierarchy is not None:
        total = len(hierarchy.values)
        named = {label: len(hierarchy.members[name]) for label in column.values if (name := hierarchy.find(label))}
    else:
        every = {value for cell in cells for value in values_in(cell)}
        total = len(domain.values) if domain and domain.values else len(every)
        named = {}
    sizes = [named.get(label, len(values_in(cell))) for label, cell in zip(column.values, cells, strict=True)]
    return np.array([0.0 if size <= 1 else size / total for size in sizes])
