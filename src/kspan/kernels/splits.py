"""How good the splits of a leaf are.

The impurity of people is their entropy (or Gini impurity) times their number, so that a gain is a difference of sums.
`share` has the weight of each of `rows`; if it is empty, every row counts once.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]
Bools = NDArray[np.bool_]

INFORMATION_GAIN, GAIN_RATIO, GINI, C45 = 0, 1, 2, 3

ROUNDING = 1e-6
"""Fractions of people that add up to a whole number may miss it by this much."""

DIGITS = 9
"""Worths that agree in so many digits are equal: the order in which a sum was added up must not decide."""

LEAST_GAIN = 1e-9
"""A smaller gain is taken for a rounding error."""


@compiled
def _n_log_n(number: float) -> float:
    return number * math.log2(number) if number > 0.0 else 0.0


@compiled
def _impurity(counts: Floats, score: int) -> float:
    total = inner = 0.0
    for count in counts:
        total += count
    if total <= 0.0:
        return 0.0
    for count in counts:
        inner += count * count / total if score == GINI else _n_log_n(count)
    return total - inner if score == GINI else _n_log_n(total) - inner


@compiled
def _worth(gain: float, score: int, total: float, parts: float) -> float:
    """The gain itself, or its ratio to the entropy of the split; `parts` is the sum of n log n over the sons."""
    if score in (INFORMATION_GAIN, GINI):
        return gain
    split = (_n_log_n(total) - parts) / total
    return gain / split if split > 0.0 else 0.0


@compiled
def histograms(
    codes: NDArray[Any], begins: Int64s, labels: NDArray[Any], rows: NDArray[Any], share: Floats, counts: Floats
) -> None:
    """Add the people of some rows to `counts[code, label]`; the codes of each attribute begin at its `begins`."""
    for attribute in range(begins.size):
        begin = begins[attribute]
        for i in range(rows.size):
            row = rows[i]
            counts[begin + codes[attribute, row], labels[row]] += share[i] if share.size else 1.0


@compiled
def level_worths(
    tally: Floats,
    shared: Bools,
    rows: Int64s,
    names: Int64s,
    begins: Int64s,
    public: Bools,
    score: int,
    min_rows: float,
    k: int,
    gains: Floats,
    worths: Floats,
) -> None:
    """Fill in what a split by each level of each attribute gains and is worth; -1 and 0 where it cannot be made.

    Level l has the names from `begins[l]` up to `begins[l + 1]`; name n, a son, has the rows of the tally
    `rows[names[n]:names[n + 1]]`. Rows of the tally that are `shared` hold people who go to all sons. A split by a
    public level may not leave a son with fewer than `k` people.
    """
    node, son = np.empty(tally.shape[1]), np.empty(tally.shape[1])
    for level in range(begins.size - 1):
        node[:] = 0.0
        left = parts = everywhere = 0.0
        large, small = 0, False
        for name in range(begins[level], begins[level + 1]):
            son[:] = 0.0
            for at in range(names[name], names[name + 1]):
                if shared[rows[at]]:
                    everywhere += tally[rows[at]].sum()
                else:
                    son += tally[rows[at]]
            size = son.sum()
            if size > 0.0:
                node += son
                left += _impurity(son, score)
                parts += _n_log_n(size)
                large += size >= min_rows - ROUNDING
                small |= size < k
        gains[level], worths[level] = -1.0, 0.0
        if large >= 2 and not (small and public[level]):
            # Nothing is known of those who go everywhere: they dilute the gain, and in the entropy of the split they
            # count as a son of their own.
            total = node.sum() + everywhere
            gains[level] = max((_impurity(node, score) - left) / total, 0.0)
            worths[level] = _worth(gains[level], score, total, parts + _n_log_n(everywhere))


@compiled
def _present(codes: NDArray[Any], plain: int, rows: NDArray[Any], share: Floats, labels: NDArray[Any],
             counts: Floats, missing: Floats) -> Int64s:  # fmt: skip
    """Add people to `counts[code, label]` and to the sums in its last column; return the codes that occur, in order."""
    last = counts.shape[1] - 1
    seen = np.empty(min(rows.size, plain), np.int64)
    found = 0
    for i in range(rows.size):
        code, label = codes[rows[i]], labels[rows[i]]
        weight = share[i] if share.size else 1.0
        if code >= plain:
            missing[label] += weight
            continue
        if counts[code, last] == 0.0:
            seen[found] = code
            found += 1
        counts[code, label] += weight
        counts[code, last] += weight
    if found * 8 < plain:  # sorting a few is faster than walking through all
        return np.sort(seen[:found])
    found = 0
    for code in range(plain):
        if counts[code, last] > 0.0:
            seen[found] = code
            found += 1
    return seen[:found]


@compiled
def _middle(numbers: Floats, below: int, above: int) -> float:
    """The number halfway between those of two codes; if there is no float between them, the lower one."""
    middle = (numbers[below] + numbers[above]) / 2.0
    return float(middle if middle < numbers[above] else numbers[below])


@compiled
def _halfway(numbers: Floats, below: int, above: int) -> int:
    """The last code whose number is not beyond the middle between those of two codes."""
    middle = _middle(numbers, below, above)
    return below + int(np.searchsorted(numbers[below + 1 : above], middle, side="right"))


@compiled
def _cut_between(numbers: Floats, below: int, above: int, allowed: Bools) -> tuple[int, bool]:
    """The code after which to cut between two that occur, and whether that is halfway; -1 if no cut is allowed."""
    usual = _halfway(numbers, below, above)
    if allowed.size == 0 or allowed[usual]:
        return usual, True
    for code in range(below, above):
        if allowed[code]:
            return code, False
    return -1, False


@compiled
def best_threshold(
    codes: NDArray[Any],
    numbers: Floats,
    rows: NDArray[Any],
    share: Floats,
    labels: NDArray[Any],
    counts: Floats,
    shares_missing: bool,
    score: int,
    min_rows: float,
    k: int,
    allowed: Bools,
) -> tuple[float, float, int, float]:
    """The gain and the worth of the best cut between numbers, the last code below it, and the number where it is.

    If there is no cut, that is -1, 0, -1, 0.

    A code beyond the numbers is a missing value: it goes to a third son, unless both sons share it. No son may have
    fewer than `k` people. If `allowed` is not empty, a cut may only be after these codes, but anywhere between two
    numbers that occur; halfway is preferred. `counts` is working space, full of zeros before and after.
    """
    missing = np.zeros(counts.shape[1] - 1)
    seen = _present(codes, numbers.size, rows, share, labels, counts, missing)
    found = best_cut(seen, counts, missing, numbers, shares_missing, score, min_rows, k, allowed)
    for code in seen:
        counts[code] = 0.0
    return found


@compiled
def best_cut(
    seen: Int64s,
    counts: Floats,
    missing: Floats,
    numbers: Floats,
    shares_missing: bool,
    score: int,
    min_rows: float,
    k: int,
    allowed: Bools,
) -> tuple[float, float, int, float]:
    """The same, given the counts by code and label (with their sum in the last column) of the codes that are `seen`."""
    last = counts.shape[1] - 1
    node, left, right = np.zeros(last), np.zeros(last), np.zeros(last)
    for code in seen:
        node += counts[code, :last]
    known, unknown = node.sum(), missing.sum()
    total, bottom = known + unknown, _impurity(node, score)
    if not shares_missing:  # missing values are a son of every cut, so their impurity is subtracted once for all
        bottom = _impurity(node + missing, score) - _impurity(missing, score)
    least = min_rows
    if score == C45:  # Quinlan's minimum for numbers: a tenth of the people per label, but at most 25
        least = max(min_rows, min(0.1 * known / last, 25.0))
    best_gain, best_worth, best_parts, best_at, best_cut, best_usual = -1.0, -np.inf, 0.0, -1, -1, False
    tried = 0
    possible = shares_missing or unknown == 0.0 or unknown >= k
    for at in range(seen.size - 1 if possible else 0):
        left += counts[seen[at], :last]
        below = left.sum()
        above = known - below
        fit = int(below >= least - ROUNDING) + int(above >= least - ROUNDING)
        if score != C45 and not shares_missing:
            fit += unknown >= least - ROUNDING
        if fit < 2 or below < k or above < k:
            continue
        cut, usual = -1, True
        if allowed.size:
            cut, usual = _cut_between(numbers, seen[at], seen[at + 1], allowed)
            if cut < 0:
                continue
        tried += 1
        right[:] = node - left
        gain = (bottom - _impurity(left, score) - _impurity(right, score)) / total
        parts = _n_log_n(below) + _n_log_n(above) + _n_log_n(unknown)
        worth = gain if score == C45 else _worth(gain, score, total, parts)
        worth = math.floor(worth * 10**DIGITS + 0.5) / 10**DIGITS
        if worth > best_worth or (worth == best_worth and usual and not best_usual):
            best_gain, best_worth, best_parts, best_at, best_cut, best_usual = gain, worth, parts, at, cut, usual
    if best_at >= 0 and score == C45:
        # Among many cuts one gains by chance: to say which one it is costs bits (Quinlan 1996).
        best_gain -= math.log2(tried) / total
        best_worth = _worth(best_gain, score, total, best_parts)
    if best_at < 0 or best_gain <= LEAST_GAIN:
        return -1.0, 0.0, -1, 0.0
    below_cut, above_cut = (seen[best_at], seen[best_at + 1]) if best_usual else (best_cut, best_cut + 1)
    return best_gain, best_worth, _halfway(numbers, below_cut, above_cut), _middle(numbers, below_cut, above_cut)
