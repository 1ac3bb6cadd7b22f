"""Itemsets in the crowd: the most frequent itemsets that, released together, keep everybody's crowd."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.errors import Unreachable
from kspan.induce.baskets.mining import Most, Share, Shop, check_above_zero, chosen, frequent, opened
from kspan.model.itemsets.model import Itemset, Itemsets, itemsets_about
from kspan.notebooks import ShownInNotebooks
from kspan.options import takes_options
from kspan.policy import PolicyLike


@dataclass(frozen=True, repr=False)
class MinedItemsets(ShownInNotebooks):
    """Itemsets that together keep a requirement, and those that were left out, which are for the owner's eyes only."""

    itemsets: Itemsets
    left_out: pl.DataFrame
    """A row for each itemset that would have broken the requirement, with how many people it would expose."""

    @property
    def model_released(self) -> Itemsets:
        """The itemsets, for code that takes any kind of model."""
        return self.itemsets

    def __repr__(self) -> str:
        return f"MinedItemsets({len(self.itemsets)} itemsets, {self.left_out.height} left out)"


@takes_options
def mine_itemsets(
    people: Any,
    policy: PolicyLike,
    *,
    min_support: Share = 0.01,
    max_items: Most = 4,
    most: Most = 100,
    cells: bool = False,
    known: Int64s | None = None,
) -> MinedItemsets:
    """Mine the most frequent itemsets that keep the policy's requirement when all of them are released together.

    Columns are items (true and false, 1 and 0, yes and no); the policy may name them by patterns. Itemsets are tried
    from the most frequent down, smaller ones first, so that a set comes before those that it is a part of. One is taken
    if everybody still has a crowd with it. An itemset that is refused once would also be refused later, since more
    itemsets only tell more people apart. So none could be added in the end, unless the search stopped at `most`.
    `known` are the classes of rows that earlier releases tell apart (see `kspan.induce.known`).

    Options:
        min_support: The least share of people of an itemset, more than 0.
        max_items: The most items of an itemset.
        most: The most itemsets.
        cells: Columns that say more than yes or no are an item for each cell, also those of a released table.
    """
    check_above_zero(min_support=min_support)
    shop = opened(people, policy, known=known, cells=cells)
    found = frequent(shop.baskets, min_support, max_items, "itemsets")
    if not len(found):
        raise Unreachable(f"no itemset reaches min_support={min_support:g}: lower it")
    # Back to whole people, so that the shares are as exact as they can be.
    number = shop.baskets.people
    supports = np.rint(found["support"].to_numpy() * number) / number
    return _chosen(map(Itemset, found["itemsets"], supports.tolist()), shop, most)


@takes_options
def choose_itemsets(itemsets: Itemsets, people: Any, policy: PolicyLike, *, most: Most = 100) -> MinedItemsets:
    """Choose the most frequent of given itemsets that together keep the policy's requirement, as `mine_itemsets` does.

    Their supports stay as they are: publishing refuses them if they are not true of the people.

    Options:
        most: The most itemsets.
    """
    return _chosen(itemsets.itemsets, opened(people, policy, itemsets, "itemsets"), most)


def _chosen(found: Iterable[Itemset], shop: Shop, most: int) -> MinedItemsets:
    ordered = sorted(found, key=lambda one: (-one.support, len(one.items), sorted(one.items)))
    choice = chosen(ordered, lambda one: [(frozenset(), one.items)], shop, most)
    refused = choice.refused
    left_out = choice.left_out(
        {
            "itemsets": pl.Series([sorted(one.items) for one in refused], dtype=pl.List(pl.String)),
            "support": pl.Series([one.support for one in refused], dtype=pl.Float64),
        }
    )
    return MinedItemsets(itemsets_about(choice.taken, shop.baskets.people, shop.roles), left_out)
