"""The different rows of a table, and how often each occurs.

Whoever counts people needs no more: equal rows stand together whatever is asked. Of a table of a hundred million rows
there are often a few million kinds.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

import polars as pl

from kspan.data.encode import MOST_PEOPLE, too_many, weights_of
from kspan.data.schema import Schema
from kspan.errors import DataError
from kspan.frames.native import unused

S = TypeVar("S", bound=Schema)

PEOPLE = "kspan people"
"""The column that says how many people a kind of row stands for, unless the table has one of that name."""


@dataclass(frozen=True, repr=False)
class Kinds:
    """The different rows of a table by some of its columns; of all others there is no cell."""

    frame: pl.DataFrame
    """The kinds, with all columns of the table: those that were not asked for are empty."""
    times: pl.Series
    """How many rows of the table are of each kind."""

    def __repr__(self) -> str:
        return f"Kinds({self.frame.height} of {self.rows} rows)"

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.times.sum())

    def weighted(self, schema: S) -> tuple[pl.DataFrame, S]:
        """Return the kinds as a table in which each row stands for many people, and the schema of that table."""
        if not self.rows:
            raise DataError("the table has no rows: there is nobody to protect or to audit")
        people = self.times
        if schema.weight is not None:
            weights = pl.Series(weights_of(self.frame[schema.weight]))
            if (weights.cast(pl.Float64) * people).sum() > MOST_PEOPLE:
                raise too_many(schema.weight)
            people = people * weights
        frame = self.frame if schema.weight is None else self.frame.drop(schema.weight)
        name = unused(PEOPLE, (*frame.columns, *schema.columns))
        return frame.with_columns(people.alias(name)), replace(schema, weight=name)
