"""Requirements on private numbers: how far apart those of a crowd are, and whether their sum tells the largest."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from kspan.data.arrays import Bools, Floats
from kspan.data.groups import Counts
from kspan.errors import check_number
from kspan.privacy.requirement import SLACK, OnPrivate


@dataclass(frozen=True)
class OnNumbers(OnPrivate):
    """A requirement that needs the numbers themselves, not only how often each occurs; missing ones do not count."""

    needs: ClassVar[str] = "numbers"
    safer_up: ClassVar[bool] = True
    is_of_sums: ClassVar[bool] = False
    """Is it about what a sum or a mean tells, so that it is asked of all people of whom one is told?"""

    @classmethod
    def fits(cls, counts: Counts) -> bool:
        """Are the values numbers?"""
        return counts.numbers is not None

    def numbers(self, counts: Counts) -> Floats:
        """The number of each entry; not a number for a missing or suppressed one."""
        assert counts.numbers is not None
        return counts.numbers[counts.value]


@dataclass(frozen=True)
class Range(OnNumbers):
    """In every group, the largest and the smallest number are at least e apart.

    With distinct_l = k it is (k, e)-anonymity (Zhang, Koudas, Srivastava, Yu 2007).

    >>> salaries = np.array([30, 35, 60, 80], float)
    >>> Range(40).level(Counts.of([[1, 0, 2, 0], [0, 1, 0, 1]], ordered=True, numbers=salaries)).tolist()
    [30.0, 45.0]
    """

    key: ClassVar[str] = "range"

    e: float

    def check_parameters(self) -> None:
        """Refuse an e below 0."""
        check_number(self.key, self.e, low=0)

    def level(self, counts: Counts) -> Floats:
        """How far the numbers of each group are apart; 0 where nobody has one."""
        numbers = self.numbers(counts)
        # The others are ignored, unlike by `maximum`.
        high, low = (end.reduceat(numbers, counts.start[:-1]) for end in (np.fmax, np.fmin))
        apart: Floats = np.nan_to_num(high - low, nan=0.0, posinf=np.inf)
        return apart

    def admits(self, level: Floats) -> Bools:
        """Levels of at least e are good enough."""
        return level >= self.e * (1 - SLACK)

    def promise(self, what: str) -> str:
        """What it means for people."""
        return f"In every crowd the largest and the smallest {what} are at least {self.e:,.15g} apart."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With e = 0 all may have the same number."""
        return cls(0.0)


@dataclass(frozen=True)
class PPercent(OnNumbers):
    """In every group, all but the two largest numbers add up to at least p percent of the largest.

    Otherwise whoever has the second largest, and is told the sum or the mean, knows the largest within p percent: the
    p% rule of statistical offices (Willenborg, de Waal 2001). Merging groups keeps it: of the largest numbers of two
    groups one is the largest of both, and the other is at least not lost, since the group it comes from adds its rest.

    >>> turnover = np.array([1, 2, 10, 40], float)
    >>> PPercent(10).level(Counts.of([[2, 1, 1, 1], [0, 0, 1, 1]], ordered=True, numbers=turnover)).tolist()
    [10.0, 0.0]
    """

    key: ClassVar[str] = "p_percent"
    needs: ClassVar[str] = "numbers from 0 on"
    is_of_sums: ClassVar[bool] = True

    p: float

    def check_parameters(self) -> None:
        """Refuse a p below 0."""
        check_number(self.key, self.p, low=0)

    @classmethod
    def fits(cls, counts: Counts) -> bool:
        """Are the values numbers from 0 on?"""
        return counts.numbers is not None and not bool((counts.numbers < 0).any())

    def level(self, counts: Counts) -> Floats:
        """The percentage of the largest number of each group that the others but the second largest make up."""
        numbers = np.nan_to_num(self.numbers(counts), nan=0.0)
        largest = counts.max(numbers)
        is_largest = numbers == largest[counts.group]
        next_one = counts.max(np.where(is_largest, 0.0, numbers))
        second = np.where(counts.sum(np.where(is_largest, counts.people, 0)) > 1, largest, next_one)
        rest = counts.sum(counts.people * numbers) - largest - second
        # Where all have 0 there is nothing to estimate.
        level: Floats = np.divide(100 * rest, largest, out=np.full(len(largest), np.inf), where=largest > 0)
        return level

    def admits(self, level: Floats) -> Bools:
        """Levels of at least p are good enough."""
        return level >= self.p - SLACK

    def promise(self, what: str) -> str:
        """What it means for people."""
        return (
            f"Whoever has the second largest {what} of a crowd cannot tell the largest from a sum within {self.p:g}%."
        )

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With p = 0 any sum will do."""
        return cls(0.0)
