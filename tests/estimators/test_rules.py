"""The estimator of rules."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import kspan as ks

PEOPLE = pl.DataFrame(np.random.default_rng(7).random((300, 5)) < [0.6, 0.5, 0.4, 0.5, 0.3], schema=list("ABCxy"))
POLICY = ks.Policy(public=["A", "B", "C"], private=["x", "y"], require="k=40")


def test_the_estimator_mines_the_same_rules() -> None:
    miner = ks.KAnonymousRules(k=40, private=["x", "y"]).fit(PEOPLE)
    mined = ks.mine_rules(PEOPLE, POLICY)
    assert miner.model_ == mined.rules
    assert miner.rules_.equals(mined.rules.table)
    assert miner.left_out_.equals(mined.left_out)
    assert miner.audit_.holds
    named = ks.KAnonymousRules(k=40, public=["[ABC]"], private=["x", "y"]).fit(PEOPLE)
    assert named.model_ == mined.rules


def test_the_estimator_is_one_of_scikit_learn() -> None:
    miner = ks.KAnonymousRules(k=3, private=["x"], most=7)
    assert clone(miner).get_params() == miner.get_params()
    assert miner.get_params()["most"] == 7
    frame = PEOPLE.to_pandas()
    found = ks.KAnonymousRules(public=["A", "B"], private=["x"], require="k=40, confidence=0.95").fit(frame)
    assert isinstance(found.rules_, pd.DataFrame)
    assert set(found.model_.roles) <= {"A", "B", "x"}
    assert found.audit_.requirement == "k=40, confidence=0.95"
    array = ks.KAnonymousRules(k=40, private=["x3", "x4"]).fit(PEOPLE.to_numpy().astype(float))
    assert isinstance(array.rules_, pl.DataFrame)
    with pytest.raises(ValueError, match="says something else than yes or no"):
        ks.KAnonymousRules().fit(np.array([[1.0, 2.0], [0.0, 1.0]]))
    with pytest.raises(ks.PolicyError, match="the pattern 'q\\*' under private matches no column"):
        ks.KAnonymousRules(private=["q*"]).fit(PEOPLE)
