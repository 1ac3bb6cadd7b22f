"""Files of statistical packages: SPSS, Stata and SAS, with labels in the place of the codes that they explain."""

import io
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from kspan.errors import FileError, listed
from kspan.frames.extras import library, undamaged
from kspan.frames.reading import Reading, plain

XPORT_RECORD = 80
"""SAS's files for transport are filled up to whole records of so many bytes; they do not tell their rows."""
OLD_STATA = (range(104, 116), (1, 2))
"""The version and the order of bytes that Stata's older files begin with."""
VARIABLE = {"an SPSS file": r"[A-Za-z@#$][\w.@#$]{0,63}", "a Stata file": r"[A-Za-z_]\w{0,31}"}
"""What a column may be called in each."""
WORDS = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
"""Words of SPSS that no column may be called."""
LONGEST = {"an SPSS file": 32_767, "a Stata file": 2_045}
"""The most bytes of a text cell."""
WRITTEN_AT = (
    re.compile(rb"(?<=\$FL2)(.{88}).{17}", re.DOTALL),
    re.compile(rb"(<timestamp>\x11)[^<]{17}(?=</timestamp>)"),
)
NO_TIME = (rb"\g<1>01 Jan 0000:00:00", rb"\g<1>01 Jan 2000 00:00")
"""When a file was made is not told, so that the same table gives the same bytes."""


def is_old_stata(content: bytes) -> bool:
    """Does a file begin as Stata's did before version 13?"""
    versions, orders = OLD_STATA
    return len(content) > 60 and content[0] in versions and content[1] in orders and content[2:4] == b"\x01\x00"


def is_portable(content: bytes) -> bool:
    """Does a file begin as SPSS's portable files do: with what they are, in several alphabets?"""
    return b"SPSS PORT FILE" in content[:200]


def reader(function: str, what: str) -> Callable[[bytes, Reading], pl.DataFrame]:
    """Return the function that reads a format, by the name that pyreadstat gives it."""

    def read(content: bytes, reading: Reading) -> pl.DataFrame:
        read_file = getattr(library("pyreadstat", reading.source, what), function)
        how: dict[str, Any] = {} if reading.encoding is None else {"encoding": reading.encoding}
        with undamaged(reading.source, what):
            if function == "read_xport" and len(content) % XPORT_RECORD:
                raise EOFError
            _, said = read_file(io.BytesIO(content), metadataonly=True, **how)
            reading.check(said.number_rows or 0, said.number_columns or 0)
            cells, said = read_file(io.BytesIO(content), output_format="dict", **how)
            # Without a row, a file has no cells to tell the kind of a column by.
            frame = pl.DataFrame([_column(name, values) for name, values in cells.items()])
            return plain(_labeled(plain(frame), said.variable_value_labels))

    return read


def _column(name: str, values: Any) -> pl.Series:
    try:
        return pl.Series(name, values, strict=True)
    except TypeError:  # Stata's missing values by letters stand beside numbers
        return pl.Series(name, values, strict=False)


def _labeled(frame: pl.DataFrame, labels: Mapping[str, Mapping[Any, str]]) -> pl.DataFrame:
    """The frame with the labels of codes as cells, where a column has labels and no two of them are alike."""
    return frame.with_columns(
        _told(frame[name], {code: label for code, label in of_column.items() if label.strip()})
        for name, of_column in labels.items()
        if name in frame.columns and of_column and len(set(of_column.values())) == len(of_column)
    )


def _told(column: pl.Series, labels: Mapping[Any, str]) -> pl.Series:
    """The column with its labels; codes without a label stay as they are, unless a label looks like one of them."""
    shown = column.cast(pl.String)
    codes = {str(pl.Series([code]).cast(column.dtype, strict=False).cast(pl.String).item()): code for code in labels}
    rest = set(shown.drop_nulls().unique()) - codes.keys()
    if rest & set(labels.values()):
        return column
    return shown.replace({code: labels[key] for code, key in codes.items()})


def writer(function: str, what: str) -> Callable[[pl.DataFrame, Any], None]:
    """Return the function that writes a format, by the name that pyreadstat gives it."""

    def write(frame: pl.DataFrame, out: Any) -> None:
        write_file = getattr(library("pyreadstat", "what is to be written", what), function)
        _check_held(frame, what)
        shown = frame.with_columns(_held(name, kind) for name, kind in frame.schema.items())
        content = _written(lambda path: write_file(shown, path))
        for made, none in zip(WRITTEN_AT, NO_TIME, strict=True):
            content = made.sub(none, content, count=1)
        out.write(content)

    return write


def _check_held(frame: pl.DataFrame, what: str) -> None:
    """Refuse names and texts that a package cannot hold, or would cut."""
    unfit = [name for name in frame.columns if not re.fullmatch(VARIABLE[what], name, re.ASCII)]
    unfit += [name for name in frame.columns if what == "an SPSS file" and name.lower() in WORDS | {""}]
    if unfit:
        raise FileError(
            f"column {listed(unfit)} cannot be called so in {what}: rename it with letters, digits and _, or write .csv"
        )
    if len({name.lower() for name in frame.columns}) < frame.width and what == "an SPSS file":
        raise FileError("two columns differ in capitals alone, which SPSS does not tell apart: rename one of them")
    for name, kind in frame.schema.items():
        if kind == pl.String and (frame[name].str.len_bytes() > LONGEST[what]).any():
            raise FileError(f"column {name!r} has cells that are too long for {what}: write .csv or .parquet")


def _held(name: str, kind: pl.DataType) -> pl.Expr:
    """A column as the packages can hold it: numbers, days and text."""
    column = pl.col(name)
    if kind == pl.Boolean or kind.is_integer():
        return column.cast(pl.Float64)
    return column if kind.is_float() or kind == pl.Date else column.cast(pl.String)


def _written(write: Callable[[str], None]) -> bytes:
    """What a function writes to the path that it is given: memory, or a file that only its maker can open."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        opened = os.memfd_create("table")
        try:
            write(f"/proc/self/fd/{opened}")
            return Path(f"/proc/self/fd/{opened}").read_bytes()
        finally:
            os.close(opened)
    with tempfile.TemporaryDirectory(prefix="kspan-") as folder:  # of mode 700
        path = Path(folder) / "table"
        path.touch(mode=0o600)
        write(str(path))
        return path.read_bytes()
