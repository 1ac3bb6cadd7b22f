"""Frequent itemsets as JSON documents and files; what is read is never trusted."""

import os
from typing import Any

from kspan.frames.files import read_text, write_text
from kspan.model.checks import Place, check_keys, number, texts
from kspan.model.documents import lines, parsed
from kspan.model.items.json import Layout
from kspan.model.itemsets.model import MOST_ITEMSETS, Itemset, Itemsets, problems_of_itemsets

LAYOUT = Layout("kspan/itemsets", 1, "set of itemsets", "itemsets", MOST_ITEMSETS)


def write_itemsets(itemsets: Itemsets) -> dict[str, Any]:
    """Write itemsets as a JSON document; each lists its items by name."""
    every = ({"items": sorted(one.items), "support": one.support} for one in itemsets.itemsets)
    return LAYOUT.written(itemsets, every)


def save_itemsets(itemsets: Itemsets, path: str | os.PathLike[str]) -> None:
    """Write itemsets to a file, completely or not at all; they are not judged."""
    write_text(lines(write_itemsets(itemsets)), path)


def load_itemsets(path: str | os.PathLike[str]) -> Itemsets:
    """Read the itemsets in a file."""
    return read_itemsets(parsed(read_text(path, "the model"), str(path)), str(path))


def read_itemsets(document: Any, source: str = "the model") -> Itemsets:
    """Read the itemsets in a JSON document; an error names the source and the place.

    >>> read_itemsets({"format": "kspan/itemsets", "version": 1, "transactions": 10, "items": []})
    Traceback (most recent call last):
    kspan.errors.ModelError: the model is malformed at the top: the key 'itemsets' is missing
    """
    head = LAYOUT.read(document, source)
    found = tuple(_itemset(Place(source, f"itemset {count}"), one) for count, one in enumerate(head.listed, 1))
    for place, problem in problems_of_itemsets(found, {item.name: item.role for item in head.items}):
        Place(source, f"itemset {place + 1}").refuse(problem)
    return Itemsets(head.items, head.transactions, found, head.claim)


def _itemset(place: Place, found: Any) -> Itemset:
    check_keys(place, found, ("items", "support"))
    return Itemset(frozenset(texts(place, "'items'", found["items"])), number(place, "'support'", found["support"]))
