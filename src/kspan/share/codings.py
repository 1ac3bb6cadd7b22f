"""The values of an attribute that pseudo-people may have, as codes, and how likely each is where owners tell that."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats
from kspan.data.cells import SUPPRESSED
from kspan.data.domain import Domain
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.kinds.words import WORDS
from kspan.data.table import Column
from kspan.model.tree.admitted import Admitted
from kspan.model.tree.model import Attribute
from kspan.model.tree.release import Marginal
from kspan.share.number_line import NumberLine, middle, within

Numbers = Literal["cells", "uniform", "midpoint", "endpoint"]
Option = tuple[int, int, float]
"""A run of neighboring codes: the first one, how many they are, and their weight together."""
MISSING = 0
"""The code of a missing value, before the others."""


class Coding(Protocol):
    """The codes of an attribute; that of a missing value is 0."""

    def options(self, admitted: Admitted) -> list[Option]:
        """Return what is admitted as options with equal chances for all codes; a missing value is not among them."""

    def weighed(self, admitted: Admitted, marginal: Marginal, below: Floats) -> list[Option]:
        """Return the same options, weighted by how people spread; `below` is what the method `below` returned."""

    def below(self, marginal: Marginal) -> Floats:
        """Return the weight of all codes before each one, as far as needed; `below[1]` is that of missing values."""

    def column(self, codes: NDArray[Any], rng: np.random.Generator) -> Column:
        """Return the column of rows that drew these codes."""

    @property
    def size(self) -> int:
        """How many codes there are."""

    @property
    def uneven(self) -> bool:
        """May codes of one option have different weights?"""


@dataclass(eq=False)
class Values:
    """Every value of a categorical attribute, or every cell of a numeric one, is a code."""

    attribute: Attribute
    line: NumberLine | None = None
    uneven: ClassVar[bool] = True
    places: dict[str, int] = field(init=False)
    ends: list[float] = field(init=False)
    known: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        # A suppressed cell comes after the values of a column.
        self.known = tuple(sorted(self.attribute.values, key=SUPPRESSED.__eq__))
        self.places = {value: place for place, value in enumerate(self.known, 1)}
        self.ends = [] if self.line is None else self.line.ends.tolist()

    @property
    def size(self) -> int:
        """How many codes there are."""
        return 1 + len(self.known) + len(self.ends)

    def options(self, admitted: Admitted) -> list[Option]:
        """Return what is admitted as runs of neighboring codes."""
        if self.line is None:
            return _runs(sorted([self.places[value] for value in admitted.values]))
        whole, last, runs = self.line.whole, len(self.ends) - 1, list[Option]()
        for low, high in admitted.stretches:
            start = bisect_right(self.ends, low)
            # A line of whole numbers has whole ends, so the upper bound is rounded down as they were.
            end = min(bisect_left(self.ends, np.floor(high) if whole else high), last)
            if start <= end:
                runs.append((start + 1, end - start + 1, float(end - start + 1)))
        return runs

    def weighed(self, admitted: Admitted, marginal: Marginal, below: Floats) -> list[Option]:
        """Return the same options, weighted by differences of `below`."""
        return [
            (first, count, float(below[first + count] - below[first])) for first, count, _ in self.options(admitted)
        ]

    def below(self, marginal: Marginal) -> Floats:
        """Spread the people of each bin evenly over its codes, and return the weight before each code."""
        weights = np.zeros(self.size)
        for region, people in marginal.bins:
            runs = self.options(Admitted.all_of(self.attribute).through(region))
            codes = sum(count for _, count, _ in runs) + region.missing
            for first, count, _ in [*runs, *[(MISSING, 1, 1.0)] * region.missing]:
                weights[first : first + count] += people / codes
        return np.append(0.0, np.cumsum(weights))

    def column(self, codes: NDArray[Any], rng: np.random.Generator) -> Column:
        """Return the drawn values, with all possible values as the domain."""
        if self.line is not None:
            return _numbers(self.attribute, self.line.middles(), codes)
        has_suppressed = SUPPRESSED in self.places
        plain = np.array(self.known[: len(self.known) - has_suppressed], object)
        name, domain = self.attribute.name, Domain(WORDS, values=self.known)
        codes, has_missing = _missing_last(codes, len(self.known))
        return Column(name, WORDS, codes, plain, has_suppressed, has_missing, domain)


@dataclass(eq=False)
class Pieces:
    """Intervals of a numeric attribute are codes, numbered as they are met; a drawn interval becomes a number."""

    attribute: Attribute
    line: NumberLine
    numbers: Numbers
    uneven: ClassVar[bool] = False
    found: dict[tuple[float, float], int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many codes there are."""
        return 1 + len(self.found)

    def options(self, admitted: Admitted) -> list[Option]:
        """Return each admitted interval as an option."""
        return [(self.code(piece), 1, 1.0) for piece in self.clipped(admitted.stretches)]

    def weighed(self, admitted: Admitted, marginal: Marginal, below: Floats) -> list[Option]:
        """Weigh each interval by its part of the people in bins; for uniform numbers, bins also cut the intervals."""
        pieces: dict[tuple[float, float], float] = {}
        for region, people in marginal.bins:
            inside = self.clipped(Admitted.all_of(self.attribute).through(region).stretches)
            # A bin outside of the line has no length, and then no part below is positive.
            length = sum(high - low for low, high in inside) or 1.0
            for low, high in self.clipped(admitted.stretches):
                for begin, end in inside:
                    common = max(low, begin), min(high, end)
                    part = people * (common[1] - common[0]) / length
                    if part > 0:
                        piece = common if self.numbers == "uniform" else (low, high)
                        pieces[piece] = pieces.get(piece, 0.0) + part
        return [(self.code(piece), 1, weight) for piece, weight in pieces.items()]

    def below(self, marginal: Marginal) -> Floats:
        """Return only the weight of missing values, since each option is a single code."""
        missing = sum(people / (1 + len(region.intervals)) for region, people in marginal.bins if region.missing)
        return np.array([0.0, missing])

    def clipped(self, stretches: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return the intervals, cut to the range of the line."""
        base, top = self.line.base, float(self.line.ends[-1])
        inside = ((max(low, base), min(high, top)) for low, high in stretches)
        return [(low, high) for low, high in inside if low < high]

    def code(self, piece: tuple[float, float]) -> int:
        """Return the code of an interval, a new one if it was not met before."""
        return self.found.setdefault(piece, len(self.found) + 1)

    def column(self, codes: NDArray[Any], rng: np.random.Generator) -> Column:
        """Draw a number for each row, or give all rows of an interval the same one, unless it is the whole range."""
        pieces = [(0.0, 0.0), *self.found]
        low, high = (np.array(end) for end in zip(*pieces, strict=True))
        fixed = middle(low, high, self.line.whole) if self.numbers == "midpoint" else high
        free = np.full(len(pieces), self.numbers == "uniform")
        # If no path admits the whole range, this sets the place of missing values, which are left out below.
        free[self.found.get((self.line.base, float(self.line.ends[-1])), MISSING)] = True
        numbers = fixed[codes]
        rows = np.flatnonzero(free[codes] & (codes != MISSING))
        here = codes[rows]
        numbers[rows] = within(low[here], high[here], self.line.whole, rng.random(len(rows)))
        said = codes != MISSING
        values, places = np.unique(numbers[said], return_inverse=True)
        ranks = np.zeros(len(codes), np.int64)
        ranks[said] = places.ravel() + 1
        return _numbers(self.attribute, values, ranks)


def _numbers(attribute: Attribute, values: Floats, codes: NDArray[Any]) -> Column:
    domain = None
    if attribute.low is not None and attribute.high is not None:
        domain = Domain(NUMBERS, attribute.low, attribute.high)
    # From 2**53 on, floats skip whole numbers.
    whole = bool((np.floor(values) == values).all() and (np.abs(values) < 2**53).all())
    codes, has_missing = _missing_last(codes, len(values))
    shown: NDArray[Any] = values.astype(np.int64) if whole else values
    return Column(attribute.name, NUMBERS, codes, shown, has_missing=has_missing, domain=domain)


def _missing_last(codes: NDArray[Any], values: int) -> tuple[NDArray[Any], bool]:
    """Renumber codes as tables do: values from 0 on, and after them the missing one, if any row has it."""
    has_missing = bool((codes == MISSING).any())
    kind = np.min_scalar_type(max(values + has_missing - 1, 0))
    table = np.append(values if has_missing else 0, np.arange(values)).astype(kind)
    return table[codes], has_missing


def _runs(codes: Sequence[int]) -> list[Option]:
    """Return sorted codes as runs of neighbors.

    >>> _runs([1, 2, 3, 7, 9, 10])
    [(1, 3, 3.0), (7, 1, 1.0), (9, 2, 2.0)]
    """
    runs: list[list[int]] = []
    for code in codes:
        if runs and runs[-1][0] + runs[-1][1] == code:
            runs[-1][1] += 1
        else:
            runs.append([code, 1])
    return [(first, count, float(count)) for first, count in runs]
