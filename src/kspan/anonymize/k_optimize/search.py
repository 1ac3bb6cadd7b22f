"""The search of K-Optimize: which values should start a new interval, so that a table costs least.

A set of cuts is a matrix of booleans, `cuts[attribute, bin]`: does an interval begin at this bin? The first bin of an
attribute always begins one, and is never marked.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.kernels.k_optimize import (
    CM,
    CM_AT_LEAST,
    DM,
    DM_AT_LEAST,
    Counts,
    additions,
    bill,
    group_cells,
    group_totals,
    removals,
    withheld_price,
)

Int32s = NDArray[np.int32]

MOST_TRIED = 24
"""The most changes that one step of the local search tries, since a requirement may make each of them costly."""

KICK = 4
"""How many cuts change, on average, before the local search starts again."""

FEW_CUTS = 12
"""Up to this many possible cuts, the whole tree is searched sooner than a local search would help."""


@dataclass(frozen=True)
class Combinations:
    """The different combinations of public values, and how many people of each label have them."""

    bins: NDArray[Any]
    counts: Counts

    def at(self, which: Bools) -> "Combinations":
        """The combinations that are marked."""
        return self if which.all() else Combinations(self.bins[which], self.counts[which])

    def united(self, interval: Int32s) -> "Combinations":
        """Unite the combinations that are in the same intervals; each union has the bins of one of them."""
        group, example = group_cells(self.bins, interval)
        if len(example) == len(group):
            return self
        return Combinations(self.bins[example], group_totals(group, len(example), self.counts))


@dataclass(frozen=True)
class Aim:
    """What is to be minimized, and what is allowed."""

    loss: str
    k: int
    everybody: int
    may_withhold: int
    """The most people who may be withheld."""
    exact: Callable[[Int32s, int], tuple[float, int]] | None
    """Finds the cost and the withheld people of groups of cells, if more than k is required."""
    local: bool
    """Does a group alone decide whether it satisfies the requirement, whatever other groups there are?"""

    def excess(self, withheld: int) -> int:
        """How many people too many are withheld."""
        return max(withheld - self.may_withhold, 0)

    @property
    def kind(self) -> int:
        """The kernels' code for what a group costs."""
        return CM if self.loss == "cm" else DM

    @property
    def kind_at_least(self) -> int:
        """The kernels' code for what a group costs at least, in whatever larger group it ends up."""
        return CM_AT_LEAST if self.loss == "cm" else DM_AT_LEAST


@dataclass
class BestCuts:
    """The best cuts so far, and what is known of how good they are."""

    cuts: Bools
    cost: float
    proved: bool = False
    nodes: int = 0
    at_least: float = 0.0


@dataclass
class Clock:
    """How long a search may take, and whom to tell how far it is."""

    seconds: float
    progress: Callable[[float], None] | None = None
    start: float = field(default=0.0, init=False)

    def begin(self) -> None:
        """Start the clock."""
        self.start = time.monotonic()

    def share(self) -> float:
        """The share of the time that is over, which is also told to `progress`."""
        gone = time.monotonic() - self.start
        share = min(gone / self.seconds, 1.0) if self.seconds > 0 else 1.0
        if self.progress is not None:
            self.progress(share)
        return share


def search(cells: Combinations, possible: Bools, aim: Aim, clock: Clock, *, rng: np.random.Generator) -> BestCuts:
    """The cheapest cuts among the possible ones that can be found in time, starting from none."""
    _load_compiled(cells, possible, aim)
    clock.begin()
    none = np.zeros_like(possible)
    found = BestCuts(none, _Cost(cells, none, aim).exact()[0])
    if possible.sum() > FEW_CUTS:
        _search_nearby(cells, possible, aim, found, clock, rng)
    _search_tree(cells, possible, aim, found, clock)
    return found


def _load_compiled(cells: Combinations, possible: Bools, aim: Aim) -> None:
    """Run all compiled loops on two cells before the clock starts: compiling them may take as long as a search."""
    few = Combinations(cells.bins[:2].copy(order="K"), cells.counts[:2])
    cost = _Cost(few, possible, replace(aim, exact=None))
    cost.added()
    cost.removed()
    withheld_price(cost.withheld, aim.kind, aim.everybody)


class _Cost:
    """What some cuts cost, with the groups of cells that they make."""

    def __init__(self, cells: Combinations, cuts: Bools, aim: Aim) -> None:
        self.cells, self.cuts, self.aim = cells, cuts, aim
        self.interval = intervals(cuts)
        self.group, self.example = group_cells(cells.bins, self.interval)
        self.totals: Counts = group_totals(self.group, len(self.example), cells.counts)
        self.by_size, self.withheld = bill(self.totals, aim.kind, aim.k, aim.everybody)
        """What it costs if only groups smaller than k are withheld: a lower bound for any requirement with this k."""

    def exact(self) -> tuple[float, int]:
        """The cost, and how many people are withheld."""
        if self.aim.exact is None:
            return self.by_size, self.withheld
        return self.aim.exact(self.group, len(self.example))

    def added(self) -> tuple[Floats, Int64s]:
        """For every attribute and bin, the cost by size and how many are withheld if another interval begins there."""
        aim, cells = self.aim, self.cells
        change, _, lost, _ = additions(
            cells.bins, self.cuts.shape[1], self.group, self.totals, cells.counts, aim.kind, aim.k, aim.everybody
        )  # fmt: skip
        return self.by_size + change, self.withheld + lost

    def removed(self) -> tuple[Floats, Int64s]:
        """The same if the interval that begins there is united with the one before; infinite where none begins."""
        aim, bins = self.aim, self.cells.bins[self.example]
        change, freed = removals(bins, self.interval, self.totals, aim.kind, aim.k, aim.everybody)
        cost, withheld = np.full(self.cuts.shape, np.inf), np.zeros(self.cuts.shape, np.int64)
        where = np.nonzero(self.cuts)
        of_interval = (where[0], self.interval[where])
        cost[where], withheld[where] = self.by_size + change[of_interval], self.withheld - freed[of_interval]
        return cost, withheld


def intervals(cuts: Bools) -> Int32s:
    """The interval of every bin of every attribute."""
    return np.cumsum(cuts, axis=1, dtype=np.int32)


def _search_nearby(
    cells: Combinations, possible: Bools, aim: Aim, found: BestCuts, clock: Clock, rng: np.random.Generator
) -> None:
    """Local search, for half of the time: change single cuts while that helps, then some at random, and begin again.

    It begins with no cut, with the best of some even grids, and with all cuts, because each may end at another place.
    """
    for start in (found.cuts, _best_grid(cells, possible, aim, found, clock), possible):
        _descend(cells, start, possible, aim, found, clock)
    patience = failures = int(possible.sum())
    while failures > 0 and clock.share() < 0.5:
        before = found.cost
        kicked = found.cuts ^ (possible & (rng.random(possible.shape) < KICK / patience))
        _descend(cells, kicked, possible, aim, found, clock)
        failures = patience if found.cost < before else failures - 1


def _best_grid(cells: Combinations, possible: Bools, aim: Aim, found: BestCuts, clock: Clock) -> Bools:
    """The cheapest way to begin an interval at every bin, every second one, every fourth one and so on."""
    grids, step = [], 1
    while step < possible.shape[1]:
        grids.append(possible & (np.arange(possible.shape[1]) % step == 0))
        step *= 2
    best, best_key = possible, (aim.everybody, np.inf)
    for grid in reversed(grids):
        if clock.share() >= 0.5:
            break
        cost, withheld = _try(cells, grid, aim, found)
        if (key := (aim.excess(withheld), cost)) < best_key:
            best, best_key = grid, key
    return best


def _descend(cells: Combinations, cuts: Bools, possible: Bools, aim: Aim, found: BestCuts, clock: Clock) -> None:
    """Make the best single change, again and again, until none helps: first to withhold few enough, then by cost."""
    now = _Cost(cells, cuts, aim)
    cost, withheld = now.exact()
    while clock.share() < 0.5:
        if withheld <= aim.may_withhold and cost < found.cost:
            found.cuts, found.cost = cuts, cost
        places = _promising(now, possible, cost, withheld)
        del now  # the groups of all cells, of which two at once would take much memory
        for place in places:
            changed = cuts.copy()
            changed[place] ^= True
            now = _Cost(cells, changed, aim)
            then_cost, then_withheld = now.exact()
            if (aim.excess(then_withheld), then_cost) < (aim.excess(withheld), cost):
                cuts, cost, withheld = changed, then_cost, then_withheld
                break
            del now
        else:
            return


def _promising(now: _Cost, possible: Bools, cost: float, withheld: int) -> list[tuple[np.intp, ...]]:
    """Places where a change may help, the most promising first, by the cost by size: a lower bound of the true cost."""
    (added, lost), (removed, lost_then) = now.added(), now.removed()
    then = np.where(now.cuts, removed, np.where(possible, added, np.inf)).ravel()
    excess = np.maximum(np.where(now.cuts, lost_then, lost).ravel() - now.aim.may_withhold, 0)
    best_first = np.lexsort((then, excess, np.isinf(then)))[:MOST_TRIED]
    limit = (now.aim.excess(withheld), cost)
    # Places are in order, so that none can help after the first that cannot.
    helps = takewhile(lambda place: np.isfinite(then[place]) and (excess[place], then[place]) < limit, best_first)
    return [np.unravel_index(place, possible.shape) for place in helps]


@dataclass(frozen=True)
class _Node:
    """All sets of cuts that have the whole head and any part of the tail; none of them costs less than `at_least`."""

    head: Bools
    tail: Bools
    at_least: float


def _search_tree(cells: Combinations, possible: Bools, aim: Aim, found: BestCuts, clock: Clock) -> None:
    """Search the set-enumeration tree depth first, without what cannot be better than the best found."""
    open_nodes = [_Node(np.zeros_like(possible), possible, 0.0)]
    while open_nodes and clock.share() < 1.0:
        node = open_nodes.pop()
        found.nodes += 1
        open_nodes += _visit(cells, node, aim, found)
    # Whatever was not searched is below a node that is still open.
    found.proved = not open_nodes
    found.at_least = min([found.cost, *(node.at_least for node in open_nodes)])


def _visit(cells: Combinations, node: _Node, aim: Aim, found: BestCuts) -> list[_Node]:
    """Try a node's head, prune its tail, and divide what is left by its best cut.

    The half with that cut comes last, so that it is visited next.
    """
    head, tail = node.head, node.tail
    tried = False
    # A shorter tail has a higher bound, with which more may be pruned: until nothing changes.
    while True:
        bound = _Bound(cells, head, tail, aim)
        if bound.withheld > aim.may_withhold or bound.at_least >= found.cost:
            return []
        if not tried:
            _try(cells, head, aim, found)
            tried = True
        useless, forced = bound.prune(found.cost)
        if (useless & forced).any():
            return []
        if not (useless | forced).any():
            break
        # A head that got forced cuts is a new one, and must be tried.
        head, tail, tried = head | forced, tail & ~useless & ~forced, not forced.any()
    if not tail.any():
        return []
    best = bound.divide_at()
    without, with_it = tail.copy(), head.copy()
    without[best], with_it[best] = False, True
    return [_Node(head, without, bound.at_least), _Node(with_it, without, bound.at_least)]


def _try(cells: Combinations, cuts: Bools, aim: Aim, found: BestCuts) -> tuple[float, int]:
    """Find the cost and the withheld people of some cuts, and keep the cuts if they are the best so far."""
    cost, withheld = _Cost(cells, cuts, aim).exact()
    if withheld <= aim.may_withhold and cost < found.cost:
        found.cuts, found.cost = cuts, cost
    return cost, withheld


class _Bound:
    """What every set of cuts below a node costs at least (Bayardo and Agrawal, Sect. 4).

    People in groups smaller than k under the head stay withheld. All others cost at least what they cost in the cells
    that the head and the whole tail tell apart.
    """

    def __init__(self, cells: Combinations, head: Bools, tail: Bools, aim: Aim) -> None:
        self.head, self.tail, self.aim = head, tail, aim
        self.finest = intervals(head | tail)
        self.cells = cells.united(self.finest)
        self.group, example = group_cells(self.cells.bins, intervals(head))
        self.totals: Counts = group_totals(self.group, len(example), self.cells.counts)
        _, self.withheld = bill(self.totals, aim.kind, aim.k, aim.everybody)
        if self.withheld:
            self.cells = self.cells.at((self.totals.sum(axis=1) >= aim.k)[self.group])
            self.group, example = group_cells(self.cells.bins, intervals(head))
            self.totals = group_totals(self.group, len(example), self.cells.counts)
        floor, _ = bill(self.cells.counts, aim.kind_at_least, aim.k, aim.everybody)
        self.at_least = floor + withheld_price(self.withheld, aim.kind, aim.everybody)

    def prune(self, cost: float) -> tuple[Bools, Bools]:
        """The cuts of the tail that no set of cuts below this cost needs, and those that every such set must have."""
        aim, tail, cells = self.aim, self.tail, self.cells
        change, self.with_it, lost, useful = additions(
            cells.bins, tail.shape[1], self.group, self.totals, cells.counts, aim.kind, aim.k, aim.everybody
        )
        self.change = change
        dear = (self.at_least + self.with_it >= cost) | (self.withheld + lost > aim.may_withhold)
        # Where a value only makes groups that are withheld, its neighbors are better left together. But if groups are
        # compared with everybody who is released, releasing more people may hurt others.
        idle = useful == 0 if aim.local else (useful == 0) & (lost == 0)
        united, _ = removals(cells.bins, self.finest, cells.counts, aim.kind_at_least, aim.k, aim.everybody)
        self.without = np.zeros(tail.shape)
        where = np.nonzero(tail)
        self.without[where] = united[(where[0], self.finest[where])]
        return tail & (dear | idle), tail & (self.at_least + self.without >= cost)

    def divide_at(self) -> tuple[np.intp, ...]:
        """The cut of the tail that raises the bounds of both halves most; in a tie the one that saves most.

        `prune` must have been called before.
        """
        worth = (self.with_it + 1.0) * (self.without + 1.0)
        places = np.nonzero(self.tail)
        best = np.lexsort((self.change[places], -worth[places]))[0]
        return tuple(axis[best] for axis in places)
