"""The shipped Adult data has the known numbers, and its hierarchies cover it and nest."""

import csv
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from kspan.datasets import adult_hierarchies, load_adult
from kspan.errors import KspanError

COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
NUMBERS = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
GENERALIZED = [column for column in COLUMNS if column not in ("fnlwgt", "income")]
RANGES = {"age": range(17, 91), "education-num": range(1, 17), "hours-per-week": range(1, 100)}


@pytest.fixture(scope="module")
def adult() -> pl.DataFrame:
    return load_adult()


def hierarchy(column: str) -> list[list[str]]:
    with (adult_hierarchies() / f"{column}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter=";"))


@pytest.mark.parametrize(
    ("split", "missing", "rows"),
    [
        ("train", True, 32_561),
        ("test", True, 16_281),
        (None, True, 48_842),
        ("train", False, 30_162),
        ("test", False, 15_060),
        (None, False, 45_222),
    ],
)
def test_rows_and_columns(split: str | None, missing: bool, rows: int) -> None:
    people = load_adult(split, missing=missing)  # type: ignore[arg-type]
    assert people.height == rows
    assert people.columns == (COLUMNS if split else [*COLUMNS, "split"])
    assert bool(sum(people.null_count().row(0))) is missing


def test_splits_are_the_whole_in_order(adult: pl.DataFrame) -> None:
    assert adult["split"].to_list() == ["train"] * 32_561 + ["test"] * 16_281
    assert pl.concat([load_adult("train"), load_adult("test")]).equals(adult.drop("split"))


def test_unknown_split_is_refused() -> None:
    with pytest.raises(KspanError, match="'train', 'test' or None"):
        load_adult("validation")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("split", "missing", "low", "high"),
    [
        ("train", True, 24_720, 7_841),
        ("test", True, 12_435, 3_846),
        ("train", False, 22_654, 7_508),
        ("test", False, 11_360, 3_700),
    ],
)
def test_labels(split: str, missing: bool, low: int, high: int) -> None:
    people = load_adult(split, missing=missing)  # type: ignore[arg-type]
    assert dict(people.group_by("income").len().iter_rows()) == {"<=50K": low, ">50K": high}


def test_missing_cells_are_null(adult: pl.DataFrame) -> None:
    counts = adult.null_count().row(0, named=True)
    assert {column: n for column, n in counts.items() if n} == {
        "workclass": 2_799,
        "occupation": 2_809,
        "native-country": 857,
    }


def test_cells_are_clean(adult: pl.DataFrame) -> None:
    for column, kind in adult.schema.items():
        if column in NUMBERS:
            assert kind == pl.Int64
        else:
            assert kind == pl.String
            values = adult[column].drop_nulls().unique().to_list()
            assert all(value == value.strip() and value not in ("", "?") for value in values)


def test_first_and_last_person(adult: pl.DataFrame) -> None:
    assert adult.row(0)[:4] == (39, "State-gov", 77516, "Bachelors")
    assert adult.row(-1)[-3:] == ("United-States", ">50K", "test")


def test_education_and_its_number_say_the_same(adult: pl.DataFrame) -> None:
    assert adult.select("education", "education-num").unique().height == 16


def test_there_is_one_hierarchy_a_column() -> None:
    assert sorted(path.stem for path in adult_hierarchies().iterdir()) == sorted(GENERALIZED)


@pytest.mark.parametrize("column", GENERALIZED)
def test_hierarchy_covers_the_data(column: str, adult: pl.DataFrame) -> None:
    leaves = [row[0] for row in hierarchy(column)]
    assert len(leaves) == len(set(leaves))
    values = {str(value) for value in adult[column].drop_nulls().unique()}
    expected = {str(value) for value in RANGES[column]} if column in RANGES else values
    assert values <= expected
    assert set(leaves) == expected


@pytest.mark.parametrize("column", GENERALIZED)
def test_hierarchy_nests(column: str) -> None:
    levels = list(zip(*hierarchy(column), strict=True))
    assert set(levels[-1]) == {"*"}
    for below, above in pairwise(levels):
        assert len(set(zip(below, above, strict=True))) == len(set(below)), "a node has two parents"
        assert len(set(above)) < len(set(below)), "a level merges nothing"


@pytest.mark.parametrize("column", GENERALIZED)
def test_hierarchy_repeats_a_name_only_for_a_leaf_that_stays_alone(column: str) -> None:
    leaves_under: dict[str, set[str]] = {}
    levels_of: dict[str, set[int]] = {}
    for row in hierarchy(column):
        for level, name in enumerate(row):
            assert name == name.strip() != ""
            leaves_under.setdefault(name, set()).add(row[0])
            levels_of.setdefault(name, set()).add(level)
    for name, levels in levels_of.items():
        if len(levels) > 1:
            assert leaves_under[name] == {name}
            assert levels == set(range(max(levels) + 1))


@pytest.mark.parametrize("column", sorted(NUMBERS - {"fnlwgt"}))
def test_intervals_hold_their_numbers(column: str) -> None:
    for leaf, *names in hierarchy(column):
        for name in names[:-1]:
            low, high = map(int, name.strip("[]").split(", ")) if name.startswith("[") else (int(name), int(name))
            assert low <= int(leaf) <= high
            assert name == (leaf if low == high else f"[{low}, {high}]")


def test_education_levels_agree_with_those_of_its_number(adult: pl.DataFrame) -> None:
    by_name = {row[0]: row for row in hierarchy("education")}
    by_number = {row[0]: row for row in hierarchy("education-num")}
    pairs = adult.select("education", pl.col("education-num").cast(pl.String)).unique().rows()
    for level in range(5):
        merged = {(by_name[name][level], by_number[number][level]) for name, number in pairs}
        assert len(merged) == len({name for name, _ in merged}) == len({number for _, number in merged})


@pytest.mark.shared_data
def test_equals_the_papers_copy_cell_by_cell(shared_data: Path, adult: pl.DataFrame) -> None:
    splits = [
        pl.read_csv(shared_data / f"adult_{split}.csv.gz", null_values="?").with_columns(split=pl.lit(split))
        for split in ("train", "test")
    ]
    assert adult.equals(pl.concat(splits))
