"""Whoever is predicted was not learned from, and what is told of it is what a plain count of answers gives."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.evaluate.held_out import FOLDS, HeldOut, held_out
from kspan.evaluate.learners import Predictor
from kspan.share.publishing import share_tree

ADULT = ks.datasets.load_adult("train").head(1200)
BY_HEART = ks.Policy(public=["age", "sex"], private=["fnlwgt"], target="income", require="k=10")
"""Nobody else has your sampling weight, so that a tree which asks for it knows people by heart."""
PEOPLE = ADULT.select("age", "sex", "fnlwgt", "income")


class Spy:
    """Learns nothing but the commonest label, and remembers whom it was shown, to learn from and to predict."""

    def __init__(self) -> None:
        self.known: list[pl.DataFrame] = []
        self.asked: list[pl.DataFrame] = []

    def __call__(self, people: pl.DataFrame, policy: ks.Policy) -> Predictor:
        self.known.append(people)

        def labels(rows: pl.DataFrame) -> list[str]:
            self.asked.append(rows)
            # Neither always right nor always wrong, and known again from the row.
            return ["yes" if number % 3 else "no" for number in rows["number"]]

        return labels


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Rows with the number of the row, its person, its weight and its label."""
    rows = draw(st.integers(2, 40))
    one = st.tuples(st.integers(0, 12), st.integers(1, 7), st.sampled_from(["yes", "yes", "no", "perhaps"]))
    drawn = draw(st.lists(one, min_size=rows, max_size=rows))
    frame = pl.DataFrame(drawn, schema=["person", "n", "ill"], orient="row")
    return frame.with_columns(pl.int_range(pl.len()).alias("number"))


def policy_of(**more: Any) -> ks.Policy:
    return ks.Policy(public=["number"], target="ill", require="k=1", **more)


def expected(spy: Spy, frame: pl.DataFrame, weight: str | None) -> tuple[float, float]:
    """The shares that were right, of the spy and of guessing, counted person by person."""
    truth = dict(frame.select("number", "ill").iter_rows())
    right = guessed = everybody = 0
    for known, asked in zip(spy.known, spy.asked, strict=True):
        often: Counter[str] = Counter()
        for row in known.iter_rows(named=True):
            often[row["ill"]] += row[weight] if weight else 1
        most = min(often, key=lambda label: (-often[label], label))
        for row in asked.iter_rows(named=True):
            people, label = row[weight] if weight else 1, truth[row["number"]]
            everybody += people
            right += people * (label == ("yes" if row["number"] % 3 else "no"))
            guessed += people * (label == most)
    return right / everybody, guessed / everybody


@given(tables(), st.integers(1, 7))
def test_everybody_is_predicted_once_by_what_was_learned_from_all_others(frame: pl.DataFrame, folds: int) -> None:
    spy = Spy()
    found = held_out(frame, policy_of(), spy, folds=folds)
    asked = [number for rows in spy.asked for number in rows["number"]]
    for known, rows in zip(spy.known, spy.asked, strict=True):
        assert "ill" not in rows.columns
        assert not set(known["number"]) & set(rows["number"])
        if folds > 1:
            assert sorted([*known["number"], *rows["number"]]) == list(range(frame.height))
    assert len(asked) == len(set(asked)) == found.people
    assert found.people == (frame.height if folds > 1 else -(-frame.height // min(3, frame.height)))
    assert (found.accuracy, found.guessing) == pytest.approx(expected(spy, frame, None))
    if folds > 1:
        sizes = [rows.height for rows in spy.asked]
        assert max(sizes) - min(sizes) <= 1
        for label in frame["ill"].unique():
            of_label = [frame["ill"].gather(rows["number"]).eq(label).sum() for rows in spy.asked]
            assert max(of_label) - min(of_label) <= 1


@given(tables(), st.integers(1, 5))
def test_all_rows_of_a_person_are_in_one_fold(frame: pl.DataFrame, folds: int) -> None:
    spy = Spy()
    people = frame["person"].n_unique()
    found = held_out(frame, policy_of(person="person"), spy, folds=folds)
    if people < 2:
        assert (found.accuracy, found.reason) == (None, "one person cannot be left out and learned from")
        return
    for known, rows in zip(spy.known, spy.asked, strict=True):
        assert not set(known["person"]) & set(rows["person"])
    assert (found.accuracy, found.guessing) == pytest.approx(expected(spy, frame, None))
    if folds > 1:
        assert found.people == people
        assert found.rows == (frame.height if people < frame.height else None)


@given(tables(), st.integers(2, 5))
def test_a_weight_is_divided_like_so_many_people(frame: pl.DataFrame, folds: int) -> None:
    spy = Spy()
    found = held_out(frame, policy_of(weight="n"), spy, folds=folds)
    weights = dict(frame.select("number", "n").iter_rows())
    asked: Counter[int] = Counter()
    for known, rows in zip(spy.known, spy.asked, strict=True):
        both = Counter(dict(known.select("number", "n").iter_rows()))
        both.update(dict(rows.select("number", "n").iter_rows()))
        assert both == weights
        asked.update(dict(rows.select("number", "n").iter_rows()))
    assert asked == weights
    for part in (*({"ill": label} for label in frame["ill"].unique()), {}):
        of_row = frame.filter(**part)["number"].to_list() if part else frame["number"].to_list()
        sizes = [rows.filter(pl.col("number").is_in(of_row))["n"].sum() for rows in spy.asked]
        assert max(sizes) - min(sizes) <= 1
    assert found.people == frame["n"].sum()
    assert (found.accuracy, found.guessing) == pytest.approx(expected(spy, frame, "n"))


@given(tables())
def test_the_standard_error_is_that_of_people(frame: pl.DataFrame) -> None:
    """Rows with a weight are as good as so many rows; rows of one person are as good as their sum."""
    number = dict(enumerate(frame.rows(named=True)))

    def errors(people: list[tuple[float, float]], mean: float) -> float:
        return float(np.sqrt(sum((hits - size * mean) ** 2 for hits, size in people)) / sum(n for _, n in people))

    def hit(row: dict[str, Any]) -> float:
        return float(row["ill"] == ("yes" if row["number"] % 3 else "no"))

    by_weight = held_out(frame, policy_of(weight="n"), Spy(), folds=2)
    people = [(hit(row), 1.0) for row in number.values() for _ in range(row["n"])]
    assert by_weight.standard_error == pytest.approx(errors(people, by_weight.accuracy or 0))
    by_person = held_out(frame, policy_of(person="person"), Spy(), folds=2)
    if by_person.accuracy is None:
        return
    sums: dict[int, tuple[float, float]] = {}
    for row in number.values():
        hits, size = sums.get(row["person"], (0.0, 0.0))
        sums[row["person"]] = (hits + hit(row), size + 1)
    assert by_person.standard_error == pytest.approx(errors(list(sums.values()), by_person.accuracy))


@pytest.mark.parametrize("method", ["kadet", "c45", "part", "naive-bayes"])
def test_noise_that_is_learned_by_heart_is_no_better_than_guessing(method: str) -> None:
    random = np.random.default_rng(3)
    frame = pl.DataFrame({"x": random.permutation(600), "sex": random.choice(["f", "m"], 600),
                          "coin": random.choice(["no", "yes"], 600, p=[0.6, 0.4])})  # fmt: skip
    policy = ks.Policy(public=["sex"], private=["x"], target="coin", require="k=5")
    found = held_out(frame, policy, method)
    assert found.accuracy == pytest.approx(found.guessing, abs=0.12)
    assert found.accuracy is not None
    assert found.guessing is not None
    assert found.accuracy <= found.guessing + 2 * (found.gain_error or 0)
    assert found.no_better or found.may_be_chance


def test_counts_of_noise_are_no_better_than_guessing() -> None:
    """Were the people of a row divided evenly, each fold would tell the others what is so by chance."""
    random = np.random.default_rng(4)
    people = pl.DataFrame({"x": np.arange(600) // 6, "coin": random.choice(["no", "yes"], 600)})
    counts = people.group_by("x", "coin").len("n").sort("x", "coin")
    policy = ks.Policy(public=["x"], target="coin", weight="n", require="k=1", domains={"x": "categorical"})
    found = held_out(counts, policy, "id3")
    assert found.people == 600
    assert found.accuracy == pytest.approx(0.5, abs=0.07)
    assert held_out(people, replace(policy, weight=None), "id3").accuracy == pytest.approx(0.5, abs=0.07)
    # So that there is something to know by heart.
    own = counts.sort("n", descending=True).unique("x", keep="first")["n"].sum() / 600
    assert own > 0.6


def test_weights_may_be_as_large_as_counts_can_be() -> None:
    people = pl.DataFrame({"x": ["a", "a", "b", "b"], "ill": ["no", "yes"] * 2, "n": [1 << 60, 1, 3, 1 << 60]})
    found = held_out(people, ks.Policy(public=["x"], target="ill", weight="n", require="k=2"), "id3")
    assert found.people == pytest.approx(2 << 60)
    assert found.accuracy == pytest.approx(1.0)


def test_a_tree_that_knows_its_people_by_heart_is_told_as_what_it_is_worth() -> None:
    tree = ks.learn(PEOPLE, BY_HEART, "kadet")
    own = (ks.predict(tree, PEOPLE)["predicted: income"] == PEOPLE["income"]).mean()
    found = held_out(PEOPLE, BY_HEART, "kadet")
    assert len(tree.leaves) > 300
    assert own > 0.99
    assert found.accuracy is not None
    assert found.guessing is not None
    assert found.accuracy < found.guessing - 0.05
    assert found.no_better
    assert not found.may_be_chance


def test_what_can_be_learned_is_better_than_guessing() -> None:
    frame = ADULT.select("education", "relationship", "income")
    policy = ks.Policy(public=["education", "relationship"], target="income", require="k=20")
    found = held_out(frame, policy, "c45")
    assert not found.no_better
    assert not found.may_be_chance
    assert found.guess == "<=50K"


def test_the_same_chance_gives_the_same_figure() -> None:
    first, again, other = (held_out(PEOPLE, BY_HEART, "kadet", rng=rng) for rng in (1, 1, 2))
    assert first == again == held_out(PEOPLE, BY_HEART, "kadet", rng=np.random.default_rng(1))
    assert first != other
    assert first.people == other.people == PEOPLE.height


def test_rows_of_more_than_fit_into_folds_are_predicted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy()
    frame = pl.DataFrame({"number": range(60), "ill": ["yes", "no", "no"] * 20})
    assert held_out(frame, policy_of(), spy).folds == FOLDS == len(spy.asked)
    monkeypatch.setattr("kspan.evaluate.held_out.MOST_IN_FOLDS", 59)
    spy = Spy()
    found = held_out(frame, policy_of(), spy)
    assert (found.folds, found.people, len(spy.asked)) == (1, 20, 1)
    assert spy.known[0].height == 40


def test_folds_that_cannot_be_learned_are_told() -> None:
    frame = ks.datasets.small_mortgage()
    policy = ks.Policy(identifier=["Name"], public=["Marital status"], private=["Sports car"], target="Loan risk",
                       require="k=6")  # fmt: skip
    assert ks.learn(frame, policy).root.people == 6
    none = held_out(frame, policy)
    assert (none.accuracy, none.guessing, none.people, none.folds, none.failed) == (None, None, 0, 5, 5)
    assert none.reason is not None
    assert "k=6" in none.reason
    assert not none.no_better
    some = held_out(frame, replace(policy, require=ks.KAnonymity(5)))
    assert some.folds - some.failed == 4, "one fold of two people leaves four"
    assert (some.people, some.reason is not None) == (4, True)


def test_limits_on_values_that_nobody_of_a_fold_has_are_left_out() -> None:
    frame = pl.DataFrame({"x": ["a", "b"] * 20, "illness": ["flu"] * 39 + ["hiv"], "pays": ["yes", "no"] * 20})
    policy = ks.Policy(public=["x"], private=["illness"], target="pays",
                       require='k=2, confidence[illness="hiv"]=0.5')  # fmt: skip
    assert held_out(frame, policy).failed == 0
    with pytest.raises(ks.PolicyError, match="names a value that nobody has"):
        held_out(frame, replace(policy, require='k=2, confidence[illness="hvi"]=0.5'))  # type: ignore[arg-type]


def test_classes_of_earlier_releases_go_along() -> None:
    classes = np.repeat([0, 1], 600)
    seen = held_out(PEOPLE, BY_HEART, "kadet", known=classes)
    assert seen.people == 1200
    refused = held_out(
        PEOPLE, BY_HEART, "kadet", known=np.arange(1200) // 12
    )  # 12 people each, and 9 or 10 of them known
    assert refused.failed == 5
    assert refused.reason is not None


def test_owners_trees_are_learned_anew() -> None:
    policy = ks.Policy(public=["age", "sex"], target="income", require="k=10")
    frame = PEOPLE.drop("fnlwgt")

    def by_hand(people: pl.DataFrame, policy: ks.Policy) -> Predictor:
        tree = share_tree(people, policy, "atp", min_rows=20).tree
        return lambda rows: ks.predict(tree, rows)["predicted: income"]

    assert held_out(frame, policy, "atp", options={"min_rows": 20}) == held_out(frame, policy, by_hand)


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"method": "kadett"}, "there is no learner of labels 'kadett'"),
        ({"method": "clusters"}, "there is no learner of labels 'clusters'"),
        ({"method": "c45", "options": {"min_row": 3}}, "min_row"),
        ({"method": "c45", "options": {"min_rows": 0}}, "min_rows"),
        ({"method": Spy(), "options": {"min_rows": 3}}, "options are for learners that have a name"),
        ({"folds": 0}, "folds must be a whole number of at least 1"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(asked: dict[str, Any], match: str) -> None:
    with pytest.raises(ks.PolicyError, match=match):
        held_out(PEOPLE, BY_HEART, **asked)


def test_people_without_a_label_are_refused() -> None:
    gone = PEOPLE.with_columns(income=pl.when(pl.col("age") > 80).then(None).otherwise("income"))
    with pytest.raises(ks.DataError, match="have no label in 'income'"):
        held_out(gone, BY_HEART)


def test_programs_get_everything() -> None:
    found = HeldOut("ill", 5, people=10, accuracy=0.5, standard_error=0.1, guessing=0.5, guess="no", gain_error=0.1)
    assert found.as_dict() == {
        "target": "ill", "folds": 5, "people": 10, "rows": None, "accuracy": 0.5, "standard_error": 0.1,
        "guessing": 0.5, "guess": "no", "gain_error": 0.1, "mean_absolute_error": None, "guessing_error": None,
        "explained": None, "unit": None, "failed": 0, "reason": None,
        "no_better": True, "may_be_chance": False,
    }  # fmt: skip
    assert replace(found, accuracy=0.6).may_be_chance
    assert not replace(found, accuracy=0.8).may_be_chance
