"""Read and write tables as files; the first bytes of a file tell its format, not its name."""

import gzip
import io
import os
import sys
import zlib
from pathlib import Path
from typing import Any

import polars as pl

from kspan.errors import FileError
from kspan.frames.commit import File, settled, write_files
from kspan.frames.csv import Dialect, check_width, read_csv
from kspan.frames.formats import BINARY, NOT_READ, WRITERS
from kspan.frames.formulas import defused, has_formulas, restored
from kspan.frames.native import to_polars
from kspan.frames.places import STDIN, check_no_device, check_place, reason
from kspan.frames.rebuilt import rebuilt
from kspan.frames.seal import Seal, seal_of
from kspan.limits import ALWAYS_CLAIMED, ALWAYS_UNPACKED, MOST_CLAIMED, MOST_PACKED

GZIP = b"\x1f\x8b"
CELL = 8
"""Bytes that a cell takes in memory, about."""
SPREADSHEETS = {".csv": ",", ".tsv": "\t"}
"""The formats that people open in spreadsheets, with the delimiter of each."""


def read_table(path: str | os.PathLike[str], dialect: Dialect | None = None) -> pl.DataFrame:
    """Read a CSV, Parquet, Arrow or Feather file, also gzipped (`-`: stdin); cells of text files are text."""
    content, seal = _sealed_content(Path(path))
    if seal is not None:
        seal.check(content, path)
    return parsed_table(content, str(path), dialect, was_defused=seal is not None and seal.defused)


def written_table(content: bytes, path: str | os.PathLike[str], *, was_defused: bool = False) -> pl.DataFrame:
    """Read back what `table_content` made for a file of that name."""
    # The delimiter is known: guessing it again might go wrong.
    dialect = Dialect(delimiter=SPREADSHEETS.get(Path(path).suffix.lower()))
    return parsed_table(content, str(path), dialect, was_defused=was_defused)


def parsed_table(
    content: bytes, source: str, dialect: Dialect | None = None, *, was_defused: bool = False
) -> pl.DataFrame:
    """Read the table in the content of a file; with `was_defused`, its formulas are restored."""
    frame = _parsed(_unpacked(content, source), source, dialect or Dialect())
    if frame.height == 0:
        raise FileError(f"{source} has no rows: there is nobody in it")
    return restored(frame) if was_defused else frame


def load(given: Any) -> pl.DataFrame:
    """Load a table from whatever was given: a dataframe of any kind, or the path of a file."""
    return read_table(given) if isinstance(given, str | os.PathLike) else to_polars(given)


def _parsed(content: bytes, source: str, dialect: Dialect) -> pl.DataFrame:
    try:
        for one in BINARY:
            if content.startswith(one.beginning):
                return to_polars(one.table(content, lambda frame: _check_claim(frame, len(content), source)))
    except (pl.exceptions.PolarsError, OSError):
        raise FileError(f"{source} is damaged: make or fetch the file again") from None
    except pl.exceptions.PanicException:
        raise FileError(
            f"{source} cannot be read: it has cells of a kind that is not known, or does not fit into memory"
        ) from None
    for beginning, what in NOT_READ.items():
        if content.startswith(beginning):
            raise FileError(f"{source} is {what}: unpack it or export it as CSV")
    return read_csv(content, source, dialect)


def _check_claim(claimed: pl.LazyFrame, size: int, source: str) -> None:
    """Refuse a file that claims to hold far more cells than its size allows, before they are unpacked."""
    columns = len(claimed.collect_schema())
    check_width(columns, source)
    rows = int(claimed.select(pl.len()).collect().item())
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
    """Write a table in the format that the name says (.csv, .tsv, .parquet, .arrow, .feather), whole or not at all."""
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
    out = io.BytesIO()
    WRITERS[kind](rebuilt(defused(frame) if defuse else frame), out)
    return out.getvalue(), defuse


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a name that tells no format, or a place where no file can be, before long work begins."""
    if not is_table_name(path):
        raise FileError(f"cannot tell the format of {path} from its name: end it in {', '.join(WRITERS)}")
    check_place(path)


def is_table_name(path: str | os.PathLike[str]) -> bool:
    """Does a name end like that of a table?"""
    return Path(path).suffix.lower() in WRITERS


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text file, whole or not at all."""
    write_files({path: File(text.encode())})


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
