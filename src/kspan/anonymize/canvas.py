"""Rows that are cut into parts, and the parts again: what methods share that cut people in two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.any_sides import any_sides_hold, check_decidable
from kspan.anonymize.crowds import Crowds
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_values
from kspan.data.table import Table
from kspan.kernels import mondrian as kernels
from kspan.model.partition import WITHHELD, Partition, Shown

Bytes = NDArray[np.uint8]

BATCH = 1 << 13
"""At most this many parts are cut at once."""


@dataclass(frozen=True, repr=False)
class Parts:
    """Parts of the people: the rows from `begin` to `end` of the canvas, and how many people these are."""

    begin: Int64s
    end: Int64s
    people: Int64s
    done: Int64s
    """A bit for each attribute, by its place, that cannot be cut in a part any more, nor in what it is cut into."""

    def __len__(self) -> int:
        return len(self.begin)

    def where(self, which: Bools | Int64s | slice) -> "Parts":
        """The parts that are chosen by marks or places."""
        return Parts(self.begin[which], self.end[which], self.people[which], self.done[which])

    def batches(self) -> "list[Parts]":
        """The same parts, not too many at once, so that what is computed for them takes little memory."""
        return [self.where(slice(at, at + BATCH)) for at in range(0, len(self), BATCH)]


@dataclass(frozen=True, repr=False)
class Cuts:
    """Which parts can be cut, and how many people go left; the canvas has marked who goes right."""

    found: Bools
    left: Int64s


class Canvas:
    """The rows, always in such an order that those of one part stand together."""

    def __init__(self, crowds: Crowds, rows: Int64s, columns: Sequence[NDArray[Any]], *, resist: bool = False) -> None:
        self.crowds, table, self.resist = crowds, crowds.table, resist
        if resist:
            check_decidable(crowds.policy)
        self.rows = rows.astype(np.min_scalar_type(table.rows))
        self.columns = columns
        """What has an entry for each row, besides private values and weights."""
        self.weights = NO_WEIGHTS if table.weights is None else table.weights[rows]
        self.right: Bytes = np.empty(table.rows, np.uint8)
        """Is each row on the right of the cut that was last tried for its part?"""
        self.everywhere = {name: _everybody(table, name) for name in crowds.asked}
        """How the private values that matter spread over the whole table."""
        self.labels = {name: table[name].codes[rows] for name in self.everywhere}

    def everybody(self) -> Parts:
        """All rows as one part."""
        return Parts(
            np.array([0]), np.array([len(self.rows)]), np.array([self.crowds.table.people]), np.zeros(1, np.int64)
        )

    def cut_up(self, cuts_of: Callable[[Parts], Cuts], begun: Parts | None = None) -> tuple[Int64s, int]:
        """Cut until no part can be cut any more; returns the part of each row of the table, and how many there are.

        It begins with everybody, or with parts that were made before.
        """
        waiting, finished = (self.everybody() if begun is None else begun).batches(), []
        while waiting:
            parts = waiting.pop()
            large = parts.people >= 2 * self.crowds.k
            divisible = parts.where(large)
            cuts = cuts_of(divisible)
            finished += [parts.where(~large), divisible.where(~cuts.found)]
            waiting += self.divide(divisible.where(cuts.found), cuts.left[cuts.found]).batches()
        ends = np.sort(np.concatenate([parts.end for parts in finished]))
        group = np.full(self.crowds.rows, WITHHELD, np.int64)
        group[self.rows] = np.repeat(np.arange(len(ends), dtype=self.rows.dtype), np.diff(ends, prepend=0))
        return group, len(ends)

    def parts_of(self, group: Int64s, number: int) -> Parts:
        """Parts that were made before, if the rows of the canvas are in their order."""
        rows = np.bincount(group[self.rows], minlength=number)
        end = np.cumsum(rows)
        return Parts(end - rows, end, self.crowds.sizes(group, number), np.zeros(number, np.int64))

    def large(self, left: Int64s, people: Int64s) -> Bools:
        """Are there enough people on both sides?"""
        enough: Bools = (left >= self.crowds.k) & (people - left >= self.crowds.k)
        return enough

    def hold(self, parts: Parts, left: Int64s) -> Bools:
        """Do both sides of each part, as they are marked, satisfy the requirement? They are large enough."""
        if self.crowds.only_k or not len(parts):
            return np.ones(len(parts), bool)
        require, right = self.crowds.policy.require, parts.people - left
        if self.resist:
            # How a cut would divide the private values must not decide: see `any_sides`.
            return any_sides_hold(require, self._counted(parts, np.zeros_like(self.right), 2), left, right)
        holds = require.holds(Groups(np.column_stack([left, right]).ravel(), self._counted(parts, self.right)))
        return holds[::2] & holds[1::2]

    def _counted(self, parts: Parts, right: Bytes, each: int = 1) -> dict[str, Counts]:
        """Count the private values on the sides of parts; of every side, or of each second one."""
        rows = int((parts.end - parts.begin).sum())
        private = {}
        for name, whole in self.everywhere.items():
            size = len(whole.whole)
            room = min(rows, 2 * len(parts) * size)
            start, value, people = kernels.count_sides(
                self.labels[name], size, self.weights, parts.begin, parts.end, right, room
            )
            private[name] = replace(whole, start=start[::each], value=value, people=people)
        return private

    def divide(self, parts: Parts, left: Int64s) -> Parts:
        """Reorder the rows so that both sides of each part stand together, as marked; returns the sides as parts."""
        if not len(parts):
            return parts
        largest = int((parts.end - parts.begin).max())
        columns: list[NDArray[Any]] = [*self.columns, *self.labels.values()]
        columns += [self.weights] if len(self.weights) else []
        for column in columns:
            kernels.divide(column, self.right, parts.begin, parts.end, np.empty(largest, column.dtype))
        middle = kernels.divide(self.rows, self.right, parts.begin, parts.end, np.empty(largest, self.rows.dtype))
        return Parts(
            np.column_stack([parts.begin, middle]).ravel(),
            np.column_stack([middle, parts.end]).ravel(),
            np.column_stack([left, parts.people - left]).ravel(),
            np.repeat(parts.done, 2),
        )


def _everybody(table: Table, name: str) -> Counts:
    weights = NO_WEIGHTS if table.weights is None else table.weights
    return count_values(table[name], np.zeros(table.rows, np.int64), 1, weights)


def apart(group: Int64s, shown: dict[str, Shown], number: int) -> Partition:
    """Number groups in the order of what they show; those that show the same, as nodes may, become one."""
    seen = Table({name: cells.column for name, cells in shown.items()}, number)
    different = Partition.by_equality(seen, shown)
    of_row = different.group[group]
    of_row[group == WITHHELD] = WITHHELD
    return Partition(of_row, different.number, different.shown)


def resisting(resist: bool) -> dict[str, bool]:
    """Return what is told of a method that tells nothing to those who know it."""
    return {"resist": True} if resist else {}
