"""Tables in several Parquet files: a folder of them, or a pattern of their names."""

import glob
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from kspan.errors import FileError

ENDING, MAGIC = ".parquet", b"PAR1"


def is_several(path: Path) -> bool:
    """Is it a folder, or a pattern with *, ? or [ that is no file itself?"""
    try:
        return path.is_dir() or (glob.has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):
        return False


def is_parquet(path: Path) -> bool:
    """Is it a file that begins as Parquet files do?"""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False


def read_parts(path: Path, check: Callable[[int, int, int], None]) -> pl.DataFrame:
    """Read all parts as one table; folders called `column=value` give one more column."""
    parts, in_folders = parts_of(path)
    with _as_one(path, parts):
        claimed = _scanned(parts, in_folders=in_folders)
        check(int(claimed.select(pl.len()).collect().item()), len(claimed.collect_schema()), _size(parts))
        return claimed.collect()


def parts_of(path: Path) -> tuple[list[Path], bool]:
    """Return the parts of a table, and whether they are in folders that may be called `column=value`."""
    parts = [path] if path.is_file() else _parts(path)
    if not parts:
        where = f"the folder {path} holds no" if path.is_dir() else f"{path} fits no"
        raise FileError(f"{where} Parquet files: name a file, or a folder or pattern of files that end in {ENDING}")
    return parts, path.is_dir() and parts[0].parent != path


def schema_of(path: Path, parts: list[Path], *, in_folders: bool) -> pl.Schema:
    """Return the columns of a table in several parts; refuse parts that differ."""
    with _as_one(path, parts):
        first, *others = map(_schema, parts)
        if any(other != first for other in others):
            raise _different(path, parts)
        return _scanned(parts, in_folders=in_folders).collect_schema()


def _schema(part: Path) -> pl.Schema:
    with part.open("rb") as file:  # not by its name, which could be a pattern
        return pl.Schema(pl.read_parquet_schema(file))


def rows_in(path: Path, parts: list[Path]) -> int:
    """Return how many rows the parts of a table have, as they say themselves."""
    with _as_one(path, parts):
        return int(_scanned(parts, in_folders=False).select(pl.len()).collect().item())


def _scanned(parts: list[Path], *, in_folders: bool) -> pl.LazyFrame:
    # Names without a pattern: they may hold [ or * themselves.
    return pl.scan_parquet(parts, glob=False, hive_partitioning=in_folders)


@contextmanager
def _as_one(path: Path, parts: list[Path]) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise _different(path, parts) from None


def _different(path: Path, parts: list[Path]) -> FileError:
    return FileError(
        f"{path} cannot be read as one table: its {len(parts)} parts have different columns, or one is damaged"
    )


def _parts(path: Path) -> list[Path]:
    if path.is_dir():
        found = (one for one in path.rglob(f"*{ENDING}") if not _is_hidden(one.relative_to(path)))
    else:
        # Unlike `Path.glob`, it takes absolute patterns.
        names = glob.iglob(str(path), recursive=True)  # noqa: PTH207
        found = (Path(one) for one in names if one.endswith(ENDING))
    return sorted(one for one in found if one.is_file())


def _is_hidden(path: Path) -> bool:
    """Is it a leftover or a note of a writer, whose names begin so?"""
    return any(name.startswith((".", "_")) for name in path.parts)


def _size(parts: list[Path]) -> int:
    return sum(one.stat().st_size for one in parts)
