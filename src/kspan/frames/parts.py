"""Tables in several Parquet files: a folder of them, or a pattern of their names."""

import glob
from collections.abc import Callable
from pathlib import Path

import polars as pl

from kspan.errors import FileError

ENDING = ".parquet"


def is_several(path: Path) -> bool:
    """Is it a folder, or a pattern with *, ? or [ that is no file itself?"""
    try:
        return path.is_dir() or (glob.has_magic(str(path)) and not path.exists())
    except (OSError, ValueError):
        return False


def read_parts(path: Path, check: Callable[[int, int, int], None]) -> pl.DataFrame:
    """Read all parts as one table; folders called `column=value` give one more column."""
    parts = _parts(path)
    if not parts:
        where = f"the folder {path} holds no" if path.is_dir() else f"{path} fits no"
        raise FileError(f"{where} Parquet files: name a file, or a folder or pattern of files that end in {ENDING}")
    try:
        # Names without a pattern: they may hold [ or * themselves.
        claimed = pl.scan_parquet(parts, glob=False, hive_partitioning=path.is_dir() and parts[0].parent != path)
        check(int(claimed.select(pl.len()).collect().item()), len(claimed.collect_schema()), _size(parts))
        return claimed.collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise FileError(
            f"{path} cannot be read as one table: its {len(parts)} parts have different columns, or one is damaged"
        ) from None


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
