"""Questions with two answers, each a group of values: which are best for a leaf, and how they divide it.

Numbers are cut anywhere, and people without a number join one of the sides or are one. Words are ordered by how their
people answer what is to be told, and cut anywhere in that order (Breiman et al. 1984); a name of the hierarchy, or a
single value where order is not enough, may be told from all others.

A question costs what it takes to say which one it is: log2 of the cuts of a number, a bit for each value that may
go either way, log2 of the names of a level. So attributes with many values do not win by chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.grid import has_round, roundest
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import Rows, Split
from kspan.induce.tree.targets import Targets
from kspan.kernels import grouped

MOST_CUTS, MOST_WORDS = 255, 1024
"""Numbers are looked at in so many bins of about equally many people; rarer words than so many are looked at as one."""

IN_A_CROWD, FEWEST_BINS = 16, 64
"""Bins of numbers that few people share are no finer than so many in a crowd, but there are so many bins."""

NEAR = 1 / 3
"""Bins end at round numbers that are no further away than so much of a bin."""

FEWEST_STEPS = 16
"""Thresholds are at least as round as steps that cut the range of the crowd around them into a part for each of its
people, or into so many parts."""

FIRST = 4
"""So many of the best questions of a leaf are compared by what can still be gained after them."""

Sides = NDArray[np.int8]
"""The side of each bin of an attribute, 0 or 1."""


@dataclass(frozen=True)
class Found:
    """The best question of a leaf about one attribute."""

    feature: int
    gain: float
    worth: float
    """The gain, with what can still be gained after it where that was looked at."""
    sides: Sides


class Questions:
    """Finds the best questions of leaves.

    On both sides of every question there are at least `min_rows` people; where a leaf is a crowd by itself, public
    questions leave `crowd` people there. Questions are weighed `lookahead` questions deep, and cost `price` bits a bit.
    """

    def __init__(
        self,
        features: Sequence[Feature],
        people: Int64s,
        targets: Targets,
        *,
        crowd: int,
        min_rows: int,
        lookahead: int,
        price: float,
    ) -> None:
        self.features, self.min_rows, self.lookahead, self.price = features, float(min_rows), lookahead, price
        rows = len(features[0].codes)
        often = [np.bincount(one.codes, people if len(people) else None, one.size) for one in features]
        self.bin_of = [_bins(one, counts, crowd) for one, counts in zip(features, often, strict=True)]
        self.begins = np.cumsum([0, *(int(bins[-1]) + 1 for bins in self.bin_of)])
        widest = int(np.diff(self.begins).max())
        codes = np.empty((rows, len(features)), np.min_scalar_type(widest))
        for place, (feature, bins) in enumerate(zip(features, self.bin_of, strict=True)):
            codes[:, place] = bins.astype(codes.dtype)[feature.codes]
        self.loose = grouped.Asked(
            codes,
            self.begins,
            np.array([one.numeric for one in features]),
            np.zeros(len(features), np.int64),
            people,
            targets.worth,
            targets.labels,
            targets.numbers,
            targets.scale,
            self._names(single=len(targets.scale) > 1),
        )
        public = np.array([one.public for one in features])
        self.strict = self.loose._replace(crowd=np.where(public, crowd, 0))

    def of(self, rows: Rows, *, alone: bool) -> list[Found]:
        """The best question about each attribute that gains; a leaf that is `alone` must leave crowds."""
        asked = self.strict if alone else self.loose
        gains, worths = np.empty(len(self.features)), np.empty(len(self.features))
        sides = np.zeros(self.begins[-1], np.int8)
        grouped.questions(asked, rows, self.min_rows, self.price, FIRST, self.lookahead, gains, worths, sides)
        return [
            Found(place, gains[place], worths[place], self._of(place, sides).copy())
            for place in np.flatnonzero(gains > 0).tolist()
        ]

    def others(self, rows: Rows, number: int) -> tuple[Floats, Sides]:
        """Return what all questions about an attribute gain, that cut it in its order, and the sides of each."""
        bins = int(self.begins[number + 1] - self.begins[number])
        gains, sides = np.empty(2 * bins), np.empty((2 * bins, bins), np.int8)
        made = grouped.alternatives(self.loose, number, rows, self.min_rows, self.price, gains, sides)
        return gains[:made], sides[:made]

    def bins(self, number: int) -> NDArray[Any]:
        """The bin of each row in which an attribute is looked at."""
        return self.loose.codes[:, number]

    def split(self, found: Found, rows: Rows, inside: NDArray[np.bool_], *, between: bool = True) -> Split:
        """Return the split of a leaf by a question; `inside` says which codes can still occur in the leaf.

        A threshold is a round number between two of the leaf if `between`, otherwise between two bins.
        """
        feature = self.features[found.feature]
        side = found.sides[self.bin_of[found.feature][: feature.size]].astype(np.int64)
        if not feature.numeric:
            return Split(found.feature, 2, np.where(inside, side, -1))
        here = feature.codes[rows]
        here = here[here < feature.plain]
        missing = int(side[-1]) if feature.can_be_missing and inside[-1] else 2
        low, high = here[side[here] == 0], here[side[here] == 1]
        if not len(low) or not len(high):
            # All numbers are told from missing ones, also those that nobody here has.
            return Split(found.feature, 2, NO_SON, feature.plain - 1, np.inf, 1)
        below, above = int(low.max()), int(high.min())
        if not between:
            below = int(np.flatnonzero(side[: feature.plain] == 0)[-1])
            above = below + 1
        numbers = feature.floats
        at = roundest(feature.attribute.kind, float(numbers[below]), float(numbers[above]))
        cut = below + int(np.searchsorted(numbers[below + 1 : above], at, side="right"))
        return Split(found.feature, 2, NO_SON, cut, at, missing)

    def _of(self, number: int, sides: Sides) -> Sides:
        return sides[self.begins[number] : self.begins[number + 1]]

    def _names(self, *, single: bool) -> NDArray[np.int32]:
        """The name of each bin at each level; with `single` values, the lowest level has the bins themselves."""
        words = [number for number, one in enumerate(self.features) if not one.numeric]
        depth = single + max((len(self.features[number].levels) for number in words), default=0)
        names = np.full((depth if words else 0, self.begins[-1]), -1, np.int32)
        for number in words:
            feature, begin = self.features[number], int(self.begins[number])
            bins = self.bin_of[number][: feature.size]
            # Values that are looked at as one may have several names.
            clear = np.bincount(bins)[bins] == 1
            for level, of_code in enumerate((*[np.arange(feature.size)] * single, *feature.levels)):
                names[level, begin + bins[clear]] = of_code[clear]
        return names


NO_SON: Int64s = np.empty(0, np.int64)


def _bins(feature: Feature, people: Floats | Int64s, crowd: int) -> Int64s:
    """The bin of each code; the last one is for missing values, whether there are any or not."""
    bins, plain = np.arange(feature.plain + 1), feature.plain
    often = people[:plain]
    if feature.numeric and plain:
        most = min(MOST_CUTS, max(int(IN_A_CROWD * often.sum() / crowd), FEWEST_BINS))
        ends = _ends(feature, often, most) if plain > most else np.arange(plain - 1)
        bins[:plain] = np.searchsorted(ends[_are_round(feature, often, ends, crowd)], np.arange(plain))
    elif plain > MOST_WORDS:
        rank = np.empty(plain, np.int64)
        rank[np.argsort(-often, kind="stable")] = np.arange(plain)
        bins[:plain] = np.minimum(rank, MOST_WORDS)
    bins[plain] = bins[:plain].max(initial=-1) + 1
    return bins


def _are_round(feature: Feature, people: Floats | Int64s, ends: Int64s, crowd: int) -> Bools:
    """Which ends of bins may be told: there is a number before the next one that is round beside a crowd around it.

    Between two people who are close to each other there may be none: whatever told them apart would be their number.
    """
    up_to, numbers = np.cumsum(people), feature.floats
    low, high = (
        numbers[np.searchsorted(up_to, np.clip(up_to[ends] + away, 1, up_to[-1]))] for away in (-crowd / 2, crowd / 2)
    )
    steps = (high / 2 - low / 2) * 2 / max(crowd, FEWEST_STEPS)
    pairs = zip(numbers[ends].tolist(), numbers[ends + 1].tolist(), steps.tolist(), strict=True)
    return np.array([has_round(feature.attribute.kind, *one) for one in pairs], bool)


def _ends(feature: Feature, people: Floats | Int64s, bins: int) -> Int64s:
    """The last code of each bin of numbers but the last: about equally many people, and a round number at the end."""
    up_to, numbers = np.cumsum(people), feature.floats
    place = np.arange(1, bins) / bins * up_to[-1]
    low, high = (np.searchsorted(up_to, place + away * up_to[-1] / bins) for away in (-NEAR, NEAR))
    ends = {
        int(np.searchsorted(numbers, roundest(feature.attribute.kind, numbers[first], numbers[last]), "right")) - 1
        if first < last
        else first
        for first, last in zip(low.tolist(), np.minimum(high, len(numbers) - 1).tolist(), strict=True)
    }
    # After the last number there is nothing to be cut.
    return np.array(sorted(ends - {len(numbers) - 1}), np.int64)
