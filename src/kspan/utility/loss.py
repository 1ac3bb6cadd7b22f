"""Information loss of a partition, in the measures that papers compare."""

from collections.abc import Sequence
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from kspan.data.arrays import Floats, Int64s
from kspan.data.cells import Anything, Between, Cell, Exact, OneOf, number, read_cell
from kspan.data.groups import Counts
from kspan.data.table import Column
from kspan.model.partition import Partition


def classification_metric(counts: Counts) -> int:
    """CM: people outside the majority of their group (Friedman et al. 2008, 6.2).

    >>> classification_metric(Counts.of([[3, 0], [1, 2]]))
    1
    """
    return int((counts.sizes - counts.majority).sum())


def discernibility(sizes: ArrayLike, withheld: int = 0) -> int:
    """DM: for every person the size of the group, for a withheld one the size of the table (Bayardo, Agrawal 2005).

    >>> discernibility([3, 2], withheld=1)
    19
    """
    size, times = np.unique(np.asarray(sizes, np.int64), return_counts=True)
    # As Python numbers, which do not overflow.
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
    """The penalty of every code of a column: 0 for one value or a missing one, 1 for a suppressed cell.

    A number costs its shown range over the domain's, a category its shown values over the size of the domain.
    """
    penalty = np.zeros(column.size)
    if column.suppressed is not None:
        penalty[column.suppressed] = 1.0
    if column.values.dtype == object:
        cells = [read_cell(label) for label in column.values]
        numeric = column.kind == "numeric" or any(isinstance(cell, Between) for cell in cells)
        share = _ranges(column, cells) if numeric else _shares(column, cells)
        penalty[: len(cells)] = np.clip(share, 0.0, 1.0)
    return penalty


def _ranges(column: Column, cells: Sequence[Cell]) -> Floats:
    ends = np.array([_ends(cell) or (0.0, 0.0) for cell in cells]).reshape(-1, 2)
    known = [pair for cell in cells if (pair := _ends(cell)) is not None]
    domain = column.domain
    if domain is not None and domain.low is not None and domain.high is not None:
        width = domain.high - domain.low
    else:
        width = max((high for _, high in known), default=0.0) - min((low for low, _ in known), default=0.0)
    # Where the domain is one number, no cell leaves anything open.
    return (ends[:, 1] - ends[:, 0]) / width if width > 0 else np.zeros(len(cells))


@singledispatch
def _ends(cell: Cell) -> tuple[float, float] | None:
    return None


@_ends.register
def _(cell: Between) -> tuple[float, float]:
    return cell.low, cell.high


@_ends.register
def _(cell: Exact) -> tuple[float, float] | None:
    value = number(cell.value)
    return None if value is None else (value, value)


@_ends.register
def _(cell: OneOf) -> tuple[float, float] | None:
    values = [value for value in map(number, cell.values) if value is not None]
    return (min(values), max(values)) if values else None


def _shares(column: Column, cells: Sequence[Cell]) -> Floats:
    hierarchy, domain = column.hierarchy, column.domain
    if hierarchy is not None:
        leaves = [hierarchy.members[name] if (name := hierarchy.find(label)) else None for label in column.values]
        total = len(hierarchy.values)
    else:
        leaves = [None] * len(cells)
        named = {value for cell in cells for value in _values(cell)}
        total = len(domain.values) if domain and domain.values else len(named)
    sizes = [len(of) if of is not None else len(_values(cell)) for of, cell in zip(leaves, cells, strict=True)]
    return np.array([0.0 if size <= 1 else size / total for size in sizes])


def _values(cell: Cell) -> tuple[str, ...]:
    match cell:
        case OneOf(values):
            return values
        case Exact(value):
            return (value,)
        case Anything() | Between():
            return ()
