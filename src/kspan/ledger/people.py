"""People in a ledger: numbers, which are found by keyed hashes of identifiers, so that the file itself names nobody."""

import hashlib

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.data.arrays import Int64s
from kspan.errors import LedgerError

HASH = 16
"""Bytes of a hash: two of 10^9 people have the same with a chance of 10^-21."""
PURPOSE, FORGOTTEN = b"kspan people", b"kspan forgotten"
"""What hashes are for: to find people again, or to keep out those who were forgotten."""
UNKNOWN = -1

Hashes = NDArray[np.uint64]
"""One row of two numbers for each person."""


def plain(ids: pl.Series) -> pl.Series:
    """Identifiers as text; anything but text and whole numbers is refused, since it may be spelled in several ways."""
    kind = ids.dtype
    if not (kind.is_integer() or kind in (pl.String, pl.Categorical, pl.Enum)):
        raise LedgerError("identifiers must be text or whole numbers: give them in one spelling")
    if ids.null_count():
        raise LedgerError(f"{ids.null_count()} identifiers are missing: leave these rows out, or say who they are")
    return ids.cast(pl.String).alias("id")


def hashes(ids: pl.Series, key: bytes, purpose: bytes = PURPOSE) -> Hashes:
    """The keyed hash of each identifier."""
    keyed = hashlib.blake2b(key=key, digest_size=HASH, person=purpose).copy

    def digest(word: str) -> bytes:
        one = keyed()
        one.update(word.encode())
        return one.digest()

    return of_bytes(b"".join([digest(word) for word in ids.to_list()]))


def of_bytes(content: bytes) -> Hashes:
    """Hashes as they are kept, as rows of two numbers."""
    return np.frombuffer(content, dtype="<u8").reshape(-1, 2)


def to_bytes(rows: Hashes) -> bytes:
    """Hashes as they are kept."""
    return np.ascontiguousarray(rows, dtype="<u8").tobytes()


def found(asked: Hashes, known: Hashes) -> Int64s:
    """The place of each hash among the known ones; -1 if it is not there."""
    there = pl.DataFrame({"a": known[:, 0], "b": known[:, 1], "at": np.arange(len(known))})
    joined = pl.DataFrame({"a": asked[:, 0], "b": asked[:, 1]}).join(
        there, on=["a", "b"], how="left", maintain_order="left"
    )
    return joined["at"].fill_null(UNKNOWN).to_numpy().astype(np.int64, copy=False)


def spread(numbers: Int64s, distinct: pl.Series, ids: pl.Series) -> Int64s:
    """Give the number of each distinct identifier to all rows that have it."""
    if len(distinct) == len(ids):  # in the same order then
        return numbers
    each = pl.DataFrame({"id": distinct, "number": numbers})
    rows = pl.DataFrame({"id": ids}).join(each, on="id", how="left", maintain_order="left")
    return rows["number"].to_numpy().astype(np.int64, copy=False)
