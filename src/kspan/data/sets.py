"""Sets of codes in one cell: a table with a set a person becomes one with a row a code."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from kspan.errors import DataError, PolicyError, listed

ROW = "(row)"
"""Whose row it is, where each row of the table was a person."""

Separator = str | bool
"""What stands between the codes of a cell; True if cells are lists."""


def declared_sets(given: Mapping[str, Any]) -> dict[str, Separator]:
    """The columns of sets that a policy declares, with what stands between their codes."""
    if len(given) > 1:
        raise PolicyError(
            f"{listed(given)} are several columns of sets, and which codes of them belong together is not known: "
            "declare one, or make rows of them yourself"
        )
    for name, separator in given.items():
        if separator is not True and (not isinstance(separator, str) or not separator):
            raise PolicyError(
                f'the sets of {name!r} must say what stands between two codes: {name} = ";", or true if cells are lists'
            )
    return dict(given)


def are_lists(column: pl.Series) -> bool:
    """Are the cells of a column lists of plain values?"""
    return isinstance(column.dtype, pl.List) and not column.explode(empty_as_null=True).dtype.is_nested()


def is_set_valued(column: pl.Series, separator: Separator) -> bool:
    """Does any cell of a column hold a list, or codes with a separator between them?"""
    if isinstance(column.dtype, pl.List):
        return True
    if not isinstance(separator, str) or column.dtype != pl.String:
        return False
    if column.str.contains(r"^\s*[{\[]").any():
        return False  # a release, in which `{a|b}` is one of several codes
    return bool(column.str.contains(separator, literal=True).any())


def one_row_a_code(frame: pl.DataFrame, name: str, separator: Separator) -> pl.DataFrame:
    """The table with a row for each different code of each row; whoever has none keeps a row without one."""
    column = frame[name]
    if not are_lists(column):
        if column.dtype.is_nested():
            raise DataError(f"column {name!r} holds lists of lists, or objects: give lists of codes")
        if not isinstance(separator, str):
            raise DataError(f"column {name!r} holds no lists: say what stands between two codes ([sets] {name} = ';')")
        column = column.cast(pl.String).str.split(separator)
    if column.dtype.inner == pl.String:  # type: ignore[attr-defined]
        stripped = column.list.eval(pl.element().str.strip_chars())
        column = stripped.list.eval(pl.element().filter(pl.element() != ""))
    codes = column.list.drop_nulls().list.unique(maintain_order=True)
    return frame.with_columns(codes.alias(name)).explode(name, keep_nulls=True, empty_as_null=True)
