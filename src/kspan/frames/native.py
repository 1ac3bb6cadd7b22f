"""Any dataframe in, the same kind out; inside there is polars only."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from types import NoneType
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from kspan.errors import DataError, listed
from kspan.limits import MOST_COLUMNS

PLAIN = (str, int, float, bool, np.number, np.bool_, Decimal, date, time, NoneType)
"""The types that cells of a mixed column may have."""

UNFIT = (ImportError, TypeError, ValueError, OverflowError, NotImplementedError, pl.exceptions.PolarsError)
"""What libraries raise for a column that they cannot take over as it is."""


def to_polars(frame: Any) -> pl.DataFrame:
    """The frame (pandas, polars, pyarrow or whatever narwhals reads) as polars, with blanks around its headers removed.

    >>> to_polars(pl.DataFrame({" age ": [3]})).columns
    ['age']
    """
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, pl.DataFrame):
        frame = _converted(frame)
    return with_clean_headers(frame)


def like(original: Any, made: pl.DataFrame) -> Any:
    """Convert `made`, which has the rows of `original`, to the same kind of dataframe with the same index."""
    if isinstance(original, pl.DataFrame | pl.LazyFrame):
        return made
    source = nw.from_native(original, eager_only=True)
    if source.implementation.is_pyarrow():
        return made.to_arrow()
    columns = {name: made[name].to_list() for name in made.columns}
    native = nw.from_dict(columns, backend=source.implementation).to_native()
    index = nw.maybe_get_index(source)
    if index is not None:
        native.index = index
    return native


def of_its_kind(original: Any, made: pl.DataFrame) -> Any:
    """Convert `made`, which has other rows than `original`, to the same kind of dataframe; to polars if that is a file.

    Rows are numbered anew: the index of the original could name its people.
    """
    if isinstance(original, str | os.PathLike | pl.DataFrame | pl.LazyFrame):
        return made
    source = nw.from_native(original, eager_only=True)
    if source.implementation.is_pyarrow():
        return made.to_arrow()
    return nw.from_dict(
        {name: made[name].to_list() for name in made.columns}, backend=source.implementation
    ).to_native()


def _converted(frame: Any) -> pl.DataFrame:
    try:
        source = nw.from_native(frame)
        if isinstance(source, nw.LazyFrame):
            return pl.DataFrame(source.collect("polars").to_native())
    except TypeError:
        raise DataError(
            f"a {type(frame).__name__} is no dataframe: give a pandas, polars or pyarrow table, or the path of a file"
        ) from None
    except nw.exceptions.DuplicateError:
        raise DataError("two columns of the dataframe have the same name: rename one of them") from None
    if not all(isinstance(name, str) for name in source.columns):
        raise DataError("the dataframe has column names that are not text: rename its columns to strings")
    return pl.DataFrame([_column(source[name], name) for name in source.columns])


def _column(series: "nw.Series[Any]", name: str) -> pl.Series:
    if series.dtype != nw.Object:
        with suppress(*UNFIT):
            taken = series.to_polars().alias(name)
            # Categories of pandas that have an order keep it.
            return taken.cast(pl.Enum(_ordered(series))) if _ordered(series) else taken
    # pandas text without pyarrow, or mixed objects: convert cell by cell in Python, mixed cells as text.
    missing = series.is_null().to_list()
    cells = [None if gone else cell for gone, cell in zip(missing, series.to_list(), strict=True)]
    kinds = {type(cell) for cell in cells}
    strange = [kind.__name__ for kind in kinds if not issubclass(kind, PLAIN)]
    if strange:
        raise DataError(f"column {name!r} holds {strange[0]} cells: turn them into text or numbers first")
    if bool not in kinds or len(kinds - {NoneType}) == 1:  # beside numbers, True would be a 1
        with suppress(*UNFIT):
            return pl.Series(name, cells, strict=True)
    return pl.Series(name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String)


def _ordered(series: "nw.Series[Any]") -> list[str]:
    """The categories of a column of pandas in their order, if they have one."""
    native = series.to_native()
    if not getattr(getattr(native, "dtype", None), "ordered", False):
        return []
    names = list(native.cat.categories)
    return names if all(isinstance(name, str) for name in names) else []


def with_clean_headers(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame without blanks around its headers; refuse two that are the same, and too many."""
    return frame.rename(dict(zip(frame.columns, clean_names(frame.columns), strict=True)))


def clean_names(names: Sequence[str]) -> list[str]:
    """Return the names of columns without blanks around them; refuse two that are the same, and too many."""
    clean = [name.strip() for name in names]
    if len(clean) > MOST_COLUMNS:
        raise DataError(f"the table has {len(clean):,} columns: at most {MOST_COLUMNS:,} can be used, leave some out")
    twice = sorted(name for name, times in Counter(clean).items() if times > 1)
    if twice:
        raise DataError(f"column {listed(twice)} appears twice: rename or drop one of them")
    return clean


def unused(name: str, columns: Iterable[str]) -> str:
    """Return a name that no column has.

    >>> unused("rows", ["rows", "rows_"])
    'rows__'
    """
    taken = set(columns)
    while name in taken:
        name += "_"
    return name
