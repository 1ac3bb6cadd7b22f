"""Models of other libraries, functions and our other models, judged: what is said of them, and what is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, IsolationForest, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.model.outcome import LabelCounts
from laws.naive_function import naive_spans

pytestmark = pytest.mark.filterwarnings("ignore")

AGES, JOBS = np.tile([20, 30, 40, 50], 15), np.repeat(["cook", "nurse", "smith"], 20)
GAIN = np.tile([0, 1000, 7000, 9000, 9500], 12)
PEOPLE = pd.DataFrame({"age": AGES, "job": JOBS, "gain": GAIN})
PEOPLE["pays"] = np.where((PEOPLE.age > 30) ^ (PEOPLE.gain > 5000), "yes", "no")
NUMBERS = PEOPLE.assign(job=PEOPLE.job.map({"cook": 0, "nurse": 1, "smith": 2}))
INPUTS = NUMBERS.drop(columns="pays")
SEEN = ks.Policy(public=["age", "job", "gain"], target="pays", require="k=3")
HIDDEN = ks.Policy(public=["age", "job"], private=["gain"], target="pays", require="k=3")


def forest(**said: Any) -> Any:
    return RandomForestClassifier(5, max_depth=2, random_state=1, **said).fit(INPUTS, NUMBERS["pays"])


# What is said


def test_a_forest_is_judged_by_its_leaves() -> None:
    found = ks.audit(forest(), NUMBERS, HIDDEN)
    assert (found.reading, found.covered, found.untrue) == ("exact", "the leaves of 5 trees were looked at", ())
    assert found.assumptions == ()


def test_leaves_tell_people_apart_of_whom_answers_say_the_same() -> None:
    """Three people are in a leaf of their own, whatever the forest answers in the end."""
    alone = NUMBERS.assign(age=[77, 77, 77, *NUMBERS.age[3:]])
    model = RandomForestClassifier(40, max_depth=3, random_state=0).fit(alone.drop(columns="pays"), alone["pays"])
    assert ks.audit(model, alone, SEEN).k.people < ks.audit(model.predict, alone, SEEN).k.people


def test_a_forest_of_one_whole_tree_is_judged_as_the_tree() -> None:
    model = RandomForestClassifier(1, bootstrap=False, random_state=0).fit(INPUTS, NUMBERS["pays"])
    whole, tree = ks.audit(model, NUMBERS, HIDDEN), model.estimators_[0]
    tree.feature_names_in_, tree.classes_ = model.feature_names_in_, model.classes_
    alone = ks.audit(tree, NUMBERS, HIDDEN)
    assert (whole.k, whole.groups, whole.exposed) == (alone.k, alone.groups, alone.exposed)


@pytest.mark.parametrize("as_frame", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_dataframes_of_any_kind(as_frame: Callable[[pd.DataFrame], Any]) -> None:
    model = GradientBoostingClassifier(n_estimators=3, max_depth=2).fit(as_frame(INPUTS), NUMBERS["pays"])
    assert ks.audit(model, as_frame(NUMBERS), HIDDEN).reading == "exact"


def test_people_in_a_file(tmp_path: Any) -> None:
    NUMBERS.to_csv(tmp_path / "people.csv", index=False)
    model = forest()
    assert ks.audit(model, tmp_path / "people.csv", HIDDEN) == ks.audit(model, NUMBERS, HIDDEN)


def test_one_hot_columns_are_asked_as_what_they_are_made_from() -> None:
    shown = pd.get_dummies(PEOPLE.drop(columns="pays"))
    model = RandomForestClassifier(3, max_depth=2, random_state=0).fit(shown, PEOPLE["pays"])
    first = ColumnTransformer([("job", OneHotEncoder(), ["job"])], remainder="passthrough")
    piped = make_pipeline(first, RandomForestClassifier(3, max_depth=2, random_state=0))
    piped.fit(PEOPLE.drop(columns="pays"), PEOPLE["pays"])
    for private in (["job"], ["gain"], ["job", "gain"]):
        public = [name for name in ("age", "job", "gain") if name not in private]
        policy = ks.Policy(public=public, private=private, target="pays", require="k=3")
        for one in (model, piped):
            assert ks.audit(one, PEOPLE, policy).reading == "exact"


def test_a_search_is_judged_by_what_it_found() -> None:
    search = GridSearchCV(RandomForestClassifier(2, random_state=0), {"max_depth": [1, 2]}, cv=2)
    assert ks.audit(search.fit(INPUTS, NUMBERS["pays"]), NUMBERS, HIDDEN).reading == "exact"


def test_numbers_that_are_mixed_are_tried_if_they_can_be() -> None:
    """Behind a rotation every question is about several columns: words can be tried, numbers not all."""
    model = make_pipeline(PCA(2), RandomForestClassifier(2, max_depth=2, random_state=0)).fit(INPUTS, NUMBERS["pays"])
    assert ks.audit(model, NUMBERS, SEEN).reading == "exact"
    assert ks.audit(model, NUMBERS, HIDDEN).reading == "not proved"
    few = replace(HIDDEN, domains={"gain": ["0", "1000", "7000", "9000", "9500"]})
    assert ks.audit(model, NUMBERS, few).covered.endswith("for all 5 combinations of private values")


def test_probabilities_are_judged_if_they_are_given() -> None:
    model = LogisticRegression().fit(INPUTS, NUMBERS["pays"])
    labels, shares = ks.audit(model, NUMBERS, SEEN), ks.audit(model.predict_proba, NUMBERS, SEEN)
    assert labels.groups == 2
    assert shares.groups == len(INPUTS.drop_duplicates())
    assert labels.assumptions[0].startswith("It is judged by what it answers.")


def test_a_nearest_neighbor_tells_everybody() -> None:
    """Its answers repeat what it was told: nobody is alone, and yet everything is known."""
    apart = NUMBERS.assign(age=range(len(NUMBERS)))
    model = KNeighborsClassifier(1).fit(apart.drop(columns="pays"), apart["pays"])
    found = ks.audit(model.predict, apart, SEEN)
    assert (found.holds, found.exposed) == (True, {"pays": len(apart)})
    assert not ks.audit(model.predict, apart, SEEN, require="k=3, distinct_l=2").holds


def test_without_a_target_answers_are_private() -> None:
    """Everybody over 30 gets the same answer, though another gain would lead to another one."""
    people = NUMBERS[["age", "gain"]].assign(gain=(NUMBERS.age > 30) * 9000 + NUMBERS.gain // 1000)
    domains = {"gain": [str(gain) for gain in sorted(set(people.gain))]}
    policy = ks.Policy(public=["age"], private=["gain"], domains=domains, require="k=3, distinct_l=2")
    found = ks.audit(lambda frame: frame["gain"].where(frame["age"] > 30, 5) > 5000, people, policy)
    assert (found.reading, found.holds, found.exposed) == ("answers", False, {"answer": 30, "gain": 30})
    assert ks.audit(GaussianMixture(2, random_state=0).fit(people), people, policy).reading == "answers"


def test_outliers_are_judged_by_leaves_too() -> None:
    open_to_all = ks.Policy(public=INPUTS.columns.tolist(), require="k=3")
    found = ks.audit(IsolationForest(n_estimators=5, random_state=0).fit(INPUTS), INPUTS, open_to_all)
    assert (found.reading, found.holds, found.safe_people) == ("exact", True, len(INPUTS))


def test_numbers_that_are_predicted() -> None:
    policy = ks.Policy(public=["age", "job"], target="gain", require="k=3")
    people = NUMBERS[["age", "job"]].assign(gain=NUMBERS.gain + 3 * NUMBERS.age + 5 * NUMBERS.job)
    model = RandomForestRegressor(3, max_depth=1, random_state=0).fit(people[["age", "job"]], people["gain"])
    found = ks.audit(model, people, policy)
    assert (found.reading, found.untrue, set(found.exposed)) == ("exact", (), {"gain"})
    line = ks.audit(LinearRegression().fit(people[["age", "job"]], people["gain"]), people, policy)
    assert line.groups == len(people[["age", "job"]].drop_duplicates())


def test_what_is_not_proved_is_said_everywhere() -> None:
    model = GaussianNB().fit(INPUTS, NUMBERS["pays"])
    found = ks.audit(model, NUMBERS, HIDDEN, require="k=1")
    assert not found.holds
    assert repr(found).startswith("Audit(k=1 is not proved")
    assert (json.loads(found.to_json())["reading"], json.loads(found.to_json())["holds"]) == ("not proved", False)
    assert "'gain' may be any number: if it is one of few, list them as text under [domains]" in found.covered
    assert "not proved" in found._repr_html_()
    page = ks.report(model, NUMBERS, HIDDEN)
    assert "it is not proved that what was required holds" in page.story.chapters[0].headline


def test_a_page_names_no_public_values_of_people() -> None:
    chapter = ks.report(forest(), NUMBERS, replace(HIDDEN, require="k=1")).story.chapters[0]
    assert chapter.title == "the RandomForestClassifier"
    assert [(fact.name, fact.text) for fact in chapter.smallest[0].shown] == [("span", "1")]


def test_many_private_numbers_are_told_apart() -> None:
    """Of 300 different numbers, the last of each 64 too; the definition tries every one of them and those between."""
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"a": rng.integers(0, 2, 300), "gain": rng.permutation(300), "y": rng.integers(0, 2, 300)})
    model = RandomForestClassifier(3, max_leaf_nodes=90, random_state=0).fit(people[["a", "gain"]], people["y"])
    cells = tuple(number / 2 for number in range(600))
    naive = naive_spans(people, lambda frame: list(map(tuple, model.apply(frame))), ["a"], {"gain": cells}, "y")
    policy = ks.Policy(public=["a"], private=["gain"], target="y", require="k=1", domains={"gain": [0, 299.5]})
    found = ks.audit(model, people, policy)
    told = naive.telling["gain"]
    # Two spans, by what is public; in each every set of numbers that an outcome admits is a value of its own.
    assert (found.groups, found.exposed) == (len(set(naive.span)), naive.exposed)
    assert found.reached["gain"]["distinct_l"] == min(len(set(values)) for values in told.values())
    assert found.reached["gain"]["confidence"] == max(max(map(values.count, values)) / len(values)
                                                      for values in told.values())  # fmt: skip


# Only its own people


def test_what_leaves_tell_is_counted_again() -> None:
    """The same people in another order were not drawn in the same way."""
    for model in (forest(), forest(bootstrap=False)):
        others = NUMBERS.assign(pays=NUMBERS.pays.to_numpy()[::-1])
        found = ks.audit(model, others, SEEN)
        assert (found.holds, len(found.untrue) > 0) == (False, True)


def test_people_with_labels_that_it_does_not_know() -> None:
    with pytest.raises(ks.DataError, match="the people have labels in 'pays' that the model does not know"):
        ks.audit(forest(), NUMBERS.assign(pays="maybe"), SEEN)


# What keeps people


@pytest.mark.parametrize("model", [KNeighborsClassifier(3), SVC()])
def test_models_that_keep_rows(model: Any) -> None:
    with pytest.raises(ks.PolicyError, match=f"this {type(model).__name__} keeps rows of people"):
        ks.audit(model.fit(INPUTS, NUMBERS["pays"]), NUMBERS, SEEN)


def test_a_forest_with_weights_tells_the_label_of_everybody() -> None:
    """scikit-learn keeps the weight of every row, which tells its class: in the order of the table."""
    model = forest(class_weight={"no": 1, "yes": 3})
    with pytest.raises(ks.PolicyError, match=r"keeps rows of people, or something of each \(in _sample_weight\)"):
        ks.audit(model, NUMBERS, SEEN)
    model._sample_weight = None
    assert "taken for granted" in ks.audit(model, NUMBERS, SEEN).assumptions[0]


def test_as_many_members_as_people_hide_nothing() -> None:
    """Whether an array is of trees or of people is told by its name, not by its length."""
    model = RandomForestClassifier(len(INPUTS), max_depth=1, class_weight={"no": 1, "yes": 3})
    with pytest.raises(ks.PolicyError, match=r"\(in _sample_weight\)"):
        ks.audit(model.fit(INPUTS, NUMBERS["pays"]), NUMBERS, SEEN)
    boosted = GradientBoostingClassifier(n_estimators=len(INPUTS), max_depth=1).fit(INPUTS, NUMBERS["pays"])
    assert ks.audit(boosted, NUMBERS, SEEN).reading == "exact"


def test_as_many_columns_as_people_are_no_people() -> None:
    """A slope for each column is told from an entry for each person by its name and by the columns of the model."""
    few = PEOPLE.iloc[::15][["age", "gain", "pays"]].assign(job=[0, 1, 0, 1], years=[1, 2, 3, 4])
    inputs = few.drop(columns="pays")
    policy = ks.Policy(public=list(inputs), target="pays", require="k=2")
    for model in (LogisticRegression(), GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())):
        found = ks.audit(model.fit(inputs, [*few["pays"][:-1], "yes"]), few, policy)
        assert found.reading == "answers"
    model = LogisticRegression().fit(inputs, [*few["pays"][:-1], "yes"])
    model.remembered_ = few["gain"].to_numpy()
    with pytest.raises(ks.PolicyError, match=r"\(in remembered_\)"):
        ks.audit(model, few, policy)


def test_shares_of_those_who_were_not_drawn() -> None:
    with pytest.raises(ks.PolicyError, match=r"\(in oob_decision_function_\)"):
        ks.audit(forest(oob_score=True), NUMBERS, SEEN)


def test_a_model_inside_a_pipeline_that_keeps_rows() -> None:
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3)).fit(INPUTS, NUMBERS["pays"])
    with pytest.raises(ks.PolicyError, match="this Pipeline keeps rows of people"):
        ks.audit(model, NUMBERS, SEEN)


# What is refused


def test_functions_that_depend_on_more_than_values() -> None:
    rng = np.random.default_rng(0)
    for function in (lambda frame: rng.integers(0, 2, len(frame)), lambda frame: np.arange(len(frame)) % 2):
        with pytest.raises(ks.ModelError, match="the answer depends on more than the values"):
            ks.audit(function, NUMBERS, SEEN)


def test_functions_that_do_not_answer_for_everybody() -> None:
    with pytest.raises(ks.ModelError, match="the function must answer for each of 60 rows"):
        ks.audit(lambda frame: [1, 2], NUMBERS, SEEN)


def test_what_a_library_says_is_not_passed_on() -> None:
    def raises(frame: pd.DataFrame) -> Any:
        raise ValueError(f"{frame['gain'].iloc[0]} is too rich")

    with pytest.raises(ks.ModelError, match=r"cannot answer for the people \(ValueError\)") as caught:
        ks.audit(raises, NUMBERS, SEEN)
    assert "rich" not in str(caught.value)
    assert caught.value.__cause__ is None


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no people": (lambda: ks.audit(forest(), policy=SEEN), "judged by people, and by a policy"),
    "a column without a role": (
        lambda: ks.audit(forest(), NUMBERS.drop(columns="job"), replace(SEEN, public=["age", "gain"])),
        "the model reads 'job', which is neither a column of the people",
    ),
    "a requirement on what it does not know": (
        lambda: ks.audit(forest(), NUMBERS, SEEN, require="distinct_l[age]=2"),
        "'age', which is not private",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    call, why = REFUSED[name]
    with pytest.raises(ks.KspanError, match=why):
        call()


def test_a_model_that_was_fitted_on_an_array() -> None:
    model = RandomForestClassifier(2).fit(INPUTS.to_numpy(), NUMBERS["pays"])
    with pytest.raises(ks.ModelError, match="was fitted on an array, so its columns have no names"):
        ks.audit(model, NUMBERS, SEEN)


# Our other models


@pytest.mark.parametrize("method", ["part", "conjunctive"])
def test_lists_are_judged_by_the_rule_that_takes_people(method: str) -> None:
    people = pl.from_pandas(PEOPLE)
    found = ks.audit(ks.learn(people, HIDDEN, method), people, HIDDEN)
    assert (found.reading, found.untrue) == ("exact", ())


def test_a_list_about_others_is_noticed() -> None:
    people = pl.from_pandas(PEOPLE)
    model = ks.learn(people, HIDDEN, "part")
    wrong = replace(model, default=LabelCounts(tuple(count + 1 for count in model.default.counts)))
    assert ks.audit(wrong, people, HIDDEN).untrue == ("the default",)
    assert ks.audit(model, people.head(40), HIDDEN).untrue != ()


def test_a_committee_is_several_trees() -> None:
    people = pl.from_pandas(PEOPLE)
    trees = [ks.learn(people, replace(HIDDEN, require=f"k={k}")) for k in (3, 5)]
    found = ks.audit(ks.Committee(tuple(trees)), people, HIDDEN)
    assert found == audit_tree(trees[0], people, HIDDEN, beside=trees[1:])


@pytest.mark.parametrize("method", ["naive-bayes", "logistic"])
def test_bayes_and_logistic_regression_are_judged_by_answers(method: str) -> None:
    people = pl.from_pandas(PEOPLE)
    found = ks.audit(ks.learn(people, SEEN, method), people, SEEN)
    assert found.reading == "answers"
    with pytest.raises(ks.PolicyError, match="the model is about 'pays', and the target of the policy is 'job'"):
        ks.audit(
            ks.learn(people, SEEN, method),
            people,
            ks.Policy(public=["age", "gain", "pays"], target="job", require="k=3"),
        )


# Limits on one value


def test_limits_on_one_value_count_those_who_have_it() -> None:
    """Of a label, and of a private attribute that the forest asks, where anything is told of it."""
    model, people = forest(), NUMBERS
    most = ks.audit(model, people, HIDDEN).per_row
    shares = people.assign(span=most["span"].to_numpy()).groupby("span")["pays"].agg(lambda one: (one == "yes").mean())
    for bound in (shares.max(), shares.max() - 1e-6):
        found = ks.audit(model, people, HIDDEN, require=f'confidence["pays=yes"]={bound}')
        assert found.holds == (bound >= shares.max())
    gains = people.assign(span=most["span"].to_numpy()).groupby("span")["gain"].agg(lambda one: (one == 9000).mean())
    found = ks.audit(model, people, HIDDEN, require=f'confidence["gain=9e3"]={gains.max() - 1e-6}')
    assert not found.holds
    with pytest.raises(ks.PolicyError, match="names a value that nobody has"):
        ks.audit(model, people, HIDDEN, require='confidence["gain=9001"]=0.5')
