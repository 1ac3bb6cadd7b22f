"""Models of every kind as JSON files."""

import os
from typing import Any

from kspan.frames.files import write_text
from kspan.model.documents import lines, parsed
from kspan.model.kinds import Model as Model
from kspan.model.kinds import Released as Released
from kspan.model.kinds import kind_of, opened, read
from kspan.model.tree.json import save_tree
from kspan.model.tree.model import Tree
from kspan.model.tree.release import TreeRelease


def load_model(path: str | os.PathLike[str]) -> Released:
    """Read the model in a file, of whichever kind; `load_tree` returns a tree together with its claim."""
    model: Released = opened(path).model
    return model


def read_model(document: Any, source: str = "the model") -> Released:
    """Read the model in a JSON document, of whichever kind."""
    model: Released = read(document, source).model
    return model


def save_model(model: Released, path: str | os.PathLike[str]) -> None:
    """Write a model to a file without judging it: completely or not at all, and only if it can be read back."""
    if isinstance(model, Tree):
        save_tree(TreeRelease(model), path)
        return
    written = lines(write_model(model))
    read_model(parsed(written, "the model to be written"), "the model to be written")
    write_text(written, path)


def write_model(model: Released) -> dict[str, Any]:
    """Write a model as a JSON document."""
    return kind_of(model).write(model)


def name_of(model: Released) -> str:
    """The kind of a model, as messages call it."""
    return kind_of(model).called
