"""Libraries that a plain installation does without: each is imported where it is needed, or named if it is missing."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kspan.errors import FileError, KspanError

EXTRAS = {
    "fastexcel": "files",
    "xlsxwriter": "files",
    "pyreadstat": "files",
    "pyarrow": "files",
    "adbc_driver_manager": "databases",
    "adbc_driver_postgresql": "databases",
    "duckdb": "databases",
}
"""The extra of kspan that each library is part of."""


def library(name: str, source: object, what: str) -> Any:
    """Import a library, or say which extra brings it; `what` says what the source is that needs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        extra = EXTRAS[name.partition(".")[0]]
        raise FileError(f"{source} is {what}: install kspan[{extra}], which brings what it takes") from None


@contextmanager
def undamaged(source: object, what: str) -> Iterator[None]:
    """Turn whatever a library says of a file that it cannot read into one sentence, since libraries quote cells."""
    try:
        yield
    except (KspanError, MemoryError):
        raise
    except BaseException as error:
        # Libraries in Rust panic; each has a class of its own for that, which is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise FileError(f"{source} is {what} that is damaged: make or fetch the file again") from None
