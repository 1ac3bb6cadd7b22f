"""The spans of a growing tree: for every leaf the spans that reach it, for every span its people (kADET, Fig. 2).

Spans divide the people: two are in the same one if they reach the same bins, whatever their private values. A bin is a
leaf and a label.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import People, Rows, Split


@dataclass(eq=False)
class Span:
    """People who reach the same leaves, by public values alone; once a public question divides them, its pieces."""

    rows: Rows
    leaves: int
    pieces: list["Span"] = field(default_factory=list)
    levels: Bools | None = None
    """Which levels of public categorical attributes would divide it into crowds, once that was asked."""
    forbidden: dict[int, tuple[Int64s, Int64s]] = field(default_factory=dict)
    """Runs of codes of public numeric attributes after which it must not be cut, once that was asked."""

    def forget(self) -> None:
        """It has changed: ask again what would divide it into crowds."""
        self.levels, self.forbidden = None, {}

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


class GrowingSpans:
    """All spans of a tree, found from its leaves.

    A span that is divided at one leaf is divided for every leaf it reaches; the others find out when they are asked.
    """

    def __init__(self, people: People, root: int, rows: Rows, *, target_public: bool) -> None:
        self.people = people
        # The attacker knows a public label, so a leaf is one bin then; else as many as there are labels, and more than
        # one even if all people have the same label: that may be what the attacker did not know.
        self.bins_per_leaf = 1 if target_public else max(people.labels, 2)
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

    def is_alone(self, leaf: int, rows: Rows) -> bool:
        """Is a leaf, which has these rows, reached by one span, of just its own people, that has more than one bin?"""
        spans = self.of(leaf)
        return len(spans) == 1 and len(spans[0].rows) == len(rows) and spans[0].leaves * self.bins_per_leaf > 1

    def with_many_bins(self, spans: list[Span]) -> Parts:
        """What spans would be after a split by a private attribute: it divides none, but gives each more bins."""
        return Parts(np.array([self.people.counts(span.rows) for span in spans]), np.ones(len(spans), bool))

    def split(self, leaf: int, rows: Rows, feature: Feature, split: Split, sons: dict[int, Rows]) -> None:
        """Replace a leaf that had some rows by its sons, who have theirs.

        Those of a public attribute take their part of each span with them.
        """
        spans = self.of(leaf)
        del self.reaching[leaf]
        if not feature.public:
            for span in spans:
                span.leaves += len(sons) - 1
                span.forget()  # what was allowed to one bin may not be to several
            self.reaching.update(dict.fromkeys(sons, spans))
            return
        for new in sons:
            self.reaching[new] = []
        # A span that has the rows of the leaf itself was divided with it; rows that several leaves share are not moved.
        if len(spans) == 1 and spans[0].rows is rows:
            self.replace(spans[0], {new: part for new, part in sons.items() if len(part)})
            return
        moved, sizes = self.people.divide_parts([span.rows for span in spans], feature, split)
        numbers, ends = list(sons), np.cumsum(sizes).reshape(sizes.shape)
        for span, of_span, last in zip(spans, sizes, ends, strict=True):
            parts = np.flatnonzero(of_span).tolist()
            if len(parts) == 1:
                self.reaching[numbers[parts[0]]].append(span)
            else:
                self.replace(span, {numbers[part]: moved[last[part] - of_span[part] : last[part]] for part in parts})

    def replace(self, span: Span, parts: dict[int, Rows]) -> None:
        """Make pieces of a span, each of which goes to a leaf."""
        span.forget()
        for leaf, part in parts.items():
            piece = Span(part, span.leaves) if len(parts) > 1 else span
            if piece is not span:
                span.pieces.append(piece)
            self.reaching[leaf].append(piece)
