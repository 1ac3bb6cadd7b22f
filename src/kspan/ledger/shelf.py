"""The open file of a ledger with its key: pieces in and out, and transactions."""

import hmac
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from kspan.ledger import people as persons
from kspan.ledger.book import Book, piece_digest, read_book, write_book
from kspan.ledger.database import BUSY, PATIENCE, PLAIN, busy, told

LONGEST_WAIT = 300.0
"""Seconds to wait for another command that is writing; it may be judging a large release."""
PAUSE = 0.02


class Shelf:
    """Where the book of a ledger and its pieces are kept."""

    def __init__(self, path: Path, key: bytes, database: sqlite3.Connection) -> None:
        self.path, self.key, self._database = path, key, database

    def book(self) -> Book:
        """The book, as it is in this transaction."""
        with told(self.path):
            return read_book(self._database, self.key)

    def piece(self, number: int, digest: str) -> bytes:
        """A piece, exactly as it was kept; a ValueError if it was changed."""
        found = self._database.execute("SELECT content FROM pieces WHERE number = ?", (number,)).fetchone()
        content = b"" if found is None else found[0]
        if not hmac.compare_digest(piece_digest(self.key, number, content), digest):
            raise ValueError
        return bytes(content)

    def keep(self, number: int, content: bytes) -> str:
        """Keep a piece in this transaction, and give its checksum."""
        with told(self.path):
            self._database.execute("INSERT INTO pieces VALUES (?, ?)", (number, content))
        return piece_digest(self.key, number, content)

    def people(self, book: Book) -> list[persons.Hashes]:
        """The hashes of people piece by piece."""
        with told(self.path):
            return [persons.of_bytes(self.piece(kept.piece, kept.digest)) for kept in book.people]

    def known(self, book: Book) -> persons.Hashes:
        """The hashes of all people, in the order of their numbers."""
        return np.concatenate([persons.of_bytes(b""), *self.people(book)])

    @contextmanager
    def reading(self) -> Iterator[Book]:
        """Read the book and its pieces as they were at one moment."""
        with told(self.path):
            self._database.execute("BEGIN")
            try:
                yield self.book()
            finally:
                self.roll_back()

    def begin(self, waiting: Callable[[float], None] | None = None) -> None:
        """Take the right to write, which ends with the transaction or with the process."""
        began = time.monotonic()
        with told(self.path):
            self._be_patient(0)
            try:
                while not self._has_begun():
                    waited = time.monotonic() - began
                    if waited >= LONGEST_WAIT:
                        raise busy(self.path)
                    if waiting is not None:
                        waiting(waited)
                    time.sleep(PAUSE)
            finally:
                self._be_patient(PATIENCE)

    def _has_begun(self) -> bool:
        try:
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & PLAIN not in BUSY:
                raise
            return False
        return True

    def _be_patient(self, seconds: float) -> None:
        self._database.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def commit(self, book: Book, before: Book) -> None:
        """Write what is different in the book, and end the transaction; if that fails, nothing is changed."""
        try:
            with told(self.path):
                write_book(self._database, self.key, book, before)
                self._database.execute("COMMIT")
        except BaseException:
            self.roll_back()
            raise

    def roll_back(self) -> None:
        """End the transaction without a change; harmless if there is none."""
        with suppress(sqlite3.Error):
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._database.close()
