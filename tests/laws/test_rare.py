"""Values that fewer than k people have and nobody declared: trees of grouped questions do not name them anywhere."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.errors import ModelError
from kspan.model.tree.json import read_tree, tree_json
from kspan.model.tree.model import Attribute, Region, Tree
from kspan.model.tree.release import TreeRelease
from laws.examples import share_of_examples

TOWNS = ["Bonn", "Hull", "Kyiv", "Lima", "Oslo", "Pisa", "Rome", "Ulm"]
CELLS = st.tuples(
    st.sampled_from([*TOWNS[:3] * 4, *TOWNS, None]), st.sampled_from([*"FFFMMX"]), st.sampled_from(["yes", "no"])
)
ROWS = st.lists(CELLS, min_size=4, max_size=60)


def framed(rows: list[tuple[str | None, str, str]]) -> pl.DataFrame:
    schema = {"town": pl.String, "sex": pl.String, "ill": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def learned(people: pl.DataFrame, policy: ks.Policy, **options: Any) -> Tree:
    return ks.learn(people, policy, **{"complexity": 0.0, "pruning": "none", **options})


@given(rows=ROWS, k=st.integers(1, 6), private=st.booleans(), weighs=st.booleans())
def test_no_value_of_fewer_than_k_people_is_named(
    rows: list[tuple[str | None, str, str]], k: int, private: bool, weighs: bool
) -> None:
    people = framed(rows)
    if people.height < k:
        return
    if weighs:
        people = people.group_by(people.columns, maintain_order=True).len("n").with_columns(pl.col("n").cast(pl.Int64))
    public, hidden = (["sex"], ["town"]) if private else (["sex", "town"], [])
    policy = ks.Policy(public=public, private=hidden, target="ill", require=f"k={k}", weight="n" if weighs else None)
    tree = learned(people, policy)
    written = tree_json(TreeRelease(tree))
    often = {name: {cell for cell, *_ in framed(rows)[name].value_counts().filter(pl.col("count") >= k).rows()}
             for name in ("town", "sex")}  # fmt: skip
    for name, every in (("town", TOWNS), ("sex", list("FMX"))):
        for value in every:
            if value not in often[name]:
                assert json.dumps(value) not in written
    read = read_tree(json.loads(written)).tree
    assert read == tree
    assert audit_tree(read, people, policy).holds
    asked = framed([(town, sex, "no") for town in (*TOWNS, "nowhere", None) for sex in "FMXY"])
    named = {one.name: set(one.values) for one in tree.attributes}
    unnamed = {one.name: one.others for one in tree.attributes}
    answers = dict(zip(asked.select("town", "sex").rows(), ks.predict(tree, asked)["predicted: ill"], strict=True))
    for (town, sex), answer in answers.items():
        alike = (None if unnamed["town"] and town not in named["town"] else town, sex)
        if alike in answers and (town in named["town"] or unnamed["town"]):
            assert answer == answers[alike]


@share_of_examples(0.5)
@given(rows=ROWS, k=st.integers(2, 4), seed=st.integers(0, 9))
def test_the_names_of_rare_values_make_no_difference(
    rows: list[tuple[str | None, str, str]], k: int, seed: int
) -> None:
    """Whoever reads the tree cannot tell which rare values there are."""
    people = framed(rows)
    if people.height < k:
        return
    policy = ks.Policy(public=["sex", "town"], target="ill", require=f"k={k}")
    counts = people["town"].value_counts()
    rare = counts.filter(pl.col("count") < k)["town"].drop_nulls().to_list()
    spelled = {town: f"T{(place + seed) % 10}{place}" for place, town in enumerate(rare)}
    other = people.with_columns(pl.col("town").replace(spelled))
    assert learned(people, policy) == learned(other, policy)


def test_a_rare_value_that_is_declared_is_named() -> None:
    people = framed([("Bonn", "F", "yes")] * 5 + [("Hull", "F", "no")] * 5 + [("Ulm", "F", "no")])
    policy = ks.Policy(public=["town", "sex"], target="ill", require="k=3")
    declared = ks.Policy(public=["town", "sex"], target="ill", require="k=3", domains={"town": ["Bonn", "Hull", "Ulm"]})
    assert "Ulm" not in str(learned(people, policy))
    assert str(learned(people, policy)).splitlines() == [
        "town in {Hull|(missing or rare)}: no (no: 6)",
        "town = Bonn: yes (yes: 5)",
    ]
    assert "Ulm" in tree_json(TreeRelease(learned(people, declared)))


@pytest.mark.parametrize("required", ["distinct_l[illness]=2", "confidence[illness=hiv]=0.2", "t[illness]=0.5"])
def test_what_is_required_of_rare_values_is_kept_though_they_have_no_name(required: str) -> None:
    draws = np.random.default_rng(0)
    people = pl.DataFrame({
        "age": draws.integers(20, 80, 300), "illness": draws.choice(["flu", "cold", "none"], 300),
        "pay": draws.choice(["low", "high"], 300),
    }).with_columns(illness=pl.when(pl.int_range(300) % 75 == 0).then(pl.lit("hiv")).otherwise("illness"))  # fmt: skip
    policy = ks.Policy(public=["age"], private=["illness"], target="pay", require=f"k=5, {required}")
    tree = learned(people, policy)
    assert len(tree.leaves) > 5
    assert any(node.attribute == 1 for node in tree.nodes())
    assert next(one for one in tree.attributes if one.name == "illness").values == ("cold", "flu", "none")
    assert audit_tree(tree, people, policy).holds


@pytest.mark.slow
@pytest.mark.parametrize(
    "required",
    [
        "distinct_l=2",
        "k=2, distinct_l[town]=2",
        'k=2, confidence["town=Ulm"]=0.4',
        "k=3, t[town]=0.5",
        "confidence=0.8",
    ],
)
@given(rows=ROWS, lookahead=st.integers(0, 2))
def test_every_requirement_on_private_values_is_kept(
    required: str, rows: list[tuple[str | None, str, str]], lookahead: int
) -> None:
    people = framed(rows)
    if "Ulm" in required and "Ulm" not in set(people["town"]):
        return
    policy = ks.Policy(public=["sex"], private=["town"], target="ill", require=required)
    try:
        tree = learned(people, policy, lookahead=lookahead)
    except ks.Unreachable:
        return
    assert audit_tree(tree, people, policy).holds


def test_people_are_counted_not_rows() -> None:
    """One person's five visits to a town do not make its name common."""
    visits = pl.DataFrame({
        "id": [1] * 5 + [2, 3, 4, 5, 6, 7], "town": ["Ulm"] * 5 + ["Bonn"] * 6, "ill": ["yes", "no"] * 5 + ["no"],
    })  # fmt: skip
    policy = ks.Policy(person="id", public=["town"], target="ill", require="k=2")
    assert "Ulm" not in tree_json(TreeRelease(learned(visits, policy)))


def test_a_written_tree_is_judged_and_predicts_as_it_was_learned(tmp_path: Path) -> None:
    people = framed([("Bonn", "F", "yes")] * 5 + [("Hull", "M", "no")] * 5 + [("Ulm", "M", "no"), (None, "F", "yes")])
    policy = ks.Policy(public=["town", "sex"], target="ill", require="k=3")
    tree = learned(people, policy)
    ks.publish_tree(tree, people, policy, tmp_path / "tree.json")
    assert "Ulm" not in (tmp_path / "tree.json").read_text()
    read = ks.load_tree(tmp_path / "tree.json")
    assert ks.audit(read, people, policy).holds
    assert ks.predict(read, people).equals(ks.predict(tree, people))
    table = ks.equivalent_table(tree, people, policy)
    assert "Ulm" not in set(table["town"])
    assert ks.audit(table, policy).holds


def test_owners_who_name_other_values_can_be_merged() -> None:
    """What one owner's tree does not name goes, in its paths, where its rare values go."""
    one = framed([("Bonn", "F", "yes")] * 6 + [("Hull", "F", "no")] * 6 + [("Ulm", "F", "no")])
    two = framed([("Bonn", "F", "yes")] * 6 + [("Ulm", "F", "no")] * 6 + [("Oslo", "F", "no")])
    policy = ks.Policy(public=["town", "sex"], target="ill", require="k=3")
    trees = [learned(people, policy) for people in (one, two)]
    drawn = ks.pseudo_data(trees, rows=400)
    assert set(drawn.filter(pl.col("town") == "Bonn")["ill"]) == {"yes"}
    assert set(drawn.filter(pl.col("town").is_in(["Hull", "Ulm"]))["ill"]) == {"no"}
    # The first tree's rest may well have been in Ulm, which it does not name.
    assert {"Hull", "Ulm"} <= set(drawn["town"])
    merged = ks.merge_trees(trees, "bagging")
    assert ks.predict(merged, framed([("Ulm", "F", "no"), ("Bonn", "F", "no")]))["predicted: ill"].to_list() == [
        "no", "yes",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"others": "yes"}, "'others' must be true or false"),
        ({"missing": False}, "'others' is for categories"),
        ({"kind": "numeric", "domain": None}, "'others' is for categories"),
    ],
)
def test_a_file_that_says_so_wrongly_is_refused(change: dict[str, Any], why: str) -> None:
    people = framed([("Bonn", "F", "yes")] * 5 + [("Hull", "F", "no")] * 5 + [("Ulm", "F", "no")])
    tree = learned(people, ks.Policy(public=["town", "sex"], target="ill", require="k=3"))
    document = json.loads(tree_json(TreeRelease(tree)))
    assert document["version"] == 2
    asked = next(one for one in document["attributes"] if one["name"] == "town")
    asked.update(change)
    with pytest.raises(ModelError, match=why):
        read_tree(document)
    asked.update({"others": True, "missing": True, "kind": "categorical", "domain": ["Bonn", "Hull"]})
    with pytest.raises(ModelError, match="not known"):
        read_tree({**document, "version": 1})


def test_other_values_need_a_branch_for_missing_ones() -> None:
    with pytest.raises(ModelError, match="must be admitted"):
        Attribute("town", "public", "categorical", ("Bonn",), others=True)  # type: ignore[arg-type]
    assert Attribute("town", "public", "categorical", ("Bonn",), has_missing=True, others=True).others  # type: ignore[arg-type]
    assert Region(missing=True).missing
