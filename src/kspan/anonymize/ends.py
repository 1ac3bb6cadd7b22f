"""Where ranges of numbers may end: the end of a range that one person alone reaches is that person's number.

So a range ends at numbers that a crowd has, or at round ones. Before groups are made, numbers that fewer people of the
table have are put together: between two numbers that a crowd has, or, where that is too wide, between two numbers of a
grid. What methods cut, and what groups show, are then such cells.

A grid that suits most people would tell the number of somebody far from all others: a range that ends at 51,380 where
all others have some hundreds. So the fewer people are near, the rounder are the ends: everybody's cell is one of the
finest grid in which some others are, too, as far as there is no cell of a finer grid in the way.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.domain import Domain
from kspan.data.grid import Grid, coarser, declared_grid, grids
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
    chosen = grid or _finest(column, people[rare], crowd, column.values[rare])
    if not common.any():
        told = str(chosen)
    elif grid is None:
        told += f", and {chosen}"
    cells = _cells(column, common, [chosen] if grid is not None else [*coarser(chosen, _size(column))], people, crowd)
    return cells.coarser(column), told


def _size(column: Column) -> float:
    """How large the numbers of a column are, whatever their sign; beyond that, ends would not fit into 64 bits."""
    return min(max(abs(float(column.values[0])), abs(float(column.values[-1]))), 1e18)


def _finest(column: Column, people: Int64s, crowd: int, values: Any) -> Grid:
    """The finest grid of which the cells with somebody in them have half a crowd on average, and not one number each.

    Of fewer people in all, the finest that shows one digit of their numbers.
    """
    for grid in grids(column.kind, values):
        low, high, _ = grid.cells(values)
        occupied = 1 + np.count_nonzero(low[1:] != low[:-1])
        if people.sum() >= max(crowd / 2, FEWEST) * occupied and occupied < len(values):
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


def _cells(column: Column, common: Bools, levels: Sequence[Grid], people: Int64s, crowd: int) -> _Cells:
    """A cell for each number that is common, and for the others those between the ends that may be shown."""
    values = column.values
    low, high, excluded = _with_company(values, common, levels, people, crowd)
    changes = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    begins = common | np.append(True, common[:-1]) | np.append(True, changes)
    start = np.flatnonzero(begins)
    last = np.append(start[1:], len(values)) - 1
    alone = common[start]
    exact = values.astype(low.dtype)
    low, high = np.where(alone, exact[start], low[start]), np.where(alone, exact[start], high[start])
    _make_way(low, high, alone, gap=0 if excluded else 1)
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


def _with_company(
    values: Any, common: Bools, levels: Sequence[Grid], people: Int64s, crowd: int
) -> tuple[Any, Any, bool]:
    """The ends of the cell of each number, by the finest grid in which it has company, else the coarsest.

    Company are half a crowd of people, with the own number or another, who do not all have the same one.
    """
    low, high, excluded = levels[0].cells(values)
    exact, there = values.astype(low.dtype), people > 0
    people_before, numbers_before = np.append(0, np.cumsum(people)), np.append(0, np.cumsum(there))
    waiting = np.flatnonzero(~common)
    for place, grid in enumerate(levels):
        if place:
            low[waiting], high[waiting], _ = (
                ends if isinstance(ends, bool) else ends.astype(low.dtype) for ends in grid.cells(values[waiting])
            )
        begin = np.searchsorted(exact, low[waiting], side="left")
        end = np.searchsorted(exact, high[waiting], side="left" if excluded else "right")
        near = people_before[end] - people_before[begin]
        company = (near >= max(crowd / 2, FEWEST)) & (numbers_before[end] - numbers_before[begin] > 1)
        waiting = waiting[~company]
        if not len(waiting):
            break
    return low, high, excluded


def _make_way(low: Any, high: Any, alone: Bools, gap: int) -> None:
    """Let cells of coarser grids end where those of finer ones beside them begin; `gap` lies between two cells.

    Whoever has a cell of a coarser grid is not in the finer one: with its company, that would be the own cell, too.
    """
    wide, one, other = high - low, np.arange(len(low) - 1), np.arange(1, len(low))
    meet = (high[:-1] + gap > low[1:]) & ~alone[:-1] & ~alone[1:]
    shorter = meet & (wide[:-1] > wide[1:])
    high[one[shorter]] = low[other[shorter]] - gap
    later = meet & ~(wide[:-1] > wide[1:])
    low[other[later]] = high[one[later]] + gap


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
