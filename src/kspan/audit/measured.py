"""What groups reach in every measure."""

from kspan.data.groups import Counts
from kspan.privacy import REQUIREMENTS, OnPrivate, RecursiveCL


def measured(counts: Counts, *, everybody: bool = True) -> dict[str, float | list[float]]:
    """What groups reach in every measure of the spread of one private attribute.

    Where the values of `everybody` are not known, those measures are left out that compare groups with them.
    """
    reached: dict[str, float | list[float]] = {}
    for key, kind in REQUIREMENTS.items():
        if issubclass(kind, OnPrivate) and (everybody or not kind.beside_everybody):
            loosest = kind.loosest(counts)
            level = loosest.reached(counts)
            reached[key] = [level, float(loosest.l)] if isinstance(loosest, RecursiveCL) else level
    return reached
