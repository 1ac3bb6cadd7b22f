"""Text tables as they come: any delimiter, quotes, a byte-order mark, blanks after commas, no header."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from kspan.errors import FileError, listed
from kspan.limits import MOST_COLUMNS

DELIMITERS = ",;\t|"
SEPARATOR_LINE = re.compile(rb"sep=([^\r\n])\r?\n")
"""The line that spreadsheets write above a table to name its delimiter."""
SAMPLE = 64 * 1024
BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How to read a text table; whatever is None is found out from the text."""

    delimiter: str | None = None
    encoding: str | None = None
    columns: Sequence[str] | None = None
    """Names for the columns of a file that has no header line."""


def read_csv(content: bytes, source: str, dialect: Dialect) -> pl.DataFrame:
    r"""Read the table in `content`; all cells are text, and empty cells are missing.

    >>> read_csv(b"age, sex\n39, M\n50,\n", "people.csv", Dialect()).rows()
    [('39', 'M'), ('50', None)]
    """
    text = _as_utf8(content, source, dialect.encoding)
    if said := SEPARATOR_LINE.match(text):
        dialect = replace(dialect, delimiter=dialect.delimiter or said[1].decode())
        text = text[said.end() :]
    if not text.strip():
        raise FileError(f"{source} is empty: it needs a header line and rows")
    if b"\0" in text[:SAMPLE]:
        raise FileError(f"{source} is no text table: give CSV, Parquet or Arrow")
    sample = text[:SAMPLE].decode(errors="ignore")
    delimiter = dialect.delimiter or _delimiter(sample)
    if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
        raise FileError(f"{delimiter!r} cannot be the delimiter of {source}: give one plain character")
    if b"\n" not in text:  # lines may end in a carriage return alone
        text = text.replace(b"\r", b"\n")
    text = text.rstrip(b"\r\n") + b"\n"
    check_width(text[: text.index(b"\n")].count(delimiter.encode()) + 1, source)
    padded = _pads_cells(sample, delimiter)
    if padded or not _is_even(text, delimiter):
        text = _straightened(text, source, delimiter, padded=padded)
    return _with_header(_parsed(text, source, delimiter), source, dialect.columns)


def check_width(columns: int, source: str) -> None:
    """Refuse a table with more columns than can be worked with."""
    if columns > MOST_COLUMNS:
        raise FileError(f"{source} has {columns:,} columns: at most {MOST_COLUMNS:,} can be used, leave some out")


def _as_utf8(content: bytes, source: str, encoding: str | None) -> bytes:
    for mark, name in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            content, encoding = content[len(mark) :], name
            break
    try:
        text = content.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{source} is not {encoding or 'UTF-8'} text (byte {error.start + 1}): "
            "name its encoding, for example --encoding latin-1"
        ) from None
    except (LookupError, ValueError):
        raise FileError(
            f"{encoding!r} is no encoding of text that Python knows: try utf-8, latin-1 or cp1252"
        ) from None
    return text.encode() if encoding else content


def _delimiter(sample: str) -> str:
    """The delimiter that cuts most lines of the sample into equally many cells; of several, the one with most cells."""

    def quality(delimiter: str) -> tuple[float, int]:
        widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row]
        usual = max(set(widths), key=widths.count)
        # The first line must be cut, too: cells such as {a|b} are full of `|`, but names of columns are not.
        return (widths.count(usual) / len(widths) if min(usual, widths[0]) > 1 else 0.0, usual)

    return max(DELIMITERS, key=quality)


def _pads_cells(sample: str, delimiter: str) -> bool:
    """Does a blank follow most delimiters, as in the files of the UCI repository?"""
    follow = [cell[:1] for line in sample.splitlines() for cell in line.split(delimiter)[1:] if cell]
    return not delimiter.isspace() and follow.count(" ") > len(follow) / 2


def _is_even(text: bytes, delimiter: str) -> bool:
    """Is it certain, without parsing, that all rows have the same width and that there are no quotes or blank lines?"""
    lines, cuts = text.count(b"\n"), text.count(delimiter.encode())
    width = text[: text.index(b"\n")].count(delimiter.encode())
    # polars itself refuses rows that are too long. If none is and the sum is right, no row is too short either.
    return cuts == width * lines and not any(mark in text for mark in (b'"', b"\n\n", b"\n\r"))


def _straightened(text: bytes, source: str, delimiter: str, *, padded: bool) -> bytes:
    """The same table without blank lines and padding; refused if its rows differ in width.

    Without this, polars would silently fill up short rows, and make a person of each blank line.
    """
    bytes_ = np.frombuffer(text, np.uint8)
    # Every quote toggles. A doubled quote inside a cell toggles twice, and so changes nothing.
    outside = ~np.logical_xor.accumulate(bytes_ == ord('"'))
    cuts = np.flatnonzero(outside & (bytes_ == ord(delimiter)))
    ends = np.flatnonzero(outside & (bytes_ == ord("\n")))
    if not outside[-1]:
        raise FileError(f"{source} has a quote that is never closed: mend its quotes")
    widths = np.diff(np.searchsorted(cuts, ends), prepend=0) + 1
    length = np.diff(ends, prepend=-1)
    blank = (length == 1) | ((length == 2) & (bytes_[ends - 1] == ord("\r")))
    width = int(widths[np.argmin(blank)])
    odd = (widths != width) & ~blank
    if odd.any():
        at = int(np.argmax(odd))
        line = text.count(b"\n", 0, int(ends[at])) + 1
        raise FileError(
            f"line {line} of {source} has {widths[at]} cells where the first line has {width}: "
            "mend the line, quote cells that contain the delimiter, or name the delimiter with --delimiter"
        )
    keep = np.ones(len(bytes_), bool)
    if width > 1:  # in a table of one column, a blank line is a person with an empty cell
        keep[ends[blank]] = False
        keep[ends[blank & (length == 2)] - 1] = False
    padding = cuts + 1 if padded else cuts[:0]
    while (padding := padding[bytes_[padding] == ord(" ")]).size:
        keep[padding] = False
        padding = padding + 1
    return bytes_[keep].tobytes()


def _parsed(text: bytes, source: str, delimiter: str) -> pl.DataFrame:
    try:
        cells = pl.read_csv(text, separator=delimiter, has_header=False, infer_schema=False)
    except pl.exceptions.PolarsError:
        _straightened(text, source, delimiter, padded=False)  # raises an error that names the line, if widths differ
        raise FileError(
            f"{source} cannot be read as a table with the delimiter {delimiter!r}: check its quotes"
        ) from None
    # polars reads an empty cell in quotes as an empty text, not as a missing one.
    return cells.with_columns(pl.all().replace("", None)) if b'""' in text else cells


def _with_header(cells: pl.DataFrame, source: str, names: Sequence[str] | None) -> pl.DataFrame:
    if names is not None:
        if len(names) != cells.width:
            raise FileError(f"{source} has {cells.width} columns but {len(names)} names were given: give one a column")
        header, rows = [name.strip() for name in names], cells
    else:
        header, rows = [(name or "").strip() for name in cells.row(0)], cells.slice(1)
    if "" in header:
        raise FileError(f"column {header.index('') + 1} of {source} has no name: name every column in the header line")
    twice = [name for name, times in Counter(header).items() if times > 1]
    if twice:
        raise FileError(f"{source} has column {listed(twice)} twice: rename one of them")
    return rows.rename(dict(zip(cells.columns, header, strict=True)))
