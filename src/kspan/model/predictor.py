"""What every model of labels can do: tell how likely each label is for a person."""

from typing import Protocol, runtime_checkable

import polars as pl

from kspan.data.arrays import Floats


@runtime_checkable
class Predictor(Protocol):
    """A model that predicts labels; it holds no row."""

    @property
    def target(self) -> str:
        """The column that it predicts."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What it may predict."""

    @property
    def tells_shares(self) -> bool:
        """Does it tell how likely the labels are, and not only which one is likeliest?"""

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, raw or released, the share of each label; `range_pattern` says how ranges are written."""
