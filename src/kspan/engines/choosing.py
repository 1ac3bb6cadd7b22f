"""Which engine reads a table: as it was asked for, or by its size and kind."""

import hashlib
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, get_args

from kspan.engines import duckdb_rows, postgres_rows
from kspan.engines.memory import of_machine
from kspan.engines.rows import Rows
from kspan.errors import FileError, PolicyError, did_you_mean
from kspan.frames.commit import settled
from kspan.frames.databases import duckdb_file, postgres
from kspan.frames.databases.door import POSTGRES, is_duckdb, manifest_of
from kspan.frames.parts import is_parquet, is_several, parts_of, rows_in, schema_of
from kspan.frames.places import STDIN
from kspan.frames.seal import seal_of
from kspan.frames.source import Source

Engine = Literal["auto", "memory", "duckdb", "postgres"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
READ: dict[str, str] = {
    "duckdb": "Parquet files and tables of DuckDB",
    "postgres": "tables of PostgreSQL (postgresql://...)",
}
"""What each engine reads."""
LIBRARIES = {"duckdb": "duckdb", "postgres": "adbc_driver_postgresql"}
"""What each engine takes."""

CELL = 30
"""Bytes that a cell of a table takes while it is audited in memory, about."""
USUAL = 0.5
"""So much of the machine's memory is used unless it is said how much may be."""


def engine_named(word: str) -> Engine:
    """Return the engine of that name; refuse a word that names none."""
    for each in ENGINES:
        if word == each:
            return each
    raise PolicyError(f"there is no engine {word[:40]!r}{did_you_mean(word[:40], ENGINES)}: use {', '.join(ENGINES)}")


def opened(source: Source, engine: Engine, memory: int | None, needs_rows: str | None = None) -> Rows | None:
    """Open a table by an engine; None if it is to be read into memory.

    `needs_rows` says what needs all rows in memory, if anything does. `auto` takes the engine that can read the
    table where it is, if that is larger than the memory that may be used.
    """
    if engine == "memory":
        return None
    may = int(of_machine() * USUAL) if memory is None else memory
    fitting = _engine_of(source)
    needs = needs_rows or (None if fitting is None else _needs_rows(source))
    if engine != "auto":
        if fitting is None and _is_absent(source):
            return None  # whoever reads it says so
        if fitting != engine:
            raise FileError(f"--engine {engine} reads {READ[engine]}, and {source} is neither")
        if needs is not None:
            raise PolicyError(f"{needs} needs all rows in memory: leave --engine {engine} out")
        return _by(engine, source, may)
    if needs is not None or fitting is None or find_spec(LIBRARIES[fitting]) is None:
        return None
    try:
        return _by(fitting, source, may) if _size(source) > may else None
    except FileError:
        # It may still be read into memory, which says why if it cannot.
        return None


def said(rows: Rows, source: Source) -> str:
    """Say which engine reads a table."""
    return f"{rows.engine} counts the rows of {source.name}"


def _engine_of(source: Source) -> str | None:
    """Return the engine that reads a table where it is; None if there is none."""
    if source.path is None:
        return "postgres" if source.kind == POSTGRES else None
    return "duckdb" if is_duckdb(source) or _is_parquet(source, source.path) else None


def _is_absent(source: Source) -> bool:
    return source.path is not None and source.path != STDIN and not source.path.exists()


def _is_parquet(source: Source, path: Path) -> bool:
    return source.part is None and source.sql is None and (is_several(path) or is_parquet(path))


def _by(engine: str, source: Source, memory: int) -> Rows:
    if engine == "postgres":
        return postgres_rows.rows_of_table(source, memory)
    assert source.path is not None
    if is_duckdb(source):
        return duckdb_rows.rows_of_table(source, source.path, memory)
    _check_seal(source.path)
    return duckdb_rows.rows_of_parts(source.path, memory)


def _size(source: Source) -> float:
    """How many bytes a table takes in memory, about."""
    if source.path is None:
        with closing(postgres.table_in(source)) as table:
            return float(table.rows * len(table.columns) * CELL)
    if is_duckdb(source):
        with closing(duckdb_file.table_in(source, source.path, {})) as found:
            return float(found.rows * len(found.relation.columns) * CELL)
    parts, in_folders = parts_of(source.path)
    return float(rows_in(source.path, parts) * len(schema_of(source.path, parts, in_folders=in_folders)) * CELL)


def _needs_rows(source: Source) -> str | None:
    """Say what of a table itself needs its rows: the checksum that a manifest has of those of a database."""
    in_database = source.path is None or is_duckdb(source)
    if in_database and source.sql is None and manifest_of(source) is not None:
        return "the checksum of a released table"
    return None


def _check_seal(path: Path) -> None:
    """Refuse a file that was changed since its manifest was written; it is read piece by piece for that."""
    if not path.is_file():
        return
    with settled(path):
        seal = seal_of(path)
        if seal is not None:
            with path.open("rb") as file:
                seal.check_digest(hashlib.file_digest(file, "sha256").hexdigest(), path)
