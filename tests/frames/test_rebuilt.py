"""What is written holds the cells that are shown and nothing else, in every format."""

import io
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.errors import DataError
from kspan.frames.files import WRITERS, parsed_table, table_content
from kspan.frames.rebuilt import rebuilt

ROWS = 12
CELLS: dict[str, Any] = {
    "text": [f"a text that is longer than twelve bytes {row}" for row in range(ROWS)],
    "short": [f"t{row}" for row in range(ROWS)],
    "whole": [7_000_003 * (row + 1) for row in range(ROWS)],
    "small": pl.Series([row + 1 for row in range(ROWS)], dtype=pl.UInt8),
    "number": [0.1234567 * (row + 1) for row in range(ROWS)],
    "single": pl.Series([0.5 * (row + 1) for row in range(ROWS)], dtype=pl.Float32),
    "flag": [row % 2 == 0 for row in range(ROWS)],
    "day": [date(2001, 1, 1) + timedelta(row) for row in range(ROWS)],
    "moment": [datetime(2001, 1, 1, 2, 3) + timedelta(row) for row in range(ROWS)],
    "hour": [time(row, 4, 5) for row in range(ROWS)],
    "length": [timedelta(hours=row) for row in range(ROWS)],
    "money": [Decimal(f"{row}.25") for row in range(ROWS)],
    "category": pl.Series([f"category-{row}" for row in range(ROWS)], dtype=pl.Categorical),
    "choice": pl.Series(
        [f"choice-{row}" for row in range(ROWS)], dtype=pl.Enum([*(f"choice-{row}" for row in range(ROWS)), "unused"])
    ),
    "nothing": pl.Series([None] * ROWS, dtype=pl.Null),
}


def as_ipc(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_ipc(out)
    return out.getvalue()


@given(st.lists(st.integers(0, ROWS - 1), min_size=1), st.lists(st.booleans(), min_size=ROWS, max_size=ROWS))
def test_the_cells_stay_and_nothing_else_does(rows: list[int], shown: list[bool]) -> None:
    whole = pl.DataFrame(CELLS)
    frame = whole.select(pl.when(pl.Series(shown)).then(pl.all()))[rows]
    made = rebuilt(frame)
    as_text = frame.with_columns(pl.col("category", "choice").cast(pl.String))
    assert made.equals(as_text)
    assert made.schema == as_text.schema
    content = as_ipc(made)
    # What Python values make of their own is the measure: the same bytes, so not one of another row.
    fresh = pl.DataFrame(as_text.to_dicts(), schema=as_text.schema)
    assert content == as_ipc(rebuilt(fresh))
    for row in set(range(ROWS)) - {row for row in rows if shown[row]}:
        assert CELLS["text"][row].encode() + b" " not in content + b" "
        assert f"choice-{row}\0".encode() not in content
        assert CELLS["whole"][row].to_bytes(8, "little") not in content


def test_arrow_buffers_follow_the_released_order_and_hold_no_more() -> None:
    texts = pl.Series("note", [f"the note of somebody, number {row:03}" for row in range(100)])
    released = rebuilt(pl.DataFrame([texts])[[70, 3, 41]])
    column = released.to_arrow()["note"].combine_chunks()
    held = b"".join(bytes(buffer) for buffer in column.buffers() if buffer is not None)
    found = [int(part[:3]) for part in held.split(b"number ")[1:]]
    assert found == [70, 3, 41]


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_reads_back_and_holds_no_category_that_is_not_shown(kind: str) -> None:
    frame = pl.DataFrame({name: CELLS[name] for name in ("choice", "category", "text")})[2:4]
    content, _ = table_content(frame, Path(f"out{kind}"))
    assert b"unused" not in content
    if kind != ".parquet":  # which is compressed
        assert b"choice-7" not in content
        assert b"category-7" not in content
    assert parsed_table(content, "out").rows() == frame.cast(pl.String).rows()


def test_metadata_of_the_source_does_not_go_along() -> None:
    table = pa.table({"a": ["x", "y"]}).replace_schema_metadata({"owner": "SECRET-METADATA"})
    field = pa.field("b", pa.string(), metadata={"note": "SECRET-METADATA"})
    table = table.append_column(field, pa.array(["u", "v"]))
    frame = pl.DataFrame(pl.from_arrow(table))
    for kind in WRITERS:
        assert b"SECRET" not in table_content(frame, f"out{kind}")[0]


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}, b"bytes"])
def test_cells_that_hold_more_than_one_thing_are_refused(cell: Any) -> None:
    with pytest.raises(DataError, match="turn them into text or numbers first"):
        rebuilt(pl.DataFrame({"a": [cell]}))
