"""Lazy frames that narwhals knows: polars asks its own, and DuckDB's are asked in the same words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import narwhals as nw
import polars as pl

from kspan.engines.rows import Rows, told
from kspan.frames.native import clean_names

COUNTED = "times"


@dataclass(frozen=True, repr=False)
class LazyRows(Rows):
    """A lazy frame of polars, or of an engine that narwhals asks in the same words."""

    engine: ClassVar[str] = "polars"
    frame: "nw.LazyFrame[Any]"
    columns: Mapping[str, str]
    """The names of all columns, and that by which each is asked for: a name such as `*` would be a pattern."""

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return list(self.columns)

    def counted(self, names: Sequence[str], times: str) -> pl.DataFrame:
        """Return the different rows by some columns, and how many rows are alike."""
        asked, rows = [self.columns[name] for name in names], nw.len().alias(COUNTED)
        with told(self.engine):
            return self._collected(self.frame.group_by(*asked).agg(rows) if asked else self.frame.select(rows), times)

    def whole(self) -> pl.DataFrame:
        """Bring all rows into memory."""
        with told(self.engine):
            return self._collected(self.frame)

    def _collected(self, asked: "nw.LazyFrame[Any]", times: str = "") -> pl.DataFrame:
        """Return what is asked for by the names that columns have; `times` is the one with how often rows occur."""
        found = self._arrived(asked)
        own = {**{asked: name for name, asked in self.columns.items()}, COUNTED: times}
        return found.rename({name: own[name] for name in found.columns})

    def _arrived(self, asked: "nw.LazyFrame[Any]") -> pl.DataFrame:
        return pl.DataFrame(asked.collect("polars").to_native())


def rows_of_frame(frame: pl.LazyFrame) -> LazyRows:
    """Take a lazy frame of polars."""
    with told(LazyRows.engine):
        own = frame.collect_schema().names()
    columns = asked_by(own)
    return LazyRows(nw.from_native(frame.rename(dict(zip(own, columns.values(), strict=True)))), columns)


def asked_by(own: Sequence[str]) -> dict[str, str]:
    """Return the names of columns without blanks around them, and by which name an engine is asked for each.

    >>> asked_by(["age", " * "])
    {'age': 'c0', '*': 'c1'}
    """
    return {name: f"c{place}" for place, name in enumerate(clean_names(own))}
