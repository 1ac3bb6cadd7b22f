"""How public attributes are distributed among the released people, told so that every figure is about a crowd."""

import math

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.kinds.kind import CATEGORICAL, NUMERIC
from kspan.data.table import Column, Table
from kspan.model.distributions import Distribution, Distributions, NumberShare, WordShare
from kspan.policy import Policy

BINS = 40
"""Into about how many ranges the numbers are cut that few people have, before these are joined to crowds."""
DECADES = 6
"""How many powers of ten below the largest number round ones are taken from."""
ROUND = (1.0, 2.0, 5.0, 10.0)


def distributions(table: Table, policy: Policy) -> Distributions:
    """Count the people who have each value of each public attribute; values that few have are counted together.

    Dates and times are left out, and so is an attribute of which nothing can be told but that everybody has some value.
    """
    k = max(policy.require.crowd, 1)
    told = []
    for name in policy.public:
        column = table[name]
        if column.kind.has_own_spelling:
            continue
        found = _of_numbers(column, k) if column.is_measured else _of_words(column, k)
        told += [found] if len(found.shares) > 1 else []
    return Distributions(str(policy.require), table.rows, tuple(told))


def _of_words(column: Column, k: int) -> Distribution:
    people = np.bincount(column.codes, minlength=column.size)
    shares = [[code] for code in np.flatnonzero(people >= k).tolist()]
    few = np.flatnonzero((people > 0) & (people < k))
    # Values that stand under one name of the hierarchy are joined first.
    for level in column.levels:
        for name in np.unique(level[few]).tolist():
            those = few[level[few] == name]
            if people[those].sum() >= k:
                shares.append(those.tolist())
                few = np.setdiff1d(few, those)
    if len(few) and people[few].sum() >= k:
        shares.append(few.tolist())
    elif len(few) and shares:
        min(shares, key=lambda codes: int(people[codes].sum())).extend(few.tolist())
    known = len(column.values)
    return Distribution(
        column.name,
        CATEGORICAL,
        tuple(
            WordShare(
                int(people[codes].sum()),
                tuple(column.label(code) for code in sorted(codes) if code < known),
                max(codes) >= known,
            )
            for codes in shares
        ),
    )


def _of_numbers(column: Column, k: int) -> Distribution:
    known = len(column.values)
    people = np.bincount(column.codes, minlength=column.size)
    values, counts, silent = column.values.astype(np.float64), people[:known], int(people[known:].sum())
    if counts.sum() < k:
        return Distribution(column.name, NUMERIC, ())
    single = counts >= k
    # So that the others are a crowd, too, some numbers join them that few more people have.
    for code in np.argsort(counts, kind="stable").tolist():
        if not 0 < counts[~single].sum() < k:
            break
        single[code] = False
    step = _step(values)
    shares = [NumberShare(int(counts[code]), values[code], values[code]) for code in np.flatnonzero(single).tolist()]
    shares += _ranges(values[~single], counts[~single], step, k)
    if silent >= k:
        shares.append(NumberShare(silent, None, None, missing=True, has_range=False))
    elif silent and shares:
        place = min(range(len(shares)), key=lambda number: shares[number].people)
        least = shares[place]
        shares[place] = NumberShare(least.people + silent, least.low, least.high, missing=True)
    return Distribution(column.name, NUMERIC, tuple(shares), step)


def _step(values: Floats) -> float:
    """Return a round number of which about `BINS` fit between the lowest and the highest number."""
    wide = float(values[-1] - values[0]) / BINS if len(values) else 0.0
    if not 0 < wide < math.inf:
        return 1.0
    power = 10.0 ** math.floor(math.log10(wide))
    return next((each * power for each in ROUND if each * power >= wide), 10 * power)


def _round_numbers(values: Floats, step: float) -> Floats:
    """Return the numbers at which ranges may end: multiples of the step, and 10, 15, ..., 95 times powers of ten."""
    low, high = float(values.min()), float(values.max())
    grid = np.arange(math.floor(low / step), math.ceil(high / step) + 1) * step
    top = math.floor(math.log10(max(abs(low), abs(high), 1e-300)))
    # Each is read from its digits, so that it is the very number that its text says.
    digits = [float(f"{first}e{power}") for power in range(top - DECADES, top) for first in range(10, 100, 5)]
    every = np.unique([*grid.tolist(), *digits, *(-number for number in digits), 0.0])
    return every[(every > low) & (every <= high)]


def _ranges(values: Floats, counts: Int64s, step: float, k: int) -> list[NumberShare]:
    """Cut numbers at round ones, as often as at least k people are on both sides."""
    if not len(values):
        return []
    cut_at = _round_numbers(values, step)
    place = np.searchsorted(cut_at, values, side="right")
    cuts, people = list[float](), list[int]()
    waiting = 0
    for each in np.unique(place).tolist():
        if waiting >= k:
            people.append(waiting)
            cuts.append(float(cut_at[each - 1]))
            waiting = 0
        waiting += int(counts[place == each].sum())
    if waiting < k and people:
        waiting += people.pop()
        cuts.pop()
    ends = [None, *cuts, None]
    return [
        NumberShare(number, ends[at], ends[at + 1]) for at, number in enumerate([*people, waiting] if waiting else [])
    ]
