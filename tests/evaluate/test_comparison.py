"""Learning from releases beside learning from the original."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import kspan as ks
from kspan.evaluate.learners import Predictor, plain_learners
from kspan.evaluate.truth import narrowed

COLUMNS = ["age", "education", "sex", "hours-per-week", "income"]
TRAIN = ks.datasets.load_adult("train").select(COLUMNS).head(1500)
ASKED = ks.datasets.load_adult("test").select(COLUMNS).head(700)
POLICY = ks.Policy(public=["age", "education", "sex"], private=["hours-per-week"], target="income", require="k=10")


@pytest.fixture(scope="module")
def release() -> ks.TableRelease:
    return ks.anonymize(TRAIN, POLICY, "mondrian", secret="0" * 32)


def commonest(people: pl.DataFrame, policy: ks.Policy) -> Predictor:
    """A learner of one's own."""
    label = people[str(policy.target)].mode()[0]
    return lambda rows: [label] * rows.height


@pytest.mark.slow
def test_what_is_compared(release: ks.TableRelease) -> None:
    found = ks.compare(TRAIN, {"k=10": release, "same": TRAIN}, ASKED, POLICY)
    table = found.table
    assert table.columns == ["release", "learner", "accuracy", "class_match", "columns", "rows", "seconds"]
    assert table["release"].to_list() == ["original", "k=10", "same"] * len(plain_learners())
    assert table["learner"].to_list()[::3] == plain_learners()
    assert {"id3", "c45", "naive-bayes", "logistic"} <= set(plain_learners())
    for learner in plain_learners():
        models = [ks.learn(frame, POLICY, learner) for frame in (TRAIN, release.table, TRAIN)]
        labels = [ks.predict(model, ASKED)["predicted: income"] for model in models]
        rows = table.filter(learner=learner)
        assert rows["accuracy"].to_list() == pytest.approx([(each == ASKED["income"]).mean() for each in labels])
        assert rows["class_match"].to_list() == pytest.approx([ks.class_match(labels[0], each) for each in labels])
        assert rows["rows"].to_list() == [1500, release.frame.height, 1500]
    assert table["columns"].unique().to_list() == [4]
    assert table["seconds"].min() > 0
    assert found.baseline == (ASKED["income"] == "<=50K").mean()
    assert repr(found) == f"Comparison({len(plain_learners())} learners on 3 tables, 700 test rows)"
    assert json.loads(json.dumps(found.as_dict()))["results"][0]["class_match"] == 1


def test_any_kind_of_table(release: ks.TableRelease, tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.csv" for name in ("original", "released", "test")}
    for path, frame in zip(paths.values(), (TRAIN, release.frame, ASKED), strict=True):
        frame.write_csv(path)
    POLICY.save(tmp_path / "policy.toml")
    frames = ks.compare(TRAIN, {"r": release}, ASKED, POLICY, ["c45"])
    files = ks.compare(paths["original"], {"r": paths["released"]}, paths["test"], tmp_path / "policy.toml", ["c45"])
    assert files.table.drop("seconds").equals(frames.table.drop("seconds"))
    pandas = pd.DataFrame(TRAIN.to_dict(as_series=False)), {"r": release.frame}, pd.DataFrame(ASKED.to_dicts())
    assert ks.compare(*pandas, POLICY, ["c45"]).table.drop("seconds").equals(frames.table.drop("seconds"))


def test_a_learner_of_ones_own(release: ks.TableRelease) -> None:
    found = ks.compare(TRAIN, {"k=10": release}, ASKED, POLICY, {"commonest": commonest})
    assert found.table["accuracy"].to_list() == [found.baseline] * 2
    assert found.table["class_match"].to_list() == [1, 1]


def test_scikit_learn_is_a_learner() -> None:
    from sklearn.tree import DecisionTreeClassifier

    def stump(people: pl.DataFrame, policy: ks.Policy) -> Predictor:
        names = ["hours-per-week"]
        model = DecisionTreeClassifier(max_depth=1).fit(people.select(names).to_numpy(), people["income"].to_numpy())
        return lambda rows: model.predict(rows.select(names).to_numpy())

    found = ks.compare(TRAIN, {"half": TRAIN.head(700)}, ASKED, POLICY, {"stump": stump})
    assert found.table["accuracy"].min() > 0.7


def test_learners_see_no_test_label_and_only_columns_of_both() -> None:
    def curious(people: pl.DataFrame, policy: ks.Policy) -> Predictor:
        assert people.columns == [*policy.columns] == ["age", "sex", "income"]

        def answers(rows: pl.DataFrame) -> list[str]:
            assert rows.columns == ["age", "sex"]
            return ["<=50K"] * rows.height

        return answers

    found = ks.compare(TRAIN, {}, ASKED.drop("education", "hours-per-week"), POLICY, {"curious": curious})
    assert found.left_out == ("education", "hours-per-week")
    assert found.table["columns"].to_list() == [2]


def test_identifiers_are_not_learned_from() -> None:
    named = TRAIN.with_row_index("name").with_columns(pl.col("name").cast(str))
    policy = ks.Policy(
        identifier=["name"], public=POLICY.public, private=["hours-per-week"], target="income", require="k=2"
    )
    found = ks.compare(named, {"without": TRAIN}, ASKED, policy, ["c45"])
    assert found.table["columns"].to_list() == [4, 4]
    assert found.table["class_match"].to_list() == [1, 1]


def test_a_requirement_on_a_column_that_is_not_there_is_no_obstacle() -> None:
    policy = ks.Policy(
        public=["age", "sex"], private=["hours-per-week"], target="income", require="k=2, distinct_l[hours-per-week]=2"
    )
    without = [frame.drop("education", "hours-per-week") for frame in (TRAIN, ASKED)]
    assert ks.compare(without[0], {}, without[1], policy, ["id3", "kadet"]).table.height == 2


def test_weights_equal_repeated_rows() -> None:
    rows = {"sex": ["F", "F", "M", "M"], "ill": ["yes", "no", "no", "yes"], "people": [3, 1, 5, 2]}
    weighted = pl.DataFrame(rows)
    repeated = weighted.select(pl.all().repeat_by("people")).explode(pl.all()).drop("people")
    heavy = ks.Policy(public=["sex"], target="ill", weight="people", require="k=1")
    plain = ks.Policy(public=["sex"], target="ill", require="k=1")
    one, other = ks.compare(weighted, {}, weighted, heavy), ks.compare(repeated, {}, repeated, plain)
    assert one.table["learner"].to_list() == other.table["learner"].to_list() == plain_learners()
    assert one.table["accuracy"].to_list() == pytest.approx(other.table["accuracy"].to_list())
    assert one.table["accuracy"][:2].to_list() == pytest.approx([8 / 11] * 2), "of id3 and c45"
    assert one.baseline == other.baseline == pytest.approx(6 / 11)


def test_labels_that_are_numbers() -> None:
    """The labels of one table are whole numbers, of another text, of a third some of them only."""
    original = pl.DataFrame({"sex": ["F", "F", "M", "M"], "ill": [1.0, 1.0, 0.0, 0.0]})
    text = pl.DataFrame({"sex": ["F", "F", "M", "M"], "ill": ["1", "1", "0", "0"]})
    some = pl.DataFrame({"sex": ["F"], "ill": ["1.0"]})
    found = ks.compare(original, {"text": text}, some, ks.Policy(public=["sex"], target="ill", require="k=1"), ["id3"])
    assert found.table["accuracy"].to_list() == [1, 1]


REFUSED: dict[str, tuple[dict[str, Any], type[ks.KspanError], str]] = {
    "no target in the test table": (
        {"test": ASKED.rename({"income": "Income"})},
        ks.DataError,
        r"the test table has no column 'income', the target \(did you mean 'Income'\?\)",
    ),
    "no target in a release": ({"releases": {"r": TRAIN.drop("income")}}, ks.DataError, "r has no column 'income'"),
    "nobody knows the label": (
        {"test": ASKED.with_columns(income=pl.lit(None, pl.String))},
        ks.DataError,
        "700 people in the test table have no label in 'income'",
    ),
    "labels written differently": (
        {"test": ASKED.with_columns(pl.col("income") + ".")},
        ks.DataError,
        "no label of 'income' in the test table is one of original",
    ),
    "a release with other labels": (
        {"releases": {"r": TRAIN.with_columns(income=pl.lit("*"))}},
        ks.DataError,
        "r has 1 labels in 'income' that original does not have",
    ),
    "no common column": (
        {"test": ASKED.select("income")},
        ks.DataError,
        "original and the test table have no column in common besides 'income'",
    ),
    "a column without a role": (
        {"releases": {"r": TRAIN.rename({"age": "Age"})}},
        ks.PolicyError,
        r"column 'Age' of r has no role in the policy.*did you mean 'age'",
    ),
    "an unknown learner": ({"learners": ["c54"]}, ks.PolicyError, r"no learner 'c54' \(did you mean 'c45'\?\): use"),
    "no learner": ({"learners": []}, ks.PolicyError, "no learner to compare"),
    "a release called original": ({"releases": {"original": TRAIN}}, ks.PolicyError, "give it another name"),
    "releases without names": ({"releases": [TRAIN]}, ks.PolicyError, "give a mapping"),
    "what a learner refuses": (
        {"releases": {"r": TRAIN.with_columns(age=pl.lit(500))}, "policy": replace(POLICY, domains={"age": [0, 120]})},
        ks.DataError,
        "id3 cannot learn from r: column 'age' holds 1 different numbers outside its domain",
    ),
    "what a model cannot be asked": (
        {"test": ASKED.with_columns(age=pl.lit("old"))},
        ks.DataError,
        "what id3 learned from original cannot be asked about the test table: column 'age' holds",
    ),
    "no target in the policy": (
        {"policy": ks.Policy(public=COLUMNS, require="k=1")},
        ks.PolicyError,
        "comparing needs a target",
    ),
}


@pytest.mark.parametrize(("changed", "kind", "said"), REFUSED.values(), ids=REFUSED)
def test_refusals(changed: dict[str, Any], kind: type[ks.KspanError], said: str) -> None:
    given = {"original": TRAIN, "releases": {}, "test": ASKED, "policy": POLICY, "learners": ["id3"], **changed}
    with pytest.raises(kind, match=said) as refused:
        ks.compare(**given)
    assert "50K" not in str(refused.value)


def test_a_policy_for_fewer_columns_reads_ranges_as_before() -> None:
    pattern = r"(?P<low>\d+) to (?P<high>\d+)"
    policy = ks.Policy(public=["age", "sex"], target="ill", require="k=1", range_pattern=pattern)
    assert narrowed(policy, ["age", "ill"]).range_pattern == policy.range_pattern
