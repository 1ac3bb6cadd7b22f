"""K-Optimize, best intervals for all (Bayardo, Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005).

All values of all public attributes stand in one order; a recoding is the set of values at which a new interval begins,
the same for all people. Groups that do not satisfy the requirement are withheld, at a price. The cheapest recoding is
searched: first by small changes, then by a set-enumeration tree with lower bounds, which proves the optimum if it is
given the time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.cells import shown
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.k_optimize.search import Aim, BestCuts, Clock, Combinations, Int32s, intervals, search
from kspan.anonymize.ordering import in_order, matrix
from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED, write_interval, write_set
from kspan.data.groups import NO_WEIGHTS, count_values, group_rows
from kspan.data.table import Column, Table
from kspan.errors import PolicyError
from kspan.kernels.k_optimize import Counts, count_labels
from kspan.model.partition import WITHHELD, Partition, Shown
from kspan.options import Within, takes_options
from kspan.policy import Policy
from kspan.utility.loss import classification_metric, discernibility

Loss = Literal["cm", "dm"]

SECONDS = 10.0
"""How long to search unless said otherwise."""

MOST_LABEL_COUNTS = 100_000_000
"""CM counts every label for every combination of public values: more counts than this are refused."""

ALL = slice(None)
"""All rows."""


@takes_options
def k_optimize(
    table: Table,
    policy: Policy,
    *,
    rng: np.random.Generator,
    loss: Loss = "cm",
    withhold: Annotated[float, Within(0, 1)] = 1.0,
    seconds: Annotated[float, Within(0)] | None = None,
    most_values: Annotated[int, Within(2)] = 32,
    progress: Callable[[float], None] | None = None,
) -> Recoding:
    """Cut public attributes into intervals, the same for all people, at the lowest cost that is found in time.

    The cost is `cm` (people whose target is not that of the majority of their group) or `dm` (everybody's group
    size); a withheld person costs 1 or as much as there are people. `progress` is told the share of the time that is
    over. A search that proved its optimum gives the same when repeated; one that the clock ended need not.

    Options:
        loss: What is kept small; who is withheld counts as lost whole.
        withhold: The share of people that may be left out.
        seconds: How long to search, 10 unless said.
        most_values: Numbers with more values are first put into so many bins of about equally many people.
    """
    if loss == "cm" and policy.target is None:
        raise PolicyError("the loss 'cm' is about a target: name one in the policy, or use the loss 'dm'")
    clock = Clock(SECONDS if seconds is None else seconds, progress)
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    space = _Space(crowds, loss, int(most_values))
    found = _search(space, withhold, clock, rng)
    return Recoding(space.partition(found.cuts), space.facts(found))


def _search(space: "_Space", withhold: float, clock: Clock, rng: np.random.Generator) -> BestCuts:
    """Find the best cuts; the memory that the search needs is free again when it returns."""
    cells, cell_of_row = space.combinations()
    aim = space.aim(withhold, cell_of_row)
    del cell_of_row  # of no use where only k matters
    return search(cells, space.possible, aim, clock, rng=rng)


@dataclass(frozen=True, eq=False)
class _Space:
    """The public attributes as bins in order, between which intervals may begin."""

    crowds: Crowds
    loss: Loss
    most_values: int

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The public attributes with their values in order; `codes` translates the table's codes into that order."""
        return tuple(
            in_order(replace(column, codes=np.arange(column.size, dtype=column.codes.dtype)))
            for column in self.crowds.columns
        )

    @cached_property
    def bin_of(self) -> tuple[Int64s, ...]:
        """For each attribute, the bin of every code of `columns`."""
        return tuple(self._bins(column) for column in self.crowds.columns)

    def _bins(self, column: Column) -> Int64s:
        plain = len(column.values)
        if not column.is_measured or plain <= self.most_values:
            return np.arange(column.size)
        # The codes of numbers are in order already.
        people = np.bincount(column.codes, self.crowds.table.weights, column.size)[:plain]
        before = np.cumsum(people) - people
        _, bins = np.unique(before * self.most_values // people.sum(), return_inverse=True)
        apart = np.arange(column.size - plain) + bins[-1] + 1
        return np.concatenate([bins, apart]).astype(np.int64)

    @cached_property
    def possible(self) -> Bools:
        """Where intervals may begin: at every bin but the first."""
        last = np.array([bins[-1] for bins in self.bin_of])
        place = np.arange(int(last.max()) + 1)
        return (place > 0) & (place <= last[:, None])

    def _recoded(self, interval: Int32s | None = None, rows: Int64s | slice = ALL) -> Iterator[Column]:
        """Yield the public attributes by their bins, or their intervals; one at a time, because rows take memory."""
        for place, (column, bins) in enumerate(zip(self.columns, self.bin_of, strict=True)):
            numbers = bins if interval is None else interval[place][bins]
            codes = _narrow(numbers[column.codes])[self.crowds.columns[place].codes[rows]]
            yield Column(column.name, column.kind, codes, np.arange(numbers[-1] + 1))

    def combinations(self) -> tuple[Combinations, Int64s]:
        """The different combinations of bins, and which of them every row has."""
        rows = self.crowds.rows
        cell, number = group_rows(self._recoded(), rows)
        example = np.empty(number, np.int64)
        example[cell] = np.arange(rows)
        bins = matrix(list(self._recoded(rows=example)), number)
        del example  # a million rows take their memory
        return Combinations(bins, self._label_counts(cell, number)), cell

    def _label_counts(self, cell: Int64s, number: int) -> Counts:
        table, target = self.crowds.table, self.crowds.policy.target
        kind: type[np.signedinteger[Any]] = np.int32 if table.people <= np.iinfo(np.int32).max else np.int64
        if self.loss == "dm" or target is None:
            return np.bincount(cell, table.weights, number).astype(kind, copy=False)[:, None]
        labels = table[target].size
        if number * labels > MOST_LABEL_COUNTS:
            raise PolicyError(f"the target {target!r} has {labels} values, too many for 'cm': use the loss 'dm'")
        counts = np.zeros((number, labels), kind)
        count_labels(cell, table[target].codes, NO_WEIGHTS if table.weights is None else table.weights, counts)
        return counts

    def aim(self, withhold: float, cell_of_row: Int64s) -> Aim:
        """What the search is to minimize."""
        crowds, people = self.crowds, self.crowds.table.people
        return Aim(
            self.loss,
            crowds.k,
            everybody=people,
            may_withhold=int(withhold * people + 1e-9),  # 0.29 of 100 people are 29, whatever floats make of it
            exact=None if crowds.only_k else partial(self._exact, _narrow(cell_of_row)),
            local=crowds.is_blind,
        )

    def _exact(self, cell_of_row: NDArray[Any], group: Int32s, number: int) -> tuple[float, int]:
        """The exact cost of groups of cells, and how many people they withhold."""
        table = self.crowds.table
        released, number = self._released(group.astype(np.int64)[cell_of_row], number)
        if number == 0:
            return np.inf, table.people
        sizes = self.crowds.sizes(released, number)
        withheld = table.people - int(sizes.sum())
        if self.loss == "dm":
            return float(discernibility(sizes, withheld)), withheld
        kept, weights = released != WITHHELD, table.weights
        column = table[str(self.crowds.policy.target)]
        labels = Column(column.name, column.kind, column.codes[kept], column.values, *_specials(column))
        counts = count_values(labels, released[kept], number, NO_WEIGHTS if weights is None else weights[kept])
        return float(classification_metric(counts) + withheld), withheld

    def _released(self, group: Int64s, number: int) -> tuple[Int64s, int]:
        """Withhold groups that fail until all others hold; returns the group of each row, and how many are left."""
        while number:
            good = self.crowds.holds(group, number)
            if good.all():
                break
            place = np.append(np.where(good, np.cumsum(good) - 1, WITHHELD), WITHHELD)
            group = place[group]  # the last place is that of who is withheld already
            number = int(good.sum())
        return group, number

    def partition(self, cuts: Bools) -> Partition:
        """The groups of rows by some cuts, in the order of their intervals, and what they show."""
        interval, rows = intervals(cuts), self.crowds.rows
        group, number = group_rows(self._recoded(interval), rows)
        group, number = self._released(group, number)
        example = np.empty(number + 1, np.int64)
        example[group] = np.arange(rows)  # the last place is that of who is withheld
        cells: dict[str, Shown] = {}
        for place, recoded in enumerate(self._recoded(interval, example[:-1])):
            column, bins = self.columns[place], self.bin_of[place]
            cells[column.name] = shown(column, recoded.codes.astype(np.int64), _texts(column, interval[place][bins]))
        return Partition(group, number, cells)

    def facts(self, found: BestCuts) -> dict[str, Any]:
        """How good the cuts are, and what was decided before the search."""
        pairs = zip(self.columns, self.bin_of, strict=True)
        numbers = [column for column in self.columns if column.is_measured]
        return {
            "loss": self.loss,
            "cost": int(found.cost),
            "optimum proved": found.proved,
            # Costs are whole numbers, so a bound may be rounded up.
            "lower bound": int(np.ceil(found.at_least - 1e-6)),
            "nodes": found.nodes,
            "values": int(self.possible.sum()) + len(self.columns),
            "binned": [column.name for column, bins in pairs if len(bins) > bins[-1] + 1],
            "ends from the data": [column.name for column in numbers if not column.domain or column.domain.low is None],
        }


def _narrow(numbers: Int64s | Int32s) -> NDArray[Any]:
    """The same in as few bytes as they need, since every row gets one."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _specials(column: Column) -> tuple[bool, bool]:
    return column.has_suppressed, column.has_missing


def _texts(column: Column, interval: Sequence[int] | Int32s) -> list[str | None]:
    """What the intervals of an attribute show, given the interval of every code."""
    bounds = np.searchsorted(interval, np.arange(int(interval[-1]) + 2))
    return [_text(column, int(first), int(after)) for first, after in pairwise(bounds)]


def _text(column: Column, first: int, after: int) -> str | None:
    """What the codes from `first` up to `after` show."""
    plain = len(column.values)
    if after > plain:
        return None if first == after - 1 == column.missing else SUPPRESSED
    if after - first == 1:
        return column.label(first)
    if not column.is_measured:
        return _name(column, first, after) or write_set(column.label(code) for code in range(first, after))
    if column.ends is not None:
        return column.run(first, after - 1)
    # The lowest and the highest number of the whole table would tell of a single person: better what is declared.
    low, high, domain = column.values[first], column.values[after - 1], column.domain
    if domain is not None and domain.low is not None and domain.high is not None:
        low, high = domain.low if first == 0 else low, domain.high if after == plain else high
    return write_interval(low, high)


def _name(column: Column, first: int, after: int) -> str | None:
    """The lowest name of the hierarchy that just these values of the table have, if there is one."""
    if column.hierarchy is None:
        return None
    for level, names in enumerate(column.levels, start=1):
        if np.array_equal(np.flatnonzero(names[: len(column.values)] == names[first]), np.arange(first, after)):
            label = column.label(first)
            return column.hierarchy.path(label)[level] if column.hierarchy.find(label) else None
    return None
