"""Association rules as a model: text, frames, JSON, and what is refused."""

import copy
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import kspan as ks
from kspan.model.claim import Claim
from kspan.model.items.model import Item
from kspan.model.rules.json import load_rules, read_rules, save_rules, write_rules
from kspan.model.rules.model import rules_about

ROLES: Any = {"tea": "public", "milk": "public", "pills": "private"}
RULE = ks.Rule(frozenset({"tea", "milk"}), frozenset({"pills"}), 0.25, 0.5)
LIFTED = ks.Rule(frozenset({"pills"}), frozenset({"tea"}), 0.25, 0.5, 0.25)
RULES = rules_about([RULE, LIFTED], 40, ROLES, Claim("k=5"))


def policy(**changes: Any) -> ks.Policy:
    return ks.Policy(**{"public": ["tea", "milk"], "private": ["pills"], "require": "k=5", **changes})


def test_rules_as_text_and_as_a_table() -> None:
    assert str(RULES) == (
        "milk, tea => pills (support 0.25, confidence 0.5)\npills => tea (support 0.25, confidence 0.5, lift 2)"
    )
    assert repr(RULES) == "Rules(2 rules about 3 items, 40 transactions)"
    assert RULES.table.row(1, named=True) == {
        "antecedents": ["pills"],
        "consequents": ["tea"],
        "antecedent support": 0.5,
        "consequent support": 0.25,
        "support": 0.25,
        "confidence": 0.5,
        "lift": 2.0,
    }
    assert rules_about([], 3, ROLES).table.height == 0


def test_rules_come_back_from_their_file(tmp_path: Path) -> None:
    save_rules(RULES, tmp_path / "rules.json")
    assert load_rules(tmp_path / "rules.json") == RULES == ks.load_rules(tmp_path / "rules.json")


def changed(change: Any) -> Any:
    document = copy.deepcopy(write_rules(RULES))
    change(document)
    return document


def _rule(**changes: Any) -> Any:
    return lambda document: document["rules"][0].update(changes)


BROKEN: dict[str, tuple[Any, str]] = {
    "format": (
        lambda d: d.update(format="kspan/tree"),
        "its 'format' is not 'kspan/rules', so this is no set of rules",
    ),
    "version": (lambda d: d.update(version=2), "reads version 1"),
    "key": (lambda d: d.update(rulez=[]), "the key 'rulez' is not known"),
    "no transactions": (lambda d: d.update(transactions=0), "the transactions must be a whole number from 1 on"),
    "part of one": (lambda d: d.update(transactions=1.5), "the transactions must be a whole number from 1 on"),
    "true": (lambda d: d.update(transactions=True), "the transactions must be a whole number from 1 on"),
    "too many": (lambda d: d.update(transactions=10**20), "the transactions must be a whole number from 1 on"),
    "no list": (lambda d: d.update(rules={}), "'rules' must be a list of at most 100,000"),
    "too long": (lambda d: d.update(items=[0] * 100_001), "'items' must be a list of at most 100,000"),
    "item twice": (lambda d: d["items"].append(d["items"][0]), "two items have the same name"),
    "role": (lambda d: d["items"][0].update(role="secret"), "item 1: 'role' must be one of"),
    "unknown item": (_rule(left=["coffee"]), "rule 1: 'coffee' is none of the items"),
    "overlap": (_rule(right=["tea"]), "rule 1: an item is on both sides"),
    "empty": (_rule(left=[]), "rule 1: each side needs at least one item"),
    "listed twice": (_rule(left=["tea", "tea"]), "rule 1: 'left' must not list the same twice"),
    "side is text": (_rule(left="tea"), "rule 1: 'left' must be a list"),
    "no support": (_rule(support=0), "support and confidence must be more than 0 and at most 1"),
    "much support": (_rule(support=1.5), "support and confidence must be more than 0 and at most 1"),
    "more than sure": (_rule(confidence=2), "support and confidence must be more than 0 and at most 1"),
    "support above confidence": (_rule(support=0.6), "the support cannot be more than the confidence"),
    "not a number": (_rule(support=float("nan")), "'support' must be a finite number"),
    "text": (_rule(support="0.1"), "'support' must be a finite number"),
    "right side": (_rule(right_support=0.1), "the support of the right side must be from the support of the rule to 1"),
    "duplicate": (lambda d: d["rules"].append(d["rules"][0]), "rule 3: an earlier rule has the same sides"),
    "claim": (lambda d: d["claim"].update(counting="paths"), "the claim: 'counting' must be one of 'people'"),
    "empty claim": (lambda d: d["claim"].update(requirement=""), "'requirement' must not be empty"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_spoiled_document_is_refused_with_its_place(case: str) -> None:
    change, said = BROKEN[case]
    with pytest.raises(ks.ModelError) as error:
        read_rules(changed(change), "rules.json")
    assert said in str(error.value)
    assert str(error.value).startswith("rules.json is malformed at ")


def test_rules_made_in_python_are_checked_as_well() -> None:
    with pytest.raises(ks.ModelError, match="rule 1 cannot be used: an item is on both sides"):
        rules_about([ks.Rule(frozenset({"tea"}), frozenset({"tea"}), 0.1, 0.5)], 40, ROLES)
    with pytest.raises(ks.ModelError, match="the rules cannot be used: two items have the same name"):
        ks.Rules((Item("tea", "public"), Item("tea", "public")), 40, ())
    with pytest.raises(ks.ModelError, match="nobody says whether 'coffee' is public or private"):
        rules_about([ks.Rule(frozenset({"tea"}), frozenset({"coffee"}), 0.1, 0.5)], 40, ROLES)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_rules_of_mlxtend(kind: Any) -> None:
    side = frozenset if kind is pd.DataFrame else list
    frame = kind(
        {"antecedents": [side({"tea"})], "consequents": [side({"pills"})], "support": [0.2], "confidence": [0.5]}
    )
    assert ks.imported_rules(frame, 40, policy()).rules == (
        ks.Rule(frozenset({"tea"}), frozenset({"pills"}), 0.2, 0.5),
    )


def test_whoever_is_told_the_lift_is_told_the_right_side() -> None:
    table = RULES.table
    assert ks.imported_rules(table, 40, policy()).rules == RULES.rules
    assert ks.imported_rules(table.drop("consequent support"), 40, policy()).rules == RULES.rules


def test_frames_that_are_no_rules() -> None:
    with pytest.raises(ks.DataError, match="needs the columns 'antecedents', 'consequents', 'support', 'confidence'"):
        ks.imported_rules(pl.DataFrame({"support": [1.0]}), 40, policy())
    frame = pd.DataFrame({"antecedents": ["tea"], "consequents": ["pills"], "support": [0.2], "confidence": [0.5]})
    with pytest.raises(ks.DataError, match="the sides of rules must be sets of names of items"):
        ks.imported_rules(frame, 40, policy())
    numbered = pd.DataFrame({"antecedents": [frozenset({1})], "consequents": [frozenset({2})], **frame.iloc[:, 2:]})
    with pytest.raises(ks.DataError, match="use_colnames=True"):
        ks.imported_rules(numbered, 40, policy())
    gone = RULES.table.with_columns(confidence=pl.lit(None, pl.Float64))
    with pytest.raises(ks.ModelError, match="support and confidence must be more than 0"):
        ks.imported_rules(gone, 40, policy())
    with pytest.raises(ks.PolicyError, match="the item 'pills' has no role in the policy"):
        ks.imported_rules(RULES.table, 40, policy(private=[]))
