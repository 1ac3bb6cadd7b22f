"""The file of a ledger as SQLite sees it: how it is made, opened and checked, and what its refusals mean.

It has a rollback journal, and not a write-ahead log, so that between commands the ledger is one file, which can be
copied. A commit is on the disk, with the name of its journal gone, before anything that rests on it is done.
"""

import hmac
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kspan.errors import KspanError, LedgerError
from kspan.frames.entered import APPLICATION, COMMITS, Commits, address
from kspan.ledger.book import CHECK, check_value
from kspan.ledger.place import key_path

VERSION = 1
PAGE = 16384
PATIENCE = 60.0
"""Seconds to wait for somebody else who is committing, or who reads while we are."""
SCHEMA = {
    "about": "CREATE TABLE about (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID",
    "entries": "CREATE TABLE entries (number INTEGER PRIMARY KEY, content BLOB NOT NULL)",
    "pieces": "CREATE TABLE pieces (number INTEGER PRIMARY KEY, content BLOB NOT NULL)",
}
SETTINGS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA synchronous = EXTRA",  # the end of a journal is what commits, and must be on the disk as well
    "PRAGMA cache_spill = OFF",  # what is spilled before the commit would lock readers out
    "PRAGMA secure_delete = ON",  # what is forgotten is overwritten
    "PRAGMA temp_store = MEMORY",
)
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
PLAIN = 0xFF
"""The part of a code of SQLite that says what happened; the rest says where."""


def made(about: dict[str, bytes]) -> bytes:
    """The bytes of a new ledger."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        database.execute(f"PRAGMA page_size = {PAGE}")
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        for statement in SCHEMA.values():
            database.execute(statement)
        database.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        return database.serialize()
    finally:
        database.close()


def opened(path: Path, key: bytes) -> sqlite3.Connection:
    """Open a ledger, and refuse what is none, is of another version, is damaged, or has another key."""
    with told(path):
        database = sqlite3.connect(address(path, "mode=rw"), uri=True, timeout=PATIENCE, isolation_level=None)
        try:
            for setting in SETTINGS:
                database.execute(setting)
            with _at_one_moment(database):
                _check(path, database)
                _check_key(path, database, key)
        except BaseException:
            database.close()
            raise
    return database


@contextmanager
def _at_one_moment(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN")
    try:
        yield
    finally:
        if database.in_transaction:
            database.execute("ROLLBACK")


def _check(path: Path, database: sqlite3.Connection) -> None:
    if _one(database, "PRAGMA application_id") != APPLICATION:
        raise _no_ledger(path)
    version = _one(database, "PRAGMA user_version")
    if isinstance(version, int) and version > VERSION:
        raise LedgerError(f"the ledger {path} was made by a newer kspan: install that one")
    schema = database.execute("SELECT name, sql FROM sqlite_schema").fetchall()
    is_known = version == VERSION and dict(schema) == SCHEMA and len(schema) == len(SCHEMA)
    # Another journal would leave committed entries beside the file.
    is_one_file = is_known and _one(database, "PRAGMA journal_mode") == "delete"
    if not is_one_file or _one(database, "PRAGMA quick_check(1)") != "ok":
        raise damaged(path)


def _check_key(path: Path, database: sqlite3.Connection, key: bytes) -> None:
    about = dict(database.execute("SELECT name, content FROM about"))
    name = Commits.of(about[COMMITS]).ledger
    if not hmac.compare_digest(check_value(key, name), about[CHECK]):
        raise LedgerError(f"the key {key_path(path)} is not that of the ledger {path}: put the right one back")


def _one(database: sqlite3.Connection, query: str) -> object:
    found = database.execute(query).fetchone()
    return None if found is None else found[0]


def damaged(path: Path) -> LedgerError:
    """Say that a ledger is not as it was written."""
    return LedgerError(f"the ledger {path} is damaged: put a whole copy of it back")


def _no_ledger(path: Path) -> LedgerError:
    return LedgerError(f"{path} is not a ledger, or its beginning is damaged: check its name, or put a copy back")


def busy(path: Path) -> LedgerError:
    """Say that somebody else writes."""
    return LedgerError(f"another command is writing to the ledger {path}: wait until it is done")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what SQLite says, and what cannot be read, into one sentence."""
    try:
        yield
    except (KspanError, MemoryError, sqlite3.ProgrammingError):
        raise
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & PLAIN
        if code in BUSY:
            raise busy(path) from None
        if code == sqlite3.SQLITE_NOTADB:
            raise _no_ledger(path) from None
        why = {
            sqlite3.SQLITE_READONLY: "it may only be read: ask for the right to write it and its folder",
            sqlite3.SQLITE_FULL: "the disk is full: make room",
            sqlite3.SQLITE_IOERR: "the disk does not read or write as it should: see whether it is full or damaged",
            sqlite3.SQLITE_CANTOPEN: "it cannot be opened: ask for the right to write it and its folder",
            sqlite3.SQLITE_PERM: "it cannot be opened: ask for the right to write it and its folder",
        }.get(code)
        raise damaged(path) if why is None else LedgerError(f"cannot use the ledger {path}, {why}") from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise damaged(path) from None
