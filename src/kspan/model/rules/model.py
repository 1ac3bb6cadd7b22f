"""Association rules as they are released: whoever buys this buys that, how often and how surely; they hold no row."""

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

MOST_RULES = 100_000
SLACK = 1e-9
"""How far the figures of a rule may contradict each other by rounding."""
RIGHT_SUPPORT = "consequent support"


@dataclass(frozen=True)
class Rule:
    """Whoever buys all of the left side buys all of the right side, too, with some confidence.

    >>> print(Rule(frozenset({"Cherries"}), frozenset({"Viagra"}), 0.084, 0.75))
    Cherries => Viagra (support 0.084, confidence 0.75)
    """

    left: frozenset[str]
    right: frozenset[str]
    support: float
    """The share of transactions with both sides."""
    confidence: float
    """The share of the transactions with the left side that also have the right side."""
    right_support: float | None = None
    """The share of transactions with the right side, if that is told."""

    @property
    def lift(self) -> float | None:
        """How many times likelier the right side is together with the left side than in general; None if not told."""
        return None if self.right_support is None else self.confidence / self.right_support

    @property
    def sides(self) -> str:
        """The rule without its figures."""
        return f"{', '.join(sorted(self.left))} => {', '.join(sorted(self.right))}"

    def __str__(self) -> str:
        lift = "" if self.lift is None else f", lift {self.lift:.6g}"
        return f"{self.sides} (support {self.support:.6g}, confidence {self.confidence:.6g}{lift})"


@dataclass(frozen=True, repr=False)
class Rules(OfItems, ShownInNotebooks):
    """A set of rules, the number of transactions they were found in, the role of each item, and perhaps a claim."""

    items: tuple[Item, ...]
    transactions: int
    rules: tuple[Rule, ...]
    claim: Claim | None = field(default=None)

    def __post_init__(self) -> None:
        if problem := problem_of_items(self.items) or problem_of_transactions(self.transactions):
            raise ModelError(f"the rules cannot be used: {problem}")
        for place, problem in problems_of_rules(self.rules, self.roles):
            raise ModelError(f"rule {place + 1} cannot be used: {problem}")

    @property
    def listed(self) -> tuple[Rule, ...]:
        """The rules."""
        return self.rules

    @property
    def table(self) -> pl.DataFrame:
        """One row per rule, with the column names of mlxtend; what is not told is null."""
        return pl.DataFrame(
            {
                "antecedents": [sorted(rule.left) for rule in self.rules],
                "consequents": [sorted(rule.right) for rule in self.rules],
                "antecedent support": [rule.support / rule.confidence for rule in self.rules],
                RIGHT_SUPPORT: [rule.right_support for rule in self.rules],
                "support": [rule.support for rule in self.rules],
                "confidence": [rule.confidence for rule in self.rules],
                "lift": [rule.lift for rule in self.rules],
            },
            schema={
                "antecedents": pl.List(pl.String),
                "consequents": pl.List(pl.String),
                **dict.fromkeys(("antecedent support", RIGHT_SUPPORT, "support", "confidence", "lift"), pl.Float64),
            },
        )

    def __repr__(self) -> str:
        return f"Rules({len(self.rules)} rules about {len(self.items)} items, {self.transactions} transactions)"


def rules_about(
    found: Iterable[Rule], transactions: int, roles: Mapping[str, Role], claim: Claim | None = None
) -> Rules:
    """Make `Rules` of some rules and the items that they mention, in the order of `roles`."""
    every = tuple(found)
    items = items_of((name for rule in every for name in rule.left | rule.right), roles)
    return Rules(items, transactions, every, claim)


# What is wrong, if anything


def problems_of_rules(rules: Iterable[Rule], roles: Mapping[str, Role]) -> Iterator[tuple[int, str]]:
    """Yield the place of each rule with which something is wrong, and what is wrong."""
    seen = set[tuple[frozenset[str], frozenset[str]]]()
    for number, rule in enumerate(rules):
        if number >= MOST_RULES:
            yield number, f"there are more than {MOST_RULES:,} rules"
            return
        if (problem := _problem_of(rule, roles)) is not None:
            yield number, problem
        if (rule.left, rule.right) in seen:
            yield number, "an earlier rule has the same sides"
        seen.add((rule.left, rule.right))


def _problem_of(rule: Rule, roles: Mapping[str, Role]) -> str | None:
    if not rule.left or not rule.right:
        return "each side needs at least one item"
    if rule.left & rule.right:
        return "an item is on both sides"
    if problem := problem_of_names(rule.left | rule.right, roles):
        return problem
    if not 0 < rule.support <= 1 or not 0 < rule.confidence <= 1:
        return "support and confidence must be more than 0 and at most 1"
    if rule.support > rule.confidence + SLACK:
        return "the support cannot be more than the confidence"
    if rule.right_support is not None and not rule.support - SLACK <= rule.right_support <= 1:
        return "the support of the right side must be from the support of the rule to 1"
    return None
