"""Grids: round numbers at which ranges may end, whoever the people in them are."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.cells import number_text
from kspan.data.kinds.calendar import Calendar
from kspan.data.kinds.kind import Kind
from kspan.errors import PolicyError, check_number, did_you_mean
from kspan.limits import LARGEST_NUMBER

FACTORS = (1, 2, 5)
FINEST = 1e-6
"""The first grid that is tried cuts the range into about a million cells."""
MOST_DIGITS = 300
MOST_ROUND = 17
"""A number that is told apart by no fewer digits is not round."""

Numbers = NDArray[Any]


class Grid(ABC):
    """Cuts all numbers into cells."""

    @abstractmethod
    def __str__(self) -> str: ...

    @abstractmethod
    def cells(self, values: Numbers) -> tuple[Numbers, Numbers, bool]:
        """The ends of the cell of each value, and whether the upper one belongs to the next cell."""


@dataclass(frozen=True)
class Multiples(Grid):
    """The multiples of a number.

    >>> low, high, _ = Multiples(5).cells(np.array([37, 40, -1]))
    >>> low.tolist(), high.tolist()
    ([35, 40, -5], [40, 45, 0])
    >>> Multiples(0.1).cells(np.array([0.3, 0.25]))[0].tolist()
    [0.3, 0.2]
    """

    step: int | float

    def __str__(self) -> str:
        return f"multiples of {number_text(self.step)}"

    def cells(self, values: Numbers) -> tuple[Numbers, Numbers, bool]:
        """From one multiple up to the next."""
        if isinstance(self.step, int) and values.dtype.kind in "iu":
            # Of very large numbers, the next multiple may not fit: then as Python has them.
            fits = max(abs(int(values.min())), abs(int(values.max())), self.step) < 1 << 61
            low = values.astype(np.int64 if fits else object) // self.step * self.step
            return low, low + self.step, True
        numbers = values.astype(np.float64)
        place = np.floor(numbers / self.step)
        # Quotients are rounded: 0.3 / 0.1 is less than 3.
        place += self._multiple(place + 1) <= numbers
        place -= self._multiple(place) > numbers
        return self._multiple(place), self._multiple(place + 1), True

    def _multiple(self, place: Numbers) -> Numbers:
        digits = max(0, 2 - math.floor(math.log10(self.step)))
        return np.round(place * self.step, min(digits, MOST_DIGITS)) + 0.0


@dataclass(frozen=True)
class PartsOfCalendar(Grid):
    """Months, years and the like."""

    part: str
    kind: Calendar

    def __str__(self) -> str:
        return f"ends of {'' if self.part[0].isdigit() else 'a '}{self.part}"

    def cells(self, values: Numbers) -> tuple[Numbers, Numbers, bool]:
        """From the first to the last day or moment of the part that each is in."""
        ends = [self.kind.part(value, self.part) for value in values.tolist()]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends]), False


def grids(kind: Kind, values: Numbers) -> Iterator[Grid]:
    """Yield the grids of a kind that make sense for some numbers, the finest first, the coarsest last."""
    if isinstance(kind, Calendar):
        yield from (PartsOfCalendar(part, kind) for part in kind.parts)
        return
    least, most = float(values.min()), float(values.max())
    size, whole = max(abs(least), abs(most)) or 1.0, values.dtype.kind in "iu" or bool((values % 1 == 0).all())
    finest = max((most / 2 - least / 2) * 2 * FINEST, size * FINEST**2, 1.0 if whole else 0.0)
    for power in range(math.floor(math.log10(finest)), math.ceil(math.log10(size)) + 2):
        for factor in FACTORS[1:] if whole and power == 0 else FACTORS:  # multiples of 1 hide no whole number
            yield Multiples(factor * 10**power if whole else float(f"{factor}e{power}"))


def coarser(grid: Grid, most: float) -> Iterator[Grid]:
    """Yield a grid and coarser ones, all of whose ends are among its own, up to one with a step of `most`.

    >>> [str(each) for each in coarser(Multiples(2), 90)]
    ['multiples of 2', 'multiples of 4', 'multiples of 10', 'multiples of 20', 'multiples of 50', 'multiples of 100']
    >>> [str(each) for each in coarser(Multiples(0.5), 4)]
    ['multiples of 0.5', 'multiples of 1', 'multiples of 2', 'multiples of 5']
    """
    yield grid
    if isinstance(grid, PartsOfCalendar):
        parts = grid.kind.parts
        yield from (PartsOfCalendar(part, grid.kind) for part in parts[parts.index(grid.part) + 1 :])
        return
    assert isinstance(grid, Multiples)
    digits, exponent = f"{grid.step:.0e}".split("e")
    factor, power, step = int(digits), int(exponent), float(grid.step)
    following = {1: 2, 2: 5, 5: 10}
    if factor == 2:  # 5 is no multiple of it
        following = {2: 4, 4: 10}
    while step < most:
        factor = following[factor]
        if factor == 10:
            factor, power, following = 1, power + 1, {1: 2, 2: 5, 5: 10}
        step = float(f"{factor}e{power}")
        yield Multiples(factor * 10**power if power >= 0 else step)


def roundest(kind: Kind, low: float, high: float) -> float:
    """The roundest number of a kind from `low` on that is below `high`, near their middle; of dates an end of a part.

    It tells less of two people than the middle of their numbers would.

    >>> from kspan.data.kinds.numbers import NUMBERS
    >>> roundest(NUMBERS, 5013, 5178), roundest(NUMBERS, 39, 40), roundest(NUMBERS, 0.137, 0.1512)
    (5100.0, 39.0, 0.15)
    >>> roundest(NUMBERS, -3, 8), roundest(NUMBERS, 51377, 99999)
    (0.0, 80000.0)
    """
    if isinstance(kind, Calendar):
        ends = (float(kind.part(low, part)[1]) for part in reversed(kind.parts))
        # Where no part ends, a day or moment between both is neither's own.
        return next((end for end in ends if low <= end < high), float(max(math.floor(low / 2 + high / 2), low)))
    middle = low / 2 + high / 2
    size = max(abs(low), abs(high))
    for power in range(math.floor(math.log10(size)) + 1, math.floor(math.log10(size)) - MOST_ROUND, -1):
        for factor in reversed(FACTORS):
            place = math.floor(middle / float(f"{factor}e{power}"))
            found = [float(f"{each * factor}e{power}") for each in (place, place + 1)]
            if there := [each for each in found if low <= each < high]:
                return min(there, key=lambda each: abs(each - middle))  # called here
    return float(low)


def has_round(kind: Kind, low: float, high: float, step: float) -> bool:
    """Is there a number from `low` on and below `high` that is as round as some step, or rounder?

    >>> from kspan.data.kinds.numbers import NUMBERS
    >>> has_round(NUMBERS, 23222.89, 23222.9, 50), has_round(NUMBERS, 23180, 23222.9, 50)
    (False, True)
    """
    if isinstance(kind, Calendar):
        parts = [kind.part(low, part) for part in kind.parts]
        return step <= 1 or any(low <= end < high and end - begin >= step for begin, end in parts)
    if step <= 0:
        return True
    power = math.floor(math.log10(step))
    factor = next((each for each in FACTORS if float(f"{each}e{power}") >= step), 10)
    round_step = float(f"{factor}e{power}")
    return math.ceil(low / round_step) * round_step < high


def declared_grid(name: str, kind: Kind, says: Any) -> Grid:
    """Return the grid that a policy declares for a column; refuse one that its kind does not have."""
    if isinstance(kind, Calendar):
        if says not in kind.parts:
            raise PolicyError(
                f"the grid of {name!r} cannot be {says!r:.40}{did_you_mean(str(says), kind.parts)}: use one of "
                f"{', '.join(kind.parts)}"
            )
        return PartsOfCalendar(says, kind)
    check_number(f"the grid of {name!r}", says, low=0, high=LARGEST_NUMBER)
    if not says:
        raise PolicyError(f"the grid of {name!r} is 0: give the step between its numbers, such as 5")
    return Multiples(int(says) if float(says).is_integer() else float(says))
