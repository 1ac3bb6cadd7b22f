"""The estimators as scikit-learn knows them, and on dataframes as they are."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import kspan as ks

ADULT = ks.datasets.load_adult("train").head(2000).drop("fnlwgt")
LABEL = ADULT["income"]
PEOPLE = ADULT.drop("income")
COMPARING_NUMBERS = ("check_estimators_pickle", "check_fit_idempotent")
"""Checks of scikit-learn that subtract what `transform` gives; below are ours."""


@pytest.mark.slow
@parametrize_with_checks(
    [
        ks.KADETClassifier(k=1),
        ks.KADETClassifier(),
        ks.KADETClassifier(k=2, criterion="c45"),
        ks.KADETClassifier(k=2, criterion="gini"),
        ks.KADETRegressor(k=1),
        ks.KADETRegressor(),
        ks.ID3Classifier(),
        ks.C45Classifier(),
        ks.PARTClassifier(),
        ks.ConjunctiveClassifier(),
        ks.NaiveBayesClassifier(),
        ks.NaiveBayesClassifier(numbers="binned", likelihood="em"),
        ks.NaiveBayesClassifier(numbers="by-label"),
        ks.LogisticClassifier(),
        ks.LogisticClassifier(numbers="by-label"),
        ks.BoostedClassifier(),
        ks.ImputedClassifier(),
        ks.ImputedClassifier(LogisticRegression()),
        ks.ReleasedFeatures(),
        ks.ReleasedFeatures(standardize=True, missing_indicator=True),
        ks.Anonymizer(k=2, method="mondrian"),
        ks.Anonymizer(),
    ],
    expected_failed_checks=lambda estimator: (
        dict.fromkeys(COMPARING_NUMBERS, "cells are words")
        if isinstance(estimator, ks.Anonymizer)
        else {"check_class_weight_classifiers": "kADET as printed weighs no labels, and refuses to"}
        if getattr(estimator, "criterion", "") in ("c45", "gini")
        else {}
    ),
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_any_dataframe_gives_the_same_tree(kind: str) -> None:
    frame = {"polars": PEOPLE, "pandas": PEOPLE.to_pandas(), "pyarrow": PEOPLE.to_arrow()}[kind]
    model = ks.KADETClassifier(k=50).fit(frame, LABEL.to_numpy())
    assert model.tree_ == ks.KADETClassifier(k=50).fit(PEOPLE, LABEL).tree_
    assert (model.predict(frame) == LABEL.to_numpy()).mean() > 0.8
    assert model.audit_.holds


def test_private_columns_and_other_requirements() -> None:
    model = ks.KADETClassifier(private=["occupation", "workclass"], require="k=20, confidence=0.97").fit(PEOPLE, LABEL)
    roles = {item.name: item.role for item in model.tree_.attributes}
    assert (roles["occupation"], roles["age"], model.tree_.target_role) == ("private", "public", "private")
    assert model.audit_.reached["label"]["confidence"] <= 0.97


def test_it_can_be_searched_and_cross_validated() -> None:
    search = GridSearchCV(ks.KADETClassifier(), {"k": [20, 200]}, cv=3).fit(PEOPLE.to_pandas(), LABEL.to_pandas())
    assert search.best_params_["k"] in (20, 200)
    scores = cross_val_score(ks.ID3Classifier(min_rows=20), PEOPLE.to_pandas(), LABEL.to_pandas(), cv=3)
    assert scores.min() > 0.75


def test_values_never_seen_are_answered_by_the_last_node_with_people() -> None:
    people = pl.DataFrame({"town": ["x", "x", "y", "y"]})
    model = ks.ID3Classifier().fit(people, ["a", "a", "b", "b"])
    assert model.predict_proba(pl.DataFrame({"town": ["z", None, "x"]})).tolist() == [
        [0.5, 0.5],
        [0.5, 0.5],
        [1.0, 0.0],
    ]


def test_labels_come_back_as_they_were() -> None:
    people = pd.DataFrame({"town": ["x", "x", "y", "y"]})
    model = ks.ID3Classifier().fit(people, [10, 10, 9, 9])
    assert model.classes_.tolist() == [9, 10]
    assert model.predict(people).tolist() == [10, 10, 9, 9]
    assert model.tree_.labels == ("9", "10")


@pytest.mark.parametrize("labels", [["*", "{a|b}"], ["", "?"], [True, False], [1.0, 2.0], ["b", "a"]], ids=str)
def test_any_labels_can_be_learned(labels: list[object]) -> None:
    people = pl.DataFrame({"town": ["x", "x", "y", "y"]})
    wanted = [labels[0], labels[0], labels[1], labels[1]]
    model = ks.ID3Classifier().fit(people, wanted)
    assert model.predict(people).tolist() == wanted
    assert len(model.tree_.labels) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"private": ["shoe size"]}, "'shoe size'"),
        ({"k": 0}, "k must be"),
        ({"require": "l=2"}, "distinct_l"),
        ({"k": 10_000}, "n_samples=2000"),
        ({"criterion": "luck"}, "'luck'"),
        ({"hierarchies": {"sex": ks.Hierarchy.of([("Male", "all")])}}, "'sex'"),
    ],
    ids=str,
)
def test_refusals(options: dict[str, object], says: str) -> None:
    with pytest.raises(ks.KspanError, match=says):
        ks.KADETClassifier(**options).fit(PEOPLE, LABEL)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["kactus", "mondrian", "tdr", "one-dim", "datafly"])
def test_the_anonymizer_shows_rows_in_their_order_and_every_group_is_a_crowd(method: str) -> None:
    anonymizer = ks.Anonymizer(20, method=method, private=["hours-per-week"], random_state=0)
    made = anonymizer.fit_transform(PEOPLE, LABEL)
    assert made.columns == PEOPLE.columns
    assert made["hours-per-week"].equals(PEOPLE["hours-per-week"])
    public = [name for name in PEOPLE.columns if name != "hours-per-week"]
    assert made.group_by(public).len()["len"].min() >= 20
    assert anonymizer.release_.audit.holds
    assert anonymizer.get_feature_names_out().tolist() == PEOPLE.columns
    again = clone(anonymizer).fit_transform(PEOPLE, LABEL)
    assert again.equals(made)
    assert pickle.loads(pickle.dumps(anonymizer)).transform(PEOPLE).equals(anonymizer.transform(PEOPLE))  # noqa: S301


def test_withheld_rows_are_shown_like_their_nearest_group() -> None:
    people = pl.DataFrame({"zip": ["1"] * 9 + ["2"]})
    anonymizer = ks.Anonymizer(3, method="datafly")
    made = anonymizer.fit_transform(people)
    assert anonymizer.release_.withheld == 1
    assert made.height == 10
    assert made["zip"].unique().to_list() == ["1"]


def test_if_withheld_rows_break_what_is_required_nothing_is_given() -> None:
    people = pl.DataFrame({"zip": [*"aaaabbbbcc"], "sick": [*"uuvvwwxxuu"]})
    anonymizer = ks.Anonymizer(require="k=3, confidence=0.5", private=["sick"], method="datafly")
    assert anonymizer.fit(people).release_.withheld == 2
    with pytest.raises(ks.DoesNotHold, match="the 2 rows that datafly withholds"):
        anonymizer.fit_transform(people)


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "numpy"])
def test_the_anonymizer_gives_back_what_it_was_given(kind: str) -> None:
    numbers = PEOPLE.select("age", "education-num")
    given = {"pandas": numbers.to_pandas(), "pyarrow": numbers.to_arrow(), "numpy": numbers.to_numpy()}[kind]
    anonymizer = ks.Anonymizer(20, method="mondrian")
    made = anonymizer.fit_transform(given)
    assert type(made) is type(given)
    wanted = ks.Anonymizer(20, method="mondrian").fit_transform(numbers)
    assert np.array_equal(np.asarray(made if kind != "pyarrow" else made.to_pandas()), wanted.to_numpy())
    assert type(anonymizer.transform(given)) is type(given)


@pytest.mark.slow
def test_the_anonymizer_stands_in_a_pipeline_and_can_be_searched() -> None:
    line = make_pipeline(
        ks.Anonymizer(method="mondrian", random_state=0),
        OneHotEncoder(handle_unknown="ignore"),
        DecisionTreeClassifier(min_samples_leaf=20, random_state=0),
    )
    grid = {"anonymizer__k": [5, 400], "anonymizer__method": ["mondrian", "tdr"]}
    search = GridSearchCV(line, grid, cv=2).fit(PEOPLE.to_pandas(), LABEL.to_pandas())
    assert search.best_score_ > 0.75


def test_columns_in_no_list_are_dropped_and_wrong_names_refused() -> None:
    anonymizer = ks.Anonymizer(50, method="mondrian", public=["age", "sex"], private=["race"])
    assert anonymizer.fit_transform(PEOPLE).columns == ["age", "race", "sex"]
    with pytest.raises(ks.PolicyError, match="'shoe size'"):
        ks.Anonymizer(public=["shoe size"]).fit(PEOPLE)
    with pytest.raises(ks.PolicyError, match="has no option 'shwo'"):
        ks.Anonymizer(method="mondrian", options={"shwo": "set"}).fit(PEOPLE)
    with pytest.raises(ks.PolicyError, match="target"):
        ks.Anonymizer(method="tds").fit(PEOPLE)


RELEASED = ks.anonymize(
    ADULT,
    ks.Policy(public=PEOPLE.columns, target="income", require="k=10"),
    method="mondrian",
    secret="0" * 32,
    keep_order=True,
).table


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("classifier", [ks.NaiveBayesClassifier, ks.LogisticClassifier])
def test_released_tables_are_learned_from(kind: str, classifier: type) -> None:
    cells = RELEASED.drop("income")
    frame = {"polars": cells, "pandas": cells.to_pandas(), "pyarrow": cells.to_arrow()}[kind]
    model = classifier().fit(frame, RELEASED["income"].to_numpy())
    assert model.model_ == classifier().fit(cells, RELEASED["income"]).model_
    assert model.score(PEOPLE, LABEL) > 0.72
    assert model.score(frame, RELEASED["income"]) > 0.72


def test_any_model_of_scikit_learn_learns_from_a_release() -> None:
    line = make_pipeline(ks.ReleasedFeatures(), DecisionTreeClassifier(max_depth=5, random_state=0))
    line.fit(RELEASED.drop("income").to_pandas(), RELEASED["income"].to_pandas())
    assert line.score(PEOPLE.to_pandas(), LABEL.to_pandas()) > 0.76
    names = line[0].get_feature_names_out()
    assert len(set(names)) == len(names) == line[0].transform(PEOPLE.to_pandas()).shape[1]
    assert pickle.loads(pickle.dumps(line[0])).encoding_ == line[0].encoding_  # noqa: S301


def test_exact_columns_are_encoded_as_scikit_learn_does() -> None:
    words = PEOPLE.select("education", "sex", "race")
    theirs = OneHotEncoder(sparse_output=False).fit(words.to_pandas())
    ours = ks.ReleasedFeatures().fit(words)
    assert (ours.transform(words) == theirs.transform(words.to_pandas())).all()
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_cells_of_other_tools_and_names() -> None:
    people = pl.DataFrame({"age": ["[20, 30[", "30-39", ">=40", "*"], "job": ["health", "clerk", "nurse", None]})
    jobs = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office")])
    features = ks.ReleasedFeatures(hierarchies={"job": jobs}).fit(people)
    assert features.get_feature_names_out().tolist() == ["age", "job_clerk", "job_doctor", "job_nurse"]
    assert features.transform(people)[:, 0] == pytest.approx([24.5, 34.5, 40, 33])
    assert features.transform(people)[:, 1:].round(3).tolist() == [
        [0, 0.5, 0.5],
        [1, 0, 0],
        [0, 0, 1],
        [0.333, 0.167, 0.5],
    ]
    later = features.transform(pl.DataFrame({"age": [50, None], "job": ["office", "pilot"]}))
    assert later[:, 0] == pytest.approx([50, 33])
    assert later[0, 1:].tolist() == [1, 0, 0]


def test_cells_that_are_not_understood_name_the_row() -> None:
    people = pl.DataFrame({"age": ["[20, 30", "30"]})
    with pytest.raises(ks.DataError, match=r"row 1 of column 'age' .* expected"):
        ks.ReleasedFeatures().fit(people)
    with pytest.raises(ks.PolicyError, match="groups low and high"):
        ks.ReleasedFeatures(range_pattern="x").fit(people)
    own = pl.DataFrame({"age": ["20 to 30", "30"]})
    features = ks.ReleasedFeatures(range_pattern=r"(?P<low>\d+) to (?P<high>\d+)", domains={"age": [0, 99]}).fit(own)
    assert features.transform(own).tolist() == [[25], [30]]


def test_trees_learn_from_released_columns() -> None:
    people = pl.DataFrame({"sex": ["{F|M}", "F", "F", "F", "M", "{F|M}", "F", "{F|M}"]})
    labels = ["low", "low", "high", "low", "high", "low", "low", "high"]
    asked = pl.DataFrame({"sex": ["F", "M", "{F|M}"]})
    shares = ks.ID3Classifier().fit(people, labels).predict_proba(asked)[:, 1]
    assert shares.tolist() == pytest.approx([4 / 5.5, 1 / 2.5, (4 / 5.5 + 1 / 2.5) / 2])
    by_chance = ks.ID3Classifier(division="random", random_state=3).fit(people, labels)
    assert by_chance.tree_ == clone(by_chance).fit(people, labels).tree_
    assert ks.C45Classifier(entropy="em", min_rows=1, prune=False).fit(people, labels).tree_.root.edges
