"""Groups that overlap because a suppressed cell may stand for anything."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.groups import NO_WEIGHTS, tally


def overlapping(left: Sequence[Int64s], right: Sequence[Int64s], stars: Sequence[int | None]) -> tuple[Int64s, Int64s]:
    """Find all pairs (i, j) such that tuples i on the left and j on the right agree wherever neither shows `*`.

    `left` and `right` have the codes of each attribute, `stars` its code of `*`. Tuples are compared attribute by
    attribute, and only beginnings that agree so far are extended.
    """
    if not left:  # nothing is known of anybody: there is one tuple on each side, and they agree
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    pairs = pl.DataFrame({"left": [0], "right": [0]}, schema={"left": pl.Int64, "right": pl.Int64})
    stems = [np.zeros(len(left[0]), np.int64), np.zeros(len(right[0]), np.int64)]
    for codes_left, codes_right, star in zip(left, right, stars, strict=True):
        stems[0], twigs_left = _extended(stems[0], codes_left, "left")
        stems[1], twigs_right = _extended(stems[1], codes_right, "right")
        pairs = _agreeing(pairs, twigs_left, twigs_right, star)
    members = [
        pl.DataFrame({side: stem, f"{side}_at": np.arange(len(stem))})
        for side, stem in zip(("left", "right"), stems, strict=True)
    ]
    found = pairs.join(members[0], on="left").join(members[1], on="right").sort("left_at", "right_at")
    return found["left_at"].to_numpy(), found["right_at"].to_numpy()


def _extended(stem: Int64s, codes: Int64s, side: str) -> tuple[Int64s, pl.DataFrame]:
    """Number the beginnings that are one attribute longer, and list them with the beginnings that they extend."""
    width = int(codes.max()) + 1
    keys, _, longer = tally(stem * width + codes, (int(stem.max()) + 1) * width, NO_WEIGHTS, locate=True)
    twigs = pl.DataFrame({side: keys // width, f"{side}_code": keys % width, f"{side}_twig": np.arange(len(keys))})
    return longer, twigs


def _agreeing(pairs: pl.DataFrame, left: pl.DataFrame, right: pl.DataFrame, star: int | None) -> pl.DataFrame:
    # No code is -1, so that nothing is open in a column without `*`.
    open_left, open_right = (pl.col(f"{side}_code") == (-1 if star is None else star) for side in ("left", "right"))
    plain_left, plain_right = left.filter(~open_left), right.filter(~open_right)
    # Equal values, `*` on the left, or `*` on the right only: no pair is found twice.
    ways = (
        pairs.join(plain_left, on="left").join(
            plain_right, left_on=["right", "left_code"], right_on=["right", "right_code"]
        ),
        pairs.join(left.filter(open_left), on="left").join(right, on="right"),
        pairs.join(right.filter(open_right), on="right").join(plain_left, on="left"),
    )
    return pl.concat([way.select(left="left_twig", right="right_twig") for way in ways])
