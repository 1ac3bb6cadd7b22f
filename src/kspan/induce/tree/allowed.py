"""Which splits the requirement allows: those after which every part of every divided span satisfies it."""

from collections.abc import Sequence
from copy import copy
from functools import cached_property, reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Codes, Int64s
from kspan.data.encode import MOST_PEOPLE
from kspan.data.groups import Counts, Groups
from kspan.induce.tree.answers import Answers
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import People, Rows, Split
from kspan.induce.tree.spans import GrowingSpans, Parts, Span
from kspan.induce.tree.worth import ANYWHERE, Worth
from kspan.privacy import KAnonymity, OnPrivate, Requirement

AT_ONCE = 16
"""So many questions with two answers are asked of the requirement at once."""


class Guard:
    """Asks the requirement of parts of spans; each span remembers what was found of it.

    `target` is the attribute whose labels are private, or None if everybody knows them.
    """

    def __init__(
        self,
        people: People,
        features: Sequence[Feature],
        worth: Worth,
        requirement: Requirement,
        rows: Rows,
        target: str | None,
    ) -> None:
        self.people, self.features, self.worth = people, features, worth
        self.requirement, self.target, self.whole_requirement = of_labels(requirement, target), target, requirement
        self.answers = Answers(people, features, requirement)
        self.spans = GrowingSpans(people, 0, rows, target_public=target is None)
        self.whole = people.counts(rows)
        k = max((part.k for part in requirement.parts if isinstance(part, KAnonymity)), default=0)
        self.k = min(k, MOST_PEOPLE)  # compiled code counts in 64 bits, and nobody reaches more than there can be

    def beside(self, target: str, people: People) -> "Guard":
        """The same spans, of which something is required of another private target."""
        other = copy(self)
        other.people, other.target = people, target
        other.requirement = of_labels(self.whole_requirement, target)
        other.whole = people.counts(np.concatenate([span.rows for span in self.spans.every()]))
        return other

    def parts(self, spans: list[Span]) -> Parts:
        """Spans as they are, with their people by label."""
        return Parts(np.array([self.people.counts(span.rows) for span in spans]), self.spans.exposing(spans))

    def divided(self, spans: list[Span], split: Split) -> Parts:
        """The parts of spans as a split would leave them."""
        counts = self.people.by_part_and_son([span.rows for span in spans], self.features[split.feature], split)
        return Parts(counts.reshape(-1, self.people.labels), np.repeat(self.spans.exposing(spans), split.sons))

    def allows(self, parts: Parts) -> bool:
        """Do all parts of spans satisfy the requirement?"""
        return bool(self.satisfied(parts).all())

    def satisfied(self, parts: Parts) -> Bools:
        """Which parts of spans satisfy the requirement; parts without people do."""
        requirement = self.requirement
        sizes = parts.counts.sum(axis=1)
        if isinstance(requirement, KAnonymity):
            large: Bools = (sizes >= requirement.k) | (sizes == 0) | ~parts.exposing
            return large
        good = np.ones(len(sizes), bool)
        populated = sizes > 0
        if populated.any():
            people = self.people
            named = {"ordered": people.ordered, "levels": people.levels, "having": people.having}
            named["numbers"] = people.numbers
            counts = Counts.of(parts.counts[populated], self.whole, **named)
            private = {} if self.target is None else {self.target: counts}
            good[populated] = requirement.holds(Groups(sizes[populated], private, parts.exposing[populated]))
        return good

    def allows_each(self, spans: Sequence[Span], bins: Codes, sides: NDArray[np.int8], most: int) -> list[int]:
        """Which questions with two answers may divide some spans: the places of the first `most` that do.

        `bins` is the bin of each row, `sides` the answer of each bin (column) to each question (row).
        """
        labels, size = self.people.labels, sides.shape[1]
        rows = np.concatenate([span.rows for span in spans])
        place = np.repeat(np.arange(len(spans)), [len(span.rows) for span in spans])
        weights = self.people.weights[rows] if len(self.people.weights) else None
        keys = (place * labels + self.people.label[rows]) * size + bins[rows]
        people = np.bincount(keys, weights, len(spans) * labels * size).reshape(-1, size)
        exposing = np.repeat(self.spans.exposing(list(spans)), 2)
        found: list[int] = []
        for begin in range(0, len(sides), AT_ONCE):
            first = (people @ (sides[begin : begin + AT_ONCE] == 0).T).T
            both = np.stack([first, people.sum(axis=1) - first], axis=1).reshape(len(first), 2, len(spans), labels)
            counts = both.transpose(0, 2, 1, 3).reshape(-1, labels).astype(np.int64)
            held = self.satisfied(Parts(counts, np.tile(exposing, len(first))))
            found += (begin + np.flatnonzero(held.reshape(len(first), -1).all(axis=1))).tolist()
            if len(found) >= most:
                break
        return found[:most]

    def levels_of_span(self, span: Span) -> Bools:
        """Which levels of categorical features may divide a span, since every part would satisfy the requirement.

        Private ones always may: they divide no span. This is counted once for all leaves that the span reaches.
        """
        if span.levels is None:
            parts, levels = self.worth.parts(span.rows), self.worth.levels
            exposing = np.repeat(self.spans.exposing([span]), len(parts))
            bad = ~self.satisfied(Parts(parts, exposing))
            span.levels = ~levels.public | (levels.count(bad) == 0)
        return span.levels

    def forbidden_cuts(self, spans: Sequence[Span], number: int) -> tuple[Int64s, Int64s]:
        """The runs of codes after which a numeric feature must not be cut, since a part would break the requirement.

        Returns where the runs of all spans begin, and where they end (exclusive).
        """
        if unasked := [span for span in spans if number not in span.forbidden]:
            self._find_forbidden(unasked, number)
        begins, ends = zip(*(span.forbidden[number] for span in spans), strict=True)
        return np.concatenate(begins), np.concatenate(ends)

    def _find_forbidden(self, spans: Sequence[Span], number: int) -> None:
        """Let spans remember after which codes of a numeric feature they must not be cut; all are counted at once."""
        feature = self.features[number]
        rows = np.concatenate([span.rows for span in spans])
        place = np.repeat(np.arange(len(spans)), [len(span.rows) for span in spans])
        owner, code, counts = self.people.by_code(rows, place, feature)
        plain = code < feature.plain
        missing = np.zeros((len(spans), self.people.labels), np.int64)
        missing[owner[~plain]] = counts[~plain]
        owner, code, counts = owner[plain], code[plain], counts[plain]
        first = np.searchsorted(owner, np.arange(len(spans) + 1))
        # For a cut after each code, the people by label up to it, beyond it, and without a number.
        sums = np.concatenate([np.zeros((1, self.people.labels), np.int64), np.cumsum(counts, axis=0)])
        below, above = sums[1:] - sums[first[owner]], sums[first[owner + 1]] - sums[1:]
        sons = np.stack([below, above, missing[owner]], axis=1)
        exposing = np.repeat(self.spans.exposing(list(spans))[owner], 3)
        held = self.satisfied(Parts(sons.reshape(-1, self.people.labels), exposing))
        good: Bools = np.logical_and.reduce(held.reshape(-1, 3), axis=1)
        # Up to the next code that occurs, every cut divides the span alike.
        after = np.append(code, feature.plain)[1:]
        last = first[1:][np.diff(first) > 0] - 1
        after[last] = feature.plain
        # A cut beyond all numbers only separates people without one, and so does a cut before all numbers.
        apart = last[~good[last]]
        bad = np.concatenate([np.flatnonzero(~good), apart])
        begins = np.concatenate([code[~good], np.zeros(len(apart), np.int64)])
        ends = np.concatenate([after[~good], code[first[owner[apart]]]])
        order = np.argsort(owner[bad], kind="stable")
        begins, ends = begins[order], ends[order]
        run = np.searchsorted(owner[bad[order]], np.arange(len(spans) + 1)).tolist()
        for span, start, end in zip(spans, run, run[1:], strict=False):
            span.forbidden[number] = begins[start:end], ends[start:end]


def of_labels(requirement: Requirement, target: str | None) -> Requirement:
    """Return the parts of a requirement that are about people and their labels; other attributes have `Answers`."""
    parts = [
        part
        for part in requirement.parts
        if not isinstance(part, OnPrivate) or (target is not None and target in part.looks_at((target,)))
    ]
    return reduce(and_, parts) if parts else KAnonymity(1)


class Allowed:
    """The splits that all of some spans allow, looked up when they are asked for."""

    def __init__(self, guard: Guard | None, spans: list[Span]) -> None:
        self.guard, self.spans = guard, spans
        self.found: dict[int, Bools] = {}

    @cached_property
    def levels(self) -> Bools | None:
        """Which levels of categorical features may be asked; None if there are no spans, so that all may."""
        if self.guard is None or not self.spans:
            return None
        together = self.guard.levels_of_span(self.spans[0]).copy()
        for span in self.spans[1:]:
            together &= self.guard.levels_of_span(span)
        return together

    def cuts(self, number: int) -> Bools:
        """After which codes a numeric feature may be cut; `ANYWHERE` if after all of them."""
        if self.guard is None or not self.spans or not self.guard.features[number].public:
            return ANYWHERE
        feature = self.guard.features[number]
        if number not in self.found:
            begins, ends = self.guard.forbidden_cuts(self.spans, number)
            codes = feature.size + 1
            # The number of forbidden runs that are open at each code.
            depth = np.bincount(begins, minlength=codes) - np.bincount(ends, minlength=codes)
            self.found[number] = np.cumsum(depth)[: feature.plain] == 0
        return self.found[number]
