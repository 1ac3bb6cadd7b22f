"""Loss by hand: every kind of cell, with and without a declared domain."""

import polars as pl
import pytest

import kspan as ks
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.model.partition import Partition
from kspan.utility.loss import certainty_penalty, discernibility, penalties


def penalty_of(cells: list[str | None], **schema: object) -> dict[str, float]:
    column = encode(pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)}), Schema(public=["x"], **schema))["x"]  # type: ignore[arg-type]
    return {column.label(code): penalty for code, penalty in enumerate(penalties(column).tolist())}


def test_exact_and_missing_cells_cost_nothing() -> None:
    assert penalty_of(["a", "b", None]) == {"a": 0.0, "b": 0.0, "(missing)": 0.0}
    assert penalty_of(["1", "2", None]) == {"1": 0.0, "2": 0.0, "(missing)": 0.0}


def test_a_suppressed_cell_costs_all() -> None:
    assert penalty_of(["a", "*"])["*"] == 1.0
    assert penalty_of(["7", "*"])["*"] == 1.0
    assert penalty_of(["*", "*"]) == {"*": 1.0}


def test_an_interval_costs_its_share_of_the_range() -> None:
    declared = penalty_of(["[20, 40]", "25", "{20|30}"], domains={"x": [0, 100]})
    assert declared == {"25": 0.0, "[20, 40]": 0.2, "{20|30}": 0.1}
    inferred = penalty_of(["[20, 40]", "[40, 60]", "25"])
    assert inferred == {"25": 0.0, "[20, 40]": 0.5, "[40, 60]": 0.5}


def test_a_set_costs_its_share_of_the_values() -> None:
    assert penalty_of(["{a|b}", "c", "d"]) == {"c": 0.0, "d": 0.0, "{a|b}": 0.5}
    assert penalty_of(["{a|b}", "c"], domains={"x": list("abcde")})["{a|b}"] == 0.4


def test_a_name_of_the_hierarchy_costs_the_values_below_it() -> None:
    jobs = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office"), ("boss", "boss")])
    cost = penalty_of(["nurse", "health", "office", "boss", "*"], hierarchies={"x": jobs})
    assert cost == {"boss": 0.0, "health": 0.5, "nurse": 0.0, "office": 0.0, "*": 1.0}


def test_a_domain_of_one_number_leaves_nothing_open() -> None:
    assert penalty_of(["[5, 5]"]) == {"[5, 5]": 0.0}
    assert penalty_of(["[5, 5]", "5"]) == {"5": 0.0}


def test_ncp_averages_over_people_and_columns() -> None:
    frame = pl.DataFrame({"age": ["[0, 50]", "[0, 50]", "100"], "sex": ["*", "*", "F"]})
    table = encode(frame, Schema(public=["age", "sex"], domains={"age": [0, 100]}))
    partition = Partition.by_equality(table, ["age", "sex"])
    sizes = ks.audit(frame, ks.Policy(public=["age", "sex"], domains={"age": [0, 100]}, require="k=1"))
    assert partition.withheld == 0
    assert sizes.utility.ncp == pytest.approx((0.5 + 0.5 + 0 + 1 + 1 + 0) / 6)
    assert certainty_penalty(partition, _sizes(partition)) == sizes.utility.ncp


def _sizes(partition: Partition) -> object:
    import numpy as np

    return np.bincount(partition.group)


def test_withheld_rows_cost_the_whole_table() -> None:
    assert discernibility([10, 5], withheld=2) == 100 + 25 + 2 * 17
