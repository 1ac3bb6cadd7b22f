"""Words: whatever no other kind takes for its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from kspan.data.kinds.kind import CATEGORICAL, Given, Kind
from kspan.data.kinds.numbers import NUMBERS, WIDE


@dataclass(frozen=True)
class Words(Kind):
    """Words: each is a branch of its own, and they are in the order of the alphabet."""

    plural = "words"
    is_measured = False
    family = CATEGORICAL
    says = CATEGORICAL

    @property
    def measure(self) -> Kind:
        """Numbers, as in a released column of which all cells are ranges."""
        return NUMBERS

    def recognizes(self, given: Given) -> bool:
        """Is the column text, or of a type that can be told as text? Dates are, where they are not read as such."""
        return given.type in (pl.String, pl.Categorical, pl.Null, pl.Date, pl.Datetime, pl.Time, *WIDE)

    def plain(self, series: pl.Series) -> pl.Series:
        """The cells as text."""
        # A cast would cut the fractions of seconds off.
        return series.dt.to_string("iso") if series.dtype == pl.Time else series.cast(pl.String)

    def example(self, places: Sequence[int | None]) -> pl.Series:
        """Words that are none of another kind."""
        return pl.Series([None if place is None else f"word {place}" for place in places], dtype=pl.String)


WORDS = Words()
