"""Coded columns: from here on there are integers only."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Codes, Floats, Int64s
from kspan.data.cells import SUPPRESSED, Between, number_text, write_cell
from kspan.data.domain import Domain
from kspan.data.hierarchy import Hierarchy, level_codes
from kspan.data.kinds.kind import Kind
from kspan.errors import DataError

if TYPE_CHECKING:
    from kspan.data.having import Having

MISSING_LABEL = "(missing)"


@dataclass(frozen=True, repr=False)
class Ends:
    """Where the ranges of numbers may end that stand for the codes of a column."""

    low: NDArray[Any]
    high: NDArray[Any]
    without_low: Bools
    without_high: Bools

    def between(self, first: int, last: int) -> Between:
        """The range from one code to another."""
        flags = bool(self.without_low[first]), bool(self.without_high[last])
        return Between(self.low[first : first + 1].tolist()[0], self.high[last : last + 1].tolist()[0], *flags)


@dataclass(frozen=True, repr=False)
class Column:
    """One attribute as codes of the smallest unsigned type.

    Codes count through `values` in order (numbers by size, so that a code is a rank). After them comes the suppressed
    cell, if the column has any, and last the missing one.
    """

    name: str
    kind: Kind
    codes: Codes
    values: NDArray[Any]
    has_suppressed: bool = False
    has_missing: bool = False
    domain: Domain | None = None
    """As declared by the owner; None when it was inferred from the data."""
    hierarchy: Hierarchy | None = None
    ends: Ends | None = None
    """What each code stands for, if that is a range of numbers; `values` then has one number of each."""

    def __repr__(self) -> str:
        return f"Column({self.name!r}, {self.kind.family}, {len(self.codes)} rows, {self.size} codes)"

    @property
    def is_measured(self) -> bool:
        """Are its values exact numbers, so that codes are ranks? Cells of ranges are words, whatever the kind is."""
        return self.values.dtype != object

    def check_measured_for_all(self) -> None:
        """Refuse a column in which some rows have no exact number, missing and suppressed cells among them."""
        if not self.is_measured or self.size > len(self.values):
            raise DataError(f"column {self.name!r} must hold a number for everybody: fill it, or leave people out")

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.values) + self.has_suppressed + self.has_missing

    @property
    def suppressed(self) -> int | None:
        """The code of a suppressed cell."""
        return len(self.values) if self.has_suppressed else None

    @property
    def missing(self) -> int | None:
        """The code of a missing value."""
        return self.size - 1 if self.has_missing else None

    def label(self, code: int) -> str:
        """What a cell with this code shows."""
        if code == self.missing:
            return MISSING_LABEL
        if code == self.suppressed:
            return SUPPRESSED
        if self.ends is not None:
            return self.run(code, code)
        value = self.values[code]
        return value if isinstance(value, str) else number_text(value)

    def run(self, first: int, last: int) -> str:
        """What a cell shows that stands for all numbers from one code to another."""
        if self.ends is not None:
            return write_cell(self.ends.between(first, last))
        return write_cell(Between(self.values[first].item(), self.values[last].item()))

    def spelled(self, code: int) -> str:
        """What a cell with this code shows to people: dates and times as such."""
        label = self.label(code)
        return label if code >= len(self.values) else self.kind.show(label)

    @cached_property
    def numbers(self) -> Floats | None:
        """The number of each code, not a number for a suppressed or missing cell; None if cells are no numbers."""
        if not self.is_measured or self.ends is not None:
            return None
        return np.append(self.values.astype(np.float64), np.full(self.size - len(self.values), np.nan))

    @cached_property
    def having(self) -> "Having":
        """Finds the codes that show a value."""
        from kspan.data.having import Having  # it reads cells, and whoever reads cells knows columns

        return Having(self)

    @cached_property
    def levels(self) -> tuple[Int64s, ...]:
        """The hierarchy as one array per level above the values: the code of the name that each code has there.

        A missing or suppressed cell is a branch of its own, which joins the others at the root.
        """
        if self.hierarchy is None:
            return ()
        labels = [self.label(code) for code in range(len(self.values))]
        apart = [None] * (self.size - len(labels))
        return level_codes(self.hierarchy, [*labels, *apart], join_at_root=True)


@dataclass(frozen=True, repr=False)
class Table:
    """Coded columns of one length, and how many people each row stands for (None: one each).

    Where people have several rows, `persons` has the number of the person of each row; None if everybody has one.
    """

    columns: Mapping[str, Column]
    rows: int
    weights: Int64s | None = None
    persons: Int64s | None = None

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else f" for {self.people} people"
        return f"Table({self.rows} rows{weighted} x {len(self.columns)} columns)"

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @property
    def people(self) -> int:
        """How many people the rows stand for."""
        if self.persons is not None:
            return len(np.unique(self.persons))
        return self.rows if self.weights is None else int(self.weights.sum())

    def at(self, rows: Int64s) -> "Table":
        """The table of some of the rows."""
        columns = {name: replace(column, codes=column.codes[rows]) for name, column in self.columns.items()}
        weights, persons = (None if each is None else each[rows] for each in (self.weights, self.persons))
        return Table(columns, len(rows), weights, persons)
