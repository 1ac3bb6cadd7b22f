"""Naive Bayes and logistic regression as files: what is written is read back, what is malformed is refused."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.model.models import load_model, read_model, save_model, write_model
from kspan.model.predict import predictor
from kspan.model.predictor import Predictor

JOBS = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office")])
PEOPLE = pl.DataFrame(
    {
        "job": ["health", "clerk", "{nurse|clerk}", "*", None, "nurse"],
        "age": ["[20, 29]", "31", "*", None, "40", "50"],
        "risk": ["low", "high", "low", "low", "high", "high"],
    }
)
POLICY = ks.Policy(public=["job", "age"], target="risk", require="k=1", hierarchies={"job": JOBS})
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("naive-bayes", {}),
    ("naive-bayes", {"numbers": "binned", "bins": 3, "likelihood": "em"}),
    ("naive-bayes", {"numbers": "by-label"}),
    ("logistic", {}),
    ("logistic", {"likelihood": "em", "missing_indicator": True}),
    ("logistic", {"numbers": "binned", "bins": 3}),
    ("logistic", {"numbers": "by-label"}),
    ("boosted", {"min_rows": 1}),
    ("boosted", {"min_rows": 1, "likelihood": "even", "imputations": 3}),
]


@pytest.mark.parametrize(("method", "options"), OPTIONS)
def test_what_is_written_is_read_back(method: str, options: dict[str, Any], tmp_path: Path) -> None:
    model = ks.learn(PEOPLE, POLICY, method, **options)
    assert isinstance(model, Predictor)
    save_model(model, tmp_path / "model.json")
    back = load_model(tmp_path / "model.json")
    assert type(back) is type(model)
    assert write_model(back) == write_model(model)
    assert ks.predict(back, PEOPLE).equals(ks.predict(model, PEOPLE))
    assert ks.predict(back, PEOPLE.to_pandas()).equals(ks.predict(model, PEOPLE).to_pandas())
    assert json.loads((tmp_path / "model.json").read_text())["format"] in (
        "kspan/naive-bayes",
        "kspan/linear",
        "kspan/boosted",
    )


@pytest.mark.parametrize("method", ["naive-bayes", "logistic", "boosted"])
def test_models_remember_how_nothing_is_written(method: str, tmp_path: Path) -> None:
    words = {"suppressed_text": "(hidden)", "missing": ["unknown"]}
    policy = ks.Policy(public=["job", "age"], target="risk", require="k=1", hierarchies={"job": JOBS}, **words)  # type: ignore[arg-type]
    written = PEOPLE.with_columns(pl.col("job", "age").replace("*", "(hidden)").fill_null("unknown"))
    save_model(ks.learn(written, policy, method), tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    assert ks.predict(model, written).equals(ks.predict(ks.learn(PEOPLE, POLICY, method), PEOPLE))


def test_trees_are_models_too(tmp_path: Path) -> None:
    tree = ks.learn(PEOPLE.select("job", "risk"), ks.Policy(public=["job"], target="risk", require="k=1"), "id3")
    save_model(tree, tmp_path / "tree.json")
    assert load_model(tmp_path / "tree.json") == tree == ks.load_tree(tmp_path / "tree.json").tree
    assert predictor(tree).labels == ("high", "low")


def change(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def apply(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        if to is KeyError:
            del document[path[-1]]
        else:
            document[path[-1]] = to

    return apply


BAYES = write_model(ks.learn(PEOPLE, POLICY, "naive-bayes"))
BINNED = write_model(ks.learn(PEOPLE, POLICY, "naive-bayes", numbers="binned", bins=2))
LINEAR = write_model(ks.learn(PEOPLE, POLICY, "logistic"))
LINEAR_BINS = write_model(ks.learn(PEOPLE, POLICY, "logistic", numbers="binned", bins=2))


@pytest.mark.parametrize(
    ("document", "spoil", "says"),
    [
        (BAYES, change("format", to="kspan/tee"), "is no model that kspan wrote"),
        (BAYES, change("format", to=["kspan/tree"]), "is no model that kspan wrote"),
        (BAYES, change("version", to=2), "version 1"),
        (BAYES, change("seed", to=1), "'seed' is not known"),
        (BAYES, change("prior", to=KeyError), "'prior' is missing"),
        (BAYES, change("prior", to=[0.5, 0.6]), "'prior' must add up to 1"),
        (BAYES, change("prior", to=[1, 0]), "more than 0"),
        (BAYES, change("prior", to=[1]), "list of 2"),
        (BAYES, change("target", "labels", to=[]), "'labels' must not be empty"),
        (BAYES, change("target", "name", to="job"), "name of the target"),
        (BAYES, change("attributes", to={}), "'attributes' must be a list"),
        (BAYES, change("attributes", 0, to=3), "attribute 1: a JSON object"),
        (BAYES, change("attributes", 1, "name", to="job"), "same name"),
        (BAYES, change("attributes", 0, "kind", to="words"), "'kind' must be one of"),
        (BAYES, change("attributes", 0, "chances", 0, to=[0.5, -1]), "more than 0"),
        (BAYES, change("attributes", 0, "chances", 0, to=[0.9, 0.9]), "must add up to 1"),
        (BAYES, change("attributes", 0, "values", to=["nurse"]), "must be a list of 1"),
        (BAYES, change("attributes", 0, "cuts", to=[1]), "has no 'cuts'"),
        (BAYES, change("attributes", 0, "hierarchy", to=[["a", "b"], ["c"]]), "equally long"),
        (BAYES, change("attributes", 0, "hierarchy", to=[["a", "a"], ["c", "c"]]), "'hierarchy' is none"),
        (BAYES, change("attributes", 0, "hierarchy", to=[["a", 1], ["c", "c"]]), "must be text"),
        (BAYES, change("attributes", 0, "hierarchy", to="x"), "must be a list of levels"),
        (BAYES, change("attributes", 1, "range", to=[5, 3]), "from the lowest"),
        (BAYES, change("attributes", 1, "variances", to=[1, 0]), "more than 0"),
        (BAYES, change("attributes", 1, "means", to=["a", 0]), "finite number"),
        (BAYES, change("attributes", 1, "kind", to="categorical"), "'values' is missing"),
        (BINNED, change("attributes", 1, "cuts", to=KeyError), "a list 'cuts'"),
        (BINNED, change("attributes", 1, "cuts", to=[3, 3]), "in order"),
        (BINNED, change("attributes", 1, "cuts", to=[]), "list of 1"),
        (BAYES, change("attributes", 0, "suppressed", to="[1, 2]"), "'suppressed' would be read"),
        (BAYES, change("attributes", 0, "missing", to="?"), "'missing' must be a list"),
        (LINEAR, change("coefficients", 0, to=[1]), "must be a list of"),
        (LINEAR, change("intercepts", to=[1, None]), "finite number"),
        (LINEAR, change("columns", to=[]), "'columns' must name"),
        (LINEAR, change("missing_indicator", to=1), "true or false"),
        (LINEAR, change("attributes", 1, "scale", to=0), "'scale' must be more than 0"),
        (LINEAR, change("attributes", 0, "mean", to=[1]), "list of 3"),
        (LINEAR, change("attributes", 0, "cuts", to=[1]), "has no 'cuts'"),
        (LINEAR, change("attributes", 1, "cuts", to=[30]), "'scale' is not known"),
        (LINEAR_BINS, change("attributes", 1, "cuts", to=KeyError), "'scale' is missing"),
        (LINEAR_BINS, change("attributes", 1, "cuts", to=30), "'cuts' must be a list"),
        (LINEAR_BINS, change("attributes", 1, "cuts", to=[]), "list of 1"),
        (LINEAR_BINS, change("attributes", 1, "cuts", to=[31.5]), "'columns' must name"),
        (LINEAR_BINS, change("attributes", 1, "mean", to=[0.5, -0.5]), "at least 0"),
        (LINEAR, change("attributes", 0, "weights", to=[1, -1, 1]), "at least 0"),
    ],
)
def test_what_is_malformed_is_refused(document: dict[str, Any], spoil: Callable[[Any], None], says: str) -> None:
    spoiled = copy.deepcopy(document)
    spoil(spoiled)
    with pytest.raises(ks.ModelError, match=says):
        read_model(spoiled, "model.json")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from([BAYES, BINNED, LINEAR]), st.data())
def test_whatever_is_changed_is_read_or_refused(document: dict[str, Any], data: st.DataObject) -> None:
    spoiled = copy.deepcopy(document)
    place: Any = spoiled
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(JUNK)
    try:
        model = read_model(spoiled)
    except ks.ModelError:
        return
    if {attribute["name"] for attribute in spoiled["attributes"]} == {"job", "age"}:
        assert ks.predict(model, PEOPLE).height == PEOPLE.height


def test_a_file_is_judged_as_its_model_is(tmp_path: Path) -> None:
    model = ks.learn(PEOPLE, POLICY, "naive-bayes")
    ks.save_model(model, tmp_path / "model.json")
    found = ks.audit(model, PEOPLE, POLICY)
    assert found.reading == "answers"
    assert ks.audit(tmp_path / "model.json", PEOPLE, POLICY) == found
    with pytest.raises(ks.PolicyError, match="naive Bayes is judged by the people it was made from"):
        ks.audit(tmp_path / "model.json")
