"""One grower for all trees: the best candidate of any leaf first, as long as one gains and the requirement allows it.

Ties are broken the same way everywhere: the leaf that was made first, then the attribute named first, then the lower
level of its hierarchy; among thresholds the lowest.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import Counts, Groups
from kspan.errors import PolicyError, check_number, did_you_mean
from kspan.induce.features import Feature
from kspan.induce.gain import SCORES
from kspan.induce.people import People, summed
from kspan.induce.spans import Parts, Spans
from kspan.model.tree import Edge, Node, Region
from kspan.privacy import KAnonymity, Requirement

LEAST_GAIN = 1e-9
"""Less than this is rounding."""

CELLS = 1 << 20
"""Of a table of spans, codes and labels that is held at once."""


@dataclass(frozen=True, eq=False)
class Split:
    """A way to divide a leaf: the son of each code of a feature (-1: cannot come here)."""

    feature: int
    son: Int64s
    sons: int
    level: int = 0
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
    split: Split | None = None
    sons: list["Leaf"] = field(default_factory=list)


@dataclass(order=True)
class Candidate:
    """A split of a leaf in the queue, the most gainful first."""

    rank: tuple[float, int, int, int]
    leaf: Leaf = field(compare=False)
    split: Split = field(compare=False)


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
        self.sons_of_all: dict[tuple[int, int], tuple[Int64s, int]] = {}

    def grow(self) -> Node:
        """Algorithm 1 of Friedman et al. 2008: split while some split gains and keeps every span private."""
        self.propose(self.root)
        while self.queue:
            candidate = heapq.heappop(self.queue)
            if candidate.leaf.split is not None:
                continue
            if self.holds_after(candidate):
                self.divide(candidate)
            else:
                self.generalize(candidate)
        return self.released(self.root)

    def holds_now(self) -> bool:
        """Does the tree as it is satisfy the requirement?"""
        if self.spans is None:
            return True
        return all(bool(self.satisfied(self.spans.as_they_are(leaf)).all()) for leaf in self.spans.reaching)

    def propose(self, leaf: Leaf) -> None:
        """Every attribute at its lowest level is a candidate of a new leaf."""
        if np.count_nonzero(leaf.counts) > 1:
            hopeless = self.cannot_be_divided(leaf)
            for number, feature in enumerate(self.features):
                if not (feature.public and hopeless):
                    self.enqueue(leaf, next(self.ways(leaf, number), None))

    def cannot_be_divided(self, leaf: Leaf) -> bool:
        """Is the leaf one span of fewer than 2k people? Then two sons with people in them cannot both have k."""
        spans = [] if self.spans is None else self.spans.of(leaf.number)
        if self.spans is None or len(spans) != 1 or len(spans[0].rows) != len(leaf.rows):
            return False
        return bool(self.spans.exposing(spans)[0]) and int(leaf.counts.sum()) < 2 * self.k

    def enqueue(self, leaf: Leaf, found: tuple[float, Split] | None) -> None:
        """Put a split into the queue, if it gains."""
        if found is not None and found[0] > LEAST_GAIN:
            gain, split = found
            heapq.heappush(
                self.queue, Candidate((-round(gain, 12), leaf.number, split.feature, split.level), leaf, split)
            )

    def generalize(self, candidate: Candidate) -> None:
        """Give a split that is not allowed another chance: one level up, or with the best threshold that is allowed.

        By a private attribute no other way is better: none of them divides a span.
        """
        split = candidate.split
        if self.features[split.feature].public:
            self.enqueue(candidate.leaf, next(self.ways(candidate.leaf, split.feature, after=split), None))

    def divide(self, candidate: Candidate) -> None:
        """Make a leaf a node, and its sons leaves with candidates of their own."""
        leaf, split = candidate.leaf, candidate.split
        feature = self.features[split.feature]
        leaf.split = split
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
        split = candidate.split
        feature = self.features[split.feature]
        parts = self.spans.after(candidate.leaf.number, feature, split.son, split.sons)
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
            counts = Counts.of(parts.counts[populated], whole=self.whole)
            private = {} if self.target_public else {self.target: counts}
            good[populated] = requirement.holds(Groups(sizes[populated], private, parts.exposing[populated]))
        return good

    def ways(self, leaf: Leaf, number: int, after: Split | None = None) -> Iterator[tuple[float, Split]]:
        """The ways to divide a leaf by a feature, with their scores: levels upwards, or thresholds that are allowed."""
        feature = self.features[number]
        inside = leaf.open.get(number, np.ones(feature.size, bool))
        counts = self.people.by_code(leaf.rows, feature)
        if feature.numeric:
            yield from self.thresholds(leaf, number, counts, inside, after)
        else:
            yield from self.levels(number, counts, inside, after)

    def levels(self, number: int, counts: Int64s, inside: Bools, after: Split | None) -> Iterator[tuple[float, Split]]:
        """Multiway splits by the names of a level, from the values upwards."""
        feature = self.features[number]
        for level in range(0 if after is None else after.level + 1, len(feature.levels) + 1):
            son, count = self.sons_at(number, level, inside)
            if count < 2:
                return
            sons = summed(counts, son, count)
            if (sons.sum(axis=1) >= self.min_rows).sum() >= 2:
                yield float(self.score(sons)), Split(number, son, count, level)

    def sons_at(self, number: int, level: int, inside: Bools) -> tuple[Int64s, int]:
        """The son of each code at a level of a feature, and how many there are; remembered where all codes may come."""
        everything = bool(inside.all())
        if everything and (number, level) in self.sons_of_all:
            return self.sons_of_all[number, level]
        feature = self.features[number]
        names = np.arange(feature.size) if level == 0 else feature.levels[level - 1]
        distinct, places = np.unique(names[inside], return_inverse=True)
        son = np.full(feature.size, -1, np.int64)
        son[inside] = places
        if everything:
            self.sons_of_all[number, level] = son, len(distinct)
        return son, len(distinct)

    def thresholds(
        self, leaf: Leaf, number: int, counts: Int64s, inside: Bools, after: Split | None
    ) -> Iterator[tuple[float, Split]]:
        """The best binary split between numbers (a missing one is a son of its own).

        First halfway between two numbers that occur in the leaf; `after` a split that was not allowed, anywhere between
        them that is allowed, since people elsewhere may have the numbers between.
        """
        feature = self.features[number]
        here = np.flatnonzero(counts[: feature.plain].any(axis=1))
        if len(here) < 2:
            return
        assert feature.numbers is not None
        middles = (feature.numbers[here[:-1]] + feature.numbers[here[1:]]) / 2
        halfway = np.minimum(np.searchsorted(feature.numbers, middles, side="right"), here[1:]) - 1
        cuts = halfway if after is None else np.arange(here[0], here[-1])
        sons = _sons_of_thresholds(counts, feature.plain)[cuts]
        allowed = (sons.sum(axis=2) >= self.min_rows).sum(axis=1) >= 2
        if after is not None:
            allowed &= self.allowed_cuts(leaf, feature, cuts)
        if allowed.any():
            scores = np.where(allowed, self.score(sons).round(12), -np.inf)
            best = np.flatnonzero(scores == scores.max())
            usual = best[np.isin(cuts[best], halfway)]
            chosen = int((usual if len(usual) else best)[0])
            yield float(scores[chosen]), self.threshold(number, inside, int(cuts[chosen]))

    def threshold(self, number: int, inside: Bools, cut: int) -> Split:
        """The split of a numeric feature after a code, halfway to the next number."""
        feature = self.features[number]
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
                made[node.number] = Node(counts)
                continue
            regions = (self.region(node, node.split, place) for place in range(node.split.sons))
            edges = (Edge(region, made[son.number]) for region, son in zip(regions, node.sons, strict=True))
            made[node.number] = Node(counts, node.split.feature, tuple(edges))
        return made[leaf.number]


def _sons_of_thresholds(counts: Int64s, plain: int) -> Int64s:
    """For a cut after each code: people up to it, beyond it, and missing (if that is a code), by label."""
    up_to = np.cumsum(counts[:plain], axis=0)
    parts = [up_to, up_to[-1:] - up_to if plain else up_to]
    if len(counts) > plain:
        parts.append(np.broadcast_to(counts[plain], up_to.shape))
    return np.stack(parts, axis=1)
