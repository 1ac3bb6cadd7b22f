"""What a vector of levels costs, and what every finer or coarser one must cost at least.

The groups of a coarser vector are unions of those of a finer one, and whoever stands in a group of fewer than k people
is *lost* in every finer vector. So the loss of a vector is at least the sum of a `base` that only rises towards coarser
vectors and an `extra` that only rises towards finer ones:

| loss            | of a vector                        | base                              | extra                   |
|-----------------|------------------------------------|-----------------------------------|-------------------------|
| `ncp`, `levels` | mean cost of a cell, 1 if withheld | cells' costs, nobody withheld     | what the lost lack to 1 |
| `dm`            | squared sizes, |D| if withheld     | size * max(size, k) of all groups | |D| - k for each lost   |
| `average-size`  | people / groups released           | - groups                          | groups of the lost      |
| `cm`            | minorities, 1 if withheld          | minorities of all groups          | majorities of the lost  |

Without withholding there is no extra: each loss only rises towards coarser vectors, and the optimum is a minimal
vector. With withholding this need not be so: a coarser vector may bring rows back.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kspan.anonymize.full_domain.lattice import FrequencySet, Lattice, Vector
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import OneOf, range_of, read_cell, values_in
from kspan.data.groups import NO_WEIGHTS, count_values
from kspan.data.hierarchy import Hierarchy
from kspan.data.table import Column
from kspan.errors import PolicyError
from kspan.kernels.lattice import majorities
from kspan.utility.loss import penalties

MOST_CELLS = 1 << 22
"""Labels of groups are counted in a dense table up to this size."""

Loss = Literal["ncp", "dm", "average-size", "cm", "levels"]


@dataclass(frozen=True)
class Price:
    """What a vector costs, and what that says of others."""

    loss: float
    base: float
    extra: float
    coarser: float = -np.inf
    """All coarser vectors cost at least this, whatever else is known."""
    finer: float = -np.inf
    """All finer vectors cost at least this."""


class Pricing(ABC):
    """One way to measure what is lost."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice, self.people, self.k = lattice, lattice.people, lattice.crowds.k

    @abstractmethod
    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """The price of a vector; `kept` marks the groups that are released, `small` those of fewer than k people."""

    def bases(self, floor: Vector) -> Floats:
        """A base for every vector from the levels `floor` on, with an axis for each attribute: that of the finest."""
        none = np.zeros(self.lattice.kinds, bool)
        least = self.price(self.lattice.finest, none, none).base
        return np.full([high - low + 1 for low, high in zip(floor, self.lattice.top, strict=True)], least, np.float64)

    def as_published(self, loss: float) -> float:
        """The loss in the form in which it is usually told."""
        return loss


class CellPricing(Pricing):
    """Every cell has a cost from 0 to 1 that never falls with its level, every cell of a withheld person costs 1."""

    def __init__(self, lattice: Lattice, costs: Sequence[Sequence[Floats]]) -> None:
        super().__init__(lattice)
        self.costs = costs
        self.all_cells = lattice.people * len(costs)
        self.cells: list[Floats] = []
        """By attribute and level, what its cells cost if nobody is withheld."""
        for attribute, levels in enumerate(costs):
            column = lattice.columns[attribute]
            people = lattice.crowds.sizes(column.codes, column.size)
            self.cells.append(np.array([(people * cost).sum() for cost in levels]) / self.all_cells)

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """The cells' costs, and for withheld people what is missing to 1: in finer vectors that is no less."""
        base = sum(float(cells[level]) for cells, level in zip(self.cells, groups.vector, strict=True))
        withheld = self._extra(groups, ~kept)
        # Mostly the same groups, whose cells need not be summed again.
        lost = withheld if np.array_equal(small, ~kept) else self._extra(groups, small)
        return Price(base + withheld, base, lost)

    def bases(self, floor: Vector) -> Floats:
        """The base of every vector, exactly: it depends on no group."""
        bases: Floats = np.zeros(())
        for cost, low in zip(self.cells, floor, strict=True):
            bases = np.add.outer(bases, cost[low:])
        return bases

    def _extra(self, groups: FrequencySet, which: Bools) -> float:
        if not which.any():
            return 0.0
        cells = int(groups.people[which].sum()) * len(self.costs)
        return max(0.0, (cells - self.lattice.cost_of_cells(groups, which, self.costs)) / self.all_cells)


class Discernibility(Pricing):
    """DM, the discernibility metric."""

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """Everybody costs the size of their group, which is at least k for all who are released."""
        sizes = groups.people.astype(np.float64)
        return Price(
            float((sizes[kept] ** 2).sum() + sizes[~kept].sum() * self.people),
            float((sizes * np.maximum(sizes, self.k)).sum()),
            float(sizes[small].sum() * max(0, self.people - self.k)),
        )


class AverageSize(Pricing):
    """People per released group, where the withheld count, too: least where most groups are released."""

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """The loss is minus the number of released groups.

        A group that a coarser vector releases takes in one that is released here, or k people who are withheld here.
        """
        released, withheld = int(kept.sum()), int(groups.people[~kept].sum())
        # Of n people in a group, a finer vector makes at most n // k groups that are large enough.
        most_coarser, most_finer = released + withheld // self.k, int((groups.people // self.k).sum())
        return Price(-released, -len(kept), int(small.sum()), -most_coarser, -most_finer)

    def as_published(self, loss: float) -> float:
        """People per group."""
        return self.people / -loss


class Classification(Pricing):
    """CM, the classification metric."""

    def __init__(self, lattice: Lattice) -> None:
        super().__init__(lattice)
        policy, table = lattice.crowds.policy, lattice.crowds.table
        if policy.target is None or policy.target not in table.columns:
            raise PolicyError("the loss 'cm' counts people outside the majority label of their group: name a target")
        weights = NO_WEIGHTS if table.weights is None else table.weights
        self.labels = count_values(table[policy.target], lattice.kind.astype(np.int64), lattice.kinds, weights)

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """Merging groups can only leave more people outside the majority, splitting them more inside."""
        majority = self._majorities(groups)
        minority = groups.people - majority
        loss = minority[kept].sum() + groups.people[~kept].sum()
        return Price(float(loss), float(minority.sum()), float(majority[small].sum()))

    def _majorities(self, groups: FrequencySet) -> Int64s:
        place, width = self.lattice.place_in(groups), len(self.labels.whole)
        if len(groups.people) * width > MOST_CELLS:
            return self.labels.united(np.arange(len(place)), place, len(groups.people)).majority
        return majorities(place, self.labels.start, self.labels.value, self.labels.people, len(groups.people), width)


def pricing(loss: Loss, lattice: Lattice) -> Pricing:
    """The way to price vectors that a loss stands for."""
    # Made only on demand, since some of them take time, or refuse a table without a target.
    ways: dict[Loss, Callable[[], Pricing]] = {
        "ncp": lambda: CellPricing(lattice, [_cell_costs(lattice, at) for at in range(len(lattice.top))]),
        "levels": lambda: CellPricing(lattice, [_level_costs(lattice, at) for at in range(len(lattice.top))]),
        "dm": lambda: Discernibility(lattice),
        "average-size": lambda: AverageSize(lattice),
        "cm": lambda: Classification(lattice),
    }
    return ways[loss]()


def _level_costs(lattice: Lattice, attribute: int) -> list[Floats]:
    """For each level, its share of the height, which every value costs there."""
    height = lattice.top[attribute]
    return [np.full(lattice.columns[attribute].size, level / height) for level in range(height + 1)]


def _cell_costs(lattice: Lattice, attribute: int) -> list[Floats]:
    """How much of its domain a value leaves open at each level (NCP, Xu et al. 2006), never less at a higher level."""
    column, height = lattice.columns[attribute], lattice.top[attribute]
    below_top = [_shares_open(column, level) for level in range(height)]
    return list(np.maximum.accumulate([*below_top, np.ones(column.size)]))


def _shares_open(column: Column, level: int) -> Floats:
    if column.hierarchy is None:
        return penalties(column)
    shares = np.zeros(column.size)
    known: dict[str, float] = {}
    for code in range(len(column.values)):
        label = column.label(code)
        name = column.hierarchy.path(label)[level] if column.hierarchy.find(label) else label
        if name not in known:
            known[name] = _share_open(column, column.hierarchy, name)
        shares[code] = known[name]
    if column.suppressed is not None:
        shares[column.suppressed] = 1.0
    return np.clip(shares, 0.0, 1.0)


def _share_open(column: Column, hierarchy: Hierarchy, name: str) -> float:
    """The share of the domain that a name leaves open: the range of its numbers, or the number of its categories."""
    members = [hierarchy.values[place] for place in sorted(hierarchy.members.get(name, ()))]
    if not members:
        members = list(values_in(read_cell(name)))
    if column.kind.is_measured:
        ends = range_of(read_cell(name)) or range_of(OneOf(tuple(members)))
        width = _width(column)
        if ends is not None:
            return (ends[1] - ends[0]) / width if width > 0 else 0.0
    return 0.0 if len(members) <= 1 else len(members) / len(hierarchy.values)


def _width(column: Column) -> float:
    """The range of the domain as declared, or of the numbers that occur."""
    domain = column.domain
    if domain is not None and domain.low is not None and domain.high is not None:
        return float(domain.high - domain.low)
    if column.is_measured:
        return float(column.values[-1] - column.values[0]) if len(column.values) else 0.0
    ranges = [ends for label in column.values if (ends := range_of(read_cell(label))) is not None]
    return max((high for _, high in ranges), default=0.0) - min((low for low, _ in ranges), default=0.0)
