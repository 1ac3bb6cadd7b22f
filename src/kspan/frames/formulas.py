"""Text cells that a spreadsheet would run as formulas are made harmless by an apostrophe, and restored.

A person may have called herself `=HYPERLINK(...)`; whoever opens the released CSV in a spreadsheet would run it.
"""

import polars as pl

STARTS = r"^'*\s*[=+\-@\t\r＝＋－＠]"
"""How formulas begin in spreadsheets; also after apostrophes, lest `defused` make two different cells equal."""
NUMBER = r"^\s*[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?$"
MARK = "'"
TOLD = "cells that begin with = + - @ have an apostrophe in front"
"""What a claim says of a table whose formulas were defused."""


def defused(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with an apostrophe before each text cell that a spreadsheet would run.

    >>> defused(pl.DataFrame({"note": ["=1+1", "'=1+1", "-5", "-", "fine"]}))["note"].to_list()
    ["'=1+1", "''=1+1", '-5', '-', 'fine']
    """
    return frame.with_columns(
        pl.when(_runs(pl.col(name))).then(pl.concat_str(pl.lit(MARK), pl.col(name))).otherwise(pl.col(name)).alias(name)
        for name in _texts(frame)
    )


def restored(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame as it was before `defused`.

    >>> restored(pl.DataFrame({"note": ["'=1+1", "''=1+1", "-5", "'-5", "'tis"]}))["note"].to_list()
    ['=1+1', "'=1+1", '-5', "'-5", "'tis"]
    """
    return frame.with_columns(
        pl.when(pl.col(name).str.starts_with(MARK) & _runs(_rest(name))).then(_rest(name)).otherwise(pl.col(name))
        .alias(name)
        for name in _texts(frame)
    )  # fmt: skip


def has_formulas(frame: pl.DataFrame) -> bool:
    """Is there a text cell that a spreadsheet would run?"""
    return any(frame.select(_runs(pl.col(name)).any()).item() for name in _texts(frame))


def _runs(cell: pl.Expr) -> pl.Expr:
    # Neither a sign by itself, such as `-`, nor a number such as `-5` is run.
    return cell.str.contains(STARTS) & (cell.str.len_bytes() > 1) & ~cell.str.contains(NUMBER)


def _rest(name: str) -> pl.Expr:
    return pl.col(name).str.slice(1)


def _texts(frame: pl.DataFrame) -> list[str]:
    return [name for name, kind in frame.schema.items() if kind == pl.String]
