"""Groups of people and how their private values are spread: all that a requirement may look at."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.having import Having
from kspan.data.table import Column, Table
from kspan.errors import PolicyError

NO_WEIGHTS: Int64s = np.empty(0, np.int64)

MOST_MARKED = 32
"""Keys are ranked by a bit for every possible key, if there are at most so many possible keys per row."""


@dataclass(frozen=True, repr=False)
class Counts:
    """How many people of each group have each value of one private attribute, as sparse entries group by group.

    The entries of group g are those from `start[g]` up to `start[g + 1]`: `value` holds the values that occur in it, in
    ascending order, and `people` how many people have each.
    """

    start: Int64s
    value: Int64s
    people: Int64s
    whole: Int64s
    """How many of all people have each value, indexed by value."""
    ordered: bool = False
    """Are the values numbers? Then the distance between two values is their distance in the order."""
    levels: tuple[Int64s, ...] = ()
    """The hierarchy above the values (see `Column.levels`), for the distance between categories."""
    having: Having | None = field(default=None, compare=False)
    """Finds a value by its name; None if values have no names here."""
    numbers: Floats | None = field(default=None, compare=False)
    """The number of each value, not a number for those who have none; None if values are no numbers."""

    @classmethod
    def of(cls, groups: Iterable[Sequence[int]] | Int64s, whole: Int64s | None = None, **says: Any) -> "Counts":
        """Build counts from a small dense table with one row per group; `whole` is the sum of all rows unless given.

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
        """Sum something over the entries of each group."""
        # No group may be empty: for an empty one, `reduceat` would return the next entry instead of 0.
        return np.add.reduceat(entries, self.start[:-1])

    def max(self, entries: NDArray[Any]) -> NDArray[Any]:
        """Find the largest of something over the entries of each group."""
        return np.maximum.reduceat(entries, self.start[:-1])

    @cached_property
    def sizes(self) -> Int64s:
        """The number of people in each group."""
        return self.sum(self.people)

    @cached_property
    def distinct(self) -> Int64s:
        """The number of different values in each group."""
        return np.diff(self.start)

    @cached_property
    def majority(self) -> Int64s:
        """The number of people in each group who have its most frequent value."""
        return self.max(self.people)

    def people_with(self, name: str) -> Int64s:
        """The number of people in each group whose cell shows a value, given by its name, or may hide it.

        >>> Counts.of([[3, 0], [1, 2]], having=Having.labels("flu", "hiv")).people_with("hiv").tolist()
        [0, 2]
        """
        if self.having is None:
            raise PolicyError("nothing can be said of a single value here: values have no names")
        return self.sum(np.where(self.having.codes(name)[self.value], self.people, 0))

    def united(self, member: Int64s, union: Int64s, number: int) -> "Counts":
        """The counts of `number` unions of groups, where for every i union `union[i]` contains group `member[i]`."""
        width = len(self.whole)
        lengths = np.diff(self.start)[member]
        entry = runs(self.start[member], lengths)
        keys = np.repeat(union, lengths) * width + self.value[entry]
        distinct, people, _ = tally(keys, number * width, self.people[entry])
        return counts_of_keys(distinct, people, number, self)

    def followed_by(self, other: "Counts") -> "Counts":
        """These groups, followed by the groups of another part of the same people."""
        start = np.concatenate([self.start, other.start[1:] + self.start[-1]])
        value, people = (np.concatenate(pair) for pair in ((self.value, other.value), (self.people, other.people)))
        return replace(self, start=start, value=value, people=people)


@dataclass(frozen=True, repr=False)
class Groups:
    """People an attacker cannot tell apart, group by group: how many, and their private values.

    A group that is not `exposing` reveals nothing of its people, whatever its size (a span of one bin).
    """

    sizes: Int64s
    private: Mapping[str, Counts] = field(default_factory=dict)
    exposing: Bools = field(default_factory=lambda: np.empty(0, bool))

    def __post_init__(self) -> None:
        if not len(self.exposing):  # not given: every group exposes its people
            object.__setattr__(self, "exposing", np.ones(len(self.sizes), bool))

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"Groups({len(self)} groups, {int(self.sizes.sum())} people)"


def runs(start: Int64s, lengths: Int64s) -> Int64s:
    """The indices of several runs, one after the other: run i has `lengths[i]` indices from `start[i]` on.

    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.repeat(start - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def count_groups(table: Table, group: Int64s, number: int, private: Iterable[str]) -> Groups:
    """Count the people and the private values in each of `number` groups; `group` has the group of each row.

    No group may be empty.
    """
    weights = NO_WEIGHTS if table.weights is None else table.weights
    _, sizes, _ = tally(group, number, weights)
    return Groups(sizes, {name: count_values(table[name], group, number, weights) for name in private})


def count_values(column: Column, group: Int64s, number: int, weights: Int64s) -> Counts:
    """Count how many people of each group have each value of a column."""
    keys = group * column.size
    keys += column.codes
    distinct, people, _ = tally(keys, number * column.size, weights)
    del keys  # as long as the table: not needed during the next count
    present, times, _ = tally(column.codes.astype(np.int64), column.size, weights)
    whole = np.zeros(column.size, np.int64)
    whole[present] = times
    return counts_of_keys(distinct, people, number, nobody(column, whole))


def nobody(column: Column, whole: Int64s) -> Counts:
    """Counts of no group yet, with what is known of the values of a column; `whole` has everybody by value."""
    # Only of exact numbers are the codes ranks: those of ranges say nothing of distances.
    nothing, numbers = NO_WEIGHTS, column.numbers
    return Counts(nothing, nothing, nothing, whole, column.is_measured, column.levels, column.having, numbers)


def group_rows(columns: Iterable[Column], rows: int) -> tuple[Int64s, int]:
    """The group of each row, and the number of groups: rows with equal codes are a group, in lexicographic order."""
    keys, space = np.zeros(rows, np.int64), 1
    for column in columns:
        if space * column.size > 1 << 62:
            keys, space = _ranked(keys, space)  # before keys outgrow 64 bits; ranks keep their order
        keys *= column.size
        keys += column.codes
        space *= column.size
    return _ranked(keys, space)


def _ranked(keys: Int64s, space: int) -> tuple[Int64s, int]:
    """The rank of each key among the distinct keys, and how many these are; `keys` may be overwritten."""
    from kspan import kernels

    if space <= max(1 << 16, MOST_MARKED * len(keys)):
        return keys, kernels.rank_keys(keys, np.zeros(space // 64 + 1, np.uint64))
    distinct, _, places = tally(keys, space, NO_WEIGHTS, locate=True)
    return places, len(distinct)


def tally(keys: Int64s, space: int, weights: Int64s, *, locate: bool = False) -> tuple[Int64s, Int64s, Int64s]:
    """The distinct keys in ascending order, the total weight of each, and the place of every key among them.

    All keys are in `range(space)`. Weights are positive; without any, each key counts once. Places are only
    guaranteed with `locate`.

    >>> distinct, weight, places = tally(np.array([7, 2, 7]), 8, NO_WEIGHTS, locate=True)
    >>> distinct.tolist(), weight.tolist(), places.tolist()
    ([2, 7], [1, 2], [1, 0, 1])
    """
    from kspan import kernels  # loading compiled code takes a moment: only when there is something to count

    if space <= max(1 << 16, 8 * len(keys)):
        # Where no total can exceed 32 bits, half the memory will do.
        small = not len(weights) and len(keys) <= np.iinfo(np.int32).max
        totals = np.zeros(space, np.int32 if small else np.int64)
        places = np.empty(len(keys) if locate else 0, np.int64)
        return *kernels.tally_dense(keys, weights, totals, places), places
    distinct, weight, places = kernels.tally_hashed(keys, weights)
    order = np.argsort(distinct)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct[order], weight[order], place[places]


def counts_of_keys(keys: Int64s, people: Int64s, number: int, like: Counts) -> Counts:
    """Counts from sorted keys `group * width + value`; all but the entries is taken from `like`."""
    width = len(like.whole)
    start = np.searchsorted(keys, np.arange(number + 1) * width)
    return replace(like, start=start, value=keys % width, people=people)
