"""What a kind of model is, and whether a file holds a model at all."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from kspan.policy import Policy

BEGINNING = 4096
"""How many bytes are looked at."""


@dataclass(frozen=True)
class Kind:
    """A kind of model: its name, how its files are read and written, and which foreign objects are such models."""

    name: str
    """Of its rooms, too: `model/NAME` says what it is, `audit/NAME` how it is judged, if it can be."""
    called: str
    """Its name in messages."""
    format: str
    type: type
    read: Callable[[Any, str], Any]
    """Reads a JSON document; errors name the source that is given with it."""
    write: Callable[[Any], dict[str, Any]]
    example: Callable[[], Any]
    """A small model of this kind, which every law of models is tried on."""
    is_foreign: Callable[[Any], bool] = lambda given: False
    """Is an object a model of this kind from another library?"""
    taken_over: Callable[[Any, pl.DataFrame, Policy], Any] | None = None
    """Converts such an object to one of ours, given its people and the policy; None for kinds without any."""
    further: tuple[Callable[[], Any], ...] = ()
    """More such examples, for kinds that look different in other versions of their format."""


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
