"""Rules and itemsets by their definition: every choice of private items is tried, and every population."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Any

from hypothesis import strategies as st

from kspan.model.itemsets.model import Itemset
from kspan.model.rules.model import Rule
from laws import naive

Basket = frozenset[str]
States = tuple[int, ...]
Release = tuple[Rule, ...] | tuple[Itemset, ...]
PUBLIC, PRIVATE = ("A", "B", "C"), ("x", "y", "z")
ROLES: Mapping[str, str] = dict.fromkeys(PUBLIC, "public") | dict.fromkeys(PRIVATE, "private")


@dataclass(frozen=True)
class World:
    people: tuple[Basket, ...]
    rules: tuple[Rule, ...]
    """With figures that are true of the people."""


@dataclass(frozen=True)
class Shop:
    people: tuple[Basket, ...]
    itemsets: tuple[Itemset, ...]
    """With supports that are true of the people."""


def states(release: Release, basket: Basket) -> States:
    """The equivalence class of a basket."""
    of_all = [_state(one, basket) for one in release]
    beside = [int(one.right <= basket) for one in release if isinstance(one, Rule) and one.right_support is not None]
    return (*of_all, *beside)


def _state(one: Rule | Itemset, basket: Basket) -> int:
    if isinstance(one, Itemset):
        return int(one.items <= basket)
    return 0 if not one.left <= basket else 2 if one.right <= basket else 1


def span(release: Release, basket: Basket) -> frozenset[States]:
    """The classes that somebody may be in who bought the public part of a basket."""
    known = basket & frozenset(PUBLIC)
    choices = (frozenset(some) for size in range(len(PRIVATE) + 1) for some in combinations(PRIVATE, size))
    return frozenset(states(release, known | chosen) for chosen in choices)


def spans(release: Release, people: tuple[Basket, ...]) -> dict[frozenset[States], list[int]]:
    found: dict[frozenset[States], list[int]] = {}
    for row, basket in enumerate(people):
        found.setdefault(span(release, basket), []).append(row)
    return found


def depends_on(release: Release, basket: Basket, item: str) -> bool:
    """Does the class of somebody with this public part ever depend on a private item?"""
    known, others = basket & frozenset(PUBLIC), [one for one in PRIVATE if one != item]
    choices = (frozenset(some) for size in range(len(others) + 1) for some in combinations(others, size))
    return any(states(release, known | one) != states(release, known | one | {item}) for one in choices)


def holds(release: Release, people: tuple[Basket, ...], required: Mapping[str, Any]) -> bool:
    """Is every span of several classes a crowd, which spreads over each item that its class depends on as required?"""
    for reached, rows in spans(release, people).items():
        if len(reached) == 1:
            continue
        told = [item for item in PRIVATE if depends_on(release, people[rows[0]], item)]
        for key, parameter in required.items():
            for item in told[:1] if key == "k" else told:
                group, everybody = [item in people[row] for row in rows], [item in basket for basket in people]
                if not naive.HOLDS[key](parameter, group, everybody, naive.equal_distance()):
                    return False
    return True


@st.composite
def worlds(draw: st.DrawFn, beside: bool = True) -> World:
    items = (*PUBLIC, *PRIVATE)
    people = draw(st.lists(st.frozensets(st.sampled_from(items)), min_size=1, max_size=25).map(tuple))
    sides = draw(st.lists(st.tuples(*[st.frozensets(st.sampled_from(items), min_size=1, max_size=3)] * 2), max_size=5))
    rules = {}
    for left, right in sides:
        rule = counted(people, left, right - left, beside and draw(st.booleans()))
        if rule is not None:
            rules[left, right - left] = rule
    return World(people, tuple(rules.values()))


def counted(people: tuple[Basket, ...], left: Basket, right: Basket, beside: bool = False) -> Rule | None:
    """A rule with its figures, or nothing if it has no support."""
    with_left = [basket for basket in people if left <= basket]
    both = sum(right <= basket for basket in with_left)
    if not both or not right:
        return None
    told = sum(right <= basket for basket in people) / len(people) if beside else None
    return Rule(left, right, both / len(people), both / len(with_left), told)


def populations(itemsets: tuple[Itemset, ...], number: int, items: tuple[str, ...], rounding: float) -> Any:
    """Yield every population of a number of people that the supports admit, if they were rounded so far."""
    baskets = [frozenset(some) for size in range(len(items) + 1) for some in combinations(items, size)]
    for people in combinations_with_replacement(baskets, number):
        if all(abs(_support(people, one.items) - one.support) <= rounding + 1e-12 for one in itemsets):
            yield people


def _support(people: tuple[Basket, ...], items: Basket) -> float:
    return sum(items <= basket for basket in people) / len(people)


@st.composite
def shops(
    draw: st.DrawFn, items: tuple[str, ...] = (*PUBLIC, *PRIVATE), most_people: int = 25, most_sets: int = 6
) -> Shop:
    people = draw(st.lists(st.frozensets(st.sampled_from(items)), min_size=1, max_size=most_people).map(tuple))
    sets = draw(st.lists(st.frozensets(st.sampled_from(items), min_size=1), max_size=most_sets, unique=True))
    found = [Itemset(one, _support(people, one)) for one in sets]
    return Shop(people, tuple(one for one in found if one.support))
