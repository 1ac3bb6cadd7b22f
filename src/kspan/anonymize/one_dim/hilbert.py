"""Rows along Hilbert's curve through their public values: who is near on it is near in every attribute."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Int64s
from kspan.kernels.hilbert import hilbert_keys


def along_the_curve(
    codes: NDArray[Any], sizes: Sequence[int], weights: Int64s | None, *, rng: np.random.Generator
) -> NDArray[Any]:
    """The rows of `codes[row, attribute]` in the order of the curve.

    Every attribute is spread over the whole length of its axis. Rows at the same point come by weight, and otherwise in
    random order, so that their order tells nothing.

    >>> corners = np.array([[1, 0], [0, 0], [1, 1], [0, 1]], np.uint8)
    >>> corners[along_the_curve(corners, [2, 2], None, rng=np.random.default_rng(0))].tolist()
    [[0, 0], [0, 1], [1, 1], [1, 0]]
    """
    told_apart = [axis for axis, size in enumerate(sizes) if size > 1]
    shuffled = np.arange(len(codes), dtype=_kind_of_place(len(codes)))
    rng.shuffle(shuffled)
    if not told_apart:
        keys = np.zeros((len(codes), 1), np.uint64)
    else:
        bits = max((sizes[axis] - 1).bit_length() for axis in told_apart)
        axes = codes if len(told_apart) == len(sizes) else np.ascontiguousarray(codes[:, told_apart])
        keys = hilbert_keys(axes, np.array(sizes)[told_apart], bits)
    keys = keys[shuffled]
    return shuffled[_sorted(keys, None if weights is None else weights[shuffled])]


def points_in_order(codes: NDArray[Any]) -> NDArray[Any]:
    """The number of each row's point, from 0 on; equal rows of `codes[row, attribute]` must stand together.

    >>> points_in_order(np.array([[1, 0], [1, 0], [0, 0]])).tolist()
    [0, 0, 1]
    """
    new = np.zeros(len(codes), bool)
    for attribute in range(codes.shape[1]):
        new[1:] |= codes[1:, attribute] != codes[:-1, attribute]
    return np.cumsum(new, dtype=_kind_of_place(len(codes)))


def _kind_of_place(rows: int) -> type[np.signedinteger[Any]]:
    """The type for places of rows: four bytes are enough for two billion."""
    return np.int32 if rows <= np.iinfo(np.int32).max else np.int64


def _sorted(keys: NDArray[np.uint64], weights: Int64s | None) -> Int64s:
    if keys.shape[1] == 1 and weights is None:
        return np.argsort(keys[:, 0], kind="stable")
    # The last key counts most: the first column of `keys`, while weights only break ties.
    last_first = [*reversed(keys.T)]
    return np.lexsort(last_first if weights is None else [weights, *last_first])
