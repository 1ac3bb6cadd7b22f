"""Rows divided into groups, and what each group shows of its public attributes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Int64s
from kspan.data.groups import group_rows
from kspan.data.table import Column, Table

WITHHELD = -1
"""The group of a row that is left out of the release."""


@dataclass(frozen=True, repr=False)
class Shown:
    """What each group shows of one public attribute, as a code of a column."""

    code: Int64s
    column: Column

    def label(self, group: int) -> str:
        """The cell that a group shows."""
        return self.column.spelled(int(self.code[group]))


@dataclass(frozen=True, repr=False)
class Partition:
    """The group of every row (or `WITHHELD`), and what each group shows of each public attribute; no group is empty."""

    group: Int64s
    number: int
    shown: Mapping[str, Shown]

    @classmethod
    def by_equality(cls, table: Table, public: Iterable[str]) -> "Partition":
        """Group the rows of a table that show the same public cells; groups are in lexicographic order of codes."""
        columns = [table[name] for name in public]
        group, number = group_rows(columns, table.rows)
        example = np.empty(number, np.int64)
        # The last row of each group wins; any would do, since all of them show the same.
        example[group] = np.arange(table.rows)
        return cls(
            group, number, {column.name: Shown(column.codes[example].astype(np.int64), column) for column in columns}
        )

    def __len__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        return f"Partition({len(self.group)} rows in {self.number} groups, {self.withheld} rows withheld)"

    @property
    def withheld(self) -> int:
        """How many rows are left out."""
        return int((self.group == WITHHELD).sum())

    def cells(self, group: int) -> dict[str, str]:
        """The cells that one group shows, by attribute."""
        return {name: shown.label(group) for name, shown in self.shown.items()}
