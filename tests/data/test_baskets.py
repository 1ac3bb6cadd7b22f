"""Tables of items: the many ways to say yes and no, long tables, and what is refused."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import kspan as ks
from kspan.data.baskets import encode_baskets

YES_NO: dict[str, pl.Series] = {
    "bool": pl.Series([True, False]),
    "whole": pl.Series([1, 0]),
    "real": pl.Series([1.0, 0.0]),
    "words": pl.Series(["yes", "no"]),
    "other words": pl.Series(["True", " false "]),
    "letters": pl.Series(["T", "F"]),
    "arff": pl.Series(["t", "?"]),
    "digits": pl.Series(["1", "0"]),
    "or nothing": pl.Series(["t", None]),
    "true or nothing": pl.Series([True, None]),
    "one or nothing": pl.Series([1.0, float("nan")]),
    "enum": pl.Series(["y", "n"], dtype=pl.Categorical),
}


@pytest.mark.parametrize("way", YES_NO)
def test_every_way_to_say_yes_and_no(way: str) -> None:
    found = encode_baskets(pl.DataFrame({"tea": YES_NO[way]}), ["tea"])
    assert found.bought["tea"].tolist() == [True, False]


@pytest.mark.parametrize(
    "column",
    [["yes", "perhaps"], [0, 2], [0.5, 1.0], [1, -1], [["tea"], ["tea"]], ["2024", "1"]],
)
def test_anything_else_is_refused_by_column_and_not_by_cell(column: list[Any]) -> None:
    with pytest.raises(ks.DataError, match="column 'tea' says something else than yes or no") as error:
        encode_baskets(pl.DataFrame({"tea": column}), ["tea"])
    assert "perhaps" not in str(error.value)


def test_no_and_nothing_in_one_column_are_refused() -> None:
    with pytest.raises(ks.DataError, match="column 'tea' says no in some cells and nothing in 1"):
        encode_baskets(pl.DataFrame({"tea": ["yes", "no", None]}), ["tea"])


def test_columns_and_rows_must_be_there() -> None:
    with pytest.raises(ks.DataError, match=r"the table has no column 'tee' \(did you mean 'tea'\?\)"):
        encode_baskets(pl.DataFrame({"tea": [1]}), ["tee"])
    with pytest.raises(ks.DataError, match="the table has no rows"):
        encode_baskets(pl.DataFrame({"tea": []}), ["tea"])


def test_long_tables_become_wide_ones_of_the_same_kind(tmp_path: Path) -> None:
    long = pl.DataFrame({"id": ["b", "a", "b", "b"], "item": ["tea", "milk", "milk", "tea"]})
    wide = {"milk": [True, True], "tea": [True, False]}
    assert ks.baskets(long, transaction="id", item="item").to_dict(as_series=False) == wide
    assert ks.baskets(long.to_arrow(), transaction="id", item="item").to_pydict() == wide
    pandas = ks.baskets(pd.DataFrame(long.to_dict(as_series=False)), transaction="id", item="item")
    assert isinstance(pandas, pd.DataFrame)
    assert pandas.to_dict("list") == wide
    long.write_csv(tmp_path / "long.csv")
    assert ks.baskets(tmp_path / "long.csv", transaction="id", item="item").to_dict(as_series=False) == wide


def test_long_tables_that_cannot_be_used() -> None:
    long = pl.DataFrame({"id": [1, 1], "item": ["tea", None]})
    with pytest.raises(ks.DataError, match="column 'item' has 1 empty cells"):
        ks.baskets(long, transaction="id", item="item")
    with pytest.raises(ks.DataError, match=r"no column 'items' \(did you mean 'item'\?\)"):
        ks.baskets(long, transaction="id", item="items")
    with pytest.raises(ks.DataError, match="a column of transactions and another one of items"):
        ks.baskets(long, transaction="id", item="id")
