"""What a ledger says of a release, and how that is kept."""

import json
import re
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

from kspan.errors import LedgerError
from kspan.ledger.payload import Kept

FINGERPRINT = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Release:
    """What is said of a release when it is entered."""

    kind: str
    """What it is: "table", "tree" and so on."""
    name: str
    """Its file or address, without a password."""
    fingerprint: str
    """The SHA-256 of what was written."""
    recipient: str | None
    """Who got it; None if everybody may see it."""
    requirement: str
    people: int
    rows: int
    method: str
    matched_by: str = ""
    """The column that says who its people are."""
    policy: str = field(repr=False)

    def check(self) -> None:
        """Refuse what no release can say of itself."""
        words = {"kind": self.kind, "name": self.name, "requirement": self.requirement, "method": self.method}
        for what, word in {**words, "policy": self.policy}.items():
            if not isinstance(word, str):
                raise LedgerError(f"the {what} of a release must be text: give it as text")
        if not (self.recipient is None or isinstance(self.recipient, str)):
            raise LedgerError("the recipient of a release must be text: leave it out if everybody may see the release")
        if not isinstance(self.fingerprint, str) or not FINGERPRINT.fullmatch(self.fingerprint):
            raise LedgerError("the fingerprint of a release must be a SHA-256: give its 64 characters in small letters")
        for what, number in (("people", self.people), ("rows", self.rows)):
            if type(number) is not int or number < 0:
                raise LedgerError(f"the {what} of a release must be a whole number: give how many there are")


@dataclass(frozen=True, kw_only=True)
class Entry(Release):
    """A release as it is entered in a ledger."""

    number: int
    """1, 2, ...: no two entries ever have the same."""
    at: str
    """When it was entered: UTC, in ISO 8601, to the second."""
    unsure: bool = False
    """Was it to be written to a database, and nobody knows whether it was? It counts as released."""
    forgotten: str | None = None
    """When its payload was forgotten; None if it was not."""


@dataclass(frozen=True)
class Record:
    """An entry with what only the store needs: the token of its commit, and where its payload is kept."""

    entry: Entry
    token: str
    document: Kept | None
    arrays: dict[str, Kept]

    @property
    def pieces(self) -> list[int]:
        """The numbers of the pieces that its payload is kept in."""
        every = [*self.arrays.values(), *([] if self.document is None else [self.document])]
        return [one.piece for one in every]

    def to_bytes(self) -> bytes:
        """As it is kept."""
        said = {
            "entry": asdict(self.entry),
            "token": self.token,
            "document": None if self.document is None else self.document.to_list(),
            "arrays": {name: kept.to_list() for name, kept in self.arrays.items()},
        }
        return json.dumps(said).encode()

    @classmethod
    def of(cls, content: bytes) -> "Record":
        """Read it back; whatever is wrong with it raises a ValueError, a TypeError or a KeyError."""
        said: dict[str, Any] = json.loads(content)
        if set(said["entry"]) != {one.name for one in fields(Entry)}:
            raise ValueError
        document = None if said["document"] is None else Kept.of(said["document"])
        arrays = {name: Kept.of(kept) for name, kept in said["arrays"].items()}
        return cls(Entry(**said["entry"]), str(said["token"]), document, arrays)


def now() -> str:
    """The time, as entries tell it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
