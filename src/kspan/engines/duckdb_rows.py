"""Tables that DuckDB reads from where they are: folders of Parquet files, and tables of its own files.

It keeps a limit of memory, and writes what does not fit to a folder that nobody else can read, and that is removed.
"""

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import narwhals as nw
import polars as pl

from kspan.engines.lazy import LazyRows, asked_by
from kspan.engines.memory import for_counting, for_kinds
from kspan.engines.rows import BATCH, Unread, arrived, told
from kspan.engines.scratch import Scratch
from kspan.errors import DataError
from kspan.frames.databases.duckdb_file import table_in
from kspan.frames.databases.names import quoted
from kspan.frames.databases.stored import numbers
from kspan.frames.extras import library
from kspan.frames.native import clean_names
from kspan.frames.parts import parts_of, schema_of
from kspan.frames.source import Source

WHAT = "to be read by DuckDB"
SAME: dict[Any, tuple[str, ...]] = {
    pl.String: ("VARCHAR",),
    pl.Categorical: ("VARCHAR",),
    pl.Enum: ("VARCHAR",),
    pl.Boolean: ("BOOLEAN",),
    pl.Date: ("DATE",),
    pl.Int8: ("TINYINT",),
    pl.Int16: ("SMALLINT",),
    pl.Int32: ("INTEGER",),
    pl.Int64: ("BIGINT",),
    pl.UInt8: ("UTINYINT",),
    pl.UInt16: ("USMALLINT",),
    pl.UInt32: ("UINTEGER",),
    pl.UInt64: ("UBIGINT",),
    pl.Float32: ("FLOAT",),
    pl.Float64: ("DOUBLE",),
}
"""What DuckDB calls the types of polars. A moment of INT96 is none: DuckDB cuts its nanoseconds off."""
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

    def _arrived(self, asked: "nw.LazyFrame[Any]") -> pl.DataFrame:
        reader = asked.to_native().to_arrow_reader(BATCH)
        return arrived(reader, reader.schema.empty_table(), for_kinds(self.memory))

    def _collected(self, asked: "nw.LazyFrame[Any]", times: str = "") -> pl.DataFrame:
        found = super()._collected(asked, times)
        found = found.with_columns(found[name].cast(pl.String) for name in self.texts if name in found.columns)
        plain = {name: kind for name, kind in (self.schema or {}).items() if name in found.columns}
        return found.with_columns(
            *(found[name].cast(kind) for name, kind in plain.items() if found[name].dtype != kind),
            *(numbers(found[name]) for name in self.decimals if name in found.columns),
        )


def rows_of_parts(path: Path, memory: int) -> DuckdbRows:
    """Open all parts of a table in Parquet files, or one file; they must have the same columns.

    Refused is what DuckDB might read otherwise than it is read into memory.
    """
    parts, in_folders = parts_of(path)
    schema = schema_of(path, parts, in_folders=in_folders)
    if in_folders:
        raise Unread(f"{path} has folders whose names are values")
    scratch = Scratch()
    database = library("duckdb", path, WHAT).connect(config={**NO_EXTENSIONS, **_limits(memory, scratch)})
    try:
        with told(DuckdbRows.engine):
            relation = database.read_parquet([glob.escape(str(part)) for part in parts], hive_partitioning=False)
            kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
            strange = next((name for name, kind in schema.items() if not _is_same(kind, kinds.get(name, ""))), None)
            if strange is not None:
                raise Unread(f"column {strange!r} of {path} holds {schema[strange]}")
            plain = pl.Schema(zip(clean_names(schema.names()), schema.dtypes(), strict=True))
            return DuckdbRows(*_by_bytes(relation), database, scratch, memory, plain)
    except BaseException:
        database.close()
        scratch.remove()
        raise


def _is_same(kind: pl.DataType, said: str) -> bool:
    """Does DuckDB tell the values of a type apart exactly as polars does? So it is for those that are known here."""
    if isinstance(kind, pl.Datetime):
        units = {"ns": ("TIMESTAMP_NS",), "us": ("TIMESTAMP",), "ms": ("TIMESTAMP_MS", "TIMESTAMP")}
        # With a time zone it knows microseconds alone.
        zoned = said == "TIMESTAMP WITH TIME ZONE" and kind.time_unit != "ns"
        return zoned if kind.time_zone else said in units[kind.time_unit]
    if isinstance(kind, pl.Decimal):
        return said == f"DECIMAL({kind.precision},{kind.scale})"
    return said in SAME.get(kind.base_type(), ())


def rows_of_table(source: Source, path: Path, memory: int) -> DuckdbRows:
    """Open a table of a file of DuckDB."""
    scratch = Scratch()
    found = table_in(source, path, _limits(memory, scratch))
    with told(DuckdbRows.engine):
        return DuckdbRows(*_by_bytes(found.relation), found.database, scratch, memory, decimals=found.decimals)


def rows_of_relation(relation: Any) -> DuckdbRows:
    """Take a relation as it is; its database has limits of its own."""
    for name, kind in zip(relation.columns, map(str, relation.types), strict=True):
        if kind == "INTERVAL":
            raise DataError(f"column {name!r} holds intervals: turn them into text or numbers first")
    with told(DuckdbRows.engine):
        return DuckdbRows(*_by_bytes(relation))


def _by_bytes(relation: Any) -> tuple["nw.LazyFrame[Any]", dict[str, str], tuple[str, ...]]:
    """Return a relation in which texts are bytes, by which name each column is asked for, and which ones are texts."""
    columns, kinds = asked_by(relation.columns), list(map(str, relation.types))
    every = list(zip(relation.columns, columns.items(), kinds, strict=True))
    asked = ", ".join(
        f"{f'encode({quoted(own)})' if kind == 'VARCHAR' else quoted(own)} as {asked}"
        for own, (_, asked), kind in every
    )
    texts = tuple(name for _, (name, _), kind in every if kind == "VARCHAR")
    return nw.from_native(relation.project(asked)), columns, texts


def _limits(memory: int, scratch: Scratch) -> dict[str, str]:
    """Return what keeps DuckDB within its memory."""
    return {
        "memory_limit": f"{for_counting(memory)}B",
        "temp_directory": str(scratch.path),
        "preserve_insertion_order": "false",
    }
