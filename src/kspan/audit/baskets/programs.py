"""Linear programs about the people behind published figures.

A pattern is what a person bought of all the sets of items that a release asks for: a union of such sets. How many
people have each pattern is unknown, but every figure bounds the sum over some patterns. So the fewest and the most
people of some patterns are the results of two linear programs, and the truth always lies between them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from kspan.audit.baskets.figures import Between
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.errors import ModelError

MOST_PATTERNS = 2000
NEARLY, OF_MANY = 1e-6, 1e-12
"""How far the result of a linear program may be from a whole number of people, at least and by their number."""
NEARLY_SHARE = 1e-7
"""How far the share that a linear program finds may be from the true one."""


@dataclass(frozen=True, repr=False)
class Programs:
    """Linear programs whose unknowns are the people of each pattern."""

    patterns: list[frozenset[str]]
    bounds: dict[frozenset[str], Between]
    """Sets of items, with the fewest and the most people who bought them."""
    transactions: int
    what: str
    """Whose figures these are."""

    @property
    def nearly(self) -> float:
        """How far the result of a program may be from a whole number of people."""
        return max(NEARLY, OF_MANY * self.transactions)

    def may_have_people(self, members: list[Int64s]) -> Bools:
        """Tell which spans, given by their patterns, may have somebody.

        If each of S spans may have a person, then all of them may have 1/S of a person at once: in the average of the S
        solutions that show it. So one program finds nearly all of them, and only the others are asked one by one.
        """
        part = 1 / len(members)
        of_spans = np.array([self.indicator(one) for one in members])
        cost = np.concatenate([np.zeros(len(self.patterns)), -np.ones(len(members))])
        _, found = self._solved(cost, below=np.hstack([-of_spans, np.eye(len(members))]), most=part)
        may: Bools = found[len(self.patterns) :] > part / 2
        for number in np.flatnonzero(~may).tolist():
            may[number] = self.most(of_spans[number]) > 0
        return may

    def fewest_of_each(self, members: list[Int64s]) -> Int64s:
        """Return the fewest people of each span."""
        low = np.full(len(members), -1, np.int64)
        for number, patterns in enumerate(members):
            if low[number] < 0:
                fewest, people = self._solved(self.indicator(patterns))
                # Few patterns have people in a solution, so it also shows of many other spans that they may be empty.
                low[[people[one].sum() < self.nearly for one in members]] = 0
                low[number] = self._at_least(fewest)
        return low

    def fewest(self, wanted: Floats) -> int:
        """Return the fewest people that the wanted patterns can have together."""
        return self._at_least(self._solved(wanted)[0]) if wanted.any() else 0

    def most(self, wanted: Floats) -> int:
        """Return the most people that the wanted patterns can have together."""
        return int(np.floor(-self._solved(-wanted)[0] + self.nearly)) if wanted.any() else 0

    def largest_share(self, wanted: Floats, among: Floats) -> float:
        """Return the largest share that the wanted patterns can have among the people of some, if there are any.

        All numbers are divided by the people of those patterns, at least one; then the share is a linear program, too
        (Charnes, Cooper 1962). The last unknown is what one person is divided to.
        """
        matrix, low, high = self._constraints
        below = np.vstack([np.column_stack([matrix, -high]), np.column_stack([-matrix, low])])
        found = _optimum(
            np.append(-wanted, 0.0),
            below=(below, np.zeros(len(below))),
            equal=(np.append(among, 0.0)[None, :], np.ones(1)),
            most=[*[np.inf] * len(wanted), 1.0],
        )
        return self._contradiction() if found is None else min(-found[0] + NEARLY_SHARE, 1.0)

    def indicator(self, *members: Int64s) -> Floats:
        """Return a vector with ones for the patterns of some spans."""
        wanted = np.zeros(len(self.patterns))
        for one in members:
            wanted[one] = 1.0
        return wanted

    @cached_property
    def _constraints(self) -> tuple[Floats, Floats, Floats]:
        """For each sum of patterns that is bounded, a row of ones and zeros, and its bounds."""
        rows = [np.ones(len(self.patterns))]
        rows += [np.array([found <= one for one in self.patterns], float) for found in self.bounds]
        low, high = zip((self.transactions,) * 2, *self.bounds.values(), strict=True)
        return np.array(rows), np.array(low, float), np.array(high, float)

    def _solved(self, cost: Floats, below: Floats | None = None, most: float = 0.0) -> tuple[float, Floats]:
        """Return the least cost, and the people of each pattern in that solution.

        More unknowns, each from 0 to `most`, may follow those of the patterns. Each row of `below` is a sum of unknowns
        that must not be above 0.
        """
        matrix, low, high = self._constraints
        more = len(cost) - len(self.patterns)
        matrix = np.hstack([matrix, np.zeros((len(matrix), more))])
        below = np.zeros((0, len(cost))) if below is None else below
        equal = low == high
        found = _optimum(
            cost,
            below=(
                np.concatenate([matrix[~equal], -matrix[~equal], below]),
                np.concatenate([high[~equal], -low[~equal], np.zeros(len(below))]),
            ),
            equal=(matrix[equal], low[equal]),
            most=[np.inf] * len(self.patterns) + [most] * more,
        )
        return self._contradiction() if found is None else found

    def _at_least(self, people: float) -> int:
        return max(int(np.ceil(people - self.nearly)), 0)

    def _contradiction(self) -> NoReturn:
        raise ModelError(
            f"the figures of the {self.what} contradict each other: no {self.transactions:,} transactions have them all"
        )


def unions(sets: Iterable[frozenset[str]]) -> list[frozenset[str]] | None:
    """Return the different unions of sets, with the empty one; None if there are more than `MOST_PATTERNS`.

    >>> len(unions([frozenset("a"), frozenset("b"), frozenset("ab")]))
    4
    """
    found = {frozenset[str](): None}
    for one in sets:
        found |= dict.fromkeys([one | union for union in found])
        if len(found) > MOST_PATTERNS:
            return None
    return list(found)


def _optimum(
    cost: Floats, below: tuple[Floats, Floats], equal: tuple[Floats, Floats], most: Sequence[float]
) -> tuple[float, Floats] | None:
    """Return the least cost of unknowns that are not negative, and the unknowns; None if there are none."""
    from scipy.optimize import linprog

    bounds = [(0, one) for one in most]
    found = linprog(cost, *below, *equal, bounds=bounds, method="highs")
    return None if found.status != 0 else (float(found.fun), np.asarray(found.x, np.float64))
