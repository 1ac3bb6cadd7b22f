"""Clusters of released tables: ranges count as their middle and sets as equal shares, by the definition."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.cells import Between, OneOf, read_cell

VALUES = ("a", "b", "c")
RULES = ks.Policy(public=["age", "word"], private=["pay"], require="k=2", domains={"pay": [0, 9]})


def place(cell: Any, name: str) -> list[float]:
    """Where a cell is expected to be: a number, or a share of each word."""
    read = read_cell(str(cell))
    if name != "word":
        return [(read.low + read.high) / 2 if isinstance(read, Between) else float(cell)]
    words = VALUES if cell == "*" else read.values if isinstance(read, OneOf) else [cell]
    return [1 / len(words) if value in words else 0.0 for value in VALUES]


def squared(row: dict[str, Any], center: dict[str, Any], scales: dict[str, float]) -> float:
    total = 0.0
    for name in ("age", "word", "pay"):
        target = center[name] if isinstance(center[name], list) else [center[name]]
        away = sum((one - other) ** 2 for one, other in zip(place(row[name], name), target, strict=True))
        total += away / scales[name] ** 2 / (2 if name == "word" else 1)
    return total


AGES = st.sampled_from(["20", "[20, 30]", "[31, 40]", "35", "[60, 80]"])
WORDS = st.sampled_from(["a", "b", "c", "{a|b}", "{b|c}", "*"])


@given(data=st.data())
def test_everybody_is_at_the_center_that_is_nearest_to_what_is_expected(data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.tuples(AGES, WORDS), min_size=1, max_size=6))
    pays = data.draw(st.lists(st.integers(0, 9), min_size=2 * len(kinds), max_size=2 * len(kinds)))
    # All words and a range occur, so that the table is read as a released one.
    shown = [*kinds, ("[20, 30]", "a"), ("[20, 30]", "{b|c}")]
    rows = [(*kind, pay) for kind, pay in zip([each for each in shown for _ in "12"], [*pays, 1, 2, 3, 4], strict=True)]
    frame = pl.DataFrame(rows, schema=["age", "word", "pay"], orient="row")
    made = ks.learn_clusters(frame, RULES, most=4)
    scales = {axis.attribute.name: axis.scale for axis in made.axes}
    centers = [
        {axis.attribute.name: axis.written(center) for axis, center in zip(made.axes, each, strict=True)}
        for each in made.centers
    ]
    found = ks.predict(made, frame)["cluster"].to_list()
    for row, number in zip(frame.rows(named=True), found, strict=True):
        away = [squared(row, center, scales) for center in centers]
        assert away[number - 1] == pytest.approx(min(away), abs=1e-9)
    assert sum(made.people) == frame.height
    assert ks.audit(made, frame, RULES).holds


def test_one_cluster_of_a_released_table_is_at_the_expected_mean() -> None:
    frame = pl.DataFrame({"age": ["[20, 30]"] * 2 + ["40"] * 2, "word": ["{a|b}"] * 2 + ["c"] * 2, "pay": [1, 3, 5, 7]})
    one = ks.learn_clusters(frame, RULES, most=1)
    assert one.centers == (((32.5,), (0.25, 0.25, 0.5), (4.0,)),)


def test_rows_of_one_group_stay_together_and_the_people_may_not() -> None:
    people = ks.datasets.load_adult("train").select("age", "education", "hours-per-week", "capital-gain").head(2000)
    rules = ks.Policy(
        public=people.columns[:-1], private=["capital-gain"], require="k=10", domains={"capital-gain": [0, 99999]}
    )
    table = ks.anonymize(people, rules, "mondrian", secret="0" * 32).frame
    made = ks.learn_clusters(table, rules, most=6)
    assert {axis.attribute.name for axis in made.axes if axis.attribute.is_measured} >= {"age", "hours-per-week"}
    assert "{" not in "".join(value for axis in made.axes for value in axis.attribute.values)
    assert len(made) > 1
    assert ks.audit(made, table, rules).holds
    # Judged by the people themselves, some of whom are elsewhere than their group is expected, spans are smaller.
    assert ks.audit(made, table, rules).k.people >= 10 > ks.audit(made, people, rules).k.people


def test_a_number_that_nobody_knows_is_refused() -> None:
    frame = pl.DataFrame({"age": ["[20, 30]", "*", "[20, 30]", "*"], "word": ["a"] * 4, "pay": [1, 3, 5, 7]})
    with pytest.raises(ks.DataError, match=r"column 'age' must show a number or a range for everybody, and not \*"):
        ks.learn_clusters(frame, RULES)
