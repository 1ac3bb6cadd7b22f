"""Itemsets as a page may list them: by number alone if they speak of people whose span breaks the requirement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from kspan.audit.findings import Finding
from kspan.model.itemsets.model import Itemset, Itemsets
from kspan.report.crowd import Crowd, crowds
from kspan.report.pictures.items import (
    KINDS,
    SHARE,
    DrawnItem,
    drawn_items,
    has_private,
    held_back,
    in_a_row,
    points_chart,
)

MOST_ITEMSETS = 500
"""How many itemsets are listed at most, the first ones."""
POINTS = {"number": pl.Int64, "items": pl.String, "size": pl.Int64, "support": pl.Float64, "kind": pl.String}


@dataclass(frozen=True)
class DrawnItemset:
    """An itemset as it is listed."""

    number: int
    """Counted from 1, as spans name the itemsets that speak of them."""
    items: tuple[DrawnItem, ...] = ()
    is_held_back: bool = False
    """Does it speak of a span that breaks the requirement, so that its support is not told?"""
    support: float | None = None
    """None if it is held back."""


@dataclass(frozen=True)
class ItemsetsPicture:
    """What is listed of itemsets."""

    itemsets: tuple[DrawnItemset, ...]
    number: int
    """How many itemsets there are, listed or not."""
    transactions: int
    spans: tuple[Crowd, ...]
    """By what they show: the basket, the itemsets that speak of them, and the classes."""
    held_back: int
    """Itemsets that are not told."""


def itemsets_picture(itemsets: Itemsets, findings: Sequence[Finding], *, failing: int = 0) -> ItemsetsPicture:
    """Return what a page that may leave the house lists of itemsets.

    An itemset that speaks of a span that breaks the requirement is listed by its number alone: its items may be what
    these few people bought, and its support says how many of them did.
    """
    held = held_back(itemsets, findings, failing, "itemsets")
    listed = tuple(
        _listed(itemsets, one, number, is_held_back=number in held)
        for number, one in enumerate(itemsets.itemsets[:MOST_ITEMSETS], 1)
    )
    return ItemsetsPicture(listed, len(itemsets), itemsets.transactions, crowds(findings), len(held))


def itemsets_chart(picture: ItemsetsPicture) -> Any:
    """Draw support and size of each itemset as a numbered point; itemsets that are held back have none."""
    points = [
        {
            "number": one.number,
            "items": in_a_row(one.items),
            "size": len(one.items),
            "support": one.support,
            # False is 0, the place of itemsets that tell of a private item.
            "kind": KINDS[not has_private(one.items)],
        }
        for one in picture.itemsets
        if one.support is not None
    ]
    return points_chart(
        # The schema is given because there may be no points.
        pl.DataFrame(points, POINTS),
        x=alt.X("support:Q", title="support: share of transactions with all items", axis=alt.Axis(**SHARE)),
        y=alt.Y("size:Q", title="items", axis=alt.Axis(tickMinStep=1, format="d", gridOpacity=0.2)),
        tooltip=[
            alt.Tooltip("items:N", title="items"),
            alt.Tooltip("support:Q", format=".2~%", title="support"),
        ],
        description=f"Support and size of {len(points):,} itemsets.",
    )


def _listed(itemsets: Itemsets, one: Itemset, number: int, *, is_held_back: bool) -> DrawnItemset:
    if is_held_back:
        return DrawnItemset(number, is_held_back=True)
    return DrawnItemset(number, drawn_items(itemsets, one.items), support=one.support)
