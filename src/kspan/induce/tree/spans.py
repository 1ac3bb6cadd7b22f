"""The spans of a growing tree: for every leaf the spans that reach it, for every span its people (kADET, Fig. 2).

Spans divide the people: two are in the same one if they reach the same bins, whatever their private values. A bin is a
leaf and a label. People of different classes, which anybody can tell already, are in different spans from the start.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import People, Rows, Split


@dataclass(eq=False)
class Span:
    """People who reach the same leaves, as far as their public values tell.

    Once a public question has divided it, its `pieces` stand in its place.
    """

    rows: Rows
    leaves: int
    pieces: list["Span"] = field(default_factory=list)
    levels: Bools | None = None
    """Which levels of categorical attributes would leave only crowds of it; None until that is asked."""
    forbidden: dict[int, tuple[Int64s, Int64s]] = field(default_factory=dict)
    """By number of a numeric attribute, the runs of codes after which it must not be cut; filled when asked."""

    def forget(self) -> None:
        """Drop what was found about dividing it, because it has changed."""
        self.levels, self.forbidden = None, {}

    def now(self) -> Iterator["Span"]:
        """The span itself or, if it was divided, all the pieces that it has become."""
        waiting = [self]
        while waiting:
            span = waiting.pop()
            if span.pieces:
                waiting.extend(reversed(span.pieces))
            else:
                yield span


@dataclass(frozen=True)
class Parts:
    """Parts of spans as a split would leave them: people by label, and whether each part has more than one bin."""

    counts: Int64s
    exposing: Bools


class GrowingSpans:
    """All spans of a tree, found from its leaves.

    A span that is divided at one leaf is divided for every leaf it reaches; the other leaves find out when next asked.
    """

    def __init__(self, people: People, root: int, rows: Rows, *, target_public: bool) -> None:
        self.people = people
        # The attacker knows a public label, so a leaf is one bin then; else as many as there are labels, and more than
        # one even if all people have the same label: that may be what the attacker did not know.
        self.bins_per_leaf = 1 if target_public else max(people.labels, 2)
        self.first = [Span(part, 1) for part in _told_apart(people, rows, target_public) if len(part)]
        self.reaching = {root: self.first}

    def of(self, leaf: int) -> list[Span]:
        """The spans that reach a leaf."""
        spans = self.reaching[leaf]
        if any(span.pieces for span in spans):
            spans = self.reaching[leaf] = [piece for span in spans for piece in span.now()]
        return spans

    def every(self) -> list[Span]:
        """All spans of the tree."""
        return [piece for span in self.first for piece in span.now()]

    def exposing(self, spans: list[Span]) -> Bools:
        """Which spans have more than one bin."""
        return np.array([span.leaves for span in spans]) * self.bins_per_leaf > 1

    def as_they_are(self, leaf: int) -> Parts:
        """The spans that reach a leaf, undivided, with their people by label."""
        spans = self.of(leaf)
        return Parts(np.array([self.people.counts(span.rows) for span in spans]), self.exposing(spans))

    def is_alone(self, leaf: int, rows: Rows) -> bool:
        """Is a leaf with these rows reached by only one span, which has the same people and more than one bin?"""
        spans = self.of(leaf)
        # All people of a leaf are in spans that reach it, so equal numbers mean the same people.
        return len(spans) == 1 and len(spans[0].rows) == len(rows) and spans[0].leaves * self.bins_per_leaf > 1

    def with_many_bins(self, spans: list[Span]) -> Parts:
        """Spans as a split by a private attribute would leave them: it divides none, but gives each more bins."""
        return Parts(np.array([self.people.counts(span.rows) for span in spans]), np.ones(len(spans), bool))

    def split(self, leaf: int, rows: Rows, feature: Feature, split: Split, sons: dict[int, Rows]) -> None:
        """Replace a leaf, which had the given rows, by its sons; `sons` has the rows of each.

        A public question divides the spans of the leaf, and each son takes its part. A private one divides none.
        """
        spans = self.of(leaf)
        del self.reaching[leaf]
        if not feature.public:
            for span in spans:
                span.leaves += len(sons) - 1
                span.forget()  # what was allowed to one bin may not be to several
            # The sons share one list, which is safe: lists of spans are replaced, not changed, once a leaf has them.
            self.reaching.update(dict.fromkeys(sons, spans))
            return
        for new in sons:
            self.reaching[new] = []
        # If the span's rows are the leaf's own array, they were divided with the leaf. Others must not be moved, since
        # several leaves may share them.
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
        """Divide a span into pieces, one for each leaf in `parts`; if there is only one leaf, the span goes there."""
        span.forget()
        for leaf, part in parts.items():
            # A piece reaches as many leaves as the span did: one of the sons in place of their parent.
            piece = Span(part, span.leaves) if len(parts) > 1 else span
            if piece is not span:
                span.pieces.append(piece)
            self.reaching[leaf].append(piece)


def _told_apart(people: People, rows: Rows, target_public: bool) -> list[Rows]:
    """Divide rows by what anybody knows of them beside public values: their classes, and labels that are public."""
    keys = people.known[rows] if len(people.known) else np.zeros(len(rows), np.int64)
    if target_public:
        keys = keys * people.labels + people.label[rows]
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order])) + 1
    # The very array, if nobody is told apart: it may be divided together with that of its leaf.
    return np.split(rows[order], begins) if len(begins) else [rows]
