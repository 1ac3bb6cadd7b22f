"""Where ranges of numbers may end: the end of a range that one person alone reaches is that person's number.

So a range ends at numbers that a crowd has, or at round ones. Before groups are made, numbers that fewer people of the
table have are put together: between two numbers that a crowd has, or, where that is too wide, between two numbers of a
grid. What methods cut, and what groups show, are then such cells.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.domain import Domain
from kspan.data.grid import Grid, declared_grid, grids
from kspan.data.kinds.calendar import Calendar
from kspan.data.table import Column, Ends, Table
from kspan.policy import Policy

FEWEST = 1.5
"""So many people are in a cell of a grid on average, however small the crowds are."""


def with_crowded_ends(table: Table, policy: Policy, names: Collection[str]) -> tuple[Table, Mapping[str, str]]:
    """Put the rare numbers of some columns together, and say of each column where its ranges may end."""
    columns, said = dict(table.columns), dict[str, str]()
    if isinstance(policy.grid, str):
        return table, said
    for name in names:
        column = table[name]
        if column.is_measured and len(column.values):
            grid = None if name not in policy.grid else declared_grid(name, column.kind, policy.grid[name])
            columns[name], said[name] = _crowded(column, _people(table, column), policy.require.crowd, grid)
    return replace(table, columns=columns), said


def _people(table: Table, column: Column) -> Int64s:
    """How many people have each number."""
    codes, weights = column.codes.astype(np.int64), table.weights
    if table.persons is not None:
        codes = np.unique(table.persons * column.size + codes) % column.size
    counted: Int64s = np.bincount(codes, weights, column.size).astype(np.int64)
    return counted[: len(column.values)]


def _crowded(column: Column, people: Int64s, crowd: int, grid: Grid | None) -> tuple[Column, str]:
    there, common = people > 0, people >= crowd
    told = f"numbers that at least {crowd:,} people have"
    if grid is not None:
        common[:] = False
    elif common[there].all():
        return column, told
    elif isinstance(column.kind, Calendar) and column.values.dtype.kind == "f":
        common[:] = False  # ranges of dates have no open ends, and floats no next one
    rare = there & ~common
    chosen = grid or _grid(column, people[rare], crowd, column.values[rare])
    if not common.any():
        told = str(chosen)
    elif grid is None:
        told += f", and {chosen}"
    cells = _cells(column, common, chosen)
    return cells.coarser(column), told


def _grid(column: Column, people: Int64s, crowd: int, values: Any) -> Grid:
    """The finest grid of which the cells with somebody in them have half a crowd on average, and not one person.

    Of fewer people in all, the finest that shows one digit of their numbers.
    """
    for grid in grids(column.kind, values):
        low, high, _ = grid.cells(values)
        occupied = 1 + np.count_nonzero(low[1:] != low[:-1])
        if people.sum() >= max(crowd / 2, FEWEST) * occupied:
            break
        if occupied == 1 and (isinstance(column.kind, Calendar) or (high - low)[0] >= np.abs(values).max() / 10):
            break
    return grid


@dataclass(frozen=True, repr=False)
class _Cells:
    """Cells of the numbers of a column: where each begins among the codes, and its ends."""

    start: Int64s
    ends: Ends

    def coarser(self, column: Column) -> Column:
        """The column with a code for each cell; missing and suppressed cells stay what they are."""
        number, plain = len(self.start), len(column.values)
        cell = np.zeros(plain, np.int64)
        cell[self.start[1:]] = 1
        to = np.append(np.cumsum(cell), number + np.arange(column.size - plain))
        codes = to.astype(np.min_scalar_type(number + 2))[column.codes]
        return replace(column, codes=codes, values=column.values[self.start], ends=self.ends)


def _cells(column: Column, common: Bools, grid: Grid) -> _Cells:
    """A cell for each number that is common, and for the others those between the ends that may be shown."""
    values = column.values
    low, high, excluded = grid.cells(values)
    begins = common | np.append(True, common[:-1]) | np.append(True, low[1:] != low[:-1])
    start = np.flatnonzero(begins)
    last = np.append(start[1:], len(values)) - 1
    alone = common[start]
    exact = values.astype(low.dtype)
    low, high = np.where(alone, exact[start], low[start]), np.where(alone, exact[start], high[start])
    without_low, without_high = np.zeros(len(start), bool), ~alone & excluded
    # Beside a number that is common, a cell ends there.
    after, before = np.append(False, alone[:-1]) & ~alone, np.append(alone[1:], False) & ~alone
    nearer = np.flatnonzero(after)
    nearer = nearer[exact[start[nearer] - 1] >= low[nearer]]
    low[nearer], without_low[nearer] = exact[start[nearer] - 1], True
    nearer = np.flatnonzero(before)
    nearer = nearer[exact[last[nearer] + 1] <= high[nearer]]
    high[nearer], without_high[nearer] = exact[last[nearer] + 1], True
    ends = Ends(low, high, without_low, without_high)
    ends = _closed(ends) if isinstance(column.kind, Calendar) else ends
    return _Cells(start, _inside(ends, column.domain, exact[start[0]], exact[last[-1]]))


def _closed(ends: Ends) -> Ends:
    """The same ends as whole numbers that belong to the ranges, since dates are written so."""
    return replace(
        ends,
        low=ends.low + ends.without_low,
        high=ends.high - ends.without_high,
        without_low=np.zeros_like(ends.without_low),
        without_high=np.zeros_like(ends.without_high),
    )


def _inside(ends: Ends, domain: Domain | None, least: Any, most: Any) -> Ends:
    """The same ends, but the outer ones not beyond those of a declared domain in which all numbers are."""
    low, high, without_high = ends.low.copy(), ends.high.copy(), ends.without_high.copy()
    if domain is not None and domain.low is not None and domain.high is not None:
        if low[0] < domain.low <= least:
            low[0] = domain.low
        if high[-1] > domain.high >= most:
            high[-1], without_high[-1] = domain.high, False
    return replace(ends, low=low, high=high, without_high=without_high)
