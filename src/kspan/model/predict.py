"""What a model says of people it has not seen."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from kspan.data.arrays import Floats
from kspan.data.encode import encode
from kspan.data.general import general
from kspan.data.schema import Schema, check_range_pattern
from kspan.data.table import Table
from kspan.errors import DataError, listed
from kspan.frames.files import load
from kspan.frames.native import like
from kspan.model.models import Model
from kspan.model.predictor import Predictor
from kspan.model.tree import Tree


def predict(model: Model, people: Any, *, range_pattern: str | None = None) -> Any:
    """For each row of a dataframe or file the likeliest label and all probabilities, in the same kind of frame.

    Rows may be raw or released; `range_pattern` says how they write ranges, if in a way of their own.
    """
    made = predicted(model, load(people), range_pattern)
    return made if isinstance(people, str | os.PathLike) else like(people, made)


def predicted(model: Model, people: pl.DataFrame, range_pattern: str | None = None) -> pl.DataFrame:
    """For each row of a frame the likeliest label, and the probability of each if the model tells more than a label."""
    model = predictor(model)
    shares = model.of_people(people, check_range_pattern(range_pattern))
    labels = [model.labels[place] for place in shares.argmax(axis=1)]
    likely = model.labels if model.tells_shares else ()
    return pl.DataFrame(
        {
            f"predicted: {model.target}": pl.Series(labels, dtype=pl.String),
            **{f"probability: {label}": shares[:, place] for place, label in enumerate(likely)},
        }
    )


def predictor(model: Model) -> Predictor:
    """Any model as one that predicts."""
    return TreePredictor(model) if isinstance(model, Tree) else model


@dataclass(frozen=True)
class TreePredictor:
    """A tree as a model that predicts."""

    tree: Tree

    @property
    def target(self) -> str:
        """The column that it predicts."""
        return self.tree.target

    @property
    def labels(self) -> tuple[str, ...]:
        """What it may predict."""
        return self.tree.labels

    @property
    def tells_shares(self) -> bool:
        """Does it disclose more than the likeliest label?"""
        return self.tree.disclosure != "label"

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row the share of each label where it ends."""
        return self.tree.shares(asked(self.tree, people, range_pattern), range_pattern)


def asked(tree: Tree, people: pl.DataFrame, range_pattern: str | None = None) -> Table:
    """The columns of a frame that a tree asks, coded; numbers must be numbers or ranges."""
    numbers = {node.attribute for node in tree.nodes() if node.attribute is not None}
    attributes = [tree.attributes[number] for number in sorted(numbers)]
    names = [attribute.name for attribute in attributes]
    _check_present(names, people.columns)
    table = encode(people, Schema(public=names), names)
    for name in (attribute.name for attribute in attributes if attribute.kind == "numeric"):
        column = table[name]
        if column.values.dtype == object and len(column.values) and general(column, range_pattern).kind != "numeric":
            raise DataError(f"column {name!r} holds words, and the tree asks for numbers: mend it")
    return table


def _check_present(names: Iterable[str], columns: Iterable[str]) -> None:
    present = set(columns)
    absent = [name for name in names if name not in present]
    if absent:
        raise DataError(f"the table lacks {listed(absent)}, which the tree asks for: add the column")
