"""Spans of rules without the people: the populations that published figures imply (Friedman et al. 2008, Sect. 4.3).

Which sets of public items a person bought is a pattern; only unions of such sets are possible. How many people have
each pattern is unknown, but every figure bounds some sum of them: the left side of a rule, if it is wholly public, was
bought by exactly so many, and otherwise its public part by at least so many. So the fewest and the most people of a
span are two linear programs, and the truth is always between them.
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
"""What a linear program may be beside a whole number of people."""


@dataclass(frozen=True, repr=False)
class ImpliedSpans(Spans):
    """The spans that people can have by the figures, with the fewest people in each."""

    kind = "rules"
    counting = "figures"
    rows = 0
    asked: Sides
    contained: Bools
    """Which of the sets that are asked for the people of each span bought."""
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
        """The worst case: nobody at all is fine, so a span that may be empty has one person."""
        return Groups(np.maximum(self.low, 1), exposing=self.asked.exposes(self.codes))

    @property
    def utility(self) -> Utility:
        """What the rules keep."""
        return replace(super().utility, average_group_size=self.people / len(self.low))

    @property
    def safe_people(self) -> int:
        """The fewest people of spans that tell nothing."""
        return int(self.low[~self.exposing].sum())

    def failing_people(self, good: Bools) -> int:
        """All who are not for sure in good spans."""
        return 0 if good.all() else self.people - int(self.low[good].sum())

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """What the people of some spans bought, which rules speak of them, and what figures imply."""
        return [
            {**self.asked.shown(self.contained[span], self.codes[span]), "implied": self._implied(span)}
            for span in some
        ]

    def facts(self) -> dict[str, Any]:
        """What the verdict takes for granted: if the fewest of all spans are everybody, nothing is left open."""
        return {"assumptions": () if int(self.low.sum()) == self.people else (WORST_CASE,)}

    def per_row(self, good: Bools) -> NoReturn:
        """There are no rows."""
        raise KspanError(f"rules that are judged by their figures have no rows: {BY_THE_PEOPLE}")

    def most(self, span: int) -> int:
        """The most people of a span."""
        return self.programs.most(self.programs.indicator(self.members[span]))

    def _implied(self, span: int) -> str:
        """The people of a span, and how many of them bought what its rules tell of, as far as figures say."""
        low, high = int(self.low[span]), self.most(span)
        told = [f"{_range(low, high)} people"]
        speaking = np.flatnonzero(self.asked.varies(self.codes[span][None, :])[0]).tolist()
        for question in speaking[:MOST_SPOKEN]:
            between = self.bought(span, question)
            if between is None:
                continue
            _, left, right = self.asked.questions[question]
            # Of whom everything public is known, only private items are news.
            names = ", ".join(sorted((left | right) - self.asked.rules.public))
            determined = low == high and between[0] == between[1]
            rest = f", {low - between[0]:,} without" if determined else ""
            told.append(f"{_range(*between)} with {names}{rest}")
        # A rule and its reverse tell the same.
        return "; ".join(dict.fromkeys(told))

    def bought(self, span: int, question: int) -> Between | None:
        """The fewest and the most people of a span with both sides of a question, if its code there is 2."""
        if self.codes[span, question] < 2:
            return None
        place, left, _ = self.asked.questions[question]
        told = self.figures.both[place] if left else self.figures.right[place]
        assert told is not None
        others = np.flatnonzero(self.codes[:, question] == 2)
        elsewhere = self.programs.indicator(*(self.members[other] for other in others if other != span))
        return max(told[0] - self.programs.most(elsewhere), 0), min(told[1], self.most(span))


def implied_spans(rules: Rules) -> ImpliedSpans:
    """What the figures of rules imply of their spans, those left out that can have nobody."""
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
    """Linear programs over the people of each pattern."""

    patterns: list[frozenset[str]]
    bounds: tuple[tuple[frozenset[str], int, int], ...]
    """Sets of public items, with the fewest and the most people who bought them."""
    transactions: int

    def may_have_people(self, members: list[Int64s]) -> Bools:
        """Which spans, each of some patterns, may have somebody.

        If each of S spans may have a person, all of them may have a part of one, 1/S, at once: the average of what
        shows it of each. So one program finds nearly all of them, and only the others are asked one by one.
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
        """The fewest people of each span."""
        low = np.full(len(members), -1, np.int64)
        for number, patterns in enumerate(members):
            if low[number] < 0:
                fewest, people = self._solved(self.indicator(patterns))
                # A solution has few patterns with somebody: it shows of all others that they may have nobody.
                low[[people[one].sum() < NEARLY for one in members]] = 0
                low[number] = max(int(np.ceil(fewest - NEARLY)), 0)
        return low

    def most(self, wanted: Floats) -> int:
        """The most people whom the wanted patterns can have."""
        return int(np.floor(-self._solved(-wanted)[0] + NEARLY)) if wanted.any() else 0

    def indicator(self, *members: Int64s) -> Floats:
        """Ones for the patterns of some spans."""
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
        """The least cost, and the people of each pattern there.

        More unknowns may follow the patterns, from 0 to `most`; with `below`, sums that must not be more than nothing.
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
    """What figures tell of the people who bought sets of public items, the sharpest for each set."""
    found = dict[frozenset[str], Between]()
    for place, rule in enumerate(rules.rules):
        told = [(rule.left, figures.left[place]), (rule.left | rule.right, figures.both[place])]
        if (right := figures.right[place]) is not None:
            told.append((rule.right, right))
        for side, (low, high) in told:
            if public := side & rules.public:
                least, most = found.get(public, (0, rules.transactions))
                found[public] = max(low, least), min(high, most) if public == side else most
    for public, (low, high) in found.items():
        if low > high:
            raise ModelError(
                f"the figures of the rules contradict each other: no {rules.transactions:,} transactions have them all"
            )
        yield public, low, high


def _patterns(asked: Sides) -> list[frozenset[str]]:
    """All that people may have bought of the sets that the figures tell of."""
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
