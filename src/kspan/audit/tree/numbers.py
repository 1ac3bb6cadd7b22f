"""Is what a tree tells of numbers true of these people, and is it round enough?

Every node is counted again: its people and their mean. A median must be a round number around the true one, and an
interval must hold four in five of the people. How round they must be is asked of the table: a median or an end of an
interval may be told if a crowd has that very number, or has numbers between the two round ones around the true one. A
mean may be told of a crowd. No code of those who make trees is used for that, but the same round numbers (`data.grid`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kspan.audit.rare_values import people_by_value
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.grid import grids
from kspan.data.groups import NO_WEIGHTS, count_groups, runs, tally
from kspan.data.table import Column, Table
from kspan.model.outcome import MEANS_AGREE, Numbers
from kspan.privacy.numbers import OnNumbers

SHARES = (0.1, 0.5, 0.9)
"""The shares of people at the low end of an interval, the median and the high end."""
INSIDE = 0.8
"""The share of people whose numbers an interval holds."""
CRUMB, CRUMB_OF_FRACTIONS = 1e-9, 1e-6
"""How far shares of people may be off, and how far if people went several ways."""
FEWEST = 2
"""So many people share what is told, even if no k is required."""


@dataclass(frozen=True, repr=False)
class NumbersAtLeaves:
    """Which numbers the people at each leaf have, as entries leaf by leaf: a leaf, a code and so many people."""

    leaf: Int64s
    code: Int64s
    people: Floats
    values: Floats
    """The number of each code."""

    @classmethod
    def of(cls, table: Table, target: str, row: Int64s, leaf: Int64s, part: Floats) -> "NumbersAtLeaves":
        """Count the numbers of people, of whom each is at some leaves with some part: a row, a leaf and a part each."""
        column = table[target]
        part = part if table.weights is None else part * table.weights[row]
        keys = leaf * column.size + column.codes[row]
        found, _, place = tally(keys, (int(leaf.max()) + 1) * column.size, NO_WEIGHTS, locate=True)
        people = np.bincount(place, part, len(found)).astype(np.float64)
        at, code = np.divmod(found, column.size)
        return cls(at, code, people, column.values.astype(np.float64))

    def sums(self, leaves: int) -> Floats:
        """For each leaf the people, the sum of their numbers, and that of how large these are."""
        numbers = self.values[self.code]
        every = (self.people, self.people * numbers, self.people * np.abs(numbers))
        return np.column_stack([np.bincount(self.leaf, one, leaves) for one in every])

    def between(self, first: Int64s, last: Int64s) -> list["Spread"]:
        """Return how the numbers of the people at each of some nodes spread, given the leaves below the node."""
        begin, end = np.searchsorted(self.leaf, first), np.searchsorted(self.leaf, last)
        found = []
        for entries in np.split(runs(begin, end - begin), np.cumsum(end - begin)[:-1]):
            order = entries[np.argsort(self.code[entries], kind="stable")]
            found.append(Spread(self.code[order], np.cumsum(self.people[order])))
        return found


@dataclass(frozen=True, repr=False)
class Spread:
    """The numbers of some people, as ascending codes, and how many people have a number up to each."""

    code: Int64s
    up_to: Floats

    def quantile(self, share: float) -> Int64s:
        """Return the codes that may be the quantile: several only where rounding leaves a doubt."""
        crumb = self.crumb
        ends = np.searchsorted(self.up_to, [share * self.up_to[-1] - crumb, share * self.up_to[-1] + crumb])
        return np.unique(self.code[ends[0] : min(int(ends[1]), len(self.code) - 1) + 1])

    def inside(self, values: Floats, low: float, high: float) -> bool:
        """Do four in five of the people have numbers from one to another?"""
        numbers = values[self.code]
        people = np.diff(self.up_to, prepend=0.0)[(numbers >= low) & (numbers <= high)].sum()
        return bool(people >= INSIDE * self.up_to[-1] - self.crumb)

    @property
    def crumb(self) -> float:
        """How many people rounding may move."""
        is_whole = (np.abs(self.up_to - np.rint(self.up_to)) < CRUMB).all()
        return float((CRUMB if is_whole else CRUMB_OF_FRACTIONS) * self.up_to[-1])


def untrue_sums(told: Sequence[Any], sums: Floats, slack: Floats) -> Bools:
    """Tell which nodes have another number of people or another mean; `slack` says how far people may be off."""
    people, total, size = sums.T
    counted = np.array([one.people for one in told], np.float64)
    means = np.array([np.nan if one.mean is None else one.mean for one in told])
    # Fractions of people are rounded, and so are the means of these.
    off = MEANS_AGREE * size + np.where(slack > MEANS_AGREE, slack / np.maximum(people, slack) * size, 0.0)
    is_empty = people < slack
    wrong = np.where(is_empty, ~np.isnan(means), ~(np.abs(means * people - total) <= off))
    found: Bools = wrong | (np.abs(counted - people) > slack)
    return found


def few_people(table: Table, leaf: Int64s, several: Mapping[int, tuple[int, ...]], leaves: int) -> Int64s:
    """Count the people at each leaf, each once; `several` has the leaves of rows that end in more than one."""
    alone = np.flatnonzero(leaf >= 0)
    pairs = np.array([(place, row) for row, places in several.items() for place in places], np.int64).reshape(-1, 2)
    where, rows = np.append(leaf[alone], pairs[:, 0]), np.append(alone, pairs[:, 1])
    if table.persons is not None:
        where = np.unique(np.stack([where, table.persons[rows]]), axis=1)[0]
        return np.bincount(where, minlength=leaves)
    return np.bincount(where, None if table.weights is None else table.weights[rows], leaves).astype(np.int64)


def sums_hold(part: OnNumbers, table: Table, target: str, leaf: Int64s, leaves: int) -> Bools:
    """Tell at which leaves what is required of sums holds for the people there; where nobody is, nothing is told."""
    rows = np.flatnonzero(leaf >= 0)
    there, group = np.unique(leaf[rows], return_inverse=True)
    groups = count_groups(table.at(rows), group.astype(np.int64), len(there), (target,))
    held = np.ones(leaves, bool)
    held[there] = part.holds(groups)
    return held


class Cells:
    """The round numbers around some numbers of a table, in every grid, and whether a crowd is between them."""

    def __init__(self, column: Column, table: Table, crowd: int) -> None:
        self.column, self.crowd = column, max(crowd, FEWEST)
        self.people = people_by_value(column, table)
        self.values: Floats = column.values.astype(np.float64)

    def around(self, codes: Int64s) -> "Around":
        """Find the round numbers around some numbers."""
        values, before = self.column.values, np.append(0, np.cumsum(self.people))
        exact = self.values[codes]
        lows, highs, crowded = [exact], [exact], [self.people[codes] >= self.crowd]
        for grid in grids(self.column.kind, values):
            low, high, excluded = grid.cells(values[codes])
            low, high = low.astype(np.float64), high.astype(np.float64)
            begin = np.searchsorted(self.values, low)
            end = np.searchsorted(self.values, high, "left" if excluded else "right")
            lows.append(low)
            highs.append(high)
            crowded.append(before[end] - before[begin] >= self.crowd)
        # Where no cell has a crowd, the coarsest one is told.
        crowded[-1] = np.ones(len(codes), bool)
        return Around(codes, np.array(lows), np.array(highs), np.array(crowded))


@dataclass(frozen=True, repr=False)
class Around:
    """The two ends of the cells around some numbers: a row a grid, after the numbers themselves."""

    codes: Int64s
    low: Floats
    high: Floats
    crowded: Bools

    def _of(self, codes: Int64s) -> tuple[Floats, Floats, Bools]:
        place = np.searchsorted(self.codes, codes)
        return self.low[:, place], self.high[:, place], self.crowded[:, place]

    def is_end(self, told: float, codes: Int64s, *, high: bool) -> bool:
        """Is it the low, or the high, end of a cell with a crowd around one of the numbers?"""
        low_ends, high_ends, crowded = self._of(codes)
        return bool((crowded & ((high_ends if high else low_ends) == told)).any())

    def median_is(self, told: Numbers, codes: Int64s) -> tuple[bool, bool]:
        """Is a median a round number around one of the numbers, and is it so with a crowd?

        It may be an end of the interval instead, if that is in the cell.
        """
        low, high, crowded = self._of(codes)
        median = np.nan if told.median is None else told.median
        fits = (low == median) | (high == median)
        if told.median in (told.low, told.high):
            fits |= (low <= median) & (median <= high)
        return bool(fits.any()), bool((fits & crowded).any())


@dataclass(frozen=True)
class Quantiles:
    """Which of some nodes tell quantiles that are not true, and which tell some too exactly."""

    untrue: Bools
    exact: Bools


def quantiles(told: Sequence[Numbers], spreads: Sequence[Spread], cells: Cells) -> Quantiles:
    """Judge the medians and intervals of some nodes that have people."""
    codes = [[spread.quantile(share) for share in SHARES] for spread in spreads]
    needed = np.unique(np.concatenate([code for node in codes for code in node])) if codes else np.empty(0, np.int64)
    around = cells.around(needed)
    untrue, exact = np.zeros(len(told), bool), np.zeros(len(told), bool)
    for place, (node, spread, (low, middle, high)) in enumerate(zip(told, spreads, codes, strict=True)):
        is_true, is_round = around.median_is(node, middle)
        if node.low is not None and node.high is not None:
            is_true &= spread.inside(cells.values, node.low, node.high)
            is_round &= around.is_end(node.low, low, high=False) and around.is_end(node.high, high, high=True)
        untrue[place], exact[place] = not is_true, not is_round
    return Quantiles(untrue, exact)
