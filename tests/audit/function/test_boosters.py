"""Boosters of LightGBM and XGBoost, where these are installed: judged by their leaves, as an enumeration says."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from laws.examples import share_of_examples
from laws.test_functions import GRID, agrees, tables

pytestmark = pytest.mark.filterwarnings("ignore")


def installed(name: str) -> Any:
    try:
        return pytest.importorskip(name)
    except OSError:  # a library of the system that it needs is missing
        pytest.skip(f"{name} cannot be loaded here")


def lightgbm(people: pd.DataFrame) -> tuple[Any, Any]:
    library = installed("lightgbm")
    model = library.LGBMClassifier(n_estimators=2, num_leaves=3, min_child_samples=1, min_data_in_bin=1, verbose=-1)
    model.fit(people.drop(columns="y"), people["y"])
    return model, lambda frame: model.predict(frame, pred_leaf=True)


def xgboost(people: pd.DataFrame) -> tuple[Any, Any]:
    library = installed("xgboost")
    model = library.XGBClassifier(n_estimators=2, max_depth=2, min_child_weight=0)
    model.fit(people.drop(columns="y"), people["y"])
    return model, model.apply


@pytest.mark.parametrize("fitted", [lightgbm, xgboost])
@pytest.mark.parametrize("private", [0, 1, 2])
@share_of_examples(0.1)
@given(data=st.data())
def test_boosters_have_the_spans_of_the_definition(fitted: Any, private: int, data: st.DataObject) -> None:
    people = data.draw(tables(private))
    people["y"] = people["y"].map({"label 0": 0, "label 1": 1})
    model, leaves = fitted(people)

    def outcome(frame: pd.DataFrame) -> list[Hashable]:
        return [tuple(np.ravel(row).tolist()) for row in leaves(frame)]

    found, _ = agrees(model, people, outcome, {f"hidden{number}": GRID for number in range(private)})
    assert found.reading == "exact"


def test_rows_that_lightgbm_counts_are_compared() -> None:
    people = pd.DataFrame({"a": [0, 1, 2, 3] * 5, "b": [0, 1] * 10, "y": ["u", "u", "v", "v"] * 5})
    model, _ = lightgbm(people)
    policy = ks.Policy(public=["a", "b"], target="y", require="k=1")
    assert ks.audit(model, people, policy).untrue == ()
    other = people.assign(a=[3, 3, 3, 0] * 5)
    assert len(ks.audit(model, other, policy).untrue) > 0


def test_missing_numbers_go_where_the_library_sends_them() -> None:
    people = pd.DataFrame({"a": [0.0, 1.0, None, 3.0] * 6, "b": [0, 1, 1] * 8, "y": [0, 1] * 12})
    policy = ks.Policy(public=["b"], private=["a"], target="y", require="k=1", domains={"a": [0, 3]})
    for fitted in (lightgbm, xgboost):
        assert ks.audit(fitted(people)[0], people, policy).reading == "exact"
