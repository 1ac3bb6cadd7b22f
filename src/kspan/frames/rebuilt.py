"""Tables whose memory holds the cells that they show and nothing else.

A dataframe may share buffers with the one that it was taken from: these hold text of rows that were left out,
categories that nobody has and values behind empty cells, all in the order of the source. Whoever writes the buffers to
a file writes all that, too.
"""

import numpy as np
import polars as pl

from kspan.errors import DataError

TEXT = (pl.String, pl.Categorical, pl.Enum)
MOMENTS = (pl.Date, pl.Datetime, pl.Time, pl.Duration)


def rebuilt(frame: pl.DataFrame) -> pl.DataFrame:
    """The same cells, in the same order, in memory of their own; categories become text.

    >>> rebuilt(pl.DataFrame({"sex": pl.Series(["F", "M"], dtype=pl.Categorical)})).schema
    Schema([('sex', String)])
    """
    return pl.DataFrame([_column(series.rechunk()) for series in frame.get_columns()])


def without_categories(frame: pl.DataFrame) -> pl.DataFrame:
    """The same frame with categories as text, so that it lists none that no row shows."""
    return frame.with_columns(series.cast(pl.String) for series in frame if series.dtype in (pl.Categorical, pl.Enum))


def _column(series: pl.Series) -> pl.Series:
    kind = series.dtype
    if kind in TEXT:
        return _masked(_text(series.cast(pl.String)), series)
    if kind.is_float():
        # There are many bit patterns for nan: all become the same one.
        return _masked(_copied(series.fill_null(0.0).fill_nan(float("nan"))), series)
    if kind.is_integer() or kind.is_decimal():
        return _masked(_copied(series.fill_null(0)), series)
    if kind in MOMENTS:
        return _masked(_copied(series.to_physical().fill_null(0)).cast(kind), series)
    if kind == pl.Boolean:
        return _masked(_copied(series.fill_null(False)), series)
    if kind == pl.Null:
        return pl.Series(series.name, [None] * len(series), dtype=pl.Null)
    raise DataError(f"column {series.name!r} holds {kind} cells: turn them into text or numbers first")


def _text(series: pl.Series) -> pl.Series:
    """Copy texts one after the other into a new buffer: appending an empty text to each makes polars write it anew."""
    return pl.select(pl.concat_str([series.fill_null(""), pl.lit("")]).alias(series.name)).to_series()


def _copied(series: pl.Series) -> pl.Series:
    return series.gather(np.arange(len(series)))


def _masked(filled: pl.Series, like: pl.Series) -> pl.Series:
    """`filled`, a copy without empty cells, with the empty cells of `like` and nothing behind them."""
    if not like.null_count():
        return filled.alias(like.name)
    shown = pl.Series(like.is_not_null().to_numpy())  # a new bit mask, also in the unused bits behind the last row
    return filled.zip_with(shown, pl.Series([None], dtype=filled.dtype)).alias(like.name)
