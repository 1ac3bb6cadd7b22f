"""The levels that groups reach in all measures of how private values spread."""

from collections.abc import Mapping, Sequence
from typing import Any

from kspan.data.groups import Counts
from kspan.privacy import REQUIREMENTS, OnPrivate, RecursiveCL


def measured(counts: Counts, *, everybody: bool = True) -> dict[str, float | list[float]]:
    """Return the level that groups reach in each measure of how one private attribute spreads.

    Without `everybody`, the values of all people are not known, so measures that compare groups with them are left out.
    """
    reached: dict[str, float | list[float]] = {}
    for key, kind in REQUIREMENTS.items():
        if not issubclass(kind, OnPrivate) or not kind.fits(counts):
            continue
        if everybody or not kind.beside_everybody:
            loosest = kind.loosest(counts)
            level = loosest.reached(counts)
            # (c, l)-diversity has two parameters: c is the level, for the l that is reached.
            reached[key] = [level, float(loosest.l)] if isinstance(loosest, RecursiveCL) else level
    return reached


def worst(reached: Sequence[Mapping[str, float | list[float]]]) -> dict[str, float | list[float]]:
    """Return the worst of several levels that each measure reaches."""
    return {key: _worst(key, [each[key] for each in reached]) for key in reached[0]}


def _worst(key: str, levels: list[Any]) -> Any:
    kind = REQUIREMENTS[key]
    if isinstance(levels[0], list):  # c for an l: the fewest values come first
        return max(levels, key=lambda pair: (-pair[1], pair[0]))
    return min(levels) if issubclass(kind, OnPrivate) and kind.safer_up else max(levels)
