"""The information loss of a partition, by the measures that papers use."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kspan.data.arrays import Floats, Int64s
from kspan.data.cells import Between, Cell, Exact, OneOf, range_of, values_in
from kspan.data.groups import Counts
from kspan.data.hierarchy import Hierarchy
from kspan.data.meaning import meaning, meanings
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
    """The penalty of every code of a column of shown cells: the share of its domain that a cell leaves open.

    This is the one definition of NCP. Searches, manifests and audits all ask here, and it needs the shown cells and the
    policy alone: nobody's values. So it follows from a release what it costs.

    - A single or a missing value costs 0, a suppressed cell 1.
    - A name of a hierarchy that the policy lists costs the values below it over all its values. If its values are
      numbers and the name is a range, it costs the length over the range of the values.
    - A masked code costs the share of its characters that are masked.
    - A range costs its length over that of the domain, a set its size over that of the domain. The domain is the
      declared one, else that of the listed hierarchy, else what the column shows.
    """
    penalty = np.zeros(column.size)
    if column.suppressed is not None:
        penalty[column.suppressed] = 1.0
    if column.is_measured:
        return penalty
    # Without the hierarchy, so that a name that is a range costs its length, not the number of its values.
    read = meanings(replace(column, hierarchy=None))
    numeric = read.numeric or any(isinstance(cell, Between) for cell in read.cells)
    share = (_ranges if numeric else _shares)(column, read.cells)
    named = [_named(column, str(label)) for label in column.values]
    penalty[: len(share)] = [own if name is None else name for own, name in zip(share, named, strict=True)]
    return np.clip(penalty, 0.0, 1.0)


def depends_on_shown(column: Column) -> bool:
    """May the penalty of a cell of a column depend on which others are shown beside it?"""
    if column.is_measured or _declared(column) is not None or _ends(column) is not None or _lists_values(column):
        return False
    bare, labels = replace(column, hierarchy=None), map(str, column.values)
    return any(
        _named(column, label) is None and not isinstance(meaning(bare, label, numeric=True), Exact) for label in labels
    )


def may_be_read_otherwise(column: Column) -> bool:
    """Are some cells of a column numbers or ranges by themselves, but words beside the others?"""
    if column.is_measured:
        return False
    bare, labels = replace(column, hierarchy=None), map(str, column.values)
    by_itself = (meaning(bare, label, numeric=True) for label in labels)
    return not meanings(bare).numeric and any(range_of(cell) is not None for cell in by_itself)


def _named(column: Column, label: str) -> float | None:
    """The penalty of a masked code or a name of a listed hierarchy; None for any other cell."""
    hierarchy = column.hierarchy
    if hierarchy is None:
        return None
    if hierarchy.mask is not None and (masked := hierarchy.masked_share(label)):
        return masked
    listed = _declared(column)
    if listed is None or (name := listed.find(label)) is None:
        return None
    cell, ends = meaning(replace(column, hierarchy=None), label, numeric=True), _ends(column)
    if isinstance(cell, Between) and ends is not None:
        return _length((cell.low, cell.high), *ends) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.0
    members = len(listed.members[name])
    return 0.0 if members <= 1 else members / len(listed.values)


def _declared(column: Column) -> Hierarchy | None:
    """The hierarchy of a column, if the policy lists its values."""
    return None if column.hierarchy is None or column.hierarchy.inferred else column.hierarchy


def _lists_values(column: Column) -> bool:
    return column.domain is not None and column.domain.values is not None


def _ends(column: Column) -> tuple[float, float] | None:
    """The ends of the domain of numbers: as declared, else those of the listed hierarchy; None if neither tells."""
    domain, hierarchy = column.domain, _declared(column)
    if domain is not None and domain.low is not None and domain.high is not None:
        return domain.low, domain.high
    if hierarchy is None or (domain is not None and not domain.kind.is_measured):
        return None
    return range_of(OneOf(hierarchy.values))


def _ranges(column: Column, cells: Sequence[Cell]) -> list[float]:
    ranges = [range_of(cell) for cell in cells]
    known = [end for ends in ranges if ends is not None for end in ends if math.isfinite(end)]
    lowest, highest = _ends(column) or (min(known, default=0.0), max(known, default=0.0))
    # Where the domain is one number, no cell leaves anything open.
    width = highest - lowest
    return [_length(ends, lowest, highest) / width if ends and width > 0 else 0.0 for ends in ranges]


def _length(ends: tuple[float, float], lowest: float, highest: float) -> float:
    """The length of a range; an open one runs to the end of the domain."""
    low, high = ends
    return max(0.0, (highest if high == math.inf else high) - (lowest if low == -math.inf else low))


def _shares(column: Column, cells: Sequence[Cell]) -> list[float]:
    listed, domain = _declared(column), column.domain
    if domain is not None and domain.values is not None:
        total = len(domain.values)
    else:
        total = len({value for cell in cells for value in values_in(cell)} if listed is None else listed.values)
    sizes = [len(values_in(cell)) for cell in cells]
    return [0.0 if size <= 1 else size / total for size in sizes]
