"""Tables of PostgreSQL: the server counts the rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from kspan.engines.memory import for_kinds
from kspan.engines.rows import Rows, arrived
from kspan.frames.databases import postgres
from kspan.frames.native import clean_names
from kspan.frames.source import Source


@dataclass(frozen=True, repr=False)
class PostgresRows(Rows):
    """A table, a view or a query, asked in one transaction that sees no later change."""

    engine: ClassVar[str] = "postgres"
    table: postgres.InServer
    memory: int | None = None

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return clean_names(self.table.columns)

    def counted(self, names: Sequence[str], times: str) -> pl.DataFrame:
        """Return the different rows by some columns, and how many rows are alike."""
        memory, own = for_kinds(self.memory), self._own(names)
        found = self.table.counted(own, times, lambda batches, empty: arrived(batches, empty, memory))
        return found.rename(dict(zip(own, names, strict=True)))

    def whole(self) -> pl.DataFrame:
        """Bring all rows into memory."""
        found = self.table.whole()
        return found.rename(dict(zip(found.columns, self.names, strict=True)))

    def close(self) -> None:
        """End the transaction: as long as it lasts, nobody can replace the table."""
        self.table.close()

    def _own(self, names: Sequence[str]) -> list[str]:
        """The names that columns have in the server, with the blanks around them."""
        known = dict(zip(self.names, self.table.columns, strict=True))
        return [known[name] for name in names]


def rows_of_table(source: Source, memory: int) -> PostgresRows:
    """Open a table of a server."""
    return PostgresRows(postgres.table_in(source), memory)
