"""Free text goes nowhere without a word: makers refuse it unless it is declared, and audits always tell of it."""

from collections.abc import Iterator

import polars as pl

from kspan.data.free_text import is_free_text
from kspan.data.schema import Schema
from kspan.errors import PolicyError, listed


def check_no_free_text(frame: pl.DataFrame, schema: Schema) -> None:
    """Refuse a table whose public or private columns hold free text that the policy does not declare.

    A domain or a hierarchy declares it: whoever writes one knows what the column holds.
    """
    unread = [name for name in _free(frame, schema) if name not in schema.domains and name not in schema.hierarchies]
    if unread:
        raise PolicyError(
            f"column {listed(unread)} is free text, and nobody has looked at what it says of people: make it an "
            f'identifier, or declare it under [domains] as "categorical" if it is meant to go out'
        )


def told_of_free_text(frame: pl.DataFrame, schema: Schema, times: pl.Series | None = None) -> Iterator[str]:
    """Yield a sentence for each public or private column that is free text, declared or not.

    `times` says how many rows each one stands for, if not one.
    """
    for name in _free(frame, schema, times):
        yield f"column {name!r} is free text: nobody has looked at what it says of people"


def _free(frame: pl.DataFrame, schema: Schema, times: pl.Series | None = None) -> Iterator[str]:
    there = set(frame.columns)
    return (name for name in (*schema.public, *schema.private) if name in there and is_free_text(frame[name], times))
