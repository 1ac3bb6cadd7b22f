"""Rows along Hilbert's curve through their public values: who is near on it is near in every attribute."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Int64s
from kspan.kernels.hilbert import hilbert_keys


def along_the_curve(
    codes: NDArray[Any], sizes: Sequence[int], weights: Int64s | None, *, rng: np.random.Generator
) -> tuple[Int64s, Int64s]:
    """The rows of `codes[row, attribute]` in the order of the curve, and the place of the point of each of them.

    Every attribute is spread over the whole length of its axis. Rows at the same point have the same place; they come
    by weight, and otherwise in random order, so that their order tells nothing.

    >>> corners = np.array([[1, 0], [0, 0], [1, 1], [0, 1]], np.uint8)
    >>> rows, place = along_the_curve(corners, [2, 2], None, rng=np.random.default_rng(0))
    >>> corners[rows].tolist(), place.tolist()
    ([[0, 0], [0, 1], [1, 1], [1, 0]], [0, 1, 2, 3])
    """
    told_apart = [axis for axis, size in enumerate(sizes) if size > 1]
    shuffled = rng.permutation(len(codes))
    if not told_apart:
        keys = np.zeros((len(codes), 1), np.uint64)
    else:
        bits = max((sizes[axis] - 1).bit_length() for axis in told_apart)
        keys = hilbert_keys(np.ascontiguousarray(codes[:, told_apart]), np.array(sizes)[told_apart], bits)
    order = _sorted(keys[shuffled], None if weights is None else weights[shuffled])
    rows = shuffled[order]
    following = keys[rows]
    new = (following[1:] != following[:-1]).any(axis=1)
    return rows, np.concatenate([[0], np.cumsum(new)])


def _sorted(keys: NDArray[np.uint64], weights: Int64s | None) -> Int64s:
    if keys.shape[1] == 1 and weights is None:
        return np.argsort(keys[:, 0], kind="stable")
    last_first = [*reversed(keys.T)]
    return np.lexsort(last_first if weights is None else [weights, *last_first])
