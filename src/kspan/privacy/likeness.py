"""Groups in which no private value is much more likely than among everybody."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats
from kspan.data.groups import Counts
from kspan.errors import check_number
from kspan.privacy.requirement import SLACK, OnPrivate

MOST_SQUARED = 3_000_000_000
"""With more people than this, products of two counts may not fit into 64 bits, and floats have to do."""


@dataclass(frozen=True)
class BasicBeta(OnPrivate):
    """The share of a private value in a group exceeds its share overall by at most beta times that (Cao, Karras 2012).

    >>> BasicBeta(1.0).level(Counts.of([[2, 0], [1, 3]])).round(2).tolist()
    [1.0, 0.5]
    """

    key: ClassVar[str] = "basic_beta"
    beside_everybody: ClassVar[bool] = True

    beta: float

    def check_parameters(self) -> None:
        """Refuse a beta that is no relative gain of at least 0."""
        check_number(self.key, self.beta, low=0)

    def level(self, counts: Counts) -> Floats:
        """The largest relative gain of a value in each group over its share overall."""
        largest: Floats = np.maximum(counts.max(relative_gain(counts)), 0.0)
        return largest

    def admits(self, level: Floats) -> Bools:
        """Levels of at most beta are good enough."""
        return level <= self.beta

    def promise(self, what: str) -> str:
        """What it means for people."""
        return f"No value of {what} is more than {1 + self.beta:g} times as common in a crowd as among everybody."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With an infinite beta any gain will do."""
        return cls(np.inf)


@dataclass(frozen=True)
class EnhancedBeta(BasicBeta):
    """Basic beta-likeness, where the gain of a value is also at most -ln of its share overall (Cao, Karras 2012)."""

    key: ClassVar[str] = "enhanced_beta"

    def level(self, counts: Counts) -> Floats:
        """The largest relative gain in each group; infinite if one is above what the value's share overall allows."""
        gain = relative_gain(counts)
        limit = -np.log(counts.whole[counts.value] / counts.whole.sum())
        largest: Floats = np.maximum(counts.max(np.where(gain > limit + SLACK, np.inf, gain)), 0.0)
        return largest

    def promise(self, what: str) -> str:
        """What it means for people."""
        frequent = "and less where the value is frequent anyway"
        return f"{super().promise(what)[:-1]}, {frequent}."


@dataclass(frozen=True)
class DeltaDisclosure(OnPrivate):
    """In every group, each private value is commoner or rarer than overall by a factor of less than e^delta.

    |ln(share / share overall)| < delta for every value (Brickell, Shmatikov 2008): a group that lacks one breaks it.
    """

    key: ClassVar[str] = "delta"
    beside_everybody: ClassVar[bool] = True

    delta: float

    def check_parameters(self) -> None:
        """Refuse a delta that is no distance of at least 0."""
        check_number(self.key, self.delta, low=0)

    def level(self, counts: Counts) -> Floats:
        """The largest distance between the logarithms of the two shares in each group."""
        # The shares divided are 1 + gain.
        distance = counts.max(np.abs(np.log1p(relative_gain(counts))))
        lacks_one = counts.distinct < (counts.whole > 0).sum()
        return np.where(lacks_one, np.inf, distance)

    def admits(self, level: Floats) -> Bools:
        """Levels below delta are good enough."""
        return level < self.delta

    def promise(self, what: str) -> str:
        """What it means for people."""
        factor = f"{math.exp(self.delta):.3g}"
        return f"Every value of {what} is less than {factor} times commoner or rarer in a crowd than among everybody."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With an infinite delta any distance will do."""
        return cls(np.inf)


def relative_gain(counts: Counts) -> Floats:
    """For each entry, (share in the group - share overall) / share overall, exact up to the last division."""
    everybody = counts.whole.sum()
    kind = np.int64 if everybody <= MOST_SQUARED else np.float64
    people: NDArray[Any] = counts.people.astype(kind)
    expected: NDArray[Any] = counts.whole[counts.value].astype(kind) * counts.sizes[counts.group]
    # Both shares times the size of the group and the number of all people, so that they are whole numbers.
    gain: Floats = (people * everybody - expected) / expected
    return gain
