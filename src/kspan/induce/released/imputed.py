"""Values drawn for cells that may be general: as the table itself tells, or as published distributions do."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.expected import likely, spoken
from kspan.data.general import General, GeneralNumbers, GeneralWords
from kspan.errors import DataError
from kspan.induce.released.examples import Examples
from kspan.model.distributions import Distribution, Distributions, NumberShare, WordShare

MOST_POINTS = 100
"""By how many numbers a published range is represented of which the table shows none."""


@dataclass(frozen=True, repr=False)
class Drawn:
    """What the cells of a column may stand for, and how likely each value is."""

    column: General
    weights: Floats

    def values(self, rng: np.random.Generator) -> Int64s:
        """Draw one value for each row, as its place in `column.values`; -1 where a cell is missing."""
        first, last, place = self._listed
        codes = self.column.column.codes
        by_weight = _ends(self.weights[place])
        evenly = _ends(np.ones(len(place)))
        mass = by_weight[last] - by_weight[first]
        # Where published people have none of the values that a cell admits, all of these are equally likely.
        ends = np.where((mass > 0)[codes], 0, 1)
        at = rng.random(len(codes))
        found = np.empty(len(codes), np.int64)
        for which, sums in enumerate((by_weight, evenly)):
            rows = np.flatnonzero(ends == which)
            low, high = first[codes[rows]], last[codes[rows]]
            wanted = sums[low] + at[rows] * (sums[high] - sums[low])
            found[rows] = np.clip(np.searchsorted(sums, wanted, side="right") - 1, low, np.maximum(high - 1, low))
        some = (first < last)[codes]
        found[some] = place[found[some]]
        found[~some] = -1
        return found

    @property
    def _listed(self) -> tuple[Int64s, Int64s, Int64s]:
        """Where the values of each code begin and end in a list of places."""
        if isinstance(self.column, GeneralWords):
            start, place = self.column.listed
            return start[:-1], start[1:], place
        assert isinstance(self.column, GeneralNumbers)
        return self.column.low, self.column.high, np.arange(self.column.size)


def drawn_tables(
    people: Examples, told: Distributions | None, likelihood: str, number: int, rng: np.random.Generator
) -> tuple[tuple[Drawn, ...], Iterator[list[Int64s]]]:
    """Return what each column may hold, and tables of drawn values, each as a list of columns."""
    drawn = tuple(_drawn(people, column, told, likelihood) for column in people.columns)
    exact = all(one.column.is_exact for one in drawn)
    return drawn, ([one.values(rng) for one in drawn] for _ in range(1 if exact else number))


def _drawn(people: Examples, column: General, told: Distributions | None, likelihood: str) -> Drawn:
    counts = np.bincount(column.column.codes, people.weights, column.column.size).astype(np.float64)[:, None]
    by_table = likely(column, spoken(column, counts), likelihood)[:, 0]
    published = None if told is None else told.of(column.column.name)
    if published is None or not len(column.values):  # where nobody shows anything, a row is as good as none
        return Drawn(column, by_table)
    if isinstance(column, GeneralWords):
        return Drawn(column, _of_words(column, published, by_table))
    assert isinstance(column, GeneralNumbers)
    return _of_numbers(column, published, by_table)


def _of_words(column: GeneralWords, told: Distribution, by_table: Floats) -> Floats:
    """Return how many people have each word: those of a share, divided as the table tells."""
    shares = [share for share in told.shares if isinstance(share, WordShare)]
    if len(shares) != len(told.shares):
        raise DataError(f"the distributions tell numbers of {told.name!r}, and the table words: give its own")
    place = {str(word): at for at, word in enumerate(column.values)}
    weights = np.zeros(column.size)
    for share in shares:
        those = np.array([place[word] for word in share.values if word in place], np.int64)
        weights[those] = _divided(share.people, by_table[those])
    return weights


def _of_numbers(column: GeneralNumbers, told: Distribution, by_table: Floats) -> Drawn:
    """Return the column with more numbers that its cells may stand for: those that are published.

    The people of a range have numbers that the table shows, as it tells, or any of the range if it shows none there.
    """
    shares = [share for share in told.shares if isinstance(share, NumberShare)]
    if len(shares) != len(told.shares):
        raise DataError(f"the distributions tell words of {told.name!r}, and the table numbers: give its own")
    known = column.values.astype(np.float64)
    if not len(known):
        return Drawn(column, by_table)
    single = {share.low: share.people for share in shares if share.is_single and share.low is not None}
    found = dict(single)
    for share in shares:
        if not share.has_range or share.is_single:
            continue
        those = np.array([share.has(number) and number not in single for number in known.tolist()])
        points, weights = known[those], by_table[those]
        if not weights.sum():
            points = np.setdiff1d(_points(share, known), list(single))
            weights = np.ones(len(points))
        found |= dict(zip(points.tolist(), _divided(share.people, weights).tolist(), strict=True))
    # Also the ends of cells, so that each admits some number.
    values = np.unique(np.concatenate([known, list(found)]))
    low, high = column.low.copy(), column.high.copy()
    some = column.low < column.high
    low[some] = np.searchsorted(values, column.lowest[some], side="left")
    high[some] = np.searchsorted(values, column.highest[some], side="right")
    weights = np.array([found.get(number, 0.0) for number in values.tolist()])
    return Drawn(replace(column, values=values, low=low, high=high), weights)


def _divided(people: int, weights: Floats) -> Floats:
    """Divide people in proportion to weights, or evenly if there are none."""
    total = weights.sum()
    return people * weights / total if total > 0 else np.full(len(weights), people / max(len(weights), 1))


def _points(share: NumberShare, known: Floats) -> Floats:
    """Return numbers that stand for a published range of which the table shows none, within the table's ends."""
    low = known[0] if share.low is None else max(share.low, known[0])
    high = known[-1] if share.high is None else min(share.high, known[-1])
    points = np.linspace(low, high, MOST_POINTS) if low <= high else np.zeros(0)
    if (known == np.floor(known)).all():
        points = np.round(points)
    return np.unique([number for number in points.tolist() if share.has(number)])


def _ends(weights: Floats) -> Floats:
    return np.append(0.0, np.cumsum(weights))
