"""What a model is asked: the people as it wants them, and everything that their private cells may be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.cells import number
from kspan.data.table import Column, Table
from kspan.limits import LARGEST_NUMBER
from kspan.model.partition import Partition


@dataclass(frozen=True, repr=False)
class Cells:
    """What the private cells of one attribute may be: those that people have, and others of its domain."""

    column: Column
    series: Any
    """The cells as the model wants them."""
    code: Int64s
    """The code of each cell; -1 for one that nobody has."""
    is_finite: bool
    """Are these all that there are? Of a number, there are more."""

    def __len__(self) -> int:
        return len(self.code)


class Asked:
    """The people as a model wants them: rows of the dataframe that was given, some cells replaced by others."""

    def __init__(
        self,
        people: Any,
        table: Table,
        public: Sequence[str],
        private: Sequence[str],
        columns: Sequence[str] | None = None,
    ) -> None:
        """Take the people; `columns` are those that the model wants, in its order."""
        self.table, self.public, self.private = table, tuple(public), tuple(private)
        known = [*public, *private]
        # A model that asks one-hot columns gets those that they are made from.
        ordered = [name for name in columns or () if name in known]
        self.frame = _fitting(people, table, tuple(dict.fromkeys([*ordered, *known])))
        self.wanted = tuple(ordered) if columns is not None and len(ordered) == len(columns) else None
        self.kinds = Partition.by_equality(table, self.public)
        self.row = np.empty(self.kinds.number, np.int64)
        """A row of each kind: people with the same public values."""
        # Any row of a kind will do: all have the same public values.
        self.row[self.kinds.group] = np.arange(table.rows)

    def rows(self, rows: Int64s, cells: Mapping[str, Any] | None = None) -> Any:
        """Return some rows, in which some columns are replaced by other cells."""
        if isinstance(self.frame, pl.DataFrame):
            found = self.frame[rows]
            return found.with_columns(**(cells or {}))
        made = self.frame.iloc[rows].reset_index(drop=True)
        return made.assign(**{name: series.reset_index(drop=True) for name, series in (cells or {}).items()})

    def wanted_rows(self, rows: Int64s, cells: Mapping[str, Any] | None = None) -> Any:
        """Return some rows with the columns that the model wants, in its order."""
        found = self.rows(rows, cells)
        return found if self.wanted is None else found[list(self.wanted)]

    @cached_property
    def cells(self) -> dict[str, Cells]:
        """What the cells of each private attribute may be, as far as they are words or known numbers."""
        return {name: self.cells_of(name, ()) for name in self.private}

    def ends(self, name: str) -> tuple[float, float]:
        """Return the lowest and the highest number that an attribute may have."""
        domain = self.table[name].domain
        if domain is None or domain.low is None or domain.high is None:
            return -LARGEST_NUMBER, LARGEST_NUMBER
        return domain.low, domain.high

    def cells_of(self, name: str, numbers: Sequence[float]) -> Cells:
        """Return what the cells of a private attribute may be, with some more numbers if it is a number."""
        column = self.table[name]
        example = np.full(column.size, -1, np.int64)
        example[column.codes] = np.arange(self.table.rows)
        code = np.flatnonzero(example >= 0)
        more, is_finite = list[Any](numbers), not column.is_measured
        if is_finite and column.domain is not None and column.domain.values is not None:
            known = {column.label(int(one)) for one in code}
            more = [value for value in column.domain.values if value not in known]
            more = _like_its_cells(self.frame[name], more)
        series = _followed_by(self.frame[name], example[code], more)
        return Cells(column, series, np.append(code, np.full(len(more), -1)), is_finite)


def taken(series: Any, places: Int64s) -> Any:
    """Return some cells of a series, of pandas or polars."""
    return series[places] if isinstance(series, pl.Series) else series.iloc[places]


def _fitting(people: Any, table: Table, names: Sequence[str]) -> Any:
    """Return the people as pandas if they are, otherwise as polars, with numbers as numbers."""
    if type(people).__module__.partition(".")[0] == "pandas":
        return people.rename(columns=lambda name: name.strip()).reset_index(drop=True)[list(names)]
    from kspan.frames.files import load

    frame = load(people).select(names)
    # Cells of text files are text, and a function wants numbers.
    numeric = [name for name in names if frame[name].dtype == pl.String and table[name].is_measured]
    return frame.with_columns(_as_numbers(table[name]) for name in numeric)


def _as_numbers(column: Column) -> pl.Series:
    numbers = np.full(column.size, np.nan)
    numbers[: len(column.values)] = column.values
    return pl.Series(column.name, numbers[column.codes])


def _like_its_cells(series: Any, words: list[str]) -> list[Any]:
    """Return declared values as the type of the column: numbers and truth values are declared as text."""
    kinds = {type(cell) for cell in series.head(1_000).to_list() if cell is not None and cell == cell}
    if kinds and kinds <= {bool, np.bool_}:
        return [word.lower() in ("true", "1", "yes") for word in words]
    if kinds and all(issubclass(kind, int | float | np.number) for kind in kinds):
        numbers = [number(word) for word in words]
        return [int(one) if one.is_integer() else one for one in numbers if one is not None]
    return list(words)


def _followed_by(series: Any, rows: Int64s, more: list[Any]) -> Any:
    """Return some cells of a series, and others after them, of a type that takes both."""
    if isinstance(series, pl.Series):
        first = series[rows]
        if not more:
            return first
        after = pl.Series(series.name, more)
        if first.dtype.is_numeric() or first.dtype == pl.String:
            return pl.concat([first.cast(after.dtype), after]) if first.dtype != after.dtype else first.append(after)
        return pl.concat([first.cast(pl.String), after])
    import pandas as pd

    first = series.iloc[rows].reset_index(drop=True)
    if not more:
        return first
    if isinstance(series.dtype, pd.CategoricalDtype):
        known = dict.fromkeys([*series.cat.categories, *more])
        kind = pd.CategoricalDtype(list(known), ordered=series.cat.ordered)
        return pd.Series(pd.Categorical([*first, *more], dtype=kind))
    return pd.concat([first, pd.Series(more)], ignore_index=True)
