"""Numbers of single people that trees told once: as labels, as means, as thresholds, and in what may leave."""

import json
import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.cli.main import main
from kspan.model.outcome import Numbers
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree

# 1. As labels, since one cell is no number


@pytest.mark.parametrize("odd", ["NaN", "nan", "NA", "inf", "1e-300"])
@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45"])
def test_one_odd_cell_makes_no_labels_of_numbers(odd: str, method: str, tmp_path: Path) -> None:
    draws = random.Random(1)
    pay = [odd, *(f"{draws.lognormvariate(10, 1):.2f}" for _ in range(199))]
    path = tmp_path / "people.csv"
    path.write_text("age,pay\n" + "".join(f"{20 + at % 50},{one}\n" for at, one in enumerate(pay)))
    policy = ks.Policy(public=["age"], private=["pay"], target="pay", require="k=10")
    with pytest.raises(ks.DataError, match=r"has \d+ different labels for 200 people|1 people have no label") as error:
        ks.learn(path, policy, method)
    assert pay[1] not in str(error.value)


def test_a_missing_number_leaves_a_public_column_one_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    lines = [f"{20 + at / 2},{'yes' if at > 50 else 'no'}\n" for at in range(100)]
    path.write_text("age,ill\nNaN,no\n" + "".join(lines))
    tree = ks.learn(path, ks.Policy(public=["age"], private=["ill"], target="ill", require="k=10"))
    assert isinstance(tree, Tree)
    assert [one.is_measured for one in tree.attributes] == [True]


# 2. As labels, since there are few


def test_rare_numbers_are_no_labels_unless_they_are_declared() -> None:
    gains = [0] * 150 + [5000] * 49 + [1_204_037]
    people = pl.DataFrame({"sex": ["F", "M"] * 100, "gain": gains})
    policy = ks.Policy(public=["sex"], private=["gain"], target="gain", require="k=10")
    tree = ks.learn(people, policy)
    assert tree.is_of_numbers
    assert "1204037" not in str(tree)
    assert ks.learn(people, policy, predict="labels").labels == ("0", "5000", "1204037")
    declared = ks.Policy(
        public=["sex"], private=["gain"], target="gain", require="k=10", domains={"gain": ["0", "5000", "1204037"]}
    )
    assert not ks.learn(people, declared).is_of_numbers
    flags = people.with_columns(gain=pl.Series([0] * 199 + [1]))
    assert ks.learn(flags, policy).labels == ("0", "1")


# 3. As means


@pytest.mark.parametrize("require", ["k=10", "k=10, p_percent[turnover]=20", "k=10, range[turnover]=5000"])
@pytest.mark.parametrize("owners", [[900_001.37] * 2, [900_001.0, 5.25]])
def test_no_mean_is_told_of_two_people(require: str, owners: list[float]) -> None:
    draws = np.random.default_rng(3)
    people = pl.DataFrame(
        {
            "region": draws.choice(["N", "S"], 200).tolist(),
            "yacht": ["yes"] * 2 + ["no"] * 198,
            "turnover": owners + draws.normal(50_000, 3_000, 198).round(2).tolist(),
        }
    )
    policy = ks.Policy(public=["region"], private=["yacht", "turnover"], target="turnover", require=require)
    for options in ({}, {"min_rows": 1, "pruning": "none"}):
        tree = ks.learn(people, policy, **options)
        assert audit_tree(tree, people, policy).holds
        assert all((node.outcome.people or 0) >= 10 for node in tree.nodes())
    edges = tuple(
        Edge(Region(frozenset({cell})), Node(_told(people.filter(yacht=cell)["turnover"]))) for cell in ("no", "yes")
    )
    yacht = Attribute("yacht", "private", "categorical", ("no", "yes"))
    telling = Tree(
        (yacht,), "turnover", "private", (), Node(_told(people["turnover"]), 0, edges), target_kind=tree.target_kind
    )
    found = audit_tree(telling, people, policy)
    assert not found.holds
    assert "leaf 2" in found.exact
    with pytest.raises(ks.DoesNotHold, match="numbers of too few people"):
        ks.publish_tree(telling, people, policy, "never.json")
    assert not Path("never.json").exists()


def _told(numbers: pl.Series) -> Numbers:
    return Numbers(len(numbers), float(numbers.mean()))  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [2, 3])
def test_a_mean_is_of_people_and_not_of_rows(k: int) -> None:
    """Two people with two rows each are more than k rows."""
    who = [one for one in range(40) for _ in range(2)]
    people = pl.DataFrame(
        {
            "who": who,
            "town": ["York" if one % 2 else "Leeds" for one in who],
            "smokes": ["yes" if one < 2 else "no" for one in who],
            "pay": [700.25 if one < 2 else float(one) for one in who],
        }
    )
    policy = ks.Policy(
        public=["town"], private=["smokes", "pay"], person="who", target="pay", require=f"k={k}", known_rows=1
    )
    tree = ks.learn(people, policy, complexity=0.0)
    assert "700.25" not in str(tree)
    assert audit_tree(tree, people, policy).holds


# 4. As thresholds


@st.composite
def crowded(draw: st.DrawFn) -> tuple[list[int], int]:
    """Ascending numbers of which some are close to each other, and a k."""
    steps = draw(st.lists(st.sampled_from([0, 1, 2, 7, 90, 1000, 12_345]), min_size=12, max_size=40))
    return np.cumsum(steps).tolist(), draw(st.integers(2, 6))


@given(made=crowded(), role=st.sampled_from(["public", "private"]), at=st.integers(3, 9))
def test_a_threshold_is_round_beside_the_crowd_around_it(made: tuple[list[int], int], role: str, at: int) -> None:
    numbers, k = made
    people = pl.DataFrame({"pay": numbers, "ill": ["no"] * at + ["yes"] * (len(numbers) - at)})
    public, private = (["pay"], ["ill"]) if role == "public" else ([], ["ill", "pay"])
    policy = ks.Policy(public=public, private=private, target="ill", require=f"k={k}")
    tree = ks.learn(people, policy, lookahead=0, complexity=0.0)
    if tree.root.is_leaf:
        return
    told = {end for edge in tree.root.edges for pair in edge.region.intervals for end in pair if end is not None}
    (threshold,) = told
    below = sum(one <= threshold for one in numbers)
    low = numbers[max(int(np.ceil(below - k / 2)), 1) - 1]
    high = numbers[min(int(np.ceil(below + k / 2)), len(numbers)) - 1]
    step = (high - low) / max(k, 16)
    rounds = (factor * 10**power for power in range(9) for factor in (1, 2, 5))
    assert any(threshold % each == 0 and each >= step for each in rounds)


def test_nothing_tells_two_people_apart_whose_numbers_are_close() -> None:
    draws = random.Random(5)
    pay = sorted(round(draws.lognormvariate(10, 0.8), 2) for _ in range(60))
    pay[30] = round(pay[29] + 0.01, 2)
    ill = ["no"] * 30 + ["yes"] * 30
    policy = ks.Policy(public=[], private=["pay", "ill"], target="ill", require="k=10")
    assert str(pay[29]) not in str(ks.learn(pl.DataFrame({"pay": pay, "ill": ill}), policy))
    days = sorted(date(1930, 1, 1) + timedelta(days=draws.randint(0, 9000)) for _ in range(29))
    days += [date(1955, 11, 22), date(1955, 11, 23)]
    days += sorted(date(1956, 1, 1) + timedelta(days=draws.randint(0, 9000)) for _ in range(29))
    policy = ks.Policy(public=[], private=["born", "ill"], target="ill", require="k=5")
    assert "1955-11-22" not in str(ks.learn(pl.DataFrame({"born": days, "ill": ill}), policy))


# 5. In what may leave


@pytest.mark.parametrize("method", ["grouped", "kadet"])
def test_what_leaves_names_nothing_that_the_tree_does_not_ask(method: Any) -> None:
    people = pl.DataFrame(
        {
            "town": ["Bonn"] * 5 + ["Hull"] * 4 + ["Pitcairn", None],
            "age": [30, 31, 32, 33, 34, 60, 61, 62, 63, 97, 65],
            "ill": ["yes"] * 5 + ["no"] * 6,
        }
    )
    policy = ks.Policy(public=["town", "age"], private=["ill"], target="ill", require="k=3")
    leaving = json.dumps(ks.audit(ks.learn(people, policy, method), people, policy).leaving())
    assert "Pitcairn" not in leaving
    assert "97" not in leaving


# Beside these


def test_numbers_that_thresholds_cannot_tell_apart_are_refused() -> None:
    people = pl.DataFrame({"code": [2**60 + one for one in range(60)], "ill": ["no"] * 30 + ["yes"] * 30})
    policy = ks.Policy(public=["code"], private=["ill"], target="ill", require="k=3")
    for method in ("grouped", "kadet"):
        with pytest.raises(ks.DataError, match="too many digits"):
            ks.learn(people, policy, method)


def test_a_tree_of_numbers_is_written_with_its_table(tmp_path: Path) -> None:
    data, policy, tree, table = (tmp_path / name for name in ("p.csv", "p.toml", "t.json", "t.csv"))
    data.write_text("sex,pay\n" + "".join(f"{'FM'[at % 2]},{1000 + 500 * (at % 2) + at}\n" for at in range(60)))
    policy.write_text('public = ["sex"]\nprivate = ["pay"]\ntarget = "pay"\n[require]\nk = 5\n')
    for told in ([], ["--disclose", "interval"]):
        for path in (tree, table):
            path.unlink(missing_ok=True)
        assert main(["learn", str(data), "-p", str(policy), "-o", str(tree), "--table", str(table), *told]) == 0
        assert pl.read_csv(table)["pay"].n_unique() == 2
