"""How far predicted numbers are from the true ones, beside always guessing their mean."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl

from kspan.data.arrays import Floats, Int64s
from kspan.data.encode import encode_column
from kspan.data.kinds.kind import Kind
from kspan.data.schema import Schema
from kspan.errors import DataError

DIGITS = 3
"""Errors are written with so many digits, or those before the point."""
DECIMALS = 9
"""What is explained is told with so many decimals: what is less is rounding."""
ROUNDING = 1e-12
"""Numbers that differ by such a part of themselves are the same."""
SECONDS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
"""Seconds are written in the largest of these of which there are two."""
FEWEST_DECIMALS, MOST_DECIMALS = -12, 6
"""Beyond these, an error is written as a power of ten."""


@dataclass(frozen=True)
class Errors:
    """How far predictions are from the truth, and how far a guess is."""

    mean_absolute: float
    guessing: float
    """The mean absolute error of always saying the same number."""
    explained: float | None
    """How much less the squares of the errors are than those of the guess; None if the guess is always right."""

    @classmethod
    def of(cls, found: Floats, true: Floats, guess: Floats | float, weights: Int64s | None = None) -> Self:
        """Compare predictions and guesses with the truth; a weight says how many people a row stands for.

        >>> Errors.of(np.array([1.0, 4.0]), np.array([1.0, 5.0]), 3.0)
        Errors(mean_absolute=0.5, guessing=2.0, explained=0.875)
        """
        off, guessed = apart(found, true), apart(guess, true)
        mean, guessing, better, worst = (
            float(np.average(each, weights=weights)) for each in (off, guessed, guessed**2 - off**2, guessed**2)
        )
        return cls(mean, guessing, explained_share(better, worst))


def apart(found: Floats | float, true: Floats) -> Floats:
    """Return how far numbers are off; not at all where they differ by rounding alone.

    >>> apart(0.1 + 0.2, np.array([0.3, 0.5])).round(3).tolist()
    [0.0, 0.2]
    """
    off: Floats = np.where(np.isclose(found, true, rtol=ROUNDING, atol=0), 0.0, np.abs(found - true))
    return off


def explained_share(better: float, worst: float) -> float | None:
    """Return by how much squared errors are less than those of a guess, as a share of these; None if it is right."""
    # A tree of one leaf is the mean, but for its last digits.
    return round(better / worst, DECIMALS) + 0.0 if worst else None


def is_less(error: float, guessing: float) -> bool:
    """Is an error less than that of a guess, beyond rounding?"""
    return error < guessing and not math.isclose(error, guessing, rel_tol=10**-DECIMALS)


def share_explained(explained: float | None) -> str:
    """Write how much is explained.

    >>> share_explained(0.208), share_explained(-0.1)
    ('20.8%', 'nothing')
    """
    return f"{explained:.1%}" if explained is not None and explained > 0 else "nothing"


def explaining(error: float, guessing: float, explained: float | None) -> str:
    """Say how much is explained; mean errors may seem to say the opposite, since large ones count more in squares.

    >>> explaining(7.4, 7.9, 0.208)
    'It explains 20.8% of how they differ'
    >>> explaining(7.4, 7.9, -0.1)
    'Yet it explains nothing of how they differ, where large errors count more'
    """
    at_odds = is_less(error, guessing) != ((explained or 0.0) > 0)
    said = f"explains {share_explained(explained)} of how they differ"
    return f"Yet it {said}, where large errors count more" if at_odds else f"It {said}"


@dataclass(frozen=True)
class Ruler:
    """How errors of one size are written."""

    word: str | None
    """What is counted, such as days."""
    one: float
    """How many of what is measured are one of these."""
    decimals: int

    @classmethod
    def of(cls, unit: str | None, *errors: float) -> Self:
        """Return how some errors are written, the largest with three digits.

        >>> hours = Ruler.of("seconds", 8100.0, 9000.0)
        >>> hours.text(8100.0), hours.figure(900.0), Ruler.of(None, 51234.5).text(51234.5), Ruler.of(None, 0.0).text(0)
        ('2.25 hours', '0.25', '51,234', '0')
        """
        largest, word, one = max(errors), unit, 1
        if unit == "seconds":
            word, one = next(each for each in SECONDS.items() if largest >= 2 * each[1] or each[1] == 1)
        size = math.floor(math.log10(largest / one)) if largest > 0 else DIGITS - 1
        return cls(word, one, DIGITS - 1 - size)

    def figure(self, error: float) -> str:
        """Write an error without its unit."""
        if not FEWEST_DECIMALS <= self.decimals <= MOST_DECIMALS:
            return f"{error / self.one:.{DIGITS}g}"
        return f"{error / self.one:,.{max(self.decimals, 0)}f}"

    def text(self, error: float) -> str:
        """Write an error."""
        return self.figure(error) + self.unit

    @property
    def unit(self) -> str:
        """The word behind a figure."""
        return "" if self.word is None else f" {self.word}"


def numbers_of(series: pl.Series, kind: Kind) -> Floats:
    """Return the numbers of a column; not a number where a cell is empty or suppressed. Refuse anything else."""
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    column = encode_column(series, Schema())
    if not column.is_measured or column.kind.unit != kind.unit:
        raise DataError(f"column {series.name!r} does not hold {kind} alone: give the true ones, or drop the column")
    by_code = np.full(column.size, np.nan)
    by_code[: len(column.values)] = column.values
    found: Floats = by_code[column.codes]
    return found


def mean_of(numbers: Floats, weights: Int64s | None = None) -> float:
    """Return the mean; exactly the number that all are, if they are the same.

    >>> mean_of(np.full(3, 0.1)), mean_of(np.array([1.0, 4.0]), np.array([2, 1]))
    (0.1, 2.0)
    """
    first = float(numbers[0])
    return first + float(np.average(numbers - first, weights=weights))
