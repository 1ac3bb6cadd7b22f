"""What the leaves of a tree show of their people (kACTUS, procedure Suppress, Figures 5 and 6)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kspan.anonymize.cells import shown
from kspan.anonymize.kactus.filling import Show, mean_between, middle
from kspan.anonymize.kactus.leaves import PrunedLeaf
from kspan.anonymize.kactus.routes import Rows, Runs
from kspan.data.arrays import Int64s
from kspan.data.cells import SUPPRESSED, write_interval, write_set
from kspan.data.groups import group_rows
from kspan.data.table import Column, Table
from kspan.model.partition import WITHHELD, Partition, Shown
from kspan.policy import Policy


class LeafCells:
    """What a leaf shows of an attribute."""

    def __init__(self, table: Table, show: Show, numeric: set[str]) -> None:
        self.table, self.show, self.numeric = table, show, numeric

    def cell(self, name: str, leaf: PrunedLeaf) -> str | None:
        """A value, a set of values, or what is shown of a number; `*` if it was not asked; None if it is missing.

        Sets and intervals depend on the way to the leaf alone, not on who happens to be there.
        """
        if name not in leaf.path:
            return SUPPRESSED
        column, runs = self.table[name], leaf.path[name]
        # A branch for missing values admits no others.
        if runs[0][0] == column.missing:
            return None
        in_a_row = len(runs) == 1
        if in_a_row and runs[0][1] == runs[0][0] + 1:
            return column.label(runs[0][0])
        if name in self.numeric and self.show in ("median", "mean"):
            return self._number(column, runs, leaf.rows)
        if name in self.numeric and in_a_row:
            return self._interval(column, *runs[0])
        return write_set(column.label(code) for first, end in runs for code in range(first, end))

    def _number(self, column: Column, runs: Runs, rows: Rows) -> str:
        codes = column.codes[rows].astype(np.int64)
        weights = None if self.table.weights is None else self.table.weights[rows]
        if self.show == "median":
            return middle(column, codes, weights)
        return mean_between(column, codes, weights, runs[0][0], runs[-1][1] - 1)

    def _interval(self, column: Column, first: int, end: int) -> str:
        return write_interval(*_ends(column, first, end)) if column.ends is None else column.run(first, end - 1)


def released(leaves: Sequence[PrunedLeaf], table: Table, policy: Policy, cells: LeafCells) -> tuple[Partition, Int64s]:
    """The leaves as groups, in the order of what they show, and the group of each leaf; equal cells make one group."""
    seen = shown_by(leaves, table, policy, cells)
    group_of_leaf, groups = group_rows([each.column for each in seen.values()], len(leaves))
    example = np.empty(groups, np.int64)
    example[group_of_leaf] = np.arange(len(leaves))
    group = np.full(table.rows, WITHHELD, np.int64)
    for leaf, at in zip(leaves, group_of_leaf.tolist(), strict=True):
        group[leaf.rows] = at
    of_groups = {
        name: Shown(each.code[example], replace(each.column, codes=each.column.codes[example]))
        for name, each in seen.items()
    }
    return Partition(group, groups, of_groups), group_of_leaf


def shown_by(leaves: Sequence[PrunedLeaf], table: Table, policy: Policy, cells: LeafCells) -> dict[str, Shown]:
    """What each leaf shows of the public attributes."""
    each = np.arange(len(leaves))
    return {name: shown(table[name], each, [cells.cell(name, leaf) for leaf in leaves]) for name in policy.public}


def _ends(column: Column, first: int, end: int) -> tuple[Any, Any]:
    """The lowest and the highest number of a run of codes; at the outer ends, those of a declared domain if wider."""
    low, high = column.values[first], column.values[end - 1]
    domain = column.domain
    if domain is not None and domain.low is not None and first == 0:
        low = min(low, domain.low)
    if domain is not None and domain.high is not None and end == len(column.values):
        high = max(high, domain.high)
    return low, high
