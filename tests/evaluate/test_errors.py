"""Errors of numbers are those of a plain sum, and are written so that people can read them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.data.kinds.days import DAYS
from kspan.data.kinds.numbers import NUMBERS
from kspan.evaluate.errors import Errors, Ruler, explaining, mean_of, numbers_of

NUMBER = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.lists(st.tuples(NUMBER, NUMBER, st.integers(1, 5)), min_size=1, max_size=20), NUMBER)
def test_the_law(rows: list[tuple[float, float, int]], guess: float) -> None:
    """A row with a weight is so many rows."""
    found, true, weights = (np.array(each) for each in zip(*rows, strict=True))
    told = Errors.of(found, true, guess, weights)
    every = [(ours, theirs) for ours, theirs, times in rows for _ in range(times)]
    assert told.mean_absolute == pytest.approx(sum(abs(ours - theirs) for ours, theirs in every) / len(every))
    assert told.guessing == pytest.approx(sum(abs(guess - theirs) for _, theirs in every) / len(every))
    worst = sum((guess - theirs) ** 2 for _, theirs in every)
    if worst > 1e-6:
        left = sum((ours - theirs) ** 2 for ours, theirs in every) / worst
        assert told.explained == pytest.approx(1 - left, rel=1e-6, abs=1e-6)


def test_where_all_have_one_number_nothing_can_be_explained() -> None:
    same = np.full(7, 0.1)
    assert mean_of(same) == mean_of(same, np.arange(1, 8)) == 0.1, "not a little off"
    assert Errors.of(same, same, mean_of(same)) == Errors(0.0, 0.0, None)


@pytest.mark.parametrize(
    ("unit", "errors", "told"),
    [
        (None, (7.3512, 7.9), ["7.35", "7.90"]),
        (None, (0.98, 1.04), ["0.98", "1.04"]),
        (None, (51234.6, 100.0), ["51,235", "100"]),
        (None, (0.0, 0.0), ["0", "0"]),
        (None, (1.5e-9, 0.0), ["1.5e-09", "0"]),
        (None, (2e40, 0.0), ["2e+40", "0"]),
        ("days", (12.34, 15.21), ["12.3 days", "15.2 days"]),
        ("days", (0.5, 0.0), ["0.500 days", "0.000 days"]),
        ("seconds", (86400.0, 3 * 86400.0), ["1.00 days", "3.00 days"]),
        ("seconds", (5400.0, 7200.0), ["1.50 hours", "2.00 hours"]),
        ("seconds", (120.0, 60.0), ["2.00 minutes", "1.00 minutes"]),
        ("seconds", (100.0, 60.0), ["100 seconds", "60 seconds"]),
        ("seconds", (0.0, 0.0), ["0 seconds", "0 seconds"]),
    ],
)
def test_how_errors_are_written(unit: str | None, errors: tuple[float, float], told: list[str]) -> None:
    ruler = Ruler.of(unit, *errors)
    assert [ruler.text(error) for error in errors] == told


def test_rounding_explains_nothing() -> None:
    true = np.array([0.1, 0.2, 0.4, 0.7])
    found = Errors.of(np.full(4, true.mean() * (1 + 1e-15)), true, true.mean())
    assert found.explained == 0.0
    assert explaining(found.mean_absolute, found.guessing, found.explained) == "It explains nothing of how they differ"
    assert explaining(found.guessing, found.guessing * (1 + 1e-15), 0.0) == "It explains nothing of how they differ"


def test_mean_errors_and_squares_may_disagree() -> None:
    assert explaining(7.0, 8.0, 0.2).startswith("It explains 20.0%")
    assert explaining(8.0, 7.0, 0.2).startswith("Yet it explains 20.0%"), "small errors are many, and large ones few"
    assert explaining(7.0, 8.0, -0.2).startswith("Yet it explains nothing")
    assert explaining(8.0, 7.0, -0.2).startswith("It explains nothing")
    assert explaining(7.0, 7.0, None) == "It explains nothing of how they differ"


def test_only_numbers_of_the_same_kind_are_compared() -> None:
    assert np.isnan(numbers_of(pl.Series("pay", ["1", None, "*"]), NUMBERS)).tolist() == [False, True, True]
    assert np.isnan(numbers_of(pl.Series("pay", [None, None], dtype=pl.String), NUMBERS)).all()
    assert numbers_of(pl.Series("day", ["1970-01-03", "1970-02-01"]), DAYS).tolist() == [2, 31]
    for cells, kind in ((["rich"], NUMBERS), (["1970-01-03"], NUMBERS), (["3"], DAYS)):
        with pytest.raises(ks.DataError, match="does not hold"):
            numbers_of(pl.Series("pay", cells), kind)
