"""Tables that DuckDB reads from where they are: folders of Parquet files, and tables of its own files.

It keeps a limit of memory, and writes what does not fit to a folder that nobody else can read, and that is removed.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw
import polars as pl

from kspan.engines.lazy import LazyRows, with_clean_names
from kspan.engines.rows import BATCH, arrived, told
from kspan.engines.scratch import Scratch
from kspan.frames.databases.duckdb_file import table_in
from kspan.frames.databases.names import quoted
from kspan.frames.databases.stored import numbers
from kspan.frames.extras import library
from kspan.frames.parts import parts_of, schema_of
from kspan.frames.source import Source

WHAT = "to be read by DuckDB"
SHARE = 0.5
"""So much of the memory is DuckDB's; the rest is for what it gives."""
NO_EXTENSIONS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@dataclass(frozen=True, repr=False)
class DuckdbRows(LazyRows):
    """Rows that DuckDB reads. Texts are asked for as bytes, so that no collation takes two for one."""

    engine: ClassVar[str] = "duckdb"
    texts: tuple[str, ...]
    """Columns of text, which arrive as bytes."""
    database: Any = None
    """The database, if it was opened for this."""
    scratch: Scratch | None = None
    """Where DuckDB writes what does not fit into memory."""
    memory: int | None = None
    """How much memory may be used."""
    schema: pl.Schema | None = None
    """The types that columns have where files are read into memory."""
    decimals: tuple[str, ...] = ()
    """Columns of numbers that arrive as text."""

    def close(self) -> None:
        """Close the database if it was opened for this."""
        if self.database is not None:
            self.database.close()
        if self.scratch is not None:
            self.scratch.remove()

    def _collected(self, asked: "nw.LazyFrame[Any]") -> pl.DataFrame:
        reader = asked.to_native().to_arrow_reader(BATCH)
        found = arrived(reader, reader.schema.empty_table(), None if self.memory is None else self.memory * (1 - SHARE))
        found = found.with_columns(found[name].cast(pl.String) for name in self.texts if name in found.columns)
        plain = {name: kind for name, kind in (self.schema or {}).items() if name in found.columns}
        return found.with_columns(
            *(found[name].cast(kind) for name, kind in plain.items() if found[name].dtype != kind),
            *(numbers(found[name]) for name in self.decimals if name in found.columns),
        )


def rows_of_parts(path: Path, memory: int) -> DuckdbRows:
    """Open all parts of a table in Parquet files, or one file; they must have the same columns."""
    parts, in_folders = parts_of(path)
    schema = schema_of(path, parts, in_folders=in_folders)
    scratch = Scratch()
    database = library("duckdb", path, WHAT).connect(config={**NO_EXTENSIONS, **_limits(memory, scratch)})
    with told(DuckdbRows.engine):
        relation = database.read_parquet([str(part) for part in parts], hive_partitioning=in_folders)
        return DuckdbRows(*_by_bytes(relation), database, scratch, memory, schema)


def rows_of_table(source: Source, path: Path, memory: int) -> DuckdbRows:
    """Open a table of a file of DuckDB."""
    scratch = Scratch()
    found = table_in(source, path, _limits(memory, scratch))
    with told(DuckdbRows.engine):
        return DuckdbRows(*_by_bytes(found.relation), found.database, scratch, memory, decimals=found.decimals)


def rows_of_relation(relation: Any) -> DuckdbRows:
    """Take a relation as it is; its database has limits of its own."""
    with told(DuckdbRows.engine):
        return DuckdbRows(*_by_bytes(relation))


def _by_bytes(relation: Any) -> tuple["nw.LazyFrame[Any]", tuple[str, ...]]:
    """Return a relation in which texts are bytes, and which columns these are."""
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    texts = [name for name, kind in kinds.items() if kind == "VARCHAR"]
    asked = ", ".join(f"encode({quoted(name)}) as {quoted(name)}" if name in texts else quoted(name) for name in kinds)
    frame = with_clean_names(nw.from_native(relation.project(asked)))
    return frame, tuple(name.strip() for name in texts)


def _limits(memory: int, scratch: Scratch) -> dict[str, str]:
    """Return what keeps DuckDB within its memory."""
    return {
        "memory_limit": f"{int(memory * SHARE)}B",
        "temp_directory": str(scratch.path),
        "preserve_insertion_order": "false",
    }
