"""Which commits are entered in a ledger: all that folders of drafts need to know of one, read without its key.

A folder of drafts may name any file as its ledger. So only a plain file counts that belongs to us and that nobody else
can open; it is opened for reading. The one thing that may change it is what SQLite does for everybody who opens a
database that was left in the middle of a commit: that commit is rolled back. It is done only for files that say in
their header that they are ledgers.
"""

import hashlib
import json
import os
import sqlite3
import stat
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

APPLICATION = 0x6B73704C
"""What a ledger says in the header of its file: "kspL"."""
COMMITS = "commits"
"""The name under which the table `about` keeps the commits."""
PATIENCE = 60.0
"""Seconds to wait for a command that is committing."""
KEY = ".key"
"""What the name of a key has after that of its ledger."""
DIGEST = 32


@dataclass(frozen=True)
class Commits:
    """The name that a ledger has for itself, and the tokens of all commits that are entered in it."""

    ledger: str
    tokens: frozenset[str]

    def to_bytes(self) -> bytes:
        """As they are kept: with a checksum, since SQLite does not notice a flipped bit."""
        said = json.dumps({"ledger": self.ledger, "tokens": sorted(self.tokens)}).encode()
        return hashlib.sha256(said).digest() + said

    @classmethod
    def of(cls, content: bytes) -> "Commits":
        """Read them back, or raise a ValueError if they were changed."""
        digest, said = content[:DIGEST], content[DIGEST:]
        if hashlib.sha256(said).digest() != digest:
            raise ValueError
        read = json.loads(said)
        return cls(read["ledger"], frozenset(read["tokens"]))


def is_entered(places: Iterable[Path], ledger: str, token: str) -> bool | None:
    """Is a commit entered in a ledger that is at one of some places? None if that cannot be told."""
    for place in places:
        commits = _commits(place)
        if commits is not None and commits.ledger == ledger:
            return token in commits.tokens
    return None


def address(path: Path, options: str) -> str:
    """The address of a file for SQLite."""
    return f"file:{quote(os.fsencode(path))}?{options}"


def _commits(path: Path) -> Commits | None:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or not is_private(status):
            return None
        try:
            return _read(path, "mode=ro")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK or not _is_ledger(path):
                return None
            # Its last commit was cut short, and must be rolled back before anybody can read it.
            return _read(path, "mode=rw")
    except (OSError, sqlite3.Error, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def is_private(status: os.stat_result) -> bool:
    """Does a file or folder belong to us, and can nobody else open it?"""
    return hasattr(os, "geteuid") and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _is_ledger(path: Path) -> bool:
    """Look into the header alone, past locks and journals; opening the file without SQLite would end its locks."""
    with closing(sqlite3.connect(address(path, "mode=ro&immutable=1"), uri=True)) as database:
        return bool(database.execute("pragma application_id").fetchone()[0] == APPLICATION)


def _read(path: Path, options: str) -> Commits | None:
    with closing(sqlite3.connect(address(path, options), uri=True, timeout=PATIENCE, isolation_level=None)) as database:
        database.execute("pragma trusted_schema = off")
        database.execute("begin")
        if database.execute("pragma application_id").fetchone()[0] != APPLICATION:
            return None
        found = database.execute("select content from about where name = ?", (COMMITS,)).fetchone()
        return None if found is None else Commits.of(found[0])
