"""Tables in files of SQLite, which Python itself reads; cells may be of any kind, whatever their column says."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from kspan.errors import FileError, KspanError, listed
from kspan.frames.databases.names import draft_name, inner, quoted, table_name
from kspan.frames.databases.stored import Stored, holdable
from kspan.frames.entered import APPLICATION as LEDGER
from kspan.frames.source import Source

PATIENCE = 60.0
"""Seconds to wait for somebody else who writes."""
BATCH = 50_000
HEADER = 100
RELEASES = "kspan_releases"
"""The table that keeps the manifests of released tables, since SQLite has no comments."""
KINDS = {int: pl.Int64, float: pl.Float64, str: pl.String}
DECLARED: dict[Any, str] = {pl.Int64: "integer", pl.Float64: "real", pl.Boolean: "integer"}


def read(source: Source, path: Path) -> Stored:
    """Read a table, a view or a query in one transaction, with the manifest that is kept with the table."""
    with _told(source, "read"), _connected(path, writing=False) as database:
        _check_whole(path)
        database.execute("begin")
        if source.sql is not None:
            return Stored(_rows(database, f"select * from {inner(source.sql)}", source))
        table = _table(database, source)
        return Stored(_rows(database, f"select * from {quoted(table)}", source), _manifest(database, table))


def manifest_of(source: Source, path: Path) -> str | None:
    """The manifest that is kept with a table, without its rows."""
    with _told(source, "read"), _connected(path, writing=False) as database:
        return _manifest(database, _table(database, source))


def _check_whole(path: Path) -> None:
    """Refuse a file that was cut: SQLite reads what is missing as empty cells."""
    with path.open("rb") as file:
        header, size = file.read(HEADER), path.stat().st_size
    page = int.from_bytes(header[16:18], "big")
    page = 65_536 if page == 1 else page
    pages, is_plain = int.from_bytes(header[28:32], "big"), header[18:20] == b"\1\1" and header[24:28] == header[92:96]
    if page == 0 or size % page or (is_plain and size < page * pages):
        raise EOFError


class SqliteDraft:
    """A table that is written under a name of its own, in a transaction that is open until it is committed."""

    def __init__(self, target: Source, path: Path, frame: pl.DataFrame) -> None:
        self.target, self._path, self._draft, self._is_new = target, path, draft_name(), not path.exists()
        self._table = table_name(str(target.part))[1]
        self._database: sqlite3.Connection | None = None
        try:
            with _told(target, "write"):
                self._database = _opened(path, writing=True)
                # What is dropped shall not stay in the file.
                self._database.execute("pragma secure_delete = on")
                self._database.execute("begin immediate")
                self._fill(holdable(frame))
        except BaseException:
            self.abandon()
            raise

    def _fill(self, frame: pl.DataFrame) -> None:
        assert self._database is not None
        kinds = ", ".join(f"{quoted(name)} {DECLARED.get(kind, 'text')}" for name, kind in frame.schema.items())
        self._database.execute(f"create table {quoted(self._draft)} ({kinds})")
        cells = frame.with_columns(
            pl.col(name).cast(pl.Int64 if kind == pl.Boolean else pl.String)
            for name, kind in frame.schema.items()
            if kind not in (pl.Int64, pl.Float64, pl.String)
        )
        marks = ", ".join("?" * frame.width)
        self._database.executemany(f"insert into {quoted(self._draft)} values ({marks})", cells.iter_rows())

    def written(self) -> pl.DataFrame:
        """Return the rows as a reader will get them."""
        assert self._database is not None
        with _told(self.target, "write"):
            return _rows(self._database, f"select * from {quoted(self._draft)}", self.target)

    def commit(self, manifest: str) -> None:
        """Put the table in the place of the old one."""
        assert self._database is not None
        with _told(self.target, "write"):
            kinds = dict(_named(self._database))
            if kinds.get(self._table, "table") != "table":
                raise FileError(f"cannot write {self.target}: it is a view, name another one")
            self._database.execute(f"drop table if exists {quoted(self._table)}")
            self._database.execute(f"alter table {quoted(self._draft)} rename to {quoted(self._table)}")
            self._database.execute(
                f"create table if not exists {RELEASES} (name text primary key, manifest text not null)"
            )
            self._database.execute(f"insert or replace into {RELEASES} values (?, ?)", (self._table, manifest))
            self._database.execute("commit")
        self._is_new = False
        self.abandon()

    def abandon(self) -> None:
        """Leave everything as it was."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
        if self._is_new:
            with suppress(OSError):
                self._path.unlink()


@contextmanager
def _connected(path: Path, *, writing: bool) -> Iterator[sqlite3.Connection]:
    with closing(_opened(path, writing=writing)) as database:
        yield database


def _opened(path: Path, *, writing: bool) -> sqlite3.Connection:
    mode = "rwc" if writing else "ro"
    address = f"file:{quote(str(path.resolve()))}?mode={mode}"
    database = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
    if database.execute("pragma application_id").fetchone()[0] == LEDGER:
        database.close()
        raise FileError(f"{path} is a ledger of releases, and no place for tables: see kspan ledger")
    return database


@contextmanager
def _told(source: Source, doing: str) -> Iterator[None]:
    """Turn what SQLite says into one sentence, since it may quote cells."""
    try:
        yield
    except (KspanError, MemoryError):
        raise
    except sqlite3.OperationalError as error:
        said, why = str(error), "the file cannot be opened, or the query does not fit it: check names and rights"
        if "locked" in said or "busy" in said:
            why = "somebody else is writing to the file: wait until it is done"
        elif "readonly" in said:
            why = "the file may only be read: ask for the right to write it"
        elif "no such table" in said:
            why = "the query names a table that is not there: check the name"
        elif "full" in said:
            why = "the disk is full: make room"
        raise FileError(f"cannot {doing} {source}: {why}") from None
    except Exception:
        raise FileError(f"{source} is an SQLite database that is damaged: fetch it again") from None


def _named(database: sqlite3.Connection) -> list[tuple[str, str]]:
    """All tables and views, but for those of SQLite and ours, with what they are."""
    found = database.execute("select name, type from sqlite_master where type in ('table', 'view') order by name")
    return [(name, kind) for name, kind in found if not name.startswith("sqlite_") and name != RELEASES]


def _table(database: sqlite3.Connection, source: Source) -> str:
    names = [name for name, _ in _named(database)]
    if source.part is None:
        if len(names) == 1:
            return names[0]
        there = f"has the tables {listed(names)}: name one of them" if names else "has no tables: fill one"
        raise FileError(f"{source} {there}{f', for example {source}?table={names[0]}' if names else ''}")
    wanted = table_name(source.part)[1]
    found = next((name for name in names if name.casefold() == wanted.casefold()), None)
    if found is None:
        raise FileError(f"{source.path} has no table {wanted!r}: it has {listed(names) or 'none'}")
    return found


def _manifest(database: sqlite3.Connection, table: str) -> str | None:
    if not database.execute("select 1 from sqlite_master where name = ?", (RELEASES,)).fetchone():
        return None
    found = database.execute(f"select manifest from {RELEASES} where name = ?", (table,)).fetchone()
    return found[0] if found is not None and isinstance(found[0], str) else None


def _rows(database: sqlite3.Connection, query: str, source: Source) -> pl.DataFrame:
    """All rows of a query, batch by batch; a column of several kinds becomes text."""
    found = database.execute(query)
    names = [one[0] for one in found.description]
    if len(set(names)) < len(names):
        raise FileError(f"{source} gives two columns the same name: name one of them with AS")
    pieces: list[list[pl.Series]] = [[] for _ in names]
    while rows := found.fetchmany(BATCH):
        for at, cells in enumerate(zip(*rows, strict=True)):
            pieces[at].append(_piece(names[at], cells, source))
    return pl.DataFrame([_joined(name, parts) for name, parts in zip(names, pieces, strict=True)])


def _piece(name: str, cells: Sequence[Any], source: Source) -> pl.Series:
    kinds = {type(cell) for cell in cells} - {type(None)}
    if bytes in kinds:
        raise FileError(f"column {name!r} of {source} holds bytes, and no text or numbers: leave it out with --sql")
    if len(kinds) < 2:
        return pl.Series(name, cells, dtype=KINDS[kinds.pop()] if kinds else pl.Null)
    if kinds == {int, float}:
        return pl.Series(name, [None if cell is None else float(cell) for cell in cells], dtype=pl.Float64)
    return pl.Series(name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String)


def _joined(name: str, parts: list[pl.Series]) -> pl.Series:
    kinds = {part.dtype for part in parts} - {pl.Null}
    if not kinds:
        return pl.Series(name, [None] * sum(map(len, parts)), dtype=pl.Null)
    kind = kinds.pop() if len(kinds) == 1 else pl.Float64 if kinds == {pl.Int64, pl.Float64} else pl.String
    return pl.concat([part.cast(kind) for part in parts]).alias(name)
