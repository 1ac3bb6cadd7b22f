"""What rules ask and tell: their sides as questions, and their figures as numbers of people."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kspan.audit.baskets.figures import SLACK, Between, rounding, whole
from kspan.audit.baskets.sides import Published, Question
from kspan.data.baskets import Baskets
from kspan.errors import ModelError
from kspan.model.rules.model import Rule, Rules


@dataclass(frozen=True)
class PublishedRules(Published):
    """Rules, each a question with its own two sides.

    The published support of a right side is one more question, from nothing to that side: it tells something even of
    people of whom no left side speaks.
    """

    kind = "rules"
    model: Rules

    @cached_property
    def questions(self) -> list[Question]:
        """The sides of each rule, and the right sides whose support is told."""
        asked = {(rule.left, rule.right): place for place, rule in enumerate(self.model.rules)}
        for place, rule in enumerate(self.model.rules):
            if rule.right_support is not None:
                asked.setdefault((frozenset(), rule.right), place)
        return [Question(place, left, right) for (left, right), place in asked.items()]

    def told(self) -> Iterator[tuple[frozenset[str], Between]]:
        """Yield the left side, both sides and perhaps the right side of each rule, with their people."""
        figures = figures_of(self.model)
        for rule, left, both, right in zip(self.model.rules, figures.left, figures.both, figures.right, strict=True):
            yield rule.left, left
            yield rule.left | rule.right, both
            if right is not None:
                yield rule.right, right

    def untrue(self, baskets: Baskets) -> tuple[str, ...]:
        """Name the rules whose figures, rounding allowed for, are not those of these people."""
        rules = self.model
        # Every support is a share of the transactions.
        if baskets.people != rules.transactions:
            return tuple(rule.sides for rule in rules.rules)
        share, sure, beside = _roundings(rules)

        def is_true(rule: Rule) -> bool:
            left, both = baskets.with_all(rule.left), baskets.with_all(rule.left | rule.right)
            told, right = rule.right_support, 0 if rule.right_support is None else baskets.with_all(rule.right)
            return (
                left > 0
                and abs(both / rules.transactions - rule.support) <= share + SLACK
                and abs(both / left - rule.confidence) <= sure + SLACK
                and (told is None or abs(right / rules.transactions - told) <= beside + SLACK)
            )

        return tuple(rule.sides for rule in rules.rules if not is_true(rule))


@dataclass(frozen=True)
class Figures:
    """For each rule, the fewest and the most people that its figures may stand for."""

    left: list[Between]
    """People with the left side."""
    both: list[Between]
    """People with both sides."""
    right: list[Between | None]
    """People with the right side, if its support is told."""


def figures_of(rules: Rules) -> Figures:
    """Return the numbers of people that the figures of rules may stand for.

    All supports are taken to be rounded alike, and so are all confidences. The figures in the paper allow one number
    each:

    >>> cherries = Rule(frozenset({"Cherries"}), frozenset({"Viagra"}), 0.084, 0.75)
    >>> candles = Rule(frozenset({"Cherries", "Birthday Candles"}), frozenset({"Tylenol"}), 0.024, 0.8)
    >>> from kspan.model.rules.model import rules_about
    >>> roles = {"Cherries": "public", "Birthday Candles": "public", "Viagra": "private", "Tylenol": "private"}
    >>> figures_of(rules_about([cherries, candles], 1000, roles))
    Figures(left=[(112, 112), (30, 30)], both=[(84, 84), (24, 24)], right=[None, None])
    """
    number = rules.transactions
    share, sure, beside = _roundings(rules)
    figures = Figures([], [], [])
    for place, rule in enumerate(rules.rules, 1):
        both = whole(number * (rule.support - share), number * (rule.support + share))
        highest, lowest = min(rule.confidence + sure, 1.0), rule.confidence - sure
        # The test keeps the divisor above 0; where it fails, the quotient would be no bound.
        left = whole(both[0] / highest, both[1] / lowest if lowest * number > both[1] else number)
        left = max(left[0], both[0]), min(left[1], number)
        right = None
        if rule.right_support is not None:
            right = whole(number * (rule.right_support - beside), number * (rule.right_support + beside))
            right = max(right[0], both[0]), min(right[1], number)
        if any(low > high for low, high in (both, left, right or both)) or both[1] < 1:
            raise ModelError(
                f"rule {place} has figures that no {number:,} transactions can have: correct them or the transactions"
            )
        figures.left.append(left)
        # A support is above 0, so somebody has both sides.
        figures.both.append((max(both[0], 1), min(both[1], number)))
        figures.right.append(right)
    return figures


def _roundings(rules: Rules) -> tuple[float, float, float]:
    """Return how far rounding may have moved supports, confidences, and supports of right sides."""
    every = rules.rules
    return (
        rounding(rule.support for rule in every),
        rounding(rule.confidence for rule in every),
        rounding(rule.right_support for rule in every if rule.right_support is not None),
    )
