"""Boosting from general cells: without any it is scikit-learn's, and values are drawn as they are told."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import kspan as ks
from experiments.data_sets import load
from kspan.data.encode import encode_people
from kspan.induce.released.examples import examples
from kspan.induce.released.imputed import drawn_tables
from kspan.model.boosted.numbered import COPIES
from kspan.model.distributions import Distribution, Distributions, NumberShare, WordShare

RNG = np.random.default_rng(0)


def policy(*names: str, **more: Any) -> ks.Policy:
    return ks.Policy(public=names, target="label", require="k=1", **more)


def drawn(frame: pl.DataFrame, told: Distributions | None = None, number: int = 400) -> dict[str, list[list[Any]]]:
    """All values that were drawn, by column and row."""
    rules = policy(*(name for name in frame.columns if name != "label"))
    people = examples(encode_people(frame, rules), rules)
    columns, tables = drawn_tables(people, told, "even", number, np.random.default_rng(1))
    found: dict[str, list[list[Any]]] = {one.column.column.name: [[] for _ in range(frame.height)] for one in columns}
    for table in tables:
        for one, places in zip(columns, table, strict=True):
            for row, place in enumerate(places.tolist()):
                found[one.column.column.name][row].append(None if place < 0 else one.column.values[place])
    return found


def told(*shares: WordShare | NumberShare, kind: str) -> Distributions:
    people = sum(share.people for share in shares)
    return Distributions("k=1", people, (Distribution("x", kind, shares),))  # type: ignore[arg-type]


@pytest.mark.parametrize("labels", [2, 3])
def test_on_numbers_alone_it_is_that_of_scikit_learn(labels: int) -> None:
    numbers = RNG.normal(size=(300, 3)).round(2)
    label = (numbers[:, 0] + numbers[:, 1] > 0).astype(int) + (labels > 2) * (numbers[:, 2] > 1)
    frame = pl.DataFrame({f"x{place}": numbers[:, place] for place in range(3)})
    ours = ks.learn(frame.with_columns(label=pl.Series(label).cast(str)), policy("x0", "x1", "x2"), "boosted", rounds=9)
    theirs = HistGradientBoostingClassifier(max_iter=9, early_stopping=False, l2_regularization=1.0).fit(numbers, label)
    np.testing.assert_allclose(ks.predict(ours, frame)[:, 1:].to_numpy(), theirs.predict_proba(numbers), atol=1e-9)


def test_values_are_drawn_from_the_cell_and_nowhere_else() -> None:
    frame = pl.DataFrame(
        {
            "x": ["{a|b}", "c", None, "*", "b"],
            "n": ["[20, 39]", "50", "*", None, "30"],
            "label": ["p", "q", "p", "q", "p"],
        }
    )
    found = drawn(frame)
    assert [set(values) for values in found["x"]] == [{"a", "b"}, {"c"}, {None}, {"a", "b", "c"}, {"b"}]
    assert [set(values) for values in found["n"]] == [{20, 30, 39}, {50}, {20, 30, 39, 50}, {None}, {30}]


def test_published_words_say_how_often_each_is_drawn() -> None:
    frame = pl.DataFrame({"x": ["{a|b}", "{b|c}", "{c|d}"], "label": ["p", "q", "p"]})
    told_words = told(WordShare(90, ("a",)), WordShare(30, ("b",)), kind="categorical")
    found = drawn(frame, told_words, 2000)["x"]
    assert found[0].count("a") / 2000 == pytest.approx(0.75, abs=0.04)
    assert set(found[1]) == {"b"}  # nobody has c, as was published
    assert set(found[2]) == {"c", "d"}  # nobody has either, so both are possible


def test_published_numbers_say_which_are_drawn_and_how_often() -> None:
    frame = pl.DataFrame({"x": ["[0, 99]", "[10, 99]", "7"], "label": ["p", "q", "p"]})
    shares = (NumberShare(75, 0, 0), NumberShare(25, 50, 61), NumberShare(20, None, 50))
    found = drawn(frame, told(*shares, kind="numeric"), 3000)["x"]
    assert found[0].count(0.0) / 3000 == pytest.approx(75 / 120, abs=0.04)
    above = sum(value >= 50 for value in found[0]) / 3000
    assert above == pytest.approx(25 / 120, abs=0.04)
    assert {value for value in found[1] if value >= 50} == set(range(50, 61))
    assert all(10 <= value < 61 for value in found[1])
    assert set(found[2]) == {7.0}


def test_a_table_without_general_cells_is_drawn_once() -> None:
    frame = pl.DataFrame({"x": ["a", None], "label": ["p", "q"]})
    assert drawn(frame) == {"x": [["a"], [None]]}


def test_distributions_of_another_kind_are_refused() -> None:
    words, numbers = told(WordShare(9, ("a",)), kind="categorical"), told(NumberShare(9, 1, 2), kind="numeric")
    for cells, given in ((["a", "b"], numbers), (["1", "2"], words)):
        frame = pl.DataFrame({"x": cells, "label": ["p", "q"]})
        with pytest.raises(ks.DataError, match="give its own"):
            ks.learn(frame, policy("x"), "boosted", marginals=given)
    with pytest.raises(ks.DataError, match="a list tells no distributions"):
        ks.learn(frame, policy("x"), "boosted", marginals=[])


def test_a_general_row_is_the_mean_of_its_values_whatever_rows_are_beside_it() -> None:
    frame = pl.DataFrame({"x": ["a", "b", "c"] * 20, "n": [1, 2, 3, 4] * 15, "label": ["p", "q", "q"] * 20})
    model = ks.learn(frame, policy("x", "n"), "boosted", rounds=5, min_rows=1)
    exact = ks.predict(model, pl.DataFrame({"x": ["a", "b"], "n": [2, 2]}))["probability: p"]
    row = pl.DataFrame({"x": ["{a|b}"], "n": ["2"]})
    assert ks.predict(model, row)["probability: p"][0] == pytest.approx(exact.mean())
    beside = pl.concat([pl.DataFrame({"x": ["*", "c"], "n": ["[1, 4]", "3"]}), row, row])
    assert (
        ks.predict(model, beside)["probability: p"][2:].to_list() == [ks.predict(model, row)["probability: p"][0]] * 2
    )
    assert len(model.numbered.copies(beside)[0]) == 1 + 3 * COPIES  # type: ignore[union-attr]


def test_one_label_and_columns_that_say_nothing_are_learned_as_well() -> None:
    one = pl.DataFrame({"x": ["a", "{a|b}"], "label": ["p", "p"]})
    model = ks.learn(one, policy("x"), "boosted")
    assert ks.predict(model, one)["probability: p"].to_list() == [1.0, 1.0]
    assert ks.audit(model, one.head(0).vstack(one), policy("x")).holds
    silent = pl.DataFrame({"x": [None, None, None], "label": ["p", "q", "q"]}, schema_overrides={"x": pl.String})
    found = ks.predict(ks.learn(silent, policy("x"), "boosted"), silent)["probability: q"]
    np.testing.assert_allclose(found, 2 / 3)


def test_the_same_seed_gives_the_same_model() -> None:
    frame = pl.DataFrame({"x": ["{a|b}", "a", "b", "*"] * 20, "label": ["p", "q", "q", "p"] * 20})
    first, second, other = (ks.learn(frame, policy("x"), "boosted", rng=seed) for seed in (3, 3, 4))
    assert first == second != other


def test_weights_are_people() -> None:
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "n": [1, 30, 20, 9], "label": ["p", "q", "q", "p"]})
    found = ks.predict(ks.learn(frame, policy("x", weight="n"), "boosted"), frame)["probability: q"]
    np.testing.assert_allclose(found, 50 / 60)  # too few rows for any question: what everybody is like


def test_people_with_general_cells_cannot_be_judged() -> None:
    frame = pl.DataFrame({"x": ["a", "b"] * 20, "label": ["p", "q"] * 20})
    model = ks.learn(frame, policy("x"), "boosted")
    with pytest.raises(ks.ModelError):
        ks.audit(model, frame.with_columns(x=pl.lit("{a|b}")), policy("x"))


def test_a_model_of_rows_is_not_said_to_hold_where_people_are_alone() -> None:
    frame = pl.DataFrame({"x": [*range(40)], "label": ["p", "q"] * 20})
    model = ks.learn(frame, policy("x"), "boosted", min_rows=1, rounds=3)
    rules = ks.Policy(public=["x"], target="label", require="k=5")
    assert not ks.audit(model, frame, rules).holds
    coarse = ks.learn(frame.with_columns(x=pl.col("x") // 20), rules, "boosted", rounds=3)
    assert ks.audit(coarse, frame.with_columns(x=pl.col("x") // 20), rules).holds


@pytest.mark.slow
@pytest.mark.shared_data
def test_a_label_of_two_people_leads_nobody_astray(shared_data: Path) -> None:
    """Two people of Nursery have a label of their own: without steady leaves 45% of the others were predicted wrong."""
    half = load("nursery", shared_data)
    learned = half.people.filter(half.folds(1, 2) == 1)
    asked = half.people.filter(half.folds(1, 2) == 0)
    model = ks.learn(learned, half.policy("k=1"), "boosted")
    assert ks.accuracy(ks.predict(model, asked)[f"predicted: {half.target}"], asked[half.target]) > 0.99
