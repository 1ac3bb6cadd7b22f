"""What numbers are: codes or amounts, and the intervals that suit amounts."""

import math

from kspan.data.levels import Intervals
from kspan.errors import HierarchyError, PolicyError
from kspan.policy.guess.columns import Facts
from kspan.policy.guess.words import Meaning, words_for, words_of

FEW = 15
"""Codes have at most so many different numbers, unless the name says that they are codes."""
MOST_CODES = 20_000
HIGHEST_CODE, HIGHEST_LEVEL = 20, 9
SIGNS = frozenset({66.0, 77.0, 88.0, 96.0, 97.0, 98.0, 99.0})
"""Numbers that surveys write for "refused", "not asked" and the like."""
INTERVALS = 20
"""A range is cut into at most about so many intervals."""


def are_codes(facts: Facts, meaning: Meaning | None) -> bool:
    """Are the numbers of a column codes for categories, and no amounts?"""
    numbers, words = facts.numbers, set(words_of(facts.name))
    if numbers is None or facts.filled < 3:
        return False
    coded = meaning is not None and meaning.is_number is False
    if facts.distinct == 2 and (coded or (numbers.whole and numbers.low >= -1 and numbers.high <= 2)):
        return True  # a flag, such as 0 and 1, or one that somebody has scaled
    if not numbers.whole or numbers.low < -99:
        return False
    if coded:
        return facts.distinct <= FEW or (facts.distinct <= MOST_CODES and facts.unique_share < 0.5)
    if words & words_for("codes") and not words & words_for("measures"):
        return facts.distinct <= MOST_CODES and facts.unique_share < 0.5
    if (meaning is not None and meaning.is_number) or words & words_for("measures"):
        return False
    usual = [value for value in numbers.values.tolist() if value not in SIGNS and value > -1]
    if not usual or facts.distinct > FEW or facts.filled < 3 * facts.distinct:
        return False
    # Codes begin at 0 or 1, and leave hardly any number out. Years at school look alike, but there are more of them.
    highest = HIGHEST_LEVEL if meaning is not None and meaning.name == "schooling" else HIGHEST_CODE
    return usual[0] <= 1 and usual[-1] <= highest and usual[-1] - usual[0] < 2 * len(usual)


def widths_for(facts: Facts) -> tuple[float, ...]:
    """A round width that cuts the range into about twenty intervals, then twice and four times that; or nothing.

    No interval is narrower than two steps between numbers, since such a one would hide nothing.
    """
    numbers = facts.numbers
    if numbers is None or facts.distinct < 4 or not numbers.span > 0:
        return ()
    wanted = max(numbers.span / INTERVALS, 2 * numbers.resolution)
    if not math.isfinite(wanted) or wanted * 2 > numbers.span:
        return ()
    scale = 10.0 ** math.floor(math.log10(wanted))
    width = next(step * scale for step in (1, 2, 5, 10) if step * scale >= wanted * (1 - 1e-9))
    widths = tuple(float(f"{width * times:.6g}") for times in (1, 2, 4) if width * times < numbers.span)
    try:
        Intervals(widths).build([str(numbers.low), str(numbers.high)])
    except (PolicyError, HierarchyError):
        return ()
    return widths
