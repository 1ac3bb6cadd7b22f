"""Groups of neighbors along a curve through the public values.

After G. Ghinita, P. Karras, P. Kalnis and N. Mamoulis, "Fast data anonymization with low information loss", VLDB 2007.
Rows are put in the order of Hilbert's curve through their public values. For k-anonymity the line is cut into groups of
k to 2k-1 people by dynamic programming, with the least loss that any cuts of this line can have. For requirements on
private values the paper's buckets are emptied along the line: a group takes the nearest rows, but no more of one
private value than every such group may have, and what remains must stay eligible. If groups fail, or more is required,
neighbors on the line are united until everything holds. If cutting the line and uniting what fails loses less than the
buckets do, that is done instead.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.cells import as_intervals, as_nodes, as_sets
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.one_dim.hilbert import along_the_curve, points_in_order
from kspan.anonymize.ordering import in_order, matrix
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_groups, group_rows
from kspan.data.table import Column, Table
from kspan.kernels.one_dim import Prices, best_cuts, box_costs, boxes, from_buckets, join_failing
from kspan.model.partition import Partition, Shown
from kspan.options import takes_options
from kspan.policy import Policy
from kspan.privacy import OnPrivate

Show = Literal["interval", "set", "hierarchy"]

LARGEST_SHAPE = 4
"""Groups from buckets have at most this many times the fewest people that a group must have."""

ROUNDS_TO_DOUBLE = 8
"""Each time that groups still fail after this many rounds of uniting, twice as many neighbors join at a time."""


@takes_options
def one_dim(table: Table, policy: Policy, *, rng: np.random.Generator, show: Show = "interval") -> Recoding:
    """Group neighbors on Hilbert's curve so that the requirement holds and little is lost; nobody is withheld.

    Chance only decides who of the people with equal public values goes where. A row that stands for several people
    stays whole: groups then have at least k people, and none could be cut into two that do.

    Options:
        show: What groups show: the interval of their numbers and the set of their words, the set of all their values,
            or the lowest common name of the hierarchy.
    """
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    line = _Line(crowds, show, rng)
    starts = best_cuts(line.points, line.people, crowds.k, line.prices)
    if not crowds.only_k:
        starts = _starts(line.united(_runs(starts, crowds.rows)))
    # Until the better way is known, only the starts of groups are kept: the group of every row takes more memory.
    way, dealt, loss = "consecutive groups", None, line.loss(_runs(starts, crowds.rows))
    if not crowds.only_k and (shape := _shape(crowds)) is not None:
        dealt = line.united(line.from_buckets(*shape))
        if (loss_of_dealt := line.loss(dealt)) < loss:
            way, loss = "buckets of private values", loss_of_dealt
        else:
            dealt = None
    group = _runs(starts, crowds.rows) if dealt is None else dealt
    columns, number = line.columns, int(group.max()) + 1
    group = line.in_source_order(group)
    del line, dealt  # before cells are written: a million rows take their memory
    partition = _shown(columns, group, number, show)
    return Recoding(partition, {"way": way, "groups": partition.number, "loss": loss})


class _Line:
    """The rows of a table in the order of the curve, and what groups of them cost."""

    def __init__(self, crowds: Crowds, show: Show, rng: np.random.Generator) -> None:
        self.crowds = crowds
        self.columns = [in_order(column) for column in crowds.columns]
        self.prices = _prices(self.columns, by_hierarchy=show == "hierarchy")
        codes, weights = matrix(self.columns, crowds.rows), crowds.table.weights
        self.rows = along_the_curve(codes, [column.size for column in self.columns], weights, rng=rng)
        self.points: NDArray[Any] = codes[self.rows]
        self.weights = None if weights is None else weights[self.rows]
        names = crowds.asked
        private = {name: replace(crowds.table[name], codes=crowds.table[name].codes[self.rows]) for name in names}
        self.private = Table(private, crowds.rows, self.weights)
        """What the requirement is about, in the order of the line."""

    @property
    def people(self) -> Int64s:
        """How many people each row stands for; empty if each is one person."""
        return NO_WEIGHTS if self.weights is None else self.weights

    def in_source_order(self, group: Int64s) -> Int64s:
        """The group of each row in the order of the table, from that in the order of the line."""
        source = np.empty_like(group)
        source[self.rows] = group
        return source

    def united(self, group: Int64s) -> Int64s:
        """Unite groups that fail with their neighbors on the line until all hold; returns the group of each row."""
        people = self._sizes(group)
        low, high = boxes(self.points, group, len(people))
        rounds = 0
        while True:
            fails = ~self._hold(group, len(people))
            if len(people) == 1 or not fails.any():
                return group
            # One that needs many neighbors takes in more of them at a time, about an eighth of what it has.
            first = join_failing(fails, people, low, high, 2 ** (rounds // ROUNDS_TO_DOUBLE), self.prices)
            people, low, high = people[first], low[first], high[first]
            group = (np.cumsum(first) - 1)[group]
            rounds += 1

    def from_buckets(self, name: str, size: int, most: int) -> Int64s:
        """Groups of `size` near rows with at most `most` of one value of a private attribute.

        Groups are numbered along the line by the middles of their rows.
        """
        column, place = self.private[name], points_in_order(self.points)
        counts = np.bincount(column.codes, minlength=column.size)
        group = from_buckets(column.codes, place, counts, np.argsort(-counts, kind="stable"), size, most)
        rows = np.bincount(group)
        middle = np.bincount(group, place) / rows
        rank = np.empty(len(rows), np.int64)
        rank[np.argsort(middle, kind="stable")] = np.arange(len(rows))
        return rank[group]

    def loss(self, group: Int64s) -> float:
        """NCP of the boxes around groups: how much of its domain a public cell leaves open, on average."""
        people = self._sizes(group)
        cost = box_costs(*boxes(self.points, group, len(people)), self.prices)
        return float((cost * people).sum() / people.sum() / len(self.columns))

    def _sizes(self, group: Int64s) -> Int64s:
        """How many people each group has."""
        return np.bincount(group, self.weights).astype(np.int64, copy=False)

    def _hold(self, group: Int64s, number: int) -> Bools:
        """Which groups satisfy the requirement."""
        return self.crowds.policy.require.holds(count_groups(self.private, group, number, self.private.columns))


def _runs(starts: Int64s, rows: int) -> Int64s:
    """The group of each row, if groups are runs of rows."""
    group = np.zeros(rows, np.int64)
    group[starts[1:]] = 1
    return np.cumsum(group, out=group)


def _starts(group: Int64s) -> Int64s:
    """Where groups begin that are runs of rows."""
    return np.append(0, np.flatnonzero(group[1:] != group[:-1]) + 1)


def _shape(crowds: Crowds) -> tuple[str, int, int] | None:
    """How to deal rows from buckets; None if that does not fit the requirement or the data.

    Returns the private attribute whose values are the buckets, the size of groups, and how many rows of one value each
    group may have. If the requirement is about several attributes, it is the one whose commonest value is most common.
    """
    policy, table = crowds.policy, crowds.table
    if not crowds.is_blind or not crowds.asked or table.weights is not None:
        return None
    parts = [part for part in policy.require.parts if isinstance(part, OnPrivate)]
    commonest = {name: int(np.bincount(table[name].codes).max()) for name in crowds.asked}
    name = max(commonest, key=lambda private: commonest[private])
    own = [part for part in parts if not part.on or name in part.on]
    least = max(crowds.k, 2)
    while least < table.rows and _most_of_one(own, least) == 0:
        least = least + max(1, least // 8)
    for size in range(least, min(LARGEST_SHAPE * least, table.rows) + 1):
        most = _most_of_one(own, size)
        # Eligible: even the commonest value can be shared out to the groups.
        if commonest[name] * size <= most * table.rows:
            return name, size, most
    return None


def _most_of_one(parts: Sequence[OnPrivate], size: int) -> int:
    """How many rows of one value a group of this size may have, whatever the others; 0 if even one is too many.

    No group with at most m rows of each value is worse than one that has m rows each of as few values as possible.

    >>> from kspan.privacy import Confidence, DistinctL, SimpleL
    >>> _most_of_one([DistinctL(2)], 10), _most_of_one([Confidence(0.85)], 10), _most_of_one([SimpleL(3)], 3)
    (9, 8, 1)
    """
    low, high = 0, size
    while low < high:
        most = (low + high + 1) // 2
        worst = [most] * (size // most) + [size % most] * (size % most > 0)
        group = Groups(np.array([size]), {"": Counts.of([worst])})
        fits = all(bool(part.holds_for(group.private[""]).all()) for part in parts)
        low, high = (most, high) if fits else (low, most - 1)
    return low


def _prices(columns: Sequence[Column], *, by_hierarchy: bool) -> Prices:
    """What ranges of places cost, as NCP counts it: a number's range over its domain, a category's values over all."""
    sizes = np.array([column.size for column in columns])
    in_names = [column.levels if by_hierarchy else () for column in columns]
    names = [np.concatenate([np.zeros(0, np.int64), *levels]) for levels in in_names]
    name_costs = [_name_costs(column, levels) for column, levels in zip(columns, in_names, strict=True)]
    ends = np.cumsum([len(name) for name in names])
    values, steps = zip(*(_along(column) for column in columns), strict=True)
    return Prices(
        begin=np.cumsum(sizes) - sizes,
        size=sizes,
        plain=np.array([len(column.values) for column in columns]),
        free=np.array([-1 if column.missing is None else column.missing for column in columns]),
        value=np.concatenate(values),
        step=np.array(steps),
        levels=np.array([len(levels) for levels in in_names]),
        name_begin=ends - np.array([len(name) for name in names]),
        name=np.concatenate(names),
        name_cost=np.concatenate(name_costs),
    )


def _along(column: Column) -> tuple[Floats, float]:
    """How far along its domain each code lies, and what a range costs besides the distance of its ends."""
    place, domain = np.zeros(column.size), column.domain
    plain = len(column.values)
    if column.is_measured and plain:
        numbers = column.values.astype(np.float64)
        low, high = float(numbers[0]), float(numbers[-1])
        if domain is not None and domain.low is not None and domain.high is not None:
            low, high = domain.low, domain.high
        place[:plain] = (numbers - low) / (high - low) if high > low else 0.0
        return place, 0.0
    if column.hierarchy is not None:
        total = len(column.hierarchy.values)
    else:
        total = len(domain.values) if domain and domain.values else plain
    # A range of n categories costs n steps, one more than its ends are apart.
    place[:plain] = np.arange(plain) / max(total, 1)
    return place, 1.0 / max(total, 1)


def _name_costs(column: Column, levels: Sequence[Int64s]) -> Floats:
    """What the name of every code costs at every level: the share of the hierarchy's values that are below it."""
    costs = np.ones((len(levels), column.size))
    hierarchy = column.hierarchy
    if hierarchy is not None:
        for code in range(len(column.values) if levels else 0):
            if (label := hierarchy.find(column.label(code))) is not None:
                shares = [len(hierarchy.members[name]) / len(hierarchy.values) for name in hierarchy.path(label)[1:]]
                costs[:, code] = shares
    return costs.ravel()


def _shown(columns: Sequence[Column], group: Int64s, number: int, show: Show) -> Partition:
    """What the groups show; those that show the same become one, and all are numbered by the order of their cells."""
    write = {"interval": as_intervals, "set": as_sets, "hierarchy": as_nodes}[show]
    shown = {column.name: write(column, group, number) for column in columns}
    codes = [Column(name, cells.column.kind, *_as_codes(cells)) for name, cells in shown.items()]
    joined, together = group_rows(codes, number)
    example = np.empty(together, np.int64)
    example[joined] = np.arange(number)
    return Partition(
        joined[group], together, {name: Shown(cells.code[example], cells.column) for name, cells in shown.items()}
    )


def _as_codes(cells: Shown) -> tuple[Any, NDArray[Any]]:
    return cells.code, np.arange(cells.column.size)
