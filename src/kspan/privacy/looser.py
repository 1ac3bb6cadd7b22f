"""What could be asked instead of a requirement that cannot be met."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from kspan.data.groups import Counts
from kspan.privacy.k_anonymity import KAnonymity
from kspan.privacy.requirement import OnPrivate, Requirement

STEPS = 64
"""How many levels are tried between what is asked and what asks nothing, if these are not whole numbers."""
MOST_TIMES = 1e6
"""A parameter without an upper end is raised to at most so many times what is asked."""
NOBODY_DIFFERS = Counts.of([[1]])
"""One person with one value: the loosest requirement for this group is the loosest of all."""


def best_reachable(requirement: Requirement, works: Callable[[Requirement], bool]) -> list[Requirement]:
    """The requirements that work if one part is lowered as little as possible, one for each part where that helps.

    How far is found by bisection, on the assumption that what works still works when it is lowered further.

    >>> from kspan.privacy.spec import parse
    >>> print(*best_reachable(parse("k=100"), lambda asked: asked.k <= 37))
    k=37
    """
    found = []
    for place, part in enumerate(requirement.parts):
        around = [list(requirement.parts[:place]), list(requirement.parts[place + 1 :])]
        for ladder in _looser(part):
            asked = [reduce(and_, [*around[0], lower, *around[1]]) for lower in ladder]
            if (first := _first(asked, works)) is not None:
                found.append(first)
                break
    return found


def _first(asked: Sequence[Requirement], works: Callable[[Requirement], bool]) -> Requirement | None:
    """The first requirement that works, among some that ask less and less; None if none does."""
    if not asked or not works(asked[-1]):
        return None
    low, high = 0, len(asked) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if works(asked[middle]) else (middle + 1, high)
    return asked[low]


def _looser(part: Requirement) -> Sequence[Sequence[Requirement]]:
    """The ways to lower a requirement: for each parameter a list that asks less and less, down to its loose end."""
    if isinstance(part, KAnonymity):
        return [[KAnonymity(k) for k in range(part.k - 1, 0, -1)]]
    if not isinstance(part, OnPrivate):
        return []
    end = type(part).loosest(NOBODY_DIFFERS)
    ladders = []
    for name in part.parameters:
        changes: list[dict[str, Any]] = [{name: level} for level in _levels(getattr(part, name), getattr(end, name))]
        ladders.append([replace(part, **change) for change in changes])
    return ladders


def _levels(asked: float, end: float) -> list[float]:
    """Levels of a parameter after the one that is asked, to its loose end or, without one, far enough out."""
    if isinstance(asked, int) and not math.isinf(end):
        return list(range(asked - 1, int(end) - 1, -1))
    if math.isinf(end):  # times a factor, for which an asked 0 needs a start
        return [_short((asked or 1 / STEPS) * times) for times in np.geomspace(1, MOST_TIMES, STEPS + 1)[1:]]
    return [_short(level) for level in np.linspace(asked, end, STEPS + 1)[1:]]


def _short(level: float) -> float:
    """Round a level to few digits."""
    return float(f"{level:.3g}")
