"""What the splits of a node tell of several attributes at once."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]
Int32s = NDArray[np.int32]


@compiled
def _n_log_n(number: float) -> float:
    return number * math.log2(number) if number > 0.0 else 0.0


@compiled
def _impurity(counts: Floats, total: float) -> float:
    """The entropy of people times their number."""
    inner = 0.0
    for count in counts:
        inner += _n_log_n(count)
    return _n_log_n(total) - inner


@compiled
def best_splits(
    rows: Int32s,
    weights: Int64s,
    asked: Int32s,
    sizes: Int64s,
    plain: Int64s,
    told: Int32s,
    told_sizes: Int64s,
    worth: Floats,
    least: int,
) -> tuple[Floats, Floats, Int64s]:
    """The bits that the best split by each attribute tells of all that is to be told, its own bits, and its cut.

    `asked[a]` and `told[t]` have a code for each row of the table, below `sizes[a]` and `told_sizes[t]`; `worth[t]` is
    what a bit of it counts. An attribute with `plain[a] >= 0` is cut after one of so many codes in their order, and
    codes from there on are branches of their own; others have a branch for each code. Two branches need at least
    `least` people; where they cannot have them, the bits are -1. If `weights` is empty, every row is one person.
    """
    attributes = sizes.size
    gains, own, cuts = np.full(attributes, -1.0), np.zeros(attributes), np.full(attributes, -1, np.int64)
    for a in range(attributes):
        size = sizes[a]
        branch = np.zeros(size)
        for row in rows:
            branch[asked[a, row]] += weights[row] if weights.size else 1
        ordered = max(plain[a], 0)
        people = branch.sum()
        info, possible = np.zeros(max(ordered, 1)), np.zeros(max(ordered, 1), np.bool_)
        below, middle = 0.0, branch[:ordered].sum()
        for cut in range(ordered):
            below += branch[cut]
            possible[cut] = below >= least and middle - below >= least
        large = 0
        for code in range(size):
            large += branch[code] >= least
        if ordered == 0:
            possible[0] = large >= 2
        if not possible.any():
            continue
        for t in range(told_sizes.size):
            _tell(rows, weights, asked[a], told[t], branch, ordered, told_sizes[t], worth[t], possible, info)
        best = -1
        for cut in range(info.size):
            if possible[cut] and (best < 0 or info[cut] > info[best]):
                best = cut
        gains[a] = info[best]
        rest = 0.0
        for code in range(ordered, size):
            rest += _n_log_n(branch[code])
        if ordered:
            below = branch[: best + 1].sum()
            rest += _n_log_n(below) + _n_log_n(middle - below)
            cuts[a] = best
        own[a] = _n_log_n(people) - rest
    return gains, own, cuts


@compiled
def _tell(
    rows: Int32s,
    weights: Int64s,
    asked: Any,
    told: Any,
    branch: Floats,
    ordered: int,
    size: int,
    worth: float,
    possible: Any,
    info: Floats,
) -> None:
    """Add what each split by one attribute tells of one that is to be told."""
    counts = np.zeros((branch.size, size))
    for row in rows:
        counts[asked[row], told[row]] += weights[row] if weights.size else 1
    whole = counts.sum(axis=0)
    before = _impurity(whole, whole.sum())
    after = 0.0
    for code in range(ordered, branch.size):
        if branch[code] > 0.0:
            after += _impurity(counts[code], branch[code])
    if ordered == 0:
        info[0] += worth * (before - after)
        return
    left, right = np.zeros(size), np.zeros(size)
    for code in range(ordered):
        right += counts[code]
    for cut in range(ordered):
        left += counts[cut]
        right -= counts[cut]
        if possible[cut]:
            info[cut] += worth * (before - after - _impurity(left, left.sum()) - _impurity(right, right.sum()))
