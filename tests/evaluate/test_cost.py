"""What k costs: each point is a release made by hand, and what cannot be released is told."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.evaluate.cost import SEEDS, CostCurve, cost_curve, requiring
from kspan.evaluate.trial import Labelled, Trial, parted
from kspan.share.publishing import share_tree

PEOPLE = ks.datasets.load_adult("train", missing=False).select(
    "age", "education-num", "marital-status", "hours-per-week", "income"
)
FEW = PEOPLE.head(600)
POLICY = ks.Policy(
    public=["age", "education-num", "marital-status"], private=["hours-per-week"], target="income", require="k=10"
)
NO_TARGET = ks.Policy(
    public=["age", "education-num", "marital-status", "hours-per-week"], private=["income"], require="k=10"
)


def trial_of(people: pl.DataFrame = FEW, policy: ks.Policy = POLICY) -> tuple[int, Trial]:
    """The seed and the parts of a curve with rng=0."""
    random = np.random.default_rng(0)
    seed = int(random.integers(SEEDS))
    return seed, Trial.of(people, policy, 1 / 3, rng=random)


def ks_of(curve: CostCurve) -> list[int]:
    return [point.k for point in curve.points]


@pytest.mark.parametrize(("method", "options"), [("kactus", {"show": "interval"}), ("mondrian", {}), ("tds", {})])
def test_a_table_is_what_compare_says_of_it(method: str, options: dict[str, Any]) -> None:
    curve = cost_curve(FEW, POLICY, method, ks=[50, 5], options=options)
    seed, trial = trial_of()
    asked = trial.asked.with_columns(trial.truth.alias("income"))
    assert asked.height == curve.tested == 200 - 1  # each of two labels is rounded down
    assert ks_of(curve) == [5, 50]
    for point in curve.points:
        release = ks.anonymize(trial.known, requiring(POLICY, point.k), method, secret=f"{seed:032x}", **options)
        found = ks.compare(trial.known, {"it": release}, asked, POLICY, ["c45"])
        assert [curve.ceiling, point.accuracy] == found.table["accuracy"].to_list()
        assert curve.floor == found.baseline
        assert (point.loss, point.crowds) == (release.audit.utility.ncp, release.audit.groups)
        assert (point.withheld, point.suppressed) == (release.withheld / trial.known.height, release.suppressed_share)
        assert point.refused is None
    assert (curve.method, curve.learner, curve.target, curve.chosen) == (method, "c45", "income", 10)


@pytest.mark.parametrize(
    ("method", "learner", "options"),
    [
        ("kadet", "c45", {"min_rows": 20}),
        ("kadet-c45", "c45", {"prune": False}),
        ("atp", "c45", {"min_rows": 5}),
        ("atp", "id3", {"learner": "id3", "merge": "information", "marginals": True, "min_rows": 20}),
        ("ldm", "c45", {}),
    ],
    ids=str,
)
def test_a_tree_answers_itself(method: str, learner: str, options: dict[str, Any]) -> None:
    curve = cost_curve(FEW, POLICY, method, ks=[10], options=options)
    _, trial = trial_of()
    policy = requiring(trial.policy, 10)
    if method in ("atp", "ldm"):
        shared = share_tree(trial.known, policy, method, **options)
        tree, audit = shared.tree, shared.audit
    else:
        tree = ks.learn(trial.known, policy, method, **options)  # type: ignore[assignment]
        audit = ks.audit(tree, trial.known, policy)
    (point,) = curve.points
    assert point.accuracy == right(tree, trial)
    assert point.crowds == audit.groups
    assert (point.loss, point.withheld, point.suppressed, point.refused) == (None, None, None, None)
    about_learning = {name: said for name, said in options.items() if name in ("min_rows", "prune")}
    assert curve.learner == learner
    assert curve.ceiling == right(ks.learn(trial.known, POLICY, learner, **about_learning), trial)


def right(model: Any, trial: Trial) -> float:
    return float((ks.predict(model, trial.asked)["predicted: income"] == trial.truth).mean())


def test_without_a_target_everybody_is_released() -> None:
    curve = cost_curve(FEW, NO_TARGET, "mondrian", ks=[10])
    whole = ks.anonymize(FEW, NO_TARGET, "mondrian", secret="0" * 32)
    (point,) = curve.points
    assert (point.accuracy, point.loss, point.crowds) == (None, whole.audit.utility.ncp, whole.audit.groups)
    assert (curve.learner, curve.target, curve.tested, curve.ceiling, curve.floor) == (None, None, 0, None, None)


def test_a_public_target_is_made_coarser_and_not_predicted() -> None:
    policy = replace(POLICY, public=("age", "income"), private=("education-num", "marital-status", "hours-per-week"))
    curve = cost_curve(FEW, policy, "mondrian", ks=[10])
    assert (curve.tested, curve.points[0].accuracy) == (0, None)
    assert curve.points[0].loss is not None


def test_the_usual_ks_are_those_that_leave_two_crowds() -> None:
    policy = replace(POLICY, require=ks.KAnonymity(7))
    assert ks_of(cost_curve(FEW, policy, "mondrian")) == [2, 5, 7, 10, 20, 50, 100, 200]
    huge = cost_curve(PEOPLE.head(50), replace(POLICY, require=ks.KAnonymity(40)), "mondrian")
    assert ks_of(huge) == [2, 5, 10, 40]  # of 35 people; the chosen one is asked about in any case
    assert huge.points[-1].refused is not None


def test_what_cannot_be_released_is_told() -> None:
    curve = cost_curve(FEW, POLICY, "mondrian", ks=[2, 500])
    fine, refused = curve.points
    assert fine.refused is None
    assert refused.refused == (
        "k=500 cannot be reached: with every public cell suppressed these 401 people reach k=401; "
        "lower the requirement to that, or add people"
    )
    assert (refused.accuracy, refused.loss, refused.withheld, refused.suppressed, refused.crowds) == (None,) * 5
    all_public = replace(POLICY, public=(*POLICY.public, "hours-per-week"), private=("income",))
    tree = cost_curve(FEW, all_public, "ldm", ks=[399])
    assert "no split of these people keeps k=399" in str(tree.points[0].refused)


def test_all_else_that_is_required_stays() -> None:
    policy = replace(NO_TARGET, require=ks.DistinctL(2) & ks.KAnonymity(3))
    assert str(requiring(policy, 50).require) == "k=50, distinct_l=2"
    only_l = replace(NO_TARGET, require=ks.DistinctL(2))
    curve = cost_curve(FEW, only_l, "mondrian", ks=[1])
    assert curve.chosen == 1
    assert curve.points[0].crowds == ks.anonymize(FEW, only_l, "mondrian", secret="0" * 32).audit.groups
    assert curve.points[0].crowds < cost_curve(FEW, NO_TARGET, "mondrian", ks=[1]).points[0].crowds  # type: ignore[operator]


def test_the_same_chance_gives_the_same_curve() -> None:
    first, again, other = (cost_curve(FEW, POLICY, "kactus", ks=[5], rng=rng) for rng in (1, 1, 2))
    assert first == again
    assert first == cost_curve(FEW, POLICY, "kactus", ks=[5], rng=np.random.default_rng(1))
    assert first != other


def test_auto_is_settled_once() -> None:
    seed, trial = trial_of()
    steps: list[str] = []
    curve = cost_curve(FEW, POLICY, "auto", ks=[2, 10], progress=steps.append)
    assert curve.method == ks.anonymize(trial.known, POLICY, "auto", secret=f"{seed:032x}").method
    assert steps == ["choosing a method", "k = 2 (1 of 2)", "k = 10 (2 of 2)", "learning from the raw rows"]
    too_much = replace(POLICY, require=ks.KAnonymity(500))
    settled = cost_curve(FEW, too_much, "auto", ks=[2, 20])
    assert settled.method == ks.anonymize(trial.known, requiring(POLICY, 20), "auto", secret=f"{seed:032x}").method
    with pytest.raises(ks.Unreachable, match="k=500 cannot be reached"):
        cost_curve(FEW, too_much, "auto", ks=[500, 600])


def test_a_weight_says_how_many_people_a_row_is() -> None:
    weighted = FEW.with_columns(n=pl.lit(3))
    policy = replace(POLICY, weight="n")
    curve = cost_curve(weighted, policy, "mondrian", ks=[30])
    # Of the people who share a row some are predicted, and the others are learned from.
    seed, trial = trial_of(weighted, policy)
    release = ks.anonymize(trial.known, requiring(trial.policy, 30), "mondrian", secret=f"{seed:032x}")
    assert curve.tested == trial.people == FEW.height
    assert trial.known["n"].sum() == 2 * FEW.height
    assert curve.floor == (FEW["income"] == "<=50K").mean()
    assert (curve.points[0].crowds, curve.points[0].loss) == (release.audit.groups, release.audit.utility.ncp)
    heavy = FEW.with_columns(n=pl.when(pl.col("income") == ">50K").then(100).otherwise(1))
    assert cost_curve(heavy, policy, "mondrian", ks=[2]).floor > 0.9  # type: ignore[operator]


def test_values_that_were_left_out_are_predicted_all_the_same() -> None:
    statuses = [f"of {row}" if row % 5 == 0 else status for row, status in enumerate(FEW["marital-status"])]
    rare = FEW.with_columns(pl.Series("marital-status", statuses))
    for method in ("kactus", "kadet-c45", "atp"):
        assert cost_curve(rare, POLICY, method, ks=[5]).points[0].accuracy is not None


@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 50)), min_size=1),
    tested=st.floats(0.01, 0.99),
    seed=st.integers(0, 9),
)
def test_people_who_share_a_row_are_divided(rows: list[tuple[str, int]], tested: float, seed: int) -> None:
    frame = pl.DataFrame(rows, schema=["ill", "n"], orient="row").with_columns(x=pl.int_range(pl.len()))
    people = Labelled.of(frame, ks.Policy(public=["x"], target="ill", weight="n", require="k=1"))
    drawn = people.drawn(tested, np.random.default_rng(seed))
    asked = frame.with_columns(asked=pl.Series(drawn))
    assert (drawn >= 0).all()
    assert (drawn <= frame["n"].to_numpy()).all()
    for _, n, few in asked.group_by("ill").agg(pl.col("n").sum(), pl.col("asked").sum()).iter_rows():
        assert few == np.floor(n * tested) < n


@given(labels=st.lists(st.integers(0, 3), min_size=1), tested=st.floats(0.01, 0.99), seed=st.integers(0, 9))
def test_labels_are_spread_over_both_parts(labels: list[int], tested: float, seed: int) -> None:
    known, asked = parted(np.array(labels), tested, rng=np.random.default_rng(seed))
    assert sorted([*known.tolist(), *asked.tolist()]) == list(range(len(labels)))
    for label in set(labels):
        there = sum(labels[row] == label for row in asked.tolist())
        assert there == int(np.floor(labels.count(label) * tested))


def test_everybody_has_a_chance_to_be_asked() -> None:
    asked = {
        row for seed in range(20) for row in parted(np.zeros(9, np.int64), 1 / 3, rng=np.random.default_rng(seed))[1]
    }
    assert asked == set(range(9))


@pytest.mark.parametrize(
    ("people", "policy", "method", "more", "said"),
    [
        (FEW, POLICY, "kaktus", {}, r"no method 'kaktus' \(did you mean 'kactus'\?\): use auto, kactus, .*, ldm"),
        (FEW, POLICY, "mondrian", {"ks": []}, "no k to try"),
        (FEW, POLICY, "mondrian", {"ks": [2, 0]}, "k must be a whole number of at least 1"),
        (FEW, POLICY, "mondrian", {"ks": [2.5]}, "k must be a whole number"),
        (FEW, POLICY, "mondrian", {"tested": 1.0}, "tested must be a number from 0.01 to 0.99"),
        (FEW, POLICY, "mondrian", {"options": {"shown": "set"}}, "mondrian has no option 'shown'"),
        (FEW, POLICY, "auto", {"options": {"show": "set"}}, "auto takes no options"),
        (FEW, NO_TARGET, "kadet", {}, "needs a target"),
        (FEW.head(2), POLICY, "mondrian", {}, "too few people"),
        (FEW.with_columns(income=None), POLICY, "mondrian", {}, "600 people in the table have no label"),
        (FEW.drop("age"), POLICY, "mondrian", {}, "'age'"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    people: pl.DataFrame, policy: ks.Policy, method: str, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(ks.KspanError, match=said):
        cost_curve(people, policy, method, **more)


@pytest.mark.parametrize("method", ["mondrian", "kadet"])
def test_a_limit_on_a_value_that_few_have_has_a_curve(method: str) -> None:
    """The one person who has it may be among those to be predicted; a value that nobody has is refused as ever."""
    people = pl.DataFrame(
        {
            "age": [number % 10 for number in range(60)],
            "illness": ["flu", "cold", "cold"] * 19 + ["flu", "cold", "hiv"],
            "risk": ["low", "high"] * 30,
        }
    )
    policy = ks.Policy(public=["age"], private=["illness"], target="risk", require='k=2, confidence["illness=hiv"]=0.5')
    for seed in range(4):
        curve = cost_curve(people, policy, method, ks=[2], rng=seed)
        assert curve.points[0].refused is None
    with pytest.raises(ks.PolicyError, match="nobody has"):
        cost_curve(people, replace(policy, require='k=2, confidence["illness=hvi"]=0.5'), method, ks=[2], rng=0)


# Numbers

HOURS = ks.Policy(public=["age", "marital-status"], private=["income"], target="hours-per-week", require="k=10")
WORKING = PEOPLE.drop("education-num").head(600)


@pytest.mark.parametrize("weight", [False, True])
def test_trees_of_numbers_have_errors_at_each_k(weight: bool) -> None:
    people, policy = WORKING, HOURS
    if weight:
        people, policy = people.with_columns(n=pl.int_range(600) % 3 + 1), replace(HOURS, weight="n")
    curve = cost_curve(people, policy, "grouped", ks=[2, 50, 5000])
    trial = trial_of(people, policy)[1]
    assert (curve.of_numbers, curve.unit, curve.floor, curve.tested) == (True, None, 0.0, trial.people)
    weights = np.ones(trial.asked.height) if trial.weights is None else trial.weights
    true = trial.numbers
    mean = np.average(trial.known["hours-per-week"], weights=trial.known["n"] if weight else None)
    assert curve.guessing_error == pytest.approx(np.average(np.abs(mean - true), weights=weights))
    told = {point.k: point for point in curve.points}
    for k, point in told.items():
        if k == 5000:
            assert (point.mean_absolute_error, point.explained) == (None, None)
            assert point.refused
            continue
        assert point.accuracy is None
        tree = ks.learn(trial.known, requiring(trial.policy, k), predict="numbers")
        off = ks.predict(tree, trial.asked)["predicted: hours-per-week"].to_numpy() - true
        assert point.mean_absolute_error == pytest.approx(np.average(np.abs(off), weights=weights))
        left = np.average(off**2, weights=weights) / np.average((mean - true) ** 2, weights=weights)
        assert point.explained == pytest.approx(1 - left, abs=1e-8)
    assert curve.ceiling == pytest.approx(cost_curve(people, policy, "grouped", ks=[1]).points[0].explained)


def test_labels_of_numbers_can_be_asked_for() -> None:
    curve = cost_curve(WORKING, HOURS, "grouped", ks=[10], options={"predict": "labels"})
    assert not curve.of_numbers
    assert curve.points[0].accuracy is not None
    assert curve.points[0].mean_absolute_error is None
    assert cost_curve(WORKING, HOURS, "kadet", ks=[10]).points[0].accuracy is not None


def test_of_several_targets_the_first_is_measured() -> None:
    curve = cost_curve(WORKING, HOURS, "grouped", ks=[10], options={"also": ["income"]})
    assert curve.points[0].mean_absolute_error is not None
    assert curve.target == "hours-per-week"
