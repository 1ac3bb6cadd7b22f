"""The audit of itemsets: supports that are not true, what one can tell from several of them, what is refused."""

import pandas as pd
import polars as pl
import pytest
from mlxtend.frequent_patterns import fpgrowth

import kspan as ks
from kspan.audit.baskets import implied
from kspan.audit.itemsets.judge import PublishedItemsets, audit_itemsets
from kspan.model.itemsets.model import itemsets_about

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


def sets(people: int = 10, **supports: float) -> ks.Itemsets:
    """Itemsets by the names of their items, which `_` divides."""
    every = [ks.Itemset(frozenset(names.split("_")), support) for names, support in supports.items()]
    return itemsets_about(every, people, ROLES)  # type: ignore[arg-type]


def test_a_support_that_is_not_that_of_the_people_breaks_the_release() -> None:
    false = sets(tea=0.6, pills_tea=0.4)
    found = audit_itemsets(false, PEOPLE, policy("k=1"))
    assert (found.holds, found.untrue, found.failing_groups) == (False, ("pills, tea",), 0)
    with pytest.raises(ks.DoesNotHold, match="the figures of 1 of 2 itemsets are not those of these people"):
        ks.publish_itemsets(false, PEOPLE, policy("k=1"), "nowhere.json")
    assert audit_itemsets(sets(11, tea=0.6), PEOPLE, policy("k=1")).untrue == ("tea",)
    assert audit_itemsets(sets(tea=0.604), PEOPLE, policy("k=1")).untrue == ("tea",)
    third = PEOPLE.head(9)
    assert audit_itemsets(sets(9, tea=0.67), third, policy("k=1")).holds


def test_a_private_set_tells_of_everybody_and_another_one_of_those_who_have_its_public_part() -> None:
    both = audit_itemsets(sets(pills_tea=0.5), PEOPLE, policy())
    assert [(one.shown["basket"], one.people, one.shown["itemsets"], one.safe) for one in both.smallest] == [
        ("no tea", 4, "none", True),
        ("tea", 6, "1", False),
    ]
    assert audit_itemsets(sets(pills_tea=0.5), PEOPLE, policy("k=6")).holds
    alone = audit_itemsets(sets(pills=0.6), PEOPLE, policy("k=10"))
    assert (alone.holds, alone.groups, alone.safe_people) == (True, 1, 0)
    # Together they tell how many without tea have pills.
    together = audit_itemsets(sets(pills=0.6, pills_tea=0.5), PEOPLE, policy("k=5"))
    assert (together.holds, together.failing_people) == (False, 4)


def test_public_itemsets_tell_people_apart_and_nothing_more() -> None:
    found = audit_itemsets(sets(tea=0.6, milk_tea=0.3), PEOPLE, policy("k=10"))
    assert (found.holds, found.groups, found.safe_people) == (True, 3, 10)
    assert not audit_itemsets(sets(tea=0.6, milk_tea=0.3, pills=0.6), PEOPLE, policy("k=4")).holds


def test_private_values_are_asked_only_where_something_is_told_of_them() -> None:
    said = sets(tea=0.6, pills_tea=0.5)
    assert audit_itemsets(said, PEOPLE, policy("distinct_l=2")).holds
    assert not audit_itemsets(said, PEOPLE, policy("confidence=0.8")).holds
    assert audit_itemsets(said, PEOPLE, policy("confidence[drops]=0.6")).holds
    found = audit_itemsets(sets(tea=0.6, pills_tea=0.6), PEOPLE.with_columns(pills=pl.col("tea")), policy())
    assert found.exposed == {"pills": 6}
    assert found.per_row["certain: pills"].sum() == 6


def test_no_itemsets_tell_nothing() -> None:
    for people in (PEOPLE, None):
        found = audit_itemsets(sets(), people, policy("k=10"))
        assert (found.holds, found.groups, found.k.people) == (True, 1, 10)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_dataframe_of_itemsets_is_judged_by_its_people(kind: str) -> None:
    frame = fpgrowth(PEOPLE.to_pandas().astype(bool), min_support=0.3, use_colnames=True)
    if kind == "polars":
        frame = pl.DataFrame({"support": frame["support"], "itemsets": [sorted(one) for one in frame["itemsets"]]})
    found = ks.audit(frame, PEOPLE, policy("k=2"))
    assert (found.kind, found.holds, found.untrue) == ("itemsets", True, ())
    with pytest.raises(ks.PolicyError, match="a dataframe of itemsets tells neither roles nor transactions"):
        ks.audit(frame, policy())


# Without the people


def test_inclusion_and_exclusion() -> None:
    """60 of 100 have tea, 45 of these pills; so 15 have tea without pills, and 5 of 50 pills without tea."""
    found = audit_itemsets(sets(100, tea=0.6, pills=0.5, pills_tea=0.45), None, ks.KAnonymity(40))
    assert [(one.shown["basket"], one.shown["implied"]) for one in found.smallest] == [
        ("no tea", "40 people; 5 with pills, 35 without"),
        ("tea", "60 people; 45 with pills, 15 without"),
    ]
    assert (found.holds, found.k.people, found.counting, found.assumptions) == (True, 40, "figures", ())
    for require, holds in (("confidence=0.875", True), ("confidence=0.87", False), ("distinct_l=2", True)):
        assert audit_itemsets(sets(100, tea=0.6, pills=0.5, pills_tea=0.45), None, policy(require)).holds is holds


def test_private_sets_bound_public_ones() -> None:
    """90 have pills and 85 of them no tea: so at most 15 can have tea, and at least 85 have none."""
    found = audit_itemsets(sets(100, pills=0.9, pills_tea=0.05), None, ks.KAnonymity(5))
    implied = {one.shown["basket"]: one.shown["implied"] for one in found.smallest}
    assert implied == {
        "tea": "5 to 15 people; 5 with pills",
        "no tea": "85 to 95 people; 85 with pills",
    }
    assert found.holds
    assert "the worst number of people that is possible" in found.assumptions[0]
    # All five may be all who have tea.
    assert not audit_itemsets(sets(100, pills=0.9, pills_tea=0.05), None, policy("distinct_l=2")).holds


def test_everybody_may_be_told_a_private_item() -> None:
    """All who have tea have pills: no figure says so by itself."""
    certain = sets(100, tea=0.4, pills_tea=0.4)
    assert audit_itemsets(certain, None, policy("k=40")).holds
    assert not audit_itemsets(certain, None, policy("k=40, distinct_l=2")).holds
    assert not audit_itemsets(certain, None, policy("k=40, confidence=0.99")).holds


def test_a_few_who_lack_what_most_have_stand_out() -> None:
    """97 of 100 have milk, so 3 have none, and of them pills tell, too."""
    found = audit_itemsets(sets(100, milk=0.97, pills=0.5), None, ks.KAnonymity(4))
    assert (found.holds, found.k.people, found.failing_people) == (False, 3, 3)


@pytest.mark.parametrize(
    ("itemsets", "said"),
    [
        (sets(tea=0.004), "itemset 1 has a support that no 10 transactions can have"),
        (sets(tea=0.3, pills_tea=0.4), "the figures of the itemsets contradict each other"),
        (sets(tea=0.9, pills=0.9, pills_tea=0.5), "the figures of the itemsets contradict each other"),
    ],
)
def test_supports_that_no_transactions_can_have(itemsets: ks.Itemsets, said: str) -> None:
    with pytest.raises(ks.ModelError, match=said):
        audit_itemsets(itemsets, None, ks.KAnonymity(2))


def test_supports_alone_tell_too_little_of_everybody_and_of_very_many_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    said = sets(tea=0.6, pills_tea=0.5)
    with pytest.raises(ks.PolicyError, match=r"t=0\.5 compares people with everybody, of whom figures tell"):
        audit_itemsets(said, None, policy("t=0.5"))
    names = [f"i{number}" for number in range(12)]
    many = [ks.Itemset(frozenset({name}), 0.5) for name in (*names, "pills")]
    public: dict[str, object] = dict.fromkeys(names, "public")
    with pytest.raises(ks.PolicyError, match="12 sets of public items in too many combinations"):
        audit_itemsets(itemsets_about(many, 100, public | {"pills": "private"}), None, ks.KAnonymity(2))  # type: ignore[arg-type]
    hidden: dict[str, object] = dict.fromkeys(names, "private")
    private = itemsets_about(many, 100, hidden | {"pills": "private"})  # type: ignore[arg-type]
    assert audit_itemsets(private, None, ks.KAnonymity(100)).holds
    with pytest.raises(ks.PolicyError, match="distinct_l=2 is about private items, which the itemsets ask for in too"):
        audit_itemsets(private, None, ks.DistinctL(2))
    monkeypatch.setattr(implied, "MOST_SHARES", 0)
    with pytest.raises(ks.PolicyError, match="distinct_l=2 is about private items"):
        audit_itemsets(said, None, policy("distinct_l=2"))
    with pytest.raises(ks.KspanError, match="itemsets that are judged by their figures have no rows"):
        _ = audit_itemsets(said, None, ks.KAnonymity(2)).per_row


def test_what_cannot_be_judged() -> None:
    said = sets(pills_tea=0.5)
    with pytest.raises(ks.PolicyError, match="the itemsets take 'pills' as private, the policy says public"):
        audit_itemsets(said, PEOPLE, ks.Policy(public=["tea", "pills"], require="k=2"))
    with pytest.raises(ks.PolicyError, match="the set of itemsets claims nothing"):
        ks.audit(said)
    with pytest.raises(ks.PolicyError, match="column 'extra' has no role"):
        audit_itemsets(said, PEOPLE.with_columns(extra=1), policy())
    assert isinstance(ks.audit(said, PEOPLE, policy()).per_row, pl.DataFrame | pd.DataFrame)


def test_where_a_part_of_a_person_would_fit_nobody_is() -> None:
    """The programs admit half a person with all public items; whole people cannot be there."""
    roles = {"A": "public", "B": "public", "C": "public", "x": "private"}
    people = {"B": 4, "C": 3, "x": 2, "AB": 1, "AC": 1, "Ax": 1, "Bx": 1, "Cx": 1}
    every = [ks.Itemset(frozenset(names), number / 5) for names, number in people.items()]
    itemsets = itemsets_about(every, 5, roles)  # type: ignore[arg-type]
    spans = implied.implied_spans(PublishedItemsets(itemsets))
    assert 0 in [spans.most(span) for span in range(len(spans.low))]
    assert not audit_itemsets(itemsets, None, ks.DistinctL(2)).holds
