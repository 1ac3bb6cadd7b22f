"""Rows in groups, and what each group shows of its public attributes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Int64s
from kspan.data.groups import group_rows
from kspan.data.table import Column, Table

WITHHELD = -1


@dataclass(frozen=True, repr=False)
class Shown:
    """What each group shows of one public attribute: a code of a column of cells."""

    code: Int64s
    column: Column

    def label(self, group: int) -> str:
        """The cell of a group."""
        return self.column.label(int(self.code[group]))


@dataclass(frozen=True, repr=False)
class Partition:
    """The group of every row (or `WITHHELD`), and per public attribute what each group shows; groups are not empty."""

    group: Int64s
    number: int
    shown: Mapping[str, Shown]

    @classmethod
    def by_equality(cls, table: Table, public: Iterable[str]) -> "Partition":
        """The groups of a table as it stands: rows that show the same public cells, in lexicographic order of codes."""
        columns = [table[name] for name in public]
        group, number = group_rows(columns, table.rows)
        example = np.empty(number, np.int64)
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
        """Rows that are left out."""
        return int((self.group == WITHHELD).sum())

    def cells(self, group: int) -> dict[str, str]:
        """What one group shows."""
        return {name: shown.label(group) for name, shown in self.shown.items()}
