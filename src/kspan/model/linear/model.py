"""Logistic regression as it is written: how cells become numbers, and how much each number counts for each label."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.data.arrays import Floats
from kspan.data.numeric_features import NumericFeatures
from kspan.model.bayes.model import softmax


@dataclass(frozen=True, repr=False)
class Linear:
    """Scores each label by the exponential of a weighted sum of what the cells are expected to hold."""

    target: str
    labels: tuple[str, ...]
    encoding: NumericFeatures
    coefficients: tuple[tuple[float, ...], ...]
    """One row per label, with one number per column of the encoding."""
    intercepts: tuple[float, ...]

    def __repr__(self) -> str:
        columns = len(self.encoding.names)
        return f"Linear({columns} columns, {len(self.labels)} labels, target {self.target!r})"

    @property
    def tells_shares(self) -> bool:
        """It tells how likely the labels are."""
        return True

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, raw or released, the share of each label; `range_pattern` says how ranges are written."""
        numbers = self.encoding.matrix(people, range_pattern)
        return softmax(numbers @ np.array(self.coefficients).T + np.array(self.intercepts))
