"""The one door to databases: which library reads and writes the table that a source names."""

from pathlib import Path

import polars as pl

from kspan.errors import FileError
from kspan.frames.databases import adbc, duckdb_file, postgres, sqlite_file
from kspan.frames.databases.stored import Draft, Stored
from kspan.frames.places import check_place
from kspan.frames.source import Source

POSTGRES = "postgresql"
BEGINNING = 16
ENDINGS = {".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".duckdb": "duckdb"}
"""What a new file of a database is, by its name."""


def is_stored(source: Source) -> bool:
    """Is it a table of a database, by its address or by the first bytes of its file?"""
    return source.is_server or source.is_database or _kind_of_file(source.path) is not None


def is_duckdb(source: Source) -> bool:
    """Is it a table in a file of DuckDB?"""
    return source.path is not None and _kind_of_file(source.path) == "duckdb"


def is_target(source: Source) -> bool:
    """Is it a place in a database that a table can be written to?"""
    if is_stored(source):
        return True
    return source.part is not None and source.path is not None and source.path.suffix.lower() in ENDINGS


def read_stored(source: Source) -> Stored:
    """Read a table of a database, and the manifest that is kept with it."""
    if source.path is not None:
        read = {"sqlite": sqlite_file.read, "duckdb": duckdb_file.read}[_checked_kind(source)]
        return read(source, source.path)
    return postgres.read(source) if source.kind == POSTGRES else adbc.read(source)


def manifest_of(source: Source) -> str | None:
    """The manifest that is kept with a table of a database; None for a query."""
    if source.sql is not None:
        return None
    if source.path is not None:
        kept = {"sqlite": sqlite_file.manifest_of, "duckdb": duckdb_file.manifest_of}[_checked_kind(source)]
        return kept(source, source.path)
    return postgres.manifest_of(source) if source.kind == POSTGRES else None


def check_target(target: Source, *sources: Source) -> None:
    """Refuse a place where no table can be written, or that one of the sources is read from."""
    if target.path is None:
        if target.kind != POSTGRES:
            raise FileError(f"cannot write {target}: tables are written to PostgreSQL, SQLite and DuckDB")
        postgres.check_target(target, tuple(source for source in sources if source.is_server))
        return
    if target.part is None:
        raise FileError(f"cannot write {target}: name the table, for example '{target}?table=released'")
    check_place(target.path)
    _kind_of_target(target)
    for source in sources:
        # A query of the same file may read any table of it.
        if source.path is not None and source.path.resolve() == target.path.resolve() and source.sql is not None:
            raise FileError(f"cannot write {target}: --sql reads the same file, write to another one")
        if _is_same(source, target):
            raise FileError(f"cannot write {target}: this very command reads that table, name another one")


def draft_of(target: Source, frame: pl.DataFrame) -> Draft:
    """Write a table in a transaction that stays open until the draft is committed or abandoned."""
    if target.path is None:
        return postgres.PostgresDraft(target, frame)
    if _kind_of_target(target) == "sqlite":
        return sqlite_file.SqliteDraft(target, target.path, frame)
    return duckdb_file.DuckdbDraft(target, target.path, frame)


def _is_same(source: Source, target: Source) -> bool:
    if source.path is None or target.path is None or source.path.resolve() != target.path.resolve():
        return False
    # Without a name, the only table of a file is read.
    return source.part is None or source.part.casefold() == str(target.part).casefold()


def _kind_of_target(target: Source) -> str:
    assert target.path is not None
    if target.path.exists():
        return _checked_kind(target)
    kind = target.kind or ENDINGS.get(target.path.suffix.lower())
    if kind is None:
        raise FileError(f"cannot write {target}: end a new database in {', '.join(ENDINGS)}")
    return kind


def _checked_kind(source: Source) -> str:
    assert source.path is not None
    kind = _kind_of_file(source.path)
    if kind is None:
        if not source.path.exists():
            raise FileError(f"cannot read {source}: there is no such file")
        raise FileError(f"{source.path} is neither an SQLite nor a DuckDB database: check its name")
    return kind


def _kind_of_file(path: Path | None) -> str | None:
    """What kind of database a file is, by its first bytes; None for any other file."""
    try:
        if path is None or not path.is_file():
            return None
        with path.open("rb") as file:
            beginning = file.read(BEGINNING)
    except (OSError, ValueError):
        return None
    if beginning == b"SQLite format 3\0":
        return "sqlite"
    return "duckdb" if beginning[8:12] == b"DUCK" else None
