"""One grower for all trees: the best candidate of any leaf first, as long as one gains and the requirement allows it.

Ties are broken the same way everywhere: the leaf that was made first, then the attribute named first, then the lower
level of its hierarchy; among thresholds the lowest.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from kspan import kernels
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import Counts, Groups
from kspan.errors import PolicyError, check_number, did_you_mean
from kspan.induce.features import Feature
from kspan.induce.gain import SCORES
from kspan.induce.levels import Levels
from kspan.induce.people import People, summed
from kspan.induce.spans import Parts, Spans
from kspan.model.tree import Edge, Node, Region
from kspan.privacy import KAnonymity, Requirement

LEAST_GAIN = 1e-9
"""Less than this is rounding."""

NO_SCORES: Floats = np.empty(0)

KEPT = 4096
"""Codes of all features for which a leaf remembers its counts."""

CELLS = 1 << 20
"""Of a table of spans, codes and labels that is held at once."""


@dataclass(frozen=True, eq=False)
class Split:
    """A way to divide a leaf: the son of each code of a feature (-1: cannot come here)."""

    feature: int
    son: Int64s
    sons: int
    cut: float | None = None
    """Of a numeric feature: numbers up to here go to the first son."""


@dataclass(eq=False)
class Leaf:
    """A node that may still be divided: its rows, and the codes of each feature that can still come here."""

    number: int
    rows: Int64s
    counts: Int64s
    open: dict[int, Bools]
    bounds: dict[int, tuple[float | None, float | None]] = field(default_factory=dict)
    """Of numeric features that were asked above."""
    tally: Int64s | None = None
    """People by code of each feature and label, while it may still be divided."""
    scores: Floats = field(default_factory=lambda: NO_SCORES)
    """Of the levels of categorical features, while it may still be divided."""
    split: Split | None = None
    sons: list["Leaf"] = field(default_factory=list)


@dataclass(order=True)
class Candidate:
    """A split of a leaf in the queue, the most gainful first: by a level of a feature, or after a code."""

    rank: tuple[float, int, int, int]
    leaf: Leaf = field(compare=False)
    feature: int = field(compare=False)
    level: int = field(compare=False)
    cut: int | None = field(compare=False)
    made: Split | None = field(default=None, compare=False)
    """The split itself, once it was asked for."""

    @property
    def is_open(self) -> bool:
        """Has its leaf not been divided by another one?"""
        return self.leaf.split is None


class Growth:
    """A tree while it grows."""

    def __init__(
        self,
        people: People,
        features: Sequence[Feature],
        *,
        requirement: Requirement | None = None,
        target_public: bool = False,
        target: str = "",
        score: str = "information-gain",
        min_rows: int = 1,
    ) -> None:
        self.people, self.features, self.requirement = people, features, requirement
        self.target_public, self.target = target_public, target
        check_number("min_rows", min_rows, low=1, whole=True)
        if score not in SCORES:
            raise PolicyError(f"there is no score {score!r}{did_you_mean(score, SCORES)}: use {', '.join(SCORES)}")
        self.score, self.min_rows = SCORES[score], min_rows
        self.k = (
            max((part.k for part in requirement.parts if isinstance(part, KAnonymity)), default=1) if requirement else 1
        )
        everybody = people.counts(people.rows)
        self.whole = everybody
        self.root = Leaf(0, people.rows, everybody, {})
        self.made = 1
        # Without a requirement there is nobody to hide, and no span to follow.
        self.spans = Spans(people, 0, target_public=target_public) if requirement is not None else None
        self.queue: list[Candidate] = []
        self.codes = np.stack([feature.codes for feature in features])  # of one type, for one pass over all of them
        ends = np.cumsum([feature.size for feature in features])
        self.begins = ends - [feature.size for feature in features]
        self.levels = Levels.of(features, self.begins)
        self.sons_of_all: dict[tuple[int, int], tuple[Int64s, int]] = {}
        self.propose(self.root)

    def best(self) -> Candidate | None:
        """The most gainful candidate of all leaves, taken out of the queue."""
        while self.queue:
            candidate = heapq.heappop(self.queue)
            if candidate.is_open:
                return candidate
        return None

    def holds_now(self) -> bool:
        """Does the tree as it is satisfy the requirement?"""
        if self.spans is None:
            return True
        return all(bool(self.satisfied(self.spans.as_they_are(leaf)).all()) for leaf in self.spans.reaching)

    def propose(self, leaf: Leaf) -> None:
        """Every attribute at its lowest level is a candidate of a new leaf."""
        if np.count_nonzero(leaf.counts) < 2:
            return
        leaf.scores = self.scores(leaf)
        for number, feature in enumerate(self.features):
            if not feature.numeric:
                self.propose_level(leaf, number, 0)
            elif not (feature.public and self.cannot_be_divided(leaf)):
                self.propose_threshold(leaf, number)

    def scores(self, leaf: Leaf) -> Floats:
        """The score of each level of each categorical feature, all at once; 0 where it cannot divide the leaf."""
        sons = self.levels.summed(self.tally(leaf))
        sizes = sons.sum(axis=1)
        useful = self.levels.count(sizes >= self.min_rows) >= 2
        if isinstance(self.requirement, KAnonymity) and self.is_its_own_span(leaf):
            # The span is the leaf: who would be too few stays too few, so these need not wait in the queue.
            useful &= ~self.levels.public | (self.levels.count((sizes > 0) & (sizes < self.k)) == 0)
        return np.where(useful, self.score(sons, self.levels.begins), 0.0)

    def propose_level(self, leaf: Leaf, number: int, lowest: int) -> None:
        """Put a split by the lowest level of a feature that gains, from `lowest` on, into the queue."""
        first, last = self.levels.of_feature[number]
        gains = leaf.scores[first + lowest : last]
        better = np.flatnonzero(gains > LEAST_GAIN)
        if len(better):
            self.enqueue(leaf, number, float(gains[better[0]]), level=lowest + int(better[0]))

    def tally(self, leaf: Leaf) -> Int64s:
        """People of a leaf by code of each feature and label; kept with the leaf unless it is large."""
        if leaf.tally is not None:
            return leaf.tally
        counts = np.zeros((int(self.begins[-1]) + self.features[-1].size, self.people.labels), np.int64)
        kernels.histograms(self.codes, self.begins, self.people.label, self.people.weights, leaf.rows, counts)
        if len(counts) <= KEPT:
            leaf.tally = counts
        return counts

    def by_code(self, leaf: Leaf, number: int) -> Int64s:
        """People of a leaf by code of one feature and label."""
        begin = self.begins[number]
        return self.tally(leaf)[begin : begin + self.features[number].size]

    def is_its_own_span(self, leaf: Leaf) -> bool:
        """Is the leaf reached by one span, of just its own people, that has more than one bin?"""
        if self.spans is None:
            return False
        spans = self.spans.of(leaf.number)
        return len(spans) == 1 and len(spans[0].rows) == len(leaf.rows) and bool(self.spans.exposing(spans)[0])

    def cannot_be_divided(self, leaf: Leaf) -> bool:
        """Is the leaf a span of fewer than 2k people? Then two sons with people in them cannot both have k."""
        return int(leaf.counts.sum()) < 2 * self.k and self.is_its_own_span(leaf)

    def enqueue(self, leaf: Leaf, feature: int, gain: float, *, level: int = 0, cut: int | None = None) -> None:
        """Put a split into the queue, if it gains."""
        if gain > LEAST_GAIN:
            rank = (-round(gain, 12), leaf.number, feature, level)
            heapq.heappush(self.queue, Candidate(rank, leaf, feature, level, cut))

    def generalize(self, candidate: Candidate) -> None:
        """Give a split that is not allowed another chance: one level up, or with the best threshold that is allowed.

        By a private attribute no other way is better: none of them divides a span.
        """
        leaf, number = candidate.leaf, candidate.feature
        if not self.features[number].public:
            return
        if candidate.cut is not None:
            self.propose_threshold(leaf, number, allowed_only=True)
        else:
            self.propose_level(leaf, number, candidate.level + 1)

    def split_of(self, candidate: Candidate) -> Split:
        """The split that a candidate stands for."""
        if candidate.made is None:
            leaf, number = candidate.leaf, candidate.feature
            if candidate.cut is not None:
                candidate.made = self.threshold(leaf, number, candidate.cut)
            else:
                candidate.made = Split(number, *self.sons_at(leaf, number, candidate.level))
        return candidate.made

    def divide(self, candidate: Candidate) -> None:
        """Make a leaf a node, and its sons leaves with candidates of their own."""
        leaf, split = candidate.leaf, self.split_of(candidate)
        feature = self.features[split.feature]
        leaf.split, leaf.tally, leaf.scores = split, None, NO_SCORES
        for number, rows in enumerate(self.people.divided(leaf.rows, feature, split.son, split.sons)):
            still_open = {**leaf.open, split.feature: split.son == number}
            intervals = self.region(leaf, split, number).intervals
            bounds = {**leaf.bounds, split.feature: intervals[0]} if intervals else leaf.bounds
            leaf.sons.append(Leaf(self.made, rows, self.people.counts(rows), still_open, bounds))
            self.made += 1
        if self.spans is not None:
            self.spans.split(leaf.number, feature, split.son, [son.number for son in leaf.sons])
        for son in leaf.sons:
            self.propose(son)

    def holds_after(self, candidate: Candidate) -> bool:
        """Would every span still satisfy the requirement after a split?"""
        if self.spans is None:
            return True
        leaf, split = candidate.leaf, self.split_of(candidate)
        feature, spans = self.features[split.feature], self.spans.of(leaf.number)
        if feature.public and self.is_its_own_span(leaf):
            # The span is the leaf, whose people are counted already.
            counts = summed(self.by_code(leaf, split.feature), split.son, split.sons)
            parts = Parts(counts, np.repeat(self.spans.exposing(spans), split.sons))
        else:
            parts = self.spans.after(leaf.number, feature, split.son, split.sons)
        return bool(self.satisfied(parts).all())

    def satisfied(self, parts: Parts) -> Bools:
        """Which parts of spans satisfy the requirement; those without people do."""
        requirement = self.requirement
        assert requirement is not None
        sizes = parts.counts.sum(axis=1)
        if isinstance(requirement, KAnonymity):
            large: Bools = (sizes >= requirement.k) | (sizes == 0) | ~parts.exposing
            return large
        good = np.ones(len(sizes), bool)
        populated = sizes > 0
        if populated.any():
            people = self.people
            counts = Counts.of(parts.counts[populated], self.whole, ordered=people.ordered, levels=people.levels)
            private = {} if self.target_public else {self.target: counts}
            good[populated] = requirement.holds(Groups(sizes[populated], private, parts.exposing[populated]))
        return good

    def open_codes(self, leaf: Leaf, number: int) -> Bools:
        """The codes of a feature that can still come to a leaf."""
        return leaf.open.get(number, np.ones(self.features[number].size, bool))

    def sons_at(self, leaf: Leaf, number: int, level: int) -> tuple[Int64s, int]:
        """The son of each code at a level of a feature, and how many there are; remembered where all codes may come."""
        everything = number not in leaf.open
        if everything and (number, level) in self.sons_of_all:
            return self.sons_of_all[number, level]
        feature, inside = self.features[number], self.open_codes(leaf, number)
        names = np.arange(feature.size) if level == 0 else feature.levels[level - 1]
        distinct, places = np.unique(names[inside], return_inverse=True)
        son = np.full(feature.size, -1, np.int64)
        son[inside] = places
        if everything:
            self.sons_of_all[number, level] = son, len(distinct)
        return son, len(distinct)

    def propose_threshold(self, leaf: Leaf, number: int, *, allowed_only: bool = False) -> None:
        """Put the best binary split between numbers (a missing one is a son of its own) into the queue.

        First halfway between two numbers that occur in the leaf; if that was not allowed, anywhere between them that is
        allowed, since people elsewhere may have the numbers between.
        """
        feature, counts = self.features[number], self.by_code(leaf, number)
        here = np.flatnonzero(counts[: feature.plain].any(axis=1))
        if len(here) < 2:
            return
        assert feature.numbers is not None
        middles = (feature.numbers[here[:-1]] + feature.numbers[here[1:]]) / 2
        halfway = np.minimum(np.searchsorted(feature.numbers, middles, side="right"), here[1:]) - 1
        cuts = np.arange(here[0], here[-1]) if allowed_only else halfway
        sons = _sons_of_thresholds(counts, feature.plain)[cuts]
        allowed = (sons.sum(axis=2) >= self.min_rows).sum(axis=1) >= 2
        if allowed_only:
            allowed &= self.allowed_cuts(leaf, feature, cuts)
        if allowed.any():
            begins = np.arange(len(cuts)) * sons.shape[1]
            scores = self.score(sons.reshape(-1, self.people.labels), begins)
            scores = np.where(allowed, scores.round(12), -np.inf)
            best = np.flatnonzero(scores == scores.max())
            usual = best[np.isin(cuts[best], halfway)]
            chosen = int((usual if len(usual) else best)[0])
            self.enqueue(leaf, number, float(scores[chosen]), cut=int(cuts[chosen]))

    def threshold(self, leaf: Leaf, number: int, cut: int) -> Split:
        """The split of a numeric feature after a code, halfway to the next number."""
        feature, inside = self.features[number], self.open_codes(leaf, number)
        assert feature.numbers is not None
        below, above = float(feature.numbers[cut]), float(feature.numbers[cut + 1])
        son = np.full(feature.size, -1, np.int64)
        son[: feature.plain] = np.arange(feature.plain) > cut
        sons = 2
        if feature.attribute.has_missing and inside[-1]:
            son[-1], sons = 2, 3
        son[~inside] = -1
        middle = (below + above) / 2
        return Split(number, son, sons, cut=middle if middle < above else below)  # floats may have nothing between them

    def region(self, leaf: Leaf, split: Split, number: int) -> Region:
        """What the branch to one of the sons of a leaf admits."""
        if split.cut is None:
            return self.features[split.feature].region(np.flatnonzero(split.son == number))
        low, high = leaf.bounds.get(split.feature, (None, None))
        if number == 2:
            return Region(missing=True)
        return Region(intervals=((low, split.cut) if number == 0 else (split.cut, high),))

    def allowed_cuts(self, leaf: Leaf, feature: Feature, cuts: Int64s) -> Bools:
        """Which cuts keep every span that reaches the leaf private, all of them looked at in one pass."""
        if self.spans is None or not feature.public:
            return np.ones(len(cuts), bool)
        spans = self.spans.of(leaf.number)
        allowed = np.ones(len(cuts), bool)
        each = np.arange(feature.size)
        chunk = max(1, CELLS // (feature.size * self.people.labels))
        for begin in range(0, len(spans), chunk):
            some = spans[begin : begin + chunk]
            counts = self.people.by_part([span.rows for span in some], feature, each, feature.size)
            sons = np.stack([_sons_of_thresholds(part, feature.plain)[cuts] for part in counts])
            exposing = np.repeat(self.spans.exposing(some), sons.shape[1] * sons.shape[2])
            good = self.satisfied(Parts(sons.reshape(-1, self.people.labels), exposing))
            allowed &= good.reshape(len(some), len(cuts), -1).all(axis=(0, 2))
        return allowed

    def leaves(self) -> Iterator[Leaf]:
        """Every leaf of the tree as it is."""
        waiting = [self.root]
        while waiting:
            leaf = waiting.pop()
            if leaf.split is None:
                yield leaf
            waiting.extend(reversed(leaf.sons))

    def released(self, leaf: Leaf) -> Node:
        """The tree below a leaf as it is released."""
        made: dict[int, Node] = {}
        order = [leaf]
        for node in order:
            order.extend(node.sons)
        for node in reversed(order):
            counts = tuple(node.counts.tolist())
            if node.split is None:
                made[node.number] = Node.of_counts(counts)
                continue
            regions = (self.region(node, node.split, place) for place in range(node.split.sons))
            edges = (Edge(region, made[son.number]) for region, son in zip(regions, node.sons, strict=True))
            made[node.number] = Node.of_counts(counts, node.split.feature, tuple(edges))
        return made[leaf.number]


def _sons_of_thresholds(counts: Int64s, plain: int) -> Int64s:
    """For a cut after each code: people up to it, beyond it, and missing (if that is a code), by label."""
    up_to = np.cumsum(counts[:plain], axis=0)
    parts = [up_to, up_to[-1:] - up_to if plain else up_to]
    if len(counts) > plain:
        parts.append(np.broadcast_to(counts[plain], up_to.shape))
    return np.stack(parts, axis=1)
