"""How good splits are: the people of all sons of many splits by label in, one number a split out.

All take an array `[son, label]` in which the sons of a split follow each other, and where each split begins.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats, Int64s

Score = Callable[[Int64s, Int64s], Floats]


def entropy(counts: NDArray[Any]) -> Floats:
    """In bits, of the labels along the last axis; nobody has none.

    >>> entropy(np.array([[6, 6], [85, 15], [0, 0]])).round(2).tolist()
    [1.0, 0.61, 0.0]
    """
    total = np.maximum(counts.sum(axis=-1), 1)
    # H = log n - (1/n) sum c log c, where 1 stands in for 0 people: their term is 0 either way.
    bits: Floats = np.maximum(np.log2(total) - _c_log_c(counts).sum(axis=-1) / total, 0.0)
    return bits


def information_gain(sons: Int64s, begins: Int64s) -> Floats:
    """The entropy of the node less what is left in its sons (Quinlan 1986).

    >>> information_gain(np.array([[3, 0], [0, 3], [2, 1], [1, 2]]), np.array([0, 2])).round(3).tolist()
    [1.0, 0.082]
    """
    return _reduction(sons, begins, entropy)


def gain_ratio(sons: Int64s, begins: Int64s) -> Floats:
    """Information gain over the entropy of the split itself (Quinlan 1993)."""
    sizes = sons.sum(axis=1)
    total = np.maximum(np.add.reduceat(sizes, begins), 1)
    split = np.log2(total) - np.add.reduceat(_c_log_c(sizes), begins) / total
    gain = information_gain(sons, begins)
    ratio: Floats = np.divide(gain, split, out=np.zeros_like(gain), where=split > 0)
    return ratio


def gini_gain(sons: Int64s, begins: Int64s) -> Floats:
    """The Gini impurity of the node less what is left in its sons (Breiman et al. 1984)."""
    return _reduction(sons, begins, _gini)


SCORES: dict[str, Score] = {"information-gain": information_gain, "gain-ratio": gain_ratio, "gini": gini_gain}


def _c_log_c(counts: NDArray[Any]) -> Floats:
    product: Floats = counts * np.log2(np.maximum(counts, 1))
    return product


def _gini(counts: NDArray[Any]) -> Floats:
    share = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    impurity: Floats = 1.0 - (share**2).sum(axis=-1)
    return impurity


def _reduction(sons: Int64s, begins: Int64s, impurity: Callable[[NDArray[Any]], Floats]) -> Floats:
    nodes = np.add.reduceat(sons, begins, axis=0)
    left = np.add.reduceat(sons.sum(axis=1) * impurity(sons), begins)
    reduction: Floats = impurity(nodes) - left / np.maximum(nodes.sum(axis=1), 1)
    return reduction
