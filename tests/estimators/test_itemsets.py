"""The estimator of itemsets."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import kspan as ks

PEOPLE = pl.DataFrame(np.random.default_rng(7).random((300, 5)) < [0.6, 0.5, 0.4, 0.5, 0.3], schema=list("ABCxy"))
POLICY = ks.Policy(public=["A", "B", "C"], private=["x", "y"], require="k=40")


def test_the_estimator_mines_the_same_itemsets() -> None:
    miner = ks.KAnonymousItemsets(k=40, private=["x", "y"]).fit(PEOPLE)
    mined = ks.mine_itemsets(PEOPLE, POLICY)
    assert miner.model_ == mined.itemsets
    assert miner.itemsets_.equals(mined.itemsets.table)
    assert miner.left_out_.equals(mined.left_out)
    assert miner.audit_.holds


def test_the_estimator_is_one_of_scikit_learn() -> None:
    miner = ks.KAnonymousItemsets(k=3, private=["x"], most=7)
    assert clone(miner).get_params() == miner.get_params()
    found = ks.KAnonymousItemsets(public=["A", "B"], private=["x"], require="k=40, confidence=0.95", max_items=1)
    found = found.fit(PEOPLE.to_pandas())
    assert isinstance(found.itemsets_, pd.DataFrame)
    assert set(found.model_.roles) <= {"A", "B", "x"}
    assert found.audit_.requirement == "k=40, confidence=0.95"
    assert max(map(len, found.itemsets_["itemsets"])) == 1
    with pytest.raises(ValueError, match="says something else than yes or no"):
        ks.KAnonymousItemsets().fit(np.array([[1.0, 2.0], [0.0, 1.0]]))
