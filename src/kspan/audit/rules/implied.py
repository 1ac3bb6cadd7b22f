"""Spans of rules without the people: the populations that published figures imply (Friedman et al. 2008, Sect. 4.3).

A pattern is what a person bought of all sets of public items that the rules ask for: a union of such sets. How many
people have each pattern is unknown, but every figure bounds the sum over some patterns. If a left side is wholly
public, the figures tell how many people bought it; otherwise, how many bought its public part at least. So the fewest
and the most people of a span are the results of two linear programs, and the truth always lies between them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from kspan.audit.findings import Utility
from kspan.audit.rules.figures import Between, Figures, figures_of
from kspan.audit.rules.spans import MOST_SPOKEN, Codes, Sides
from kspan.audit.spans import Spans
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import Groups
from kspan.errors import KspanError, ModelError, PolicyError
from kspan.model.rules.model import Rules

BY_THE_PEOPLE = "give the transactions that the rules were found in (--data)"
WORST_CASE = (
    "Judged by the published figures: where they leave a range (they are rounded, and private items hide some of what "
    "they tell), a span is taken to have the worst number of people that is possible."
)
MOST_SETS, MOST_PATTERNS = 60, 2000
NEARLY = 1e-6
"""How far the result of a linear program may be from a whole number of people."""


@dataclass(frozen=True, repr=False)
class ImpliedSpans(Spans):
    """The spans that people may have by the figures, with the fewest people of each."""

    kind = "rules"
    counting = "figures"
    rows = 0
    asked: Sides
    contained: Bools
    """For each span, which of the sets that the rules ask for its people bought."""
    codes: Codes
    low: Int64s
    """The fewest people of each span."""
    programs: "Programs"
    members: list[Int64s]
    """The patterns of each span."""
    figures: Figures

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.asked.rules.transactions

    @cached_property
    def groups(self) -> Groups:  # type: ignore[override]
        """The worst case: an empty span breaks nothing, so a span that may be empty is taken to have one person."""
        return Groups(np.maximum(self.low, 1), exposing=self.asked.exposes(self.codes))

    @property
    def utility(self) -> Utility:
        """How much information the rules keep."""
        return replace(super().utility, average_group_size=self.people / len(self.low))

    @property
    def safe_people(self) -> int:
        """The fewest people who are in spans that tell nothing."""
        return int(self.low[~self.exposing].sum())

    def failing_people(self, good: Bools) -> int:
        """Everybody who is not certain to be in a good span."""
        return 0 if good.all() else self.people - int(self.low[good].sum())

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans: what their people bought, which rules speak of them, and what the figures imply."""
        return [
            {**self.asked.shown(self.contained[span], self.codes[span]), "implied": self._implied(span)}
            for span in some
        ]

    def facts(self) -> dict[str, Any]:
        """The assumptions of the verdict: none if the fewest people of all spans add up to everybody."""
        return {"assumptions": () if int(self.low.sum()) == self.people else (WORST_CASE,)}

    def per_row(self, good: Bools) -> NoReturn:
        """There are no rows."""
        raise KspanError(f"rules that are judged by their figures have no rows: {BY_THE_PEOPLE}")

    def most(self, span: int) -> int:
        """The most people of a span."""
        return self.programs.most(self.programs.indicator(self.members[span]))

    def _implied(self, span: int) -> str:
        """Write how many people a span has, and how many of them bought what its rules tell of, by the figures."""
        low, high = int(self.low[span]), self.most(span)
        told = [f"{_range(low, high)} people"]
        speaking = np.flatnonzero(self.asked.varies(self.codes[span][None, :])[0]).tolist()
        for question in speaking[:MOST_SPOKEN]:
            between = self.bought(span, question)
            if between is None:
                continue
            _, left, right = self.asked.questions[question]
            # The public items of these people are known, so only private ones are news.
            names = ", ".join(sorted((left | right) - self.asked.rules.public))
            determined = low == high and between[0] == between[1]
            rest = f", {low - between[0]:,} without" if determined else ""
            told.append(f"{_range(*between)} with {names}{rest}")
        # A rule and its reverse tell the same.
        return "; ".join(dict.fromkeys(told))

    def bought(self, span: int, question: int) -> Between | None:
        """The fewest and the most people of a span with both sides of a question; None unless its code is 2."""
        if self.codes[span, question] < 2:
            return None
        place, left, _ = self.asked.questions[question]
        told = self.figures.both[place] if left else self.figures.right[place]
        assert told is not None
        others = np.flatnonzero(self.codes[:, question] == 2)
        elsewhere = self.programs.indicator(*(self.members[other] for other in others if other != span))
        # At least those whom all other spans together have no room for.
        return max(told[0] - self.programs.most(elsewhere), 0), min(told[1], self.most(span))


def implied_spans(rules: Rules) -> ImpliedSpans:
    """Find the spans that the figures of rules imply; spans that can have nobody are left out."""
    asked, figures = Sides(rules), figures_of(rules)
    patterns = _patterns(asked)
    programs = Programs(patterns, tuple(_bounds(rules, figures)), rules.transactions)
    contained = np.array([[found <= pattern for found in asked.sets] for pattern in patterns], bool)
    contained = contained.reshape(len(patterns), len(asked.sets))
    _, first, span = np.unique(asked.codes(contained), axis=0, return_index=True, return_inverse=True)
    members = [np.flatnonzero(span.ravel() == number) for number in range(len(first))]
    there = np.flatnonzero(programs.may_have_people(members))
    members, shown = [members[one] for one in there.tolist()], contained[first[there]]
    return ImpliedSpans(asked, shown, asked.codes(shown), programs.fewest(members), programs, members, figures)


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


@dataclass(frozen=True, repr=False)
class Programs:
    """Linear programs whose unknowns are the people of each pattern."""

    patterns: list[frozenset[str]]
    bounds: tuple[tuple[frozenset[str], int, int], ...]
    """Sets of public items, with the fewest and the most people who bought them."""
    transactions: int

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

    def fewest(self, members: list[Int64s]) -> Int64s:
        """Return the fewest people of each span."""
        low = np.full(len(members), -1, np.int64)
        for number, patterns in enumerate(members):
            if low[number] < 0:
                fewest, people = self._solved(self.indicator(patterns))
                # Few patterns have people in a solution, so it also shows of many other spans that they may be empty.
                low[[people[one].sum() < NEARLY for one in members]] = 0
                low[number] = max(int(np.ceil(fewest - NEARLY)), 0)
        return low

    def most(self, wanted: Floats) -> int:
        """Return the most people that the wanted patterns can have together."""
        return int(np.floor(-self._solved(-wanted)[0] + NEARLY)) if wanted.any() else 0

    def indicator(self, *members: Int64s) -> Floats:
        """Return a vector with ones for the patterns of some spans."""
        wanted = np.zeros(len(self.patterns))
        for one in members:
            wanted[one] = 1.0
        return wanted

    @cached_property
    def _constraints(self) -> tuple[Floats, Floats, Floats]:
        rows = [np.ones(len(self.patterns))]
        rows += [np.array([found <= one for one in self.patterns], float) for found, _, _ in self.bounds]
        low = [self.transactions, *(low for _, low, _ in self.bounds)]
        high = [self.transactions, *(high for _, _, high in self.bounds)]
        return np.array(rows), np.array(low, float), np.array(high, float)

    def _solved(self, cost: Floats, below: Floats | None = None, most: float | None = None) -> tuple[float, Floats]:
        """Return the least cost, and the people of each pattern in that solution.

        More unknowns, each from 0 to `most`, may follow those of the patterns. Each row of `below` is a sum of unknowns
        that must not be above 0.
        """
        from scipy.optimize import linprog

        matrix, low, high = self._constraints
        more = len(cost) - len(self.patterns)
        matrix = np.hstack([matrix, np.zeros((len(matrix), more))])
        below = np.zeros((0, len(cost))) if below is None else below
        equal = low == high
        found = linprog(
            cost,
            A_ub=np.concatenate([matrix[~equal], -matrix[~equal], below]),
            b_ub=np.concatenate([high[~equal], -low[~equal], np.zeros(len(below))]),
            A_eq=matrix[equal],
            b_eq=low[equal],
            bounds=[(0, None)] * len(self.patterns) + [(0, most)] * more,
            method="highs",
        )
        if found.status != 0:
            raise ModelError(
                f"the figures of the rules contradict each other: no {self.transactions:,} transactions have them all"
            )
        return float(found.fun), np.asarray(found.x, np.float64)


def _bounds(rules: Rules, figures: Figures) -> Iterator[tuple[frozenset[str], int, int]]:
    """Yield the sharpest bounds that figures give on how many people bought each set of public items."""
    found = dict[frozenset[str], Between]()
    for place, rule in enumerate(rules.rules):
        told = [(rule.left, figures.left[place]), (rule.left | rule.right, figures.both[place])]
        if (right := figures.right[place]) is not None:
            told.append((rule.right, right))
        for side, (low, high) in told:
            if public := side & rules.public:
                least, most = found.get(public, (0, rules.transactions))
                # Whoever bought a side bought its public part, but not the other way round: then `high` bounds nothing.
                found[public] = max(low, least), min(high, most) if public == side else most
    for public, (low, high) in found.items():
        if low > high:
            raise ModelError(
                f"the figures of the rules contradict each other: no {rules.transactions:,} transactions have them all"
            )
        yield public, low, high


def _patterns(asked: Sides) -> list[frozenset[str]]:
    """Return all patterns: the different unions of the sets of public items that the rules ask for."""
    unions = {frozenset[str](): None}
    few = len(asked.sets) <= MOST_SETS
    for one in asked.sets if few else ():
        unions |= dict.fromkeys([one | union for union in unions])
        if len(unions) > MOST_PATTERNS:
            break
    if not few or len(unions) > MOST_PATTERNS:
        raise PolicyError(
            f"the rules ask for {len(asked.sets)} sets of public items in too many combinations to tell from figures "
            "alone who stands together: give the transactions (--data)"
        )
    return list(unions)
