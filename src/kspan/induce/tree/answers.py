"""What private questions tell of the people of spans, while a tree grows.

Whoever knows the public values of people knows their span, and the tree tells how many of it gave which answers. So the
answers on the way to their leaves are values of the attribute that is asked, and must satisfy what is required of it.
A limit on one value counts the people who truly have it, since an answer that admits others as well names it, too.
"""

from collections.abc import Callable, Sequence

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import Counts, Groups
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import People, Rows, Split
from kspan.induce.tree.spans import Span
from kspan.privacy import OnPrivate, Requirement


class Answers:
    """The answers of everybody so far, to questions about attributes of which something is required."""

    def __init__(self, people: People, features: Sequence[Feature], requirement: Requirement) -> None:
        self.people, self.features = people, features
        self.required: dict[int, list[OnPrivate]] = {}
        for number, feature in enumerate(features):
            name = feature.attribute.name
            parts = [
                part
                for part in requirement.parts
                if isinstance(part, OnPrivate) and not feature.public and name in part.looks_at((name,))
            ]
            if parts:
                self.required[number] = parts
        self.told: dict[int, Int64s] = {}
        """By number of an attribute that was asked, what is told of every row; 0 is anything."""
        self.regions: dict[int, dict[bytes, int]] = {}
        """By number of an attribute, which of the values that people have each answer admits, and its code."""
        self._masks: dict[int, list[Bools]] = {}
        self._seen: dict[int, Bools] = {}

    def allow_private(
        self, spans: list[Span], rows: Rows, number: int, split: Split, every: Callable[[], list[Span]]
    ) -> bool:
        """May a leaf with these rows ask a private attribute? `every` gives all spans of the tree."""
        if number not in self.required:
            return True
        told = self._after(rows, number, split)
        # Some requirements compare with everybody, who change with every answer.
        beside = any(part.beside_everybody for part in self.required[number])
        some = every() if beside else spans
        group = np.repeat(np.arange(len(some)), [len(span.rows) for span in some])
        return self._holds(number, told, np.concatenate([span.rows for span in some]), group)

    def allow_public(self, spans: list[Span], feature: Feature, split: Split) -> bool:
        """May spans be divided by a public attribute, as far as private ones were asked before?"""
        if not self.told:
            return True
        rows = np.concatenate([span.rows for span in spans])
        group = np.repeat(np.arange(len(spans)), [len(span.rows) for span in spans])
        son = split.by_code(feature)[feature.codes[rows]]
        return all(self._holds(number, told, rows, group * split.sons + son) for number, told in self.told.items())

    def take(self, rows: Rows, number: int, split: Split) -> None:
        """Remember the answers of a leaf that asks; it must have been allowed."""
        if number in self.required:
            self.told[number] = self._after(rows, number, split)

    def _after(self, rows: Rows, number: int, split: Split) -> Int64s:
        """Return what is told of everybody after a leaf with these rows asks."""
        feature = self.features[number]
        if number not in self.regions:
            everything = np.ones(feature.size, bool)
            # Code 0 is anything, whatever an answer admits.
            self.regions[number], self._masks[number] = {}, [everything]
            self._seen[number] = np.bincount(feature.codes, minlength=feature.size) > 0
        told = self.told.get(number)
        after = np.zeros(len(self.people.label), np.int64) if told is None else told.copy()
        if not len(rows):
            return after
        # All people of a leaf have given the same answers.
        before = self._masks[number][after[rows[0]]]
        son = split.by_code(feature)
        codes = np.array([self._code(number, before & (son == place)) for place in range(split.sons)])
        after[rows] = codes[son[feature.codes[rows]]]
        return after

    def _code(self, number: int, mask: Bools) -> int:
        """Return the code of an answer; answers that admit the same of the values that people have are one."""
        known = self.regions[number]
        key = (mask & self._seen[number]).tobytes()
        if key not in known:
            known[key] = len(self._masks[number])
            self._masks[number].append(mask)
        return known[key]

    def _holds(self, number: int, told: Int64s, rows: Rows, group: Int64s) -> bool:
        """Does what is told of an attribute satisfy what is required of it, wherever something is told?"""
        size = len(self._masks[number])
        weights = self.people.weights[rows] if len(self.people.weights) else None
        _, place = np.unique(group, return_inverse=True)
        groups = int(place.max(initial=-1)) + 1
        counts = np.bincount(place * size + told[rows], weights, groups * size).reshape(groups, size).astype(np.int64)
        telling = counts[:, 1:].any(axis=1)
        if not telling.any():
            return True
        everybody = self.people.weights if len(self.people.weights) else None
        whole = np.bincount(told, everybody, size).astype(np.int64)
        feature, required = self.features[number], self.required[number]
        sizes = counts.sum(axis=1)[telling]
        answers = {feature.attribute.name: Counts.of(counts[telling], whole)}
        good = all(part.holds(Groups(sizes, answers)).all() for part in required if part.only_value is None)
        of_values = [part for part in required if part.only_value is not None]
        if not good or not of_values:
            return good
        own = feature.whole or feature
        keys = place * own.size + own.codes[rows]
        true = np.bincount(keys, weights, groups * own.size).reshape(groups, -1).astype(np.int64)[telling]
        values = {feature.attribute.name: Counts.of(true, having=own.having)}
        return all(part.holds(Groups(sizes, values)).all() for part in of_values)
