"""Guesses about single columns: what names, cells and repetition tell."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from kspan.policy.guess.answer import Guess
from kspan.policy.guess.guess import guess, guesses, likely_target

ROWS = 200
SOME = np.random.default_rng(1)


def of(name: str, cells: Sequence[Any] | np.ndarray[Any, Any]) -> Guess:
    return guess(pl.Series(name, cells))


def drawn(*values: Any) -> list[Any]:
    return [values[at % len(values)] for at in range(ROWS)]


def numbers(low: int, high: int) -> list[int]:
    return SOME.integers(low, high, ROWS).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("sex", drawn(1, 2)),
        ("marital", drawn(1, 2, 3, 4, 5, 6)),
        ("education", drawn(1, 2, 3, 4, 5)),
        ("geschlecht", drawn(1.0, 2.0)),
        ("q17", drawn(1, 2, 3, 98, 99)),
        ("region", numbers(1, 40)),
        ("contract_type", numbers(100, 140)),
        ("school_id", numbers(1000, 1030)),
    ],
)
def test_codes_are_categories(name: str, cells: list[Any]) -> None:
    found = of(name, cells)
    assert (found.role, found.kind, found.categorical, found.widths) == ("public", "category", True, ())


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("age", numbers(17, 90)),
        ("alter", drawn(20, 30, 40)),
        ("children", drawn(0, 1, 2, 3, 4)),
        ("number_of_rooms", drawn(1, 2, 3, 4)),
        ("year", drawn(2008, 2009)),
        ("height", [150 + at / 7 for at in range(ROWS)]),
    ],
)
def test_ages_counts_years_and_measurements_are_numbers(name: str, cells: list[Any]) -> None:
    found = of(name, cells)
    assert (found.role, found.kind, found.categorical) == ("public", "number", False)
    step = min(np.diff(sorted(set(cells))))
    assert all(width >= 2 * step for width in found.widths)


@pytest.mark.parametrize(
    "word",
    [
        "asthma",
        "sbp",
        "cholesterol",
        "bmi",
        "glucose",
        "Blutdruck",
        "tension_arterielle",
        "colesterol",
        "malattia",
        "ziekte",
    ],
)
def test_health_is_private(word: str) -> None:
    assert of(word, numbers(80, 190)).role == "private"
    assert of(word, drawn("yes", "no")).role == "private"


@pytest.mark.parametrize(
    "word", ["spending", "Gehalt", "salaire", "ingresos", "stipendio", "renda", "inkomen", "account_balance"]
)
def test_money_is_private_even_if_no_amount_occurs_twice(word: str) -> None:
    found = of(word, SOME.permutation(90_000)[:ROWS])
    assert (found.role, found.kind) == ("private", "number")


@pytest.mark.parametrize("name", ["rec_no", "seqn", "lfd_nr", "Unnamed: 0", "id", "visit_id", "row_id"])
def test_numbers_of_records_are_identifiers(name: str) -> None:
    assert of(name, range(1, ROWS + 1)).role == "identifier"


def test_an_unnamed_counter_is_an_identifier_and_a_measure_is_none() -> None:
    assert of("thing", range(1, ROWS + 1)).role == "identifier"
    assert of("thing", SOME.permutation(90_000)[:ROWS]).role == "public"
    assert of("thing", SOME.random(ROWS)).role == "public"


@pytest.mark.parametrize(
    "cells", [numbers(1, 60), [f"P-{at % 50}" for at in range(ROWS)], [float(at % 50) for at in range(ROWS)]]
)
def test_an_id_that_repeats_says_which_rows_are_of_one_person(cells: list[Any]) -> None:
    found = of("patient_id", cells)
    assert (found.role, found.key) == ("identifier", "person")
    assert f"200 rows of {len(set(cells))} different people" in found.reason
    assert of("order_id", cells).key is None
    assert of("hhid", cells).key == "household"


def test_sampling_weights_are_told_from_body_weights() -> None:
    bodies, shares, many = SOME.normal(75, 12, ROWS), SOME.uniform(0.3, 2, ROWS), SOME.uniform(900, 90_000, ROWS)
    assert (of("weight", bodies).role, of("weight", bodies).key) == ("public", None)
    assert of("weight_kg", bodies).key is None
    assert of("Weight in lbs", many).key is None
    for name, cells in (("weight", many), ("wt", shares), ("pweight", shares), ("fnlwgt", many), ("WTMEC2YR", many)):
        assert (of(name, cells).role, of(name, cells).key) == ("identifier", "sampling_weight")


def test_coordinates_are_public_and_never_the_target() -> None:
    found = guesses(
        pl.DataFrame({"lat": SOME.uniform(47, 54, ROWS), "lon": SOME.uniform(6, 15, ROWS), "x": drawn(1, 2)})
    )
    assert [one.role for one in found] == ["public"] * 3
    assert likely_target(found) is None


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("dob", [date(1950, 1, 1) + timedelta(at) for at in range(ROWS)]),
        ("seen", [datetime(2021, 1, 1) + timedelta(hours=at) for at in range(ROWS)]),
        ("admitted", [f"2021-03-{at % 28 + 1:02d}" for at in range(ROWS)]),
        ("datum", [f"{at % 28 + 1:02d}.03.2021" for at in range(ROWS)]),
        ("x", [f"2021-03-{at % 28 + 1:02d}T10:{at % 60:02d}:00Z" for at in range(ROWS)]),
    ],
)
def test_dates_are_said_to_be_dates(name: str, cells: list[Any]) -> None:
    assert (of(name, cells).role, of(name, cells).kind) == ("public", "date")


@pytest.mark.parametrize(
    ("name", "cells", "role", "declared"),
    [
        ("zip", [f"{at:05d}" for at in range(501, 501 + ROWS)], "public", False),
        ("plz", numbers(10_000, 99_999), "public", True),
        ("codigo_postal", [f"{28_000 + at}" for at in range(ROWS)], "public", True),
        ("fips", [f"{at % 90:05d}" for at in range(ROWS)], "public", False),
        ("dx", [f"J{at % 90:02d}.{at % 7}" for at in range(ROWS)], "private", False),
        ("home", [f"SW{at % 9 + 1}A {at % 7}AB" for at in range(ROWS)], "public", False),
        ("phone_prefix", drawn("030", "0221", "089", "040", "0711"), "public", False),
    ],
)
def test_codes_that_tell_less_without_their_end_have_prefixes(
    name: str, cells: list[Any], role: str, declared: bool
) -> None:
    found = of(name, cells)
    assert (found.role, found.kind, found.prefixes, found.categorical) == (role, "category", True, declared)


@pytest.mark.parametrize(
    "cells",
    [
        [f"somebody{at}@example.org" for at in range(ROWS)],
        [f"+49 30 {at + 1_000_000}" for at in range(ROWS)],
        [f"10.0.{at // 250}.{at % 250}" for at in range(ROWS)],
        [f"{at:08x}-0000-4000-8000-{at:012x}" for at in range(ROWS)],
        [
            f"{first} {chr(65 + at % 26)}{'abcdefg'[at % 7]}rner"
            for at, first in enumerate(drawn("Anna", "Peter", "Maria"))
        ],
    ],
)
def test_cells_that_point_at_people_give_themselves_away(cells: list[str]) -> None:
    assert of("x", cells).role == "identifier"


def test_free_text_is_no_category() -> None:
    cells = [f"patient {at} came in with a cough and went home" for at in range(ROWS)]
    assert (of("x", cells).role, of("x", cells).kind) == ("identifier", "free text")
    assert of("x", drawn("a long label of many words", "another long label of words")).kind == "category"


def test_two_values_point_at_nobody() -> None:
    assert of("email", drawn("yes", "no")).role == "public"


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"age": numbers(20, 60), "disease": drawn("flu", "hiv", "none")}, "disease"),
        ({"income": drawn("<=50K", ">50K"), "hours": numbers(1, 99)}, "income"),
        ({"disease": drawn("flu", "hiv"), "died": drawn(0, 1)}, "died"),
        ({"bmi": SOME.normal(25, 3, ROWS), "salary": numbers(900, 9_000)}, None),
        ({"weight": SOME.uniform(900, 90_000, ROWS), "lat": SOME.uniform(47, 54, ROWS)}, None),
    ],
)
def test_the_likely_target_is_a_private_category(columns: dict[str, Any], target: str | None) -> None:
    found = likely_target(guesses(pl.DataFrame(columns)))
    assert (found and found.column) == target


def test_no_reason_quotes_a_cell() -> None:
    cells = [f"secret{at}" for at in range(ROWS)]
    for name in ("name", "diagnosis", "notes", "zip", "thing"):
        assert "secret" not in of(name, cells).comment
