"""Numbers cut into bins: each bin ends where the next begins, and a number on a cut belongs to the lower bin."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kspan.data.arrays import Floats
from kspan.data.cells import number_text


def shares_in_bins(cuts: Sequence[float], low: Floats, high: Floats) -> Floats:
    """Return the share of each range that falls into each bin, one row per range.

    A range of a single number (`low == high`) lies wholly in one bin.

    >>> shares_in_bins([10.0], np.array([4.0, 9.0]), np.array([4.0, 13.0])).tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    inside = np.minimum(high[:, None], ends[None, 1:]) - np.maximum(low[:, None], ends[None, :-1])
    inside = np.maximum(inside, 0.0)
    one = np.zeros_like(inside)  # for single numbers, whose range has no length to share out
    one[np.arange(len(low)), np.searchsorted(np.array(cuts), low, side="left")] = 1.0
    wide = (high > low)[:, None]
    shares: Floats = np.where(wide, inside / np.where(wide, (high - low)[:, None], 1.0), one)
    return shares


def bin_names(cuts: Sequence[float]) -> list[str]:
    """The names of the bins.

    >>> bin_names([17.5, 30.0])
    ['<=17.5', '(17.5, 30]', '>30']
    >>> bin_names([])
    ['any']
    """
    if not cuts:
        return ["any"]
    texts = [number_text(cut) for cut in cuts]
    return [f"<={texts[0]}", *(f"({low}, {high}]" for low, high in pairwise(texts)), f">{texts[-1]}"]
