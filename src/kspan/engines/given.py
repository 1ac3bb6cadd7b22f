"""Tables that are given in Python and stay where they are: lazy frames of polars, and relations of DuckDB."""

from typing import Any

import narwhals as nw

from kspan.engines.duckdb_rows import rows_of_relation
from kspan.engines.lazy import rows_of_frame
from kspan.engines.rows import Rows


def lazy_rows(given: Any) -> Rows | None:
    """Return a table that an engine holds; None if it is none, or one of an engine that is not asked where it is.

    Those are read into memory: nobody has shown yet that they tell texts apart by bytes.
    """
    if isinstance(given, Rows):
        return given
    frame = nw.from_native(given, pass_through=True)
    if not isinstance(frame, nw.LazyFrame):
        return None
    if frame.implementation.is_polars():
        return rows_of_frame(given)
    return rows_of_relation(given) if frame.implementation.is_duckdb() else None
