"""The paths of a tree in a pool: what each admits of every attribute (Tian et al., Definition 7), and its people."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.garbage import uncollected
from kspan.model.outcome import HitMiss, LabelCounts, Outcome
from kspan.model.tree.admitted import Admitted, Stretch
from kspan.model.tree.model import Attribute, Node, Region
from kspan.model.tree.release import Marginal
from kspan.share.codings import MISSING, Coding, Option
from kspan.share.pool import Member, Pool

NOTHING = -1
"""The choice of a path that admits no value."""
Arrays: TypeAlias = tuple[Int64s, Int64s, Int64s, Floats, Bools, Floats]
"""Choices as `kspan.kernels.pseudo` takes them."""
ALL = 0
"""The choice of a path that does not ask: every value."""


@dataclass
class Choices:
    """What can be drawn of one attribute, choice by choice, in the form that `kspan.kernels.pseudo` takes."""

    begin: list[int] = field(default_factory=lambda: [0])
    first: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    reach: list[float] = field(default_factory=list)
    uneven: list[bool] = field(default_factory=list)
    below: Floats = field(default_factory=lambda: np.zeros(0))

    def add(self, options: Sequence[Option], uneven: bool) -> int:
        """Add a choice between some options, and return its number."""
        reached = 0.0
        for first, count, weight in options:
            # Compiled code relies on every option having a weight.
            if weight > 0:
                reached += weight
                self.first.append(first)
                self.count.append(count)
                self.reach.append(reached)
        self.begin.append(len(self.first))
        self.uneven.append(uneven)
        return len(self.uneven) - 1

    def arrays(self) -> Arrays:
        """Return all choices as arrays."""
        begin, first, count = (np.array(each, np.int64) for each in (self.begin, self.first, self.count))
        return begin, first, count, np.array(self.reach, np.float64), np.array(self.uneven, bool), self.below


class Chooser:
    """Finds the choices of one tree for one attribute; the first one is for paths that do not ask it."""

    def __init__(self, coding: Coding, attribute: Attribute, marginal: Marginal | None = None) -> None:
        self.coding, self.marginal, self.choices = coding, marginal, Choices()
        self.known: dict[tuple[frozenset[str], tuple[Stretch, ...], bool, bool], int] = {}
        if marginal is not None:
            self.choices.below = coding.below(marginal)
        whole = Admitted.all_of(attribute)
        # Whoever is not asked has some value, unless there is none.
        self.choice(replace(whole, missing=not whole.values and not whole.stretches), null=False)

    def choice(self, admitted: Admitted, *, null: bool) -> int:
        """Return the choice for what is admitted; it has a missing value if `null`, or if there is nothing else."""
        key = admitted.values, admitted.stretches, admitted.missing, null
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._choice(admitted, null=null)
        return found

    def _choice(self, admitted: Admitted, *, null: bool) -> int:
        if self.marginal is not None:
            options = self.coding.weighed(admitted, self.marginal, self.choices.below)
            if null:
                options.append((MISSING, 1, float(self.choices.below[1])))
            if any(weight > 0 for _, _, weight in options):
                return self.choices.add(options, self.coding.uneven)
        # Where nobody of the published spread is on this path, all that it admits is equally likely.
        options = self.coding.options(admitted)
        if null or (not options and admitted.missing):
            options.append((MISSING, 1, 1.0))
        return self.choices.add(options, False) if options else NOTHING


@dataclass(frozen=True, eq=False)
class Paths:
    """The leaves of a tree that some people reached, left to right."""

    outcomes: tuple[Outcome, ...]
    people: Floats
    choice: NDArray[np.int32]
    """For each attribute (row) and leaf (column), the choice of what the path to the leaf admits."""
    choices: tuple[Choices, ...]
    """The choices of each attribute."""

    @property
    def impossible(self) -> list[int]:
        """The attributes of which some path admits nothing."""
        return np.flatnonzero((self.choice == NOTHING).any(axis=1)).tolist()


@dataclass(eq=False, slots=True)
class _Left:
    """What a path admits of an attribute; `through` remembers what is left of it after each edge."""

    admitted: Admitted
    told: bool
    """Was a missing value a condition, taken by some edges of a node but not by all?"""
    shared: bool
    """Did a missing value go down several edges at once, so that a person without the value is on several paths?"""
    choice: int
    through: dict[tuple[Region, bool, bool], "_Left"] = field(default_factory=dict)

    def below(self, region: Region, told: bool, shared: bool, chooser: Chooser) -> "_Left":
        """Return what is left after an edge; `told` and `shared` are as they are for its node."""
        found = self.through.get((region, told, shared))
        if found is None:
            left = self.admitted.through(region)
            # A person whose missing value went several ways is on several paths, so it is drawn on none of them.
            choice = chooser.choice(left, null=told and not shared and left.missing)
            found = self.through[region, told, shared] = _Left(left, told, shared, choice)
        return found


@uncollected()
def paths(pool: Pool, member: Member, codings: Sequence[Coding], *, marginals: bool) -> Paths:
    """Return the paths of one tree of a pool; `marginals` says whether to use how attributes spread."""
    spread = {member.attributes[one.attribute]: one for one in member.release.marginals if marginals}
    choosers = [
        Chooser(coding, attribute, spread.get(at))
        for at, (coding, attribute) in enumerate(zip(codings, pool.attributes, strict=True))
    ]
    unasked = [_Left(Admitted.all_of(attribute), False, False, ALL) for attribute in pool.attributes]
    leaves, people = list[Outcome](), list[float]()
    asked, chosen, sizes = list[int](), list[int](), list[int]()
    waiting: list[tuple[Node, dict[int, _Left]]] = [(member.tree.root, {})]
    while waiting:
        node, held = waiting.pop()
        if node.attribute is None:
            if reached := node.people:
                leaves.append(node.outcome)
                people.append(float(reached))
                asked.extend(held)
                chosen.extend([one.choice for one in held.values()])
                sizes.append(len(held))
            continue
        at = member.attributes[node.attribute]
        before, chooser = held.get(at, unasked[at]), choosers[at]
        takers = [edge.region.missing for edge in node.edges].count(True)
        told, shared = before.told or 0 < takers < len(node.edges), before.shared or takers > 1
        # Reversed, since the last one in comes out first: leaves are found from left to right.
        for edge in reversed(node.edges):
            region = member.admits(node.attribute, edge.region, pool.attributes[at])
            waiting.append((edge.node, {**held, at: before.below(region, told, shared, chooser)}))
    # What a path does not ask keeps the choice of all values.
    every = np.full((len(pool.attributes), len(leaves)), ALL, np.int32)
    every[asked, np.repeat(np.arange(len(leaves)), sizes)] = chosen
    return Paths(tuple(leaves), np.array(people), every, tuple(chooser.choices for chooser in choosers))


def label_choices(outcomes: Sequence[Outcome], member: Member) -> Arrays:
    """Return the labels of some leaves as choices, weighted by people; misses count evenly for all other labels."""
    own = len(member.labels)
    nothing = (0,) * own
    codes = np.tile(np.array(member.labels, np.int64), (len(outcomes), 1))
    weights = np.array(
        [outcome.counts if isinstance(outcome, LabelCounts) else nothing for outcome in outcomes], np.float64
    )
    for place, outcome in enumerate(outcomes):
        if isinstance(outcome, HitMiss):
            # The label that was told comes first, so that it begins and ends at a whole number of people.
            codes[place] = np.roll(codes[place], -(outcome.label or 0))
            weights[place, 1:] = outcome.miss / max(own - 1, 1)
            weights[place, 0] = outcome.hit
    inside = weights > 0
    begin = np.append(0, np.cumsum(inside.sum(axis=1)))
    first, reach = codes[inside], np.cumsum(weights, axis=1)[inside]
    return begin, first, np.ones(len(first), np.int64), reach, np.zeros(len(outcomes), bool), np.zeros(0)
