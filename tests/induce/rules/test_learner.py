"""Mining rules: what is taken and left out, the door, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from mlxtend.frequent_patterns import association_rules, fpgrowth

import kspan as ks
from kspan.model.rules.model import rules_about

PEOPLE = pl.DataFrame(np.random.default_rng(7).random((300, 5)) < [0.6, 0.5, 0.4, 0.5, 0.3], schema=list("ABCxy"))
POLICY = ks.Policy(public=["A", "B", "C"], private=["x", "y"], require="k=40")


def test_with_no_requirement_the_rules_are_those_of_mlxtend() -> None:
    mined = ks.mine_rules(PEOPLE, ks.Policy(public=POLICY.public, private=POLICY.private, require="k=1"), most=10_000)
    frame = PEOPLE.to_pandas()
    theirs = association_rules(fpgrowth(frame, 0.01, use_colnames=True, max_len=4), min_threshold=0.5)
    ours = {(rule.left, rule.right): (rule.support, rule.confidence) for rule in mined.rules.rules}
    assert set(ours) == set(zip(theirs["antecedents"], theirs["consequents"], strict=True))
    for row in theirs.itertuples():
        assert ours[row.antecedents, row.consequents] == pytest.approx((row.support, row.confidence))
    assert mined.left_out.height == 0


@pytest.mark.parametrize("measure", ["confidence", "lift", "support"])
def test_the_best_rule_is_taken_first_and_the_wished_number_is_the_last(measure: str) -> None:
    free = ks.Policy(public=POLICY.public, private=POLICY.private, require="k=1")
    every = ks.mine_rules(PEOPLE, free, most=10_000, tell_lift=True).rules.table
    best = ks.mine_rules(PEOPLE, free, measure=measure, most=3, tell_lift=True).rules.table
    assert best.height == 3
    assert sorted(best[measure], reverse=True) == pytest.approx(every[measure].top_k(3).sort(descending=True).to_list())


def test_the_lift_is_told_only_if_wished() -> None:
    assert ks.mine_rules(PEOPLE, POLICY, measure="lift").rules.table["lift"].null_count() > 0
    told = ks.mine_rules(PEOPLE, POLICY, measure="lift", tell_lift=True)
    assert told.rules.table["lift"].null_count() == 0
    assert ks.audit(told.rules, PEOPLE, POLICY).holds


def test_rules_leave_by_the_door_as_they_were_judged(tmp_path: Path) -> None:
    mined = ks.mine_rules(PEOPLE, POLICY)
    found = ks.publish_rules(mined.rules, PEOPLE, POLICY, tmp_path / "rules.json")
    assert found.holds
    written = ks.load_rules(tmp_path / "rules.json")
    assert (written.rules, written.claim.requirement) == (mined.rules.rules, "k=40")  # type: ignore[union-attr]
    assert ks.audit(tmp_path / "rules.json", PEOPLE, POLICY) == found


def test_rules_that_point_at_few_do_not_leave(tmp_path: Path) -> None:
    every = ks.mine_rules(PEOPLE, ks.Policy(public=POLICY.public, private=POLICY.private, require="k=1")).rules
    with pytest.raises(ks.DoesNotHold, match=r"the rules break k=40 for .* of 300 people: they were not written"):
        ks.publish_rules(every, PEOPLE, POLICY, tmp_path / "rules.json")
    assert not list(tmp_path.iterdir())


def test_rules_of_others_are_chosen_from() -> None:
    every = ks.mine_rules(PEOPLE, ks.Policy(public=POLICY.public, private=POLICY.private, require="k=1")).rules
    chosen = ks.choose_rules(every, PEOPLE, POLICY)
    assert 0 < len(chosen.rules) < len(every)
    assert len(chosen.rules) + chosen.left_out.height == len(every)
    with pytest.raises(ks.PolicyError, match="the lift of some rules is not told"):
        ks.choose_rules(every, PEOPLE, POLICY, measure="lift")
    strange = rules_about([ks.Rule(frozenset("q"), frozenset("x"), 0.1, 0.5)], 300, {"q": "public", "x": "private"})
    with pytest.raises(ks.DataError, match="the rules speak of 'q', which is no item of the table"):
        ks.choose_rules(strange, PEOPLE, POLICY)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "support": ({"min_support": 0}, "min_support must be more than 0"),
    "confidence": ({"min_confidence": 2}, "min_confidence must be a number from 0 to 1"),
    "measure": ({"measure": "lifts"}, r"measure cannot be 'lifts' \(did you mean 'lift'\?\): use confidence"),
    "items": ({"max_items": 1}, "max_items must be a whole number of at least 2"),
    "most": ({"most": 0}, "most must be a whole number of at least 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_that_make_no_sense(case: str) -> None:
    options, said = REFUSED[case]
    with pytest.raises(ks.PolicyError, match=said):
        ks.mine_rules(PEOPLE, POLICY, **options)


def test_data_in_which_there_is_no_rule() -> None:
    with pytest.raises(ks.Unreachable, match=r"no rule reaches min_support=0\.9 and min_confidence=0\.5: lower one"):
        ks.mine_rules(PEOPLE, POLICY, min_support=0.9)
    with pytest.raises(ks.Unreachable, match="no rule reaches"):
        ks.mine_rules(PEOPLE, POLICY, min_support=0.4, min_confidence=0.99)
    with pytest.raises(ks.PolicyError, match="column 'y' has no role"):
        ks.mine_rules(PEOPLE, ks.Policy(public=["A", "B", "C"], private=["x"], require="k=2"))


def test_people_without_the_left_side_are_no_crowd_for_those_who_have_it() -> None:
    """Eight people bought tea and no milk; two who bought milk and no tea are not among them."""
    people = pl.DataFrame(
        {"tea": [1] * 18 + [0] * 12, "milk": [1] * 10 + [0] * 8 + [1] * 2 + [0] * 10, "pills": [1, 0] * 15}
    )
    rules = rules_about(
        [ks.Rule(frozenset({"tea", "pills"}), frozenset({"milk"}), 5 / 30, 5 / 9)],
        30,
        {"tea": "public", "milk": "public", "pills": "private"},
    )
    for k, taken in ((8, 1), (9, 0)):
        policy = ks.Policy(public=["tea", "milk"], private=["pills"], require=f"k={k}")
        assert len(ks.choose_rules(rules, people, policy).rules) == taken
        assert ks.audit(rules, people, policy).holds == bool(taken)
