"""Itemsets as a model: text, frames, JSON, and what is refused."""

import copy
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from mlxtend.frequent_patterns import apriori, fpgrowth

import kspan as ks
from kspan.model.claim import Claim
from kspan.model.items.model import Item
from kspan.model.itemsets.json import load_itemsets, read_itemsets, save_itemsets, write_itemsets
from kspan.model.itemsets.model import itemsets_about

ROLES: Any = {"tea": "public", "milk": "public", "pills": "private"}
TEA, BOTH = ks.Itemset(frozenset({"tea"}), 0.5), ks.Itemset(frozenset({"tea", "pills"}), 0.25)
ITEMSETS = itemsets_about([TEA, BOTH], 40, ROLES, Claim("k=5"))


def policy(**changes: Any) -> ks.Policy:
    return ks.Policy(**{"public": ["tea", "milk"], "private": ["pills"], "require": "k=5", **changes})


def test_itemsets_as_text_and_as_a_table() -> None:
    assert str(ITEMSETS) == "tea (support 0.5)\npills, tea (support 0.25)"
    assert repr(ITEMSETS) == "Itemsets(2 itemsets about 2 items, 40 transactions)"
    assert len(ITEMSETS) == 2
    assert ITEMSETS.table.row(1, named=True) == {"support": 0.25, "itemsets": ["pills", "tea"]}
    assert itemsets_about([], 3, ROLES).table.schema == ITEMSETS.table.schema


def test_itemsets_come_back_from_their_file(tmp_path: Path) -> None:
    save_itemsets(ITEMSETS, tmp_path / "itemsets.json")
    assert load_itemsets(tmp_path / "itemsets.json") == ITEMSETS == ks.load_itemsets(tmp_path / "itemsets.json")


def _itemset(**changes: Any) -> Any:
    return lambda document: document["itemsets"][0].update(changes)


BROKEN: dict[str, tuple[Any, str]] = {
    "format": (
        lambda d: d.update(format="kspan/rules"),
        "its 'format' is not 'kspan/itemsets', so this is no set of itemsets",
    ),
    "version": (lambda d: d.update(version=2), "reads version 1"),
    "key": (lambda d: d.update(itemsetz=[]), "the key 'itemsetz' is not known"),
    "no transactions": (lambda d: d.update(transactions=0), "the transactions must be a whole number from 1 on"),
    "true": (lambda d: d.update(transactions=True), "the transactions must be a whole number from 1 on"),
    "no list": (lambda d: d.update(itemsets={}), "'itemsets' must be a list of at most 100,000"),
    "too long": (lambda d: d.update(itemsets=[0] * 100_001), "'itemsets' must be a list of at most 100,000"),
    "item twice": (lambda d: d["items"].append(d["items"][0]), "two items have the same name"),
    "role": (lambda d: d["items"][0].update(role="secret"), "item 1: 'role' must be one of"),
    "unknown item": (_itemset(items=["coffee"]), "itemset 1: 'coffee' is none of the items"),
    "empty": (_itemset(items=[]), "itemset 1: it needs at least one item"),
    "listed twice": (_itemset(items=["tea", "tea"]), "itemset 1: 'items' must not list the same twice"),
    "text": (_itemset(items="tea"), "itemset 1: 'items' must be a list"),
    "more told": (_itemset(confidence=0.5), "the key 'confidence' is not known"),
    "no support": (_itemset(support=0), "itemset 1: the support must be more than 0 and at most 1"),
    "much support": (_itemset(support=1.5), "itemset 1: the support must be more than 0 and at most 1"),
    "not a number": (_itemset(support=float("nan")), "'support' must be a finite number"),
    "duplicate": (
        lambda d: d["itemsets"].append({"items": ["tea"], "support": 0.4}),
        "itemset 3: an earlier itemset has the same items",
    ),
    "claim": (lambda d: d["claim"].update(counting="paths"), "the claim: 'counting' must be one of 'people'"),
    "claim about others": (
        lambda d: d["claim"].update(inferred_domains=["coffee"]),
        "'inferred_domains' names what is none of the items",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_spoiled_document_is_refused_with_its_place(case: str) -> None:
    change, said = BROKEN[case]
    document = copy.deepcopy(write_itemsets(ITEMSETS))
    change(document)
    with pytest.raises(ks.ModelError) as error:
        read_itemsets(document, "itemsets.json")
    assert said in str(error.value)
    assert str(error.value).startswith("itemsets.json is malformed at ")


def test_itemsets_made_in_python_are_checked_as_well() -> None:
    with pytest.raises(ks.ModelError, match="itemset 1 cannot be used: it needs at least one item"):
        itemsets_about([ks.Itemset(frozenset(), 0.5)], 40, ROLES)
    with pytest.raises(ks.ModelError, match="itemset 1 cannot be used: the support must be more than 0"):
        itemsets_about([ks.Itemset(frozenset({"tea"}), float("nan"))], 40, ROLES)
    with pytest.raises(ks.ModelError, match="the itemsets cannot be used: two items have the same name"):
        ks.Itemsets((Item("tea", "public"), Item("tea", "private")), 40, ())
    with pytest.raises(ks.ModelError, match="nobody says whether 'coffee' is public or private"):
        itemsets_about([ks.Itemset(frozenset({"coffee"}), 0.1)], 40, ROLES)


@pytest.mark.parametrize("miner", [fpgrowth, apriori])
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_itemsets_of_mlxtend(miner: Any, kind: str) -> None:
    bought = pd.DataFrame({"tea": [True, True, False, True], "pills": [True, False, False, True]})
    frame = miner(bought, min_support=0.1, use_colnames=True)
    if kind != "pandas":
        frame = pl.DataFrame({"support": frame["support"], "itemsets": [sorted(one) for one in frame["itemsets"]]})
        frame = frame if kind == "polars" else frame.to_arrow()
        assert isinstance(frame, pl.DataFrame if kind == "polars" else pa.Table)
    found = ks.imported_itemsets(frame, 4, policy())
    assert {one.names: one.support for one in found.itemsets} == {"tea": 0.75, "pills": 0.5, "pills, tea": 0.5}
    assert ks.imported_itemsets(found.table, 4, policy()) == found


def test_frames_that_are_no_itemsets() -> None:
    with pytest.raises(ks.DataError, match="a dataframe of itemsets needs the columns 'support', 'itemsets'"):
        ks.imported_itemsets(pl.DataFrame({"support": [1.0]}), 40, policy())
    with pytest.raises(ks.DataError, match="itemsets must be sets of names of items"):
        ks.imported_itemsets(pd.DataFrame({"support": [0.5], "itemsets": ["tea"]}), 40, policy())
    with pytest.raises(ks.DataError, match="use_colnames=True"):
        ks.imported_itemsets(pd.DataFrame({"support": [0.5], "itemsets": [frozenset({1})]}), 40, policy())
    with pytest.raises(ks.DataError, match="itemsets must be sets of names of items"):
        ks.imported_itemsets(pd.DataFrame({"support": [0.5], "itemsets": [None]}), 40, policy())
    gone = ITEMSETS.table.with_columns(support=pl.lit(None, pl.Float64))
    with pytest.raises(ks.ModelError, match="the support must be more than 0"):
        ks.imported_itemsets(gone, 40, policy())
    with pytest.raises(ks.PolicyError, match="the item 'pills' has no role in the policy"):
        ks.imported_itemsets(ITEMSETS.table, 40, policy(private=[]))
