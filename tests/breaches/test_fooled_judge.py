"""Verdicts that were false once: the judge is given the wrong people, private questions, ties, and rounded numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import kspan as ks
from kspan.audit.clusters.judge import audit_clusters
from kspan.cli.main import main
from kspan.model.clusters.model import Axis, Clusters
from kspan.model.tree.json import save_tree
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.release import Marginal, TreeRelease

TOWN = Attribute("town", "public", "categorical", ("Leeds", "York"))
PUBLIC_TOWN = ks.Policy(public=["town"], target="pays", require="k=3", domains={"town": ["Leeds", "York"]})


def asks(attribute: Attribute, counts: dict[str, Any]) -> Tree:
    """A tree that asks one attribute; of every value a leaf with counts of no and yes, or a node below."""
    nodes = {value: one if isinstance(one, Node) else Node.of_counts(one) for value, one in counts.items()}
    edges = tuple(Edge(Region(frozenset({value})), node) for value, node in nodes.items())
    total = np.sum([node.counts for node in nodes.values()], axis=0)
    return Tree((attribute,), "pays", "private", ("no", "yes"), Node.of_counts(total.tolist(), 0, edges))


# 1. People who are not those of the tree


@pytest.mark.parametrize("disclosure", ["counts", "hit-miss", "shares"])
def test_a_tree_is_not_judged_by_other_people(disclosure: str, tmp_path: Path) -> None:
    own = pl.DataFrame({"town": ["Leeds"] * 8 + ["York"], "pays": ["no", "yes"] * 4 + ["yes"]})
    others = pl.DataFrame({"town": ["Leeds", "York"] * 8, "pays": ["no"] * 8 + ["yes"] * 8})
    tree = asks(TOWN, {"Leeds": (4, 4), "York": (0, 1)}).disclosing(disclosure)
    assert ks.audit(tree, own, PUBLIC_TOWN).k.people == 1
    found = ks.audit(tree, others, PUBLIC_TOWN)
    assert (found.holds, found.failing_groups) == (False, 0)
    assert "leaf 2" in found.untrue
    with pytest.raises(ks.DoesNotHold, match="tells of other people than the table has"):
        ks.publish_tree(tree, others, PUBLIC_TOWN, tmp_path / "tree.json", disclosure=disclosure)
    assert not (tmp_path / "tree.json").exists()


def test_the_verdict_says_which_figures_are_not_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = asks(TOWN, {"Leeds": (4, 4), "York": (0, 1)})
    ks.save_model(tree, tmp_path / "tree.json")
    pl.DataFrame({"town": ["Leeds", "York"] * 8, "pays": ["no"] * 8 + ["yes"] * 8}).write_csv(tmp_path / "others.csv")
    PUBLIC_TOWN.save(tmp_path / "policy.toml")
    given = [str(tmp_path / name) for name in ("tree.json", "policy.toml", "others.csv")]
    assert main(["audit", given[0], "-p", given[1], "--data", given[2]]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "the figures of 2 nodes are not those of these people (node 1 and leaf 2)" in out


@pytest.mark.parametrize("odd", ["x", "20-39", "*", "41 years"])
def test_people_whom_no_branch_admits_are_no_crowd(odd: str) -> None:
    """One odd cell makes words of a column of numbers, and then no interval admits anybody."""
    age = Attribute("age", "public", "numeric")
    sides = [Region(intervals=((None, 40),)), Region(intervals=((40, None),))]
    edges = tuple(Edge(side, Node.of_counts(counts)) for side, counts in zip(sides, [(5, 5), (0, 1)], strict=True))
    tree = Tree((age,), "pays", "private", ("no", "yes"), Node.of_counts((5, 6), 0, edges))
    policy = ks.Policy(public=["age"], target="pays", require="k=5")
    ages = ["30"] * 10 + ["50"]
    people = pl.DataFrame({"age": ages, "pays": ["no", "yes"] * 5 + ["yes"]})
    assert not ks.audit(tree, people, policy).holds
    with pytest.raises(ks.DataError, match="a value that the tree has no branch for"):
        ks.audit(tree, people.with_columns(age=pl.Series([odd, *ages[1:]])), policy)


def test_values_that_a_tree_does_not_know_are_no_crowd() -> None:
    towns = [f"town {number}" for number in range(11)]
    people = pl.DataFrame({"town": towns, "pays": ["no"] * 5 + ["yes"] * 6})
    policy = ks.Policy(public=["town"], target="pays", require="k=5")
    with pytest.raises(ks.DataError, match="11 rows of people have a value that the tree has no branch for"):
        ks.audit(asks(TOWN, {"Leeds": (5, 5), "York": (0, 1)}), people, policy)


def test_clusters_are_not_judged_by_other_people() -> None:
    axis = Axis.of(Attribute("age", "public", "numeric"))
    clusters = Clusters((axis,), (((20.0,),), ((60.0,),)), (9, 1))
    policy = ks.Policy(public=["age"], private=["pay"], require="k=3")
    others = pl.DataFrame({"age": [20] * 5 + [60] * 5, "pay": range(10)})
    found = ks.audit(clusters, others, policy)
    assert (found.holds, found.untrue) == (False, ("cluster 1", "cluster 2"))


# 2. Private attributes that a tree asks

MARRIED = Attribute("married", "public", "categorical", ("no", "yes"))
ILLNESS = Attribute("illness", "private", "categorical", ("flu", "hiv"))


def behind_marriage() -> tuple[Tree, pl.DataFrame]:
    """All 15 married people are behind illness = hiv; of 20 others some are."""

    def below(flu: tuple[int, int], hiv: tuple[int, int]) -> Node:
        leaves = {"flu": Node.of_counts(flu), "hiv": Node.of_counts(hiv)}
        edges = tuple(Edge(Region(frozenset({value})), leaf) for value, leaf in leaves.items())
        return Node.of_counts((flu[0] + hiv[0], flu[1] + hiv[1]), 1, edges)

    edges = (
        Edge(Region(frozenset({"no"})), below((6, 4), (4, 6))),
        Edge(Region(frozenset({"yes"})), below((0, 0), (7, 8))),
    )
    tree = Tree((MARRIED, ILLNESS), "pays", "private", ("no", "yes"), Node.of_counts((17, 18), 0, edges))
    rows = (
        [("no", "flu", "no")] * 6 + [("no", "flu", "yes")] * 4 + [("no", "hiv", "no")] * 4 + [("no", "hiv", "yes")] * 6
    )
    rows += [("yes", "hiv", "no")] * 7 + [("yes", "hiv", "yes")] * 8
    return tree, pl.DataFrame(rows, schema=["married", "illness", "pays"], orient="row")


def marriage_policy(require: str) -> ks.Policy:
    domains = {"married": ["no", "yes"], "illness": ["flu", "hiv"], "pays": ["no", "yes"]}
    return ks.Policy(public=["married"], private=["illness"], target="pays", require=require, domains=domains)


def test_what_a_private_question_tells_of_a_whole_span_is_exposed() -> None:
    tree, people = behind_marriage()
    found = ks.audit(tree, people, marriage_policy("k=10, distinct_l=2"))
    assert (found.holds, found.failing_people, found.failing[0].breaks) == (False, 15, ("distinct_l=2",))
    assert found.exposed == {"pays": 0, "illness": 15}
    assert found.inferred == ("all 15 people with married yes have illness = hiv",)
    assert found.derived == {"pays": 0, "illness": 15}
    assert found.leaving()["inferred"] == []
    table = ks.equivalent_table(tree, people, marriage_policy("k=10"))
    assert ks.audit(table, marriage_policy("k=10")).exposed == {"pays": 0, "illness": 15}
    assert ks.audit(tree, people, marriage_policy("k=10, distinct_l[pays]=2")).holds
    assert not ks.audit(tree, people, marriage_policy("k=10, distinct_l[illness]=2")).holds
    assert ks.audit(tree, people, marriage_policy("k=10")).holds


@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45"])
@pytest.mark.parametrize("require", ["k=10, distinct_l=2", "k=5, confidence=0.9", "k=5, t[illness]=0.2"])
def test_kadet_asks_no_private_question_that_tells_of_a_whole_span(method: str, require: str, tmp_path: Path) -> None:
    _, people = behind_marriage()
    policy = marriage_policy(require)
    found = ks.audit(ks.learn(people, policy, method), people, policy)
    assert (found.holds, found.exposed.get("illness", 0)) == (True, 0)
    assert ks.publish_tree(ks.learn(people, policy, method), people, policy, tmp_path / "tree.json").holds


@pytest.mark.slow
def test_adult_with_private_gains() -> None:
    adult = ks.datasets.load_adult("train")
    public = ["age", "education", "marital-status", "occupation", "relationship", "sex", "hours-per-week"]
    people = adult.select(*public, "capital-gain", "income")

    def policy(require: str) -> ks.Policy:
        return ks.Policy(public=public, private=["capital-gain"], target="income", require=require)

    only_labels = ks.learn(people, policy("k=10, distinct_l[income]=2"), "kadet")
    found = ks.audit(only_labels, people, policy("k=10, distinct_l=2"))
    assert not found.holds
    assert found.exposed["income"] == 0
    table = ks.equivalent_table(only_labels, people, policy("k=10"))
    shown = ks.audit(table, policy("k=10"))
    assert found.exposed["capital-gain"] >= shown.exposed["capital-gain"] > 1000
    both = ks.learn(people, policy("k=10, distinct_l=2"))
    guarded = ks.audit(both, people, policy("k=10, distinct_l=2"))
    assert (guarded.holds, guarded.exposed) == (True, {"income": 0, "capital-gain": 0})


# 3. Ties of clusters


def test_a_cell_that_only_ties_is_not_reached() -> None:
    """The last center is where the second is: whoever is as near to both belongs to the second."""
    axes = tuple(Axis.of(Attribute(name, role, "numeric", low=0, high=10)) for name, role in
                 (("age", "public"), ("pay", "private"), ("debt", "private")))  # fmt: skip
    centers = (((0.0,), (2.0,), (2.0,)), ((10.0,), (8.0,), (8.0,)), ((10.0,), (8.0,), (8.0,)))
    people = pl.DataFrame({"age": [0] * 3 + [10] * 2, "pay": [2, 2, 2, 8, 8], "debt": [2, 2, 2, 8, 8]})
    domains = {name: [0, 10] for name in ("age", "pay", "debt")}
    policy = ks.Policy(public=["age"], private=["pay", "debt"], require="k=2", domains=domains)
    found = audit_clusters(Clusters(axes, centers, (3, 2, 0)), people, policy)
    assert all(3 not in finding.bins for finding in found.smallest)


# 4. Numbers that a library rounds


def test_two_salaries_that_scikit_learn_cannot_tell_apart() -> None:
    """Above 2^24 not every whole number is one of 32 bits."""
    salary = np.array([2**24, 2**24 + 1, 2**24 + 3, 2**24 + 4] * 3, np.float64)
    people = pd.DataFrame({"salary": salary, "pays": ["no", "no", "yes", "yes"] * 3})
    model = DecisionTreeClassifier(random_state=0).fit(people[["salary"]], people["pays"])
    leaves = np.unique(model.apply(people[["salary"]]), return_counts=True)[1]
    found = ks.audit(model, people, ks.Policy(public=["salary"], target="pays", require="k=1"))
    assert (found.holds, found.groups, found.k.people) == (True, len(leaves), leaves.min())


@pytest.mark.parametrize("seed", range(20))
def test_timestamps_go_where_scikit_learn_sends_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    people = pd.DataFrame({"time": 1.7e9 + 32 * random.integers(0, 40, 60), "kind": random.integers(0, 5, 60)})
    people["pays"] = random.choice(["no", "yes"], 60)
    model = DecisionTreeClassifier(max_leaf_nodes=8, random_state=seed).fit(people[["time", "kind"]], people["pays"])
    leaves = np.unique(model.apply(people[["time", "kind"]]), return_counts=True)[1]
    found = ks.audit(model, people, ks.Policy(public=["time", "kind"], target="pays", require="k=1"))
    assert (found.holds, found.k.people) == (True, leaves.min())


def test_a_tree_that_was_fitted_with_weights_tells_of_its_people() -> None:
    people = pd.DataFrame({"age": [20, 30, 40, 50] * 5, "pays": (["no"] * 3 + ["yes"]) * 5})
    model = DecisionTreeClassifier(class_weight="balanced", random_state=0).fit(people[["age"]], people["pays"])
    policy = ks.Policy(public=["age"], target="pays", require="k=5")
    assert ks.audit(model, people, policy).holds
    assert ks.audit(model, people.head(16), policy).untrue
    assert ks.audit(model, people.assign(pays=["no", "yes"] * 10), policy).untrue


@pytest.mark.parametrize("labels", ["aabbbb", "aababb", "bababa", "bbbaaa"])
@pytest.mark.parametrize("weights", [None, "balanced", {"a": 1, "b": 3}])
def test_a_tree_of_scikit_learn_is_not_judged_by_other_labels(labels: str, weights: Any) -> None:
    people = pd.DataFrame({"x": [0, 0, 0, 1, 1, 1], "y": list("aabbbb")})
    model = DecisionTreeClassifier(class_weight=weights).fit(people[["x"]], people["y"])
    found = ks.audit(model, people.assign(y=list(labels)), ks.Policy(public=["x"], target="y", require="k=2"))
    assert (found.holds, found.untrue == ()) == ((True, True) if labels == "aabbbb" else (False, False))


# What cannot be answered is refused


def test_a_population_is_not_linked_to_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree, people = behind_marriage()
    with pytest.raises(ks.PolicyError, match="a population is linked to the rows of a table"):
        ks.audit(tree, people, marriage_policy("k=3"), population=people)
    ks.save_model(tree, tmp_path / "tree.json")
    people.write_csv(tmp_path / "people.csv")
    marriage_policy("k=3").save(tmp_path / "policy.toml")
    given = [str(tmp_path / name) for name in ("tree.json", "policy.toml", "people.csv")]
    command = ["audit", given[0], "-p", given[1], "--data", given[2], "--population", given[2]]
    assert main(command) == 2
    assert "--population is for tables" in capsys.readouterr().err


def test_a_tree_of_several_targets_says_so() -> None:
    people = pd.DataFrame({"age": [20, 30, 40, 50], "a": ["x", "y"] * 2, "b": ["u", "v"] * 2})
    model = DecisionTreeClassifier().fit(people[["age"]], people[["a", "b"]])
    policy = ks.Policy(public=["age"], private=["b"], target="a", require="k=1")
    with pytest.raises(ks.ModelError, match="predicts 2 targets at once"):
        ks.audit(model, people, policy)


def test_no_rare_value_is_told_where_one_branch_has_everybody(tmp_path: Path) -> None:
    """Somebody from Pitcairn is in another branch: the town must not stand in the file."""
    town = Attribute("town", "public", "categorical", ("Leeds", "Pitcairn"))
    age = Attribute("age", "public", "numeric")
    below = Node.of_counts((5, 5), 1, (
        Edge(Region(frozenset({"Leeds"})), Node.of_counts((5, 5))),
        Edge(Region(frozenset({"Pitcairn"})), Node.of_counts((0, 0))),
    ))  # fmt: skip
    edges = (
        Edge(Region(intervals=((None, 40),)), below),
        Edge(Region(intervals=((40, None),)), Node.of_counts((3, 3))),
    )
    tree = Tree((age, town), "pays", "private", ("no", "yes"), Node.of_counts((8, 8), 0, edges))
    people = pl.DataFrame(
        {"age": [30] * 10 + [50] * 6, "town": ["Leeds"] * 15 + ["Pitcairn"], "pays": ["no", "yes"] * 8}
    )
    policy = ks.Policy(public=["age", "town"], target="pays", require="k=5")
    assert ks.publish_tree(tree, people, policy, tmp_path / "tree.json").holds
    assert "Pitcairn" not in (tmp_path / "tree.json").read_text()


# How attributes spread, told with a tree


def spreading(leeds: int, york: int) -> TreeRelease:
    """A tree of one leaf with 11 people, and how many of them are said to be from each town."""
    tree = Tree((TOWN,), "pays", "private", ("no", "yes"), Node.of_counts((5, 6)))
    bins = ((Region(frozenset({"Leeds"})), leeds), (Region(frozenset({"York"})), york))
    return TreeRelease(tree, None, (Marginal(0, bins),))


@pytest.mark.parametrize("form", ["object", "file"])
def test_how_attributes_spread_is_judged_with_the_tree(form: str, tmp_path: Path) -> None:
    people = pl.DataFrame({"town": ["Leeds"] * 10 + ["York"], "pays": ["no"] * 5 + ["yes"] * 6})

    def given(release: TreeRelease) -> Any:
        if form == "object":
            return release
        save_tree(release, tmp_path / "tree.json")
        return tmp_path / "tree.json"

    one_is_alone = ks.audit(given(spreading(10, 1)), people, PUBLIC_TOWN)
    assert (one_is_alone.holds, one_is_alone.failing_groups, one_is_alone.spreads) == (False, 0, ("town",))
    not_so = ks.audit(given(spreading(6, 5)), people, PUBLIC_TOWN)
    assert (not_so.holds, not_so.spreads) == (False, ("town",))
    assert not ks.audit(given(spreading(10, 1)), require="k=3").holds, "by its published counts"
    assert ks.audit(given(spreading(6, 5)), require="k=3").holds
    more = people.with_columns(town=pl.Series(["Leeds"] * 6 + ["York"] * 5))
    asked = PUBLIC_TOWN if form == "object" else replace(PUBLIC_TOWN, require="k=3, distinct_l[pays]=2")
    assert ks.audit(given(spreading(6, 5)), more, asked).holds is (form == "object")


def test_whoever_goes_several_ways_is_told_what_all_of_them_tell() -> None:
    """Both without an age are behind illness = hiv, whichever way they go."""
    age, counts = Attribute("age", "public", "numeric", has_missing=True), ((1, 1), (1.5, 1.5))

    def below() -> Node:
        leaves = zip(ILLNESS.values, counts, strict=True)
        edges = tuple(Edge(Region(frozenset({value})), Node.of_counts(some)) for value, some in leaves)
        return Node.of_counts((2.5, 2.5), 1, edges)

    sides = [Region(intervals=((None, 40),), missing=True), Region(intervals=((40, None),), missing=True)]
    tree = Tree((age, ILLNESS), "pays", "private", ("no", "yes"),
                Node.of_counts((5, 5), 0, tuple(Edge(side, below()) for side in sides)))  # fmt: skip
    aged = [(old, ill, pays) for old in (30, 50) for ill in ILLNESS.values for pays in ("no", "yes")]
    rows = [*aged, (None, "hiv", "no"), (None, "hiv", "yes")]
    people = pl.DataFrame(rows, schema=["age", "illness", "pays"], orient="row")
    domains = {"illness": ["flu", "hiv"], "pays": ["no", "yes"]}
    policy = ks.Policy(public=["age"], private=["illness"], target="pays", require="k=2, distinct_l=2", domains=domains)
    found = ks.audit(tree, people, policy)
    assert (found.untrue, found.holds, found.exposed) == ((), False, {"pays": 0, "illness": 2})


@pytest.mark.parametrize("model", [RandomForestClassifier(3), DecisionTreeRegressor(), DecisionTreeClassifier()])
def test_models_that_were_not_fitted_are_called_by_their_name(model: Any) -> None:
    """They have nothing to judge."""
    people = pd.DataFrame({"age": [20, 30, 40, 50] * 2, "pays": [0, 1] * 4})
    with pytest.raises(ks.ModelError, match=f"the {type(model).__name__} is not fitted"):
        ks.audit(model, people, ks.Policy(public=["age"], target="pays", require="k=1"))
