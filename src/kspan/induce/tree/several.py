"""Trees about people with several rows: which splits leave crowds of people, not of rows."""

from dataclasses import dataclass
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
from kspan.privacy import OnPrivate, Requirement

MOST_CUTS = 8
"""So many thresholds of one attribute are tried at a leaf."""


@dataclass(frozen=True)
class Bins:
    """Some rows, and the bin of each."""

    rows: Int64s
    of_row: Int64s


class SeveralRows:
    """Follows the spans of the rows of people, and asks the requirement of people."""

    def __init__(self, table: Table, policy: Policy, target: str | None) -> None:
        assert table.persons is not None
        self.persons = Persons(table.persons, policy.known_rows)
        self.k = policy.require.crowd
        of_people = [part for part in policy.require.parts if not isinstance(part, OnPrivate)]
        self.asked: list[tuple[Requirement, dict[str, Column]]] = [(part, {}) for part in of_people]
        of_labels = [part for part in policy.require.parts if part not in of_people]
        if target is not None and (about := [part for part in of_labels if target in part.looks_at((target,))]):
            self.asked.append((reduce(and_, about), {target: table[target]}))
        self.bins: Int64s = np.full(table.rows, NOTHING_TOLD)
        self.made = 0
        """Bins are numbered in the order in which they are made, and no number is used again."""
        self.left: dict[tuple[int, int], tuple[int, Bools]] = {}
        """By leaf and numeric attribute of which a cut was refused: how often one was, and the cuts that are left."""

    def begin(self, spans: GrowingSpans) -> None:
        """Take the spans of a tree of one leaf."""
        every = spans.every()
        self.take(self.undivided(every, spans.exposing(every)))

    def holds_now(self) -> bool:
        """Do the people of the tree as it is keep the requirement?"""
        return self._keep(None)

    def divided(self, spans: list[Span], exposing: Bools, feature: Feature, split: Split) -> Bins:
        """The bins of the rows of some spans, after a public question has divided them."""
        after, son = self.undivided(spans, exposing, split.sons), split.by_code(feature)
        telling = after.of_row != NOTHING_TOLD
        after.of_row[telling] += son[feature.codes[after.rows[telling]]]
        return after

    def undivided(self, spans: list[Span], exposing: Bools, apart: int = 1) -> Bins:
        """New bins for the rows of some spans: one each, so many numbers `apart`; none if nothing is told."""
        numbers = np.where(exposing, self.made + apart * np.arange(len(spans)), NOTHING_TOLD)
        rows = np.concatenate([span.rows for span in spans]).astype(np.int64)
        return Bins(rows, np.repeat(numbers, [len(span.rows) for span in spans]))

    def allow(self, after: Bins) -> bool:
        """Would people still keep the requirement if some rows had other bins?"""
        before = self.bins[after.rows]
        self.bins[after.rows] = after.of_row
        good = self._keep(after.rows)
        self.bins[after.rows] = before
        return good

    def take(self, after: Bins) -> None:
        """Take other bins, which were allowed."""
        self.bins[after.rows] = after.of_row
        self.made = max(self.made, int(after.of_row.max()) + 1)

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
        times, good = self.left.get((leaf, number)) or (0, self.cuts(spans, feature))
        good[cut if times + 1 < MOST_CUTS else slice(None)] = False
        self.left[leaf, number] = times + 1, good
        return good

    def _keep(self, new: Int64s | None) -> bool:
        return all(self.persons.hold(require, self.bins, private, new=new) for require, private in self.asked)
