"""Audits of any model against the definition: every private value is tried for everybody."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import kspan as ks
from kspan.model.boosted.model import Question
from laws.examples import share_of_examples
from laws.naive_function import NaiveSpans, naive_spans
from laws.naive_spans import admits

pytestmark = pytest.mark.filterwarnings("ignore")
"""Libraries have much to say about tables of six people."""
WORDS = ("x", "y", "z")
HIGHEST = 3
GRID = tuple(number / 4 for number in range(4 * HIGHEST + 1))
"""Numbers between any two thresholds that are halfway between whole numbers, and these themselves."""
DRAWN = {"drawn boosting", "weighted forest"}
"""Models that do not tell which rows they drew by chance."""
SMALL: dict[str, Any] = {"max_depth": 2, "random_state": 0}


def ensembles() -> dict[str, Any]:
    """Models of numbers that are judged by their leaves."""
    return {
        "forest": RandomForestClassifier(3, **SMALL),
        "weighted forest": RandomForestClassifier(2, class_weight="balanced", **SMALL),
        "whole forest": RandomForestClassifier(2, bootstrap=False, **SMALL),
        "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=2, max_features=2,
                                     max_samples=0.7, random_state=0),
        "ada boost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2, random_state=0),
        "gradient boosting": GradientBoostingClassifier(n_estimators=2, **SMALL),
        "drawn boosting": GradientBoostingClassifier(n_estimators=2, subsample=0.5, **SMALL),
        "histograms": HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=1, max_leaf_nodes=4,
                                                     early_stopping=False),
        "voting": VotingClassifier([("a", RandomForestClassifier(1, **SMALL)),
                                    ("b", GradientBoostingClassifier(n_estimators=1, **SMALL))]),
        "forest of numbers": RandomForestRegressor(2, **SMALL),
        "tree of numbers": DecisionTreeRegressor(**SMALL),
        "boosting of numbers": GradientBoostingRegressor(n_estimators=2, **SMALL),
        "histograms of numbers": HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=1, max_leaf_nodes=4,
                                                               early_stopping=False),
        "scaled forest": make_pipeline(StandardScaler(), RandomForestClassifier(2, **SMALL)),
    }  # fmt: skip


def leaves(model: Any, frame: pd.DataFrame) -> list[Hashable]:
    """The leaves of all trees as the library tells them, or what their sum is if it does not."""
    if hasattr(model, "steps"):
        for _, step in model.steps[:-1]:
            frame = step.transform(frame)
        return leaves(model.steps[-1][1], np.asarray(frame))
    if hasattr(model, "named_estimators_"):
        each = [leaves(member, frame) for member in model.estimators_]
        return list(zip(*each, strict=True))
    numbers = np.asarray(frame, np.float32)
    if hasattr(model, "estimators_features_"):
        some = zip(model.estimators_, model.estimators_features_, strict=True)
        return list(map(tuple, np.stack([one.apply(numbers[:, columns]) for one, columns in some], axis=1)))
    if hasattr(model, "estimator_weights_"):
        return list(map(tuple, np.stack([one.apply(numbers) for one in model.estimators_], axis=1)))
    if hasattr(model, "_predictors"):
        known = model._bin_mapper.make_known_categories_bitsets()
        rows = np.asarray(frame, np.float64)
        each = [one.predict(rows, *known, 1) for several in model._predictors for one in several]
        # Leaves of one tree with the same value are told apart by their numbers, which only nodes have.
        return [
            tuple(_leaf(one.nodes, row) for several in model._predictors for one in several) for row in rows if each
        ]
    return [tuple(np.ravel(row).tolist()) for row in model.apply(numbers)]


def _leaf(nodes: Any, row: Any) -> int:
    place = 0
    while not nodes[place]["is_leaf"]:
        node = nodes[place]
        place = int(node["left"] if row[node["feature_idx"]] <= node["num_threshold"] else node["right"])
    return place


@st.composite
def tables(draw: st.DrawFn, private: int, *, words: bool = False, labels: int = 2) -> pd.DataFrame:
    """Few people with few whole numbers or words each."""
    rows = draw(st.integers(6, 20))
    names = ["a", "b", *[f"hidden{number}" for number in range(private)]]
    cells = st.sampled_from(WORDS) if words else st.integers(0, HIGHEST)
    columns = {name: draw(st.lists(cells, min_size=rows, max_size=rows)) for name in names}
    target = draw(st.lists(st.integers(0, labels - 1), min_size=rows, max_size=rows))
    assume(len(set(target)) == labels)
    return pd.DataFrame({**columns, "y": [f"label {one}" for one in target]})


def agrees(
    model: Any,
    people: pd.DataFrame,
    outcome: Callable[[pd.DataFrame], Sequence[Hashable]],
    private: dict[str, Sequence[Any]],
    **said: Any,
) -> tuple[ks.Audit, NaiveSpans]:
    """Judge a model, and look whether the definition gives the same people the same spans, and exposes the same."""
    public = [name for name in people.columns if name not in (*private, "y")]
    roles = {"public": [*public, "y"] if said.get("is_public") else public, "private": list(private)}
    domains = {name: list(cells) if isinstance(cells[0], str) else [0, HIGHEST] for name, cells in private.items()}
    policy = ks.Policy(**roles, target="y", require="k=2", domains=domains)
    found = ks.audit(model, people, policy)
    naive = naive_spans(people, outcome, public, private, "y", **said)
    ours: dict[Hashable, set[Hashable]] = {}
    theirs: dict[Hashable, set[Hashable]] = {}
    for one, other in zip(found.per_row["span"].to_list(), naive.span, strict=True):
        ours.setdefault(one, set()).add(other)
        theirs.setdefault(other, set()).add(one)
    assert all(len(one) == 1 for one in (*ours.values(), *theirs.values()))
    # Of an attribute that is not read nothing is told, and nothing is said.
    assert found.exposed == {name: many for name, many in naive.exposed.items() if many or name in found.exposed}
    assert found.untrue == ()
    sizes = [sum(other == one for other in naive.span) for one in naive.span]
    safe = [said.get("is_public", False) and not several for several in naive.several]
    assert found.reading == "not proved" or found.holds == all(
        size >= 2 or one for size, one in zip(sizes, safe, strict=True)
    )
    diverse = ks.audit(model, people, policy, require="k=2, distinct_l=2") if private or not said else None
    if diverse is not None and found.reading != "not proved":
        assert diverse.holds == (found.holds and not any(naive.exposed.values()))
    return found, naive


@pytest.mark.parametrize("name", ensembles())
@pytest.mark.parametrize("private", [0, 1, 2, 3])
@share_of_examples(0.05)
@given(data=st.data())
def test_ensembles_have_the_spans_of_the_definition(name: str, private: int, data: st.DataObject) -> None:
    people = data.draw(tables(private))
    model = ensembles()[name]
    if "number" in name:
        people["y"] = people["y"].map({"label 0": 1.5, "label 1": 4.0})
    model.fit(people.drop(columns="y"), people["y"])
    if name == "weighted forest":
        model._sample_weight = None  # which would tell the label of everybody
    # With three numbers a coarser grid, which has all that trees can tell apart, keeps the definition quick.
    grid = GRID if private < 3 else tuple(number / 2 for number in range(2 * HIGHEST + 1))
    cells = {f"hidden{number}": grid for number in range(private)}
    found, _ = agrees(model, people, lambda frame: leaves(model, frame), cells)
    assert found.reading == "exact"


@pytest.mark.parametrize("private", [0, 1, 2])
@share_of_examples(0.15)
@given(data=st.data())
def test_random_thresholds(private: int, data: st.DataObject) -> None:
    """Extra trees cut anywhere: the definition tries the last number below each threshold, and the next one."""
    people = data.draw(tables(private))
    model = ExtraTreesClassifier(2, max_depth=2, random_state=data.draw(st.integers(0, 99)))
    model.fit(people.drop(columns="y"), people["y"])
    names = list(people.columns)
    cells = {}
    for name in [f"hidden{number}" for number in range(private)]:
        asked = [one.tree_.threshold[one.tree_.feature == names.index(name)] for one in model.estimators_]
        ends = np.concatenate(asked)
        below = ends.astype(np.float32)
        below = np.where(below.astype(float) > ends, np.nextafter(below, np.float32(-1)), below)
        above = np.nextafter(below, np.float32(9))
        cells[name] = tuple(sorted({0.0, float(HIGHEST), *people[name], *map(float, below), *map(float, above)}))
    agrees(model, people, lambda frame: leaves(model, frame), cells)


@pytest.mark.parametrize("is_public", [False, True])
@pytest.mark.parametrize("private", [1, 2])
@share_of_examples(0.1)
@given(data=st.data())
def test_words_behind_a_pipeline(private: int, is_public: bool, data: st.DataObject) -> None:
    people = data.draw(tables(private, words=True))
    people["a"] = people["a"].map({"x": 0, "y": 1, "z": 2})
    words = [name for name in people.columns if name not in ("a", "y")]
    first = ColumnTransformer(
        [("words", OneHotEncoder(handle_unknown="ignore"), words[:-1]),
         ("order", OrdinalEncoder(categories=[list(WORDS)]), words[-1:]),
         ("number", MinMaxScaler(), ["a"])])  # fmt: skip
    model = make_pipeline(first, RandomForestClassifier(2, **SMALL)).fit(people.drop(columns="y"), people["y"])

    def outcome(frame: pd.DataFrame) -> list[Hashable]:
        made = first.transform(frame)
        return [tuple(row) for row in model[-1].apply(np.asarray(made.todense() if hasattr(made, "todense") else made))]

    cells = {f"hidden{number}": WORDS for number in range(private)}
    found, _ = agrees(model, people, outcome, cells, **({"is_public": True} if is_public else {}))
    assert found.reading == "exact"


@pytest.mark.parametrize("name", ["bayes", "three labels", "function", "mixed vote"])
@pytest.mark.parametrize("private", [0, 1, 2])
@share_of_examples(0.1)
@given(data=st.data())
def test_answers_have_the_spans_of_the_definition(name: str, private: int, data: st.DataObject) -> None:
    people = data.draw(tables(private, words=True, labels=3 if name == "three labels" else 2))
    inputs = people.drop(columns="y")
    coded = make_pipeline(OrdinalEncoder(categories=[list(WORDS)] * inputs.shape[1]), CategoricalNB(min_categories=3))
    shown = make_pipeline(OneHotEncoder(categories=[list(WORDS)] * inputs.shape[1]), LogisticRegression())
    if name == "function":
        salt = data.draw(st.integers(0, 1000))
        model: Any = lambda frame: [hash((salt, *row)) % 3 for row in frame.itertuples(index=False)]  # noqa: E731
        predict = model
    else:
        model = {"bayes": coded, "three labels": shown}.get(
            name, VotingClassifier([("bayes", coded), ("linear", shown)])
        )
        model.fit(inputs, people["y"])
        predict = model.predict
    cells = {f"hidden{number}": WORDS for number in range(private)}
    found, _ = agrees(model, people, lambda frame: list(predict(frame)), cells)
    assert found.reading == "answers"


@pytest.mark.parametrize("private", [1, 2])
@share_of_examples(0.15)
@given(data=st.data())
def test_two_labels_of_a_linear_model_turn_once(private: int, data: st.DataObject) -> None:
    """The answer changes at most once along a number, so that the ends of its range tell what can be reached."""
    people = data.draw(tables(private))
    model = data.draw(st.sampled_from([LogisticRegression(), LinearDiscriminantAnalysis(),
                                       make_pipeline(StandardScaler(), LogisticRegression())]))  # fmt: skip
    model.fit(people.drop(columns="y"), people["y"])
    cells = {f"hidden{number}": tuple(range(HIGHEST + 1)) for number in range(private)}
    found, _ = agrees(model, people, lambda frame: list(model.predict(frame)), cells)
    assert found.reading == "answers"


@share_of_examples(0.15)
@given(data=st.data())
def test_what_cannot_be_tried_is_not_proved(data: st.DataObject) -> None:
    people = data.draw(tables(1))
    model = GaussianNB().fit(people.drop(columns="y"), people["y"])
    policy = ks.Policy(public=["a", "b"], private=["hidden0"], target="y", require="k=1")
    found = ks.audit(model, people, policy)
    assert (found.reading, found.holds) == ("not proved", False)


@pytest.mark.parametrize("name", sorted(set(ensembles()) - DRAWN))
@share_of_examples(0.1)
@given(data=st.data())
def test_people_who_are_not_its_own_are_noticed(name: str, data: st.DataObject) -> None:
    """Other labels, another row, or one less: counts, shares and means are compared wherever they are known."""
    people = data.draw(tables(1))
    model = ensembles()[name]
    if "number" in name:
        people["y"] = people["y"].map({"label 0": 1.5, "label 1": 4.0})
    model.fit(people.drop(columns="y"), people["y"])
    others = people.drop(index=len(people) - 1)
    assume(others["y"].nunique() == 2)
    policy = ks.Policy(public=["a", "b"], private=["hidden0"], target="y", require="k=1")
    found = ks.audit(model, others, policy)
    assert (found.holds, len(found.untrue) > 0) == (False, True)


def first_rule(found: ks.DecisionList, frame: pd.DataFrame) -> list[Hashable]:
    """The place of the first rule that admits each row, by the definition."""

    def admitted(rule: Any, row: dict[str, Any]) -> bool:
        asked = ((found.attributes[one.attribute], one.region) for one in rule.conditions)
        return all(admits(region, attribute, row[attribute.name]) for attribute, region in asked)

    rows = frame.to_dict("records")
    return [next((place for place, rule in enumerate(found.rules) if admitted(rule, row)), -1) for row in rows]


@pytest.mark.parametrize("method", ["part", "conjunctive"])
@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("private", [0, 1, 2])
@share_of_examples(0.15)
@given(data=st.data())
def test_lists_have_the_spans_of_the_definition(method: str, words: bool, private: int, data: st.DataObject) -> None:
    people = data.draw(tables(private, words=words))
    names = [f"hidden{number}" for number in range(private)]
    policy = ks.Policy(public=["a", "b"], private=names, target="y", require="k=1")
    found = ks.learn(people, policy, method)
    cells = dict.fromkeys(names, WORDS if words else GRID)
    audit, _ = agrees(found, people, lambda frame: first_rule(found, frame), cells)
    assert audit.reading == "exact"


@pytest.mark.parametrize("private", [0, 1, 2])
@pytest.mark.parametrize("words", [True, False])
@share_of_examples(0.1)
@given(data=st.data())
def test_our_boosted_trees_have_the_spans_of_the_definition(private: int, words: bool, data: st.DataObject) -> None:
    people = data.draw(tables(private, words=words))
    names = [f"hidden{number}" for number in range(private)]
    policy = ks.Policy(public=["a", "b"], private=names, target="y", require="k=1")
    found = ks.learn(people, policy, "boosted", rounds=2, min_rows=1, learning_rate=1.0)
    assume(people["y"].nunique() > 1)

    def outcome(frame: pd.DataFrame) -> list[Hashable]:
        numbers = found.numbered.transform(frame)  # type: ignore[union-attr]
        return [tuple(walked(tree.nodes, row) for tree in found.trees) for row in numbers]  # type: ignore[union-attr]

    audit, _ = agrees(found, people, outcome, dict.fromkeys(names, WORDS if words else GRID))
    assert audit.reading == "exact"


def walked(nodes: Sequence[Any], numbers: Any) -> int:
    """The leaf that a row of numbers comes to, node by node."""
    place = 0
    while isinstance(node := nodes[place], Question):
        number = numbers[node.attribute]
        goes_left = node.missing_left if number != number else number <= node.at_most
        place = node.left if goes_left else node.right
    return place


@pytest.mark.parametrize("method", ["naive-bayes", "logistic"])
@pytest.mark.parametrize("private", [0, 1, 2])
@share_of_examples(0.1)
@given(data=st.data())
def test_our_answers_have_the_spans_of_the_definition(method: str, private: int, data: st.DataObject) -> None:
    people = data.draw(tables(private, words=True))
    names = [f"hidden{number}" for number in range(private)]
    policy = ks.Policy(public=["a", "b"], private=names, target="y", require="k=1")
    found = ks.learn(people, policy, method)

    def outcome(frame: pd.DataFrame) -> list[Hashable]:
        return ks.predict(found, frame)["predicted: y"].tolist()

    audit, _ = agrees(found, people, outcome, dict.fromkeys(names, WORDS))
    assert audit.reading == "answers"
