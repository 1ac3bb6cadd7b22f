"""Frequent itemsets as they are released: what people buy together, and how many do; they hold no row."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from kspan.errors import ModelError
from kspan.model.claim import Claim
from kspan.model.items.model import (
    Item,
    OfItems,
    items_of,
    problem_of_items,
    problem_of_names,
    problem_of_transactions,
)
from kspan.model.tree.model import Role
from kspan.notebooks import ShownInNotebooks

MOST_ITEMSETS = 100_000


@dataclass(frozen=True)
class Itemset:
    """Some people buy all of these items.

    >>> print(Itemset(frozenset({"Cherries", "Viagra"}), 0.084))
    Cherries, Viagra (support 0.084)
    """

    items: frozenset[str]
    support: float
    """The share of transactions with all of them."""

    @property
    def names(self) -> str:
        """The items in the order of their names."""
        return ", ".join(sorted(self.items))

    def __str__(self) -> str:
        return f"{self.names} (support {self.support:.6g})"


@dataclass(frozen=True, repr=False)
class Itemsets(OfItems, ShownInNotebooks):
    """Itemsets, the number of transactions they were found in, the role of each item, and perhaps a claim."""

    items: tuple[Item, ...]
    transactions: int
    itemsets: tuple[Itemset, ...]
    claim: Claim | None = field(default=None)

    def __post_init__(self) -> None:
        if problem := problem_of_items(self.items) or problem_of_transactions(self.transactions):
            raise ModelError(f"the itemsets cannot be used: {problem}")
        for place, problem in problems_of_itemsets(self.itemsets, self.roles):
            raise ModelError(f"itemset {place + 1} cannot be used: {problem}")

    @property
    def listed(self) -> tuple[Itemset, ...]:
        """The itemsets."""
        return self.itemsets

    @property
    def table(self) -> pl.DataFrame:
        """One row per itemset, with the column names of mlxtend."""
        return pl.DataFrame(
            {
                "support": [one.support for one in self.itemsets],
                "itemsets": [sorted(one.items) for one in self.itemsets],
            },
            schema={"support": pl.Float64, "itemsets": pl.List(pl.String)},
        )

    def __repr__(self) -> str:
        about = f"{len(self.items)} items, {self.transactions} transactions"
        return f"Itemsets({len(self.itemsets)} itemsets about {about})"


def itemsets_about(
    found: Iterable[Itemset], transactions: int, roles: Mapping[str, Role], claim: Claim | None = None
) -> Itemsets:
    """Make `Itemsets` of some itemsets and the items that they mention, in the order of `roles`."""
    every = tuple(found)
    items = items_of((name for one in every for name in one.items), roles)
    return Itemsets(items, transactions, every, claim)


def problems_of_itemsets(itemsets: Iterable[Itemset], roles: Mapping[str, Role]) -> Iterator[tuple[int, str]]:
    """Yield the place of each itemset with which something is wrong, and what is wrong."""
    seen = set[frozenset[str]]()
    for number, one in enumerate(itemsets):
        if number >= MOST_ITEMSETS:
            yield number, f"there are more than {MOST_ITEMSETS:,} itemsets"
            return
        if not one.items:
            yield number, "it needs at least one item"
        if problem := problem_of_names(one.items, roles):
            yield number, problem
        # Not so for nan, either.
        if not 0 < one.support <= 1:
            yield number, "the support must be more than 0 and at most 1"
        if one.items in seen:
            yield number, "an earlier itemset has the same items"
        seen.add(one.items)
