"""The columns that a model asks about, of people whom it has not seen."""

from collections.abc import Sequence

import polars as pl

from kspan.data.alike import respelled
from kspan.data.domain import told
from kspan.data.encode import encode
from kspan.data.general import GeneralWords, general
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, listed
from kspan.model.tree.model import Attribute


def answers(attributes: Sequence[Attribute], people: pl.DataFrame, range_pattern: str | None = None) -> Table:
    """Code the columns of a frame that hold some attributes; numeric ones must hold numbers or ranges."""
    names = [attribute.name for attribute in attributes]
    absent = [name for name in names if name not in people.columns]
    if absent:
        raise DataError(f"the table lacks {listed(absent)}, which the model asks for: add the column")
    # Private values that look alike are one value: they take the spelling that the model knows.
    words = [one for one in attributes if one.role == "private" and not one.is_measured]
    people = people.with_columns(respelled(people[one.name], one.values) for one in words)
    domains = told({one.name: one.kind for one in attributes})
    table = encode(people, Schema(public=names, domains=domains), names)
    for name in (attribute.name for attribute in attributes if attribute.is_measured):
        column = table[name]
        if len(column.values) and isinstance(general(column, range_pattern), GeneralWords):
            raise DataError(f"column {name!r} holds words, and the model asks for numbers: mend it")
    return table
