"""Association rules in the crowd: the best rules that, released together, keep everybody's crowd."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.baskets import Baskets
from kspan.errors import PolicyError, Unreachable
from kspan.induce.baskets.look_alikes import Question
from kspan.induce.baskets.mining import Most, Share, Shop, check_above_zero, chosen, frequent, opened
from kspan.model.rules.model import Rule, Rules, rules_about
from kspan.notebooks import ShownInNotebooks
from kspan.options import Within, takes_options
from kspan.policy import PolicyLike

Measure = Literal["confidence", "lift", "support"]
DIGITS = 12
"""The digits by which measures are compared: the rest is rounding."""


@dataclass(frozen=True, repr=False)
class MinedRules(ShownInNotebooks):
    """Rules that together keep a requirement, and those that were left out, which are for the owner's eyes only."""

    rules: Rules
    left_out: pl.DataFrame
    """A row for each rule that would have broken the requirement: its figures, and how many people it would expose."""

    @property
    def model_released(self) -> Rules:
        """The rules, for code that takes any kind of model."""
        return self.rules

    def __repr__(self) -> str:
        return f"MinedRules({len(self.rules)} rules, {self.left_out.height} left out)"


@takes_options
def mine_rules(
    people: Any,
    policy: PolicyLike,
    *,
    min_support: Share = 0.01,
    min_confidence: Share = 0.5,
    measure: Measure = "confidence",
    max_items: Annotated[int, Within(2)] = 4,
    most: Most = 100,
    tell_lift: bool = False,
    cells: bool = False,
    known: Int64s | None = None,
) -> MinedRules:
    """Mine the best rules, by the measure, that keep the policy's requirement when all of them are released together.

    Columns are items (true and false, 1 and 0, yes and no); the policy may name them by patterns. Rules are tried from
    the best down, and one is taken if everybody still has a crowd with it. A rule that is refused once would also be
    refused later, since more rules only tell more people apart. So no rule could be added in the end, unless the search
    stopped at `most` rules.

    `known` are the classes of rows that earlier releases tell apart (see `kspan.induce.known`).

    Options:
        min_support: The least share of people of a rule, more than 0.
        min_confidence: The least confidence of a rule, more than 0.
        measure: What the best rules have most of.
        max_items: The most items of a rule.
        most: The most rules.
        tell_lift: Tell the support of right sides, too, which tells more, and counts.
        cells: Columns that say more than yes or no are an item for each cell, also those of a released table.
    """
    check_above_zero(min_support=min_support, min_confidence=min_confidence)
    shop = opened(people, policy, known=known, cells=cells)
    found = _candidates(shop.baskets, min_support, min_confidence, max_items)
    return _chosen(found, shop, measure, most, tell_lift)


@takes_options
def choose_rules(
    rules: Rules, people: Any, policy: PolicyLike, *, measure: Measure = "confidence", most: Most = 100
) -> MinedRules:
    """Choose the best of given rules that together keep the policy's requirement, as `mine_rules` does.

    Their figures stay as they are: publishing refuses them if they are not true of the people.

    Options:
        measure: Which rules are best.
        most: The most rules.
    """
    if measure == "lift" and any(rule.lift is None for rule in rules.rules):
        raise PolicyError("the lift of some rules is not told: choose by confidence or support")
    tell_lift = any(rule.right_support is not None for rule in rules.rules)
    return _chosen(rules.rules, opened(people, policy, rules, "rules"), measure, most, tell_lift)


def _chosen(found: Iterable[Rule], shop: Shop, measure: str, most: int, tell_lift: bool) -> MinedRules:
    def questions(rule: Rule) -> Sequence[Question]:
        told = [(frozenset[str](), rule.right)] if tell_lift and rule.right_support is not None else []
        return [(rule.left, rule.right), *told]

    choice = chosen(sorted(found, key=lambda one: _best_first(one, measure)), questions, shop, most)
    taken = choice.taken if tell_lift else [replace(rule, right_support=None) for rule in choice.taken]
    # Their order must not give away a measure that is not told itself, such as lift.
    released = sorted(taken, key=lambda one: _best_first(one, "confidence"))
    left_out = choice.left_out(_columns(choice.refused))
    return MinedRules(rules_about(released, shop.baskets.people, shop.roles), left_out)


def _candidates(baskets: Baskets, min_support: float, min_confidence: float, max_items: int) -> list[Rule]:
    """All rules with enough support and confidence, with figures that are exact."""
    from mlxtend.frequent_patterns import association_rules

    sets = frequent(baskets, min_support, max_items, "rules")
    nothing = f"no rule reaches min_support={min_support:g} and min_confidence={min_confidence:g}: lower one of them"
    if not len(sets):
        raise Unreachable(nothing)
    wanted = ["antecedent support", "consequent support", "support", "confidence"]
    made = association_rules(sets, metric="confidence", min_threshold=min_confidence, return_metrics=wanted)
    if not len(made):
        raise Unreachable(nothing)
    # Back to whole people, so that the shares below are as exact as they can be.
    left, right, both = (
        np.rint(made[name].to_numpy() * baskets.people)
        for name in ("antecedent support", "consequent support", "support")
    )
    shares = (both / baskets.people, both / left, right / baskets.people)
    return list(map(Rule, made["antecedents"], made["consequents"], *(share.tolist() for share in shares)))


def _best_first(rule: Rule, measure: str) -> tuple[Any, ...]:
    """Higher measures first, then what is told of more people, then short rules, then by name."""
    size = len(rule.left) + len(rule.right)
    asked = round(-float(getattr(rule, measure)), DIGITS)
    return asked, -rule.support, -rule.confidence, size, sorted(rule.left), sorted(rule.right)


def _columns(rules: Sequence[Rule]) -> dict[str, pl.Series]:
    """Rules as the columns of a table, by their own names."""
    sides = {
        "antecedents": [sorted(rule.left) for rule in rules],
        "consequents": [sorted(rule.right) for rule in rules],
    }
    figures = {name: [getattr(rule, name) for rule in rules] for name in ("support", "confidence", "lift")}
    return {
        **{name: pl.Series(cells, dtype=pl.List(pl.String)) for name, cells in sides.items()},
        **{name: pl.Series(cells, dtype=pl.Float64) for name, cells in figures.items()},
    }
