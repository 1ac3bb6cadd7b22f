"""Naive Bayes: scikit-learn's where all cells are exact, and its definition where they are not."""

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import kspan as ks
from kspan.model.bayes.model import Binned, Gaussian, WordChances
from kspan.model.predict import predictor

LABELS = st.sampled_from(["no", "yes"])
WORDS = st.sampled_from(["a", "b", "c"])
SETS = st.sampled_from(["a", "b", "c", "{a|b}", "{b|c}", "{a|b|c}", "*", None])


def policy(*names: str, **more: object) -> ks.Policy:
    return ks.Policy(public=names, target="label", require="k=1", **more)  # type: ignore[arg-type]


def shares(model: object, people: pl.DataFrame) -> np.ndarray:
    return predictor(model).of_people(people)  # type: ignore[arg-type]


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS, LABELS), min_size=2, max_size=30), st.sampled_from([0.1, 1.0, 3.0]))
def test_exact_words_give_what_scikit_learn_gives(rows: list[tuple[str, str, str]], alpha: float) -> None:
    people = pl.DataFrame(rows, schema=["x", "y", "label"], orient="row")
    codes = np.column_stack([people[name].rank("dense").to_numpy() - 1 for name in "xy"])
    theirs = CategoricalNB(alpha=alpha).fit(codes, people["label"].to_numpy())
    for likelihood in ("even", "em"):
        ours = ks.learn(people, policy("x", "y"), "naive-bayes", alpha=alpha, likelihood=likelihood)
        np.testing.assert_allclose(shares(ours, people), theirs.predict_proba(codes), atol=1e-12)


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(-50, 50), st.floats(-3, 3).map(lambda x: round(x, 3)), LABELS), min_size=2, max_size=30
    ),
    st.sampled_from([1e-9, 1e-3]),
)
def test_exact_numbers_give_what_scikit_learn_gives(rows: list[tuple[int, float, str]], smoothing: float) -> None:
    people = pl.DataFrame(rows, schema=["x", "y", "label"], orient="row")
    numbers = people.select("x", "y").to_numpy().astype(float)
    if numbers.var(axis=0).max() < 1e-6:
        return  # scikit-learn divides by nothing there
    theirs = GaussianNB(var_smoothing=smoothing).fit(numbers, people["label"].to_numpy())
    for likelihood in ("even", "em"):
        options = {"var_smoothing": smoothing, "likelihood": likelihood}
        ours = ks.learn(people, policy("x", "y"), "naive-bayes", **options)
        np.testing.assert_allclose(shares(ours, people), theirs.predict_proba(numbers), atol=1e-6)


def test_adult_gives_what_scikit_learn_gives() -> None:
    people = ks.datasets.load_adult("train").head(4000).drop_nulls()
    words = ["workclass", "education", "sex", "race"]
    table = people.select(*words, "income").rename({"income": "label"})
    codes = np.column_stack([table[name].rank("dense").to_numpy() - 1 for name in words])
    theirs = CategoricalNB().fit(codes, table["label"].to_numpy()).predict_proba(codes)
    np.testing.assert_allclose(shares(ks.learn(table, policy(*words), "naive-bayes"), table), theirs, atol=1e-10)
    numbers = ["age", "hours-per-week", "capital-gain"]
    table = people.select(*numbers, "income").rename({"income": "label"})
    plain = table.select(numbers).to_numpy().astype(float)
    theirs = GaussianNB().fit(plain, table["label"].to_numpy()).predict_proba(plain)
    np.testing.assert_allclose(shares(ks.learn(table, policy(*numbers), "naive-bayes"), table), theirs, atol=1e-8)


def admitted(cell: str | None) -> list[str]:
    return [] if cell in (None, "*") else cell.strip("{}").split("|")


@given(st.lists(st.tuples(SETS, SETS, LABELS), min_size=2, max_size=25))
def test_sets_by_the_definition(rows: list[tuple[str | None, str | None, str]]) -> None:
    people = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String, "label": pl.String}, orient="row")
    columns = {
        name: sorted({word for cell in people[name] for word in admitted(cell)})
        for name in "xy"
        if any(admitted(cell) for cell in people[name])
    }
    labels = sorted(set(people["label"]))
    expected = []
    chance = {}
    for name, words in columns.items():
        for label, word in product(labels, words):
            cells = [admitted(row[name]) for row in people.rows(named=True) if row["label"] == label]
            people_here = sum(1 / len(cell) for cell in cells if word in cell)
            chance[name, label, word] = (people_here + 1) / (sum(map(bool, cells)) + len(words))
    for row in people.rows(named=True):
        each = []
        for label in labels:
            value = people["label"].to_list().count(label) / people.height
            for name in columns:
                if cell := admitted(row[name]):
                    value *= sum(chance[name, label, word] for word in cell) / len(cell)
            each.append(value)
        expected.append([value / sum(each) for value in each])
    model = ks.learn(people, policy("x", "y"), "naive-bayes")
    np.testing.assert_allclose(shares(model, people), expected, atol=1e-12)


def test_em_learns_how_words_share_a_set() -> None:
    people = pl.DataFrame({"x": ["a"] * 8 + ["b"] * 2 + ["{a|b}"] * 10 + ["b"] * 5, "label": ["yes"] * 20 + ["no"] * 5})
    model = ks.learn(people, policy("x"), "naive-bayes", likelihood="em", alpha=1e-6)
    assert isinstance(model, ks.NaiveBayes)
    (words,) = model.attributes
    assert isinstance(words, WordChances)
    assert words.table[0][1] == pytest.approx(0.8, abs=0.02)
    even = ks.learn(people, policy("x"), "naive-bayes", alpha=1e-6)
    assert even.attributes[0].table[0][1] == pytest.approx(13 / 20)  # type: ignore[union-attr]


def test_a_range_is_spread_evenly_between_its_ends() -> None:
    people = pl.DataFrame({"x": ["[0, 12]", "6", "20", "26", "*", None], "label": ["a", "a", "b", "b", "a", "b"]})
    (made,) = ks.learn(people, policy("x"), "naive-bayes", var_smoothing=1e-15).attributes  # type: ignore[union-attr]
    assert isinstance(made, Gaussian)
    assert made.means == (6, 23)
    assert made.variances == pytest.approx((12 / 2, 9))


def test_a_range_is_as_likely_as_the_mean_density_inside() -> None:
    people = pl.DataFrame({"x": [1.0, 3.0, 4.0, 8.0], "label": ["a", "a", "b", "b"]})
    model = ks.learn(people, policy("x"), "naive-bayes")
    steps = np.linspace(2, 5, 100_001)
    density = [
        np.exp(-((steps - mean) ** 2) / 2 / var).mean() / math.sqrt(var) for mean, var in ((2.0, 1.0), (6.0, 4.0))
    ]
    found = shares(model, pl.DataFrame({"x": ["[2, 5]"]}))
    np.testing.assert_allclose(found[0], np.array(density) / sum(density), atol=1e-4)
    # A range without an end, one far out, one that is hardly one, and anything.
    tails = shares(model, pl.DataFrame({"x": [">=5", "[900, 1000]", "*", None, "5"]}))
    assert np.isfinite(tails).all()
    assert tails[0, 1] > 0.9
    assert tails[1, 1] == pytest.approx(1)
    assert tails[2].tolist() == tails[3].tolist() == [0.5, 0.5]
    narrow = shares(model, pl.DataFrame({"x": ["[5, 5.0000001]", "[5, 5.001]", "5"]}))
    np.testing.assert_allclose(narrow[:2], narrow[[2, 2]], atol=1e-3)


def test_bins_hold_about_equally_many_people() -> None:
    people = pl.DataFrame({"x": list(range(100)), "label": ["a"] * 50 + ["b"] * 50})
    model = ks.learn(people, policy("x"), "naive-bayes", numbers="binned", bins=4)
    (made,) = model.attributes  # type: ignore[union-attr]
    assert isinstance(made, Binned)
    assert made.cuts == (24.5, 49.5, 74.5)
    assert made.table[0] == pytest.approx((26 / 54, 1 / 54))
    found = shares(model, pl.DataFrame({"x": ["10", "[0, 49.5]", "[37, 62]", "*", "-1000", "<10"]}))
    assert found[:, 0] == pytest.approx([26 / 27, 26 / 27, 0.5, 0.5, 26 / 27, 26 / 27])


def test_cells_are_spread_over_bins() -> None:
    people = pl.DataFrame({"x": [*map(str, range(10)), "[0, 9]"], "label": ["a"] * 5 + ["b"] * 5 + ["a"]})
    model = ks.learn(people, policy("x"), "naive-bayes", numbers="binned", bins=2, alpha=1e-9)
    (made,) = model.attributes  # type: ignore[union-attr]
    assert isinstance(made, Binned)
    assert np.array(made.table)[:, 0] == pytest.approx([5.5 / 6, 0.5 / 6])


def test_names_of_a_hierarchy_and_words_never_seen() -> None:
    jobs = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office")])
    people = pl.DataFrame({"job": ["health", "clerk", "nurse"], "label": ["a", "b", "a"]})
    model = ks.learn(people, policy("job", hierarchies={"job": jobs}), "naive-bayes")
    found = shares(model, pl.DataFrame({"job": ["health", "pilot", None, "{nurse|pilot}", "nurse"]}))
    assert found[1].tolist() == found[2].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert found[3].tolist() == found[4].tolist()
    each = [[2.5, 1], [1.5, 1], [1, 2]]  # nurse, doctor, clerk after one more person each
    chances = np.array([sum(row[0] for row in each[:2]) / 5 / 2, sum(row[1] for row in each[:2]) / 4 / 2])
    wanted = chances * [2, 1]
    assert found[0] == pytest.approx(wanted / wanted.sum())


def test_weights_stand_for_repeated_rows() -> None:
    rows = [("a", "[1, 4]", "yes", 3), ("{a|b}", "2", "no", 2), ("b", "9", "yes", 1), ("c", "*", "no", 4)]
    people = pl.DataFrame(rows, schema=["x", "y", "label", "n"], orient="row")
    repeated = people.select(pl.all().exclude("n").repeat_by("n")).explode(pl.all()).drop("n", strict=False)
    for options in ({}, {"likelihood": "em"}, {"numbers": "binned", "bins": 2}):
        one = ks.learn(people, policy("x", "y", weight="n"), "naive-bayes", **options)
        other = ks.learn(repeated, policy("x", "y"), "naive-bayes", **options)
        np.testing.assert_allclose(shares(one, people), shares(other, people), atol=1e-12)


def test_a_pattern_of_ones_own() -> None:
    people = pl.DataFrame({"x": ["10 to 20", "30", "40", "50 to 60"], "label": ["a", "a", "b", "b"]})
    pattern = r"(?P<low>\d+) to (?P<high>\d+)"
    model = ks.learn(people, policy("x", range_pattern=pattern), "naive-bayes")
    assert model.attributes[0].means == (22.5, 47.5)  # type: ignore[union-attr]
    assert ks.predict(model, people, range_pattern=pattern)["predicted: label"].to_list() == ["a", "a", "b", "b"]
    with pytest.raises(ks.DataError, match="'x'"):
        ks.predict(model, people)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"alpha": 0}, "alpha must be"),
        ({"likelihood": "evn"}, "did you mean 'even'"),
        ({"numbers": "bins"}, "use gaussian, binned, by-label"),
        ({"bins": 0}, "bins must be"),
        ({"score": "gini"}, "has no option 'score'"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], says: str) -> None:
    people = pl.DataFrame({"x": ["a", "b"], "label": ["a", "b"]})
    with pytest.raises(ks.PolicyError, match=says):
        ks.learn(people, policy("x"), "naive-bayes", **options)


def test_what_cannot_be_learned_from() -> None:
    vague = pl.DataFrame({"x": ["a", "b"], "label": ["{a|b}", "b"]})
    with pytest.raises(ks.DataError, match="1 people have no label, or no single one"):
        ks.learn(vague, policy("x"), "naive-bayes")
    malformed = pl.DataFrame({"x": ["a", "{a|"], "label": ["a", "b"]})
    with pytest.raises(ks.DataError, match=r"row 2 of column 'x' .* expected"):
        ks.learn(malformed, policy("x"), "naive-bayes")
    model = ks.learn(pl.DataFrame({"x": [1, 2], "label": ["a", "b"]}), policy("x"), "naive-bayes")
    with pytest.raises(ks.DataError, match="'x' holds words"):
        ks.predict(model, pl.DataFrame({"x": ["a", "b"]}))
    with pytest.raises(ks.DataError, match="lacks 'x'"):
        ks.predict(model, pl.DataFrame({"y": ["a", "b"]}))


def test_digits_that_are_declared_words_stay_words() -> None:
    people = pl.DataFrame({"zip": ["1", "2", "{1|2}"], "label": ["a", "b", "b"]})
    for frame in (people, people.head(2).with_columns(pl.col("zip").cast(pl.Int64))):
        model = ks.learn(frame, policy("zip", domains={"zip": "categorical"}), "naive-bayes")
        assert isinstance(model.attributes[0], WordChances)  # type: ignore[union-attr]
        found = shares(model, frame)
        assert found[0, 0] > found[1, 0]


def test_columns_of_which_nothing_is_known() -> None:
    people = pl.DataFrame(
        {"x": [None, None], "y": ["*", "*"], "z": [5, 5], "w": [None, 3.0], "label": ["a", "b"]},
        schema_overrides={"x": pl.Float64},
    )
    for options in ({}, {"likelihood": "em"}, {"numbers": "binned"}):
        model = ks.learn(people, policy("x", "y", "z", "w"), "naive-bayes", **options)
        assert np.isfinite(shares(model, people)).all()


RANGES = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted) | st.none()


@given(st.lists(st.tuples(RANGES, LABELS), min_size=2, max_size=15))
def test_ranges_by_the_definition(rows: list[tuple[list[int] | None, str]]) -> None:
    told = [(ends, label) for ends, label in rows if ends is not None]
    if len({label for _, label in told}) < 2:
        return
    cells = [None if ends is None else f"[{ends[0]}, {ends[1]}]" for ends, _ in rows]
    people = pl.DataFrame({"x": pl.Series(cells, dtype=pl.String), "label": [label for _, label in rows]})
    (made,) = ks.learn(people, policy("x"), "naive-bayes", var_smoothing=0.5).attributes  # type: ignore[union-attr]
    assert isinstance(made, Gaussian)
    # Of many numbers spread evenly over each range the plain mean and variance.
    spread = {
        label: np.concatenate([np.linspace(*ends, 2001) for ends, own in told if own == label])
        for label in ("no", "yes")
    }
    extra = 0.5 * (np.concatenate(list(spread.values())).var() or 1)
    assert made.means == pytest.approx([spread[label].mean() for label in ("no", "yes")])
    assert made.variances == pytest.approx([spread[label].var() + extra for label in ("no", "yes")], rel=3e-3)


@given(st.lists(st.tuples(SETS, LABELS), min_size=3, max_size=20))
def test_em_by_the_definition(rows: list[tuple[str | None, str]]) -> None:
    people = pl.DataFrame(rows, schema={"x": pl.String, "label": pl.String}, orient="row")
    words = sorted({word for cell in people["x"] for word in admitted(cell)})
    labels = sorted(set(people["label"]))
    if not words:
        return
    share = {(word, label): 1 / len(words) for word in words for label in labels}
    while True:
        counts = dict.fromkeys(share, 0.0)
        for cell, label in rows:
            total = sum(share[word, label] for word in admitted(cell))
            for word in admitted(cell):
                counts[word, label] += share[word, label] / total
        people_of = {label: sum(counts[word, label] for word in words) for label in labels}
        better = {key: counts[key] / people_of[key[1]] if people_of[key[1]] else share[key] for key in share}
        moved = max(sum(abs(better[word, label] - share[word, label]) for word in words) / 2 for label in labels)
        share = better
        if moved < 0.01:
            break
    counts = dict.fromkeys(share, 0.0)
    for cell, label in rows:
        total = sum(share[word, label] for word in admitted(cell))
        for word in admitted(cell):
            counts[word, label] += share[word, label] / total
    (made,) = ks.learn(people, policy("x"), "naive-bayes", likelihood="em").attributes  # type: ignore[union-attr]
    assert isinstance(made, WordChances)
    for row, word in zip(made.table, words, strict=True):
        for found, label in zip(row, labels, strict=True):
            everybody = sum(counts[each, label] for each in words)
            assert found == pytest.approx((counts[word, label] + 1) / (everybody + len(words)))
