"""Published figures as numbers of people: how far rounding may have moved them, and what they may stand for."""

import math
from collections.abc import Iterable
from decimal import Decimal

LEAST_DECIMALS, MOST_DECIMALS = 2, 15
SLACK = 1e-9
"""How far shares are compared beyond what rounding explains: floats lose a little."""
Between = tuple[int, int]
"""The fewest and the most people."""


def rounding(figures: Iterable[float]) -> float:
    """Return how far rounding may have moved figures.

    They are taken to be rounded to as many decimals as the finest of them has, but at least to whole percents.

    >>> rounding([0.084, 0.1])
    0.0005
    """
    # The text of a float has no more digits than it needs, so these are the published ones.
    decimals = (-int(Decimal(repr(float(figure))).normalize().as_tuple().exponent) for figure in figures)
    finest = min(max(decimals, default=LEAST_DECIMALS), MOST_DECIMALS)
    return 0.5 * 10.0 ** -max(finest, LEAST_DECIMALS)


def whole(low: float, high: float) -> Between:
    """Return the first and the last whole number in a range, which is widened a little for what floats lose."""
    slack = SLACK * max(abs(high), 1.0)
    return max(math.ceil(low - slack), 0), math.floor(high + slack)
