"""A decision list as it is released: rules in order, what each tells of labels, and a default; it holds no row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from kspan.data.arrays import Floats, Int64s
from kspan.data.table import Table
from kspan.model.lists.cells import RemainingCells
from kspan.model.outcome import LabelCounts, whole
from kspan.model.questions import answers
from kspan.model.tree.model import Attribute, Region, Role
from kspan.model.tree.paths import EVERYONE, condition, outcome_text
from kspan.model.tree.ways import Ways

ROUNDING = 1e-12
"""A part of a person below this is nobody."""

LEAST_SHARE = 0.01
"""A part of a person below this is not split off, so that nobody is in more than a hundred places."""


@dataclass(frozen=True)
class Condition:
    """What a rule admits of one attribute, and which part (`unknown`) it takes of a person whose value is unknown."""

    attribute: int
    region: Region
    unknown: float


@dataclass(frozen=True)
class ListRule:
    """A conjunction of conditions, and the labels of the people it took, whom the rules before it had left over."""

    conditions: tuple[Condition, ...]
    outcome: LabelCounts


@dataclass(frozen=True, repr=False)
class DecisionList:
    """Rules in order, and a default: the first rule that admits a person answers, and the default for all others.

    >>> age = Attribute("age", "public", "numeric")
    >>> old = ListRule((Condition(0, Region(intervals=((40, None),)), 0.5),), LabelCounts((2, 30)))
    >>> found = DecisionList((age,), "pays", "private", ("no", "yes"), (old,), LabelCounts((20, 12)))
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
    rules: tuple[ListRule, ...]
    default: LabelCounts

    @property
    def tells_shares(self) -> bool:
        """It tells how likely the labels are."""
        return True

    @cached_property
    def people(self) -> float:
        """How many people it was learned from."""
        return whole(round(sum(self._everybody.counts), 3))  # fractions were rounded rule by rule

    @cached_property
    def _everybody(self) -> LabelCounts:
        outcomes = [*(rule.outcome for rule in self.rules), self.default]
        return LabelCounts(tuple(map(sum, zip(*(one.counts for one in outcomes), strict=True))))

    @cached_property
    def numbers(self) -> list[int]:
        """The places of the attributes that some rule asks about."""
        return sorted({one.attribute for rule in self.rules for one in rule.conditions})

    @property
    def asked(self) -> tuple[Attribute, ...]:
        """The attributes that some rule asks about."""
        return tuple(self.attributes[number] for number in self.numbers)

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, raw or released, the share of each label; `range_pattern` says how ranges are written."""
        if not self.asked:
            return np.tile(self._answer(self.default), (people.height, 1))
        return self.shares(answers(self.asked, people, range_pattern), range_pattern)

    def shares(self, table: Table, range_pattern: str | None = None) -> Floats:
        """Return, for each row of a table, the share of each label among the people whom its rule took.

        A rule takes the part of a row that it admits, and the rest goes on to the next rule. So a row whose cells admit
        several values (`{a|b}`, `[lo, hi]`) gets the mean of the answers to everything that it may be. Where a value is
        missing or `*`, each rule that asks about it takes the same part as of people when it was learned.
        """
        ways = {number: Ways(table[self.attributes[number].name], range_pattern) for number in self.numbers}
        cells = {number: self._cells(number, way) for number, way in ways.items() if way.meant is not None}
        several = np.zeros(table.rows, bool)
        for number, each in cells.items():
            several |= each.is_general()[ways[number].column.codes]
        shares = np.empty((table.rows, len(self.labels)))
        plain, rows = np.flatnonzero(~several), np.flatnonzero(several)
        shares[plain] = self._of_single_values(plain, ways, cells)
        if len(rows):
            # Releases show the same cells again and again, so each combination is answered once.
            codes = np.stack([ways[number].column.codes[rows].astype(np.int64) for number in self.numbers], axis=1)
            distinct, place = np.unique(codes, axis=0, return_inverse=True)
            shares[rows] = self._of_cells(distinct, ways, cells)[place.ravel()]
        return shares

    def _of_single_values(self, rows: Int64s, ways: Mapping[int, Ways], cells: Mapping[int, RemainingCells]) -> Floats:
        """Answer rows whose cells are single values, or unknown."""
        shares, at, rest = np.zeros((len(rows), len(self.labels))), np.arange(len(rows)), np.ones(len(rows))
        for rule in self.rules:
            # `at` are the rows of which something is left, `here` those of them that all conditions so far admit.
            here, taken = np.arange(len(at)), rest
            for one in rule.conditions:
                codes = ways[one.attribute].column.codes[rows[at[here]]]
                part = _part(one, ways[one.attribute], cells.get(one.attribute))[codes]
                some = np.flatnonzero(part)
                here, taken = here[some], taken[some] * part[some]
            shares[at[here]] += taken[:, None] * self._answer(rule.outcome)
            rest[here] -= taken
            if len(here):
                left = rest > ROUNDING
                at, rest = at[left], rest[left]
        shares[at] += rest[:, None] * self._answer(self.default)
        return shares

    def _of_cells(self, codes: Int64s, ways: Mapping[int, Ways], cells: Mapping[int, RemainingCells]) -> Floats:
        """Answer rows whose cells may admit several values; the rows are given by their codes.

        A rule divides a row: one part passes all conditions and is taken, and for each condition another part fails
        there and goes on to the next rule. The cells of each part are narrowed to what they still admit.
        """
        shares = np.zeros((len(codes), len(self.labels)))
        column = {number: place for place, number in enumerate(self.numbers)}
        owner, weight = np.arange(len(codes)), np.ones(len(codes))
        for rule in self.rules:
            left: list[tuple[Int64s, Int64s, Floats]] = []
            here, inside, taken = np.arange(len(owner)), codes, weight
            for one in rule.conditions:
                at, each = column[one.attribute], cells.get(one.attribute)
                part = _part(one, ways[one.attribute], each)[inside[:, at]]
                # A part that is too small to be split off goes with the larger part.
                crumb = np.minimum(part, 1 - part) * taken < LEAST_SHARE
                part = np.where(crumb, np.round(part), part)
                fails, passes = np.flatnonzero(part < 1), np.flatnonzero(part > 0)
                if len(fails):
                    outside = inside[fails]
                    if each is not None:
                        outside[:, at] = each.within(outside[:, at], ~each.mask(one.region))
                    left.append((owner[here[fails]], outside, taken[fails] * (1 - part[fails])))
                here, inside, taken = here[passes], inside[passes], taken[passes] * part[passes]
                if each is not None:
                    inside[:, at] = each.within(inside[:, at], each.mask(one.region))
            # An owner may have several parts here, of which `shares[...] +=` would add only one.
            np.add.at(shares, owner[here], taken[:, None] * self._answer(rule.outcome))
            owner, codes, weight = _together(left, codes.shape[1])
        np.add.at(shares, owner, weight[:, None] * self._answer(self.default))
        return shares

    def _cells(self, number: int, way: Ways) -> RemainingCells:
        asked = (one.region for rule in self.rules for one in rule.conditions if one.attribute == number)
        return RemainingCells(way, self.attributes[number], asked)

    def _answer(self, outcome: LabelCounts) -> Floats:
        """Return the share of each label; for a rule that took nobody, the shares among all people."""
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


def _part(one: Condition, way: Ways, cells: RemainingCells | None) -> Floats:
    """Return, for each code, the part of a person with such a cell that a condition admits."""
    if cells is not None:
        return cells.part(one.region, one.unknown)
    part = one.region.covers(way.column).astype(np.float64)
    for unknown in (way.column.missing, way.column.suppressed):
        if unknown is not None:
            part[unknown] = one.unknown
    return part


def _together(parts: Sequence[tuple[Int64s, Int64s, Floats]], width: int) -> tuple[Int64s, Int64s, Floats]:
    """Join parts of people, given by owners, codes and weights; parts of one owner with equal codes become one."""
    if not parts:
        return np.empty(0, np.int64), np.empty((0, width), np.int64), np.empty(0)
    owner, codes, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
    keys, place = np.unique(np.column_stack([owner, codes]), axis=0, return_inverse=True)
    return keys[:, 0], keys[:, 1:], np.bincount(place.ravel(), weight, len(keys)).astype(np.float64)
