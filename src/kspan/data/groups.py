"""Who stands together, and how the private values spread there: all that a requirement may look at."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Int64s
from kspan.data.table import Column, Table

NO_WEIGHTS: Int64s = np.empty(0, np.int64)

MOST_MARKED = 32
"""Keys are ranked by marking them, a bit each, if there may be at most so many times those that there are."""


@dataclass(frozen=True, repr=False)
class Counts:
    """How many people of each group have each value of one private attribute, sparse and group by group.

    Group g has `value[start[g]:start[g + 1]]`, in ascending order, with `people` of each.
    """

    start: Int64s
    value: Int64s
    people: Int64s
    whole: Int64s
    """The same over everybody, indexed by value."""
    ordered: bool = False
    """Numbers, so that the distance between values is their distance in the order."""
    levels: tuple[Int64s, ...] = ()
    """The hierarchy above the values, for the distance between categories."""

    @classmethod
    def of(cls, groups: Iterable[Sequence[int]] | Int64s, whole: Int64s | None = None, **says: Any) -> "Counts":
        """From a small dense table of counts, one row a group; everybody is all of them, unless said.

        >>> Counts.of([[3, 0], [1, 2]]).value.tolist()
        [0, 0, 1]
        """
        dense = np.atleast_2d(np.asarray(groups if isinstance(groups, np.ndarray) else list(groups), np.int64))
        group, value = np.nonzero(dense)
        start = np.concatenate([[0], np.cumsum((dense > 0).sum(axis=1))])
        return cls(start, value, dense[group, value], dense.sum(axis=0) if whole is None else whole, **says)

    @cached_property
    def group(self) -> Int64s:
        """The group of every entry."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def sum(self, entries: NDArray[Any]) -> NDArray[Any]:
        """Sum of something over the entries of each group."""
        return np.add.reduceat(entries, self.start[:-1])

    def max(self, entries: NDArray[Any]) -> NDArray[Any]:
        """Largest of something over the entries of each group."""
        return np.maximum.reduceat(entries, self.start[:-1])

    @cached_property
    def sizes(self) -> Int64s:
        """People in each group."""
        return self.sum(self.people)

    @cached_property
    def distinct(self) -> Int64s:
        """Different values in each group."""
        return np.diff(self.start)

    @cached_property
    def majority(self) -> Int64s:
        """People who share the most frequent value of their group."""
        return self.max(self.people)

    def united(self, member: Int64s, union: Int64s, number: int) -> "Counts":
        """The counts of `number` unions of groups: entry i says that union `union[i]` takes in group `member[i]`."""
        width = len(self.whole)
        lengths = np.diff(self.start)[member]
        entry = runs(self.start[member], lengths)
        keys = np.repeat(union, lengths) * width + self.value[entry]
        distinct, people, _ = tally(keys, number * width, self.people[entry])
        return _from_keys(distinct, people, number, self)

    def followed_by(self, other: "Counts") -> "Counts":
        """These groups and then those of another part of the same people."""
        start = np.concatenate([self.start, other.start[1:] + self.start[-1]])
        value, people = (np.concatenate(pair) for pair in ((self.value, other.value), (self.people, other.people)))
        return Counts(start, value, people, self.whole, self.ordered, self.levels)


@dataclass(frozen=True, repr=False)
class Groups:
    """People an attacker cannot tell apart, group by group: how many, and their private values.

    A group that is not `exposing` reveals nothing of its people, whatever its size (a span of one bin).
    """

    sizes: Int64s
    private: Mapping[str, Counts] = field(default_factory=dict)
    exposing: Bools = field(default_factory=lambda: np.empty(0, bool))

    def __post_init__(self) -> None:
        if not len(self.exposing):
            object.__setattr__(self, "exposing", np.ones(len(self.sizes), bool))

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"Groups({len(self)} groups, {int(self.sizes.sum())} people)"


def runs(start: Int64s, lengths: Int64s) -> Int64s:
    """All places of runs that begin at `start` and go on for `lengths`, one after the other.

    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.repeat(start - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def count_groups(table: Table, group: Int64s, number: int, private: Iterable[str]) -> Groups:
    """The groups of a table's rows, numbered by `group`; none of them is empty."""
    weights = NO_WEIGHTS if table.weights is None else table.weights
    _, sizes, _ = tally(group, number, weights)
    return Groups(sizes, {name: count_values(table[name], group, number, weights) for name in private})


def count_values(column: Column, group: Int64s, number: int, weights: Int64s) -> Counts:
    """The values of one column, group by group."""
    keys = group * column.size
    keys += column.codes
    distinct, people, _ = tally(keys, number * column.size, weights)
    del keys
    present, times, _ = tally(column.codes.astype(np.int64), column.size, weights)
    whole = np.zeros(column.size, np.int64)
    whole[present] = times
    like = Counts(NO_WEIGHTS, NO_WEIGHTS, NO_WEIGHTS, whole, column.kind == "numeric", column.levels)
    return _from_keys(distinct, people, number, like)


def group_rows(columns: Iterable[Column], rows: int) -> tuple[Int64s, int]:
    """The group of each row, by equal codes, and how many groups there are, numbered in lexicographic order."""
    keys, space = np.zeros(rows, np.int64), 1
    for column in columns:
        if space * column.size > 1 << 62:
            keys, space = _ranked(keys, space)
        keys *= column.size
        keys += column.codes
        space *= column.size
    return _ranked(keys, space)


def _ranked(keys: Int64s, space: int) -> tuple[Int64s, int]:
    """The place of each key among the distinct ones, and how many these are; the array of keys may be used for it."""
    from kspan import kernels

    if space <= max(1 << 16, MOST_MARKED * len(keys)):
        return keys, kernels.rank_keys(keys, np.zeros(space // 64 + 1, np.uint64))
    distinct, _, places = tally(keys, space, NO_WEIGHTS, locate=True)
    return places, len(distinct)


def tally(keys: Int64s, space: int, weights: Int64s, *, locate: bool = False) -> tuple[Int64s, Int64s, Int64s]:
    """Distinct keys (all in `range(space)`) in ascending order, the weight of each, and the place of each key there.

    Weights are positive; places are given only if asked for.

    >>> distinct, weight, places = tally(np.array([7, 2, 7]), 8, NO_WEIGHTS, locate=True)
    >>> distinct.tolist(), weight.tolist(), places.tolist()
    ([2, 7], [1, 2], [1, 0, 1])
    """
    from kspan import kernels  # loading compiled code takes a moment: only when there is something to count

    if space <= max(1 << 16, 8 * len(keys)):
        small = not len(weights) and len(keys) <= np.iinfo(np.int32).max
        totals = np.zeros(space, np.int32 if small else np.int64)
        places = np.empty(len(keys) if locate else 0, np.int64)
        return *kernels.tally_dense(keys, weights, totals, places), places
    distinct, weight, places = kernels.tally_hashed(keys, weights)
    order = np.argsort(distinct)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct[order], weight[order], place[places]


def _from_keys(keys: Int64s, people: Int64s, number: int, like: Counts) -> Counts:
    width = len(like.whole)
    start = np.searchsorted(keys, np.arange(number + 1) * width)
    return Counts(start, keys % width, people, like.whole, like.ordered, like.levels)
