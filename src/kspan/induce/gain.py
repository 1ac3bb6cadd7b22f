"""How good a split is: counts of sons by label in, one number a split out.

All take an array `[..., son, label]` of the people of each son and score each of the leading entries.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats

Score = Callable[[NDArray[Any]], Floats]


def entropy(counts: NDArray[Any]) -> Floats:
    """In bits, of the labels along the last axis; nobody has none.

    >>> entropy(np.array([[6, 6], [85, 15], [0, 0]])).round(2).tolist()
    [1.0, 0.61, 0.0]
    """
    total = np.maximum(counts.sum(axis=-1), 1)
    # H = log n - (1/n) sum c log c, where 1 stands in for 0 people: their term is 0 either way.
    spread = (counts * np.log2(np.maximum(counts, 1))).sum(axis=-1)
    bits: Floats = np.maximum(np.log2(total) - spread / total, 0.0)
    return bits


def information_gain(sons: NDArray[Any]) -> Floats:
    """The entropy of the node less what is left in its sons (Quinlan 1986).

    >>> information_gain(np.array([[3, 0], [0, 3]])).tolist()
    1.0
    """
    return _reduction(sons, entropy)


def gain_ratio(sons: NDArray[Any]) -> Floats:
    """Information gain over the entropy of the split itself (Quinlan 1993)."""
    split = entropy(sons.sum(axis=-1))
    gain = information_gain(sons)
    ratio: Floats = np.divide(gain, split, out=np.zeros_like(gain), where=split > 0)
    return ratio


def gini_gain(sons: NDArray[Any]) -> Floats:
    """The Gini impurity of the node less what is left in its sons (Breiman et al. 1984)."""
    return _reduction(sons, _gini)


SCORES: dict[str, Score] = {"information-gain": information_gain, "gain-ratio": gain_ratio, "gini": gini_gain}


def _gini(counts: NDArray[Any]) -> Floats:
    share = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    impurity: Floats = 1.0 - (share**2).sum(axis=-1)
    return impurity


def _reduction(sons: NDArray[Any], impurity: Score) -> Floats:
    sizes = sons.sum(axis=-1)
    share = sizes / np.maximum(sizes.sum(axis=-1, keepdims=True), 1)
    left: Floats = impurity(sons.sum(axis=-2)) - (share * impurity(sons)).sum(axis=-1)
    return left
