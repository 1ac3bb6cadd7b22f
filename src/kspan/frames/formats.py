"""The formats of tables: how a file begins, how it is read, and which names are written so.

A new format is one entry in `BINARY`, and `read_table`, `write_table`, every command and every law know it.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from kspan.frames.extras import library, undamaged
from kspan.frames.reading import Reading
from kspan.frames.statistics import is_old_stata, is_portable, reader, writer
from kspan.frames.workbooks import WORKBOOK, is_workbook, read_workbook, write_workbook

Write = Callable[[pl.DataFrame, Any], Any]
SPSS, STATA, SAS = "an SPSS file", "a Stata file", "a SAS file"
OF_SAS = bytes(12) + b"\xc2\xea\x81"


@dataclass(frozen=True)
class Format:
    """A format that is known by its first bytes."""

    what: str
    """What messages call a file of it."""
    beginning: bytes | Callable[[bytes], bool]
    read: Callable[[bytes, Reading], pl.DataFrame]
    endings: tuple[str, ...] = ()
    """The names of files that are written in it; none for a format that is only read."""
    write: Write | None = None
    loses: bool = False
    """May it hold less than a table has, so that what was written must be compared?"""

    def fits(self, content: bytes) -> bool:
        """Does a file begin like this?"""
        return content.startswith(self.beginning) if isinstance(self.beginning, bytes) else self.beginning(content)


def _scanned(
    scan: Callable[[Any], pl.LazyFrame], read: Callable[[bytes], pl.DataFrame]
) -> Callable[[bytes, Reading], pl.DataFrame]:
    """Return a reader that looks at rows and columns first, which takes little."""

    def read_checked(content: bytes, reading: Reading) -> pl.DataFrame:
        claimed = scan(io.BytesIO(content))
        reading.check(int(claimed.select(pl.len()).collect().item()), len(claimed.collect_schema()))
        return read(content)

    return read_checked


def _read_stream(content: bytes, reading: Reading) -> pl.DataFrame:
    frame = pl.read_ipc_stream(content)
    reading.check(frame.height, frame.width)
    return frame


def _read_orc(content: bytes, reading: Reading) -> pl.DataFrame:
    orc = library("pyarrow.orc", reading.source, "an ORC file")
    with undamaged(reading.source, "an ORC file"):
        file = orc.ORCFile(io.BytesIO(content))
        reading.check(file.nrows, len(file.schema))
        return pl.DataFrame(file.read())


BINARY = (
    Format(
        "a Parquet file",
        b"PAR1",
        _scanned(pl.scan_parquet, pl.read_parquet),
        (".parquet",),
        lambda frame, out: frame.write_parquet(out, compression="zstd"),
    ),
    Format(
        "an Arrow file",
        b"ARROW1",
        _scanned(pl.scan_ipc, pl.read_ipc),
        (".arrow", ".feather"),
        pl.DataFrame.write_ipc,
    ),
    Format("a stream of Arrow", b"\xff\xff\xff\xff", _read_stream),
    Format("an ORC file", b"ORC", _read_orc),
    Format(WORKBOOK, is_workbook, read_workbook, (".xlsx",), write_workbook, loses=True),
    Format(SPSS, b"$FL2", reader("read_sav", SPSS), (".sav",), writer("write_sav", SPSS), loses=True),
    Format(SPSS, b"$FL3", reader("read_sav", SPSS)),
    Format(SPSS, is_portable, reader("read_por", SPSS)),
    Format(STATA, b"<stata_dta>", reader("read_dta", STATA), (".dta",), writer("write_dta", STATA), loses=True),
    Format(STATA, is_old_stata, reader("read_dta", STATA)),
    Format(SAS, OF_SAS + b"\x60", reader("read_sas7bdat", SAS)),
    Format(SAS, b"HEADER RECORD*******LIB", reader("read_xport", SAS)),
)
LINES = (".ndjson", ".jsonl")
TEXT: dict[str, Write] = {
    ".csv": pl.DataFrame.write_csv,
    ".tsv": lambda frame, out: frame.write_csv(out, separator="\t"),
    **dict.fromkeys(LINES, pl.DataFrame.write_ndjson),
}
"""What begins like none of those is read as text."""
WRITERS: dict[str, Write] = {
    **TEXT,
    **{ending: one.write for one in BINARY if one.write is not None for ending in one.endings},
}
"""By the ending of a name."""
LOSING = {ending for one in BINARY if one.loses for ending in one.endings}
SPREADSHEETS = {".csv", ".tsv", ".xlsx"}
"""The formats that people open in spreadsheets."""
EXPORT = "export it as CSV"
NOT_READ = {
    b"PK\x03\x04": ("a zip archive, and no workbook of a spreadsheet", f"unpack it, or {EXPORT}"),
    b"\xd0\xcf\x11\xe0": ("an office file, and no workbook", EXPORT),
    b"BZh": ("compressed by bzip2", "unpack it"),
    b"\xfd7zXZ": ("compressed by xz", "unpack it"),
    b"\x28\xb5\x2f\xfd": ("compressed by zstd", "unpack it"),
    OF_SAS + b"\x63": ("a catalog of SAS formats, and no table", "give the .sas7bdat file"),
    b"RDX": ("a workspace of R", f"{EXPORT}, by write.csv in R"),
    b"RDA": ("a workspace of R", f"{EXPORT}, by write.csv in R"),
    b"X\n\0\0\0": ("an object of R", f"{EXPORT}, by write.csv in R"),
    b"\0\1\0\0Standard Jet DB": ("an Access database", f"{EXPORT}, or move it to SQLite"),
    b"\0\1\0\0Standard ACE DB": ("an Access database", f"{EXPORT}, or move it to SQLite"),
    b"\x89HDF": ("an HDF5 file", "write it as Parquet or CSV"),
    b"%PDF": ("a PDF document", "ask for the table itself"),
    b"SQLite format 3\0": ("an SQLite database, packed or from a pipe", "give the path of the file itself"),
}
"""How files begin that people take for tables: what they are, and what to do."""


def not_read(content: bytes) -> tuple[str, str] | None:
    """What a file is that is no table that can be read here, and what to do; None if nothing is known of it."""
    if content[8:12] == b"DUCK":
        return "a DuckDB database, packed or from a pipe", "give the path of the file itself"
    return next((said for beginning, said in NOT_READ.items() if content.startswith(beginning)), None)
