"""What may be shown of one public attribute, from anything down to single values, and what each step tells of labels.

A node is a set of codes that are shown alike. Rows without a value are a branch of their own below the top. Where they
would be too few alone, they stay with the largest other branch, and both still show `*`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import SUPPRESSED, number_text, write_interval
from kspan.data.groups import NO_WEIGHTS, runs, tally
from kspan.data.table import Column, Table
from kspan.limits import LARGEST_NUMBER

DIGITS = 12
"""The digits of a gain: the rest is rounding, and must not decide where nothing is gained."""


@dataclass(frozen=True, eq=False)
class TaxonomyNode:
    """Codes that are shown alike, ascending, only those that people have; `level` says how general their name is."""

    codes: Int64s
    level: int = 0

    @property
    def first(self) -> int:
        """The lowest code, by which the node is known."""
        return int(self.codes[0])


Children = tuple[TaxonomyNode, ...]


@dataclass(frozen=True, repr=False)
class Seen:
    """How many people have each code of a column and each label: code c has entries `start[c]` to `start[c + 1]`."""

    start: Int64s
    label: Int64s
    people: Int64s
    labels: int

    @classmethod
    def of(cls, column: Column, target: Column, table: Table) -> "Seen":
        """Count the people of a table."""
        weights = NO_WEIGHTS if table.weights is None else table.weights
        pairs = column.codes.astype(np.int64) * target.size + target.codes
        keys, people, _ = tally(pairs, column.size * target.size, weights)
        start = np.searchsorted(keys, np.arange(column.size + 1) * target.size)
        return cls(start, keys % target.size, people, target.size)

    @cached_property
    def present(self) -> Bools:
        """Which codes people have: a part of a table need not have them all."""
        present: Bools = np.diff(self.start) > 0
        return present

    @cached_property
    def codes(self) -> Int64s:
        """The codes that people have."""
        return np.flatnonzero(self.present)

    def size(self, codes: Int64s) -> int:
        """How many people have one of some codes."""
        return int(self.people[self.entries(codes)].sum())

    def entries(self, codes: Int64s) -> Int64s:
        """The places of the entries of some codes."""
        return runs(self.start[codes], self.start[codes + 1] - self.start[codes])

    def differ(self, codes: Int64s) -> bool:
        """Do people with one of these codes have more than one label?"""
        return int(np.count_nonzero(self._whole(codes))) > 1

    def gain(self, parts: Sequence[Int64s]) -> float:
        """InfoGain: the bits that knowing the part of a person tells of the label (Fung et al. 2005, Eq. 2)."""
        entries = self.entries(np.concatenate(parts))
        part = np.repeat(np.arange(len(parts)), [len(self.entries(codes)) for codes in parts])
        people = self.people[entries]
        keys, inside, _ = tally(part * self.labels + self.label[entries], len(parts) * self.labels, people)
        _, whole, _ = tally(self.label[entries], self.labels, people)
        sizes = np.bincount(keys // self.labels, inside)
        # People times entropy is n log n of a whole, less that of its parts.
        left = n_log_n(sizes).sum() - n_log_n(inside).sum()
        total = float(people.sum())
        gain = float(n_log_n(np.array([total]))[0] - n_log_n(whole).sum() - left) / total
        return max(0.0, round(gain, DIGITS))

    def gains_alone(self, codes: Int64s, among: Int64s) -> Floats:
        """InfoGain of telling each of some codes apart from all other codes in `among`.

        There may be many codes, and every disclosure changes all gains: so logarithms are taken once for equal counts.
        """
        from kspan.kernels import tds as kernels  # loading compiled code takes a moment

        whole = self._whole(among)
        total, everybody = whole.sum(), n_log_n(whole).sum()
        (label, people), of_entry = self._counts
        # A code that leaves changes only the terms of those labels that its people have.
        kept = n_log_n(people) + n_log_n(whole[label] - people) - n_log_n(whole[label])
        sizes, of_code = self._sizes
        left = n_log_n(sizes) + n_log_n(total - sizes) - everybody
        left_of_each = left[of_code[codes]] - kernels.sums(codes, self.start, of_entry, kept)
        gains: Floats = np.maximum(0.0, ((n_log_n(np.array([total])) - everybody - left_of_each) / total).round(DIGITS))
        return gains

    def _whole(self, codes: Int64s) -> Floats:
        """How many people with one of some codes have each label."""
        from kspan.kernels import tds as kernels

        whole: Floats = kernels.label_totals(codes, self.start, self.label, self.people, self.labels)
        return whole

    @cached_property
    def _counts(self) -> tuple[tuple[Int64s, Int64s], Int64s]:
        """The different pairs of a label and how many people have it, and which of them each entry is."""
        pairs, place = np.unique(np.stack([self.label, self.people]), axis=1, return_inverse=True)
        return (pairs[0], pairs[1]), place.ravel()

    @cached_property
    def _sizes(self) -> tuple[Int64s, Int64s]:
        """The different numbers of people who share a code, and which of them each code has."""
        before = np.append(0, np.cumsum(self.people))
        sizes, place = np.unique(np.diff(before[self.start]), return_inverse=True)
        return sizes, place

    @property
    def most(self) -> int:
        """How many people have the commonest code."""
        return int(self._sizes[0][-1])


class Taxonomy(ABC):
    """The nodes that may be shown of one attribute."""

    def __init__(self, column: Column, seen: Seen) -> None:
        self.column, self.seen = column, seen
        self.plain = len(column.values)
        """The number of codes that are values: those beyond are suppressed and missing cells."""
        self.one_by_one = False
        """Are values disclosed one by one, the others staying together?"""

    @property
    def disclosable(self) -> Bools:
        """The codes that people have, but for that of a suppressed cell, which has nothing to disclose."""
        present: Bools = self.seen.present & (np.arange(self.column.size) != self.column.suppressed)
        return present

    @abstractmethod
    def top(self) -> TaxonomyNode:
        """The node of all codes."""

    @abstractmethod
    def below(self, node: TaxonomyNode) -> Children:
        """The children of a node of values; none if it cannot be told more exactly."""

    @abstractmethod
    def name(self, node: TaxonomyNode) -> str:
        """What a node of values shows."""

    def cell(self, node: TaxonomyNode) -> str | None:
        """What a node shows; None is an empty cell, for people all of whom have no value."""
        if node.codes[-1] < self.plain:
            return self.name(node)
        return None if node.first == self.column.missing and node.level == 0 else SUPPRESSED

    def ways(self, node: TaxonomyNode) -> tuple[Children, ...]:
        """The ways to specialize a node, the one that tells most first; none where nothing can be told."""
        values, others = node.codes[node.codes < self.plain], node.codes[node.codes >= self.plain]
        known = (TaxonomyNode(values, node.level),) if len(values) else ()
        children = self.below(known[0]) if known else ()
        if not len(others):
            return (children,) if children else ()
        apart = (*(children or known), *(TaxonomyNode(others[place : place + 1]) for place in range(len(others))))
        while len(children) == 1:  # `*` does not show how general the name of a single branch is
            children = self.below(children[0])
        if not children:
            return (apart,) if len(apart) > 1 else ()
        # A second way: people without a value stay with the largest branch.
        largest = max(range(len(children)), key=lambda place: self.seen.size(children[place].codes))
        joined = TaxonomyNode(np.concatenate([children[largest].codes, others]), children[largest].level)
        return apart, (*children[:largest], joined, *children[largest + 1 :])


class NameTaxonomy(Taxonomy):
    """The names of a hierarchy; of an attribute that has none, single values below `*`."""

    def __init__(self, column: Column, seen: Seen, *, one_by_one: bool) -> None:
        super().__init__(column, seen)
        self.one_by_one = one_by_one
        above = column.levels or (np.zeros(column.size, np.int64),)
        self.levels = (np.arange(column.size), *above)

    def top(self) -> TaxonomyNode:
        """The root."""
        return TaxonomyNode(self.seen.codes, len(self.levels) - 1)

    def below(self, node: TaxonomyNode) -> Children:
        """The names one level lower; a name that an uneven branch repeats is no step."""
        for level in range(node.level - 1, -1, -1):
            names = self.levels[level][node.codes]
            order = np.argsort(names, kind="stable")
            parts = np.split(node.codes[order], np.flatnonzero(np.diff(names[order])) + 1)
            children = tuple(TaxonomyNode(codes, level) for codes in parts)
            if len(children) > 1 or self.name(children[0]) != self.name(node):
                return children
        return ()

    def name(self, node: TaxonomyNode) -> str:
        """The name that the codes have at their level."""
        label, hierarchy = self.column.label(node.first), self.column.hierarchy
        if node.level == 0:
            return label
        if hierarchy is None:
            return SUPPRESSED
        if hierarchy.find(label) is not None:
            return hierarchy.path(label)[node.level]
        # A set or an interval that the hierarchy does not know is a branch of its own below the root.
        return label if node.level < len(self.levels) - 1 else hierarchy.names[-1][0]


class IntervalTaxonomy(Taxonomy):
    """Intervals, cut in two where it tells most of the labels."""

    def top(self) -> TaxonomyNode:
        """All numbers."""
        return TaxonomyNode(self.seen.codes, 1)

    def below(self, node: TaxonomyNode) -> Children:
        """The numbers up to the best cut, and those beyond it."""
        from kspan.kernels import tds as kernels  # loading compiled code takes a moment

        entries = self.seen.entries(node.codes)
        code = np.repeat(node.codes, self.seen.start[node.codes + 1] - self.seen.start[node.codes])
        last = kernels.best_cut(code, self.seen.label[entries], self.seen.people[entries], self.seen.labels)
        low = int(np.searchsorted(node.codes, last, side="right"))
        return () if last < 0 else (TaxonomyNode(node.codes[:low]), TaxonomyNode(node.codes[low:]))

    def name(self, node: TaxonomyNode) -> str:
        """From the lowest to the highest number on this side of the cuts.

        The outer ends are those of the declared domain, or else round numbers: the extremes of the data are somebody's.
        """
        values = self.column.values
        everybody = self.seen.codes[self.seen.codes < self.plain]
        is_lowest, is_highest = node.first == everybody[0], node.codes[-1] == everybody[-1]
        if is_lowest and is_highest:
            return SUPPRESSED
        if self.column.ends is not None:
            return self.column.run(node.first, int(node.codes[-1]))
        low = self._ends[0] if is_lowest else values[node.first].item()
        high = self._ends[1] if is_highest else values[node.codes[-1]].item()
        return number_text(low) if low == high else write_interval(low, high)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        domain, codes = self.column.domain, self.seen.codes[self.seen.codes < self.plain]
        if domain is not None and domain.low is not None and domain.high is not None:
            return domain.low, domain.high
        return rounded_out(self.column.values[codes[0]].item(), self.column.values[codes[-1]].item())


def rounded_out(low: float, high: float) -> tuple[float, float]:
    """A range that holds another and has ends of as few digits as tell its size.

    >>> rounded_out(17, 90), rounded_out(0, 99_999), rounded_out(-0.25, 0.5)
    ((10, 90), (0, 100000), (-0.3, 0.5))
    """
    least, most = Decimal(repr(low)), Decimal(repr(high))
    unit = Decimal(10) ** (most - least).adjusted()
    ends = (
        (least / unit).to_integral_value(ROUND_FLOOR) * unit,
        (most / unit).to_integral_value(ROUND_CEILING) * unit,
    )
    if isinstance(low, int):
        return int(ends[0]), int(ends[1])
    return max(float(ends[0]), -LARGEST_NUMBER), min(float(ends[1]), LARGEST_NUMBER)


def n_log_n(numbers: Int64s | Floats) -> Floats:
    """Each number times its binary logarithm, 0 for 0: what the entropy of counts is made of."""
    floats = numbers.astype(np.float64)
    made: Floats = floats * np.log2(floats, where=floats > 0, out=np.zeros_like(floats))
    return made


def taxonomy(column: Column, seen: Seen, *, disclose: bool) -> Taxonomy:
    """The nodes of a public attribute: its hierarchy, or else intervals of numbers or all its values."""
    if column.hierarchy is None and column.is_measured:
        return IntervalTaxonomy(column, seen)
    return NameTaxonomy(column, seen, one_by_one=disclose and column.hierarchy is None)
