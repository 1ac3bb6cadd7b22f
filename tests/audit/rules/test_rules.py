"""The audit of rules: figures that are not true or not possible, what is told of private items, what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kspan as ks
from kspan.audit.baskets.implied import implied_spans
from kspan.audit.rules.figures import PublishedRules
from kspan.audit.rules.judge import audit_rules
from kspan.model.rules.model import rules_about

ROLES = {"tea": "public", "milk": "public", "pills": "private", "drops": "private"}
PEOPLE = pl.DataFrame(
    {
        "tea": [1] * 6 + [0] * 4,
        "milk": [1, 1, 1, 0, 0, 0, 1, 1, 0, 0],
        "pills": [1, 1, 1, 1, 1, 0, 0, 0, 0, 1],
        "drops": [1, 0] * 5,
    }
)


def policy(require: str = "k=4") -> ks.Policy:
    return ks.Policy(public=["tea", "milk"], private=["pills", "drops"], require=require)


def rule(left: str, right: str, support: float, confidence: float, beside: float | None = None) -> ks.Rule:
    return ks.Rule(frozenset(left.split()), frozenset(right.split()), support, confidence, beside)


def rules(*every: ks.Rule, people: int = 10) -> ks.Rules:
    return rules_about(every, people, ROLES)  # type: ignore[arg-type]


TEA = rule("tea", "pills", 0.5, 0.833)


def test_figures_that_are_not_those_of_the_people_break_the_release() -> None:
    false = rules(TEA, rule("milk", "pills", 0.4, 0.8))
    found = audit_rules(false, PEOPLE, policy("k=1"))
    assert (found.holds, found.untrue, found.failing_groups) == (False, ("milk => pills",), 0)
    with pytest.raises(ks.DoesNotHold, match="the figures of 1 of 2 rules are not those of these people"):
        ks.publish_rules(false, PEOPLE, policy("k=1"), "nowhere.json")
    assert audit_rules(rules(TEA), PEOPLE, policy("k=4")).holds
    assert audit_rules(rules(TEA, people=11), PEOPLE, policy("k=4")).untrue == ("tea => pills",)
    assert audit_rules(rules(rule("tea", "pills", 0.5, 0.833, 0.7)), PEOPLE, policy("k=1")).untrue
    assert not audit_rules(rules(rule("tea", "pills", 0.5, 0.833, 0.6)), PEOPLE, policy("k=1")).untrue


def test_the_support_of_a_right_side_tells_of_those_whom_the_left_side_spares() -> None:
    """Whoever knows that six bought pills, and five of them tea, knows that one bought pills without tea."""
    few = PEOPLE.with_columns(tea=pl.Series([1] * 8 + [0] * 2), pills=pl.Series([1] * 6 + [0, 0, 0, 1]))
    spared = rule("tea", "pills", 0.6, 0.75)
    assert audit_rules(rules(spared), few, policy("k=3")).holds
    told = audit_rules(rules(rule("tea", "pills", 0.6, 0.75, 0.7)), few, policy("k=3"))
    assert (told.holds, told.failing_people, told.safe_people) == (False, 2, 0)


def test_private_values_are_asked_only_where_rules_tell_of_them() -> None:
    people = PEOPLE.with_columns(pills=pl.Series([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]))
    said = rules(TEA)
    assert audit_rules(said, people, policy("k=4, distinct_l=2")).holds
    assert audit_rules(said, people, policy("k=4, distinct_l[drops]=2")).holds
    assert not audit_rules(said, people, policy("k=4, confidence=0.8")).holds
    found = audit_rules(said, people.with_columns(pills=pl.col("tea")), policy("k=4"))
    assert found.exposed == {"pills": 6}
    assert found.per_row["certain: pills"].sum() == 6


def test_a_private_left_side_may_be_anybodys() -> None:
    found = audit_rules(rules(rule("pills", "tea", 0.5, 0.833)), PEOPLE, policy("k=4"))
    assert [(one.shown["basket"], one.people, one.shown["classes"]) for one in found.smallest] == [
        ("no tea", 4, "2"),
        ("tea", 6, "2"),
    ]


def test_public_rules_tell_people_apart_and_nothing_more() -> None:
    found = audit_rules(rules(rule("tea", "milk", 0.3, 0.5)), PEOPLE, policy("k=10"))
    assert (found.holds, found.groups, found.safe_people) == (True, 3, 10)


def test_no_rules_tell_nothing() -> None:
    for people in (PEOPLE, None):
        found = audit_rules(rules(), people, policy("k=10"))
        assert (found.holds, found.groups, found.k.people) == (True, 1, 10)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_dataframe_of_rules_is_judged_by_its_people(kind: type) -> None:
    side = frozenset if kind is pd.DataFrame else list
    frame = kind(
        {"antecedents": [side({"tea"})], "consequents": [side({"pills"})], "support": [0.5], "confidence": [0.833]}
    )
    assert ks.audit(frame, PEOPLE, policy()).kind == "rules"
    with pytest.raises(ks.PolicyError, match="a dataframe of rules tells neither roles nor transactions"):
        ks.audit(frame, policy())


# Without the people


def test_where_figures_leave_a_range_the_worst_counts() -> None:
    both = rules(rule("tea", "pills", 0.3, 0.5), rule("milk", "drops", 0.2, 0.4), people=100)
    found = audit_rules(both, None, ks.KAnonymity(3))
    shown = {one.shown["basket"]: one.shown["implied"] for one in found.smallest}
    assert shown == {
        "milk, tea": "10 to 50 people; 0 to 30 with pills; 0 to 20 with drops",
        "tea, no milk": "10 to 50 people; 0 to 30 with pills",
        "milk, no tea": "0 to 40 people; 0 to 20 with drops",
        "no tea, no milk": "0 to 40 people",
    }
    assert (found.holds, found.k.people, found.failing_groups, found.safe_people) == (False, 1, 1, 0)
    assert found.failing[0].shown["basket"] == "milk, no tea"
    assert audit_rules(both, None, ks.KAnonymity(1)).holds
    assert "the worst number of people that is possible" in found.assumptions[0]


def test_rounded_figures_leave_a_range() -> None:
    low = implied_spans(PublishedRules(rules(rule("tea", "pills", 0.1, 0.5), people=10_000)))
    assert [(int(low.low[one]), low.most(one)) for one in range(2)] in (
        [(1882, 2121), (7879, 8118)],
        [(7879, 8118), (1882, 2121)],
    )


@pytest.mark.parametrize(
    ("every", "said"),
    [
        ([rule("tea", "pills", 0.004, 0.5)], "rule 1 has figures that no 10 transactions can have"),
        ([rule("tea", "pills", 0.3, 0.5), rule("tea", "drops", 0.3, 0.3)], "contradict each other"),
        ([rule("tea", "pills", 0.3, 0.5), rule("tea milk", "pills", 0.5, 0.5)], "contradict each other"),
    ],
)
def test_figures_that_no_transactions_can_have(every: list[ks.Rule], said: str) -> None:
    with pytest.raises(ks.ModelError, match=said):
        audit_rules(rules(*every), None, ks.KAnonymity(2))


def test_private_items_are_judged_by_what_figures_leave_possible() -> None:
    """Five of the six with tea bought pills; of drops nothing is told."""
    for require, holds in (("distinct_l=2", True), ("confidence=0.84", True), ("confidence=0.83", False)):
        assert audit_rules(rules(TEA), None, policy(require)).holds is holds
    hidden = rules(rule("tea pills", "milk", 0.1, 0.2))
    assert not audit_rules(hidden, None, policy("distinct_l=2")).holds


def test_figures_tell_too_little_of_everybody_and_of_very_many_sets() -> None:
    with pytest.raises(ks.PolicyError, match=r"t=0\.5 compares people with everybody, of whom figures tell"):
        audit_rules(rules(TEA), None, policy("k=2, t=0.5"))
    many = [rule(f"i{number}", "pills", 0.1, 0.5) for number in range(12)]
    roles = dict.fromkeys((f"i{number}" for number in range(12)), "public") | {"pills": "private"}
    with pytest.raises(ks.PolicyError, match="12 sets of public items in too many combinations"):
        audit_rules(rules_about(many, 100, roles), None, ks.KAnonymity(2))  # type: ignore[arg-type]
    with pytest.raises(ks.KspanError, match="rules that are judged by their figures have no rows"):
        _ = audit_rules(rules(TEA), None, ks.KAnonymity(2)).per_row


def test_what_cannot_be_judged() -> None:
    with pytest.raises(ks.PolicyError, match="the rules take 'pills' as private, the policy says public"):
        audit_rules(rules(TEA), PEOPLE, ks.Policy(public=["tea", "pills"], require="k=2"))
    with pytest.raises(ks.PolicyError, match="the set of rules claims nothing"):
        ks.audit(rules(TEA))
    with pytest.raises(ks.PolicyError, match="column 'extra' has no role"):
        audit_rules(rules(TEA), PEOPLE.with_columns(extra=1), policy())


def test_nested_public_left_sides_leave_nothing_open() -> None:
    nested = rules(rule("tea", "pills", 0.1, 0.5), rule("tea milk", "drops", 0.05, 0.5), people=20)
    told = implied_spans(PublishedRules(nested))
    assert sorted((int(low), told.most(span)) for span, low in enumerate(told.low)) == [(2, 2), (2, 2), (16, 16)]


def test_people_are_told_apart_by_more_sets_than_fit_into_a_word() -> None:
    bought = np.random.default_rng(3).random((500, 70)) < 0.5
    names = [f"i{number}" for number in range(70)]
    people = pl.DataFrame({**dict(zip(names, bought.T, strict=True)), "pills": np.ones(500, bool)})
    every = [rule(name, "pills", float(people[name].mean()), 1.0) for name in names]  # type: ignore[arg-type]
    roles = dict.fromkeys(names, "public") | {"pills": "private"}
    found = audit_rules(rules_about(every, 500, roles), people, ks.KAnonymity(2))  # type: ignore[arg-type]
    assert (found.groups, found.holds, found.untrue) == (500, False, ())
    last = people.with_columns(pl.lit(1).alias(name) for name in names[:-1])
    again = [rule(name, "pills", float(last[name].mean()), 1.0) for name in names]  # type: ignore[arg-type]
    assert audit_rules(rules_about(again, 500, roles), last, ks.KAnonymity(2)).groups == 2  # type: ignore[arg-type]
