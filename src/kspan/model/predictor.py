"""What every model can do: say of people how likely each label is."""

from typing import Protocol, runtime_checkable

import polars as pl

from kspan.data.arrays import Floats


@runtime_checkable
class Predictor(Protocol):
    """A model that predicts; it knows no row."""

    @property
    def target(self) -> str:
        """The column that it predicts."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What it may predict."""

    @property
    def tells_shares(self) -> bool:
        """Does it say how likely labels are, or only which is likeliest?"""

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, raw or released, the share of each label; a pattern tells how ranges are written."""
