"""One grower for all trees: the best candidate of any leaf first, as long as one gains and the requirement allows it.

Ties are broken the same way everywhere: the leaf that was made first, then the attribute named first, then the lower
level of its hierarchy; among thresholds the lowest.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.induce.tree.allowed import Allowed, Guard
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import People, Rows, Split, Way
from kspan.induce.tree.several import Bins, SeveralRows
from kspan.induce.tree.spans import Parts, Span
from kspan.induce.tree.worth import (
    ANYWHERE,
    DIGITS,
    INFORMATION_GAIN,
    LEAST_GAIN,
    NO_SCORES,
    ROUNDING,
    Scores,
    Threshold,
    Worth,
)
from kspan.options import Within
from kspan.privacy import Requirement

MinRows = Annotated[int, Within(1)]
"""People that at least two branches of a split must have."""
NO_SON: Int64s = np.empty(0, np.int64)


@dataclass(eq=False, slots=True)
class GrowingLeaf:
    """A node of a growing tree, with its rows; once it is divided, it has a split and sons."""

    number: int
    rows: Rows
    share: Floats
    """The weight of each row; empty if each is one person."""
    counts: Floats
    """People by label."""
    above: "GrowingLeaf | None" = None
    place: int = 0
    """`above` is the node that it is a son of, and `place` its place among the sons."""
    scores: Scores = NO_SCORES
    """The scores of the levels of categorical features, as long as it may still be divided."""
    average: float = 0.0
    """What its candidates gain on average, where that matters (C4.5)."""
    split: Split | None = None
    sons: list["GrowingLeaf"] = field(default_factory=list)

    @property
    def people(self) -> float:
        """How many people are here."""
        return float(self.counts.sum())

    def asked(self, feature: int) -> "tuple[Split, int] | None":
        """The last question about a feature on the way here, and which answer led here."""
        leaf = self
        while leaf.above is not None:
            split = leaf.above.split
            if split is not None and split.feature == feature:
                return split, leaf.place
            leaf = leaf.above
        return None


@dataclass(order=True, slots=True)
class Candidate:
    """A split that waits in the queue: by a level of a categorical feature, or after a code of a numeric one."""

    rank: tuple[bool, float, int, int, int]
    """Orders the queue, the lowest first: second-rate, minus the worth, then leaf, feature and level for ties."""
    leaf: GrowingLeaf = field(compare=False)
    feature: int = field(compare=False)
    level: int = field(default=0, compare=False)
    cut: int = field(default=-1, compare=False)
    at: float = field(default=0.0, compare=False)
    made: Split | None = field(default=None, compare=False)
    """The split itself, once it was asked for."""

    @property
    def is_second_rate(self) -> bool:
        """Does it gain less than the average of its leaf, so that it waits behind all that gain more?"""
        return self.rank[0]


class Growth:
    """A tree while it grows, with or without a requirement.

    `target` is the attribute whose labels are private, or None if everybody knows them. With `shares_missing`, a row
    whose value is missing goes to all sons with a share of its weight, instead of to a son of its own. That is only for
    trees without a requirement, because whoever knows that a value is missing would know the crowd. Features whose
    cells may admit several values are only for such trees, too. With `rng`, a row with such a cell goes to one son by
    chance.
    """

    def __init__(
        self,
        people: People,
        features: Sequence[Feature],
        *,
        requirement: Requirement | None = None,
        target: str | None = None,
        score: int = INFORMATION_GAIN,
        min_rows: int = 1,
        shares_missing: bool = False,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.people, self.features, self.shares_missing, self.rng = people, features, shares_missing, rng
        self.spreading = [number for number, feature in enumerate(features) if feature.spread is not None]
        self.min_rows = min_rows
        self.worth = Worth(people, features, score, min_rows, shares_missing=shares_missing)
        rows, share = people.everybody()
        self.made = 0
        self.root = self.begin(rows, share)
        # Without a requirement there is nobody to hide, and no span to follow.
        hidden = self.hidden()
        self.guard = None if requirement is None else Guard(hidden, features, self.worth, requirement, rows, target)
        self.several: SeveralRows | None = None
        self.queue: list[Candidate] = []
        self.splits_of_all: dict[tuple[int, int], Split] = {}
        if self.are_mixed(self.root.counts[None])[0]:
            self.propose(self.root, self.allowed_at(self.root))

    def hidden(self) -> People:
        """The people with the labels that the requirement is about; a learner may count others."""
        return self.people

    def are_mixed(self, counts: Floats) -> Bools:
        """Which parts, given their people by label, have people of several labels, so that a question may gain?"""
        mixed: Bools = (counts > 0).sum(axis=1) > 1
        return mixed

    def count_people(self, several: SeveralRows) -> None:
        """Count people who have several rows, and not rows, from now on."""
        assert self.guard is not None
        several.begin(self.guard.spans)
        self.several = several

    def begin(self, rows: Rows, share: Floats) -> GrowingLeaf:
        """Begin another tree with some rows and their weights, drop what has grown so far, and return the root."""
        counts = np.bincount(self.people.label[rows], share if len(share) else None, self.people.labels)
        self.root = GrowingLeaf(self.made, rows, share, counts.astype(np.float64))
        self.made += 1
        return self.root

    def choice(self, leaf: GrowingLeaf) -> Candidate | None:
        """The best candidate of one leaf, for learners that choose for themselves which leaf comes next."""
        self.queue.clear()  # candidates of other leaves must not win
        if np.count_nonzero(leaf.counts) > 1:
            self.propose(leaf, self.allowed_at(leaf))
        return self.best()

    def best(self) -> Candidate | None:
        """The best candidate of all leaves, taken out of the queue."""
        while self.queue:
            candidate = heapq.heappop(self.queue)
            # A leaf that has been divided leaves its other candidates behind (kADET 2006, line 13).
            if candidate.leaf.split is None:
                return candidate
        return None

    def holds_now(self) -> bool:
        """Does the tree as it is satisfy the requirement?"""
        guard = self.guard
        if guard is None:
            return True
        good = all(guard.allows(guard.spans.as_they_are(leaf)) for leaf in guard.spans.reaching)
        return good and (self.several is None or self.several.holds_now())

    def people_breaking(self) -> int:
        """How many people are in spans that break the requirement, while the tree is one leaf."""
        assert self.guard is not None
        parts = self.guard.spans.as_they_are(self.root.number)
        return int(parts.counts[~self.guard.satisfied(parts)].sum())

    def propose(self, leaf: GrowingLeaf, allowed: Allowed) -> None:
        """Put the candidates of a leaf into the queue: each attribute at its lowest level or best threshold that gains.

        The leaf must have people of several labels. `allowed` says which splits the spans that reach it allow.
        """
        if leaf.people < 2 * self.worth.min_rows - ROUNDING:
            return
        # Spans only ever shrink, so that a split that is not allowed now never will be: it need not wait in the queue.
        alone = self.is_its_own_span(leaf)
        k = self.guard.k if self.guard is not None and alone else 0
        inside = {number: found for number in self.spreading if (found := self.inside(leaf, number)) is not None}
        leaf.scores = self.worth.of_levels(leaf.rows, leaf.share, k, None if alone else allowed.levels, inside)
        thresholds = {
            number: self.worth.of_threshold(
                number, leaf.rows, leaf.share, k, ANYWHERE if alone else allowed.cuts(number), inside
            )
            for number in self.worth.numbers
            if not (self.features[number].public and leaf.people < 2 * k)
        }
        leaf.average = self.worth.average(leaf.scores, thresholds.values())
        words = sorted({self.worth.feature_of[level] for level in leaf.scores.useful})
        candidates = [self.at_level(leaf, number, 0) for number in words]
        candidates += [self.at_threshold(leaf, number, found) for number, found in thresholds.items()]
        useful = [candidate for candidate in candidates if candidate is not None]
        if self.guard is None and useful:
            # Without a requirement nothing is refused, so no candidate but the best would ever be used.
            best = min(useful)
            useful = [] if best.is_second_rate else [best]
        for candidate in useful:
            heapq.heappush(self.queue, candidate)

    def at_level(self, leaf: GrowingLeaf, number: int, lowest: int) -> Candidate | None:
        """A candidate by the lowest level of a feature, from `lowest` on, that gains; None if there is none."""
        levels, scores = self.worth.levels_of[number], leaf.scores
        for level in scores.useful:
            if level in levels[lowest:]:
                place = level - levels.start
                return self.candidate(leaf, number, scores.worths[level], scores.gains[level], level=place)
        return None

    def at_threshold(self, leaf: GrowingLeaf, number: int, found: Threshold) -> Candidate | None:
        """A candidate that cuts after a code, or None if that does not gain."""
        if min(found.worth, found.gain) <= LEAST_GAIN:
            return None
        return self.candidate(leaf, number, found.worth, found.gain, cut=found.cut, at=found.at)

    def candidate(
        self,
        leaf: GrowingLeaf,
        feature: int,
        worth: float,
        gain: float,
        *,
        level: int = 0,
        cut: int = -1,
        at: float = 0.0,
    ) -> Candidate:
        """A candidate with its rank in the queue."""
        # Rounded, since the order in which sums are taken must not decide between equal splits.
        rank = (self.worth.is_second_rate(gain, leaf.average), -round(worth, DIGITS), leaf.number, feature, level)
        return Candidate(rank, leaf, feature, level, cut, at)

    def is_its_own_span(self, leaf: GrowingLeaf) -> bool:
        """Is the leaf reached by only one span, which has the same people and more than one bin?"""
        return self.guard is not None and self.guard.spans.is_alone(leaf.number, leaf.rows)

    def generalize(self, candidate: Candidate) -> None:
        """Give a split that is not allowed another chance: one level up, or with the best threshold that is allowed.

        A private attribute gets none: at no level does it divide a span, so a higher one would be refused as well.
        """
        leaf, number = candidate.leaf, candidate.feature
        if not self.features[number].public:
            return
        if candidate.cut >= 0:
            allowed = self.allowed_at(leaf).cuts(number)
            if self.several is not None and self.guard is not None:
                spans = self.guard.spans.of(leaf.number)
                others = self.several.other_cuts(leaf.number, number, candidate.cut, spans, self.features[number])
                allowed = others & allowed if len(allowed) else others
            # `allowed` covers all that is required, so k is not asked again.
            other = self.at_threshold(leaf, number, self.worth.of_threshold(number, leaf.rows, leaf.share, 0, allowed))
        else:
            other = self.at_level(leaf, number, candidate.level + 1)
        # A cut that labels allow, but answers to private questions do not, would come back for ever.
        if other is not None and (other.level, other.cut) != (candidate.level, candidate.cut):
            heapq.heappush(self.queue, other)

    def split_of(self, candidate: Candidate) -> Split:
        """The split that a candidate stands for."""
        if candidate.made is None:
            leaf, number = candidate.leaf, candidate.feature
            if candidate.cut >= 0:
                candidate.made = self.threshold(leaf, number, candidate.cut, candidate.at)
            else:
                candidate.made = self.by_level(leaf, number, candidate.level)
        return candidate.made

    def divide(self, candidate: Candidate) -> None:
        """Divide a leaf by a candidate, and put the candidates of its sons into the queue."""
        leaf, split = candidate.leaf, self.split_of(candidate)
        feature = self.features[split.feature]
        if self.guard is not None:
            self.guard.answers.take(leaf.rows, split.feature, split)
        if self.several is not None:
            self.several.take(self._bins_after(leaf, split))
        # Rows before spans: a span that has the very array of the leaf is divided with it.
        mixed = self.open(leaf, split)
        if self.guard is not None:
            self.guard.spans.split(leaf.number, leaf.rows, feature, split, {son.number: son.rows for son in leaf.sons})
        allowed = self.allowed_at(leaf.sons[0])
        for son, is_mixed in zip(leaf.sons, mixed.tolist(), strict=True):
            if is_mixed:
                # After a private question the same spans reach all sons.
                self.propose(son, self.allowed_at(son) if feature.public else allowed)

    def open(self, leaf: GrowingLeaf, split: Split) -> Bools:
        """Divide a leaf, and return which of its sons have people of several labels."""
        leaf.split, leaf.scores = split, NO_SCORES
        parts = self.parts(leaf, split)
        for place, part in enumerate(zip(*parts, strict=True)):
            leaf.sons.append(GrowingLeaf(self.made, *part, leaf, place))
            self.made += 1
        return self.are_mixed(parts[2])

    def parts(self, leaf: GrowingLeaf, split: Split) -> tuple[list[Rows], list[Floats], Floats]:
        """The rows of each son of a leaf, their weights, and people by label; rows may be reordered in place."""
        feature = self.features[split.feature]
        if feature.spread is not None:
            way = Way(self.inside(leaf, split.feature), self.shares_missing, self.rng)
            return self.people.divide_spread(leaf.rows, leaf.share, feature, split, way)
        if self.shares_missing and feature.can_be_missing:
            return self.people.divide_shares(leaf.rows, leaf.share, feature, split)
        return self.people.divide(leaf.rows, leaf.share, feature, split)

    def inside(self, leaf: GrowingLeaf, number: int) -> Bools | None:
        """Which values of a feature can still occur in a leaf; None if no question above it is about the feature."""
        feature, found = self.features[number], None
        while leaf.above is not None:
            split = leaf.above.split
            if split is not None and split.feature == number:
                here = split.by_code(feature)[: feature.plain] == leaf.place
                found = here if found is None else found & here
            leaf = leaf.above
        return found

    def holds_after(self, candidate: Candidate) -> bool:
        """Would every span still satisfy the requirement after a split?"""
        guard = self.guard
        if guard is None:
            return True
        leaf, split = candidate.leaf, self.split_of(candidate)
        feature = self.features[split.feature]
        spans = guard.spans.of(leaf.number)
        if not feature.public:
            # It divides no span, but a span that was safe because it had one bin has several now.
            safe = [span for span, exposes in zip(spans, guard.spans.exposing(spans), strict=True) if not exposes]
            if safe and not guard.allows(guard.spans.with_many_bins(safe)):
                return False
            held = guard.answers.allow_private(spans, leaf.rows, split.feature, split, guard.spans.every)
        else:
            held = self._parts_hold(candidate, spans) and guard.answers.allow_public(spans, feature, split)
        return held and (self.several is None or self.several.allow(self._bins_after(leaf, split)))

    def _bins_after(self, leaf: GrowingLeaf, split: Split) -> Bins:
        """The bins of the rows that may be in a leaf, after it was split, where people have several rows."""
        assert self.guard is not None
        assert self.several is not None
        spans, feature = self.guard.spans.of(leaf.number), self.features[split.feature]
        if not feature.public:
            # It divides no span, but all of them tell something then.
            return self.several.undivided(spans, np.ones(len(spans), bool))
        return self.several.divided(spans, self.guard.spans.exposing(spans), feature, split)

    def _parts_hold(self, candidate: Candidate, spans: list[Span]) -> bool:
        """Would every part of the spans of a leaf still satisfy what is required of people and labels?"""
        guard, leaf, split = self.guard, candidate.leaf, self.split_of(candidate)
        assert guard is not None
        feature = self.features[split.feature]
        if self.is_its_own_span(leaf):
            counts = guard.people.by_son(leaf.rows, leaf.share, feature, split).astype(np.int64)
            return guard.allows(Parts(counts, np.ones(split.sons, bool)))
        if feature.numeric:
            return bool(self.allowed_at(leaf).cuts(split.feature)[split.cut])
        level = self.worth.levels_of[split.feature][candidate.level]
        return all(guard.levels_of_span(span)[level] for span in spans)

    def allowed_at(self, leaf: GrowingLeaf) -> Allowed:
        """Which splits the spans that reach a leaf allow."""
        return Allowed(self.guard, [] if self.guard is None else self.guard.spans.of(leaf.number))

    def by_level(self, leaf: GrowingLeaf, number: int, level: int) -> Split:
        """The split of a leaf by the names that a level of a feature has.

        If no question above is about the feature, the split is the same at every leaf, and is made only once.
        """
        before = leaf.asked(number)
        if before is None and (number, level) in self.splits_of_all:
            return self.splits_of_all[number, level]
        feature = self.features[number]
        inside = np.ones(feature.size, bool)
        if before is not None:
            split, place = before
            inside = split.son == place
        if self.shares_missing and feature.can_be_missing:
            inside = inside & (np.arange(feature.size) < feature.plain)
        names = np.arange(feature.size) if level == 0 else feature.levels[level - 1]
        distinct, places = np.unique(names[inside], return_inverse=True)
        son = np.full(feature.size, -1, np.int64)
        son[inside] = places
        split = Split(number, len(distinct), son)
        if before is None:
            self.splits_of_all[number, level] = split
        return split

    def threshold(self, leaf: GrowingLeaf, number: int, cut: int, at: float) -> Split:
        """The split of a numeric feature after code `cut`, at the number `at`.

        People without a number are a third son, unless both sons share them, or a question above has separated them.
        """
        third = self.features[number].can_be_missing and leaf.asked(number) is None and not self.shares_missing
        return Split(number, 2 + third, NO_SON, cut, at)

    def leaves(self) -> Iterator[GrowingLeaf]:
        """Every leaf of the tree as it is."""
        waiting = [self.root]
        while waiting:
            leaf = waiting.pop()
            if leaf.split is None:
                yield leaf
            waiting.extend(reversed(leaf.sons))
