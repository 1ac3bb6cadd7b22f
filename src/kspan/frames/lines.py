"""Text with one JSON object in each line."""

import json
import re

import polars as pl

from kspan.errors import FileError
from kspan.frames.extras import undamaged

WHAT = "a file with one JSON object in each line"


def is_lines(content: bytes) -> bool:
    r"""Is the first line a JSON object?

    >>> is_lines(b'{"age": 39}\n{"age": 50}\n'), is_lines(b"{a};b\n")
    (True, False)
    """
    if not content.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(content.lstrip().partition(b"\n")[0]), dict)
    except (ValueError, RecursionError):
        return False


def is_document(content: bytes) -> bool:
    """Does a text begin like one JSON document, and not like lines of objects?"""
    return re.match(rb"\s*(\[\s*\{\s*\"|\{\s*\"[^\"\n]*\"\s*:|\{\s*\n)", content) is not None


def read_lines(content: bytes, source: str) -> pl.DataFrame:
    r"""Read one person a line; whoever lacks a key has a missing cell.

    >>> read_lines(b'{"age": 39, "sex": "M"}\n{"age": 50}\n', "people.ndjson").rows()
    [(39, 'M'), (50, None)]
    """
    with undamaged(source, WHAT):
        frame = pl.read_ndjson(content, infer_schema_length=None)
    nested = next((name for name, kind in frame.schema.items() if _is_nested(kind)), None)
    if nested is not None:
        raise FileError(
            f"column {nested!r} of {source} holds objects, or lists of lists: give one value a cell, or a list of codes"
        )
    return frame


def _is_nested(kind: pl.DataType) -> bool:
    """Is a cell more than a value or a plain list, which may be a set of codes?"""
    return kind.is_nested() and not (isinstance(kind, pl.List) and not pl.Series(dtype=kind.inner).dtype.is_nested())
