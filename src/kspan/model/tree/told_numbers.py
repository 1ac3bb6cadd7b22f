"""Reads what the nodes of a document tell of numbers: means add up, and medians lie in their intervals."""

from collections.abc import Sequence
from typing import Any

from kspan.model.checks import Place, number, pair
from kspan.model.outcome import MEANS_AGREE, NumberDisclosure, Numbers
from kspan.model.tree.sums import SLACK, adds_up, read_people


def read_numbers(place: Place, found: Any, kind: NumberDisclosure) -> Numbers:
    """Read how many people came, the mean of their numbers, and what else is disclosed."""
    people = read_people(place, "'people'", found["people"])
    mean = _unless_nobody(place, "'mean'", found["mean"], people)
    if kind == "mean":
        return Numbers(people, mean)
    median = _unless_nobody(place, "'median'", found["median"], people)
    if kind == "median":
        return Numbers(people, mean, median, kind=kind)
    if not people:
        _unless_nobody(place, "'interval'", found["interval"], people)
        return Numbers(people, None, kind=kind)
    low, high = (number(place, "an end of 'interval'", end) for end in pair(place, "'interval'", found["interval"]))
    if median is None or not low <= median <= high:
        place.refuse("'interval' must run from a low end to a high one, and 'median' must lie in it")
    return Numbers(people, mean, median, low, high, kind)


def check_means(place: Place, own: Numbers, below: Sequence[Numbers]) -> None:
    """Refuse edges that do not lead to all the people of a node, or whose means do not make up its own.

    Sums of floating-point numbers depend on their order, so means may be apart by a millionth of what is summed up;
    where there are fractions of people, which are rounded, by as much as these may be.
    """
    if not adds_up(own.people, [one.people for one in below]):
        place.refuse("the 'people' below its edges do not add up to its own")
    totals = [one.people * (one.mean or 0.0) for one in (own, *below)]
    whole = all(isinstance(one.people, int) for one in (own, *below))
    slack = (MEANS_AGREE if whole else SLACK) * sum(map(abs, totals))
    if abs(totals[0] - sum(totals[1:])) > slack:
        place.refuse("the 'mean' of its people is not that of the people below its edges")


def _unless_nobody(place: Place, what: str, found: Any, people: float) -> float | None:
    """Read a number, which is null where nobody came and nowhere else."""
    if people:
        return number(place, what, found)
    return None if found is None else place.refuse(f"{what} is null where nobody came")
