"""Where to cut numbers so that labels differ on both sides (Fayyad, Irani, IJCAI 1993)."""

import math

import numpy as np

from kspan.data.arrays import Floats, Int64s


def label_cuts(counts: Floats) -> Int64s:
    """The places after which to cut, from how many people of each label (column) have each value (row), in order.

    A part is cut where the entropy of labels falls most, as long as that saves more than it takes to say where the cut
    is (the minimum description length); each side is then asked again.

    >>> label_cuts(np.array([[9.0, 0.0], [9.0, 1.0], [0.0, 9.0], [1.0, 9.0]]))
    array([1])
    >>> label_cuts(np.array([[5.0, 5.0], [5.0, 5.0]]))
    array([], dtype=int64)
    """
    cuts: list[int] = []
    waiting = [(0, len(counts))]
    while waiting:
        first, end = waiting.pop()
        place = _best(counts[first:end]) if end - first > 1 else None
        if place is not None:
            cuts.append(first + place)
            waiting += [(first, first + place + 1), (first + place + 1, end)]
    return np.array(sorted(cuts), np.int64)


def _best(counts: Floats) -> int | None:
    """The place in a part after which a cut is worth most, or None if none is worth its description."""
    below = np.cumsum(counts, axis=0)
    whole, left = below[-1], below[:-1]
    right = np.maximum(whole - left, 0.0)  # fractions of people may add up to just below zero
    people = whole.sum()
    if people <= 1:
        return None
    after = (_entropies(left) * left.sum(axis=1) + _entropies(right) * right.sum(axis=1)) / people
    place = int(after.argmin())
    before, sides = float(_entropies(whole[None])[0]), (left[place], right[place])
    labels = int((whole > 0).sum())
    known = sum(int((side > 0).sum()) * float(_entropies(side[None])[0]) for side in sides)
    # The criterion of minimum description length, with both sides times the number of people.
    price = math.log2(people - 1) + math.log2(3**labels - 2) - (labels * before - known)
    return place if people * (before - after[place]) > price else None


def _entropies(counts: Floats) -> Floats:
    """The entropy of labels in each row, in bits."""
    people = np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    share = counts / people
    bits: Floats = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1)
    return bits
