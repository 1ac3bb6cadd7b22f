"""A decision list as it is released: rules in order, what each tells of labels, and a default; it knows no row."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from kspan.data.arrays import Floats
from kspan.data.domain import Domain
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, listed
from kspan.model.outcome import Counts, whole
from kspan.model.paths import EVERYONE, condition, outcome_text
from kspan.model.tree import Attribute, Region, Role
from kspan.model.ways import Ways

ROUNDING = 1e-12
"""A smaller part of a person is nobody."""


@dataclass(frozen=True)
class Condition:
    """What a rule admits of one attribute, and the part of a person it takes whose value is unknown."""

    attribute: int
    region: Region
    unknown: float


@dataclass(frozen=True)
class Rule:
    """A conjunction of conditions, and the labels of those whom it took from the rules before it."""

    conditions: tuple[Condition, ...]
    outcome: Counts


@dataclass(frozen=True, repr=False)
class DecisionList:
    """Rules in order, of which the first that admits a person answers, and the default for all others.

    >>> age = Attribute("age", "public", "numeric")
    >>> old = Rule((Condition(0, Region(intervals=((40, None),)), 0.5),), Counts((2, 30)))
    >>> found = DecisionList((age,), "pays", "private", ("no", "yes"), (old,), Counts((20, 12)))
    >>> print(found)
    if age > 40: yes (no: 2, yes: 30)
    else: no (no: 20, yes: 12)
    >>> found.of_people(pl.DataFrame({"age": ["50", "30", "[30, 50]"]})).tolist()
    [[0.0625, 0.9375], [0.625, 0.375], [0.34375, 0.65625]]
    """

    attributes: tuple[Attribute, ...]
    target: str
    target_role: Role
    labels: tuple[str, ...]
    rules: tuple[Rule, ...]
    default: Counts

    @property
    def tells_shares(self) -> bool:
        """Does it say how likely labels are?"""
        return True

    @cached_property
    def people(self) -> float:
        """How many people it was learnt from."""
        return whole(round(sum(self._everybody.counts), 3))  # fractions were rounded rule by rule

    @cached_property
    def _everybody(self) -> Counts:
        outcomes = [*(rule.outcome for rule in self.rules), self.default]
        return Counts(tuple(map(sum, zip(*(one.counts for one in outcomes), strict=True))))

    @cached_property
    def asked(self) -> tuple[Attribute, ...]:
        """The attributes that some rule asks."""
        numbers = {one.attribute for rule in self.rules for one in rule.conditions}
        return tuple(self.attributes[number] for number in sorted(numbers))

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row of a frame, raw or released, the share of each label; a pattern tells how ranges are written."""
        names = [attribute.name for attribute in self.asked]
        absent = [name for name in names if name not in people.columns]
        if absent:
            raise DataError(f"the table lacks {listed(absent)}, which the rules ask for: add the column")
        numeric = {attribute.name: Domain("numeric") for attribute in self.asked if attribute.kind == "numeric"}
        if not names:
            return np.tile(self._answer(self.default), (people.height, 1))
        return self.shares(encode(people, Schema(public=names, domains=numeric), names), range_pattern)

    def shares(self, table: Table, range_pattern: str | None = None) -> Floats:
        """For each row of a table the share of each label among those whom its rule took.

        A rule takes the part of a row that it admits, and the rest goes on to the next one, so that the answer to a
        row with a cell such as `{a|b}`, `[lo, hi]` or `*`, or without a value, is a mean of several.
        """
        shares = np.zeros((table.rows, len(self.labels)))
        names = [attribute.name for attribute in self.asked]
        ways = {name: Ways(table[name], range_pattern) for name in names}
        rows, rest = np.arange(table.rows), np.ones(table.rows)
        for rule in self.rules:
            # Only those of whom something is left, and of them only those whom all conditions so far admit.
            here, taken = np.arange(len(rows)), rest
            for one in rule.conditions:
                attribute = self.attributes[one.attribute]
                way = ways[attribute.name]
                part = _part(one, attribute, way)[way.column.codes[rows[here]]]
                some = np.flatnonzero(part)
                here, taken = here[some], taken[some] * part[some]
            shares[rows[here]] += taken[:, None] * self._answer(rule.outcome)
            rest[here] -= taken
            if len(here):
                left = rest > ROUNDING
                rows, rest = rows[left], rest[left]
        shares[rows] += rest[:, None] * self._answer(self.default)
        return shares

    def _answer(self, outcome: Counts) -> Floats:
        """The share of each label; of a rule that took nobody, that among all people."""
        labels = len(self.labels)
        for told in (outcome, self._everybody):
            shares = told.shares(labels)
            if shares is not None:
                return shares
        return np.full(labels, 1 / labels)

    def __repr__(self) -> str:
        rules = "1 rule" if len(self.rules) == 1 else f"{len(self.rules)} rules"
        return f"DecisionList({rules}, {self.people} people, target {self.target!r})"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterable[str]:
        for number, rule in enumerate(self.rules):
            asked = [condition(self.attributes[one.attribute], one.region) for one in rule.conditions]
            word = "else if" if number else "if"
            yield f"{word} {' and '.join(asked) or EVERYONE}: {outcome_text(self.labels, rule.outcome)}"
        yield f"{'else' if self.rules else EVERYONE}: {outcome_text(self.labels, self.default)}"


def _part(one: Condition, attribute: Attribute, way: Ways) -> Floats:
    """The part of a person with each code of a column that a condition admits."""
    # Whatever it does not admit is the other branch of a question with two answers; an unknown value goes down both.
    regions = [replace(region, missing=True) for region in (one.region, elsewhere(attribute, one.region))]
    found: Floats = way.parts(regions, [one.unknown, 1 - one.unknown])[0]
    return found


def elsewhere(attribute: Attribute, region: Region) -> Region:
    """The values of an attribute that a region does not admit.

    >>> elsewhere(Attribute("age", "public", "numeric"), Region(intervals=((17, 30), (40, None)))).intervals
    ((None, 17), (30, 40))
    """
    if attribute.kind == "categorical":
        return Region(frozenset(attribute.values) - region.values)
    gaps, begin, open_end = list[tuple[float | None, float | None]](), None, True
    for low, high in sorted(region.intervals, key=lambda one: -np.inf if one[0] is None else one[0]):
        if low is not None and low != begin:
            gaps.append((begin, low))
        begin, open_end = high, high is not None
    return Region(intervals=tuple([*gaps, (begin, None)] if open_end else gaps))
