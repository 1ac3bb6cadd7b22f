"""What a vector of levels costs, and what every finer or coarser one must cost at least.

With u coarser than v, the groups of u are unions of those of v; that gives every bound here. Nothing is assumed of
which rows must be withheld but this: whoever stands in a group of fewer than k people is *lost* in every finer vector.

| loss           | of a vector                                                | coarser ones cost at least      | finer ones cost at least         |
|----------------|------------------------------------------------------------|---------------------------------|----------------------------------|
| `ncp`, `levels`| cells' costs summed over people, a withheld person's are 1  | their cells, nobody withheld    | their cells, and the extra here  |
| `dm`           | sum of squared sizes, |D| for each withheld person          | sum of size * max(size, k)      | |D| for each lost, k for others  |
| `average-size` | people / groups released                                   | by kept + withheld / k groups   | by the sum of size // k groups    |
| `cm`           | minorities of groups, 1 for each withheld person           | minorities of all groups here   | 1 for each lost                  |

So without withholding each of them only rises towards coarser vectors, and the optimum is a minimal vector. With withholding
none of them need do so: a coarser vector may bring rows back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from kspan.anonymize.lattice import FrequencySet, Lattice
from kspan.data.arrays import Bools, Floats
from kspan.data.cells import OneOf, range_of, read_cell, values_in
from kspan.data.groups import NO_WEIGHTS, count_values
from kspan.data.hierarchy import Hierarchy
from kspan.data.table import Column
from kspan.errors import PolicyError, did_you_mean
from kspan.utility.loss import penalties

Loss = Literal["ncp", "dm", "average-size", "cm", "levels"]


@dataclass(frozen=True)
class Price:
    """What a vector costs; what all coarser ones cost at least; and what all finer ones do beyond their cells."""

    loss: float
    coarser: float
    finer: float


class Pricing(Protocol):
    """One way to say what is lost."""

    cells: Sequence[Floats]
    """By attribute and level, what its cells cost if nobody is withheld; the sum bounds the loss from below."""

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """The price of a vector of which some groups are released, and some have fewer than k people."""


class CellPricing:
    """Every cell has a cost from 0 to 1 that never falls with its level, every cell of a withheld person costs 1."""

    def __init__(self, lattice: Lattice, costs: Sequence[Sequence[Floats]]) -> None:
        self.lattice, self.costs = lattice, costs
        self.all_cells = lattice.people * len(costs)
        people = lattice.finest.people
        self.cells = [
            np.array([(people * cost[lattice.codes[:, attribute]]).sum() for cost in levels]) / self.all_cells
            for attribute, levels in enumerate(costs)
        ]

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """The cells' costs, and for withheld people what is missing to 1: in finer vectors that is no less."""
        shown = sum(float(cells[level]) for cells, level in zip(self.cells, groups.vector, strict=True))
        extra = self._extra(groups, ~kept)
        lost = extra if np.array_equal(small, ~kept) else self._extra(groups, small)
        return Price(shown + extra, 0.0, lost)

    def _extra(self, groups: FrequencySet, which: Bools) -> float:
        if not which.any():
            return 0.0
        cells = int(groups.people[which].sum()) * len(self.costs)
        return max(0.0, (cells - self.lattice.cost_of_cells(groups, which, self.costs)) / self.all_cells)


class SizePricing:
    """A loss that depends on the sizes of groups alone."""

    def __init__(self, lattice: Lattice) -> None:
        self.people, self.k = lattice.people, lattice.crowds.k
        self.cells = [np.zeros(height + 1) for height in lattice.top]


class Discernibility(SizePricing):
    """DM."""

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """Everybody costs the size of the group; a group that is released has k people."""
        people, lost = groups.people, int(groups.people[small].sum())
        sizes = people.astype(np.float64)
        withheld = int(people[~kept].sum())
        return Price(
            float((sizes[kept] ** 2).sum() + withheld * self.people),
            float((sizes * np.maximum(sizes, self.k)).sum()),
            float(lost * self.people + (self.people - lost) * self.k),
        )


class AverageSize(SizePricing):
    """People per group that is released, the withheld among them."""

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """A coarser group takes in one that is released here, or has k people of those withheld here."""
        released, withheld = int(kept.sum()), int(groups.people[~kept].sum())
        most_coarser = min(len(kept), released + withheld // self.k)
        most_finer = int((groups.people // self.k).sum())
        return Price(*(self.people / most if most else np.inf for most in (released, most_coarser, most_finer)))


class Classification(SizePricing):
    """CM."""

    def __init__(self, lattice: Lattice) -> None:
        super().__init__(lattice)
        policy, table = lattice.crowds.policy, lattice.crowds.table
        if policy.target is None or policy.target not in table.columns:
            raise PolicyError("the loss 'cm' counts people outside the majority label of their group: name a target")
        weights = NO_WEIGHTS if table.weights is None else table.weights
        self.lattice = lattice
        self.labels = count_values(table[policy.target], lattice.kind, lattice.kinds, weights)

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """Merging groups can only leave more people outside the majority."""
        place = self.lattice.place_in(groups)
        labels = self.labels.united(np.arange(len(place)), place, len(kept))
        minority = labels.sizes - labels.majority
        withheld = int(groups.people[~kept].sum())
        return Price(float(minority[kept].sum() + withheld), float(minority.sum()), float(groups.people[small].sum()))


def pricing(loss: str, lattice: Lattice) -> Pricing:
    """The way to price vectors that a word stands for."""
    ways: dict[str, Callable[[], Pricing]] = {
        "ncp": lambda: CellPricing(lattice, [_cell_costs(lattice, at) for at in range(len(lattice.top))]),
        "levels": lambda: CellPricing(lattice, [_level_costs(lattice, at) for at in range(len(lattice.top))]),
        "dm": lambda: Discernibility(lattice),
        "average-size": lambda: AverageSize(lattice),
        "cm": lambda: Classification(lattice),
    }
    if loss not in ways:
        known = get_args(Loss)
        raise PolicyError(f"there is no loss {loss!r:.40}{did_you_mean(str(loss), known)}: use {', '.join(known)}")
    return ways[loss]()


def _level_costs(lattice: Lattice, attribute: int) -> list[Floats]:
    """The share of the levels that a value has risen."""
    height = lattice.top[attribute]
    return [np.full(lattice.columns[attribute].size, level / height) for level in range(height + 1)]


def _cell_costs(lattice: Lattice, attribute: int) -> list[Floats]:
    """How much of its domain a value leaves open at each level (NCP, Xu et al. 2006), which no higher level undoes."""
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
    """Of a number the range of the values below its name, of a category their number, as shares of the domain."""
    members = [hierarchy.values[place] for place in sorted(hierarchy.members.get(name, ()))]
    if not members:
        members = list(values_in(read_cell(name)))
    if column.kind == "numeric":
        ends = range_of(read_cell(name)) or range_of(OneOf(tuple(members)))
        width = _width(column)
        if ends is not None and width > 0:
            return (ends[1] - ends[0]) / width
    return 0.0 if len(members) <= 1 else len(members) / len(hierarchy.values)


def _width(column: Column) -> float:
    """The range of the domain as declared, or of the numbers that occur."""
    domain = column.domain
    if domain is not None and domain.low is not None and domain.high is not None:
        return float(domain.high - domain.low)
    if column.values.dtype != object:
        return float(column.values[-1] - column.values[0]) if len(column.values) else 0.0
    ranges = [ends for label in column.values if (ends := range_of(read_cell(label))) is not None]
    return max((high for _, high in ranges), default=0.0) - min((low for low, _ in ranges), default=0.0)
