"""Diversity of private values in every group (Machanavajjhala et al. 2006), and bounds on the commonest value."""

import json
import math
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from kspan.data.alike import look
from kspan.data.arrays import Bools, Floats
from kspan.data.cells import SUPPRESSED, number_text
from kspan.data.groups import Counts
from kspan.data.table import MISSING_LABEL
from kspan.errors import PolicyError, check_number
from kspan.privacy.requirement import SLACK, OnPrivate, quoted


@dataclass(frozen=True)
class DistinctL(OnPrivate):
    """Every group shows at least l different private values.

    >>> DistinctL(2).level(Counts.of([[3, 0], [1, 2]])).tolist()
    [1.0, 2.0]
    """

    key: ClassVar[str] = "distinct_l"
    safer_up: ClassVar[bool] = True

    l: int  # noqa: E741

    def check_parameters(self) -> None:
        """Refuse an l that is no whole number of at least 1."""
        check_number(self.key, self.l, low=1, whole=True)
        object.__setattr__(self, "l", int(self.l))

    def level(self, counts: Counts) -> Floats:
        """The number of different values in each group."""
        return counts.distinct.astype(np.float64)

    def admits(self, level: Floats) -> Bools:
        """Levels of at least l are good enough."""
        return level >= self.l

    def promise(self, what: str) -> str:
        """What it means for people."""
        return f"Every crowd has at least {self.l:,} different values of {what}."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """Every group has at least one value."""
        return cls(1)


@dataclass(frozen=True)
class EntropyL(OnPrivate):
    """The entropy of the private values of every group is at least log l.

    To deny inference of one of two labels with confidence above 85% takes l = 1.526 (Friedman et al. 2008, 6.3):

    >>> round(float(EntropyL(1.0).level(Counts.of([[85, 15]]))[0]), 3)
    1.526
    """

    key: ClassVar[str] = "entropy_l"
    safer_up: ClassVar[bool] = True

    l: float  # noqa: E741

    def check_parameters(self) -> None:
        """Refuse an l below 1, since entropy is never below log 1."""
        check_number(self.key, self.l, low=1)

    def level(self, counts: Counts) -> Floats:
        """How many equally frequent values would have the entropy of each group."""
        share = counts.people / counts.sizes[counts.group]
        effective: Floats = np.exp(-counts.sum(share * np.log(share)))
        return effective

    def admits(self, level: Floats) -> Bools:
        """Levels of at least l are good enough."""
        enough: Bools = np.log(level) >= math.log(self.l) - SLACK
        return enough

    def promise(self, what: str) -> str:
        """What it means for people."""
        return f"In every crowd {what} is at least as hard to guess as among {self.l:g} equally common values."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With l = 1 any entropy will do."""
        return cls(1.0)


@dataclass(frozen=True)
class RecursiveCL(OnPrivate):
    """In every group, fewer people have the commonest value than c times those from the l-th commonest value on.

    (c, l)-diversity of Machanavajjhala et al. 2006. In the pattern <5, 3, 1> the tail from the third value on is 1:

    >>> RecursiveCL(3, 3).holds_for(Counts.of([[5, 3, 1], [2, 1, 1]])).tolist()
    [False, True]
    """

    key: ClassVar[str] = "recursive_cl"

    c: float
    l: int  # noqa: E741

    def check_parameters(self) -> None:
        """Refuse a c below 0, and an l that is no whole number of at least 1."""
        check_number("c of recursive_cl", self.c, low=0)
        check_number("l of recursive_cl", self.l, low=1, whole=True)
        object.__setattr__(self, "l", int(self.l))

    @property
    def assumed_distinct(self) -> int:
        """Every group is taken to have l values (Tian et al., Definition 11)."""
        return self.l

    def level(self, counts: Counts) -> Floats:
        """The count of the commonest value over that of the tail from the l-th value on; infinite without a tail."""
        # Entries of a group stay together, the commonest first, so that `place` is the rank of a value in its group.
        order = np.lexsort((-counts.people, counts.group))
        place = np.arange(len(order)) - counts.start[counts.group]
        tail = counts.sum(np.where(place >= self.l - 1, counts.people[order], 0))
        with np.errstate(divide="ignore"):
            ratio: Floats = counts.majority / tail
        return ratio

    def admits(self, level: Floats) -> Bools:
        """Levels below c are good enough."""
        return level < self.c

    def promise(self, what: str) -> str:
        """What it means for people."""
        if self.l == 1:
            return f"In every crowd the commonest {what} is rarer than {self.c:g} times all values together."
        rest = "all others" if self.l == 2 else f"all from the {_ordinal(self.l)} commonest on"
        return f"In every crowd the commonest {what} is rarer than {self.c:g} times {rest} together."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """Any c, with l as many values as every group has."""
        return cls(np.inf, int(counts.distinct.min()))


@dataclass(frozen=True)
class SimpleL(OnPrivate):
    """No private value has more than 1/l of any group (Tian et al., Definition 3).

    >>> SimpleL(2).level(Counts.of([[3, 1], [2, 2]])).tolist()
    [1.3333333333333333, 2.0]
    """

    key: ClassVar[str] = "simple_l"
    safer_up: ClassVar[bool] = True

    l: float  # noqa: E741

    def check_parameters(self) -> None:
        """Refuse an l below 1, since a share of 1/l cannot be more than all."""
        check_number(self.key, self.l, low=1)

    def level(self, counts: Counts) -> Floats:
        """One over the share of the commonest value of each group."""
        return counts.sizes / counts.majority

    def admits(self, level: Floats) -> Bools:
        """Levels of at least l are good enough."""
        return level >= self.l

    def promise(self, what: str) -> str:
        """What it means for people."""
        return f"No value of {what} belongs to more than {_percent(1 / self.l)} of a crowd."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With l = 1 a value may have all of a group."""
        return cls(1.0)


@dataclass(frozen=True)
class Confidence(OnPrivate):
    """Nobody's private value can be told with more than this confidence (Friedman et al. 2008, 6.3).

    >>> Confidence(0.85).holds_for(Counts.of([[17, 3], [18, 2]])).tolist()
    [True, False]

    With a `value` it is about that value of one attribute alone, and all others are free (Wang, Fung, Yu 2005):

    >>> from kspan.data.having import Having
    >>> counts = Counts.of([[17, 3], [3, 2]], having=Having.labels("flu", "hiv"))
    >>> Confidence(0.2, on="illness", value="hiv").holds_for(counts).tolist()
    [True, False]
    """

    key: ClassVar[str] = "confidence"

    bound: float
    value: str | None = field(default=None, kw_only=True)

    def check_parameters(self) -> None:
        """Refuse a bound that is no share from 0 to 1, and a value that is none or belongs to no one attribute."""
        check_number(self.key, self.bound, low=0, high=1)
        if self.value is not None:
            self._check_value(self.value)

    def _check_value(self, value: object) -> None:
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = number_text(value)
            object.__setattr__(self, "value", value)
        if not isinstance(value, str):
            raise PolicyError(f"the value of {self.key} must be text or a number, not {value!r:.40}")
        if len(self.on) != 1:
            raise PolicyError(f"{self.key} of the value {value!r:.40} needs the one attribute that has it: name it")
        if look(value) in ("", SUPPRESSED):
            raise PolicyError(
                f"{self.key} of {self.on[0]!r} names the value {value!r}, which is none: for people without a value "
                f"write {MISSING_LABEL!r}"
            )

    @property
    def only_value(self) -> str | None:
        """The one value that it is about, if there is one."""
        return self.value

    @property
    def subject(self) -> str:
        """Its text up to the bound: a value stands behind its attribute, in quotes."""
        if self.value is None:
            return super().subject
        return f"{self.key}[{quoted(self.on[0])}={json.dumps(self.value, ensure_ascii=False)}]"

    def level(self, counts: Counts) -> Floats:
        """The share of the one value in each group or, without one, of the commonest: the attacker's best guess."""
        people = counts.majority if self.value is None else counts.people_with(self.value)
        return people / counts.sizes

    def admits(self, level: Floats) -> Bools:
        """Levels of at most the bound are good enough."""
        return level <= self.bound

    def promise(self, what: str) -> str:
        """What it means for people."""
        if self.value is not None:
            told = f"that {what} is {json.dumps(self.value, ensure_ascii=False)}"
            return f"Of nobody can it be guessed with more than {_percent(self.bound)} certainty {told}."
        return f"Nobody's {what} can be guessed with more than {_percent(self.bound)} certainty."

    @classmethod
    def loosest(cls, counts: Counts) -> Self:
        """With a bound of 1 even certainty will do."""
        return cls(1.0)


@dataclass(frozen=True)
class Alpha(Confidence):
    """No private value has more than a share alpha of a group: with k, (alpha, k)-anonymity (Wong et al. 2006)."""

    key: ClassVar[str] = "alpha"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _ordinal(number: int) -> str:
    """Write a place in an order.

    >>> _ordinal(3), _ordinal(12), _ordinal(21)
    ('3rd', '12th', '21st')
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 % 10 != 1 else 0, "th")
    return f"{number}{ending}"
