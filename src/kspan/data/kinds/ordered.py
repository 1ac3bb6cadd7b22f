"""Ordered words: categories whose type says which comes after which."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from kspan.data.kinds.kind import Given
from kspan.data.kinds.words import Words


@dataclass(frozen=True)
class OrderedWords(Words):
    """Words in an order of their own: neighbors in a set are neighbors in that order, and nobody knows how far apart.

    An ordered categorical of pandas has become an `Enum` of polars before.
    """

    plural = "ordered words"

    def recognizes(self, given: Given) -> bool:
        """Does the type of the column list its values?"""
        return isinstance(given.type, pl.Enum)

    def order(self, series: pl.Series) -> tuple[str, ...]:
        """The values that the type lists."""
        return tuple(series.dtype.categories) if isinstance(series.dtype, pl.Enum) else ()

    def example(self, places: Sequence[int | None]) -> pl.Series:
        """Sizes, which are not in the order of the alphabet."""
        sizes = ("small", "medium", "large")
        return pl.Series([None if place is None else sizes[place % 3] for place in places], dtype=pl.Enum(sizes))


ORDERED = OrderedWords()
