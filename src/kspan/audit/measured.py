"""What groups reach in every measure."""

from kspan.data.groups import Counts
from kspan.privacy import REQUIREMENTS, OnPrivate, RecursiveCL


def measured(counts: Counts) -> dict[str, float | list[float]]:
    """What groups reach in every measure of the spread of one private attribute."""
    reached: dict[str, float | list[float]] = {}
    for key, kind in REQUIREMENTS.items():
        if issubclass(kind, OnPrivate):
            loosest = kind.loosest(counts)
            level = loosest.reached(counts)
            reached[key] = [level, float(loosest.l)] if isinstance(loosest, RecursiveCL) else level
    return reached
