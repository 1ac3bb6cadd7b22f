"""How far predicted numbers are from the true ones."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.data.arrays import Floats
from kspan.data.encode import encode_column
from kspan.data.kinds.kind import Kind
from kspan.data.schema import Schema
from kspan.errors import DataError


@dataclass(frozen=True)
class Errors:
    """How far predictions are from the truth, over the people who have a number."""

    mean_absolute: float
    r2: float | None
    """The share of the variance that is explained; None if all people have the same number."""


def errors(predicted: pl.Series, truth: pl.Series, kind: Kind) -> Errors | None:
    """Compare predictions of numbers of a kind with the truth; None if nobody has a number.

    >>> from kspan.data.kinds.numbers import NUMBERS
    >>> errors(pl.Series([2.0, 2.0, 5.0]), pl.Series([1, 3, None]), NUMBERS)
    Errors(mean_absolute=1.0, r2=0.0)
    """
    found, true = numbers_of(predicted, kind), numbers_of(truth, kind)
    there = ~np.isnan(found) & ~np.isnan(true)
    if not there.any():
        return None
    apart, around = found[there] - true[there], true[there] - true[there].mean()
    spread = float(around @ around)
    return Errors(float(np.abs(apart).mean()), 1 - float(apart @ apart) / spread if spread else None)


def numbers_of(series: pl.Series, kind: Kind) -> Floats:
    """Return the numbers of a column; not a number where a cell is empty or suppressed. Refuse anything else."""
    column = encode_column(series, Schema())
    if not column.is_measured or column.kind.unit != kind.unit:
        raise DataError(f"column {series.name!r} does not hold {kind} alone: give the true ones, or drop the column")
    by_code = np.full(column.size, np.nan)
    by_code[: len(column.values)] = column.values
    found: Floats = by_code[column.codes]
    return found
