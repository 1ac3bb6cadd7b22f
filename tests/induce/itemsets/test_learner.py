"""Mining itemsets: what is taken and left out, the door, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from mlxtend.frequent_patterns import fpgrowth

import kspan as ks
from kspan.model.itemsets.model import itemsets_about

PEOPLE = pl.DataFrame(np.random.default_rng(7).random((300, 5)) < [0.6, 0.5, 0.4, 0.5, 0.3], schema=list("ABCxy"))
POLICY = ks.Policy(public=["A", "B", "C"], private=["x", "y"], require="k=40")
FREE = ks.Policy(public=POLICY.public, private=POLICY.private, require="k=1")


def test_with_no_requirement_the_itemsets_are_those_of_mlxtend() -> None:
    mined = ks.mine_itemsets(PEOPLE, FREE, most=10_000)
    theirs = fpgrowth(PEOPLE.to_pandas(), 0.01, use_colnames=True, max_len=4)
    ours = {one.items: one.support for one in mined.itemsets.itemsets}
    assert ours == pytest.approx(dict(zip(theirs["itemsets"], theirs["support"], strict=True)))
    assert mined.left_out.height == 0


def test_a_set_comes_before_those_that_it_is_a_part_of() -> None:
    every = ks.mine_itemsets(PEOPLE.with_columns(B=pl.col("A")), FREE, most=10_000).itemsets.itemsets
    for place, one in enumerate(every):
        assert not any(one.items < before.items for before in every[:place])
    assert [one.support for one in every] == sorted((one.support for one in every), reverse=True)
    few = ks.mine_itemsets(PEOPLE.with_columns(B=pl.col("A")), FREE, most=3).itemsets.itemsets
    assert few == every[:3]


def test_itemsets_leave_by_the_door_as_they_were_judged(tmp_path: Path) -> None:
    mined = ks.mine_itemsets(PEOPLE, POLICY)
    assert repr(mined) == f"MinedItemsets({len(mined.itemsets)} itemsets, {mined.left_out.height} left out)"
    assert mined.left_out.height
    assert "people in" in mined.left_out["why"][0]
    found = ks.publish_itemsets(mined, PEOPLE, POLICY, tmp_path / "itemsets.json")
    assert found.holds
    written = ks.load_itemsets(tmp_path / "itemsets.json")
    assert (written.itemsets, written.claim.requirement) == (mined.itemsets.itemsets, "k=40")  # type: ignore[union-attr]
    assert ks.audit(tmp_path / "itemsets.json", PEOPLE, POLICY) == found


def test_itemsets_that_point_at_few_do_not_leave(tmp_path: Path) -> None:
    every = ks.mine_itemsets(PEOPLE, FREE).itemsets
    with pytest.raises(ks.DoesNotHold, match=r"the itemsets break k=40 for .* of 300 people: they were not written"):
        ks.publish_itemsets(every, PEOPLE, POLICY, tmp_path / "itemsets.json")
    assert not list(tmp_path.iterdir())
    rules = ks.mine_rules(PEOPLE, FREE).rules
    with pytest.raises(ks.ModelError, match="this is a set of rules: give a set of itemsets"):
        ks.publish_itemsets(rules, PEOPLE, FREE, tmp_path / "itemsets.json")


def test_itemsets_of_others_are_chosen_from() -> None:
    every = ks.mine_itemsets(PEOPLE, FREE).itemsets
    chosen = ks.choose_itemsets(every, PEOPLE, POLICY)
    mined = ks.mine_itemsets(PEOPLE, POLICY)
    assert (chosen.itemsets, chosen.left_out.rows()) == (mined.itemsets, mined.left_out.rows())
    assert 0 < len(chosen.itemsets) < len(every)
    assert len(chosen.itemsets) + chosen.left_out.height == len(every)
    strange = itemsets_about([ks.Itemset(frozenset("q"), 0.1)], 300, {"q": "public"})
    with pytest.raises(ks.DataError, match="the itemsets speak of 'q', which is no item of the table"):
        ks.choose_itemsets(strange, PEOPLE, POLICY)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "support": ({"min_support": 0}, "min_support must be more than 0"),
    "much": ({"min_support": 2}, "min_support must be a number from 0 to 1"),
    "items": ({"max_items": 0}, "max_items must be a whole number of at least 1"),
    "most": ({"most": 0}, "most must be a whole number of at least 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_options_that_make_no_sense(case: str) -> None:
    options, said = REFUSED[case]
    with pytest.raises(ks.PolicyError, match=said):
        ks.mine_itemsets(PEOPLE, POLICY, **options)


def test_data_in_which_there_is_no_itemset() -> None:
    with pytest.raises(ks.Unreachable, match=r"no itemset reaches min_support=0\.9: lower it"):
        ks.mine_itemsets(PEOPLE, POLICY, min_support=0.9)
    with pytest.raises(ks.PolicyError, match="column 'y' has no role"):
        ks.mine_itemsets(PEOPLE, ks.Policy(public=["A", "B", "C"], private=["x"], require="k=2"))


def test_where_every_private_set_points_at_few_only_public_ones_are_left() -> None:
    everybody = ks.Policy(public=POLICY.public, private=POLICY.private, require="k=300")
    mined = ks.mine_itemsets(PEOPLE, everybody)
    assert set(mined.itemsets.roles) == {"A", "B", "C"}
    assert ks.audit(mined, PEOPLE, everybody).safe_people == 300
