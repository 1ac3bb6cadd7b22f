"""What a released tree tells of its people: counts, hits and misses, shares, or labels alone."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.errors import ModelError, PolicyError
from kspan.model.claim import Claim
from kspan.model.outcome import DISCLOSURES, HitMiss, Label, LabelCounts, Outcome, Shares, reduced
from kspan.model.predict import predicted
from kspan.model.tree.json import load_tree, read_tree, save_tree, tree_json
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.paths import paths, text
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.writing import write_tree

CAR = Attribute("car", "public", "categorical", ("no", "yes"), has_missing=True)
LABELS = ("bad", "fair", "good")


def is_(*values: str, missing: bool = False) -> Region:
    return Region(frozenset(values), missing=missing)


def tree_of(yes: tuple[float, ...], no: tuple[float, ...], *, everywhere: bool = False) -> Tree:
    """A tree that asks for the car; who does not say goes with those who have none, or everywhere."""
    edges = (
        Edge(is_("yes", missing=everywhere), Node.of_counts(yes)),
        Edge(is_("no", missing=True), Node.of_counts(no)),
    )
    root = Node.of_counts(map(sum, zip(yes, no, strict=True)), 0, edges)
    return Tree((CAR,), "risk", "private", LABELS, root)


TREE = tree_of((1, 0, 3), (0, 0, 0))


@pytest.mark.parametrize(
    ("outcome", "people", "label", "shares"),
    [
        (LabelCounts((1, 0, 3)), 4, 2, [0.25, 0, 0.75]),
        (LabelCounts((2, 0, 2)), 4, 0, [0.5, 0, 0.5]),
        (LabelCounts((0.5, 0.25, 0.25)), 1, 0, [0.5, 0.25, 0.25]),
        (LabelCounts((0, 0, 0)), 0, None, None),
        (HitMiss(2, 6, 2), 8, 2, [0.125, 0.125, 0.75]),
        (HitMiss(None, 0, 0), 0, None, None),
        (Shares((0.25, 0, 0.75)), None, 2, [0.25, 0, 0.75]),
        (Shares(None), None, None, None),
        (Label(1), None, 1, [0, 1, 0]),
        (Label(None), None, None, None),
    ],
    ids=str,
)
def test_what_an_outcome_knows(outcome: Outcome, people: float, label: int, shares: list[float] | None) -> None:
    assert (outcome.people, outcome.label) == (people, label)
    told = outcome.shares(3)
    assert (told is None) == (shares is None)
    assert told is None or told.tolist() == shares


def test_one_label_has_no_others() -> None:
    told = HitMiss(0, 5, 0).shares(1)
    assert told is not None
    assert told.tolist() == [1]


def test_whole_counts_are_ints() -> None:
    counts = LabelCounts(tuple(np.array([3.0, 0.5]))).counts
    assert [type(count) for count in counts] == [int, float]
    assert Node.of_counts([1, 2]).counts == (1, 2)


@pytest.mark.parametrize(
    ("kind", "yes", "no"),
    [
        ("counts", {"counts": [1, 0, 3]}, {"counts": [0, 0, 0]}),
        ("hit-miss", {"label": "good", "hit": 3, "miss": 1}, {"label": None, "hit": 0, "miss": 0}),
        ("shares", {"shares": [0.25, 0, 0.75]}, {"shares": None}),
        ("label", {"label": "good"}, {"label": None}),
    ],
)
def test_each_disclosure_is_written_and_read(kind: Any, yes: Any, no: Any, tmp_path: Path) -> None:
    told = TREE.disclosing(kind)
    assert told.disclosure == kind
    document = write_tree(TreeRelease(told))
    assert [edge["node"] for edge in document["root"]["edges"]] == [yes, no]
    assert set(document["root"]) == {*yes, "attribute", "edges"}
    for release in (TreeRelease(told), TreeRelease(told, Claim("k=3", disclosure=kind))):
        save_tree(release, tmp_path / "tree.json")
        assert load_tree(tmp_path / "tree.json") == release


@pytest.mark.parametrize(
    ("kind", "leaf", "root"),
    [
        ("counts", "good (bad: 1, good: 3)", "Tree(2 leaves, 4 people, target 'risk')"),
        ("hit-miss", "good (hit: 3, miss: 1)", "Tree(2 leaves, 4 people, target 'risk')"),
        ("shares", "good (bad: 0.25, good: 0.75)", "Tree(2 leaves, target 'risk')"),
        ("label", "good", "Tree(2 leaves, target 'risk')"),
    ],
)
def test_each_disclosure_is_shown(kind: str, leaf: str, root: str) -> None:
    told = TREE.disclosing(kind)
    assert text(told) == f"car = yes: {leaf}\ncar in {{no|(missing)}}: nobody"
    assert repr(told) == root
    assert repr(told.leaves[0]) == ("Node(4 people, 0 edges)" if "people" in root else "Node(0 edges)")


@pytest.mark.parametrize(
    ("kind", "columns", "first", "second"),
    [
        ("hit-miss", ["people", "majority", "share"], (4, "good", 0.75), (0, None, None)),
        ("shares", ["majority", "share", "share: bad", "share: fair", "share: good"],
         ("good", 0.75, 0.25, 0, 0.75), (None,) * 5),
        ("label", ["majority"], ("good",), (None,)),
    ],
)  # fmt: skip
def test_paths_have_no_column_for_what_is_not_disclosed(
    kind: str, columns: list[str], first: tuple[Any, ...], second: tuple[Any, ...]
) -> None:
    shown = paths(TREE.disclosing(kind)).drop("leaf", "path")
    assert shown.columns == columns
    assert shown.rows() == [first, second]


def test_fractions_are_shown() -> None:
    tree = tree_of((12.432, 0, 3.1), (0.568, 1, 0.9))
    assert text(tree).splitlines()[0] == "car = yes: bad (bad: 12.4, good: 3.1)"
    assert repr(tree) == "Tree(2 leaves, 18 people, target 'risk')"
    assert paths(tree)["people: bad"].to_list() == [12.432, 0.568]
    assert paths(tree).schema["people: fair"] == pl.Int64


@pytest.mark.parametrize("kind", DISCLOSURES)
def test_predictions(kind: str) -> None:
    people = pl.DataFrame({"car": ["yes", "no", "never", None]})
    made = predicted(TREE.disclosing(kind), people)
    assert made["predicted: risk"].to_list() == ["good"] * 4
    assert made.columns[1:] == ([] if kind == "label" else [f"probability: {label}" for label in LABELS])


def test_less_does_not_become_more() -> None:
    kept = {("counts", kind) for kind in DISCLOSURES} | {(kind, kind) for kind in DISCLOSURES}
    kept |= {("hit-miss", "label"), ("shares", "label")}
    for before in DISCLOSURES:
        for after in DISCLOSURES:
            told = TREE.disclosing(before)
            if (before, after) in kept:
                assert told.disclosing(after) == TREE.disclosing(after)
            else:
                with pytest.raises(ModelError, match=f"discloses only '{before}', not '{after}'"):
                    told.disclosing(after)
    with pytest.raises(ModelError, match="discloses only 'label', not counts"):
        _ = TREE.disclosing("label").root.counts
    with pytest.raises(PolicyError, match=r"no disclosure 'hitmiss' \(did you mean 'hit-miss'\?\)"):
        TREE.disclosing("hitmiss")


def test_a_tree_and_its_claim_disclose_one_thing() -> None:
    with pytest.raises(ModelError, match="disclose different things"):
        Tree((CAR,), "t", "private", ("x",), Node(Label(0), 0, (Edge(is_("no", "yes"), Node.of_counts((1,))),)))
    with pytest.raises(ModelError, match="says that the tree discloses 'counts', but it discloses 'label'"):
        tree_json(TreeRelease(TREE.disclosing("label"), Claim("k=3")))


@given(st.lists(st.integers(0, 1000) | st.floats(0, 1000), min_size=1, max_size=100))
def test_rounded_shares_add_up_and_keep_the_commonest(counts: list[float]) -> None:
    exact, told = LabelCounts(tuple(counts)), reduced(LabelCounts(tuple(counts)), "shares")
    assert isinstance(told, Shares)
    shares = exact.shares(len(counts))
    if shares is None or told.each is None or told.label is None:
        assert shares is told.each is told.label is None
        return
    assert abs(sum(told.each) - 1) < 1e-9
    assert np.abs(shares - np.array(told.each)).max() <= 1e-4
    assert all(share == round(share, 4) for share in told.each)
    assert shares[told.label] >= shares.max() - 1e-4


# What is refused


def put(value: Any, *where: str | int) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for step in where[:-1]:
            document = document[step]
        document[where[-1]] = value

    return change


FIRST = ("root", "edges", 0, "node")
SECOND = ("root", "edges", 1, "node")
ONE, TWO = "root > edge 1", "root > edge 2"
NOBODY = "where nobody came and nowhere else"

CORRUPTIONS: list[tuple[str, str, Callable[[Any], None], str, str]] = [
    ("hit-miss", "label unknown", put("great", *FIRST, "label"), ONE, "none of the target's labels"),
    ("hit-miss", "label by number", put(2, *FIRST, "label"), ONE, "'label', unless it is null, must be text"),
    ("hit-miss", "label but nobody", put("bad", *SECOND, "label"), TWO, NOBODY),
    ("hit-miss", "people but no label", put(None, *FIRST, "label"), ONE, NOBODY),
    ("hit-miss", "only misses", put(1, *SECOND, "miss"), TWO, NOBODY),
    ("hit-miss", "hit below 0", put(-1, *FIRST, "hit"), ONE, "'hit' must be a number of people"),
    ("hit-miss", "miss as text", put("1", *FIRST, "miss"), ONE, "'miss' must be a number of people"),
    ("hit-miss", "miss without end", put(float("inf"), *FIRST, "miss"), ONE, "'miss' must be a number of people"),
    ("hit-miss", "not the commonest", put(7, *FIRST, "miss"), ONE, "too many miss"),
    ("hit-miss", "sum", put(2, *FIRST, "miss"), "root", "'hit' and 'miss' below its edges do not add up"),
    ("hit-miss", "counts as well", put([1, 0, 3], *FIRST, "counts"), ONE, "'counts' is not known"),
    ("hit-miss", "one node with a label alone", put({"label": "good"}, *FIRST), ONE, "'hit' is missing"),
    ("hit-miss", "one node with counts", put({"counts": [1, 0, 3]}, *FIRST), ONE, "'label' is missing"),
    ("shares", "too few", put([0.5, 0.5], *FIRST, "shares"), ONE, "list of 3 numbers"),
    ("shares", "no list", put(1, *FIRST, "shares"), ONE, "list of 3 numbers"),
    ("shares", "a text", put(["1", 0, 0], *FIRST, "shares"), ONE, "finite number"),
    ("shares", "a flag", put([True, 0, 0], *FIRST, "shares"), ONE, "finite number"),
    ("shares", "no number", put([float("nan"), 0, 1], *FIRST, "shares"), ONE, "finite number"),
    ("shares", "negative", put([-0.5, 0.5, 1], *FIRST, "shares"), ONE, "from 0 to 1 that add up to 1"),
    ("shares", "too little", put([0.25, 0, 0.7], *FIRST, "shares"), ONE, "from 0 to 1 that add up to 1"),
    ("shares", "none at all", put([0, 0, 0], *FIRST, "shares"), ONE, "from 0 to 1 that add up to 1"),
    ("shares", "one node with counts", put({"counts": [1, 0, 3]}, *FIRST), ONE, "'shares' is missing"),
    ("label", "unknown", put("great", *FIRST, "label"), ONE, "none of the target's labels"),
    ("label", "a list", put(["good"], *FIRST, "label"), ONE, "must be text"),
    ("label", "a hit as well", put(3, *FIRST, "hit"), ONE, "'hit' is not known"),
    ("label", "one node with shares", put({"shares": [1, 0, 0]}, *FIRST), ONE, "'label' is missing"),
    ("counts", "one node with a label", put({"label": "good"}, *FIRST), ONE, "'counts' is missing"),
    ("counts", "nothing at all", put({}, "root"), "root", "'counts' is missing"),
]


@pytest.mark.parametrize("claimed", [False, True], ids=["no claim", "claim"])
@pytest.mark.parametrize(
    ("kind", "change", "place", "why"),
    [(kind, *rest) for kind, _, *rest in CORRUPTIONS],
    ids=[f"{kind}: {name}" for kind, name, *_ in CORRUPTIONS],
)
def test_corruptions(kind: Any, change: Callable[[Any], None], place: str, why: str, claimed: bool) -> None:
    release = TreeRelease(TREE.disclosing(kind), Claim("k=3", disclosure=kind) if claimed else None)
    document = copy.deepcopy(write_tree(release))
    assert read_tree(document) == release
    change(document)
    with pytest.raises(ModelError, match=why) as refused:
        read_tree(document)
    assert str(refused.value).startswith(f"the model is malformed at {place}: ")


# Fractions in files


def test_fractions_are_written_with_six_decimals() -> None:
    tree = tree_of((1 / 3, 0.1 + 0.2, 2.9999999999), (2 / 3, 0.7, 1), everywhere=True)
    document = write_tree(TreeRelease(tree))
    assert document["root"]["edges"][0]["node"]["counts"] == [0.333333, 0.3, 3]
    assert document["root"]["edges"][1]["node"]["counts"] == [0.666667, 0.7, 1]
    assert document["root"]["counts"] == [1, 1, 4]
    assert '"counts": [1, 1, 4]' in tree_json(TreeRelease(tree))
    back = read_tree(json.loads(tree_json(TreeRelease(tree)))).tree
    assert [edge.region.missing for edge in back.root.edges] == [True, True]
    assert read_tree(write_tree(TreeRelease(back))).tree == back


@pytest.mark.parametrize("kind", DISCLOSURES)
def test_crumbs_of_people_can_be_read_back(kind: str) -> None:
    crumb = 1e-7
    told = tree_of((1 / 3, 1 / 3, 1 / 3), (crumb, crumb, 0), everywhere=True).disclosing(kind)
    assert read_tree(json.loads(tree_json(TreeRelease(told)))).tree.disclosure == kind


def test_whole_numbers_may_be_written_as_fractions() -> None:
    document = write_tree(TreeRelease(TREE))
    document["root"]["counts"] = [1.0, 0.0, 3.0]
    assert read_tree(document).tree == TREE


# The door out

PEOPLE = pl.DataFrame({"age": [20, 20, 60, 60, None, None] * 3, "risk": ["bad", "good", "good"] * 6})


@pytest.mark.parametrize("kind", DISCLOSURES)
def test_the_door_writes_what_is_to_be_disclosed(kind: Any, tmp_path: Path) -> None:
    policy = ks.Policy(public=["age"], target="risk", require="k=3")
    tree = ks.learn(PEOPLE, policy)
    found = ks.publish_tree(tree, PEOPLE, policy, tmp_path / "tree.json", disclosure=kind)
    release = load_tree(tmp_path / "tree.json")
    seen = "a missing public value is a value that the attacker sees"
    assert release.claim == Claim("k=3", disclosure=kind, inferred_domains=("age", "risk"), missing=seen)
    assert release.tree == tree.disclosing(kind)
    # Whatever is disclosed, the judge assumes that counts are.
    assert (
        found.as_dict() == ks.audit(tree, PEOPLE, policy).as_dict() == ks.audit(release.tree, PEOPLE, policy).as_dict()
    )


def test_the_claim_does_not_speak_of_missing_values_that_cannot_be(tmp_path: Path) -> None:
    people = PEOPLE.drop_nulls()
    policy = ks.Policy(public=["age"], target="risk", require="k=3")
    ks.publish_tree(ks.learn(people, policy), people, policy, tmp_path / "tree.json")
    assert "missing" not in json.loads((tmp_path / "tree.json").read_text())["claim"]


def test_estimators_predict_from_less() -> None:
    people = ks.datasets.mortgage()
    known = people.drop("Name", "Loan risk")
    model = ks.KADETClassifier(k=3).fit(known, people["Loan risk"])
    tree, before = model.tree_, model.predict(known).tolist()
    for kind in DISCLOSURES:
        model.model_ = tree.disclosing(kind)
        assert model.predict(known).tolist() == before
        assert model.predict_proba(known).sum(axis=1) == pytest.approx(1)
