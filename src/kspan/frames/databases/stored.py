"""What databases give and take: the rows of a table with its manifest, and a table that is being written."""

from dataclasses import dataclass, field
from typing import Protocol

import polars as pl

from kspan.errors import DataError

WHOLE = r"^-?\d{1,18}$"
MOST_DIGITS = 15
"""Decimal numbers with so many digits are the same after a way through floats."""


@dataclass(frozen=True)
class Stored:
    """The rows of a table, and the manifest that is kept with it."""

    frame: pl.DataFrame = field(repr=False)
    manifest: str | None = None


class Draft(Protocol):
    """A table that was written in a transaction that is still open, so that nobody else sees it."""

    def written(self) -> pl.DataFrame:
        """Return the rows as a reader will get them."""

    def commit(self, manifest: str) -> None:
        """Put the table into its place, with its manifest, for everybody to see."""

    def abandon(self) -> None:
        """Leave everything as it was; harmless after a commit."""


def numbers(column: pl.Series) -> pl.Series:
    """Decimal numbers that arrived as text, as numbers if these are exact; text otherwise.

    >>> numbers(pl.Series(["12.50", None])).to_list(), numbers(pl.Series(["3", "-4"])).to_list()
    ([12.5, None], [3, -4])
    >>> numbers(pl.Series(["0.3333333333333333333"])).to_list()
    ['0.3333333333333333333']
    """
    if column.str.contains(WHOLE).all():
        return column.cast(pl.Int64)
    digits = column.str.replace(r"(\.\d*?)0+$", "$1").str.replace_all(r"\.|^-?0*\.?0*", "").str.len_chars()
    plain = column.str.contains(r"^-?\d+(\.\d+)?$")
    return column.cast(pl.Float64) if (plain & (digits <= MOST_DIGITS)).all() else column


def holdable(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in the kinds of columns that every database has; what none has becomes text."""
    return frame.with_columns(_holdable(frame[name]) for name in frame.columns)


def _holdable(column: pl.Series) -> pl.Series:
    kind = column.dtype
    if kind.is_integer():
        if kind.is_unsigned_integer() and (column > 2**63 - 1).any():
            return column.cast(pl.String)
        return column.cast(pl.Int64)
    if kind.is_float():
        return column.cast(pl.Float64)
    if kind == pl.Datetime:
        return column.cast(pl.Datetime("us", getattr(kind, "time_zone", None)))
    if kind == pl.String and column.str.contains("\0", literal=True).any():
        raise DataError(f"column {column.name!r} has a cell with a NUL character: databases hold none, take it out")
    return column if kind in (pl.String, pl.Boolean, pl.Date, pl.Time) else column.cast(pl.String)
