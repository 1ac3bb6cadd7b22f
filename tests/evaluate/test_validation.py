"""5x2 cross-validation and the combined F test."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import kspan as ks
from kspan.evaluate.validation import combined_f_test, halves

PEOPLE = ks.datasets.load_adult("train").select("age", "education", "sex", "hours-per-week", "income").head(600)
POLICY = ks.Policy(public=["age", "education", "sex"], private=["hours-per-week"], target="income", require="k=5")


def test_halves_are_halves_and_seeded() -> None:
    folds = list(halves(11, 7))
    assert len(folds) == 10
    for known, asked in folds:
        assert sorted([*known, *asked]) == list(range(11))
        assert abs(len(known) - len(asked)) == 1
    for (known, asked), (other, rest) in zip(folds[::2], folds[1::2], strict=True):
        assert (known.tolist(), asked.tolist()) == (rest.tolist(), other.tolist())
    assert [one.tolist() for one, _ in folds] == [one.tolist() for one, _ in halves(11, np.random.default_rng(7))]
    assert [one.tolist() for one, _ in folds] != [one.tolist() for one, _ in halves(11, 8)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_f_test_is_that_of_mlxtend(seed: int) -> None:
    from mlxtend.evaluate import combined_ftest_5x2cv

    X, y = load_iris(return_X_y=True)  # noqa: N806
    reached: dict[str, list[float]] = {}

    def scorer(model: object, asked: np.ndarray, truth: np.ndarray) -> float:
        right = float((model.predict(asked) == truth).mean())  # type: ignore[attr-defined]
        reached.setdefault(type(model).__name__, []).append(right)
        return right

    models = LogisticRegression(max_iter=5000), DecisionTreeClassifier(max_depth=1, random_state=0)
    theirs = combined_ftest_5x2cv(*models, X, y, scoring=scorer, random_seed=seed)
    first, second = (np.array(each).reshape(5, 2) for each in reached.values())
    ours = combined_f_test(first, second)
    assert (ours.f, ours.p) == (pytest.approx(theirs[0]), pytest.approx(theirs[1]))


def test_the_f_test_where_nothing_varies() -> None:
    same = np.full((5, 2), 0.75)
    assert combined_f_test(same, same).p == 1
    assert combined_f_test(same, same - 0.25).p == 0


@pytest.mark.parametrize("wrong", [np.zeros((2, 5)), np.zeros(10), np.full((5, 2), np.nan)])
def test_the_f_test_needs_five_rounds_on_two_halves(wrong: np.ndarray) -> None:
    with pytest.raises(ks.DataError, match="5 x 2"):
        combined_f_test(wrong, wrong)


def test_contenders_meet_on_the_same_folds_and_see_no_label() -> None:
    seen: dict[str, list[tuple[int, int]]] = {"one": [], "other": []}

    def contender(name: str) -> ks.evaluate.validation.Contender:  # type: ignore[name-defined]
        def answers(known: pl.DataFrame, asked: pl.DataFrame) -> list[str]:
            assert "income" in known.columns
            assert "income" not in asked.columns
            seen[name].append((known["age"].sum(), asked["age"].sum()))
            return ["<=50K"] * asked.height

        return answers

    found = ks.five_by_two(PEOPLE, POLICY, {name: contender(name) for name in seen}, rng=3)
    assert seen["one"] == seen["other"]
    assert len(seen["one"]) == 10
    assert found.means["one"] == pytest.approx((PEOPLE["income"] == "<=50K").mean())
    assert found.f_test("one", "other").p == 1


def test_anonymizing_before_learning_is_a_contender() -> None:
    """Kisilevich et al., Fig. 7: the training half is made anonymous, the other half is asked as it is."""

    def after_mondrian(known: pl.DataFrame, asked: pl.DataFrame) -> pl.Series:
        release = ks.anonymize(known, POLICY, "mondrian", secret="0" * 32)
        return ks.predict(ks.learn(release.table, POLICY, "c45"), asked)["predicted: income"]

    found = ks.five_by_two(PEOPLE, POLICY, {"c45": "c45", "anonymous": after_mondrian})
    assert found.accuracy["c45"].shape == (5, 2)
    assert set(found.means) == {"c45", "anonymous"}
    assert 0 <= found.f_test("c45", "anonymous").p <= 1
    again = ks.five_by_two(PEOPLE, POLICY, ["c45"])
    assert np.array_equal(found.accuracy["c45"], again.accuracy["c45"])


def test_refusals() -> None:
    with pytest.raises(ks.PolicyError, match=r"no learner 'c54' \(did you mean 'c45'\?\)"):
        ks.five_by_two(PEOPLE, POLICY, ["c54"])
    with pytest.raises(ks.PolicyError, match="did you mean 'c45'"):
        ks.five_by_two(PEOPLE, POLICY, ["c45"]).f_test("c45", "c4.5")
    with pytest.raises(ks.DataError, match="'income', the target"):
        ks.five_by_two(PEOPLE.drop("income"), POLICY, ["c45"])
    with pytest.raises(ks.DataError, match="rows of at least two people"):
        ks.five_by_two(PEOPLE.head(1), POLICY, ["c45"])
    gone = PEOPLE.with_columns(income=pl.when(pl.col("age") > 40).then("income"))
    with pytest.raises(ks.DataError, match="have no label"):
        ks.five_by_two(gone, POLICY, ["c45"])


def test_a_row_counts_for_as_many_people_as_its_weight() -> None:
    people = pl.DataFrame({"sex": ["F", "M"] * 4, "ill": ["yes"] * 4 + ["no"] * 4, "people": [9] * 4 + [1] * 4})
    policy = ks.Policy(public=["sex"], target="ill", weight="people", require="k=1")
    sizes: list[tuple[int, int]] = []

    def always(known: pl.DataFrame, asked: pl.DataFrame) -> list[str]:
        sizes.append((known["people"].sum(), asked["people"].sum()))
        return ["yes"] * asked.height

    found = ks.five_by_two(people, policy, {"always yes": always}, rng=7).accuracy["always yes"]
    assert set(sizes) == {(20, 20)}
    # 36 of 40 are ill, in both halves together; which half has how many of them is left to chance.
    assert found.mean(axis=1).tolist() == pytest.approx([0.9] * 5)
    assert found.std() > 0


def test_a_table_of_counts_is_measured_like_its_people() -> None:
    people = ks.datasets.load_adult("train").select("education", "sex", "income").head(3000)
    counts = people.group_by("education", "sex", "income").len("n").sort("education", "sex", "income")
    policy = ks.Policy(public=["education", "sex"], target="income", require="k=1")
    one, other = ks.five_by_two(people, policy, ["c45"]), ks.five_by_two(counts, replace(policy, weight="n"), ["c45"])
    assert one.means["c45"] == pytest.approx(other.means["c45"], abs=0.01)
