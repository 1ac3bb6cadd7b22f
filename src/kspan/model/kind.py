"""What a kind of model is, and whether a file holds a model at all."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from kspan.policy import Policy

BEGINNING = 4096


@dataclass(frozen=True)
class Kind:
    """A kind of model: what it is called, how its files are read and written, and what of other libraries is one."""

    name: str
    """Of its rooms, too: `model/NAME` says what it is, `audit/NAME` how it is judged, if it can be."""
    called: str
    """For people to read."""
    format: str
    type: type
    read: Callable[[Any, str], Any]
    """The model in a JSON document, which has a source to be named in errors."""
    write: Callable[[Any], dict[str, Any]]
    example: Callable[[], Any]
    """A small model of this kind, which every law of models is tried on."""
    is_foreign: Callable[[Any], bool] = lambda given: False
    """Is it such a model of another library?"""
    taken_over: Callable[[Any, pl.DataFrame, Policy], Any] | None = None
    """What such a model is among its people."""


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
