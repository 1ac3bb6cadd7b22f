"""Hierarchies that need no file: intervals, ordered values, prefixes, or whatever fits a column."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kspan.data.cells import SUPPRESSED, number, write_interval, write_set
from kspan.data.hierarchy import Hierarchy, check_size
from kspan.data.kinds.calendar import PARTS, Calendar
from kspan.data.kinds.days import DAYS
from kspan.data.kinds.kind import Kind
from kspan.errors import HierarchyError, PolicyError, check_number
from kspan.limits import LARGEST_NUMBER, LEAST_NUMBER, MOST_LEVELS, MOST_VALUES

MASK = "*"
"""What stands for a lost character of a code, unless the recipe says otherwise."""

MOST_STEPS = 2**50
"""Up to this many intervals away from the origin, floats have enough digits to tell neighbors apart."""


@dataclass(frozen=True)
class Intervals:
    """Numbers in ever wider intervals, each width a multiple of the one before.

    >>> Intervals((5, 20)).build(["17", "23"]).levels
    (('17', '23'), ('[15, 19]', '[20, 24]'), ('[0, 19]', '[20, 39]'), ('*', '*'))
    """

    widths: tuple[float, ...]
    origin: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.widths, tuple) or not self.widths:
            raise PolicyError("the widths of intervals must be a list of numbers, for example [5, 10, 20]")
        if len(self.widths) > MOST_LEVELS:
            raise PolicyError(f"intervals can have at most {MOST_LEVELS} widths: leave some out")
        for width in self.widths:
            check_number("each of the widths of intervals", width, low=LEAST_NUMBER, high=LARGEST_NUMBER)
        check_number("the origin of intervals", self.origin, low=-LARGEST_NUMBER, high=LARGEST_NUMBER)
        for narrow, wide in pairwise(self.widths):
            if wide <= narrow or not math.isclose(wide / narrow, round(wide / narrow)):
                raise PolicyError(
                    f"intervals of {wide} do not nest in intervals of {narrow}: use multiples, as [5, 10, 20]"
                )

    def build(self, values: Sequence[str]) -> Hierarchy:
        """The hierarchy of the values, which must be numbers."""
        numbers = _numbers(values)
        if max(map(abs, (self.origin, *numbers)), default=0) > self.widths[0] * MOST_STEPS:
            raise HierarchyError(
                f"intervals of {self.widths[0]:g} are too narrow for numbers as large as these: use wider ones"
            )
        whole = all(float(value).is_integer() for value in (*numbers, self.origin, *self.widths))
        rows = [
            (text, *(self._interval(value, width, whole) for width in self.widths), SUPPRESSED)
            for text, value in sorted(zip(values, numbers, strict=True), key=lambda pair: pair[1])
        ]
        return Hierarchy.of(rows)

    def _interval(self, value: float, width: float, whole: bool) -> str:
        # Whole numbers stop one short, so that [15, 19] and [20, 24] share no number.
        low = self.origin + width * math.floor((value - self.origin) / width)
        return write_interval(low, low + width - 1 if whole else low + width)


@dataclass(frozen=True)
class Ordered:
    """Values in an order, of which neighbors are merged step by step, `fanout` at a time.

    >>> Ordered(order=("low", "middle", "high")).build(["high", "low", "middle"]).levels[1]
    ('{low|middle}', '{low|middle}', 'high')
    """

    order: tuple[str, ...] = ()
    """The order of the values; if it is empty, numbers are ordered by size and words alphabetically."""
    fanout: int = 2

    def __post_init__(self) -> None:
        check_number("the fanout of ordered values", self.fanout, low=2, whole=True)
        if isinstance(self.order, list):
            object.__setattr__(self, "order", tuple(self.order))
        if not isinstance(self.order, tuple) or not all(isinstance(value, str) for value in self.order):
            raise PolicyError('the order of values must be a list of text, for example ["low", "high"]')
        if len(self.order) > MOST_VALUES:
            raise PolicyError(f"the order of values can list at most {MOST_VALUES:,}: use the file of a hierarchy")

    def build(self, values: Sequence[str]) -> Hierarchy:
        """The hierarchy of the values; if there is an order, it must list all of them."""
        numeric = all(number(value) is not None for value in values)
        order = self.order or tuple(sorted(values, key=lambda value: (number(value) or 0.0) if numeric else value))
        numbers = [number(value) for value in order]
        # Neighbors are named as an interval only where one can be read as such: of numbers that ascend.
        numeric = all(a is not None and b is not None and a <= b for a, b in pairwise([-math.inf, *numbers]))
        levels: list[tuple[str, ...]] = [order]
        runs: list[tuple[int, ...]] = [(place,) for place in range(len(order))]
        while len(runs) > self.fanout:
            batches = (runs[start : start + self.fanout] for start in range(0, len(runs), self.fanout))
            runs = [tuple(place for run in batch for place in run) for batch in batches]
            names = (_name([order[place] for place in run], numeric) for run in runs)
            levels.append(tuple(name for run, name in zip(runs, names, strict=True) for _ in run))
        return Hierarchy.of(list(zip(*levels, (SUPPRESSED,) * len(order), strict=True)))


@dataclass(frozen=True)
class Prefixes:
    """Codes that lose their last characters one by one, as zip codes do.

    >>> Prefixes().build(["1305", "1312"]).levels
    (('1305', '1312'), ('130*', '131*'), ('13**', '13**'), ('1***', '1***'), ('*', '*'))
    """

    mask: str = MASK

    def __post_init__(self) -> None:
        if not isinstance(self.mask, str) or len(self.mask) != 1:
            raise PolicyError(f"the mask of prefixes must be one character, not {self.mask!r:.40}")

    def build(self, values: Sequence[str], *, released: bool = False) -> Hierarchy:
        """The hierarchy of the values; a value that is shorter than others stays as it is until its own turn comes.

        A letter as the mask tells names of a released column from values only if no code has letters; so does a digit.
        """
        longest = max(map(len, values), default=1)
        check_size(len(values), longest + 1, "the hierarchy")

        def masked(value: str, keep: int) -> str:
            return value if len(value) <= keep else value[:keep].ljust(longest, self.mask)

        kept = range(longest - 1, 0, -1)
        # A released column may show some codes in full and others by shared names such as `13**`: these are not values.
        shared = (
            {name for value in values for keep in kept if (name := masked(value, keep)) != value}
            if not self.mask.isalnum() or (released and not any(map(self._may_contain_mask, values)))
            else set[str]()
        )
        leaves = sorted(value for value in values if value not in shared)
        made = Hierarchy.of([(value, *(masked(value, keep) for keep in kept), SUPPRESSED) for value in leaves])
        return replace(made, mask=self.mask)

    def _may_contain_mask(self, value: str) -> bool:
        """Does a code have letters (or digits) where it is not masked, as the mask is one? Then it may end in one."""
        alike = str.isdigit if self.mask.isdigit() else str.isalpha
        return any(map(alike, value.rstrip(self.mask)))


@dataclass(frozen=True)
class Dates:
    """Days, moments or times in larger and larger parts of the calendar; each part must lie within one of the next.

    >>> Dates(levels=("month", "year")).build(["0", "31"]).levels
    (('0', '31'), ('[0, 30]', '[31, 58]'), ('[0, 364]', '[0, 364]'), ('*', '*'))
    """

    levels: tuple[str, ...] = ()
    """The parts, the smallest first: if none are named, months, quarters, years, five years and decades of dates."""

    def __post_init__(self) -> None:
        if not isinstance(self.levels, tuple) or any(level not in PARTS for level in self.levels):
            raise PolicyError(f"the levels of dates must be among {', '.join(PARTS)}")

    def build(self, values: Sequence[str], kind: Kind = DAYS) -> Hierarchy:
        """The hierarchy of dates or times, which are given as numbers; numbers of another kind count as days."""
        calendar = kind if isinstance(kind, Calendar) else DAYS
        parts = self.levels or calendar.parts
        check_size(len(values), len(parts) + 1, "the hierarchy")
        if any(number(value) is None for value in values):
            raise HierarchyError("its cells are no dates or times: mend them, or take the hierarchy out")
        named = [[write_interval(*calendar.part(float(value), part)) for part in parts] for value in values]
        for lower, (smaller, larger) in enumerate(pairwise(parts)):
            if len({(names[lower], names[lower + 1]) for names in named}) > len({names[lower] for names in named}):
                raise HierarchyError(f"a {smaller} may lie in more than one {larger}: leave one of them out")
        return Hierarchy.of([(value, *names, SUPPRESSED) for value, names in zip(values, named, strict=True)])


@dataclass(frozen=True)
class Automatic:
    """Whatever fits the column: prefixes for digits of one length (four or more), else neighbors in order.

    The more values there are, the more are merged at each step, so that every column has about four levels above them.
    """

    def build(self, values: Sequence[str]) -> Hierarchy:
        """The hierarchy of the values; in a released column, some digits may be masked."""
        lengths = {len(value) for value in values}
        if len(lengths) == 1 and min(lengths) >= 4 and all(value.rstrip(MASK).isdigit() for value in values):
            return Prefixes().build(values)
        return self.in_order(values)

    def in_order(self, values: Sequence[str]) -> Hierarchy:
        """The hierarchy of values that are no codes: neighbors in order."""
        return Ordered(fanout=max(2, math.ceil(len(values) ** 0.25))).build(values)


Recipe = Intervals | Ordered | Prefixes | Dates | Automatic


def _numbers(values: Iterable[str]) -> list[float]:
    numbers = [number(value) for value in values]
    found = [value for value in numbers if value is not None]
    if len(found) < len(numbers):
        raise HierarchyError(f"{len(numbers) - len(found)} values are no numbers: intervals need a numeric column")
    return found


def _name(values: Sequence[str], numeric: bool) -> str:
    if len(values) == 1:
        return values[0]
    return write_interval(float(values[0]), float(values[-1])) if numeric else write_set(values)
