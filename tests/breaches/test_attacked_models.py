"""What outside attackers found in audits of models and in limits on values: each is judged right now."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import BisectingKMeans, KMeans
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, TargetEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import kspan as ks

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
AGED = pd.DataFrame({"age": np.r_[np.full(99, 30.0) + RNG.integers(0, 10, 99), 99.0], "s": RNG.integers(0, 2, 100)})
AGED["y"] = (AGED.age + RNG.normal(size=100) > 35).astype(int)
KNOWN = ks.Policy(public=["age"], private=["s"], target="y", require="k=5", domains={"s": ["0", "1"]})


def library(name: str) -> Any:
    try:
        return pytest.importorskip(name)
    except OSError:  # a library of the system that it needs is missing
        pytest.skip(f"{name} cannot be loaded here")


def test_boosting_that_begins_with_another_model_is_not_judged_by_its_leaves_alone() -> None:
    """A line below the trees tells the one of 99 apart."""
    said: dict[str, Any] = {"n_estimators": 1, "max_depth": 1, "min_samples_leaf": 20}
    model = GradientBoostingRegressor(init=LinearRegression(), **said).fit(AGED[["age", "s"]], AGED.y)
    found = ks.audit(model, AGED, KNOWN)
    assert (found.reading, found.holds, found.k.people) == ("answers", False, 1)
    plain = GradientBoostingRegressor(init=DummyRegressor(), **said).fit(AGED[["age", "s"]], AGED.y)
    assert ks.audit(plain, AGED, KNOWN).holds


def test_leaves_with_lines_are_judged_by_answers() -> None:
    lightgbm = library("lightgbm")
    model = lightgbm.LGBMRegressor(n_estimators=2, num_leaves=2, min_child_samples=20, linear_tree=True, verbose=-1)
    found = ks.audit(model.fit(AGED[["age", "s"]].astype(float), AGED.y), AGED.astype({"s": float}), KNOWN)
    assert found.reading == "answers"


def test_a_number_that_counts_as_missing_goes_where_missing_ones_do() -> None:
    xgboost = library("xgboost")
    rng = np.random.default_rng(3)
    people = pd.DataFrame({name: rng.integers(0, 5, 60).astype(float) for name in ("p", "q", "s")})
    people["y"] = ((people.p - people.q + rng.normal(size=60)) > 0).astype(int)
    model = xgboost.XGBClassifier(n_estimators=2, max_depth=2, missing=2.0).fit(people[["p", "q", "s"]], people.y)
    seen = ks.Policy(public=["p", "q", "s"], target="y", require="k=1")
    leaves = {tuple(row) for row in model.apply(people[["p", "q", "s"]]).tolist()}
    assert ks.audit(model, people, seen).groups == len(leaves)
    hidden = ks.Policy(public=["p", "q"], private=["s"], target="y", require="k=1")
    asks = any("[s<" in tree for tree in model.get_booster().get_dump())
    assert ks.audit(model, people, hidden).reading == ("not proved" if asks else "exact")


def test_a_declared_category_that_nobody_has() -> None:
    lightgbm = library("lightgbm")
    ill = pd.Categorical(np.resize(["flu", "cold"], 100), categories=["flu", "cold", "hiv"])
    people = pd.DataFrame({"p": np.arange(100) % 4, "s": ill, "y": np.arange(100) % 3 == 0})
    model = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(people[["p", "s"]], people.y)
    policy = ks.Policy(public=["p"], private=["s"], target="y", require="k=2", domains={"s": ["flu", "cold", "hiv"]})
    assert ks.audit(model, people, policy).reading in ("exact", "answers")


def test_bisections_are_no_nearest_centers() -> None:
    people = pd.DataFrame({"p": RNG.integers(0, 8, 100).astype(float), "s": RNG.integers(0, 5, 100).astype(float)})
    model = BisectingKMeans(5, random_state=1).fit(people)
    policy = ks.Policy(public=["p"], private=["s"], require="k=5")
    with pytest.raises(ks.PolicyError, match="something of each \\(in labels_\\)"):
        ks.audit(model, people, policy)
    assert ks.audit(model.predict, people, policy).reading == "not proved"


def test_clusters_of_other_people_are_noticed() -> None:
    people = pd.DataFrame({"p": RNG.integers(0, 8, 300).astype(float), "s": RNG.integers(0, 5, 300).astype(float)})
    model = KMeans(4, n_init=1, random_state=0).fit(people.head(60))
    policy = ks.Policy(public=["p"], private=["s"], require="k=5")
    with pytest.raises(ks.DataError, match="fitted on 60 rows, and the people have 300"):
        ks.audit(model, people, policy)
    assert ks.audit(model, people.tail(60).reset_index(drop=True), policy).untrue != ()


def test_other_labels_are_noticed_or_said_to_be_taken_for_granted() -> None:
    people = pd.DataFrame({"p": np.repeat([0.0, 1.0], 100), "s": RNG.integers(0, 3, 200).astype(float)})
    people["y"] = (people.p > 0).astype(int)
    others = people.assign(y=(RNG.random(200) < 0.3).astype(int))
    policy = ks.Policy(public=["p"], private=["s"], target="y", require="k=5")
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3)
    assert ks.audit(boosted.fit(people[["p", "s"]], people.y), others, policy).untrue != ()
    gradient = GradientBoostingClassifier(n_estimators=3, max_depth=1).fit(people[["p", "s"]], people.y)
    assert "the shares of labels" in ks.audit(gradient, others, policy).untrue
    assert "taken for granted" in ks.audit(gradient, people, policy).assumptions[0]


def test_more_people_than_a_booster_has_seen() -> None:
    people = pd.DataFrame({"p": RNG.integers(0, 10, 500).astype(float), "s": RNG.integers(0, 3, 500).astype(float)})
    people["y"] = people.p * 3 + people.s
    own, policy = people.head(60), ks.Policy(public=["p"], private=["s"], target="y", require="k=2")
    for model in (
        library("lightgbm").LGBMRegressor(n_estimators=2, num_leaves=8, min_child_samples=2, verbose=-1),
        library("xgboost").XGBRegressor(n_estimators=2, max_depth=3),
    ):
        model.fit(own[["p", "s"]], own.y)
        assert ks.audit(model, own, policy).untrue == ()
        assert ks.audit(model, people, policy).untrue != ()


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=2, random_state=0),
        OneVsRestClassifier(DecisionTreeClassifier(max_depth=2)),
        make_pipeline(ColumnTransformer([("t", TargetEncoder(), ["c"])], remainder="passthrough"),
                      DecisionTreeClassifier(max_depth=3)),
    ],
    ids=["drawn rows", "targets of its own", "targets in turns"],
)  # fmt: skip
def test_own_people_are_not_called_others(model: Any) -> None:
    """Where what leaves tell cannot be counted again, that is said, and nothing is called untrue."""
    people = pd.DataFrame({"p": np.arange(150) % 5, "c": np.resize(list("abc"), 150), "y": np.arange(150) % 7 % 3})
    columns = ["p", "c"] if hasattr(model, "steps") else ["p"]
    found = ks.audit(
        model.fit(people[columns], people.y), people, ks.Policy(public=["p", "c"], target="y", require="k=1")
    )
    assert (found.untrue, len(found.assumptions)) == ((), 2)


def test_models_of_several_targets_or_of_another_one() -> None:
    people = AGED.assign(word=np.where(AGED.y == 1, "good", "bad"))
    policy = ks.Policy(public=["age"], private=["s", "y"], target="word", require="k=1")
    both = DecisionTreeRegressor().fit(people[["age"]], people[["y", "s"]])
    with pytest.raises(ks.ModelError, match="predicts several targets at once"):
        ks.audit(both, people, policy)
    for model in (DecisionTreeRegressor(), LinearRegression(), make_pipeline(LinearRegression())):
        with pytest.raises(ks.PolicyError, match="the model predicts numbers, and the target 'word' holds words"):
            ks.audit(model.fit(people[["age"]], people.y), people, policy)


def test_a_one_hot_column_that_may_be_of_two_attributes() -> None:
    people = pd.DataFrame({"a": ["b_c", "x"] * 10, "a_b": ["c", "e"] * 10, "y": [0, 1, 1, 1] * 5})
    shown = pd.DataFrame({"a_b_c": (people.a == "b_c") * 1})
    model = RandomForestClassifier(2).fit(shown, people.y)
    with pytest.raises(ks.ModelError, match="may be a one-hot column of 'a', 'a_b'"):
        ks.audit(model, people, ks.Policy(public=["a", "a_b"], target="y", require="k=1"))


@pytest.mark.parametrize("step", [QuantileTransformer(n_quantiles=50), Nystroem(n_components=50)])
def test_steps_that_keep_cells_of_people(step: Any) -> None:
    model = make_pipeline(step, LogisticRegression()).fit(AGED[["age", "s"]], AGED.y)
    with pytest.raises(ks.PolicyError, match="this Pipeline keeps rows of people"):
        ks.audit(model, AGED, KNOWN)


def test_truth_values_are_labels() -> None:
    people = AGED.assign(y=AGED.y == 1)
    for model in (RandomForestClassifier(2), DecisionTreeClassifier(), LogisticRegression()):
        assert ks.audit(model.fit(people[["age"]], people.y), people, KNOWN).untrue == ()


def test_a_word_among_numbers_is_not_quoted() -> None:
    model = RandomForestClassifier(2).fit(AGED[["age"]], AGED.y)
    people = AGED.astype({"age": object})
    people.loc[0, "age"] = "a secret"
    with pytest.raises(ks.ModelError, match="some cells of the people are none") as caught:
        ks.audit(model, people, KNOWN)
    assert "secret" not in str(caught.value)


def test_answers_of_any_kind() -> None:
    found = [ks.audit(lambda frame, make=make: [make(int(age)) for age in frame["age"]], AGED, KNOWN)
             for make in (lambda age: {"age": age}, lambda age: {age}, str)]  # fmt: skip
    assert len({one.groups for one in found}) == 1


# Limits on values


def test_what_is_required_of_a_pattern_is_required_of_all_that_match() -> None:
    """Of 112 people with cherries, 84 have aspirin."""
    sets = pl.DataFrame({"support": [0.112, 0.084], "itemsets": [["g:cherries"], ["g:cherries", "p:aspirin"]]})
    for require in ('confidence["p:*=yes"]=0.2', 'confidence["p:*"]=0.6', 'distinct_l["p:*"]=3'):
        policy = ks.Policy(public=["g:*"], private=["p:*"], require=require)
        assert not ks.audit(ks.imported_itemsets(sets, 1000, policy), policy).holds
    baskets = pl.DataFrame({"g:cherries": [1] * 8 + [0] * 4, "p:aspirin": [1] * 6 + [0] * 6})
    policy = ks.Policy(public=["g:*"], private=["p:*"], require='k=2, confidence["p:*=yes"]=0.5')
    free = ks.mine_itemsets(baskets, policy, min_support=0.1)
    assert ks.audit(free.itemsets, baskets, policy).holds
    assert not ks.audit(ks.mine_itemsets(baskets, ks.Policy(public=["g:*"], private=["p:*"], require="k=2"),
                                         min_support=0.1).itemsets, baskets, policy).holds  # fmt: skip


HIERARCHY = [["hiv", "viral", "*"], ["flu", "viral", "*"], ["leg", "bone", "*"], ["arm", "bone", "*"]]


@pytest.mark.parametrize("cell", ["{viral|bone}", "{viral|leg}", "viral", "{hiv|leg}", "{leg|viral"])
def test_a_set_of_names_may_hide_a_value(cell: str) -> None:
    people = pl.DataFrame({"a": ["x"] * 10 + ["y"] * 10, "ill": [cell] * 5 + ["leg"] * 5 + ["arm"] * 10})
    hierarchy = ks.Hierarchy.of(HIERARCHY)
    policy = ks.Policy(public=["a"], private=["ill"], require='confidence["ill=hiv"]=0.2',
                       hierarchies={"ill": hierarchy} if cell != "{leg|viral" else {})  # fmt: skip
    assert not ks.audit(people, policy).holds


def test_ranges_in_a_set_may_hide_a_number() -> None:
    people = pl.DataFrame({"a": ["x"] * 10, "pay": ["{[0, 9]|[20, 29]}"] * 5 + ["50"] * 5})
    policy = ks.Policy(public=["a"], private=["pay"], require='confidence["pay=7"]=0.2')
    assert not ks.audit(people, policy).holds
    assert ks.audit(people, policy, require='confidence["pay=15"]=0.2').holds


def test_a_center_tells_the_illness_of_its_cluster() -> None:
    """Everybody with a = 1 would be in a cluster of whom all have hiv."""
    people = pl.DataFrame({"a": [1, 2, 3, 4] * 10, "ill": ["hiv", "flu", "flu", "flu"] * 10})
    domains: dict[str, Any] = {"ill": ["flu", "hiv"], "a": [1, 4]}
    for require in ('k=2, confidence[ill="hiv"]=0.3', "k=2, distinct_l=2"):
        policy = ks.Policy(public=["a"], private=["ill"], require=require, domains=domains)
        assert len(ks.learn_clusters(people, policy)) == 1
    free = ks.Policy(public=["a"], private=["ill"], require="k=2", domains=domains)
    apart = ks.learn_clusters(people, free)
    found = ks.audit(apart, people, free, require="k=2, distinct_l=2")
    assert (found.holds, found.exposed["ill"] >= 10) == (False, True)
    with pytest.raises(ks.Unreachable, match="even one cluster of everybody breaks"):
        ks.learn_clusters(people, ks.Policy(public=["a"], private=["ill"], require='confidence["ill=hiv"]=0.1'))


def test_a_pruned_tree_is_judged_by_what_the_policy_says_of_labels() -> None:
    rows = {"a": ["x"] * 20 + ["y"] * 20, "b": ["0", "1"] * 20, "ill": ["viral"] * 10 + ["leg"] * 29 + ["hiv"]}
    people = pl.DataFrame(rows)

    def policy(require: str) -> ks.Policy:
        return ks.Policy(public=["a", "b"], target="ill", hierarchies={"ill": ks.Hierarchy.of(HIERARCHY)},
                         require=require)  # fmt: skip

    with pytest.raises(ks.DoesNotHold, match="paths of the tree break"):
        ks.prune_tree(ks.learn(people, policy("k=1"), "id3"), policy=policy('confidence[ill="hiv"]=0.3'))


def test_estimators_keep_k_beside_what_else_is_required() -> None:
    people = pl.DataFrame({"a": list(range(60)), "ill": ["hiv", "flu"] * 30})
    made = ks.Anonymizer(k=20, private=["ill"], require='confidence[ill="hiv"]=0.99').fit(people)
    assert made.release_.audit.k.rows >= 20


def test_quotes_of_a_shell_are_no_part_of_a_value() -> None:
    people = pl.DataFrame({"a": ["x"] * 4, "ill": ["hiv", "hiv", "flu", "flu"]})
    policy = ks.Policy(public=["a"], private=["ill"], require="confidence[ill='hiv']=0.3")
    assert not ks.audit(people, policy).holds


def test_a_tree_of_others_that_does_not_ask_keeps_any_limit() -> None:
    people = pd.DataFrame({"a": [0, 1] * 10, "ill": [0, 0, 1, 1] * 5, "y": [0, 1] * 10})
    model = DecisionTreeClassifier(max_depth=1).fit(people[["a", "ill"]], people.y)
    policy = ks.Policy(public=["a"], private=["ill"], target="y", require='confidence["ill=1"]=0.1')
    assert ks.audit(model, people, policy).holds
