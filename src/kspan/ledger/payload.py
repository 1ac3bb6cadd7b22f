"""What a ledger keeps with an entry for the owner alone: a document and arrays, as bytes without any code in them."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.errors import LedgerError

Array = NDArray[Any]

MOST_BYTES = 1 << 34
"""Bytes that a document or an array may have in memory."""
MOST_PACKED = 900_000_000
"""Bytes that SQLite can hold in one place, with some to spare."""
MOST_AXES = 32
LEVEL = 1
"""Higher levels of zlib take several times as long, and save little."""
KINDS = "biuf"
MOST_ITEM = 8


@dataclass(frozen=True)
class Payload:
    """What is kept with an entry: a document (as JSON has it) and arrays of numbers by name."""

    document: Mapping[str, Any] = field(default_factory=dict, repr=False)
    arrays: Mapping[str, Array] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Kept:
    """Where some bytes are kept, their checksum, and what they are: a type and a shape, or none for a document."""

    piece: int
    digest: str
    size: int
    kind: str = ""
    shape: tuple[int, ...] = ()

    def to_list(self) -> list[Any]:
        """As it is kept."""
        return [self.piece, self.digest, self.size, self.kind, list(self.shape)]

    @classmethod
    def of(cls, said: list[Any]) -> "Kept":
        """Read it back."""
        piece, digest, size, kind, shape = said
        return cls(int(piece), str(digest), int(size), str(kind), tuple(int(length) for length in shape))


def packed_document(document: Mapping[str, Any]) -> tuple[bytes, int]:
    """A document as packed bytes, and how many there are before packing."""
    try:
        content = json.dumps(document, allow_nan=False, separators=(",", ":")).encode()
        is_same = json.loads(content) == document
    except (ValueError, TypeError, RecursionError):
        is_same = False
    if not is_same:
        raise LedgerError(
            "the document of an entry must be plain JSON: use text as keys, lists, text and finite numbers"
        )
    return _packed(content), len(content)


def unpacked_document(packed: bytes, size: int) -> dict[str, Any]:
    """Read a document back; raises a ValueError if it is none."""
    document = json.loads(_unpacked(packed, size))
    if not isinstance(document, dict):
        raise ValueError
    return document


def packed_array(name: str, array: Array) -> tuple[bytes, int]:
    """An array as packed bytes, and how many there are before packing."""
    if array.dtype.kind not in KINDS or array.dtype.itemsize > MOST_ITEM:
        raise LedgerError(f"the array {name!r} of an entry must have numbers or truths: put text into the document")
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    # The first bytes of all numbers come first, then the second ones: those of small numbers are all the same.
    planes = plain.reshape(-1).view(np.uint8).reshape(-1, array.dtype.itemsize).T
    return _packed(np.ascontiguousarray(planes).data.cast("B") if plain.size else b""), plain.nbytes


def unpacked_array(packed: bytes, kept: Kept) -> Array:
    """Read an array back; raises a ValueError or a TypeError if it is none."""
    kind = np.dtype(kept.kind)
    if kind.kind not in KINDS or kind.itemsize > MOST_ITEM or len(kept.shape) > MOST_AXES or min((*kept.shape, 0)) < 0:
        raise ValueError
    if prod(kept.shape) * kind.itemsize != kept.size:
        raise ValueError
    planes = np.frombuffer(_unpacked(packed, kept.size), dtype=np.uint8).reshape(kind.itemsize, -1)
    plain = np.ascontiguousarray(planes.T).reshape(-1).view(kind.newbyteorder("<"))
    return plain.reshape(kept.shape).astype(kind.newbyteorder("="), copy=False)


def _packed(content: bytes | memoryview) -> bytes:
    packed = zlib.compress(content, LEVEL)
    if len(content) > MOST_BYTES or len(packed) > MOST_PACKED:
        raise LedgerError("the payload of an entry is too large for a ledger: divide what is released")
    return packed


def _unpacked(packed: bytes, size: int) -> bytes:
    """Unpack so many bytes, and not more, however many there are."""
    if not 0 <= size <= MOST_BYTES:
        raise ValueError
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, size + 1)  # one more, so that the end is seen
    except zlib.error:
        raise ValueError from None
    if len(content) != size or not unpacking.eof:
        raise ValueError
    return content
