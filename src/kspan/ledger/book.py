"""All that a ledger holds but for its large pieces, sealed as a whole: whatever was changed by others is noticed."""

import hashlib
import hmac
import json
import os
import sqlite3
from dataclasses import dataclass, field

from kspan.frames.entered import COMMITS, Commits
from kspan.ledger.entry import Record
from kspan.ledger.payload import Kept

STATE, SEAL, CHECK = "state", "seal", "check"
"""The names, beside the commits, of what the table `about` keeps."""


@dataclass(frozen=True)
class Book:
    """What is entered, who is known, and what is still to be put into place."""

    name: str
    """The name that the ledger has for itself, by which folders of drafts know it."""
    next_number: int = 1
    next_piece: int = 1
    tokens: frozenset[str] = frozenset()
    """The tokens of all commits, also of old ones: a folder of drafts may be found years later."""
    drafts: dict[str, list[str]] = field(default_factory=dict)
    """By the token of a commit: its folders of drafts, as long as these may be there."""
    people: tuple[Kept, ...] = ()
    """The hashes of people, in the order of their numbers; the size of each piece is its number of bytes."""
    records: dict[int, Record] = field(default_factory=dict)
    forgotten: int = 0
    """How many people were forgotten."""

    def about(self, key: bytes) -> dict[str, bytes]:
        """What the table `about` keeps of it."""
        commits = Commits(self.name, self.tokens).to_bytes()
        state = json.dumps(
            {
                "next_number": self.next_number,
                "next_piece": self.next_piece,
                "drafts": self.drafts,
                "people": [kept.to_list() for kept in self.people],
                "forgotten": self.forgotten,
            }
        ).encode()
        records = {number: record.to_bytes() for number, record in self.records.items()}
        return {COMMITS: commits, STATE: state, SEAL: _seal(key, commits, state, records)}


def read_book(database: sqlite3.Connection, key: bytes) -> Book:
    """Read it back; whatever is wrong with it raises a ValueError, a TypeError or a KeyError."""
    about = dict(database.execute("SELECT name, content FROM about"))
    records = dict(database.execute("SELECT number, content FROM entries ORDER BY number"))
    if not hmac.compare_digest(_seal(key, about[COMMITS], about[STATE], records), about[SEAL]):
        raise ValueError
    commits, state = Commits.of(about[COMMITS]), json.loads(about[STATE])
    return Book(
        commits.ledger,
        state["next_number"],
        state["next_piece"],
        commits.tokens,
        state["drafts"],
        tuple(Kept.of(kept) for kept in state["people"]),
        {number: Record.of(content) for number, content in records.items()},
        state["forgotten"],
    )


def write_book(database: sqlite3.Connection, key: bytes, book: Book, before: Book) -> None:
    """Write what is different from before."""
    database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", book.about(key).items())
    gone = before.records.keys() - book.records.keys()
    database.executemany("DELETE FROM entries WHERE number = ?", [(number,) for number in gone])
    changed = {number: one for number, one in book.records.items() if before.records.get(number) != one}
    rows = [(number, record.to_bytes()) for number, record in changed.items()]
    database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?)", rows)
    unused = _pieces(before) - _pieces(book)
    database.executemany("DELETE FROM pieces WHERE number = ?", [(piece,) for piece in unused])


def without_old_drafts(drafts: dict[str, list[str]]) -> dict[str, list[str]]:
    """The folders of drafts that are still there: what is not in its folder any more is in its place."""
    return {token: folders for token, folders in drafts.items() if any(map(os.path.lexists, folders))}


def check_value(key: bytes, name: str) -> bytes:
    """What tells whether a key is that of a ledger, without telling the key."""
    return hashlib.blake2b(name.encode(), key=key, person=b"kspan check").digest()


def piece_digest(key: bytes, piece: int, content: bytes) -> str:
    """The keyed checksum of a large piece, which also says which one it is."""
    keyed = hashlib.blake2b(piece.to_bytes(8, "little"), key=key, person=b"kspan piece", digest_size=32)
    keyed.update(content)
    return keyed.hexdigest()


def _pieces(book: Book) -> set[int]:
    return {kept.piece for kept in book.people} | {piece for one in book.records.values() for piece in one.pieces}


def _seal(key: bytes, commits: bytes, state: bytes, records: dict[int, bytes]) -> bytes:
    """A keyed checksum over everything but the large pieces, whose own checksums are in it."""
    keyed = hashlib.blake2b(key=key, person=b"kspan book")
    for part in (commits, state, *(b"%d:" % number + content for number, content in records.items())):
        keyed.update(len(part).to_bytes(8, "little"))
        keyed.update(part)
    return keyed.digest()
