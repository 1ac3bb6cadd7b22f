"""The spans of a growing tree: for every leaf the spans that reach it, for every span its people (kADET, Fig. 2).

Spans divide the people: two are in the same one if they reach the same bins, whatever their private values. A bin is a
leaf and a label.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.induce.features import Feature
from kspan.induce.people import People


@dataclass(eq=False)
class Span:
    """People who reach the same leaves, by public values alone; once a public question divides them, its pieces."""

    rows: Int64s
    leaves: int
    pieces: list["Span"] = field(default_factory=list)

    def now(self) -> Iterator["Span"]:
        """Itself, or what has become of it."""
        waiting = [self]
        while waiting:
            span = waiting.pop()
            if span.pieces:
                waiting.extend(reversed(span.pieces))
            else:
                yield span


@dataclass(frozen=True)
class Parts:
    """What is left of spans after a split: people by label, and whether the part has more than one bin."""

    counts: Int64s
    exposing: Bools


class Spans:
    """All spans of a tree, found from its leaves.

    A span that is divided at one leaf is divided for every leaf it reaches; the others find out when they are asked.
    """

    def __init__(self, people: People, root: int, *, target_public: bool) -> None:
        self.people = people
        # The attacker knows a public label, so a leaf is one bin then; else as many as there are labels.
        self.bins_per_leaf = 1 if target_public else people.labels
        rows = people.rows
        parts = [rows[people.label[rows] == label] for label in range(people.labels)] if target_public else [rows]
        self.first = [Span(part, 1) for part in parts if len(part)]
        self.reaching = {root: self.first}

    def of(self, leaf: int) -> list[Span]:
        """The spans that reach a leaf."""
        spans = self.reaching[leaf]
        if any(span.pieces for span in spans):
            spans = self.reaching[leaf] = [piece for span in spans for piece in span.now()]
        return spans

    def exposing(self, spans: list[Span]) -> Bools:
        """Which spans have more than one bin."""
        return np.array([span.leaves for span in spans]) * self.bins_per_leaf > 1

    def as_they_are(self, leaf: int) -> Parts:
        """The spans that reach a leaf."""
        spans = self.of(leaf)
        return Parts(np.array([self.people.counts(span.rows) for span in spans]), self.exposing(spans))

    def after(self, leaf: int, feature: Feature, son: Int64s, sons: int) -> Parts:
        """What would be left of the spans that reach a leaf if it were split: `son` of each code of the feature.

        A public attribute divides each span by the sons; a private one divides none, but gives each of them more bins.
        """
        spans = self.of(leaf)
        if not feature.public:
            return Parts(self.as_they_are(leaf).counts, np.ones(len(spans), bool))
        counts = self.people.by_part([span.rows for span in spans], feature, son, sons)
        return Parts(counts.reshape(-1, self.people.labels), np.repeat(self.exposing(spans), sons))

    def split(self, leaf: int, feature: Feature, son: Int64s, leaves: list[int]) -> None:
        """Replace a leaf by its sons; those of a public attribute take their part of each span with them."""
        spans = self.of(leaf)
        del self.reaching[leaf]
        if not feature.public:
            for span in spans:
                span.leaves += len(leaves) - 1
            self.reaching.update(dict.fromkeys(leaves, spans))
            return
        for new in leaves:
            self.reaching[new] = []
        for span in spans:
            parts = self.people.divided(span.rows, feature, son, len(leaves))
            pieces = {new: part for new, part in zip(leaves, parts, strict=True) if len(part)}
            if len(pieces) == 1:
                self.reaching[next(iter(pieces))].append(span)
                continue
            for new, part in pieces.items():
                span.pieces.append(Span(part, span.leaves))
                self.reaching[new].append(span.pieces[-1])
