"""Dataframes in which others tell of items, as mlxtend makes them."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from kspan.errors import DataError


def has_columns(given: Any, wanted: Sequence[str]) -> bool:
    """Is it a dataframe, in memory, that has the wanted columns?"""
    if isinstance(given, pl.LazyFrame):
        return False
    # pyarrow has `column_names`; its `columns` are the data.
    names = getattr(given, "column_names", None)
    names = getattr(given, "columns", None) if names is None else names
    return names is not None and not callable(names) and set(wanted) <= {str(name) for name in names}


def items_in(cell: Any, what: str) -> frozenset[str]:
    """Return the names of items in a cell; `what` names the cell in an error."""
    names = None if isinstance(cell, str) or not isinstance(cell, Iterable) else list(cell)
    if names is None or not all(isinstance(name, str) for name in names):
        raise DataError(f"{what} must be sets of names of items: mine them with use_colnames=True and text as names")
    return frozenset(names)


def figure_in(cell: Any) -> float:
    """Return the number in a cell; nan if there is none."""
    try:
        # NaN is refused when a model is made, or means that a figure is not told.
        return math.nan if isinstance(cell, str) else float(cell)
    except (TypeError, ValueError):
        return math.nan
