"""Read and write tables as files; what a file is, its first bytes say, not its name."""

import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from kspan.errors import FileError
from kspan.frames.csv import Dialect, check_width, read_csv
from kspan.frames.native import to_polars
from kspan.limits import ALWAYS_UNPACKED, MOST_PACKED

GZIP, PARQUET, ARROW, ARROW_STREAM = b"\x1f\x8b", b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
NOT_READ = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "a spreadsheet or another office file",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}

CELL = 8
"""Bytes that a cell takes in memory, about."""
STDIN = Path("-")
WRITERS: dict[str, Callable[[pl.DataFrame, Any], Any]] = {
    ".csv": pl.DataFrame.write_csv,
    ".tsv": lambda frame, out: frame.write_csv(out, separator="\t"),
    ".parquet": lambda frame, out: frame.write_parquet(out, compression="zstd"),
    ".arrow": pl.DataFrame.write_ipc,
    ".feather": pl.DataFrame.write_ipc,
}


def read_table(path: str | os.PathLike[str], dialect: Dialect | None = None) -> pl.DataFrame:
    """The table in a CSV, Parquet, Arrow or Feather file, also gzipped (`-`: stdin); cells of text files are text."""
    frame = _parsed(_content(Path(path)), str(path), dialect or Dialect())
    if frame.height == 0:
        raise FileError(f"{path} has no rows: there is nobody in it")
    return frame


def load(given: Any) -> pl.DataFrame:
    """A table from whatever a person has: a dataframe of any kind, or the path of a file."""
    return read_table(given) if isinstance(given, str | os.PathLike) else to_polars(given)


def _parsed(content: bytes, source: str, dialect: Dialect) -> pl.DataFrame:
    try:
        if content.startswith(PARQUET):
            _check_claim(pl.scan_parquet(io.BytesIO(content)), len(content), source)
            return to_polars(pl.read_parquet(content))
        if content.startswith(ARROW):
            _check_claim(pl.scan_ipc(io.BytesIO(content)), len(content), source)
            return to_polars(pl.read_ipc(content))
        if content.startswith(ARROW_STREAM):
            frame = pl.read_ipc_stream(content)
            _check_claim(frame.lazy(), len(content), source)
            return to_polars(frame)
    except (pl.exceptions.PolarsError, OSError):
        raise FileError(f"{source} is damaged: make or fetch the file again") from None
    for beginning, what in NOT_READ.items():
        if content.startswith(beginning):
            raise FileError(f"{source} is {what}: unpack it or export it as CSV")
    return read_csv(content, source, dialect)


def _check_claim(claimed: pl.LazyFrame, size: int, source: str) -> None:
    """Refuse a file that says to hold far more cells than so many bytes can, before they are unpacked."""
    columns = len(claimed.collect_schema())
    check_width(columns, source)
    rows = int(claimed.select(pl.len()).collect().item())
    if rows * columns * CELL > _most_unpacked(size):
        raise FileError(f"{source} claims {rows:,} rows in {size:,} bytes: that is no table of people, make it again")


def _most_unpacked(size: int) -> int:
    return max(ALWAYS_UNPACKED, MOST_PACKED * size)


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """A small text file that a person wrote, without its byte-order mark."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{what} {path} is not UTF-8 text: save it as UTF-8") from None
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {what} {path}: {reason(error)}") from None


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table in the format that the name says (.csv, .tsv, .parquet, .arrow, .feather), whole or not at all."""
    check_writable(path)
    write = WRITERS[Path(path).suffix.lower()]
    write_whole(path, lambda out: write(frame, out))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a name that says no format, or a place where no file can be, before long work begins."""
    if not is_table_name(path):
        raise FileError(f"cannot tell the format of {path} from its name: end it in {', '.join(WRITERS)}")
    check_place(path)


def is_table_name(path: str | os.PathLike[str]) -> bool:
    """Does a name end like that of a table?"""
    return Path(path).suffix.lower() in WRITERS


def check_place(path: str | os.PathLike[str]) -> None:
    """Refuse a folder, a device, or a file in a folder that is not there, before long work begins."""
    place = Path(path)
    if is_there(place) and not place.is_file():
        what = "a folder, name a file in it" if place.is_dir() else "no file, name one"
        raise FileError(f"cannot write {path}: it is {what}")
    if place == STDIN:
        raise FileError(f"cannot write {path}: a file is needed, name one")
    if not place.parent.is_dir():
        raise FileError(f"cannot write {path}: the folder {place.parent} is not there")


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text file, whole or not at all."""
    write_whole(path, lambda out: out.write(text.encode()))


def write_whole(path: str | os.PathLike[str], write: Callable[[Any], Any]) -> None:
    """Let `write` fill a file; nobody ever sees a half of it."""
    write_together({path: write})


def write_together(writers: Mapping[Any, Callable[[Any], Any]]) -> None:
    """Let each of `writers` fill the file at its path: all of them, whole, or none.

    Each fills a temporary file beside its path, which is synced; all are renamed when the last is full.
    """
    drafts: dict[Path, Path] = {}
    target = Path()
    try:
        for target, write in ((Path(path), write) for path, write in writers.items()):
            # A rename would put a file in the place of a device.
            check_place(target)
            with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as out:
                drafts[target] = Path(out.name)
                write(out)
                out.flush()
                os.fsync(out.fileno())
                # A temporary file is private to its maker; the finished one has the rights any new file would have.
                Path(out.name).chmod(0o666 & ~_umask())
        for target, draft in drafts.items():
            draft.replace(target)
    except OSError as error:
        raise FileError(f"cannot write {target}: {reason(error)}") from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def is_there(path: Path) -> bool:
    """Is there a file or folder of this name?"""
    try:
        return path.exists()
    except (OSError, ValueError) as error:
        raise FileError(f"cannot use the name {path}: {reason(error)}") from None


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, unless it is there."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {path}: {reason(error)}") from None


def _content(path: Path) -> bytes:
    try:
        content = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
        if content.startswith(GZIP):
            content = _unpacked(content, str(path))
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise FileError(f"{path} is a damaged gzip file: make or fetch it again") from None
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from None
    if not content:
        raise FileError(f"{path} is empty: it needs a header line and rows")
    return content


def _unpacked(content: bytes, source: str) -> bytes:
    most = _most_unpacked(len(content))
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        unpacked = packed.read(most + 1)
    if len(unpacked) > most:
        raise FileError(
            f"{source} unpacks to more than {MOST_PACKED} times its size: unpack it yourself if you trust it"
        )
    if unpacked.startswith(GZIP):
        raise FileError(f"{source} is gzipped twice: unpack it once")
    return unpacked


def reason(error: Exception) -> str:
    """Why the system would not, in its own words."""
    return str(getattr(error, "strerror", None) or "that is no name of a file").lower()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
