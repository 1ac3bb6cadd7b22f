"""Numbers of people in documents: do those of parts add up to the whole?"""

import math
from collections.abc import Sequence
from typing import Any

from kspan.model.checks import Place
from kspan.model.outcome import whole

MOST_PEOPLE = 2**53
"""Every whole number up to here survives as a float, whichever program reads it."""
SLACK = 1e-3
"""How far sums of rounded fractions may be off, absolute or relative; whole numbers add up exactly."""


def adds_up(own: float, below: Sequence[float]) -> bool:
    """Do the parts add up to the whole? Exactly, if all are whole numbers; else within `SLACK`.

    >>> adds_up(3, (1, 2)), adds_up(3, (1, 1)), adds_up(1, (0.333333, 0.666666))
    (True, False, True)
    """
    total = sum(below)
    if total == own:
        return True
    broken = any(isinstance(one, float) for one in (own, *below))
    return broken and math.isclose(total, own, rel_tol=SLACK, abs_tol=SLACK)


def read_people(place: Place, what: str, found: Any) -> float:
    """Read a number of people, perhaps with a fraction."""
    # The type is compared, since a boolean is an int; NaN fails the comparison.
    if type(found) not in (int, float) or not 0 <= found <= MOST_PEOPLE:
        place.refuse(f"{what} must be a number of people, from 0 to 2^53")
    return whole(found)
