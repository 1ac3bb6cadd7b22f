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
    """People who reach the same leaves, by public values alone."""

    rows: Int64s
    leaves: set[int]


@dataclass(frozen=True)
class Parts:
    """What is left of spans after a split: people by label, and whether the part has more than one bin."""

    counts: Int64s
    exposing: Bools


@dataclass
class Spans:
    """All spans of a tree, found from its leaves."""

    people: People
    bins_per_leaf: int
    """As many as labels if the target is private; else the attacker knows the label, and a leaf is one bin."""
    reaching: dict[int, list[Span]] = field(default_factory=dict)

    @classmethod
    def of_root(cls, people: People, root: int, *, target_public: bool) -> "Spans":
        """One span with everybody, or one a label if the target is public."""
        spans = cls(people, 1 if target_public else people.labels)
        rows = people.rows
        parts = [rows[people.label[rows] == label] for label in range(people.labels)] if target_public else [rows]
        spans.reaching[root] = [Span(part, {root}) for part in parts if len(part)]
        return spans

    def everywhere(self) -> Iterator[Span]:
        """Every span once."""
        seen: set[int] = set()
        for spans in self.reaching.values():
            for span in spans:
                if id(span) not in seen:
                    seen.add(id(span))
                    yield span

    def now(self, leaf: int) -> Parts:
        """The spans that reach a leaf, as they are."""
        spans = self.reaching[leaf]
        counts = np.array([self.people.counts(span.rows) for span in spans])
        return Parts(counts, np.array([len(span.leaves) * self.bins_per_leaf > 1 for span in spans]))

    def after(self, leaf: int, feature: Feature, son: Int64s, sons: int) -> Parts:
        """What would be left of the spans that reach a leaf if it were split: `son` of each code of the feature.

        A public attribute divides each span by the sons; a private one divides none, but gives each of them more bins.
        """
        spans = self.reaching[leaf]
        if not feature.public:
            return Parts(self.now(leaf).counts, np.ones(len(spans), bool))
        counts = np.concatenate([self.people.by_son(span.rows, feature, son, sons) for span in spans])
        exposing = np.repeat([len(span.leaves) * self.bins_per_leaf > 1 for span in spans], sons)
        return Parts(counts, exposing)

    def split(self, leaf: int, feature: Feature, son: Int64s, leaves: list[int]) -> None:
        """Replace a leaf by its sons; those of a public attribute take their part of each span with them."""
        for leaf_of_son in leaves:
            self.reaching[leaf_of_son] = []
        for span in self.reaching.pop(leaf):
            others = span.leaves - {leaf}
            if feature.public:
                parts = self.people.divided(span.rows, feature, son, len(leaves))
                pieces = [Span(part, others | {new}) for part, new in zip(parts, leaves, strict=True) if len(part)]
            else:
                pieces = [Span(span.rows, others | set(leaves))]
            for other in others:
                self.reaching[other].remove(span)
            for piece in pieces:
                for reached in piece.leaves:
                    self.reaching[reached].append(piece)
