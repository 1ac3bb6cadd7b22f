"""What a tree says of people it has not seen."""

import os
from collections.abc import Iterable
from typing import Any

import polars as pl

from kspan.data.domain import Domain
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, listed
from kspan.frames.files import load
from kspan.frames.native import like
from kspan.model.tree import Tree


def predict(tree: Tree, people: Any) -> Any:
    """For each row of a dataframe or file the likeliest label and all probabilities, in the same kind of frame."""
    made = predicted(tree, load(people))
    return made if isinstance(people, str | os.PathLike) else like(people, made)


def predicted(tree: Tree, people: pl.DataFrame) -> pl.DataFrame:
    """For each row of a frame the likeliest label, and the probability of each if the tree tells more than a label."""
    shares = tree.shares(asked(tree, people))
    labels = [tree.labels[place] for place in shares.argmax(axis=1)]
    likely = () if tree.disclosure == "label" else tree.labels
    return pl.DataFrame(
        {
            f"predicted: {tree.target}": pl.Series(labels, dtype=pl.String),
            **{f"probability: {label}": shares[:, place] for place, label in enumerate(likely)},
        }
    )


def asked(tree: Tree, people: pl.DataFrame) -> Table:
    """The columns of a frame that a tree asks, coded; numbers must be numbers."""
    numbers = {node.attribute for node in tree.nodes() if node.attribute is not None}
    attributes = [tree.attributes[number] for number in sorted(numbers)]
    names = [attribute.name for attribute in attributes]
    _check_present(names, people.columns)
    numeric = {attribute.name: Domain("numeric") for attribute in attributes if attribute.kind == "numeric"}
    return encode(people, Schema(public=names, domains=numeric), names)


def _check_present(names: Iterable[str], columns: Iterable[str]) -> None:
    present = set(columns)
    absent = [name for name in names if name not in present]
    if absent:
        raise DataError(f"the table lacks {listed(absent)}, which the tree asks for: add the column")
