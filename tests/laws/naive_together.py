"""The naive twin of the judgment on several releases: all worlds that what was disclosed admits, one after the other.

A world gives everybody private values. The attacker knows the public values of all people and who is in each release,
so of all worlds those are left in which every release would disclose just what it does. S. R. Ganta, S. P.
Kasiviswanathan, A. Smith, "Composition attacks and auxiliary information in data privacy", KDD 2008.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from kspan.model.tree.model import Tree
from laws.naive_spans import leaf_of

PRIVATE: Mapping[str, tuple[str, ...]] = {"ill": ("flu", "hiv"), "job": ("a", "b")}
Person = Mapping[str, Any]
World = Sequence[tuple[str, ...]]
"""The private values of everybody."""


@dataclass(frozen=True)
class Published:
    """A release, and the people in it by their numbers: a tree, or a table that shows something of each person."""

    members: tuple[int, ...]
    tree: Tree | None = None
    words: Mapping[str, Mapping[str, str]] | None = None
    """For each public attribute, what each value is shown as."""
    cells: Mapping[int, Hashable] | None = None
    """What is shown of each person, where equal values may be shown as different cells."""

    def bin(self, number: int, person: Person) -> Hashable:
        """What the release discloses of somebody, without a name."""
        if self.tree is not None:
            return leaf_of(self.tree, person), person[self.tree.target]
        if self.cells is not None:
            return self.cells[number], *(person[name] for name in PRIVATE)
        assert self.words is not None
        shown = tuple(word[person[name]] for name, word in self.words.items())
        return shown, *(person[name] for name in PRIVATE)

    def disclosed(self, people: Sequence[Person], world: World) -> Counter[Hashable]:
        """What the release would disclose in a world."""
        return Counter(self.bin(one, _in(people[one], world[one])) for one in self.members)

    def reach(self, number: int, person: Person) -> frozenset[Hashable] | None:
        """All that somebody could show in it, by public values alone; None for whoever is not in it."""
        if number not in self.members:
            return None
        return frozenset(self.bin(number, _in(person, values)) for values in product(*PRIVATE.values()))

    def tells(self, name: str) -> bool:
        """Is something told of a private attribute, value by value?"""
        return self.tree is None or self.tree.target == name


def _in(person: Person, values: Sequence[str]) -> dict[str, Any]:
    return {**person, **dict(zip(PRIVATE, values, strict=True))}


def crowds(people: Sequence[Person], releases: Sequence[Published]) -> dict[Any, list[int]]:
    """The people, by all that they could show in all releases."""
    found: dict[Any, list[int]] = {}
    for number, person in enumerate(people):
        found.setdefault(tuple(release.reach(number, person) for release in releases), []).append(number)
    return found


def exposes(span: Sequence[frozenset[Hashable] | None]) -> bool:
    """Does any release tell something of those who have a joint span?"""
    return any(reach is not None and len(reach) > 1 for reach in span)


def true_world(people: Sequence[Person]) -> World:
    """The world as it is."""
    return [tuple(person[name] for name in PRIVATE) for person in people]


def worlds(people: Sequence[Person], releases: Sequence[Published], *, told: bool) -> Iterator[World]:
    """Every world in which all releases disclose just what they do; if `told`, also what each joint span has."""
    joint = list(crowds(people, releases).values())

    def seen(world: World) -> list[Any]:
        by_release: list[Any] = [release.disclosed(people, world) for release in releases]
        return by_release + ([Counter(world[one] for one in members) for members in joint] if told else [])

    true = seen(true_world(people))
    for world in product(product(*PRIVATE.values()), repeat=len(people)):
        if seen(world) == true:
            yield world


def beliefs(people: Sequence[Person], admitted: Sequence[World], name: str) -> list[Counter[str]]:
    """For everybody, in how many worlds they have each value of a private attribute."""
    place = list(PRIVATE).index(name)
    return [Counter(world[number][place] for world in admitted) for number in range(len(people))]


def satisfied(belief: Counter[str], requirement: str) -> bool:
    """Does what is believed of somebody satisfy a requirement?"""
    key, _, level = requirement.partition("=")
    total = sum(belief.values())
    shares = [count / total for count in belief.values()]
    if key.startswith("distinct_l"):
        return len(shares) >= float(level)
    if key.startswith("confidence"):
        return max(shares) <= float(level) + 1e-9
    assert key.startswith("entropy_l")
    return math.exp(-sum(share * math.log(share) for share in shares)) >= float(level) - 1e-9
