"""Wide tables by definition: everybody is looked at as somebody does who knows all rows of the person.

It shares no code with the package and imports none of it. A person is a list of rows (public cells, private value).
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple


class Visit(NamedTuple):
    """A row of a person."""

    known: tuple[Hashable, ...]
    value: str


People = Sequence[Sequence[Visit]]
Good = Callable[[list[str]], bool]


def turned(people: People) -> list[list[Visit]]:
    """The rows of everybody in the order of their public values, then of the private one."""
    return [sorted(rows) for rows in people]


def crowd_of(person: Sequence[Visit], people: People) -> list[Sequence[Visit]]:
    """All whose rows look the same, one by one and in number."""
    return [other for other in people if [row.known for row in other] == [row.known for row in person]]


def values_told(crowd: People) -> list[list[str]]:
    """The private values that are to be spread: in the first rows of a crowd, in the second ones, ..., and in any."""
    by_row = [[row.value for row in rows] for rows in zip(*crowd, strict=True)]
    having = [{row.value for row in rows} for rows in crowd]
    common = Counter(value for values in having for value in values)
    return [*by_row, [min(values, key=lambda value: (-common[value], value)) for values in having]]


def share_ever(crowd: People, value: str) -> float:
    """The share of a crowd who have a value in any row."""
    return sum(any(row.value == value for row in rows) for rows in crowd) / len(crowd)


def failing(people: People, k: int, good: Good, ever: Callable[[People], bool] = lambda crowd: True) -> int:
    """How many people are in crowds that are too small or tell too much."""
    crowds = [crowd_of(person, people) for person in people]
    return sum(len(crowd) < k or not all(map(good, values_told(crowd))) or not ever(crowd) for crowd in crowds)


def exposed(people: People) -> int:
    """The people of whom some value is certain."""
    return sum(any(len(set(values)) == 1 for values in values_told(crowd_of(person, people))) for person in people)
