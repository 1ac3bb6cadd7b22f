"""The data sets and hierarchies of the papers: all of them are read, coded and audited."""

from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.data.encode import encode
from kspan.data.schema import Schema

pytestmark = pytest.mark.shared_data

SETS = {
    "adult_train.csv.gz": (32_561, 6, "income"),
    "adult_test.csv.gz": (16_281, 6, "income"),
    "german.csv": (1_000, 7, "class"),
    "glass.csv": (214, 10, "class"),
    "ionosphere.csv": (351, 34, "class"),
    "credit_approval.csv": (690, 6, "class"),
    "nursery.csv.gz": (12_960, 0, "class"),
    "tic_tac_toe.csv": (958, 0, "class"),
    "vehicle.csv": (846, 18, "class"),
    "car.csv": (1_728, 0, "class"),
}
"""Rows and numeric attributes as the README of the data says; the class is the last column."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_a_data_set_is_read_and_audited(shared_data: Path, name: str) -> None:
    rows, numeric, _ = SETS[name]
    frame = ks.read_table(shared_data / name)
    *attributes, label = frame.columns
    table = encode(frame, Schema(public=attributes, private=[label]))
    assert frame.height == rows
    measured = [table[attribute].is_measured for attribute in attributes]
    # Coded categories (1, 2, 3 ...) count as numbers too, so there may be more of these, never fewer.
    assert sum(measured) >= numeric
    distinct = frame.select(attributes).unique().height
    found = ks.audit(frame, ks.Policy(public=attributes, private=[label], target=label, require="k=2"))
    assert found.groups == distinct
    assert found.k.rows == frame.group_by(attributes).len()["len"].min()


def test_numbers_with_question_marks_are_numbers_with_missing_ones(shared_data: Path) -> None:
    frame = ks.read_table(shared_data / "credit_approval.csv")
    table = encode(frame, Schema(public=frame.columns))
    numeric = [column for column in table.columns.values() if column.is_measured]
    assert [column.name for column in numeric] == ["A2", "A3", "A8", "A11", "A14", "A15"]
    missing = {column.name: int((column.codes == column.missing).sum()) for column in numeric if column.has_missing}
    assert missing == {"A2": 12, "A14": 13}


def test_hierarchies_of_other_tools_are_read(shared_data: Path) -> None:
    paths = sorted((shared_data / "hierarchies").rglob("adult_hierarchy_*.csv"))
    assert len(paths) >= 20
    for path in paths:
        hierarchy = ks.read_hierarchy(path)
        assert hierarchy.names[-1] == ("*",), path.name


@pytest.mark.parametrize("folder", [".", "arx"])
def test_hierarchies_cover_adult_once_missing_values_are_declared(shared_data: Path, folder: str) -> None:
    paths = (shared_data / "hierarchies" / folder).glob("adult_hierarchy_*.csv")
    hierarchies = {path.stem.removeprefix("adult_hierarchy_"): ks.read_hierarchy(path) for path in paths}
    frame = pl.concat([ks.read_table(shared_data / f"adult_{split}.csv.gz") for split in ("train", "test")])
    covered = [name for name in frame.columns if name in hierarchies]
    assert len(covered) >= 8
    schema = Schema(public=covered, hierarchies={name: hierarchies[name] for name in covered}, missing=["?"])
    table = encode(frame.select(covered), schema)
    assert all(len(table[name].levels) >= 1 for name in covered)
    with pytest.raises(ks.HierarchyError, match="'\\?' as missing"):
        encode(
            frame.select("workclass"), Schema(public=["workclass"], hierarchies={"workclass": hierarchies["workclass"]})
        )
