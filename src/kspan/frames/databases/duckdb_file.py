"""Tables in files of DuckDB; a file can neither read other files nor fetch anything."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from kspan.errors import FileError, KspanError, listed
from kspan.frames.databases.names import draft_name, in_sql, inner, literal, quoted, table_name
from kspan.frames.databases.stored import Stored, holdable, numbers
from kspan.frames.extras import library
from kspan.frames.source import Source

WHAT = "a DuckDB database"
CLOSED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""A view in a file could read other files, or load code from somewhere."""
AS_THEY_ARE = {
    "VARCHAR", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TINYINT", "SMALLINT", "INTEGER",
    "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE",
}  # fmt: skip
"""Types that arrive as they are; all others are asked for as text."""
DECIMAL = ("DECIMAL", "HUGEINT", "UHUGEINT", "UBIGINT")
MAIN = "main"


def read(source: Source, path: Path) -> Stored:
    """Read a table, a view or a query in one transaction, with the manifest that is the comment of the table."""
    with _connected(source, path) as database, _told(source, "read"):
        database.begin()
        if source.sql is not None:
            return Stored(_rows(database, inner(source.sql), source))
        schema, table = _table(database, source)
        return Stored(_rows(database, in_sql(schema, table), source), _manifest(database, schema, table))


@dataclass(frozen=True)
class InFile:
    """A table of a file of DuckDB, whose rows are still there."""

    relation: Any
    decimals: tuple[str, ...]
    """Columns of numbers that arrive as text."""
    database: Any
    """The open database: without it the relation could not be asked."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.relation.aggregate("count(*)").fetchall()[0][0])

    def close(self) -> None:
        """Let the file go."""
        self.database.close()


def table_in(source: Source, path: Path, limits: Mapping[str, str]) -> InFile:
    """Open a table, a view or a query, without reading its rows; `limits` are settings of DuckDB."""
    with _told(source, "read"):
        database = library("duckdb", source, WHAT).connect(str(path), read_only=True, config={**CLOSED, **limits})
        asked = inner(source.sql) if source.sql is not None else in_sql(*_table(database, source))
        return InFile(*_relation(database, asked, source), database)


def manifest_of(source: Source, path: Path) -> str | None:
    """The manifest that is kept with a table, without its rows."""
    with _connected(source, path) as database, _told(source, "read"):
        return _manifest(database, *_table(database, source))


class DuckdbDraft:
    """A table that is written under a name of its own, in a transaction that is open until it is committed."""

    def __init__(self, target: Source, path: Path, frame: pl.DataFrame) -> None:
        self.target, self._path, self._draft, self._is_new = target, path, draft_name(), not path.exists()
        schema, self._table = table_name(str(target.part))
        self._schema = schema or MAIN
        self._database: Any = None
        try:
            with _told(target, "write"):
                self._database = library("duckdb", target, WHAT).connect(str(path), config=CLOSED)
                self._database.begin()
                self._database.register("given", holdable(frame).to_arrow())
                self._database.execute(f"create table {self._in_sql} as select * from given")
        except BaseException:
            self.abandon()
            raise

    @property
    def _in_sql(self) -> str:
        return in_sql(self._schema, self._draft)

    def written(self) -> pl.DataFrame:
        """Return the rows as a reader will get them."""
        with _told(self.target, "write"):
            return _rows(self._database, self._in_sql, self.target)

    def commit(self, manifest: str) -> None:
        """Put the table in the place of the old one."""
        with _told(self.target, "write"):
            # In the schema of the target, names are compared without capitals.
            views = [name for schema, name, kind in _named(self._database) if schema == self._schema and kind == "view"]
            if self._table.casefold() in (name.casefold() for name in views):
                raise FileError(f"cannot write {self.target}: it is a view, name another one")
            self._database.execute(f"comment on table {self._in_sql} is {literal(manifest)}")
            self._database.execute(f"drop table if exists {in_sql(self._schema, self._table)}")
            self._database.execute(f"alter table {self._in_sql} rename to {quoted(self._table)}")
            self._database.commit()
        self._is_new = False
        self.abandon()

    def abandon(self) -> None:
        """Leave everything as it was."""
        if self._database is not None:
            with suppress(Exception):
                self._database.close()
        if self._is_new:
            for path in (self._path, Path(f"{self._path}.wal")):
                with suppress(OSError):
                    path.unlink()


@contextmanager
def _connected(source: Source, path: Path) -> Iterator[Any]:
    with _told(source, "read"):
        opened = library("duckdb", source, WHAT).connect(str(path), read_only=True, config=CLOSED)
    with closing(opened):
        yield opened


@contextmanager
def _told(source: Source, doing: str) -> Iterator[None]:
    """Turn what DuckDB says into one sentence, since it may quote cells."""
    try:
        yield
    except (KspanError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        why = "the query does not fit the database, or asks for what is not allowed: check it"
        if source.sql is None or type(error).__name__ in ("Error", "IOException", "FatalException"):
            why = "the file is damaged, of another version, or in use by a writer: try again, or fetch it"
        raise FileError(f"cannot {doing} {source}: {why}") from None


def _named(database: Any) -> list[tuple[str, str, str]]:
    """All tables and views that people made: their schema, name, and what they are."""
    return list(
        database.execute(
            "select schema_name, table_name, 'table' from duckdb_tables() where not internal "
            "union all select schema_name, view_name, 'view' from duckdb_views() where not internal order by 1, 2"
        ).fetchall()
    )


def _table(database: Any, source: Source) -> tuple[str, str]:
    there = [(schema, name) for schema, name, _ in _named(database)]
    names = [name if schema == MAIN else f"{schema}.{name}" for schema, name in there]
    if source.part is None:
        if len(there) == 1:
            return there[0]
        raise FileError(f"{source} has the tables {listed(names) or 'none'}: name one, as in '{source}?table=NAME'")
    schema, table = table_name(source.part)
    wanted = ((schema or MAIN).casefold(), table.casefold())
    found = next((one for one in there if (one[0].casefold(), one[1].casefold()) == wanted), None)
    if found is None:
        raise FileError(f"{source.path} has no table {source.part!r}: it has {listed(names) or 'none'}")
    return found


def _manifest(database: Any, schema: str, table: str) -> str | None:
    found = database.execute(
        "select comment from duckdb_tables() where schema_name = ? and table_name = ?", [schema, table]
    ).fetchone()
    return found[0] if found is not None and isinstance(found[0], str) else None


def _rows(database: Any, asked: str, source: Source) -> pl.DataFrame:
    """All rows of a table or query."""
    relation, decimals = _relation(database, asked, source)
    frame = pl.DataFrame(relation)
    return frame.with_columns(numbers(frame[name]) for name in decimals)


def _relation(database: Any, asked: str, source: Source) -> tuple[Any, tuple[str, ...]]:
    """A table or query in which columns of kinds that are no plain cells are text, and those that hold numbers."""
    top = database.sql(f"select * from {asked} limit 0")
    names = list(top.columns)
    if len({name.casefold() for name in names}) < len(names):
        raise FileError(f"{source} gives two columns the same name: name one of them with AS")
    kinds = {name: str(kind) for name, kind in zip(names, top.types, strict=True)}
    columns = ", ".join(
        quoted(name) if kind in AS_THEY_ARE else f"{quoted(name)}::varchar as {quoted(name)}"
        for name, kind in kinds.items()
    )
    decimals = tuple(name for name, kind in kinds.items() if kind.startswith(DECIMAL))
    return database.sql(f"select {columns} from {asked}"), decimals
