"""Roles by patterns."""

import pytest

import kspan as ks
from kspan.policy.patterns import expanded, roles_of

COLUMNS = ["grocery:milk", "grocery:tea", "health:pills", "a*", "ab", "n"]


def policy(**roles: object) -> ks.Policy:
    return ks.Policy(require="k=2", **roles)  # type: ignore[arg-type]


def test_patterns_give_roles_in_the_order_of_the_columns() -> None:
    found = expanded(policy(public=["grocery:*"], private=["health:*", "a?"], weight="n"), COLUMNS)
    assert found.public == ("grocery:milk", "grocery:tea")
    assert found.private == ("health:pills", "a*", "ab")
    assert found.weight == "n"


def test_a_name_that_is_a_column_wins() -> None:
    found = expanded(policy(public=["*"], private=["grocery:tea", "a*"], identifier=["n"]), COLUMNS)
    assert found.private == ("grocery:tea", "a*")
    assert found.public == ("grocery:milk", "health:pills", "ab")
    assert found.identifier == ("n",)


def test_the_weight_is_no_item() -> None:
    assert "n" not in expanded(policy(public=["*"], weight="n"), COLUMNS).public


def test_patterns_that_match_nothing_or_contradict_each_other() -> None:
    with pytest.raises(ks.PolicyError, match="the pattern 'toys:\\*' under private matches no column"):
        expanded(policy(public=["*"], private=["toys:*"]), COLUMNS)
    with pytest.raises(ks.PolicyError, match=r"column 'grocery:milk' matches the patterns .* of different roles"):
        expanded(policy(public=["grocery:*"], private=["*milk"]), COLUMNS)


def test_a_name_that_is_no_column_is_left_for_whoever_reads_the_table() -> None:
    assert expanded(policy(public=["grocery:*"], private=["gone"]), COLUMNS).private == ("gone",)


def test_the_roles_of_items() -> None:
    said = policy(public=["grocery:*"], private=["toys:*", "health:*"])
    assert roles_of(said, ["grocery:tea", "health:pills"]) == {"grocery:tea": "public", "health:pills": "private"}
    with pytest.raises(ks.PolicyError, match="the item 'n' has no role in the policy"):
        roles_of(said, ["n"])
