"""The levels that groups reach in all measures of how private values spread."""

from kspan.data.groups import Counts
from kspan.privacy import REQUIREMENTS, OnPrivate, RecursiveCL


def measured(counts: Counts, *, everybody: bool = True) -> dict[str, float | list[float]]:
    """Return the level that groups reach in each measure of how one private attribute spreads.

    Without `everybody`, the values of all people are not known, so measures that compare groups with them are left out.
    """
    reached: dict[str, float | list[float]] = {}
    for key, kind in REQUIREMENTS.items():
        if issubclass(kind, OnPrivate) and (everybody or not kind.beside_everybody):
            loosest = kind.loosest(counts)
            level = loosest.reached(counts)
            # (c, l)-diversity has two parameters: c is the level, for the l that is reached.
            reached[key] = [level, float(loosest.l)] if isinstance(loosest, RecursiveCL) else level
    return reached
