"""Marks that can be found again: how a value may lie in bytes, and every part of a file that can be unpacked."""

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ZSTD, GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08"
MOST_PARTS = 2000
LONG_BASE64 = re.compile(rb"[A-Za-z0-9+/]{64,}={0,2}")


@dataclass(frozen=True)
class Mark:
    """A value that nobody else has: what it is, and its text."""

    kind: str
    text: str

    def forms(self) -> dict[str, bytes]:
        """The bytes that the value may be, by the way it is written."""
        found = {
            "UTF-8": self.text.encode(),
            "UTF-16": self.text.encode("utf-16-le"),
            "JSON": json.dumps(self.text)[1:-1].encode(),
            **{f"base64 at {at}": _in_base64(self.text.encode(), at) for at in range(3)},
        }
        if re.fullmatch(r"-?\d+", self.text):
            number = int(self.text)
            if abs(number) < 1 << 63:
                found["int64"] = struct.pack("<q", number)
            if 1 << 26 < abs(number) < 1 << 31:
                found["int32"] = struct.pack("<i", number)
            found["float64"] = struct.pack("<d", float(number))
        elif re.fullmatch(r"-?\d+\.\d+", self.text):
            found["float64"] = struct.pack("<d", float(self.text))
        return found


def _in_base64(content: bytes, before: int) -> bytes:
    """What is left of some bytes in base64, whatever stands before and after them."""
    coded = base64.b64encode(b"\0" * before + content)
    return coded[4 if before else 0 : len(coded) // 4 * 4 - 4]


def parts(content: bytes) -> list[bytes]:
    """The bytes of a file, and of everything in it that is compressed or in base64."""
    found, waiting = [content], [content]
    while waiting and len(found) < MOST_PARTS:
        for inner in _inside(waiting.pop()):
            if inner and len(found) < MOST_PARTS:
                found.append(inner)
                waiting.append(inner)
    return found


def _inside(content: bytes) -> Iterator[bytes]:
    for at in _places(content, ZSTD):
        yield _unpacked(content[at:])
    for at in _places(content, GZIP):
        try:
            yield zlib.decompressobj(31).decompress(content[at:])
        except zlib.error:
            continue
    for run in LONG_BASE64.findall(content):
        yield base64.b64decode(run[: len(run) // 4 * 4])


def _places(content: bytes, what: bytes) -> Iterator[int]:
    at = content.find(what)
    while at >= 0:
        yield at
        at = content.find(what, at + 1)


def _unpacked(content: bytes) -> bytes:
    """What the zstd frame at the beginning of some bytes holds; nothing if it is none."""
    import pyarrow as pa

    try:
        frame = pa.BufferReader(content[: _frame_size(content)])
        with pa.input_stream(frame, compression="zstd") as stream:
            return bytes(stream.read())
    except (OSError, pa.ArrowException, IndexError):
        return b""


def _frame_size(content: bytes) -> int:
    """How long a zstd frame is, by the sizes of its blocks (RFC 8878, section 3.1.1)."""
    described = content[4]
    single, summed = described >> 5 & 1, described >> 2 & 1
    at = 5 + (not single) + (0, 1, 2, 4)[described & 3] + (single, 2, 4, 8)[described >> 6]
    while True:
        header = content[at] | content[at + 1] << 8 | content[at + 2] << 16
        is_last, kind, size = header & 1, header >> 1 & 3, header >> 3
        at += 3 + (1 if kind == 1 else size)
        if is_last:
            return at + 4 * summed


def foreign(content: bytes, marks: Iterable[Mark], shown: str) -> Iterator[tuple[Mark, str]]:
    """The marks that lie in the bytes of a file though nobody is shown them, with the way they are written."""
    whole = b"\0\0\0\0".join(parts(content))
    for mark in marks:
        if mark.text in shown:
            continue
        for way, form in mark.forms().items():
            if len(form) >= 4 and form in whole:
                yield mark, way
                break
