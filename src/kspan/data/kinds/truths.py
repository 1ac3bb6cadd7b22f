"""Truths: columns of yes and no."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from kspan.data.kinds.kind import Given
from kspan.data.kinds.words import Words


@dataclass(frozen=True)
class Truths(Words):
    """True and false, which are released as the words `true` and `false`."""

    plural = "truth values"

    def recognizes(self, given: Given) -> bool:
        """Is the column one of booleans? Words that mean yes and no are words."""
        return given.type == pl.Boolean

    def example(self, places: Sequence[int | None]) -> pl.Series:
        """Is a number even?"""
        return pl.Series([None if place is None else place % 2 == 0 for place in places], dtype=pl.Boolean)


TRUTHS = Truths()
