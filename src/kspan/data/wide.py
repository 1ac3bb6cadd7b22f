"""The wide form of a table: one row a person, with the columns `age_1`, `age_2`, ... for what differs between rows.

A column `rows` tells how many rows of each person there are. Beyond them the numbered cells are empty. What is the same
in all rows of everybody stays one column.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.data.arrays import Int64s
from kspan.data.encode import encode_column
from kspan.data.groups import runs
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError, listed

ROWS = "rows"
"""The column of a wide table that tells how many rows of each person are in it."""
ABSENT = -1
"""The row of a person who has fewer."""


@dataclass(frozen=True)
class Shape:
    """Which columns of a wide table are numbered, and up to which number."""

    once: tuple[str, ...]
    """Public and private columns of the long table that stay one."""
    numbered: tuple[str, ...]
    width: int

    def names(self, column: str, rows: int | None = None) -> tuple[str, ...]:
        """The names that a column of the long table has here, or those of the first `rows` rows.

        >>> Shape(("sex",), ("age",), 3).names("age")
        ('age_1', 'age_2', 'age_3')
        """
        if column in self.once:
            return (column,)
        return tuple(f"{column}_{number}" for number in range(1, (self.width if rows is None else rows) + 1))


def shape_of(frame: pl.DataFrame, schema: Schema) -> Shape | None:
    """Return the shape of a wide table; None if the table is not wide.

    A table is wide if the schema says that people have several rows, and the table tells their number in `rows`.
    """
    there, known = set(frame.columns), set(schema.columns)
    if not schema.person or ROWS not in there or ROWS in known:
        return None
    if schema.person in there and frame[schema.person].n_unique() < frame.height:
        return None  # a long table; that `rows` has no role will be said
    columns = (*schema.public, *schema.private)
    numbers = {name: _numbers(name, there - known) for name in columns}
    numbered = tuple(name for name in columns if name not in there)
    _check_names(numbers, numbered, there)
    cells = _row_numbers(frame[ROWS])
    width = max(len(numbers[name]) for name in numbered) if numbered else cast("int", cells.max() or 1)
    wrong = (cells.is_null() | ~cells.is_between(1, width)).fill_null(True).sum()
    if wrong:
        raise DataError(
            f"{wrong} rows of the wide table do not say how many rows their person has ({ROWS!r} must be a whole "
            f"number from 1 to {width}): make it again"
        )
    return Shape(tuple(name for name in columns if name in there), numbered, width)


def _numbers(name: str, columns: set[str]) -> list[int]:
    """The numbers with which a column occurs, ascending."""
    ends = (column.removeprefix(f"{name}_") for column in columns if column.startswith(f"{name}_"))
    return sorted(int(end) for end in ends if end.isascii() and end.isdigit() and str(int(end)) == end)


def _check_names(numbers: dict[str, list[int]], numbered: Sequence[str], there: set[str]) -> None:
    twice = [name for name in numbers if name in there and numbers[name]]
    if twice:
        raise PolicyError(
            f"the table has {listed(twice)} both as one column and as numbered ones, so it is neither long nor wide: "
            "drop one of them"
        )
    width = max((len(numbers[name]) for name in numbered), default=0)
    for name in numbered:
        if not numbers[name]:
            raise PolicyError(
                f"the policy's column {name!r} is not in the table, neither as it is nor numbered ({name}_1, ...): "
                "correct the name or take it out of the policy"
            )
        if numbers[name] != list(range(1, width + 1)):
            raise PolicyError(
                f"the wide table must have the columns {name}_1 to {name}_{width}, as many as of the others: make it "
                "again"
            )


def _row_numbers(column: pl.Series) -> pl.Series:
    """Numbers of rows as whole numbers; null where they are none."""
    numbers = column.cast(pl.String).cast(pl.Float64, strict=False)
    return pl.select(pl.when(numbers == numbers.round()).then(numbers)).to_series().cast(pl.Int64, strict=False)


def row_counts(frame: pl.DataFrame) -> Int64s:
    """How many rows each person of a wide table has."""
    return _row_numbers(frame[ROWS]).to_numpy()


def rows_in_order(table: Table, frame: pl.DataFrame, schema: Schema, order: str | None = None) -> Int64s:
    """The rows of each person, one person a line, in the order of a column, then of public, then of private values.

    People who have fewer rows than others end in `ABSENT`. Rows with the same values are interchangeable, so the wide
    form depends on nothing but the values.
    """
    person = np.arange(table.rows) if table.persons is None else table.persons
    columns = [table[name] for name in (*schema.public, *schema.private)]
    keys: list[NDArray[Any]] = [column.codes for column in reversed(columns)]
    if order is not None:
        keys.append(_order_codes(frame, schema, order))
    rows = np.lexsort((*keys, person))
    counts = np.bincount(person)
    matrix = np.full((len(counts), int(counts.max())), ABSENT, np.int64)
    matrix[person[rows], runs(np.zeros(len(counts), np.int64), counts)] = rows
    return matrix


def _order_codes(frame: pl.DataFrame, schema: Schema, order: str) -> Int64s:
    """The rank of each row in the column that orders rows."""
    if order not in frame.columns:
        raise DataError(f"the table lacks the column {order!r}, which orders the rows of a person: add it")
    column = encode_column(frame[order], schema)
    has_order = column.kind.is_measured or bool(column.kind.order(frame[order]))
    if not has_order and (column.domain is None or column.domain.values is None):
        raise DataError(
            f"the column {order!r} cannot order the rows of a person, since it holds words: give numbers, dates as in "
            "2026-01-31, or list its values in their order under [domains]"
        )
    return column.codes.astype(np.int64)


def shape_for(frame: pl.DataFrame, rows: Int64s, schema: Schema) -> Shape:
    """The shape that the wide form of a table has: columns that are the same in all rows of everybody stay one."""
    columns = (*schema.public, *schema.private)
    once = tuple(name for name in columns if _is_constant(frame[name], rows))
    numbered = tuple(name for name in columns if name not in once)
    shape = Shape(once, numbered, rows.shape[1])
    taken = {ROWS, *(each for name in numbered for each in shape.names(name))} & set(schema.columns)
    if taken:
        raise PolicyError(f"the wide form has a column {listed(sorted(taken))} of its own: rename that of the table")
    return shape


def _is_constant(column: pl.Series, rows: Int64s) -> bool:
    """Has a column one value in all rows of each person?"""
    person, place = np.nonzero(rows != ABSENT)
    return bool(column[rows[person, 0]].eq_missing(column[rows[person, place]]).all())


def widened(frame: pl.DataFrame, rows: Int64s, schema: Schema, shape: Shape) -> pl.DataFrame:
    """The wide form: one row for each line of `rows`, without identifiers."""
    untrue = [name for name in shape.once if not _is_constant(frame[name], rows)]
    if untrue:
        raise DataError(
            f"{listed(untrue)} is one column in the wide table, but differs between rows of a person here: give the "
            "rows that it was made from"
        )
    columns = []
    for name in frame.columns:
        if name in shape.numbered:
            columns += [_cells(frame[name], rows[:, place]).alias(each) for place, each in enumerate(shape.names(name))]
        elif name in shape.once or name == schema.household:
            columns.append(_cells(frame[name], rows[:, 0]))
    return pl.DataFrame([*columns, pl.Series(ROWS, (rows != ABSENT).sum(axis=1), dtype=pl.Int64)])


def _cells(column: pl.Series, rows: Int64s) -> pl.Series:
    """The cells in some rows; null where there is none."""
    cells = column[np.maximum(rows, 0)]
    return pl.select(pl.when(pl.Series(rows != ABSENT)).then(cells)).to_series().alias(column.name)


def lengthened(frame: pl.DataFrame, names: Sequence[str], shape: Shape) -> tuple[pl.DataFrame, Int64s, Int64s]:
    """Some columns of a wide table as the long table had them, with the person and the place of each row."""
    counts = row_counts(frame)
    _check_empty(frame, shape, counts)
    parts, person, place = [], [], []
    for at in range(min(shape.width, int(counts.max()))):
        there = np.flatnonzero(counts > at)
        cells = {name: frame[name if name in shape.once else f"{name}_{at + 1}"][there] for name in names}
        parts.append({name: column.alias(name) for name, column in cells.items()})
        person.append(there)
        place.append(np.full(len(there), at, np.int64))
    stacked = [_stacked([part[name] for part in parts]) for name in names]
    return pl.DataFrame(stacked), np.concatenate(person), np.concatenate(place)


def _stacked(columns: Sequence[pl.Series]) -> pl.Series:
    """Columns one below the other; as text if their types differ."""
    kinds = {column.dtype for column in columns if column.null_count() < len(column)}
    if len(kinds) > 1 and not all(kind.is_numeric() for kind in kinds):
        columns = [column.cast(pl.String) for column in columns]
    return pl.concat([column.to_frame() for column in columns], how="vertical_relaxed").to_series()


def _check_empty(frame: pl.DataFrame, shape: Shape, counts: Int64s) -> None:
    """Refuse cells of rows that a person does not have."""
    for name in shape.numbered:
        for number, column in enumerate(shape.names(name), 1):
            cells = frame[column].fill_nan(None) if frame[column].dtype.is_float() else frame[column]
            told = int((cells.is_not_null() & pl.Series(counts < number)).sum())
            if told:
                raise DataError(
                    f"column {column!r} has cells of {told} people who have fewer rows than {number}: empty them, or "
                    f"correct {ROWS!r}"
                )


def people_in_order(frame: pl.DataFrame, table: Table, schema: Schema, order: str | None, shape: Shape) -> pl.DataFrame:
    """The people of a long table in the shape of a wide one, with as many rows of each as that has at most."""
    rows = rows_in_order(table, frame, schema, order)[:, : shape.width]
    if rows.shape[1] < shape.width:
        rows = np.pad(rows, ((0, 0), (0, shape.width - rows.shape[1])), constant_values=ABSENT)
    return widened(frame, rows, schema, shape)
