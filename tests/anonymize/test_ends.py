"""Where ranges of numbers may end."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.anonymize.ends import with_crowded_ends
from kspan.data.cells import Between, Exact, read_cell
from kspan.data.encode import encode
from kspan.data.grid import Multiples, PartsOfCalendar, coarser, declared_grid, grids
from kspan.data.kinds.days import DAYS
from kspan.data.kinds.numbers import NUMBERS

WHOLE = st.integers(-60, 60)
LARGE = st.integers(2**62, 2**63 - 1)
REAL = st.floats(-1e3, 1e3, allow_nan=False).map(lambda number: round(number, 3))
TINY = st.floats(-1e-8, 1e-8, allow_nan=False)


def between(text: str) -> Between:
    cell = read_cell(text)
    return cell if isinstance(cell, Between) else Between(float(cell.value), float(cell.value))  # type: ignore[union-attr]


def admits(cell: Between, number: float) -> bool:
    above = number > cell.low if cell.without_low else number >= cell.low
    return above and (number < cell.high if cell.without_high else number <= cell.high)


@given(st.data(), st.integers(2, 6), st.sampled_from(["whole", "large", "real", "tiny"]), st.booleans())
def test_cells_are_true_apart_and_end_where_they_may(data: Any, k: int, kind: str, declared: bool) -> None:
    values = {"whole": WHOLE, "large": LARGE, "real": REAL, "tiny": TINY}[kind]
    numbers = data.draw(st.lists(values, min_size=k, max_size=40))
    numbers += data.draw(st.lists(st.sampled_from(numbers), max_size=20))
    domain = {"x": (-2000, 2000)} if declared and kind in ("whole", "real") else {}
    policy = ks.Policy(public=["x"], private=["y"], require=f"k={k}", domains=domain)
    table = encode(pl.DataFrame({"x": numbers, "y": ["a"] * len(numbers)}), policy)
    assume(table["x"].is_measured)
    coarse, said = with_crowded_ends(table, policy, ["x"])
    column, times = coarse["x"], Counter(numbers)
    assert set(said) == {"x"}
    for number, code in zip(numbers, column.codes.tolist(), strict=True):
        text = column.label(code)
        if kind == "large":  # floats skip whole numbers of that size
            ends = [int(end) for end in text.strip("[]").split(", ")]
            assert ends[0] <= number <= ends[-1]
        else:
            assert admits(between(text), number)
        if times[number] >= k:
            assert text == pl.Series([number]).cast(pl.String)[0].removesuffix(".0") or kind in ("real", "tiny")
    if kind == "large":
        return
    cells = [between(column.label(code)) for code in range(len(column.values))]
    for one, other in pairwise(cells):
        assert one.high < other.low or (one.high == other.low and (one.without_high or other.without_low))
    step = float(said["x"].split("multiples of ")[1]) if "multiples of" in said["x"] else None
    for end in {end for cell in cells for end in (cell.low, cell.high)}:
        round_ = step is not None and abs(end / step - round(end / step)) < 1e-6
        assert times[end] >= k or round_ or end in (-2000, 2000)


@given(
    st.lists(WHOLE | REAL | st.integers(-5, 5).map(lambda power: 10.0**power), min_size=4, max_size=30),
    st.integers(2, 6),
)
def test_every_cell_ends_where_a_crowd_is_or_where_another_cell_does(numbers: list[float], k: int) -> None:
    """By the definition: a cell is that of the finest grid with company, less what finer cells beside it take."""
    k = min(k, len(numbers))
    policy = ks.Policy(public=["x"], private=["y"], require=f"k={k}")
    table = encode(pl.DataFrame({"x": [float(one) for one in numbers], "y": ["a"] * len(numbers)}), policy)
    coarse, said = with_crowded_ends(table, policy, ["x"])
    if "multiples of" not in said["x"]:
        return
    column, times = coarse["x"], Counter(numbers)
    steps = [*coarser(Multiples(float(said["x"].split("multiples of ")[1])), max(map(abs, numbers)))]

    def finest(number: float) -> tuple[float, float]:
        for grid in steps:
            (low,), (high,), _ = grid.cells(np.array([number]))
            near = [one for one in numbers if low <= one < high]
            if len(near) >= max(k / 2, 1.5) and len(set(near)) > 1:
                break
        return float(low), float(high)

    for number, code in zip(numbers, column.codes.tolist(), strict=True):
        if times[number] >= k:
            continue
        cell, (low, high) = between(column.label(code)), finest(number)
        assert low <= cell.low <= number <= cell.high <= high
        others = {end for one in numbers if times[one] < k for end in finest(one)} | {
            one for one in numbers if times[one] >= k
        }
        assert {cell.low, cell.high} <= others


@given(st.lists(st.dates(), min_size=3, max_size=30), st.integers(2, 4))
def test_dates_end_at_parts_of_the_calendar(dates: list[Any], k: int) -> None:
    policy = ks.Policy(public=["x"], private=["y"], require=f"k={min(k, len(dates))}")
    frame = pl.DataFrame({"x": dates, "y": ["a"] * len(dates)})
    coarse, _ = with_crowded_ends(encode(frame, policy), policy, ["x"])
    column, days = coarse["x"], pl.Series(dates).cast(pl.Int32).to_list()
    for day, code in zip(days, column.codes.tolist(), strict=True):
        cell = read_cell(column.label(code))
        low, high = (cell.low, cell.high) if isinstance(cell, Between) else (float(cell.value),) * 2  # type: ignore[union-attr]
        assert low <= day <= high
        assert DAYS.read(DAYS.show(column.label(code))) == column.label(code)


def test_a_grid_may_be_declared() -> None:
    people = pl.DataFrame({"age": [31, 33, 38, 41, 41, 41, 44, 58], "ill": list("abababab")})
    policy = ks.Policy(public=["age"], private=["ill"], require="k=3", grid={"age": 10})
    release = ks.anonymize(people, policy, "mondrian")
    assert set(release.frame["age"]) == {"[30, 40[", "[40, 60["}
    assert release.manifest()["claim"]["ends"] == {"age": "multiples of 10"}
    exact = ks.anonymize(people, replace(policy, grid="exact"), "mondrian")
    assert set(exact.frame["age"]) == {"[31, 38]", "[41, 58]"}
    assert exact.manifest()["claim"]["ends"] == "numbers of the people in the table"


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ({"ill": 5}, "which is not public"),
        ({"age": [5]}, "must be a number"),
        ({"age": True}, "must be a number"),
        ({"age": 0}, "is 0"),
        ({"age": -5}, "the grid of 'age'"),
        ({"age": "month"}, "the grid of 'age'"),
        ("round", "or the word 'exact'"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(grid: Any, said: str) -> None:
    people = pl.DataFrame({"age": [31, 33, 38, 41], "ill": list("abab")})
    with pytest.raises(ks.PolicyError, match=said):
        ks.anonymize(people, ks.Policy(public=["age"], private=["ill"], require="k=2", grid=grid), "mondrian")


def test_a_grid_survives_a_file(tmp_path: Any) -> None:
    policy = ks.Policy(public=["age", "born"], private=["ill"], require="k=2", grid={"age": 2.5, "born": "year"})
    policy.save(tmp_path / "policy.toml")
    assert ks.Policy.load(tmp_path / "policy.toml") == policy
    replace(policy, grid="exact").save(tmp_path / "policy.toml")
    assert ks.Policy.load(tmp_path / "policy.toml").grid == "exact"


def test_grids_of_each_kind() -> None:
    assert [str(grid) for grid in grids(NUMBERS, np.array([0, 9]))][:3] == [
        "multiples of 2", "multiples of 5", "multiples of 10",
    ]  # fmt: skip
    assert isinstance(next(iter(grids(DAYS, np.array([0, 9])))), PartsOfCalendar)
    assert declared_grid("born", DAYS, "decade") == PartsOfCalendar("decade", DAYS)
    assert declared_grid("x", NUMBERS, 0.5) == Multiples(0.5)
    with pytest.raises(ks.PolicyError, match="did you mean 'month'"):
        declared_grid("born", DAYS, "mont")


def test_rows_of_one_person_are_no_crowd() -> None:
    visits = pl.DataFrame({"id": [1, 1, 1, 2, 3, 4], "age": [30, 30, 30, 41, 42, 44], "ill": list("abcabc")})
    policy = ks.Policy(person="id", public=["age"], private=["ill"], require="k=3")
    coarse, _ = with_crowded_ends(encode(visits, policy, by_person=True), policy, ["age"])
    assert isinstance(read_cell(coarse["age"].label(0)), Between)
    assert not isinstance(read_cell(coarse["age"].label(0)), Exact)
