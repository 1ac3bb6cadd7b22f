"""What lists of rules and itemsets share: their items, which of them are held back, and a chart of points."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from kspan.audit.findings import Finding
from kspan.model.items.model import OfItems
from kspan.model.tree.model import Role
from kspan.report.charts import COLORS
from kspan.report.pictures.labels import short

MOST_NUMBERED = 60
"""How many points may have their number beside them; more would cover each other."""
KINDS = ("tells of a private item", "public items only")
SHARE: Mapping[str, Any] = {"format": "%", "tickCount": 6, "gridOpacity": 0.2}
"""An axis of shares."""


@dataclass(frozen=True)
class DrawnItem:
    """An item, and its role: do others see who buys it?"""

    name: str
    role: Role


def drawn_items(model: OfItems, names: Iterable[str]) -> tuple[DrawnItem, ...]:
    """Return items as they are listed, in the order of their names."""
    return tuple(DrawnItem(short(name), model.roles[name]) for name in sorted(names))


def has_private(items: Iterable[DrawnItem]) -> bool:
    """Is one of the items private?"""
    return any(item.role == "private" for item in items)


def in_a_row(items: Iterable[DrawnItem]) -> str:
    """Name some items."""
    return ", ".join(item.name for item in items)


def held_back(model: OfItems, findings: Sequence[Finding], failing: int, kind: str) -> set[int]:
    """Return the numbers of what a page must not tell: what speaks of spans that break the requirement.

    What does not speak of such a span is the same for all its people, so it tells nothing of them. `failing` is how
    many spans break the requirement in all. If the findings hold fewer, or if one of them does not name all that speaks
    of it, nothing is told.
    """
    broken = [finding for finding in findings if finding.breaks]
    spoken = [_speaking(finding, kind) for finding in broken]
    if failing <= len(broken) and None not in spoken:
        return {number for some in spoken for number in some or ()}
    return set(range(1, len(model) + 1))


def _speaking(finding: Finding, kind: str) -> set[int] | None:
    """Return the numbers of what speaks of a span, or None if not all of it is named."""
    named = finding.shown.get(kind, "")
    words = [] if named == "none" else named.split(", ")
    # A long list is cut, and ends in dots.
    return {int(word) for word in words} if all(word.isdecimal() for word in words) else None


def points_chart(points: pl.DataFrame, x: Any, y: Any, tooltip: Sequence[Any], description: str) -> Any:
    """Draw a numbered point for each row; `kind` says whether it tells of a private item."""
    base = alt.Chart(points).encode(x=x, y=y, tooltip=[alt.Tooltip("number:Q", title="number"), *tooltip])
    colors = alt.Scale(domain=KINDS, range=[COLORS[1], COLORS[0]])
    dots = base.mark_point(size=90, filled=True, opacity=0.85).encode(
        color=alt.Color("kind:N", scale=colors, legend=alt.Legend(title=None, orient="top")),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=KINDS, range=["diamond", "circle"])),
    )
    numbers = base.mark_text(dx=9, align="left", baseline="middle", fontSize=11, color="currentColor")
    layers = [dots, numbers.encode(text="number:N")] if points.height <= MOST_NUMBERED else [dots]
    return (
        alt.layer(*layers)
        .properties(width="container", height=280, description=description, background="transparent")
        .configure_axis(labelColor="currentColor", titleColor="currentColor", gridColor="#8c98a4")
        .configure_legend(labelColor="currentColor")
        .configure_view(stroke=None)
    )
