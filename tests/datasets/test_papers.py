"""The printed tables: what the papers say about them holds, and originals and anonymous versions line up."""

from collections.abc import Callable
from math import log2

import polars as pl
import pytest

from kspan.datasets import (
    mortgage,
    mortgage_anonymous,
    patients,
    patients_anonymous,
    sex_salary,
    small_mortgage,
    zip_income,
)

MORTGAGE_PUBLIC = ["Gender", "Married", "Age", "Sports car"]
PATIENTS_PUBLIC = ["Age", "Gender", "Postcode"]


def smallest_group(table: pl.DataFrame, columns: list[str]) -> int:
    return int(min(table.group_by(columns).len()["len"]))


def shows(cell: str, value: object) -> bool:
    """Whether a released cell admits the value."""
    return cell == "*" or str(value) in cell.strip("{}").split("|")


def entropy(counts: list[float]) -> float:
    return -sum(n / sum(counts) * log2(n / sum(counts)) for n in counts if n)


@pytest.mark.parametrize(
    ("original", "anonymous", "public", "private"),
    [
        (mortgage, mortgage_anonymous, MORTGAGE_PUBLIC, "Loan risk"),
        (patients, patients_anonymous, PATIENTS_PUBLIC, "Disease"),
    ],
)
def test_anonymous_rows_line_up_and_hide_each_person_among_three(
    original: Callable[[], pl.DataFrame], anonymous: Callable[[], pl.DataFrame], public: list[str], private: str
) -> None:
    before, after = original(), anonymous()
    assert before[private].to_list() == after[private].to_list()
    for column in public:
        assert all(map(shows, after[column], before[column]))
    assert smallest_group(before, public) == 1
    assert smallest_group(after, public) == 3


def test_mortgage_suppression_is_the_one_the_paper_describes() -> None:
    after = mortgage_anonymous()
    assert after["Sports car"].unique().to_list() == ["*"]
    assert after.filter(pl.col("Married") == "*")["Gender"].to_list() == ["Male"] * 6
    assert after.filter(pl.col("Age") == "*")["Gender"].to_list() == ["Female"] * 6


def test_mortgage_leaves_have_the_counts_of_figure_1() -> None:
    leaves = mortgage_anonymous().group_by("Gender", "Married", "Age").agg(good=(pl.col("Loan risk") == "Good").sum())
    assert {row[:3]: row[3] for row in leaves.iter_rows()} == {
        ("Male", "*", "Young"): 3,
        ("Male", "*", "Old"): 1,
        ("Female", "Yes", "*"): 0,
        ("Female", "No", "*"): 2,
    }


def test_without_gender_no_public_value_tells_good_from_bad_by_itself() -> None:
    # The paper: without the Gender column nothing better than half good, half bad can be had.
    for column in ["Married", "Age", "Sports car"]:
        shares = mortgage().group_by(column).agg((pl.col("Loan risk") == "Good").mean())["Loan risk"]
        assert shares.to_list() == [0.5, 0.5]


def test_small_mortgage_names_people_by_span() -> None:
    people = small_mortgage()
    married = people.filter(pl.col("Marital status") == "Married")["Name"].to_list()
    assert married == ["John", "Ben", "Laura"]
    # With the car public too, John is alone.
    assert smallest_group(people, ["Marital status", "Sports car"]) == 1
    assert smallest_group(people, ["Sports car"]) == 3
    assert people["Loan risk"].to_list().count("Good") == 2


def test_zip_income_is_numeric() -> None:
    people = zip_income()
    assert people.schema == {"Name": pl.String, "Zip code": pl.Int64, "Income": pl.Int64}
    assert people["Zip code"].to_list() == [11001, 11001, 13010, 13010, 14384, 15013]
    assert people["Income"].to_list() == [98_000, 62_000, 36_000, 115_000, 44_000, 100_000]


def test_patients_cells_are_the_sets_of_their_group_in_ascending_order() -> None:
    before, after = patients(), patients_anonymous()
    for group in (slice(0, 3), slice(3, 6)):
        for column in PATIENTS_PUBLIC:
            values = sorted(set(before[column][group]))
            assert after[column][group].unique().to_list() == ["{" + "|".join(map(str, values)) + "}"]


def test_sex_salary_gives_the_printed_entropies() -> None:
    counts = {
        sex: [salaries.count("<=50"), salaries.count(">50")]
        for sex, salaries in sex_salary().group_by("Sex").agg("Salary").iter_rows()
    }
    own_value = {sex: round(entropy(labels), 3) for sex, labels in counts.items()}
    assert own_value == {"F": 0.811, "M": 0.0, "{F|M}": 0.918}

    # Equal likelihood: half of each uncertain person counts as F, half as M.
    uncertain = counts.pop("{F|M}")
    likely = {sex: [n + u / 2 for n, u in zip(labels, uncertain, strict=True)] for sex, labels in counts.items()}
    assert {sex: sum(labels) for sex, labels in likely.items()} == {"F": 5.5, "M": 2.5}
    assert {sex: round(entropy(labels), 3) for sex, labels in likely.items()} == {"F": 0.845, "M": 0.971}
