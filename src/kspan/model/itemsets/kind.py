"""Frequent itemsets as a kind of model."""

from kspan.data.baskets import people_in
from kspan.model.items.model import Item
from kspan.model.itemsets.imported import imported_itemsets, is_itemsets_frame
from kspan.model.itemsets.json import LAYOUT, read_itemsets, write_itemsets
from kspan.model.itemsets.model import Itemset, Itemsets
from kspan.model.kind import Kind


def example() -> Itemsets:
    """A public item alone, and with a private one."""
    items = (Item("Cherries", "public"), Item("Viagra", "private"))
    cherries = frozenset({"Cherries"})
    return Itemsets(items, 1000, (Itemset(cherries, 0.112), Itemset(cherries | {"Viagra"}, 0.084)))


ITEMSETS = Kind(
    "itemsets",
    LAYOUT.called,
    LAYOUT.format,
    Itemsets,
    read_itemsets,
    write_itemsets,
    example,
    is_itemsets_frame,
    lambda given, people, policy: imported_itemsets(given, people_in(people, policy), policy),
)
