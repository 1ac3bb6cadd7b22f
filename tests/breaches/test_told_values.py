"""What a published model tells of values: which came from people is said, and what few people have is not told."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.audit.rare_values import inferred
from kspan.cli.main import main
from kspan.data.levels import Ordered, Prefixes

LONE = "Pitcairn"


def people(lone: str = LONE) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "sex": ["F", "M"] * 20,
            "land": ["DE", "AT"] * 19 + [lone, "AT"],
            "illness": ["flu", "ulcer", "flu", "none"] * 10,
            "risk": ["low", "high", "low", "low"] * 10,
        }
    )


def policy(**says: Any) -> ks.Policy:
    roles = {"public": ["sex", "land"], "private": ["illness"], "target": "risk"}
    return ks.Policy(**{**roles, "require": "k=5", **says})


def test_a_tree_does_not_name_a_value_of_one_person_that_it_does_not_ask(tmp_path: Path) -> None:
    tree = ks.learn(people(), policy(), method="kadet")
    ks.publish_tree(tree, people(), policy(), tmp_path / "tree.json")
    text = (tmp_path / "tree.json").read_text()
    assert LONE not in text
    document = json.loads(text)
    assert document["attributes"][1]["domain"] == ["AT", "DE"]
    assert document["claim"]["inferred_domains"] == ["sex", "land", "illness", "risk"]
    read = ks.load_model(tmp_path / "tree.json")
    assert ks.predict(read, people()).equals(ks.predict(tree, people()))
    assert ks.audit(tmp_path / "tree.json", people(), policy()).holds


def test_a_declared_value_is_nobodys(tmp_path: Path) -> None:
    said = policy(domains={"land": ["AT", "DE", LONE], "sex": ["F", "M"]})
    ks.publish_tree(ks.learn(people(), said, method="kadet"), people(), said, tmp_path / "tree.json")
    document = json.loads((tmp_path / "tree.json").read_text())
    assert LONE in document["attributes"][1]["domain"]
    assert document["claim"]["inferred_domains"] == ["illness", "risk"]


def test_clusters_with_a_value_of_one_person_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    people().drop("risk").write_csv("people.csv")
    said = 'public = ["sex", "land"]\nprivate = ["illness"]\n[require]\nk = 5\n'
    Path("policy.toml").write_text(said)
    assert main(["learn", "people.csv", "-p", "policy.toml", "-m", "clusters", "-o", "model.json"]) == 1
    assert not Path("model.json").exists()
    told = capsys.readouterr().err
    assert "'land'" in told
    assert LONE not in told
    Path("policy.toml").write_text(f'{said}[domains]\nland = ["AT", "DE", "{LONE}"]\n')
    assert main(["learn", "people.csv", "-p", "policy.toml", "-m", "clusters", "-o", "model.json"]) == 0
    assert json.loads(Path("model.json").read_text())["claim"]["inferred_domains"] == ["sex", "illness"]


SAID: dict[str, tuple[dict[str, Any], bool]] = {
    "nothing": ({}, False),
    "a kind": ({"domains": {"land": "categorical"}}, False),
    "values": ({"domains": {"land": ["DE"]}}, True),
    "a range": ({"domains": {"land": [0, 9]}}, True),
    "a recipe": ({"hierarchies": {"land": Prefixes()}}, False),
    "an order": ({"hierarchies": {"land": Ordered(order=("DE", "AT"))}}, True),
    "a recipe without an order": ({"hierarchies": {"land": Ordered()}}, False),
    "a hierarchy": ({"hierarchies": {"land": ks.Hierarchy.of([("DE", "EU"), ("AT", "EU")])}}, True),
}


@pytest.mark.parametrize(("says", "declared"), SAID.values(), ids=SAID)
def test_what_the_policy_says_of_values(says: dict[str, Any], declared: bool) -> None:
    assert (inferred(["land"], policy(**says)) == ()) == declared


def test_items_of_rules_that_only_a_pattern_names_are_told(tmp_path: Path) -> None:
    baskets = pl.DataFrame({"shop:tea": [1, 1, 1, 0] * 5, "shop:milk": [1, 1, 1, 0] * 5, "drug": [1, 1, 0, 0] * 5})
    said = ks.Policy(public=["shop:*"], private=["drug"], require="k=5")
    mined = ks.mine_rules(baskets, said)
    ks.publish_rules(mined.rules, baskets, said, tmp_path / "rules.json")
    told = ks.load_rules(tmp_path / "rules.json").claim
    assert told is not None
    assert set(told.inferred_domains) == {item.name for item in mined.rules.items} - {"drug"}


def test_items_of_itemsets_that_only_a_pattern_names_are_told(tmp_path: Path) -> None:
    baskets = pl.DataFrame({"shop:tea": [1, 1, 1, 0] * 5, "drug": [1, 1, 0, 0] * 5})
    said = ks.Policy(public=["shop:*"], private=["drug"], require="k=5")
    ks.publish_itemsets(ks.mine_itemsets(baskets, said), baskets, said, tmp_path / "itemsets.json")
    told = ks.load_itemsets(tmp_path / "itemsets.json").claim
    assert told is not None
    assert told.inferred_domains == ("shop:tea",)


def test_pruning_leaves_no_branch_of_nobody_for_a_value_of_one_person(tmp_path: Path) -> None:
    towns = ["Aber", "Bonn", "Ulm"] * 100
    frame = pl.DataFrame(
        {
            "town": [*towns, LONE],
            "age": [*(20 + row % 60 for row in range(300)), 70],
            "risk": [
                *("high" if (town == "Ulm") == (row % 60 < 25) else "low" for row, town in enumerate(towns)),
                "low",
            ],
        }
    )
    said = ks.Policy(public=["town", "age"], target="risk", require="k=8")
    shared = ks.share_tree(frame, said)
    shared.save(tmp_path / "tree.json")
    edges = [edge for node in shared.tree.nodes() for edge in node.edges]
    assert any(edge.region.values for edge in edges)  # it asks towns
    assert not [edge for edge in edges if edge.region.values == {LONE}]
    assert ks.audit(tmp_path / "tree.json", frame, said).holds
