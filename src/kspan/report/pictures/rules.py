"""Rules as a page may list them: by number alone if they speak of people whose span breaks the requirement."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from kspan.audit.findings import Finding
from kspan.model.rules.model import Rule, Rules
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

MOST_RULES = 500
"""How many rules are listed at most, the first ones."""
POINTS = {"number": pl.Int64, "rule": pl.String, "support": pl.Float64, "confidence": pl.Float64, "kind": pl.String}


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
        return has_private((*self.left, *self.right))


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
    few people bought, and its figures say how many of them did.
    """
    held = held_back(rules, findings, failing, "rules")
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
            "rule": f"{in_a_row(rule.left)} ⇒ {in_a_row(rule.right)}",
            "support": rule.support,
            "confidence": rule.confidence,
            # False is 0, the place of rules that tell of a private item.
            "kind": KINDS[not rule.is_private],
        }
        for rule in picture.rules
        if rule.support is not None
    ]
    share = alt.Axis(**SHARE)
    return points_chart(
        # The schema is given because there may be no points.
        pl.DataFrame(points, POINTS),
        x=alt.X("support:Q", title="support: share of transactions with both sides", axis=share),
        y=alt.Y("confidence:Q", title="confidence", axis=share, scale=alt.Scale(domain=[0, 1], nice=False, clamp=True)),
        tooltip=[
            alt.Tooltip("rule:N", title="rule"),
            alt.Tooltip("support:Q", format=".2~%", title="support"),
            alt.Tooltip("confidence:Q", format=".2~%", title="confidence"),
        ],
        description=f"Support and confidence of {len(points):,} rules.",
    )


def _listed(rules: Rules, rule: Rule, number: int, *, is_held_back: bool) -> DrawnRule:
    if is_held_back:
        return DrawnRule(number, (), (), is_held_back=True)
    left, right = (drawn_items(rules, side) for side in (rule.left, rule.right))
    return DrawnRule(number, left, right, False, rule.support, rule.confidence, rule.lift)
