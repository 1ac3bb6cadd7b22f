"""People with several rows, by definition: every set of rows that somebody may know of a person is looked at by itself.

It shares no code with the package and imports none of it. A row is (person, what it shows, private value).
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple


class Row(NamedTuple):
    """A row of a person."""

    person: int
    shown: Hashable
    value: Hashable


class Crowd(NamedTuple):
    """Those who fit what is known of somebody: how many these are, and one private value of each."""

    size: int
    values: list[Hashable]


def known_of(person: int, rows: Sequence[Row], known: int | str) -> Iterator[frozenset[Hashable]]:
    """What may be known of a person: what some of the rows show, or all of them."""
    own = [row.shown for row in rows if row.person == person]
    sizes = [len(own)] if known == "all" else range(1, min(int(known), len(own)) + 1)
    for size in sizes:
        for some in combinations(own, size):
            yield frozenset(some)


def fitting(told: frozenset[Hashable], rows: Sequence[Row], known: int | str) -> list[int]:
    """The people whose rows show what is known; just that, if all rows are known."""
    shown = {person: {row.shown for row in rows if row.person == person} for person in {row.person for row in rows}}
    return [person for person, cells in shown.items() if (cells == told if known == "all" else cells >= told)]


def one_value_each(people: Sequence[int], rows: Sequence[Row]) -> list[Hashable]:
    """Each person's commonest value, counted by people who have it in any row; of equally common ones the lowest."""
    having = {person: {row.value for row in rows if row.person == person} for person in people}
    common = Counter(value for values in having.values() for value in values)
    return [min(values, key=lambda value: (-common[value], value)) for values in having.values()]


def crowds(person: int, rows: Sequence[Row], known: int | str) -> list[Crowd]:
    """All that somebody who knows rows of a person finds: people, and rows for each place where the person has some."""
    found = []
    for told in known_of(person, rows, known):
        there = [row for row in rows if known == "all" or row.shown in told]
        people = fitting(told, rows, known)
        found.append(Crowd(len(people), one_value_each(people, there)))
    for cell in {row.shown for row in rows if row.person == person}:
        there = [row for row in rows if row.shown == cell]
        inside = sorted({row.person for row in there})
        found.append(Crowd(len(inside), one_value_each(inside, there)))
        # Nobody may have more than one in k of the rows.
        found.append(
            Crowd(len(there) // max(Counter(row.person for row in there).values()), [row.value for row in there])
        )
    return found


def exposed(rows: Sequence[Row], known: int | str) -> int:
    """The people of whom a value is certain."""
    return sum(
        any(len(set(crowd.values)) == 1 for crowd in crowds(person, rows, known))
        for person in {row.person for row in rows}
    )


def failing(rows: Sequence[Row], known: int | str, good: Callable[[Crowd], bool]) -> int:
    """The people who have a crowd that is not good."""
    return sum(not all(good(crowd) for crowd in crowds(person, rows, known)) for person in {row.person for row in rows})
