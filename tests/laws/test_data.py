"""Coding, counting, cells and hierarchies: each against the plainest thing that could do the same."""

import csv
import io
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kspan.data.cells import OneOf, read_cell, write_set
from kspan.data.encode import encode
from kspan.data.groups import NO_WEIGHTS, group_rows, tally
from kspan.data.hierarchy import Hierarchy, read_hierarchy, write_hierarchy
from kspan.data.levels import Automatic, Intervals, Ordered, Prefixes
from kspan.data.schema import Schema
from kspan.frames.csv import Dialect, read_csv
from kspan.kernels import tally_dense, tally_hashed

WORD = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)


@given(keys=st.lists(st.integers(0, 50)), weights=st.lists(st.integers(1, 9), min_size=60, max_size=60))
def test_tallies_equal_a_counter(keys: list[int], weights: list[int]) -> None:
    array, weight = np.array(keys, np.int64), np.array(weights[: len(keys)], np.int64)
    assume(len(keys) <= 60)
    expected: Counter[int] = Counter()
    for key, one in zip(keys, weights, strict=False):
        expected[key] += one
    located = np.empty(len(keys), np.int64)
    dense = (*tally_dense(array, weight, np.zeros(51, np.int64), located), located)
    for distinct, total, places in (dense, tally_hashed(array, weight)):
        assert dict(zip(distinct.tolist(), total.tolist(), strict=True)) == dict(expected)
        assert distinct[places].tolist() == keys


@given(keys=st.lists(st.integers(0, 2**62), min_size=1))
def test_tally_of_large_keys_is_sorted(keys: list[int]) -> None:
    distinct, weight, places = tally(np.array(keys, np.int64), 2**62 + 1, NO_WEIGHTS, locate=True)
    assert distinct.tolist() == sorted(set(keys))
    assert distinct[places].tolist() == keys
    assert weight.sum() == len(keys)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1))
def test_groups_are_equal_tuples_in_lexicographic_order(rows: list[tuple[int, ...]]) -> None:
    table = encode(pl.DataFrame(rows, schema=list("abc"), orient="row"), Schema(public=list("abc")))
    group, number = group_rows(list(table.columns.values()), table.rows)
    order = {row: place for place, row in enumerate(sorted(set(rows)))}
    assert group.tolist() == [order[row] for row in rows]
    assert number == len(order)


def test_many_wide_columns_do_not_overflow() -> None:
    # 2000 values in each of 12 columns: far more combinations than 64 bits can number.
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": rng.permutation(2000) for i in range(12)})
    table = encode(pl.concat([frame, frame]), Schema(public=frame.columns))
    group, number = group_rows(list(table.columns.values()), table.rows)
    assert number == 2000
    assert (group[:2000] == group[2000:]).all()


@given(cells=st.lists(st.none() | WORD, min_size=1))
def test_words_come_back_from_their_codes(cells: list[str | None]) -> None:
    column = encode(
        pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)}), Schema(public=["x"], domains={"x": "categorical"})
    )["x"]
    expected = ["(missing)" if cell is None else cell for cell in cells]
    assert [column.label(code) for code in column.codes.tolist()] == expected
    assert column.values.tolist() == sorted({cell for cell in cells if cell not in (None, "*")})


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pl.Int64, pl.Float64, pl.Int8, pl.UInt64])
@given(cells=st.lists(st.none() | st.integers(0, 100), min_size=1))
def test_codes_of_numbers_are_ranks(kind: Any, cells: list[int | None]) -> None:
    column = encode(pl.DataFrame({"x": pl.Series(cells, dtype=kind)}), Schema(public=["x"]))["x"]
    ranks = sorted({cell for cell in cells if cell is not None})
    assert column.codes.tolist() == [len(ranks) if cell is None else ranks.index(cell) for cell in cells]
    assert column.is_measured
    as_text = encode(pl.DataFrame({"x": pl.Series(cells, dtype=pl.Int64).cast(pl.String)}), Schema(public=["x"]))["x"]
    if ranks:
        assert as_text.codes.tolist() == column.codes.tolist()


@pytest.mark.parametrize(("values", "kind"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)])
def test_codes_take_the_smallest_type(values: int, kind: type) -> None:
    for column in (pl.arange(values, eager=True), pl.arange(values, eager=True).cast(pl.String) + "x"):
        codes = encode(pl.DataFrame({"x": column}), Schema(public=["x"]))["x"].codes
        assert codes.dtype == kind
        assert codes.flags.c_contiguous


@given(st.lists(WORD.filter(bool), min_size=1))
def test_sets_come_back_from_their_cells(values: list[str]) -> None:
    assert read_cell(write_set(values)) == OneOf(tuple(values))


VALUES = st.lists(
    st.text("abc123|{};, ", min_size=1, max_size=4).filter(lambda v: v == v.strip()), min_size=1, unique=True
)
NUMBERS = st.lists(st.integers(-50, 200), min_size=1, unique=True).map(lambda numbers: [str(n) for n in numbers])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "values"),
    [
        (Prefixes(mask="•"), VALUES),
        (Ordered(), VALUES),
        (Ordered(fanout=3), NUMBERS),
        (Automatic(), VALUES),
        (Automatic(), NUMBERS),
        (Intervals((5, 10, 20)), NUMBERS),
        (Intervals((0.5, 2)), NUMBERS),
    ],
)
@given(data=st.data())
def test_recipes_build_nested_levels_up_to_one_root(
    recipe: Any, values: Any, data: st.DataObject, tmp_path_factory: Any
) -> None:
    drawn = data.draw(values)
    built = recipe.build(drawn)
    assert sorted(built.values) == sorted(drawn)
    assert len(built.names[-1]) == 1
    for level in range(len(built.levels) - 1):
        assert built.parents(level)[built.codes(level)].tolist() == built.codes(level + 1).tolist()
        assert len(built.names[level + 1]) <= len(built.names[level])
    path = tmp_path_factory.getbasetemp() / "hierarchy.csv"
    write_hierarchy(built, path)
    assert read_hierarchy(path).levels == built.levels


def test_paths_of_general_names_begin_at_their_level() -> None:
    jobs = Hierarchy.of([("nurse", "health", "work"), ("clerk", "office", "work"), ("none", "none", "none")])
    assert jobs.path("nurse") == ("nurse", "health", "work", "*")
    assert jobs.path("work") == ("work", "work", "work", "*")
    assert jobs.path("none") == ("none", "none", "none", "*")


CELL = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(',;|\t"\n\r '), max_size=5)


@given(
    rows=st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=6)
    ),
    delimiter=st.sampled_from(",;|\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    newline=st.sampled_from(["\n", "\r\n"]),
    mark=st.booleans(),
)
def test_csv_is_read_as_it_was_written(rows: Any, delimiter: str, quoting: Any, newline: str, mark: bool) -> None:
    header = [f"column {place}" for place in range(len(rows[0]))]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=newline).writerows([header, *rows])
    content = text.getvalue().encode("utf-8-sig" if mark else "utf-8")
    cells = read_csv(content, "table.csv", Dialect(delimiter=delimiter))
    expected = [[cell or None for cell in row] for row in rows]  # an empty cell is missing
    assume(delimiter.strip() or not any(row == [None] * len(row) for row in expected))
    assert cells.columns == header
    assert [list(row) for row in cells.rows()] == expected
