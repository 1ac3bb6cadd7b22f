"""What kind of release a file is."""

import os
from pathlib import Path

from kspan.errors import FileError
from kspan.frames.files import reason

BEGINNING = 4096


def is_model(path: str | os.PathLike[str]) -> bool:
    """Does a file begin like a model that kspan wrote? Everything else is taken for a table."""
    if str(path) == "-":
        return False
    try:
        with Path(path).open("rb") as file:
            beginning = file.read(BEGINNING)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {reason(error)}") from None
    return beginning.lstrip().startswith(b"{") and b'"kspan/' in beginning
