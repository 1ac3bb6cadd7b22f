"""Trees about people with several rows: which splits leave crowds of people, not of rows."""

from functools import reduce
from operator import and_

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.table import Column, Table
from kspan.induce.persons import NOTHING_TOLD, Persons
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import Split
from kspan.induce.tree.spans import GrowingSpans, Span
from kspan.policy import Policy
from kspan.privacy import KAnonymity, OnPrivate, Requirement

MOST_CUTS = 16
"""So many thresholds of one attribute are tried at a leaf."""


class SeveralRows:
    """Follows the spans of the rows of people, and asks the requirement of people."""

    def __init__(self, table: Table, policy: Policy, target: str | None) -> None:
        assert table.persons is not None
        self.persons = Persons(table.persons, policy.known_rows)
        self.k = max((part.k for part in policy.require.parts if isinstance(part, KAnonymity)), default=1)
        of_people = [part for part in policy.require.parts if not isinstance(part, OnPrivate)]
        self.asked: list[tuple[Requirement, dict[str, Column]]] = [(part, {}) for part in of_people]
        of_labels = [part for part in policy.require.parts if part not in of_people]
        if target is not None and (about := [part for part in of_labels if target in part.looks_at((target,))]):
            self.asked.append((reduce(and_, about), {target: table[target]}))
        self.bins: Int64s = np.full(table.rows, NOTHING_TOLD)
        self.made = 0
        """Bins are numbered in the order in which they are made, and no number is used again."""
        self.refused: dict[tuple[int, int], list[int]] = {}
        """By leaf and numeric attribute, the cuts that were not allowed."""

    def holds_now(self, spans: GrowingSpans) -> bool:
        """Do the people of the tree as it is keep the requirement?"""
        every = spans.every()
        return self._keep(self._after(every, spans.exposing(every)))

    def begin(self, spans: GrowingSpans) -> None:
        """Take the spans of a tree of one leaf."""
        every = spans.every()
        self.take(self._after(every, spans.exposing(every)))

    def after_public(self, spans: list[Span], exposing: Bools, feature: Feature, split: Split) -> Int64s:
        """The bin of each row after a public question has divided some spans."""
        son = split.by_code(feature)
        return self._after(spans, exposing, split.sons, son[feature.codes])

    def after_private(self, spans: list[Span]) -> Int64s:
        """The bin of each row after a private question: it divides no span, but all of them tell something then."""
        return self._after(spans, np.ones(len(spans), bool))

    def allow(self, after: Int64s) -> bool:
        """Would people still keep the requirement with other bins?"""
        return self._keep(after, after != self.bins)

    def take(self, after: Int64s) -> None:
        """Take other bins, which were allowed."""
        self.bins, self.made = after, max(self.made, int(after.max()) + 1)

    def cuts(self, spans: list[Span], feature: Feature) -> Bools:
        """After which codes a numeric attribute may be cut, so that k people or none are on each side in every span."""
        good = np.ones(feature.plain, bool)
        for span in spans:
            rows = span.rows[feature.codes[span.rows] < feature.plain]
            who, place = np.unique(self.persons.person[rows], return_inverse=True)
            lowest, highest = np.full(len(who), feature.plain), np.full(len(who), -1)
            np.minimum.at(lowest, place, feature.codes[rows])
            np.maximum.at(highest, place, feature.codes[rows])
            below = np.cumsum(np.bincount(lowest, minlength=feature.plain))
            above = len(who) - np.cumsum(np.bincount(highest, minlength=feature.plain))
            good &= ((below >= self.k) | (below == 0)) & ((above >= self.k) | (above == 0))
        return good

    def other_cuts(self, leaf: int, number: int, cut: int, spans: list[Span], feature: Feature) -> Bools:
        """The cuts that may be tried after one was refused; none if that happened too often."""
        tried = self.refused.setdefault((leaf, number), [])
        tried.append(cut)
        good = self.cuts(spans, feature)
        good[tried if len(tried) < MOST_CUTS else slice(None)] = False
        return good

    def _after(self, spans: list[Span], exposing: Bools, parts: int = 1, part: Int64s | None = None) -> Int64s:
        after = self.bins.copy()
        for number, (span, exposes) in enumerate(zip(spans, exposing.tolist(), strict=True)):
            inside = 0 if part is None else part[span.rows]
            after[span.rows] = self.made + number * parts + inside if exposes else NOTHING_TOLD
        return after

    def _keep(self, bins: Int64s, changed: Bools | None = None) -> bool:
        return all(self.persons.hold(require, bins, private, changed) for require, private in self.asked)
