"""Is what is told of distributions true of the released people, and is every figure about a crowd of them?"""

import math
from collections.abc import Mapping

from kspan.data.cells import number
from kspan.data.table import Column, Table
from kspan.model.distributions import Distribution, Distributions, NumberShare, WordShare
from kspan.policy import Policy

MOST_STEPS = 50
"""A step is round enough if it is a round number of which at most so many fit between the ends of the numbers."""
CLOSE = 1e-9


def broken_distributions(told: Distributions, table: Table, policy: Policy) -> list[str]:
    """Return the attributes whose distribution is not that of these people, or tells of fewer people than it may.

    Only public attributes may be told at all.
    """
    if told.requirement != str(policy.require) or told.people != table.rows:
        return [each.name for each in told.attributes]
    k = max(policy.require.crowd, 1)
    return [
        each.name
        for each in told.attributes
        if each.name not in policy.public or each.name not in table.columns or not _holds(each, table[each.name], k)
    ]


def _holds(told: Distribution, column: Column, k: int) -> bool:
    counts = _counted(column)
    found = [0] * len(told.shares)
    for value, people in counts.items():
        at = _share_of(value, told, column)
        if at is None:
            return False
        found[at] += people
    if any(share.people != people or people < k for share, people in zip(told.shares, found, strict=True)):
        return False
    named = {word for share in told.shares if isinstance(share, WordShare) for word in share.values}
    return named <= counts.keys() and _ends_hold(told, counts, k)


def _counted(column: Column) -> dict[str | None, int]:
    """Return how many people show each value; None for those of whom no value is told."""
    counts: dict[str | None, int] = {}
    for code in column.codes.tolist():
        value = column.label(code) if code < len(column.values) else None
        counts[value] = counts.get(value, 0) + 1
    return counts


def _share_of(value: str | None, told: Distribution, column: Column) -> int | None:
    """Return the one share that a value is in; None if there is none, or several."""
    if value is None:
        places = [place for place, share in enumerate(told.shares) if share.missing]
    elif any(isinstance(share, WordShare) == column.is_measured for share in told.shares):
        return None
    elif not column.is_measured:
        places = [
            place for place, share in enumerate(told.shares) if isinstance(share, WordShare) and value in share.values
        ]
    else:
        places = _places(float(value), told)
    return places[0] if len(places) == 1 else None


def _places(value: float, told: Distribution) -> list[int]:
    shares = [(place, share) for place, share in enumerate(told.shares) if isinstance(share, NumberShare)]
    own = [place for place, share in shares if share.is_single and share.has(value)]
    return own or [place for place, share in shares if share.has(value)]


def _ends_hold(told: Distribution, counts: Mapping[str | None, int], k: int) -> bool:
    """Tell whether each end of a range is a number that a crowd has, or a round one."""
    numbers = {found: people for value, people in counts.items() if value and (found := number(value)) is not None}
    for share in told.shares:
        if not isinstance(share, NumberShare) or share.is_single:
            continue
        for end in (share.low, share.high):
            if end is not None and numbers.get(end, 0) < k and not _is_round(end, told.step, list(numbers)):
                return False
    return True


def _is_round(end: float, step: float | None, numbers: list[float]) -> bool:
    """Is it a multiple of a coarse step, or a number of two digits before zeros, the second of which is 0 or 5?"""
    digits, _, _ = f"{abs(end):.15e}".partition("e")
    if digits[3:].strip("0") == "" and digits[2] in "05":
        return True
    if step is None or not numbers or (max(numbers) - min(numbers)) / step > MOST_STEPS:
        return False
    first = float(f"{step:e}".partition("e")[0])
    near = round(end / step) * step
    return first in (1.0, 2.0, 5.0) and math.isclose(end, near, rel_tol=CLOSE, abs_tol=step * CLOSE)
