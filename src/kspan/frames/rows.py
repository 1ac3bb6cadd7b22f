"""One spelling for the rows of a table, whatever holds them: for checksums, and to compare what was written."""

import hashlib

import polars as pl

MISSING = "\\N"
FORM = "kspan/rows-1"
"""The name of this spelling in manifests."""


def rows_checksum(frame: pl.DataFrame) -> str:
    r"""The SHA-256 of the names of the columns and of all rows, in any order of rows: a database keeps none.

    A row is a line of its cells in the order of the columns, with tabs between them; `\N` is a missing cell, and `\\`,
    `\t`, `\n` and `\r` stand for these characters inside cells. The lines are sorted by their bytes.

    >>> one = pl.DataFrame({"age": [39, 50], "sex": ["M", None]})
    >>> rows_checksum(one) == rows_checksum(one.reverse()) == rows_checksum(one.cast({"age": pl.Int16}))
    True
    >>> rows_checksum(one) == rows_checksum(one.fill_null("M"))
    False
    """
    digest = hashlib.sha256()
    header = pl.select(pl.concat_str([_escaped(pl.lit(name)) for name in frame.columns], separator="\t")).item()
    digest.update(header.encode())
    lines = frame.select(line=pl.concat_str([_cell(name, frame) for name in frame.columns], separator="\t"))
    for piece in lines["line"].sort().to_frame().iter_slices(1 << 16):
        digest.update(("\n" + "\n".join(piece["line"])).encode())
    return digest.hexdigest()


def spelled(frame: pl.DataFrame) -> pl.DataFrame:
    """All cells in their one spelling."""
    return frame.select(_cell(name, frame).alias(name) for name in frame.columns)


def _cell(name: str, frame: pl.DataFrame) -> pl.Expr:
    kind, column = frame.schema[name], pl.col(name)
    if kind.is_float():
        exact = column.cast(pl.Float64)
        whole = (exact == exact.floor()) & (exact.abs() < 2.0**53)
        text = pl.when(whole).then(exact.cast(pl.Int64, strict=False).cast(pl.String)).otherwise(exact.cast(pl.String))
    elif kind == pl.Datetime:
        zone = getattr(kind, "time_zone", None)
        moment = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zone else column
        text = moment.cast(pl.Datetime("us")).cast(pl.String)
    elif kind in (pl.String, pl.Categorical, pl.Enum):
        text = _escaped(column.cast(pl.String))
    else:
        text = column.cast(pl.String)
    return text.fill_null(MISSING)


def _escaped(text: pl.Expr) -> pl.Expr:
    for mark, written in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.str.replace_all(mark, written, literal=True)
    return text
