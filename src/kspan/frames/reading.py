"""What the reader of a format is told besides the content of a file, and what several readers share."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

EXACT = 2.0**53
"""Every whole number up to this one is a float, too."""


@dataclass(frozen=True)
class Reading:
    """How a file is named, what of it is wanted, and the check of how much it claims to hold."""

    source: str
    check: Callable[[int, int], None]
    """Refuses rows and columns that are too many for the size of the file, before they are unpacked."""
    part: str | None = None
    """The sheet of a workbook."""
    encoding: str | None = None


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with whole numbers as integers, days as dates and empty texts as missing.

    Spreadsheets and statistical packages keep every number as a float, and know no missing text.

    >>> plain(pl.DataFrame({"age": [39.0, None], "name": ["Ann", ""]})).rows()
    [(39, 'Ann'), (None, None)]
    """
    return pl.DataFrame([_plain(column) for column in frame.get_columns()])


def _plain(column: pl.Series) -> pl.Series:
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = ((column.floor() == column) & (column.abs() <= EXACT)).all()  # missing cells do not count
        return column.cast(pl.Int64) if whole and column.null_count() < len(column) else column
    if column.dtype == pl.Datetime and column.null_count() < len(column):
        days = column.dt.truncate("1d")
        return column.dt.date() if (days == column).all() else column
    if column.dtype == pl.String:
        return column.replace("", None)
    return column
