"""The estimators as scikit-learn knows them, and on dataframes as they are."""

import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import kspan as ks

ADULT = ks.datasets.load_adult("train").head(2000).drop("fnlwgt")
LABEL = ADULT["income"]
PEOPLE = ADULT.drop("income")


@parametrize_with_checks(
    [
        ks.KADETClassifier(k=1),
        ks.KADETClassifier(),
        ks.KADETClassifier(k=2, criterion="c45"),
        ks.ID3Classifier(),
        ks.C45Classifier(),
    ]
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
def test_any_labels_can_be_learnt(labels: list[object]) -> None:
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
        ({"hierarchies": {"sex": ks.Hierarchy.of([("Male", "all")])}}, "'Female'"),
    ],
    ids=str,
)
def test_refusals(options: dict[str, object], says: str) -> None:
    with pytest.raises(ks.KspanError, match=says):
        ks.KADETClassifier(**options).fit(PEOPLE, LABEL)  # type: ignore[arg-type]
