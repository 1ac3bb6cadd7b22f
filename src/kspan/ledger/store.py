"""A ledger of releases: what is entered in it, who is known, and the transaction in which a release is entered."""

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import polars as pl

from kspan.data.arrays import Bools, Int64s
from kspan.errors import LedgerError
from kspan.frames.commit import File, settle, write_files
from kspan.frames.locks import Held
from kspan.ledger import people as persons
from kspan.ledger.book import CHECK, Book, check_value
from kspan.ledger.database import made, opened
from kspan.ledger.entry import Entry
from kspan.ledger.payload import Payload, unpacked_array, unpacked_document
from kspan.ledger.place import KEY_SIZE, check_private, key_path, read_key, resolved
from kspan.ledger.shelf import Shelf
from kspan.ledger.writing import Writing


class Store:
    """An open ledger; `Store.create` makes one, and `Store.open` opens one that is there."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._writing: Writing | None = None

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> "Store":
        """Make a new ledger and its key, both or none, and open it; nothing may be in their places."""
        place = resolved(path)
        key, book = secrets.token_bytes(KEY_SIZE), Book(secrets.token_hex(16))
        content = made({**book.about(key), CHECK: check_value(key, book.name)})
        new = {place: content, key_path(place): key}
        write_files({one: File(what, owner_only=True, is_new=True) for one, what in new.items()})
        return cls.open(place)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Store":
        """Open a ledger, and put into place what was entered in it when a command was killed; repair nothing else."""
        place = resolved(path)
        check_private(place, "ledger", "check its name, or make a new one")
        key = read_key(place)
        store = cls(Shelf(place, key, opened(place, key)))
        try:
            with store._reading() as book:
                folders = {Path(one).parent for every in book.drafts.values() for one in every}
            for folder in sorted(folders):
                with suppress(OSError, Held):  # who holds a folder is at work there, and completes it
                    settle(folder)
        except BaseException:
            store.close()
            raise
        return store

    @property
    def path(self) -> Path:
        """Where the ledger is."""
        return self._shelf.path

    def close(self) -> None:
        """Close the file; what is not committed is abandoned, unless it waits for the end of `together`."""
        if self._writing is not None and self._writing.is_open:
            if self._writing.is_held:
                self._writing.close_at_end()
                return
            self._writing.abandon()
        self._shelf.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def entries(self) -> list[Entry]:
        """Everything that is entered, in the order of entry."""
        with self._reading() as book:
            return [record.entry for record in book.records.values()]

    def payload(self, number: int) -> Payload:
        """What is kept with an entry."""
        with self._reading() as book:
            record = book.records.get(number)
            if record is None:
                raise LedgerError(f"the ledger {self.path} has no entry {number!r:.20}: use the number of an entry")
            if record.document is None:
                raise LedgerError(f"the payload of entry {number} of {self.path} was forgotten: use another entry")
            piece = self._shelf.piece
            document = unpacked_document(piece(record.document.piece, record.document.digest), record.document.size)
            arrays = {
                name: unpacked_array(piece(kept.piece, kept.digest), kept) for name, kept in record.arrays.items()
            }
            return Payload(document, arrays)

    def people(self, ids: pl.Series) -> Int64s:
        """The number of each identifier, text or whole numbers; -1 if the ledger has never seen it."""
        words = persons.plain(ids)
        distinct = words.unique(maintain_order=True)
        with self._reading() as book:
            known = self._shelf.known(book)
        numbers = persons.found(persons.hashes(distinct, self._shelf.key), known)
        return persons.spread(numbers, distinct, words)

    @property
    def known_people(self) -> int:
        """How many people have numbers."""
        with self._reading() as book:
            return sum(kept.size for kept in book.people) // persons.HASH

    def forgotten(self, ids: pl.Series) -> Bools:
        """Which identifiers are of people who were forgotten."""
        words = persons.plain(ids)
        with self._reading() as book:
            known = self._shelf.known(book) if book.forgotten else persons.of_bytes(b"")
        if not len(known):
            return np.zeros(len(words), bool)
        out: Bools = persons.found(persons.hashes(words, self._shelf.key, persons.FORGOTTEN), known) != persons.UNKNOWN
        return out

    @contextmanager
    def writing(self, waiting: Callable[[float], None] | None = None) -> Iterator[Writing]:
        """Keep others from writing, while they still read what was there before; `waiting` hears how long we wait.

        What is entered inside is committed by `write_files(..., entering=...)`, else at the end; if that call waits for
        the end of `together`, so does the transaction. After an exception nothing is entered.
        """
        if self._writing is not None and self._writing.is_open:  # inside another one, whose end commits
            yield self._writing
            return
        self._shelf.begin(waiting)
        try:
            writing = self._writing = Writing(self._shelf)
            yield writing
            if not writing.is_held:
                writing.finish()
        except BaseException:
            if self._writing is not None:
                self._writing.abandon()
            self._shelf.roll_back()
            raise

    def forget_release(self, number: int) -> None:
        """Forget what people could be seen as in a release; that it was released stays known."""
        with self.writing() as writing:
            writing.forget_release(number)

    def forget_person(self, identifier: str | int) -> bool:
        """Forget who a person is, though every crowd stays as large, and keep them out; was the person known?"""
        with self.writing() as writing:
            return writing.forget_person(identifier)

    @contextmanager
    def _reading(self) -> Iterator[Book]:
        """The book, with what is entered in our own transaction if there is one."""
        if self._writing is not None and self._writing.is_open:
            yield self._writing.book
            return
        with self._shelf.reading() as book:
            yield book
