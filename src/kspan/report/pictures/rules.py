"""Rules as a page may list them: by number alone if they speak of people whose span breaks the requirement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from kspan.audit.findings import Finding
from kspan.model.rules.model import Rule, Rules
from kspan.model.tree.model import Role
from kspan.report.charts import COLORS
from kspan.report.crowd import Crowd, crowds
from kspan.report.pictures.labels import short

MOST_RULES = 500
"""How many rules are listed at most, the first ones."""
MOST_NUMBERED = 60
"""How many points may have their number beside them; more would cover each other."""
POINTS = {"number": pl.Int64, "rule": pl.String, "support": pl.Float64, "confidence": pl.Float64, "kind": pl.String}
KINDS = ("tells of a private item", "public items only")


@dataclass(frozen=True)
class DrawnItem:
    """An item on one side of a rule, and its role: do others see who buys it?"""

    name: str
    role: Role


@dataclass(frozen=True)
class DrawnRule:
    """A rule as it is listed."""

    number: int
    """Counted from 1, as spans name the rules that speak of them."""
    left: tuple[DrawnItem, ...]
    right: tuple[DrawnItem, ...]
    is_held_back: bool = False
    """Does it speak of a span that breaks the requirement, so that its figures are not told?"""
    support: float | None = None
    confidence: float | None = None
    lift: float | None = None
    """None if it is held back or not published."""

    @property
    def is_private(self) -> bool:
        """Does it tell of a private item?"""
        return any(item.role == "private" for item in (*self.left, *self.right))


@dataclass(frozen=True)
class RulesPicture:
    """What is listed of rules."""

    rules: tuple[DrawnRule, ...]
    number: int
    """How many rules there are, listed or not."""
    transactions: int
    spans: tuple[Crowd, ...]
    """By what they show: the basket, the rules that speak of them, and the classes."""
    held_back: int
    """Rules that are not told."""


def rules_picture(rules: Rules, findings: Sequence[Finding], *, failing: int = 0) -> RulesPicture:
    """Return what a page that may leave the house lists of rules.

    A rule that speaks of a span that breaks the requirement is listed by its number alone: its sides may be what these
    few people bought, and its figures say how many of them did. Every other rule is the same for all people of such a
    span, so it tells nothing of them. `failing` is how many spans break the requirement in all. If the findings hold
    fewer, or if one of them does not name all rules that speak of it, no rule is told.
    """
    broken = [finding for finding in findings if finding.breaks]
    spoken = [_speaking(finding) for finding in broken]
    held = set(range(1, len(rules) + 1))
    if failing <= len(broken) and None not in spoken:
        held = {number for some in spoken for number in some or ()}
    listed = tuple(
        _listed(rules, rule, number, is_held_back=number in held)
        for number, rule in enumerate(rules.rules[:MOST_RULES], 1)
    )
    return RulesPicture(listed, len(rules), rules.transactions, crowds(findings), len(held))


def rules_chart(picture: RulesPicture) -> Any:
    """Draw support and confidence of each rule as a numbered point; rules that are held back have none."""
    points = [
        {
            "number": rule.number,
            "rule": f"{_side(rule.left)} ⇒ {_side(rule.right)}",
            "support": rule.support,
            "confidence": rule.confidence,
            # False is 0, the place of rules that tell of a private item.
            "kind": KINDS[not rule.is_private],
        }
        for rule in picture.rules
        if rule.support is not None
    ]
    share = alt.Axis(format="%", tickCount=6, gridOpacity=0.2)
    # The schema is given because there may be no points.
    base = alt.Chart(pl.DataFrame(points, POINTS)).encode(
        x=alt.X("support:Q", title="support: share of transactions with both sides", axis=share),
        y=alt.Y("confidence:Q", title="confidence", axis=share, scale=alt.Scale(domain=[0, 1], nice=False, clamp=True)),
        tooltip=[
            alt.Tooltip("number:Q", title="number"),
            alt.Tooltip("rule:N", title="rule"),
            alt.Tooltip("support:Q", format=".2~%", title="support"),
            alt.Tooltip("confidence:Q", format=".2~%", title="confidence"),
        ],
    )
    colors = alt.Scale(domain=KINDS, range=[COLORS[1], COLORS[0]])
    dots = base.mark_point(size=90, filled=True, opacity=0.85).encode(
        color=alt.Color("kind:N", scale=colors, legend=alt.Legend(title=None, orient="top")),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=KINDS, range=["diamond", "circle"])),
    )
    numbers = base.mark_text(dx=9, align="left", baseline="middle", fontSize=11, color="currentColor")
    layers = [dots, numbers.encode(text="number:N")] if len(points) <= MOST_NUMBERED else [dots]
    return (
        alt.layer(*layers)
        .properties(
            width="container",
            height=280,
            description=f"Support and confidence of {len(points):,} rules.",
            background="transparent",
        )
        .configure_axis(labelColor="currentColor", titleColor="currentColor", gridColor="#8c98a4")
        .configure_legend(labelColor="currentColor")
        .configure_view(stroke=None)
    )


def _speaking(finding: Finding) -> set[int] | None:
    """Return the numbers of the rules that speak of a span, or None if not all of them are named."""
    named = finding.shown.get("rules", "")
    words = [] if named == "none" else named.split(", ")
    # A long list of rules is cut, and ends in dots.
    return {int(word) for word in words} if all(word.isdecimal() for word in words) else None


def _listed(rules: Rules, rule: Rule, number: int, *, is_held_back: bool) -> DrawnRule:
    if is_held_back:
        return DrawnRule(number, (), (), is_held_back=True)
    left, right = (_items(rules, side) for side in (rule.left, rule.right))
    return DrawnRule(number, left, right, False, rule.support, rule.confidence, rule.lift)


def _items(rules: Rules, side: Iterable[str]) -> tuple[DrawnItem, ...]:
    return tuple(DrawnItem(short(name), rules.roles[name]) for name in sorted(side))


def _side(items: Iterable[DrawnItem]) -> str:
    return ", ".join(item.name for item in items)
