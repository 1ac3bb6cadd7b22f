"""The paths of a tree in a pool: what each leaves of every attribute (Tian et al., Definition 7), and its people."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.model.admitted import Admitted, Stretch
from kspan.model.outcome import Counts, HitMiss, Outcome
from kspan.model.release import Marginal
from kspan.model.tree import Attribute, Node
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
    """What can be drawn of one attribute, choice by choice, the way that compiled code takes it."""

    begin: list[int] = field(default_factory=lambda: [0])
    first: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    reach: list[float] = field(default_factory=list)
    uneven: list[bool] = field(default_factory=list)
    below: Floats = field(default_factory=lambda: np.zeros(0))

    def add(self, options: Sequence[Option], uneven: bool) -> int:
        """The place of a new choice of some options."""
        reached = 0.0
        for first, count, weight in options:
            if weight > 0:
                reached += weight
                self.first.append(first)
                self.count.append(count)
                self.reach.append(reached)
        self.begin.append(len(self.first))
        self.uneven.append(uneven)
        return len(self.uneven) - 1

    def arrays(self) -> Arrays:
        """All of it as arrays."""
        begin, first, count = (np.array(each, np.int64) for each in (self.begin, self.first, self.count))
        return begin, first, count, np.array(self.reach, np.float64), np.array(self.uneven, bool), self.below


class Chooser:
    """Finds the choices of one tree for one attribute, that of a path which does not ask it first."""

    def __init__(self, coding: Coding, attribute: Attribute, marginal: Marginal | None = None) -> None:
        self.coding, self.marginal, self.choices = coding, marginal, Choices()
        self.known: dict[tuple[frozenset[str], tuple[Stretch, ...], bool, bool], int] = {}
        if marginal is not None:
            self.choices.below = coding.below(marginal)
        whole = Admitted.all_of(attribute)
        # Whoever is not asked has some value, unless there is none.
        self.choice(replace(whole, missing=not whole.values and not whole.stretches), null=False)

    def choice(self, admitted: Admitted, *, null: bool) -> int:
        """The choice of what is admitted, with a missing value if it is a condition, or if there is nothing else."""
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
    """For each attribute (row) and leaf the choice of what the path to it leaves."""
    choices: tuple[Choices, ...]
    """Of each attribute."""

    @property
    def impossible(self) -> list[int]:
        """The attributes of which some path admits nothing."""
        return np.flatnonzero((self.choice == NOTHING).any(axis=1)).tolist()


class _Held(NamedTuple):
    """What a path leaves of an attribute that it asks."""

    admitted: Admitted
    told: bool
    """Was a missing value a condition: taken by one edge of several?"""
    shared: bool
    """Did it go down several edges at once, so that a person without the value is on several paths?"""
    choice: int


def paths(pool: Pool, member: Member, codings: Sequence[Coding], *, marginals: bool) -> Paths:
    """The paths of one tree of a pool."""
    spread = {member.attributes[one.attribute]: one for one in member.release.marginals if marginals}
    wholes = [Admitted.all_of(attribute) for attribute in pool.attributes]
    choosers = [
        Chooser(coding, attribute, spread.get(at))
        for at, (coding, attribute) in enumerate(zip(codings, pool.attributes, strict=True))
    ]
    leaves, people = list[Outcome](), list[float]()
    asked, chosen, sizes = list[int](), list[int](), list[int]()
    waiting: list[tuple[Node, dict[int, _Held]]] = [(member.tree.root, {})]
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
        before = held.get(at) or _Held(wholes[at], False, False, ALL)
        takers = [edge.region.missing for edge in node.edges].count(True)
        told, shared = before.told or 0 < takers < len(node.edges), before.shared or takers > 1
        for edge in reversed(node.edges):
            left = before.admitted.through(edge.region)
            choice = choosers[at].choice(left, null=told and not shared and left.missing)
            waiting.append((edge.node, {**held, at: _Held(left, told, shared, choice)}))
    every = np.full((len(pool.attributes), len(leaves)), ALL, np.int32)
    every[asked, np.repeat(np.arange(len(leaves)), sizes)] = chosen
    return Paths(tuple(leaves), np.array(people), every, tuple(chooser.choices for chooser in choosers))


def label_choices(outcomes: Sequence[Outcome], member: Member) -> Arrays:
    """Of some leaves the labels with the people of each: so many of the label that was told, the misses evenly."""
    own = len(member.labels)
    codes = np.tile(np.array(member.labels, np.int64), (len(outcomes), 1))
    weights = np.zeros((len(outcomes), own))
    for place, outcome in enumerate(outcomes):
        if isinstance(outcome, Counts):
            weights[place] = outcome.counts
        elif isinstance(outcome, HitMiss):
            # The label that was told comes first, so that it begins and ends at a whole number of people.
            codes[place] = np.roll(codes[place], -(outcome.label or 0))
            weights[place, 1:] = outcome.miss / max(own - 1, 1)
            weights[place, 0] = outcome.hit
    inside = weights > 0
    begin = np.append(0, np.cumsum(inside.sum(axis=1)))
    first, reach = codes[inside], np.cumsum(weights, axis=1)[inside]
    return begin, first, np.ones(len(first), np.int64), reach, np.zeros(len(outcomes), bool), np.zeros(0)
