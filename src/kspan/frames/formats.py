"""The formats of tables: how a file begins, how it is read, and which names are written so.

A new format is one entry in `BINARY`, and `read_table`, `write_table`, every command and every law know it.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

Write = Callable[[pl.DataFrame, Any], Any]


@dataclass(frozen=True)
class Format:
    """A format that is known by its first bytes."""

    beginning: bytes
    scan: Callable[[bytes], pl.LazyFrame]
    """The table in the content of a file, of which only rows and columns are asked before it is trusted."""
    read: Callable[[bytes], pl.DataFrame] | None = None
    """All of it, where that is another way than to collect what was scanned."""
    endings: tuple[str, ...] = ()
    """The names of files that are written in it; none for a format that is only read."""
    write: Write | None = None

    def table(self, content: bytes, check: Callable[[pl.LazyFrame], None]) -> pl.DataFrame:
        """The table in the content of a file, once a check lets it pass."""
        scanned = self.scan(content)
        check(scanned)
        return scanned.collect() if self.read is None else self.read(content)


BINARY = (
    Format(
        b"PAR1",
        lambda content: pl.scan_parquet(io.BytesIO(content)),
        pl.read_parquet,
        (".parquet",),
        lambda frame, out: frame.write_parquet(out, compression="zstd"),
    ),
    Format(
        b"ARROW1",
        lambda content: pl.scan_ipc(io.BytesIO(content)),
        pl.read_ipc,
        (".arrow", ".feather"),
        pl.DataFrame.write_ipc,
    ),
    Format(b"\xff\xff\xff\xff", lambda content: pl.read_ipc_stream(content).lazy()),
)
TEXT: dict[str, Write] = {
    ".csv": pl.DataFrame.write_csv,
    ".tsv": lambda frame, out: frame.write_csv(out, separator="\t"),
}
"""What begins like none of those is read as text."""
WRITERS: dict[str, Write] = {
    **TEXT,
    **{ending: one.write for one in BINARY if one.write is not None for ending in one.endings},
}
"""By the ending of a name."""
NOT_READ = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "a spreadsheet or another office file",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}
"""How files begin that people take for tables, and what they are."""
