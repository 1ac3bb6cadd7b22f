"""What is told of numbers is what a plain sum over the same folds gives, and is about people not learned from."""

from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kspan as ks
from kspan.data.kinds.days import DAYS
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.kinds.words import WORDS
from kspan.evaluate.held_out import HeldOut, held_out, on_test_table
from kspan.evaluate.learners import Taught
from kspan.evaluate.trial import Labelled
from kspan.model.outcome import Numbers
from kspan.model.predict import NumberPredictor
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

RANDOM = np.random.default_rng(5)
ADULT = ks.datasets.load_adult("train").select("age", "sex", "education", "hours-per-week", "income")
PEOPLE, OTHERS = ADULT.head(1000), ADULT.slice(1000, 700)
POLICY = ks.Policy(public=["age", "sex", "education"], private=["income"], target="hours-per-week", require="k=10")


def made(rows: int, noise: float = 1.0) -> pl.DataFrame:
    """People whose pay depends on where they live, with a weight, a person and a number each."""
    town = RANDOM.integers(0, 4, rows)
    pay = np.round(10 * town + RANDOM.normal(0, noise, rows) + 30, 1)
    weight, person = RANDOM.integers(1, 6, rows), RANDOM.integers(0, rows // 2 + 1, rows)
    return pl.DataFrame({"town": [f"t{one}" for one in town], "pay": pay, "n": weight, "who": person})


def paid(**more: Any) -> ks.Policy:
    others = [name for name in ("n", "who") if name not in more.values()]
    return ks.Policy(
        **{"person": False, "identifier": others, "public": ["town"], "require": "k=2", **more}, target="pay"
    )


def by_hand(frame: pl.DataFrame, policy: ks.Policy, folds: int) -> tuple[list[dict[str, float]], np.ndarray[Any, Any]]:
    """The errors of every row that is predicted: learned anew, fold by fold, from everybody else."""
    policy = replace(policy, domains={"pay": "numeric"})
    dealt = Labelled.of(frame, policy).dealt(folds, np.random.default_rng(0))
    found, everybody = [], dealt.sum(axis=1)
    for fold in range(folds):
        rest = frame.filter(pl.Series(everybody > dealt[:, fold]))
        people = everybody - dealt[:, fold]
        weights = people[people > 0]
        if policy.weight is not None:
            rest = rest.with_columns(pl.Series("n", weights))
        else:
            weights = np.ones(rest.height)
        tree = ks.learn(rest, policy, "grouped", predict="numbers")
        mean = sum(w * pay for w, pay in zip(weights, rest["pay"], strict=True)) / sum(weights)
        asked = np.flatnonzero(dealt[:, fold])
        told = ks.predict(tree, frame[asked].drop("pay"))["predicted: pay"]
        for row, number in zip(asked.tolist(), told, strict=True):
            true = frame["pay"][row]
            times = int(dealt[row, fold]) if policy.weight is not None else 1
            one = {"off": number - true, "guess": mean - true, "people": times, "who": frame["who"][row]}
            found.append(one)
    return found, dealt


def expected(rows: list[dict[str, float]], *, by: str | None = None) -> dict[str, float]:
    """Sum up by hand; `by` says whose a row is, else every person of a row is independent."""
    people = sum(row["people"] for row in rows)
    error = sum(row["people"] * abs(row["off"]) for row in rows) / people
    guess = sum(row["people"] * abs(row["guess"]) for row in rows) / people
    squares = sum(row["people"] * row["off"] ** 2 for row in rows) / people
    worst = sum(row["people"] * row["guess"] ** 2 for row in rows) / people

    def spread(of: Any, mean: float) -> float:
        sums: dict[Any, float] = {}
        if by is None:
            each = [of(row) - mean for row in rows for _ in range(int(row["people"]))]
            return float(np.sqrt(sum(one**2 for one in each)) / people)
        for row in rows:
            sums[row[by]] = sums.get(row[by], 0.0) + row["people"] * (of(row) - mean)
        return float(np.sqrt(sum(one**2 for one in sums.values())) / people)

    return {
        "mean_absolute_error": error,
        "guessing_error": guess,
        "explained": 1 - squares / worst,
        "standard_error": spread(lambda row: abs(row["off"]), error),
        "gain_error": spread(lambda row: row["guess"] ** 2 - row["off"] ** 2, worst - squares) / worst,
    }


@pytest.mark.parametrize("folds", [2, 5])
@pytest.mark.parametrize("column", [None, "weight", "person"])
def test_the_twin(folds: int, column: str | None) -> None:
    frame = made(90, noise=15)
    policy = paid(**({} if column is None else {column: {"weight": "n", "person": "who"}[column]}))
    rows, dealt = by_hand(frame, policy, folds)
    found = held_out(frame, policy, "grouped", options={"predict": "numbers"}, folds=folds)
    told = expected(rows, by="who" if column == "person" else None)
    assert {name: getattr(found, name) for name in told} == pytest.approx(told)
    assert (found.accuracy, found.guessing, found.guess, found.unit) == (None, None, None, None)
    assert found.people == {None: 90, "weight": frame["n"].sum(), "person": frame["who"].n_unique()}[column]
    assert found.rows == (90 if column == "person" else None)
    assert dealt.sum() == (frame["n"].sum() if column == "weight" else 90), "everybody is predicted once"
    assert (found.folds, found.failed, found.is_known) == (folds, 0, True)


def test_what_can_be_explained_is() -> None:
    found = held_out(made(400), paid())
    assert found.explained is not None
    assert found.explained > 0.95
    assert found.mean_absolute_error == pytest.approx(np.sqrt(2 / np.pi), abs=0.2), "the noise"
    assert not found.no_better
    assert not found.may_be_chance


def test_a_tree_that_knows_people_by_heart_is_no_better_than_guessing() -> None:
    """Nobody else has your number, so that a tree that asks for it explains its own people, and nobody else."""
    frame = pl.DataFrame({"x": RANDOM.permutation(300), "pay": RANDOM.permutation(300)})
    policy = ks.Policy(private=["x"], target="pay", require="k=5")

    def by_heart(people: pl.DataFrame, policy: ks.Policy) -> Taught:
        """A leaf for every person, in the order of x."""
        people = people.sort("x")
        cuts = [-np.inf, *people["x"].to_list()[:-1], np.inf]
        pairs = [(None if one == -np.inf else one, None if one == np.inf else one) for one in cuts]
        bounds = [(low[0], high[1]) for low, high in pairwise(pairs)]
        leaves = [Node(Numbers(1, float(pay))) for pay in people["pay"]]
        edges = tuple(Edge(Region(intervals=(one,)), leaf) for one, leaf in zip(bounds, leaves, strict=True))
        root = Node(Numbers(people.height, float(people["pay"].mean())), 0, edges)  # type: ignore[arg-type]
        return Taught.of(Tree((Attribute("x", "private", NUMBERS),), "pay", "private", (), root, target_kind=NUMBERS))

    own = by_heart(frame, policy).model
    assert isinstance(own, NumberPredictor)
    assert own.means(frame).tolist() == frame["pay"].to_list()
    found = held_out(frame, policy, by_heart)
    assert found.explained is not None
    assert found.explained < -0.5
    assert found.no_better
    assert not found.may_be_chance


def test_a_tree_of_one_leaf_is_the_mean_itself() -> None:
    frame = made(400).with_columns(pay=pl.Series(RANDOM.normal(0, 1, 400).round(3)))
    found = held_out(frame, paid(require="k=250"))
    assert len(ks.learn(frame, paid(require="k=250")).leaves) == 1
    assert found.explained == 0.0
    assert found.mean_absolute_error == pytest.approx(found.guessing_error)
    assert found.no_better
    assert not found.may_be_chance


def test_squares_decide_and_not_mean_errors() -> None:
    found = held_out(PEOPLE, POLICY)
    assert found.explained is not None
    assert found.mean_absolute_error is not None
    assert found.guessing_error is not None
    assert found.explained > 0.1
    assert not found.no_better
    likely = replace(found, mean_absolute_error=found.guessing_error + 1)
    assert not likely.no_better
    assert replace(found, explained=-0.01).no_better
    assert replace(found, explained=found.gain_error).may_be_chance
    assert not replace(found, explained=3 * (found.gain_error or 0)).may_be_chance


def test_the_same_number_for_everybody_leaves_nothing_to_explain() -> None:
    frame = made(60).with_columns(pay=pl.lit(0.1))
    found = held_out(frame, paid(), options={"predict": "numbers"})
    assert (found.mean_absolute_error, found.guessing_error, found.explained) == (0.0, 0.0, None)
    assert found.no_better
    assert found.as_dict()["explained"] is None


def test_all_folds_take_the_target_alike() -> None:
    """With 21 different numbers, one of which one person has, the fold without it could be learned as labels."""
    frame = made(105).with_columns(pay=pl.Series([*[1 + one % 20 for one in range(104)], 99]))
    assert frame["pay"].n_unique() == 21
    found = held_out(frame, paid())
    assert found.mean_absolute_error is not None
    assert found == held_out(frame, paid(), options={"predict": "numbers"})
    labels = held_out(frame, paid(), options={"predict": "labels"})
    assert labels.accuracy is not None
    assert labels.mean_absolute_error is None
    few = held_out(frame.head(104), paid())
    assert few.accuracy is not None


def test_methods_of_labels_still_learn_labels() -> None:
    assert held_out(PEOPLE, POLICY, "c45").accuracy is not None


def test_of_several_targets_the_first_is_told() -> None:
    found = held_out(PEOPLE, POLICY, options={"also": ["income"]})
    assert (found.target, found.accuracy) == ("hours-per-week", None)
    assert found.mean_absolute_error is not None
    income = ks.Policy(public=POLICY.public, private=["hours-per-week"], target="income", require="k=10")
    labels = held_out(PEOPLE, income, options={"also": ["hours-per-week"]})
    assert (labels.target, labels.mean_absolute_error) == ("income", None)
    assert labels.accuracy is not None


def test_folds_that_cannot_be_learned_are_told() -> None:
    found = held_out(made(10), replace(paid(), require=ks.KAnonymity(9)), options={"predict": "numbers"})
    assert (found.failed, found.is_known, found.mean_absolute_error) == (5, False, None)
    assert "k=9" in str(found.reason)


def test_programs_get_everything() -> None:
    found = held_out(PEOPLE, POLICY)
    told = found.as_dict()
    assert {"mean_absolute_error", "guessing_error", "explained", "unit", "no_better", "may_be_chance"} <= set(told)
    assert told["explained"] == found.explained == found.gain
    assert eval(repr(found), {"HeldOut": HeldOut}) == found


def test_numbers_are_no_labels_to_compare() -> None:
    with pytest.raises(ks.PolicyError, match="'hours-per-week' was learned as a number, and labels are compared here"):
        ks.compare(PEOPLE, {}, OTHERS, POLICY, ["grouped"])
    with pytest.raises(ks.PolicyError, match="was learned as a number"):
        ks.five_by_two(PEOPLE, POLICY, ["grouped"])


# Test tables


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_weights_of_a_test_table_are_repeated_people(data: st.DataObject) -> None:
    tree = ks.learn(PEOPLE, POLICY)
    frame = OTHERS.head(12).with_columns(n=pl.Series(data.draw(st.lists(st.integers(1, 5), min_size=12, max_size=12))))
    weighted = on_test_table(tree, frame, replace(POLICY, weight="n"))
    repeated = on_test_table(tree, frame.select(pl.all().repeat_by("n")).explode(pl.all()).drop("n"), POLICY)
    assert weighted.as_dict() == pytest.approx(repeated.as_dict())


def test_a_test_table_is_counted_like_folds() -> None:
    tree = ks.learn(PEOPLE, POLICY)
    found = on_test_table(tree, OTHERS, POLICY)
    true = OTHERS["hours-per-week"].to_numpy()
    off = ks.predict(tree, OTHERS)["predicted: hours-per-week"].to_numpy() - true
    assert (found.folds, found.people, found.rows) == (0, 700, None)
    assert found.mean_absolute_error == pytest.approx(np.abs(off).mean())
    assert found.standard_error == pytest.approx(np.abs(off).std() / np.sqrt(700))
    assert found.guessing_error == pytest.approx(np.abs(true - true.mean()).mean())
    assert found.explained == pytest.approx(1 - (off**2).mean() / true.var())
    frame = OTHERS.with_columns(who=pl.int_range(700) // 2)
    persons = on_test_table(tree, frame, replace(POLICY, person="who"))
    assert (persons.people, persons.rows) == (350, 700)
    assert persons.mean_absolute_error == pytest.approx(np.abs(off).mean())
    assert persons.standard_error != pytest.approx(found.standard_error)


def test_test_tables_that_tell_nothing_are_refused() -> None:
    tree = ks.learn(PEOPLE, POLICY)
    with pytest.raises(ks.DataError, match="learned from the people of the test table"):
        on_test_table(tree, PEOPLE, POLICY)
    with pytest.raises(ks.DataError, match="learned from the people of the test table"):
        on_test_table(ks.learn(PEOPLE, POLICY, also=["income"]), PEOPLE, POLICY)
    gone = OTHERS.with_columns(
        pl.when(pl.int_range(700) < 2).then(None).otherwise("hours-per-week").alias("hours-per-week")
    )
    with pytest.raises(ks.DataError, match="2 people of the test table have no 'hours-per-week': give their numbers"):
        on_test_table(tree, gone, POLICY)
    words = OTHERS.with_columns(pl.lit("many").alias("hours-per-week"))
    with pytest.raises(ks.DataError, match="does not hold numbers alone"):
        on_test_table(tree, words, POLICY)


def test_a_test_table_of_a_tree_of_several_targets_is_held_against_the_first() -> None:
    tree = ks.learn(PEOPLE, POLICY, also=["income"])
    assert on_test_table(tree, OTHERS, POLICY) == on_test_table(tree.views()[0], OTHERS, POLICY)


def of_days() -> Tree:
    """A tree that tells when people came: some on average on the third day of 2020, others two weeks later."""
    ward, first = Attribute("ward", "public", WORDS, ("a", "b")), float((date(2020, 1, 3) - date(1970, 1, 1)).days)
    leaves = {"a": Node(Numbers(4, first)), "b": Node(Numbers(4, first + 14))}
    edges = tuple(Edge(Region(frozenset({name})), leaf) for name, leaf in leaves.items())
    return Tree((ward,), "came", "private", (), Node(Numbers(8, first + 7), 0, edges), target_kind=DAYS)


def test_dates_are_days_off() -> None:
    came = [date(2020, 1, 1) + timedelta(days=days) for days in (0, 6, 16, 20)]
    found = on_test_table(of_days(), pl.DataFrame({"ward": ["a", "a", "b", "b"], "came": came}))
    # The tree says days 2 and 16, and the mean of the table is 10.5.
    assert (found.mean_absolute_error, found.guessing_error, found.unit) == (2.5, 7.5, "days")
    squares = [(2**2 + 4**2 + 0**2 + 4**2), (10.5**2 + 4.5**2 + 5.5**2 + 9.5**2)]
    assert found.explained == pytest.approx(1 - squares[0] / squares[1])
