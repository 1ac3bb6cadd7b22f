"""One transaction of a ledger: what is entered and forgotten in it, and how that is committed together with files."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.errors import LedgerError
from kspan.frames.drafts import LedgerOf
from kspan.ledger import people as persons
from kspan.ledger.book import without_old_drafts
from kspan.ledger.entry import Entry, Record, Release, now
from kspan.ledger.payload import Kept, Payload, packed_array, packed_document
from kspan.ledger.shelf import Shelf

MOST_IN_PIECE = 10_000_000
"""People whose hashes are kept in one piece, since SQLite has a limit."""


class Writing:
    """What is to be entered; it is what `write_files` takes as `entering`."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._before = self.book = shelf.book()
        self._entered: list[int] = []
        self.is_open, self.is_held, self._closes = True, False, False

    @property
    def ledger(self) -> LedgerOf:
        """The ledger that is written to."""
        return LedgerOf(self._shelf.path, self.book.name)

    def enter(self, release: Release, payload: Payload) -> Entry:
        """Enter a release, with what is kept of it for the owner alone."""
        self._check_open()
        release.check()
        content, size = packed_document(payload.document)
        document = self._kept(content, size)
        arrays = {}
        for name, array in payload.arrays.items():
            content, size = packed_array(name, array)
            arrays[name] = self._kept(content, size, array.dtype.newbyteorder("<").str, array.shape)
        number = self.book.next_number
        entry = Entry(**asdict(release), number=number, at=now())
        records = {**self.book.records, number: Record(entry, "", document, arrays)}
        self.book = replace(self.book, next_number=number + 1, records=records)
        self._entered.append(number)
        return entry

    def people(self, ids: pl.Series) -> Int64s:
        """The number of each identifier; those who are new get the next numbers, in the order in which they come."""
        self._check_open()
        words = persons.plain(ids)
        distinct = words.unique(maintain_order=True)
        hashed, known = persons.hashes(distinct, self._shelf.key), self._shelf.known(self.book)
        numbers = persons.found(hashed, known)
        new = numbers == persons.UNKNOWN
        if new.any():
            numbers = np.where(new, len(known) + np.cumsum(new) - 1, numbers)
            newcomers = hashed[new]
            for first in range(0, len(newcomers), MOST_IN_PIECE):
                kept = self._kept_people(newcomers[first : first + MOST_IN_PIECE])
                self.book = replace(self.book, people=(*self.book.people, kept))
        return persons.spread(numbers, distinct, words)

    def forget_release(self, number: int) -> None:
        """Forget the payload of an entry; the entry itself stays, and says so."""
        self._check_open()
        record = self.book.records.get(number)
        if record is None:
            raise LedgerError(f"the ledger {self._shelf.path} has no entry {number!r:.20}: use the number of an entry")
        if record.entry.forgotten is None:
            self._change(number, lambda one: replace(one, document=None, arrays={}), forgotten=now())

    def forget_person(self, identifier: str | int) -> bool:
        """Put another hash in the place of a person's, that only serves to keep them out; was the person known?"""
        self._check_open()
        name = persons.plain(pl.Series([identifier]))
        hashed = persons.hashes(name, self._shelf.key)
        for at, rows in enumerate(self._shelf.people(self.book)):
            row = int(persons.found(hashed, rows)[0])
            if row != persons.UNKNOWN:
                changed = rows.copy()
                changed[row] = persons.hashes(name, self._shelf.key, persons.FORGOTTEN)
                every = [*self.book.people]
                every[at] = self._kept_people(changed)
                self.book = replace(self.book, people=tuple(every), forgotten=self.book.forgotten + 1)
                return True
        return False

    def hold(self) -> None:
        """Stay open after the end of `Store.writing`, since files wait for the end of `together`."""
        self._check_open()
        self.is_held = True

    def commit(self, token: str, drafts: Sequence[Path], *, unsure: bool = False) -> None:
        """Make everything count at one moment, under a token that the folders of drafts know."""
        self._check_open()
        for number in self._entered:
            self._change(number, lambda one: replace(one, token=token), unsure=unsure)
        folders = without_old_drafts(self.book.drafts)
        if drafts:
            folders[token] = [str(one) for one in drafts]
        tokens = self.book.tokens | {token} if self._entered or drafts else self.book.tokens
        self.is_open = False
        self._shelf.commit(replace(self.book, tokens=tokens, drafts=folders), self._before)

    def finish(self) -> None:
        """Commit what no file was written for; if there is nothing to commit, nothing changes."""
        if not self.is_open:
            return
        if self.book is self._before:
            self.abandon()
        else:
            self.commit(secrets.token_hex(16), [])

    def confirm(self) -> None:
        """Say that what was committed elsewhere after the entries is there."""
        self._afterwards(self._with_entered_sure)

    def withdraw(self) -> None:
        """Take the entries back. Their people stay known: others may have been entered meanwhile with their numbers."""
        self._afterwards(self._without_entered)

    def close_at_end(self) -> None:
        """Close the ledger when this is committed or abandoned."""
        self._closes = True

    def abandon(self) -> None:
        """Enter nothing; after a commit, only let go of the ledger."""
        if self.is_open:
            self.is_open = False
            self._shelf.roll_back()
        if self._closes:
            self._shelf.close()

    def _afterwards(self, change: Callable[[], None]) -> None:
        """Change what was committed in a transaction of its own."""
        self._shelf.begin()
        try:
            self._before = self.book = self._shelf.book()
            change()
        except BaseException:
            self._shelf.roll_back()
            raise
        self._shelf.commit(self.book, self._before)

    def _with_entered_sure(self) -> None:
        for number in self._entered:
            self._change(number, lambda one: one, unsure=False)

    def _without_entered(self) -> None:
        tokens = {self.book.records[number].token for number in self._entered if number in self.book.records}
        self.book = replace(
            self.book,
            records={number: one for number, one in self.book.records.items() if number not in self._entered},
            tokens=self.book.tokens - tokens,
            drafts={token: folders for token, folders in self.book.drafts.items() if token not in tokens},
        )

    def _change(self, number: int, change: Callable[[Record], Record], **facts: object) -> None:
        record = change(self.book.records[number])
        record = replace(record, entry=replace(record.entry, **facts))  # type: ignore[arg-type]
        self.book = replace(self.book, records={**self.book.records, number: record})

    def _kept(self, content: bytes, size: int, kind: str = "", shape: tuple[int, ...] = ()) -> Kept:
        piece = self.book.next_piece
        self.book = replace(self.book, next_piece=piece + 1)
        return Kept(piece, self._shelf.keep(piece, content), size, kind, shape)

    def _kept_people(self, hashed: persons.Hashes) -> Kept:
        content = persons.to_bytes(hashed)
        return self._kept(content, len(content))

    def _check_open(self) -> None:
        if not self.is_open:
            raise LedgerError(f"this transaction of the ledger {self._shelf.path} is over: begin another one")
