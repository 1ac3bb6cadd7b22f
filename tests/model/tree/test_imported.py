"""Trees of scikit-learn, judged like ours."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import kspan as ks

NUMBERS = ["age", "education-num", "hours-per-week"]
ADULT = ks.datasets.load_adult("train").head(3000).select(*NUMBERS, "income")


def fitted(frame: pl.DataFrame, **options: int) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(random_state=0, **options).fit(
        frame.drop("income").to_pandas(), frame["income"].to_numpy()
    )


@pytest.mark.parametrize("least", [5, 20])
def test_when_all_is_public_spans_are_leaves(least: int) -> None:
    model = fitted(ADULT, min_samples_leaf=least)
    found = ks.audit(model, ADULT, ks.Policy(public=NUMBERS, target="income", require=ks.KAnonymity(least)))
    leaves = Counter(model.apply(ADULT.drop("income").to_pandas()).tolist())
    assert found.holds
    assert (found.groups, found.k.people) == (len(leaves), min(leaves.values()))
    assert not ks.audit(
        model, ADULT, ks.Policy(public=NUMBERS, target="income", require=ks.KAnonymity(least + 50))
    ).holds


def test_a_private_column_merges_spans() -> None:
    model = fitted(ADULT, min_samples_leaf=5)
    seen = ks.audit(model, ADULT, ks.Policy(public=NUMBERS, target="income", require="k=5"))
    hidden = ks.audit(model, ADULT, ks.Policy(public=NUMBERS[:2], private=NUMBERS[2:], target="income", require="k=5"))
    assert hidden.people == seen.people
    # An attacker who knows two columns tells at most as many kinds of people apart as these columns do.
    assert hidden.groups <= ADULT.select(NUMBERS[:2]).unique().height


def test_missing_numbers_go_where_the_tree_sends_them() -> None:
    ages = pl.DataFrame({"age": [20.0, 30.0, 50.0, 60.0, None, None] * 5, "income": ["a", "a", "b", "b", "b", "b"] * 5})
    model = fitted(ages)
    found = ks.audit(model, ages, ks.Policy(public=["age"], target="income", require="k=10"))
    leaves = Counter(model.apply(ages.drop("income").to_pandas()).tolist())
    assert (found.holds, found.groups, found.k.people) == (True, len(leaves), min(leaves.values()))


WORDS = ks.datasets.small_mortgage().drop("Name")
ROLES = ks.Policy(public=["Marital status"], private=["Sports car"], target="Loan risk", require="k=3")


@pytest.mark.parametrize("encoder", ["get_dummies", "OneHotEncoder"])
def test_one_hot_columns_are_questions_about_their_attribute(encoder: str) -> None:
    words = WORDS.drop("Loan risk").to_pandas()
    if encoder == "get_dummies":
        columns = pd.get_dummies(words)
    else:
        hot = OneHotEncoder(sparse_output=False).set_output(transform="pandas")
        columns = hot.fit_transform(words)
    model = DecisionTreeClassifier(random_state=0, criterion="entropy").fit(columns, WORDS["Loan risk"].to_numpy())
    found = ks.audit(model, WORDS, ROLES)
    assert (found.holds, found.k.people, found.groups) == (True, 3, 2)
    seen = ks.audit(model, WORDS, ks.Policy(public=["Marital status", "Sports car"], target="Loan risk", require="k=3"))
    assert (seen.holds, seen.k.people) == (False, 1)


def test_a_missing_word_has_a_column_of_its_own() -> None:
    people = pl.DataFrame({"town": ["x", "x", None, None], "label": ["a", "a", "b", "b"]})
    hot = OneHotEncoder(sparse_output=False).set_output(transform="pandas")
    columns = hot.fit_transform(people.select("town").to_pandas())
    model = DecisionTreeClassifier(random_state=0).fit(columns, people["label"].to_numpy())
    found = ks.audit(model, people, ks.Policy(public=["town"], target="label", require="k=2"))
    assert (found.holds, found.groups) == (True, 2)


def test_what_cannot_be_understood_is_refused() -> None:
    policy = ks.Policy(public=NUMBERS, target="income", require="k=2")
    array = DecisionTreeClassifier().fit(ADULT.drop("income").to_numpy(), ADULT["income"].to_numpy())
    with pytest.raises(ks.ModelError, match="fit it on a dataframe"):
        ks.audit(array, ADULT, policy)
    other = ADULT.rename({"age": "years"})
    with pytest.raises(ks.ModelError, match="'years'"):
        ks.audit(fitted(other, max_depth=3), ADULT, policy)
    with pytest.raises(ks.PolicyError, match="give their table"):
        ks.audit(fitted(ADULT, max_depth=2), policy)
    words = ADULT.with_columns(pl.Series("age", np.where(np.arange(ADULT.height) % 2, "old", "young")))
    with pytest.raises(ks.ModelError, match="words"):
        ks.audit(fitted(ADULT, max_depth=5), words, policy)
