"""What a vector of levels costs, and what every finer or coarser one must cost at least.

The groups of a coarser vector are unions of those of a finer one, and whoever stands in a group of fewer than k people
is *lost* in every finer vector. So the loss of a vector is at least the sum of a `base` that only rises towards coarser
vectors and an `extra` that only rises towards finer ones:

| loss            | of a vector                        | base                              | extra                   |
|-----------------|------------------------------------|-----------------------------------|-------------------------|
| `ncp`, `levels` | mean cost of a cell, 1 if withheld | least costs, nobody withheld      | what the lost lack to 1 |
| `dm`            | squared sizes, |D| if withheld     | size * max(size, k) of all groups | |D| - k for each lost   |
| `average-size`  | people / groups released           | - groups                          | groups of the lost      |
| `cm`            | minorities, 1 if withheld          | minorities of all groups          | majorities of the lost  |

Without withholding there is no extra, and each loss rises towards coarser vectors (NCP may fall where the names of a
hierarchy are ranges that do not nest). With withholding this need not be so: a coarser vector may bring rows back.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kspan.anonymize.full_domain.lattice import FrequencySet, Lattice, Vector, shown_at
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, count_values
from kspan.data.table import Column
from kspan.errors import PolicyError
from kspan.kernels.lattice import majorities
from kspan.utility.loss import depends_on_shown, may_be_read_otherwise, penalties

MOST_CELLS = 1 << 22
"""Labels of groups are counted in a dense table up to this size."""

MOST_KNOWN = 64
"""Of each level, costs are remembered for so many sets of names that are shown."""

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


class CertaintyPricing(CellPricing):
    """NCP, as `kspan.utility.loss.penalties` defines it, of the table that a vector makes.

    What a range or a set costs may depend on what else is shown: where no domain is declared, it is what the table
    shows. Fewer shown cells make the others cost more, so costs with everybody shown are the bounds.
    """

    def __init__(self, lattice: Lattice) -> None:
        levels = [[_Level.of(lattice, at, level) for level in range(high + 1)] for at, high in enumerate(lattice.top)]
        # A base must never fall towards coarser levels: it is the least that this level or any coarser one costs.
        bounds = [np.minimum.accumulate([level.least for level in each][::-1])[::-1] for each in levels]
        super().__init__(lattice, [list(each) for each in bounds])
        self.levels = levels

    def price(self, groups: FrequencySet, kept: Bools, small: Bools) -> Price:
        """The loss of the very table, and the bounds of others by costs with everybody shown."""
        bound = super().price(groups, kept, small)
        here = [levels[level] for levels, level in zip(self.levels, groups.vector, strict=True)]
        example = groups.example[kept]
        costs = [
            each.costs(None if kept.all() else self.lattice.shown_codes(attribute, groups.vector[attribute], example))
            for attribute, each in enumerate(here)
        ]
        withheld = int(groups.people[~kept].sum()) * len(costs)
        cost = self.lattice.cost_of_values(groups, kept, costs)
        return replace(bound, loss=(cost + withheld) / self.all_cells)


@dataclass(frozen=True, repr=False)
class _Level:
    """What the values of an attribute cost at a level."""

    column: Column
    level: int
    names: Int64s
    """The code of the name of each value."""
    with_all: Floats
    """What each value costs if all names are shown."""
    least: Floats
    """What each value costs at least, whatever is shown."""
    varies: bool
    """May that depend on which names are shown?"""
    known: dict[bytes, Floats]
    """What each value costs by which names are shown, as far as that was asked."""

    @classmethod
    def of(cls, lattice: Lattice, attribute: int, level: int) -> "_Level":
        column, names = lattice.columns[attribute], lattice.names[attribute][level]
        every = np.arange(lattice.widths[attribute][level])
        shown = column if level == 0 else shown_at(column, level, every).column
        with_all, varies = _costs(column, level, every)[names], depends_on_shown(shown)
        least = np.zeros(len(names)) if varies and may_be_read_otherwise(shown) else with_all
        return cls(column, level, names, with_all, least, varies, {})

    def costs(self, shown: Int64s | None) -> Floats:
        """What each value costs if just these names are shown (None: all)."""
        if shown is None or not self.varies:
            return self.with_all
        some = np.unique(shown)
        key = some.tobytes()
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            of_name = np.zeros(int(self.names.max()) + 1)
            of_name[some] = _costs(self.column, self.level, some)
            self.known[key] = of_name[self.names]
        return self.known[key]


def _costs(column: Column, level: int, names: Int64s) -> Floats:
    """What some names of a level cost in a table that shows just these."""
    if level == 0 and column.is_measured:
        return penalties(column)[names]
    shown = shown_at(column, level, names)
    return penalties(shown.column)[shown.code]


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
        "ncp": lambda: CertaintyPricing(lattice),
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
