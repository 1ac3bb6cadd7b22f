"""Where learners cut the numbers of a column, released or raw, into bins."""

from typing import Annotated

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.expected import likely, spoken
from kspan.data.general import General
from kspan.induce.released.examples import Examples
from kspan.induce.released.label_cuts import label_cuts
from kspan.options import Within

Bins = Annotated[int, Within(1, 1e6)]


def expected_people(people: Examples, column: General, likelihood: str) -> Floats:
    """How many people of each label have each value, in fractions."""
    counts = spoken(column, people.counts(column))
    return column.expected(counts, likely(column, counts, likelihood))


def cut_places(each: Floats, numbers: str, bins: int) -> Int64s:
    """The places after which to cut numbers, by label or into even bins; `each` has people by number and label."""
    if not each.sum():
        return np.zeros(0, np.int64)
    return label_cuts(each) if numbers == "by-label" else _even_cuts(each, bins)


def cuts_after(column: General, places: Int64s) -> tuple[float, ...]:
    """Halfway between the numbers on both sides of each place."""
    values = column.values.astype(np.float64)
    # Halved first, because the sum of two very large numbers would overflow.
    cuts: Floats = values[places] / 2 + values[places + 1] / 2
    return tuple(cuts.tolist())


def _even_cuts(each: Floats, bins: int) -> Int64s:
    """The places at which each further share of the people is complete; after the last place there is no cut."""
    below = np.cumsum(each.sum(axis=1))
    wanted = below[-1] * np.arange(1, bins) / bins
    # A little less is wanted, so that rounding does not move a cut to the next place.
    ends = np.unique(np.searchsorted(below, wanted - 1e-9 * below[-1], side="left"))
    return ends[ends < len(below) - 1]
