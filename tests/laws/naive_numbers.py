"""The naive twin of trees whose target is a number: each notion straight from its definition, slow and plain.

A bin is a leaf and what is private of the target. So the span of a person is the set of leaves that one with the same
public values may be in and, if the target is public, the number. A private target always leaves several bins.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import strategies as st

from kspan.data.kinds.numbers import NUMBERS
from kspan.model.outcome import NumberDisclosure, Numbers
from kspan.model.tree.model import Edge, Node, Tree
from laws import naive_spans
from laws.naive_spans import Domains, Person, Value, admits

TARGET = "income"
Span = tuple[frozenset[int], Value]


@dataclass(frozen=True)
class World:
    """People, all the values that they could have, and a tree that tells of their numbers in each node."""

    tree: Tree
    people: tuple[dict[str, Value], ...]
    domains: dict[str, list[Value]]


@st.composite
def worlds(draw: st.DrawFn, kind: NumberDisclosure = "mean", crowd: int = 2, *, contradictions: bool = True) -> World:
    """A world of labels in which everybody has a number instead."""
    world = draw(naive_spans.worlds(contradictions, most=20))
    cells = st.sampled_from([0, 1, 2, 3, 12, 40, 41, 500, -7]) | st.integers(-20, 1000)
    people = tuple({**person, TARGET: draw(cells)} for person in world.people)
    tree = world.tree
    root = told(tree.root, tree, people, people, kind, crowd)
    numbers = Tree(tree.attributes, TARGET, tree.target_role, (), root, target_kind=NUMBERS)
    return World(numbers, people, world.domains)


def told(
    node: Node, tree: Tree, here: Sequence[Person], everybody: Sequence[Person], kind: NumberDisclosure, crowd: int
) -> Node:
    """The same node, telling of the numbers of the people who are here."""
    edges = []
    for edge in node.edges:
        assert node.attribute is not None
        asked = tree.attributes[node.attribute]
        passed = [person for person in here if admits(edge.region, asked, person[asked.name])]
        edges.append(Edge(edge.region, told(edge.node, tree, passed, everybody, kind, crowd)))
    outcome = outcome_of([number(one) for one in here], [number(one) for one in everybody], kind, crowd)
    return replace(node, outcome=outcome, edges=tuple(edges))


def number(person: Person) -> int:
    """The number of a person."""
    found = person[TARGET]
    assert isinstance(found, int)
    return found


# What a node may tell


def outcome_of(numbers: list[int], everybody: list[int], kind: NumberDisclosure, crowd: int) -> Numbers:
    """What a node tells of people with these numbers."""
    if not numbers:
        return Numbers(0, None, kind=kind)
    mean = float(Fraction(sum(numbers), len(numbers)))
    if kind == "mean":
        return Numbers(len(numbers), mean)
    low, middle, high = (round_numbers(quantile(numbers, share), everybody, crowd) for share in (1, 5, 9))
    median = float(middle[0] if quantile(numbers, 5) - middle[0] <= middle[1] - quantile(numbers, 5) else middle[1])
    if kind == "median":
        return Numbers(len(numbers), mean, median, kind=kind)
    ends = float(low[0]), float(high[1])
    return Numbers(len(numbers), mean, min(max(median, ends[0]), ends[1]), *ends, kind)


def quantile(numbers: list[int], tenths: int) -> int:
    """The first number up to which so many tenths of the people have theirs."""
    return sorted(numbers)[math.ceil(Fraction(tenths * len(numbers), 10)) - 1]


def round_numbers(value: int, everybody: list[int], crowd: int) -> tuple[int, int]:
    """The ends of the finest cell around a number in which a crowd has numbers; a common number is its own cell."""
    if everybody.count(value) >= crowd:
        return value, value
    cell = (value, value)
    for power in range(8):
        for factor in (1, 2, 5):
            step = factor * 10**power
            if step == 1 or not _is_needed(step, everybody):
                continue
            low = value // step * step
            cell = (low, low + step)
            if sum(cell[0] <= other < cell[1] for other in everybody) >= crowd:
                return cell
    return cell


def _is_needed(step: int, everybody: list[int]) -> bool:
    """Is a step not larger than all numbers need?"""
    most = max(abs(one) for one in everybody) or 1
    return step <= 5 * 10 ** (math.ceil(math.log10(most)) + 1)


# What an attacker sees


def reachable(tree: Tree, person: Person, domains: Domains) -> Span:
    """The leaves of one who has the same public values, and any private values whatever; and a public number."""
    asked = {node.attribute for node in tree.nodes()} - {None}
    private = [a.name for i, a in enumerate(tree.attributes) if a.role == "private" and i in asked]
    leaves = {
        naive_spans.leaf_of(tree, {**person, **dict(zip(private, values, strict=True))})
        for values in product(*(domains[name] for name in private))
    }
    there = frozenset(leaf for leaf in leaves if leaf is not None)
    return there, person[TARGET] if tree.target_role == "public" else None


def spans(world: World) -> dict[Span, list[int]]:
    """The people, by index, who have the same span."""
    found: dict[Span, list[int]] = {}
    for index, person in enumerate(world.people):
        found.setdefault(reachable(world.tree, person, world.domains), []).append(index)
    return found


def few(world: World, crowd: int, of_sums: Callable[[list[Any]], bool] = lambda here: True) -> set[int]:
    """The leaves of a private target where a mean is that of too few people, or tells the number of one of them."""
    if world.tree.target_role == "public":
        return set()
    here: dict[int, list[int]] = {}
    for person in world.people:
        leaf = naive_spans.leaf_of(world.tree, person)
        assert leaf is not None
        here.setdefault(leaf, []).append(number(person))
    return {leaf for leaf, numbers in here.items() if len(numbers) < max(crowd, 2) or not of_sums(numbers)}


def holds(world: World, satisfied: Callable[[list[Any]], bool]) -> bool:
    """Do the numbers of the people of each span satisfy the requirement? A span of one bin need not."""
    return all(
        satisfied([number(world.people[index]) for index in members])
        for (leaves, own), members in spans(world).items()
        if own is None or len(leaves) != 1
    )
