"""Read and write tables as files; the first bytes of a file tell its format, not its name."""

import gzip
import io
import os
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from kspan.errors import FileError
from kspan.frames.commit import File, settled, write_files
from kspan.frames.csv import Dialect, check_width, read_csv
from kspan.frames.databases.door import is_stored, read_stored
from kspan.frames.formats import BINARY, LOSING, SPREADSHEETS, WRITERS, not_read
from kspan.frames.formulas import defused, has_formulas, restored
from kspan.frames.lines import is_document, is_lines, read_lines
from kspan.frames.native import to_polars
from kspan.frames.parts import is_several, read_parts
from kspan.frames.places import STDIN, check_no_device, check_place, reason
from kspan.frames.reading import Reading
from kspan.frames.rebuilt import rebuilt
from kspan.frames.rows import spelled
from kspan.frames.seal import Seal, check_rows, seal_of
from kspan.frames.source import Source
from kspan.frames.workbooks import WORKBOOK
from kspan.limits import ALWAYS_CLAIMED, ALWAYS_UNPACKED, MOST_CLAIMED, MOST_PACKED

GZIP = b"\x1f\x8b"
CELL = 8
"""Bytes that a cell takes in memory, about."""
DELIMITERS = {".csv": ",", ".tsv": "\t"}
DIGITS = 15
"""Significant digits of numbers that every format keeps."""


def read_table(path: str | os.PathLike[str], dialect: Dialect | None = None, *, sql: str | None = None) -> pl.DataFrame:
    """Read a table from a file of any format that is known (`-`: stdin), several Parquet files, or a database.

    Cells of text files are text. With `sql`, a database is asked for the rows of a query. See docs/sources.md for all
    formats, and for the addresses of databases.
    """
    source = Source.of(path).asking(sql)
    if not source.shown:
        raise FileError("the name of the table is empty: name a file or the table of a database")
    if is_stored(source):
        stored = read_stored(source)
        check_rows(stored.manifest, stored.frame, source)
        return _with_people(to_polars(stored.frame), str(source))
    assert source.path is not None
    if source.sql is not None:
        raise FileError(f"{source} is no database: --sql asks databases only, leave it out")
    if is_several(source.path):
        return _with_people(to_polars(read_parts(source.path, partial(_check_claim, source=str(source)))), str(source))
    content, seal = _sealed_content(source.path)
    if seal is not None:
        seal.check(content, path)
    how, was_defused = dialect or Dialect(), seal is not None and seal.defused
    return parsed_table(content, str(source), how, part=source.part, was_defused=was_defused)


def written_table(content: bytes, path: str | os.PathLike[str], *, was_defused: bool = False) -> pl.DataFrame:
    """Read back what `table_content` made for a file of that name."""
    # The delimiter is known: guessing it again might go wrong.
    dialect = Dialect(delimiter=DELIMITERS.get(Path(path).suffix.lower()))
    return parsed_table(content, str(path), dialect, was_defused=was_defused)


def parsed_table(
    content: bytes,
    source: str,
    dialect: Dialect | None = None,
    *,
    part: str | None = None,
    was_defused: bool = False,
) -> pl.DataFrame:
    """Read the table in the content of a file; with `was_defused`, its formulas are restored."""
    frame = _with_people(_parsed(_unpacked(content, source), source, dialect or Dialect(), part), source)
    return restored(frame) if was_defused else frame


def load(given: Any) -> pl.DataFrame:
    """Load a table from whatever was given: a dataframe of any kind, the path of a file, or a table of a database."""
    return read_table(given) if isinstance(given, str | os.PathLike) else to_polars(given)


def _with_people(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    if frame.height == 0:
        raise FileError(f"{source} has no rows: there is nobody in it")
    return frame


def _parsed(content: bytes, source: str, dialect: Dialect, part: str | None) -> pl.DataFrame:
    def check(rows: int, columns: int) -> None:
        _check_claim(rows, columns, len(content), source)

    try:
        for one in BINARY:
            if one.fits(content):
                _check_part(part, one.what, source)
                return to_polars(one.read(content, Reading(source, check, part, dialect.encoding)))
    except (pl.exceptions.PolarsError, OSError):
        raise FileError(f"{source} is damaged: make or fetch the file again") from None
    except pl.exceptions.PanicException:
        raise FileError(
            f"{source} cannot be read: it has cells of a kind that is not known, or does not fit into memory"
        ) from None
    if (other := not_read(content)) is not None:
        raise FileError(f"{source} is {other[0]}: {other[1]}")
    _check_part(part, "a text file", source)
    if is_lines(content):
        return to_polars(read_lines(content, source))
    if is_document(content):
        raise FileError(f"{source} is one JSON document: write one object a line, or export it as CSV")
    return read_csv(content, source, dialect)


def _check_part(part: str | None, what: str, source: str) -> None:
    """Refuse to choose a sheet or table of a file that has none."""
    if part is not None and what != WORKBOOK:
        raise FileError(f"{source} is {what}, which has neither sheets nor tables: leave out what follows the ?")


def _check_claim(rows: int, columns: int, size: int, source: str) -> None:
    """Refuse a file that claims to hold far more cells than its size allows, before they are unpacked."""
    check_width(columns, source)
    if rows * columns * CELL > max(ALWAYS_CLAIMED, MOST_CLAIMED * size):
        raise FileError(f"{source} claims {rows:,} rows in {size:,} bytes: that is no table of people, make it again")


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """A small text file that a person wrote, without its byte-order mark."""
    try:
        check_no_device(Path(path))
        with settled(Path(path)):
            return Path(path).read_bytes().decode("utf-8-sig")
    except FileError:
        raise
    except UnicodeDecodeError:
        raise FileError(f"{what} {path} is not UTF-8 text: save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {what} {path}: {reason(error)}") from None


def write_table(
    frame: pl.DataFrame, path: str | os.PathLike[str], *, owner_only: bool = False, keep_formulas: bool = False
) -> None:
    """Write a table in the format that the name says (.csv, .parquet, .xlsx, .sav, ...), whole or not at all."""
    content, _ = table_content(frame, path, keep_formulas=keep_formulas)
    write_files({path: File(content, owner_only)})


def table_content(
    frame: pl.DataFrame, path: str | os.PathLike[str], *, keep_formulas: bool = False
) -> tuple[bytes, bool]:
    """The bytes of a file of that name with this table, and whether formulas in it were defused.

    Formulas are defused in formats for spreadsheets only. The bytes hold the cells that the table shows, and nothing
    else of where these came from.
    """
    check_writable(path)
    kind = Path(path).suffix.lower()
    defuse = kind in SPREADSHEETS and not keep_formulas and has_formulas(frame)
    shown = rebuilt(defused(frame) if defuse else frame)
    out = io.BytesIO()
    WRITERS[kind](shown, out)
    if kind in LOSING:
        _check_kept(shown, written_table(out.getvalue(), path), path)
    return out.getvalue(), defuse


def _check_kept(frame: pl.DataFrame, back: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Refuse a format that changes cells: a number that it cannot hold, a text that it cuts."""
    same = frame.columns == back.columns and frame.height == back.height
    one, other = (spelled(_rounded(table)) for table in (frame, back if same else frame))
    changed = [name for name in frame.columns if not one[name].equals(other[name])]
    if changed or not same:
        what = f"column {changed[0]!r}" if changed else "all rows and columns"
        raise FileError(f"{Path(path).suffix} cannot hold {what} of the table unchanged: write .csv or .parquet")


def _rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """The cells that a format is to keep: numbers to 15 digits, and yes and no as 1 and 0."""
    yes_and_no = [name for name, kind in frame.schema.items() if kind == pl.Boolean]
    numbers = [name for name, kind in frame.schema.items() if kind.is_float()]
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns(
        pl.col(yes_and_no).cast(pl.Int8),
        pl.col(numbers).fill_nan(None).round_sig_figs(DIGITS),
        pl.col(texts).replace("", None),
    )


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a name that tells no format, or a place where no file can be, before long work begins."""
    if Source.of(path).is_database:
        raise FileError(
            f"cannot write {Source.of(path)}: only kspan anonymize and kspan apply write to databases, name a file"
        )
    if not is_table_name(path):
        raise FileError(f"cannot tell the format of {path} from its name: end it in {', '.join(WRITERS)}")
    check_place(path)


def is_table_name(path: str | os.PathLike[str]) -> bool:
    """Does a name end like that of a table?"""
    return Path(path).suffix.lower() in WRITERS


def write_text(text: str, path: str | os.PathLike[str], *, owner_only: bool = False) -> None:
    """Write a text file, whole or not at all."""
    write_files({path: File(text.encode(), owner_only)})


def _sealed_content(path: Path) -> tuple[bytes, Seal | None]:
    """The whole content of a file, and the seal in the manifest beside it, if there is one."""
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(), None
        check_no_device(path)
        with settled(path):  # around both, so that the file and its manifest belong together
            return path.read_bytes(), seal_of(path)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from None


def _unpacked(content: bytes, source: str) -> bytes:
    """Unpack the content of a file, if it is gzipped; refused if that is suspiciously much, or gzipped again."""
    if content.startswith(GZIP):
        most = max(ALWAYS_UNPACKED, MOST_PACKED * len(content))
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
                content = packed.read(most + 1)  # a byte more than allowed shows that there is too much
        except (OSError, EOFError, zlib.error):
            raise FileError(f"{source} is a damaged gzip file: make or fetch it again") from None
        if len(content) > most:
            raise FileError(
                f"{source} unpacks to more than {MOST_PACKED} times its size: unpack it yourself if you trust it"
            )
        if content.startswith(GZIP):
            raise FileError(f"{source} is gzipped twice: unpack it once")
    if not content:
        raise FileError(f"{source} is empty: it needs a header line and rows")
    return content
