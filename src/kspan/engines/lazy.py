"""Lazy frames that narwhals knows: polars asks its own, and DuckDB's are asked in the same words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import narwhals as nw
import polars as pl

from kspan.engines.rows import TIMES, Rows, told
from kspan.frames.native import with_clean_headers


@dataclass(frozen=True, repr=False)
class LazyRows(Rows):
    """A lazy frame of polars, or of an engine that narwhals asks in the same words."""

    engine: ClassVar[str] = "polars"
    frame: "nw.LazyFrame[Any]"

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return self.frame.collect_schema().names()

    def counted(self, names: Sequence[str]) -> pl.DataFrame:
        """Return the different rows by some columns, and how many rows are alike."""
        times = nw.len().alias(TIMES)
        with told(self.engine):
            return self._collected(self.frame.group_by(*names).agg(times) if names else self.frame.select(times))

    def repeated(self, names: Sequence[str]) -> tuple[int, int]:
        """Return how many rows repeat what others have in some columns, where these are filled; and all rows."""
        with told(self.engine):
            known = self.frame.select(*names).drop_nulls()
            filled, different, rows = (
                int(self._collected(one.select(nw.len().alias(TIMES)))[TIMES][0])
                for one in (known, known.unique(), self.frame)
            )
        return filled - different, rows

    def whole(self) -> pl.DataFrame:
        """Bring all rows into memory."""
        with told(self.engine):
            return self._collected(self.frame)

    def _collected(self, asked: "nw.LazyFrame[Any]") -> pl.DataFrame:
        return pl.DataFrame(asked.collect("polars").to_native())


def with_clean_names(frame: "nw.LazyFrame[Any]") -> "nw.LazyFrame[Any]":
    """Return a frame without blanks around its headers; refuse two that are the same, and too many."""
    names = frame.collect_schema().names()
    clean = with_clean_headers(pl.DataFrame(schema=dict.fromkeys(names, pl.Null))).columns
    return frame if clean == names else frame.rename(dict(zip(names, clean, strict=True)))
