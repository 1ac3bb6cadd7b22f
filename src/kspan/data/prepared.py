"""Where tables meet what is said of them: columns that are to be computed, and sets that become rows."""

from dataclasses import replace
from typing import TypeVar

import polars as pl

from kspan.data.ages import with_ages
from kspan.data.kinds.registry import kind_of
from kspan.data.schema import Schema
from kspan.data.sets import ROW, is_set_valued, one_row_a_code

S = TypeVar("S", bound=Schema)


def computed(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return a table with the ages that it does not have."""
    return with_ages(frame, schema.ages, schema.missing)


def without_target_of_dates(people: pl.DataFrame, schema: S) -> S:
    """Return the schema without a public target of dates: labels are words, so a table would show everybody's date."""
    if schema.target not in schema.public or schema.target not in people.columns:
        return schema
    return replace(schema, target=None) if kind_of(people[schema.target]).has_own_spelling else schema


def prepared(frame: pl.DataFrame, schema: S, *, released: bool = False) -> tuple[pl.DataFrame, S]:
    """Return a table as it is read under a schema, with the schema for that: ages added, and a row for each code.

    What has been prepared stays as it is. In a `released` table codes are in rows already, unless cells hold several.
    """
    frame = computed(frame, schema)
    if not schema.sets:
        return frame, schema
    (name, separator) = next(iter(schema.sets.items()))
    person = schema.person or ROW
    if name in frame.columns and ROW not in frame.columns:
        several = is_set_valued(frame[name], separator)
        if person == ROW and (several or not released):
            frame = frame.with_row_index(ROW)
        if several or not released:
            frame = one_row_a_code(frame, name, separator)
        elif frame[name].dtype == pl.String:
            frame = frame.with_columns(pl.col(name).replace({"": None}))  # no code, as in a set without any
    return frame, replace(schema, sets={}, person=person)
