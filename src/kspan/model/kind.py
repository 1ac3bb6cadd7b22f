"""What kind of release a file is."""

import os
from pathlib import Path

BEGINNING = 4096


def is_model(path: str | os.PathLike[str]) -> bool:
    """Does a file begin like a model that kspan wrote? Everything else is left to whoever reads tables."""
    try:
        # A pipe must not be read twice, and holds tables only.
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
