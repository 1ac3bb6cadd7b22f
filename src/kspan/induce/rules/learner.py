"""Association rules in the crowd: the best rules that, released together, keep everybody's crowd."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl

from kspan.data.baskets import Baskets, encode_baskets
from kspan.errors import DataError, PolicyError, Unreachable, listed
from kspan.frames.files import load
from kspan.induce.rules.look_alikes import LookAlikes
from kspan.model.rules.model import Rule, Rules, rules_about
from kspan.notebooks import ShownInNotebooks
from kspan.options import Within, takes_options
from kspan.policy import Policy, PolicyLike
from kspan.policy.patterns import expanded
from kspan.policy.values import check_items

Measure = Literal["confidence", "lift", "support"]
Share = Annotated[float, Within(0, 1)]
Most = Annotated[int, Within(1)]
MOST_CELLS = 1 << 31
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
) -> MinedRules:
    """Mine the best rules, by the measure, that keep the policy's requirement when all of them are released together.

    Columns are items (true and false, 1 and 0, yes and no); the policy may name them by patterns. Rules are tried from
    the best down, and one is taken if everybody still has a crowd with it. A rule that is refused once would also be
    refused later, since more rules only tell more people apart. So no rule could be added in the end, unless the search
    stopped at `most` rules.

    Options:
        min_support: The least share of people of a rule, more than 0.
        min_confidence: The least confidence of a rule, more than 0.
        measure: What the best rules have most of.
        max_items: The most items of a rule.
        most: The most rules.
        tell_lift: Tell the support of right sides, too, which tells more, and counts.
    """
    for what, share in (("min_support", min_support), ("min_confidence", min_confidence)):
        if share <= 0:
            raise PolicyError(f"{what} must be more than 0: use for example 0.01")
    frame = load(people)
    policy = _of_columns(Policy.of(policy), frame.columns)
    baskets = encode_baskets(frame, (*policy.public, *policy.private), policy.weight)
    found = _candidates(baskets, min_support, min_confidence, max_items)
    return _chosen(found, baskets, policy, measure, most, tell_lift)


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
    frame = load(people)
    policy = _of_columns(Policy.of(policy), frame.columns)
    items = (*policy.public, *policy.private)
    if unknown := sorted(set(rules.roles) - set(items)):
        raise DataError(
            f"the rules speak of {listed(unknown)}, which is no item of the table: give the one they are of"
        )
    baskets = encode_baskets(frame, items, policy.weight)
    tell_lift = any(rule.right_support is not None for rule in rules.rules)
    return _chosen(rules.rules, baskets, policy, measure, most, tell_lift)


def _chosen(
    found: Iterable[Rule], baskets: Baskets, policy: Policy, measure: str, most: int, tell_lift: bool
) -> MinedRules:
    check_items(policy.require)
    crowds = LookAlikes(baskets, policy.public, policy.require)
    taken, refused = list[Rule](), list[tuple[Rule, int, int]]()
    for rule in sorted(found, key=lambda one: _best_first(one, measure)):
        if len(taken) == most:
            break
        told = [(frozenset[str](), rule.right)] if tell_lift and rule.right_support is not None else []
        failing = crowds.take([(rule.left, rule.right), *told])
        if failing is None:
            taken.append(rule)
        else:
            refused.append((rule, *failing))
    if not tell_lift:
        taken = [replace(rule, right_support=None) for rule in taken]
    roles: dict[str, Any] = dict.fromkeys(policy.public, "public") | dict.fromkeys(policy.private, "private")
    # Their order must not give away a measure that is not told itself, such as lift.
    released = sorted(taken, key=lambda one: _best_first(one, "confidence"))
    return MinedRules(rules_about(released, baskets.people, roles), _left_out(refused, policy))


def _of_columns(policy: Policy, columns: Sequence[str]) -> Policy:
    policy = expanded(policy, columns)
    policy.check_columns(columns)
    return policy


def _candidates(baskets: Baskets, min_support: float, min_confidence: float, max_items: int) -> list[Rule]:
    """All rules with enough support and confidence, with figures that are exact."""
    import pandas as pd
    from mlxtend.frequent_patterns import association_rules, fpgrowth

    if baskets.people * len(baskets.bought) > MOST_CELLS:
        raise DataError(
            f"rules cannot be mined from {baskets.people:,} people and {len(baskets.bought):,} items at once: "
            "draw a sample, or drop rare items"
        )
    times = None if baskets.weights is None else baskets.weights
    wide = {name: rows if times is None else np.repeat(rows, times) for name, rows in baskets.bought.items()}
    sets = fpgrowth(pd.DataFrame(wide), min_support=min_support, use_colnames=True, max_len=max_items)
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


def _left_out(refused: Sequence[tuple[Rule, int, int]], policy: Policy) -> pl.DataFrame:
    """The rules that were refused, with counts of people and no more."""
    rules, smallest, failing = zip(*refused, strict=True) if refused else ((), (), ())
    spans = ("a span that breaks" if few == many else "spans that break" for _, few, many in refused)
    why = [
        f"would leave {many:,} people in {which} {policy.require}{'' if few == many else f', the smallest of {few:,}'}"
        for which, (_, few, many) in zip(spans, refused, strict=True)
    ]
    columns = {
        "antecedents": [sorted(rule.left) for rule in rules],
        "consequents": [sorted(rule.right) for rule in rules],
        "support": [rule.support for rule in rules],
        "confidence": [rule.confidence for rule in rules],
        "lift": [rule.lift for rule in rules],
        "smallest_span": list(smallest),
        "people": list(failing),
        "why": why,
    }
    sides, figures = pl.List(pl.String), ("support", "confidence", "lift")
    kinds: dict[str, Any] = {"antecedents": sides, "consequents": sides, **dict.fromkeys(figures, pl.Float64)}
    return pl.DataFrame(columns, schema={**kinds, "smallest_span": pl.Int64, "people": pl.Int64, "why": pl.String})
