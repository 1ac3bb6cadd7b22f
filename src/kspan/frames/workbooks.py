"""Workbooks of spreadsheets: Excel's old and new files, and those of OpenDocument."""

import io
import logging
import re
import zipfile
from collections import Counter
from datetime import datetime
from typing import Any

import polars as pl

from kspan.errors import FileError, listed
from kspan.frames.extras import library, undamaged
from kspan.frames.reading import Reading, plain
from kspan.limits import ALWAYS_UNPACKED, MOST_PACKED

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
WORKBOOK = "a workbook of a spreadsheet"
PIECE = 1 << 20
CELL = re.compile(rb"""<(?:\w+:)?(?:c|row)\s[^>]*?\br=["']([A-Z]{0,3})([0-9]{1,7})["']""")
"""Where a cell or a row of a sheet says that it stands."""
ROW = re.compile(rb"<table:table-row([^>]*)>(.*?)</table:table-row>", re.DOTALL)
FILLED = re.compile(rb"<table:table-cell([^>]*)(?<!/)>")
TIMES = re.compile(rb"-repeated=.([0-9]{1,18})")
"""How often OpenDocument says that a row or a cell stands there."""
MOST_ROWS, MOST_TEXT = 1_048_575, 32_767
"""Rows below the header, and characters of a cell, in a sheet of Excel."""
MADE = datetime(2000, 1, 1)
"""What new workbooks say of when they were made, so that the same table gives the same bytes."""


def is_workbook(content: bytes) -> bool:
    """Is this a workbook, or an encrypted one, and no other archive or office file?"""
    if content.startswith(OLE):
        return any(name.encode("utf-16-le") in content for name in ("Workbook", "Book", "EncryptedPackage"))
    return content.startswith(ZIP) and any(name in content for name in (b"xl/workbook.", b"opendocument.spreadsheet"))


def read_workbook(content: bytes, reading: Reading) -> pl.DataFrame:
    """Read the sheet that is named, or the only one that can be seen; its first row names the columns."""
    if content.startswith(OLE) and "EncryptedPackage".encode("utf-16-le") in content:
        raise FileError(f"{reading.source} is protected by a password: save it without one, or export it as CSV")
    fastexcel = library("fastexcel", reading.source, WORKBOOK)
    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # it remarks on columns without a cell
    with undamaged(reading.source, WORKBOOK):
        if content.startswith(ZIP):
            _check_archive(content, reading)
        book = fastexcel.read_excel(content)
        sheet = _sheet(book, reading)
        names = _names(book, sheet, reading)
        try:
            cells = book.load_sheet(sheet, header_row=0, schema_sample_rows=None, whitespace_as_null=True).to_polars()
        except fastexcel.UnsupportedColumnTypeCombinationError:  # which names no column that could be told
            raise FileError(
                f"a column of {reading.source} mixes kinds of cells that do not go together, such as dates and "
                "durations: give all cells of a column one format"
            ) from None
        empty = [at for at, name in enumerate(names) if not name]
        for at in empty:
            if cells.to_series(at).null_count() < cells.height:
                raise FileError(
                    f"column {at + 1} of {reading.source} has no name: the first row must name every column, each in a "
                    "cell of its own"
                )
        frame = cells.select(
            cells.to_series(at).cast(pl.Null if cells.height == 0 else cells.dtypes[at]).alias(name)
            for at, name in enumerate(names)
            if name
        )
        return plain(frame.filter(~pl.all_horizontal(pl.all().is_null())) if frame.width > 1 else frame)


def _sheet(book: Any, reading: Reading) -> str:
    """The sheet that is named, or the only one that is not hidden."""
    names: list[str] = list(book.sheet_names)
    if reading.part is not None:
        if reading.part not in names:
            raise FileError(f"{reading.source} has no sheet {reading.part!r}: it has {listed(names)}")
        return reading.part
    if len(names) > 1:
        names = [name for name in names if _is_seen(book, name)]
    if len(names) != 1:
        raise FileError(
            f"{reading.source} has the sheets {listed(names or book.sheet_names)}: name one of them, for example "
            f"'{reading.source}?sheet={(names or book.sheet_names)[0]}'"
        )
    return names[0]


def _is_seen(book: Any, name: str) -> bool:
    """Is a sheet one of cells, and not hidden? A sheet that is a chart has no cells to load."""
    try:
        return bool(book.load_sheet(name, n_rows=1).visible == "visible")
    except Exception:  # whatever its library says of such a sheet
        return False


def _names(book: Any, sheet: str, reading: Reading) -> list[str]:
    """The names of the columns as they are written; an empty one where there is none."""
    top = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
    if top.height == 0:
        raise FileError(f"the sheet {sheet!r} of {reading.source} is empty: it needs a header and rows")
    names = [(name or "").strip() for name in top.row(0)]
    twice = [name for name, times in Counter(names).items() if times > 1 and name]
    if twice:
        raise FileError(f"{reading.source} has column {listed(twice)} twice: rename one of them")
    return names


def _check_archive(content: bytes, reading: Reading) -> None:
    """Refuse an archive that unpacks to too much, or a sheet that claims cells far away, before they take memory."""
    left = max(ALWAYS_UNPACKED, MOST_PACKED * len(content))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            pieces = []
            with archive.open(entry) as unpacked:  # checks the checksum, so an entry cannot hold more than it says
                while piece := unpacked.read(PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise FileError(
                            f"{reading.source} unpacks to more than {MOST_PACKED} times its size: export it as CSV if "
                            "you trust it"
                        )
                    pieces.append(piece)
            if entry.filename.startswith("xl/worksheets/"):
                cells = CELL.findall(b"".join(pieces))
                rows, columns = {row for _, row in cells}, {column for column, _ in cells}
                reading.check(max(map(int, rows), default=0), max(map(_number, columns), default=0))
            elif entry.filename == "content.xml":
                _check_repeated(b"".join(pieces), reading)


def _check_repeated(sheets: bytes, reading: Reading) -> None:
    """Refuse a sheet of OpenDocument that repeats filled cells too often; empty ones take no room."""
    rows = columns = 0
    for about, cells in ROW.findall(sheets):
        filled = sum(_times(cell) for cell in FILLED.findall(cells))
        rows, columns = rows + (_times(about) if filled else 1), max(columns, filled)
    reading.check(rows, columns)


def _times(about: bytes) -> int:
    found = TIMES.search(about)
    return 1 if found is None else int(found[1])


def _number(letters: bytes) -> int:
    """The number of a column that has these letters in a spreadsheet."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def write_workbook(frame: pl.DataFrame, out: Any) -> None:
    """Write a workbook of one sheet; text stays text, whatever it begins with."""
    xlsxwriter = library("xlsxwriter", "a file that ends in .xlsx", WORKBOOK)
    if frame.height > MOST_ROWS:
        raise FileError(f"a sheet holds {MOST_ROWS:,} rows and the table has {frame.height:,}: write .csv or .parquet")
    shown = frame.with_columns(_held(name, kind) for name, kind in frame.schema.items())
    for name in shown.columns:
        if shown[name].dtype == pl.String and (shown[name].str.len_chars() > MOST_TEXT).any():
            raise FileError(f"column {name!r} has cells that are too long for a sheet: write .csv or .parquet")
    as_it_is = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}
    with xlsxwriter.Workbook(out, as_it_is) as book:
        book.set_properties({"created": MADE})
        shown.write_excel(book, "table", autofilter=False, table_style=None)


def _held(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as a sheet can hold it: of moments only days, and other columns as text."""
    holds = (kind.is_numeric() and not kind.is_decimal()) or kind in (pl.String, pl.Boolean)
    return pl.col(name) if holds or kind == pl.Date else pl.col(name).cast(pl.String)
