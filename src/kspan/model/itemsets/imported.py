"""Itemsets that others found: converts dataframes as mlxtend makes them."""

from typing import Any

import narwhals as nw

from kspan.errors import DataError, listed
from kspan.model.items.frames import figure_in, has_columns, items_in
from kspan.model.itemsets.model import Itemset, Itemsets, itemsets_about
from kspan.policy import Policy, PolicyLike
from kspan.policy.patterns import roles_of

FRAME_COLUMNS = ("support", "itemsets")


def is_itemsets_frame(given: Any) -> bool:
    """Is it a dataframe of itemsets as mlxtend makes them?"""
    return has_columns(given, FRAME_COLUMNS)


def imported_itemsets(frame: Any, transactions: int, policy: PolicyLike) -> Itemsets:
    """Convert a dataframe of mlxtend's `fpgrowth` or `apriori`; the policy says which items are public.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"support": [0.112, 0.084], "itemsets": [["Cherries"], ["Cherries", "Viagra"]]})
    >>> imported_itemsets(frame, 1000, Policy(public=["Cherries"], private=["Viagra"], require="k=30"))
    Itemsets(2 itemsets about 2 items, 1000 transactions)
    """
    if not is_itemsets_frame(frame):
        raise DataError(
            f"a dataframe of itemsets needs the columns {listed(FRAME_COLUMNS)}: give one that mlxtend made"
        )
    source = nw.from_native(frame, eager_only=True)
    supports, sets = (source[name].to_list() for name in FRAME_COLUMNS)
    found = [
        Itemset(items_in(items, "itemsets"), figure_in(support)) for items, support in zip(sets, supports, strict=True)
    ]
    names = dict.fromkeys(name for one in found for name in sorted(one.items))
    return itemsets_about(found, transactions, roles_of(Policy.of(policy), names))
