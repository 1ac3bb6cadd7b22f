"""Association rules by their definition: every choice of private items is tried."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from kspan.model.rules.model import Rule
from laws import naive

Basket = frozenset[str]
States = tuple[int, ...]
PUBLIC, PRIVATE = ("A", "B", "C"), ("x", "y", "z")
ROLES: Mapping[str, str] = dict.fromkeys(PUBLIC, "public") | dict.fromkeys(PRIVATE, "private")


@dataclass(frozen=True)
class World:
    people: tuple[Basket, ...]
    rules: tuple[Rule, ...]
    """With figures that are true of the people."""


def states(rules: tuple[Rule, ...], basket: Basket) -> States:
    """The equivalence class of a basket."""
    of_rules = [0 if not rule.left <= basket else 2 if rule.right <= basket else 1 for rule in rules]
    beside = [int(rule.right <= basket) for rule in rules if rule.right_support is not None]
    return (*of_rules, *beside)


def span(rules: tuple[Rule, ...], basket: Basket) -> frozenset[States]:
    """The classes that somebody may be in who bought the public part of a basket."""
    known = basket & frozenset(PUBLIC)
    choices = (frozenset(some) for size in range(len(PRIVATE) + 1) for some in combinations(PRIVATE, size))
    return frozenset(states(rules, known | chosen) for chosen in choices)


def spans(rules: tuple[Rule, ...], people: tuple[Basket, ...]) -> dict[frozenset[States], list[int]]:
    found: dict[frozenset[States], list[int]] = {}
    for row, basket in enumerate(people):
        found.setdefault(span(rules, basket), []).append(row)
    return found


def depends_on(rules: tuple[Rule, ...], basket: Basket, item: str) -> bool:
    """Does the class of somebody with this public part ever depend on a private item?"""
    known, others = basket & frozenset(PUBLIC), [one for one in PRIVATE if one != item]
    choices = (frozenset(some) for size in range(len(others) + 1) for some in combinations(others, size))
    return any(states(rules, known | one) != states(rules, known | one | {item}) for one in choices)


def holds(rules: tuple[Rule, ...], people: tuple[Basket, ...], required: Mapping[str, Any]) -> bool:
    """Is every span of several classes a crowd, which spreads over each item that its class depends on as required?"""
    for reached, rows in spans(rules, people).items():
        if len(reached) == 1:
            continue
        told = [item for item in PRIVATE if depends_on(rules, people[rows[0]], item)]
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
