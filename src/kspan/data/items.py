"""Columns as items: every cell that a column shows is one, and is had by the rows that show it.

A general cell of a released table is an item of its own, more general than those of the values that it admits: a row
that shows `{F|M}` has `sex={F|M}`, and neither `sex=F` nor `sex=M`, though its person is one of them. So all that is
counted is certain, and nothing is expected: at least so many people are F. A `*` and an empty cell have no item.
"""

import polars as pl

from kspan.data.arrays import Bools
from kspan.data.encode import encode_column
from kspan.data.meaning import canonical
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError

MOST_ITEMS = 10_000
"""A column with more different cells is refused."""


def item_name(column: str, cell: str) -> str:
    """Name the item of a cell.

    >>> item_name("age", "[30, 39]")
    'age=[30, 39]'
    """
    return f"{column}={cell}"


def items_of(series: pl.Series, schema: Schema) -> dict[str, Bools]:
    """For each cell that a column shows, the rows that show it, however they spell it.

    >>> found = items_of(pl.Series("sex", ["F", "{M|F}", "{F|M}", "*"]), Schema(public=["sex"]))
    >>> {name: rows.tolist() for name, rows in found.items()}
    {'sex=F': [True, False, False, False], 'sex={F|M}': [False, True, True, False]}
    """
    coded = Table({series.name: encode_column(series, schema)}, len(series))
    column = canonical(coded, schema.range_pattern)[series.name]
    if len(column.values) > MOST_ITEMS:
        raise DataError(
            f"column {series.name!r} shows more than {MOST_ITEMS:,} different cells: leave it out, or show ranges"
        )
    return {item_name(series.name, column.spelled(code)): column.codes == code for code in range(len(column.values))}
