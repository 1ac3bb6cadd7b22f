"""The rules of Friedman, Schuster and Wolff 2008, Sect. 4.3: by the figures that they publish, and by such people."""

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.model.rules.model import rules_about

ROLES = {"Cherries": "public", "Birthday Candles": "public", "Viagra": "private", "Tylenol": "private"}
CHERRIES = ks.Rule(frozenset({"Cherries"}), frozenset({"Viagra"}), 0.084, 0.75)
CANDLES = ks.Rule(frozenset({"Cherries", "Birthday Candles"}), frozenset({"Tylenol"}), 0.024, 0.8)
RULES = rules_about([CHERRIES, CANDLES], 1000, ROLES)  # type: ignore[arg-type]


def customers() -> pl.DataFrame:
    row = np.arange(1000)
    return pl.DataFrame(
        {
            "Cherries": row < 112,
            "Birthday Candles": (row < 30) | (row >= 960),
            "Viagra": (row >= 10) & (row < 94),
            "Tylenol": (row < 24) | (row >= 900),
        }
    )


def policy(require: str) -> ks.Policy:
    return ks.Policy(public=["Cherries", "Birthday Candles"], private=["Viagra", "Tylenol"], require=require)


@pytest.mark.parametrize("by_people", [True, False])
def test_the_three_spans_and_their_classes(by_people: bool) -> None:
    found = ks.audit(RULES, customers() if by_people else None, policy("k=30"))
    spans = [(one.shown["basket"], one.people, one.shown["classes"], one.shown["rules"]) for one in found.smallest]
    assert spans == [
        ("Birthday Candles, Cherries", 30, "4", "1, 2"),
        ("Cherries, no Birthday Candles", 82, "2", "1"),
        ("no Cherries", 888, "1", "none"),
    ]
    assert (found.holds, found.k.people, found.safe_people, found.units) == (True, 30, 888, "spans")


@pytest.mark.parametrize("by_people", [True, False])
def test_beyond_30_the_second_rule_must_go(by_people: bool) -> None:
    people = customers() if by_people else None
    found = ks.audit(RULES, people, policy("k=31"))
    assert (found.holds, found.failing_groups, found.failing_people) == (False, 1, 30)
    assert found.failing[0].breaks == ("k=31",)
    alone = rules_about([CHERRIES], 1000, ROLES)  # type: ignore[arg-type]
    assert ks.audit(alone, people, policy("k=112")).holds
    assert not ks.audit(alone, people, policy("k=113")).holds


def test_24_of_the_30_bought_tylenol_and_6_did_not() -> None:
    smallest = ks.audit(RULES, require="k=30").smallest
    assert smallest[0].shown["implied"] == "30 people; 2 to 30 with Viagra; 24 with Tylenol, 6 without"
    assert smallest[1].shown["implied"] == "82 people; 54 to 82 with Viagra"
    assert smallest[2].shown["implied"] == "888 people"


@pytest.mark.parametrize(("k", "kept"), [(30, [CHERRIES, CANDLES]), (31, [CHERRIES]), (113, [])])
def test_the_miner_leaves_out_what_would_point_at_30(k: int, kept: list[ks.Rule]) -> None:
    chosen = ks.choose_rules(RULES, customers(), policy(f"k={k}"), measure="support")
    assert set(chosen.rules.rules) == set(kept)
    if k == 31:
        assert chosen.left_out["why"].to_list() == ["would leave 30 people in a span that breaks k=31"]
        assert chosen.left_out["smallest_span"].to_list() == [30]
    mined = ks.mine_rules(customers(), policy(f"k={k}"), measure="support")
    sides = {(rule.left, rule.right) for rule in mined.rules.rules}
    assert ((CHERRIES.left, CHERRIES.right) in sides) == (k <= 112)
    assert ((CANDLES.left, CANDLES.right) in sides) == (k <= 30)
