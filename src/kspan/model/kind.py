"""Tells files of models from files of tables."""

import os
from pathlib import Path

BEGINNING = 4096
"""How many bytes are looked at."""


def is_model(path: str | os.PathLike[str]) -> bool:
    """Does a file begin like a model that kspan wrote? Any other file is taken for a table."""
    try:
        # A pipe can be read only once, so it is taken for a table without a look.
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            beginning = file.read(BEGINNING)
    except (OSError, ValueError):
        return False
    return begins_model(beginning)


def begins_model(content: bytes) -> bool:
    """Does the content of a file begin like a model that kspan wrote?"""
    beginning = content[:BEGINNING]
    return beginning.lstrip().startswith(b"{") and b'"kspan/' in beginning
