"""Logistic regression on what cells are expected to hold."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import kspan as ks
from kspan.model.predict import predictor

ADULT = ks.datasets.load_adult("train").head(1500).drop_nulls()
WORDS, NUMBERS = ["workclass", "education", "sex"], ["age", "hours-per-week"]


def policy(*names: str, **more: object) -> ks.Policy:
    return ks.Policy(public=names, target="label", require="k=1", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("target", "c"), [("income", 1.0), ("income", 0.01), ("race", 1.0)])
def test_exact_data_gives_what_scikit_learn_gives(target: str, c: float) -> None:
    people = ADULT.select(*WORDS, *NUMBERS, pl.col(target).alias("label"))
    hot = OneHotEncoder(sparse_output=False).fit_transform(people.select(WORDS).to_numpy())
    scaled = StandardScaler().fit_transform(people.select(NUMBERS).to_numpy().astype(float))
    numbers = np.hstack([hot, scaled])
    theirs = LogisticRegression(C=c, max_iter=1000).fit(numbers, people["label"].to_numpy())
    for likelihood in ("even", "em"):
        ours = ks.learn(people, policy(*WORDS, *NUMBERS), "logistic", C=c, likelihood=likelihood)
        found = predictor(ours).of_people(people)
        np.testing.assert_allclose(found, theirs.predict_proba(numbers), atol=1e-6)


def test_a_set_counts_in_even_parts_and_a_range_as_its_middle() -> None:
    people = pl.DataFrame(
        {
            "x": ["a", "b", "{a|b}", "*", None, "a"],
            "n": ["1", "[2, 4]", "5", None, "*", "<3"],
            "label": ["p", "q", "p", "q", "p", "q"],
        }
    )
    model = ks.learn(people, policy("x", "n"), "logistic", missing_indicator=True)
    assert isinstance(model, ks.Linear)
    assert model.encoding.names == ["x_a", "x_b", "n", "x is missing", "n is missing"]
    numbers = model.encoding.matrix(people)
    assert numbers[:, 0] == pytest.approx([1, 0, 0.5, 0.625, 0.625, 1])
    center, spread = np.mean([1, 3, 5, 1.5]), np.std([1, 3, 5, 1.5])
    assert numbers[:, 2] == pytest.approx((np.array([1, 3, 5, center, center, 1.5]) - center) / spread)
    assert numbers[:, 3:].tolist() == [[0, 0], [0, 0], [0, 0], [0, 1], [1, 0], [0, 0]]


def test_em_shares_a_set_as_the_column_tells() -> None:
    people = pl.DataFrame({"x": ["a", "a", "a", "b", "{a|b}"], "label": ["p", "q", "p", "q", "p"]})
    model = ks.learn(people, policy("x"), "logistic", likelihood="em")
    assert isinstance(model, ks.Linear)
    assert model.encoding.matrix(people)[-1] == pytest.approx([0.75, 0.25], abs=0.01)


def test_one_label_and_columns_that_say_nothing() -> None:
    people = pl.DataFrame({"x": ["*", "*"], "label": ["p", "p"]})
    assert ks.predict(ks.learn(people, policy("x"), "logistic"), people)["probability: p"].to_list() == [1, 1]
    people = pl.DataFrame({"x": ["*", "*", "*"], "label": ["p", "p", "q"]})
    found = ks.predict(ks.learn(people, policy("x"), "logistic"), people)
    assert found["probability: p"].to_list() == pytest.approx([2 / 3] * 3)


def test_weights_stand_for_repeated_rows() -> None:
    rows = [("a", "[1, 4]", "yes", 3), ("{a|b}", "2", "no", 2), ("b", "9", "yes", 1), ("c", "*", "no", 4)]
    people = pl.DataFrame(rows, schema=["x", "y", "label", "n"], orient="row")
    repeated = people.select(pl.all().exclude("n").repeat_by("n")).explode(pl.all())
    one = ks.learn(people, policy("x", "y", weight="n"), "logistic")
    other = ks.learn(repeated, policy("x", "y"), "logistic")
    np.testing.assert_allclose(predictor(one).of_people(people), predictor(other).of_people(people), atol=1e-3)


@pytest.mark.parametrize("numbers", ["binned", "by-label"])
def test_numbers_in_bins_are_what_scikit_learn_makes_of_the_same_bins(numbers: str) -> None:
    people = ADULT.select(*NUMBERS, pl.col("income").alias("label"))
    bayes = ks.learn(people, policy(*NUMBERS), "naive-bayes", numbers=numbers)
    assert isinstance(bayes, ks.NaiveBayes)
    places = [np.searchsorted(each.cuts, people[each.known.name].to_numpy()) for each in bayes.attributes]  # type: ignore[union-attr]
    hot = OneHotEncoder(sparse_output=False).fit_transform(np.column_stack(places))
    theirs = LogisticRegression(max_iter=1000).fit(hot, people["label"].to_numpy())
    ours = ks.learn(people, policy(*NUMBERS), "logistic", numbers=numbers)
    np.testing.assert_allclose(predictor(ours).of_people(people), theirs.predict_proba(hot), atol=1e-6)


def test_a_range_is_told_by_its_part_in_each_bin() -> None:
    cells = ["1", "[1, 3]", "[2, 6]", "6", "*", None]
    people = pl.DataFrame({"n": cells, "label": ["p", "p", "q", "q", "p", "q"]})
    model = ks.learn(people, policy("n"), "logistic", numbers="binned", bins=2)
    assert isinstance(model, ks.Linear)
    (cut,) = model.encoding.features[0].cuts or ()
    assert 1 < cut < 6
    assert model.encoding.names == [f"n <={cut:g}", f"n >{cut:g}"]
    parts = [1, min(1, (cut - 1) / 2), (cut - 2) / 4, 0]
    below = [*parts, np.mean(parts), np.mean(parts)]
    assert model.encoding.matrix(people)[:, 0] == pytest.approx(below)
    assert model.encoding.matrix(people).sum(axis=1) == pytest.approx(np.ones(6))


def test_numbers_that_say_nothing_have_one_bin() -> None:
    people = pl.DataFrame({"n": pl.Series([None, None, None], dtype=pl.Float64), "label": ["p", "p", "q"]})
    for numbers in ("binned", "by-label"):
        model = ks.learn(people, policy("n", domains={"n": "numeric"}), "logistic", numbers=numbers)
        assert ks.predict(model, people)["predicted: label"].to_list() == ["p"] * 3


@pytest.mark.parametrize(
    ("options", "says"),
    [({"numbers": "gaussian"}, "use scaled, binned, by-label"), ({"bins": 0}, "bins must be")],
)
def test_options_that_cannot_be(options: dict[str, object], says: str) -> None:
    people = pl.DataFrame({"n": [1, 2], "label": ["a", "b"]})
    with pytest.raises(ks.PolicyError, match=says):
        ks.learn(people, policy("n"), "logistic", **options)
