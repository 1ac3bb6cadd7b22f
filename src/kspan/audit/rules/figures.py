"""The figures of rules as numbers of people: what they may stand for, and whether they are true."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from kspan.data.baskets import Baskets
from kspan.errors import ModelError
from kspan.model.rules.model import Rule, Rules

LEAST_DECIMALS, MOST_DECIMALS = 2, 15
SLACK = 1e-9
Between = tuple[int, int]
"""The fewest and the most people."""


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

    Figures are taken to be rounded: all supports to as many decimals as the finest of them has, but at least to whole
    percents, and all confidences likewise. The figures in the paper allow one number each:

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
        both = _whole(number * (rule.support - share), number * (rule.support + share))
        highest, lowest = min(rule.confidence + sure, 1.0), rule.confidence - sure
        # The test keeps the divisor above 0; where it fails, the quotient would be no bound.
        left = _whole(both[0] / highest, both[1] / lowest if lowest * number > both[1] else number)
        left = max(left[0], both[0]), min(left[1], number)
        right = None
        if rule.right_support is not None:
            right = _whole(number * (rule.right_support - beside), number * (rule.right_support + beside))
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


def untrue_rules(rules: Rules, baskets: Baskets) -> list[int]:
    """Return the places of the rules whose figures, rounding allowed for, are not those of these people."""
    # Every support is a share of the transactions.
    if baskets.people != rules.transactions:
        return list(range(len(rules.rules)))
    share, sure, beside = _roundings(rules)
    counted = dict[frozenset[str], int]()

    def people(side: frozenset[str]) -> int:
        if side not in counted:
            counted[side] = baskets.count(baskets.packed_all(side))
        return counted[side]

    def is_true(rule: Rule) -> bool:
        left, both = people(rule.left), people(rule.left | rule.right)
        told, right = rule.right_support, 0 if rule.right_support is None else people(rule.right)
        return (
            left > 0
            and abs(both / rules.transactions - rule.support) <= share + SLACK
            and abs(both / left - rule.confidence) <= sure + SLACK
            and (told is None or abs(right / rules.transactions - told) <= beside + SLACK)
        )

    return [place for place, rule in enumerate(rules.rules) if not is_true(rule)]


def _roundings(rules: Rules) -> tuple[float, float, float]:
    """Return how far rounding may have moved supports, confidences, and supports of right sides."""
    every = rules.rules
    return (
        _rounding(rule.support for rule in every),
        _rounding(rule.confidence for rule in every),
        _rounding(rule.right_support for rule in every if rule.right_support is not None),
    )


def _rounding(figures: Iterable[float]) -> float:
    # The text of a float has no more digits than it needs, so these are the published ones.
    decimals = (-int(Decimal(repr(float(figure))).normalize().as_tuple().exponent) for figure in figures)
    finest = min(max(decimals, default=LEAST_DECIMALS), MOST_DECIMALS)
    return 0.5 * 10.0 ** -max(finest, LEAST_DECIMALS)


def _whole(low: float, high: float) -> Between:
    """Return the first and the last whole number in a range, which is widened a little for what floats lose."""
    slack = SLACK * max(abs(high), 1.0)
    return max(math.ceil(low - slack), 0), math.floor(high + slack)
