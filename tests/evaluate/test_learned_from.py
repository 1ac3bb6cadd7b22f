"""A model that tells counts is recognized by its own people, and by nobody else."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.evaluate.answered import Answered, AnsweredNumbers, answers_of
from kspan.evaluate.held_out import on_test_table
from kspan.evaluate.learned_from import learned_from
from kspan.model.predict import predicted, predicting, predictor

ADULT = ks.datasets.load_adult("train").select("age", "workclass", "sex", "hours-per-week", "income").head(800)
OTHERS = ks.datasets.load_adult("test").select(ADULT.columns).head(800)
POLICY = ks.Policy(public=["age", "workclass"], private=["sex", "hours-per-week"], target="income", require="k=5")
COUNTING = ("kadet", "kadet-c45", "id3", "c45", "part")


@pytest.mark.parametrize("method", COUNTING)
def test_its_own_people_are_recognized_and_others_are_not(method: str) -> None:
    unpruned = {"prune": False} if method.endswith("c45") else {}
    model = ks.learn(ADULT, POLICY, method, **unpruned)
    assert learned_from(model, ADULT) is True
    assert learned_from(model, ADULT.sample(fraction=1, shuffle=True, seed=1)) is True, "in any order"
    assert learned_from(model, OTHERS) is False
    assert learned_from(model, ADULT.head(799)) is False
    assert learned_from(model, ADULT.with_columns(income=pl.col("income").reverse())) is False
    assert learned_from(model, pl.concat([ADULT, OTHERS])) is False
    assert learned_from(model, ADULT.with_columns(income=pl.lit("much"))) is False
    assert learned_from(model, ADULT.with_columns(income=pl.lit(None, pl.String))) is False


@pytest.mark.parametrize("disclosure", ["counts", "hit-miss", "shares", "label"])
def test_what_is_disclosed_decides_whether_it_can_be_known(disclosure: str) -> None:
    tree = ks.learn(ADULT, POLICY, "kadet").disclosing(disclosure)
    assert learned_from(tree, ADULT) is (True if disclosure in ("counts", "hit-miss") else None)
    assert learned_from(tree, OTHERS) is (False if disclosure in ("counts", "hit-miss") else None)


@pytest.mark.parametrize("method", ["naive-bayes", "logistic"])
def test_models_without_counts_do_not_tell(method: str) -> None:
    assert learned_from(ks.learn(ADULT, POLICY, method), ADULT) is None


def test_the_published_tree_is_recognized(tmp_path: Any) -> None:
    ks.publish_tree(ks.learn(ADULT, POLICY, "kadet"), ADULT, POLICY, tmp_path / "tree.json")
    assert learned_from(ks.load_model(tmp_path / "tree.json"), ADULT) is True


def test_weights_are_counted_if_they_are_known() -> None:
    counted = ADULT.select("sex", "income").group_by("sex", "income").len("n").sort("sex", "income")
    tree = ks.learn(counted, ks.Policy(public=["sex"], target="income", weight="n", require="k=5"), "kadet")
    assert learned_from(tree, counted, weights=counted["n"].cast(pl.Int64).to_numpy()) is True
    assert learned_from(tree, counted) is False
    assert learned_from(tree, ADULT) is True, "the same people, a row each"


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from("ab")), min_size=2, max_size=30), st.data())
def test_the_law(rows: list[tuple[int, bool, str]], data: st.DataObject) -> None:
    """Others pass for its own people only if as many of them, by label, come to every node of the tree."""
    frame = pl.DataFrame([(x, str(y), label) for x, y, label in rows], schema=["x", "y", "label"], orient="row")
    policy = ks.Policy(public=["x", "y"], target="label", require="k=1")
    tree = ks.learn(frame, policy, data.draw(st.sampled_from(["kadet", "id3"])))
    assert learned_from(tree, frame) is (None if tree.root.is_leaf else True)
    other = frame.with_columns(label=pl.Series(data.draw(st.permutations(frame["label"].to_list()))))
    shares = predictor(tree).of_people(frame)
    kinds = np.unique(shares, axis=0, return_inverse=True)[1]
    same = all(
        sorted(frame["label"].filter(pl.Series(kinds == kind)))
        == sorted(other["label"].filter(pl.Series(kinds == kind)))
        for kind in set(kinds.tolist())
    )
    # Leaves with equal shares are one kind here, so to differ by kind is to differ by leaf, but not the other way.
    if not same:
        assert learned_from(tree, other) is False


def test_labels_alone_are_those_of_many_tables() -> None:
    leaf = ks.learn(ADULT, POLICY, "kadet", min_rows=800)
    assert leaf.root.is_leaf
    assert learned_from(leaf, ADULT) is None


def answered(method: str, people: pl.DataFrame) -> Any:
    model = ks.learn(ADULT, POLICY, method)
    return answers_of(model, people, predicted(model, people))["income"]


def test_answers_to_its_own_people_are_no_forecast() -> None:
    found = answered("kadet", ADULT)
    assert found.as_dict() == {"accuracy": None, "guessing": None, "learned_from": True}
    assert str(found) == "It was learned from these people, so how many of them are predicted right is no forecast."


@pytest.mark.parametrize(("method", "known"), [("kadet", False), ("naive-bayes", None)])
def test_answers_to_others_stand_beside_guessing(method: str, known: bool | None) -> None:
    found = answered(method, OTHERS)
    right = (ks.predict(ks.learn(ADULT, POLICY, method), OTHERS)["predicted: income"] == OTHERS["income"]).mean()
    assert found.accuracy == pytest.approx(right)
    assert found.guessing == pytest.approx((OTHERS["income"] == "<=50K").mean())
    assert found.learned_from is known
    assert ("only if it was not learned from them" in str(found)) == (known is None)
    assert f"{right:.2%} are predicted right" in str(found)


def test_people_without_labels_answer_nothing() -> None:
    found = answered("kadet", OTHERS.with_columns(income=pl.lit(None, pl.String)))
    assert (found.accuracy, str(found)) == (None, "None of these people have a label to compare with.")


# Numbers, and several targets

HOURS = ks.Policy(public=["age", "workclass", "sex"], private=["income"], target="hours-per-week", require="k=5")


@pytest.mark.parametrize("tells", ["mean", "median", "interval"])
def test_the_people_of_a_tree_of_numbers_are_recognized(tells: Any) -> None:
    tree = ks.learn(ADULT, HOURS, tells=tells)
    assert learned_from(tree, ADULT) is True
    assert learned_from(predicting(tree), ADULT.sample(fraction=1, shuffle=True, seed=1)) is True, "in any order"
    assert learned_from(tree, OTHERS) is False
    assert learned_from(tree, ADULT.head(799)) is False
    for name in ("hours-per-week", "age"):
        assert learned_from(tree, ADULT.with_columns(pl.col(name).reverse())) is False
    gone = pl.when(pl.int_range(800) > 0).then("hours-per-week").alias("hours-per-week")
    assert learned_from(tree, ADULT.with_columns(gone)) is False
    assert learned_from(tree, ADULT.with_columns(pl.lit("many").alias("hours-per-week"))) is False
    assert learned_from(tree, ADULT.clear()) is False


def test_weights_and_single_leaves_of_numbers() -> None:
    names = ["sex", "hours-per-week"]
    counted = ADULT.select(names).group_by(names).len("n").sort(names)
    policy = ks.Policy(public=["sex"], target="hours-per-week", weight="n", require="k=5")
    tree = ks.learn(counted, policy)
    assert not tree.root.is_leaf
    assert learned_from(tree, counted, weights=counted["n"].cast(pl.Int64).to_numpy()) is True
    assert learned_from(tree, counted) is False
    assert learned_from(tree, ADULT) is True, "the same people, a row each"
    leaf = ks.learn(ADULT, HOURS, min_rows=800)
    assert leaf.root.is_leaf
    assert learned_from(leaf, ADULT) is None, "a mean is that of many tables"


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 5)), min_size=2, max_size=12), st.data())
def test_the_law_of_numbers(rows: list[tuple[str, int]], data: st.DataObject) -> None:
    """Others pass for its own people only if as many of them, with the same mean, come to every leaf."""
    frame = pl.DataFrame(rows, schema=["x", "pay"], orient="row")
    tree = ks.learn(frame, ks.Policy(public=["x"], target="pay", require="k=1"), predict="numbers", min_rows=1)
    other = frame.with_columns(pay=pl.Series(data.draw(st.permutations(frame["pay"].to_list()))))
    assert learned_from(tree, frame) is (None if tree.root.is_leaf else True)
    if not tree.root.is_leaf:
        means = [each.group_by("x").agg(pl.col("pay").sum()).sort("x")["pay"].to_list() for each in (frame, other)]
        assert learned_from(tree, other) is (means[0] == means[1])


def test_people_of_a_tree_of_dates() -> None:
    came = pl.date(2020, 1, 1) + pl.duration(days=pl.int_range(800) % 97)
    frame = ADULT.with_columns(came=came)
    tree = ks.learn(frame, replace(HOURS, private=("income", "came")), also=["came"]).views()[1]
    assert tree.target_kind is not None
    assert tree.target_kind.apart == "days"
    assert learned_from(tree, frame) is True
    assert learned_from(tree, frame.with_columns(pl.col("came").cast(pl.String))) is True, "as a file has them"
    assert learned_from(tree, frame.with_columns(pl.col("came").reverse())) is False
    assert learned_from(tree, frame.with_columns(came=pl.lit(3))) is False


def test_of_several_targets_the_figures_of_one_are_enough() -> None:
    tree = ks.learn(ADULT, HOURS, also=["income"])
    assert learned_from(tree, ADULT) is True
    assert learned_from(tree, OTHERS) is False
    assert learned_from(tree, ADULT.drop("income")) is True
    assert learned_from(tree, ADULT.drop("hours-per-week")) is True
    assert learned_from(tree, ADULT.drop("hours-per-week", "income")) is None
    for name in ("hours-per-week", "income"):
        assert learned_from(tree, ADULT.with_columns(pl.col(name).reverse())) is True
    both = ADULT.with_columns(
        pl.col("hours-per-week").reverse(), pl.col("income").reverse().shift(7).fill_null("<=50K")
    )
    assert learned_from(tree, both) is False


def test_every_target_that_a_table_has_is_answered() -> None:
    tree = ks.learn(ADULT, HOURS, also=["income"])
    made = predicted(tree, OTHERS)
    found = answers_of(tree, OTHERS, made)
    hours, income = found["hours-per-week"], found["income"]
    assert list(found) == ["hours-per-week", "income"]
    assert income == Answered(
        (made["predicted: income"] == OTHERS["income"]).mean(), (OTHERS["income"] == "<=50K").mean(), False
    )  # type: ignore[arg-type]
    assert isinstance(hours, AnsweredNumbers)
    true = OTHERS["hours-per-week"].to_numpy()
    off = made["predicted: hours-per-week"].to_numpy() - true
    assert hours.mean_absolute_error == pytest.approx(np.abs(off).mean())
    assert hours.guessing_error == pytest.approx(np.abs(true - true.mean()).mean())
    assert hours.explained == pytest.approx(1 - (off**2).mean() / true.var())
    assert list(answers_of(tree, OTHERS.drop("hours-per-week"), made)) == ["income"]
    for one in answers_of(tree, ADULT, predicted(tree, ADULT)).values():
        told = one.as_dict()
        assert told.pop("learned_from") is True
        assert told.pop("unit", None) is None
        assert set(told.values()) == {None}
        assert "It was learned from these people, so how " in str(one)
        assert str(one).endswith(" is no forecast.")


def test_people_without_numbers_answer_nothing() -> None:
    tree = ks.learn(ADULT, HOURS)
    gone = OTHERS.with_columns(pl.lit(None, pl.Int64).alias("hours-per-week"))
    found = answers_of(tree, gone, predicted(tree, gone))["hours-per-week"]
    assert str(found) == "None of these people have a number to compare with."
    some = OTHERS.with_columns(pl.when(pl.int_range(800) < 400).then("hours-per-week").alias("hours-per-week"))
    half = OTHERS.head(400)
    known = [answers_of(tree, each, predicted(tree, each))["hours-per-week"] for each in (some, half)]
    assert known[0] == known[1], "only those who have a number are looked at"


# Test tables


def test_a_test_table_is_counted_like_folds() -> None:
    tree = ks.learn(ADULT, POLICY, "kadet")
    found = on_test_table(tree, OTHERS, POLICY)
    hits = (ks.predict(tree, OTHERS)["predicted: income"] == OTHERS["income"]).to_numpy()
    assert (found.folds, found.people, found.rows, found.failed) == (0, 800, None, 0)
    assert found.accuracy == pytest.approx(hits.mean())
    assert found.standard_error == pytest.approx(hits.std() / np.sqrt(800))
    assert found.guessing == pytest.approx((OTHERS["income"] == "<=50K").mean())


def test_weights_and_persons_of_a_test_table_count() -> None:
    frame = OTHERS.with_columns(n=pl.int_range(1, 801), who=pl.int_range(800) // 2)
    tree = ks.learn(ADULT, POLICY, "kadet")
    hits = (ks.predict(tree, OTHERS)["predicted: income"] == OTHERS["income"]).to_numpy()
    weighted = on_test_table(tree, frame, ks.Policy(public=["age"], target="income", weight="n", require="k=1"))
    assert (weighted.people, weighted.accuracy) == (800 * 801 // 2, pytest.approx(np.average(hits, weights=frame["n"])))
    persons = on_test_table(tree, frame, ks.Policy(public=["age"], target="income", person="who", require="k=1"))
    assert (persons.people, persons.rows, persons.accuracy) == (400, 800, pytest.approx(hits.mean()))


def test_test_tables_that_tell_nothing_are_refused() -> None:
    tree = ks.learn(ADULT, POLICY, "kadet")
    with pytest.raises(ks.DataError, match="learned from the people of the test table"):
        on_test_table(tree, ADULT, POLICY)
    with pytest.raises(ks.DataError, match="has no column 'income', which the model predicts"):
        on_test_table(tree, OTHERS.drop("income"), POLICY)
    gone = OTHERS.with_columns(income=pl.when(pl.int_range(800) == 3).then(None).otherwise("income"))
    with pytest.raises(ks.DataError, match="1 people of the test table have no 'income'"):
        on_test_table(tree, gone, None)
