"""Sets of codes in one cell: `E11;I10`, `milk, bread`, or lists."""

import polars as pl

from kspan.data.sets import are_lists

SEPARATORS = (";", "|", ",")
CODE = r"^[\w.+*/-]{1,12}$"
"""A code is short and has no blank in it."""
LEAST_CELLS = 5
"""So many cells must hold several codes."""
LEAST_SHARE = 0.2
"""Of the filled cells, so many must hold several codes."""


def likely_separator(series: pl.Series) -> str | bool | None:
    """What stands between the codes of the cells of a column; True if they are lists, None if they are no sets."""
    if are_lists(series):
        return True
    if series.dtype != pl.String:
        return None
    cells = series.drop_nulls()
    return next((separator for separator in SEPARATORS if _are_sets(cells, separator)), None)


def _are_sets(cells: pl.Series, separator: str) -> bool:
    """Do many cells hold several codes, all of them short, and most of them in other cells, too?"""
    several = cells.str.contains(separator, literal=True)
    if several.sum() < max(LEAST_CELLS, LEAST_SHARE * len(cells)):
        return False
    codes = cells.str.split(separator).explode(empty_as_null=True).str.strip_chars().drop_nulls()
    codes = codes.filter(codes != "")
    # Numbers with a comma in them are numbers.
    if not codes.str.contains(CODE).all() or codes.str.contains(r"^\d+$").all():
        return False
    return codes.n_unique() * 2 <= len(codes)
