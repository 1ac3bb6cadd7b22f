"""The people that a tree is grown from: labels, weights, and how rows divide."""

from dataclasses import dataclass

import numpy as np

from kspan import kernels
from kspan.data.arrays import Codes, Int64s
from kspan.data.groups import NO_WEIGHTS
from kspan.data.table import Table
from kspan.induce.features import Feature


@dataclass(frozen=True, repr=False)
class People:
    """The label of each row, and how many people it stands for."""

    label: Codes
    labels: int
    weights: Int64s
    rows: Int64s
    ordered: bool = False
    """Labels that are numbers are as far apart as their ranks."""
    levels: tuple[Int64s, ...] = ()
    """The hierarchy above the labels, if there is one."""

    @classmethod
    def of(cls, table: Table, target: str) -> "People":
        """Everybody in a table."""
        column = table[target]
        weights = NO_WEIGHTS if table.weights is None else table.weights
        rows = np.arange(table.rows)
        return cls(column.codes, column.size, weights, rows, column.kind == "numeric", column.levels)

    def by_part(self, parts: list[Int64s], feature: Feature, son: Int64s, sons: int) -> Int64s:
        """How many people of each son and label are in each part, in one pass, given the son of each code."""
        counts = np.zeros((len(parts), sons, self.labels), np.int64)
        rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
        ends = np.cumsum([len(part) for part in parts])
        kernels.histogram_by_part(feature.codes, son, self.label, self.weights, rows, ends, counts)
        return counts

    def counts(self, rows: Int64s) -> Int64s:
        """How many people of each label are in some rows."""
        weights = self.weights[rows] if len(self.weights) else None
        return np.bincount(self.label[rows], weights, self.labels).astype(np.int64)

    def divided(self, rows: Int64s, feature: Feature, son: Int64s, sons: int) -> list[Int64s]:
        """The rows of each son, in their order."""
        to = son[feature.codes[rows]]
        order = np.argsort(to, kind="stable")
        return np.split(rows[order], np.searchsorted(to[order], np.arange(1, sons)))


def summed(counts: Int64s, son: Int64s, sons: int) -> Int64s:
    """Counts by code added up by son; a code whose son is -1 is left out.

    >>> summed(np.array([[1, 2], [3, 4], [5, 6]]), np.array([0, 1, 0]), 2).tolist()
    [[6, 8], [3, 4]]
    """
    total = np.zeros((sons, counts.shape[1]), np.int64)
    inside = son >= 0
    np.add.at(total, son[inside], counts[inside])
    return total
