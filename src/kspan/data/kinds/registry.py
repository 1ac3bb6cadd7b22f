"""All kinds of columns: a new one is a file beside this one, and a name in `KINDS`."""

import polars as pl

from kspan.data.kinds.days import DAYS
from kspan.data.kinds.kind import NUMERIC, Given, Kind
from kspan.data.kinds.moments import MOMENTS
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.kinds.ordered import ORDERED
from kspan.data.kinds.times import TIMES
from kspan.data.kinds.truths import TRUTHS
from kspan.data.kinds.words import WORDS
from kspan.errors import DataError

KINDS: tuple[Kind, ...] = (NUMBERS, TRUTHS, ORDERED, DAYS, MOMENTS, TIMES, WORDS)
"""As they are asked whether a column is theirs: days before moments, since a date is a range of moments; words last."""

UNITS = tuple(kind.unit for kind in KINDS if kind.unit is not None)
"""How files say in what spelling numbers are written."""

SAID = {kind.says: kind for kind in (NUMBERS, WORDS, *KINDS)}
"""The kinds that a policy can declare, by their words."""


def kind_of(series: pl.Series, *, spelled: bool = True) -> Kind:
    """The kind of a column; unless `spelled`, one of those that are kept as they are written.

    >>> dates = pl.Series(["1970-03-04", "*", None])
    >>> kind_of(dates), kind_of(dates, spelled=False), kind_of(pl.Series(["1970-03-04", "today"]))
    (Days(), Words(), Words())
    """
    given = Given(series)
    found = next((kind for kind in KINDS if (spelled or not kind.has_own_spelling) and kind.recognizes(given)), None)
    if found is None:
        raise DataError(f"column {series.name!r} holds {series.dtype} cells: turn them into text or numbers first")
    return found


def plain(series: pl.Series) -> pl.Series:
    """The cells of a column as text, whole numbers or other numbers, dates as text."""
    return kind_of(series, spelled=False).plain(series)


def kind_in_file(family: str, unit: str | None = None) -> Kind:
    """The kind that a file of a model tells by its family and the unit of its numbers."""
    if unit is not None:
        return next(kind for kind in KINDS if kind.unit == unit)
    return NUMBERS if family == NUMERIC else WORDS
