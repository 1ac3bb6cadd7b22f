r"""What a shown cell says: one value, a set `{a|b}`, an interval `[lo, hi]`, or `*` for anything.

Inside a set, `\` stands before a `|`, `{`, `}` or `\` that belongs to a value.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kspan.limits import LARGEST_END

SUPPRESSED = "*"

NOT_A_NUMBER = frozenset({"?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "."})
"""In a column that otherwise holds numbers, these mean a missing one; anywhere else they are words."""

_SPECIAL = re.compile(r"[\\|{}]")
_PART = re.compile(r"(?:\\.|[^\\|{}])+", re.DOTALL)
_INTERVAL = re.compile(r"(?!\(.*\)$)([\[\](])\s*([^\s,;]+)\s*[,;]\s*([^\s,;]+)\s*([\])\[])")
"""An excluded end has a reversed bracket or a parenthesis; `(a, b)`, with two parentheses, is no interval."""
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Exact:
    """One value."""

    value: str


@dataclass(frozen=True)
class OneOf:
    """One of several values."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Between:
    """A number from low to high; an end is included unless marked as excluded, and an infinite end is no end."""

    low: float
    high: float
    without_low: bool = False
    without_high: bool = False

    def closed(self, *, whole: bool) -> tuple[float, float]:
        """The lowest and the highest number in the range, among whole numbers or among all floats.

        >>> Between(20, 40, without_high=True).closed(whole=True)
        (20, 39)
        """
        low = (self.low + 1 if whole else math.nextafter(self.low, math.inf)) if self.without_low else self.low
        high = (self.high - 1 if whole else math.nextafter(self.high, -math.inf)) if self.without_high else self.high
        return low, high


@dataclass(frozen=True)
class Anything:
    """A suppressed cell."""


Cell = Exact | OneOf | Between | Anything


def read_cell(text: str) -> Cell:
    r"""Parse the text of a released cell.

    >>> read_cell("{a|b}"), read_cell("*"), read_cell("F")
    (OneOf(values=('a', 'b')), Anything(), Exact(value='F'))
    >>> read_cell("[20, 39]") == Between(20, 39)
    True
    >>> read_cell("[20,40)") == read_cell("[20, 40[") == Between(20, 40, without_high=True)
    True
    >>> read_cell(r"{yes\|no|maybe}").values
    ('yes|no', 'maybe')
    """
    if text == SUPPRESSED:
        return Anything()
    if text.startswith("{") and text.endswith("}"):
        parts = _PART.findall(text[1:-1])
        # `findall` skips what it cannot match: a text with anything left over is a word, not a set.
        if parts and "|".join(parts) == text[1:-1]:
            return OneOf(tuple(re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in parts))
    if ends := _INTERVAL.fullmatch(text):
        low, high, without = number(ends[2]), number(ends[3]), (ends[1] != "[", ends[4] != "]")
        # A range that holds no number, such as `[5, 5[`, is a word.
        if low is not None and high is not None and (low < high or (low == high and not any(without))):
            return Between(low, high, *without)
    return Exact(text)


def values_in(cell: Cell) -> tuple[str, ...]:
    """The values that a cell lists one by one; none for a range or a suppressed cell.

    >>> values_in(OneOf(("a", "b"))), values_in(Exact("a")), values_in(Between(0, 9))
    (('a', 'b'), ('a',), ())
    """
    match cell:
        case OneOf(values):
            return values
        case Exact(value):
            return (value,)
        case Between() | Anything():
            return ()


def range_of(cell: Cell) -> tuple[float, float] | None:
    """The lowest and the highest number that a cell admits, or None if it admits anything but numbers.

    >>> range_of(OneOf(("20", "23"))), range_of(Between(0, 9)), range_of(Exact("a"))
    ((20.0, 23.0), (0, 9), None)
    """
    if isinstance(cell, Between):
        return cell.low, cell.high
    numbers = [value for value in map(number, values_in(cell)) if value is not None]
    return (min(numbers), max(numbers)) if numbers and len(numbers) == len(values_in(cell)) else None


def write_set(values: Iterable[str]) -> str:
    r"""Write a set of values as a released table shows it.

    >>> write_set(["a", "b|c"])
    '{a|b\\|c}'
    """
    return "{" + "|".join(_SPECIAL.sub(r"\\\g<0>", value) for value in values) + "}"


def write_cell(cell: Cell) -> str:
    """Write a cell as a released table shows it; a range that is open on one side is written `<20` or `>=60`.

    >>> [write_cell(cell) for cell in (Between(20, 40, without_high=True), Between(60, math.inf), OneOf(("a", "b")))]
    ['[20, 40[', '>=60', '{a|b}']
    """
    match cell:
        case Exact(value):
            return value
        case OneOf(values):
            return write_set(values)
        case Anything():
            return SUPPRESSED
        case Between(low, high, without_low, without_high):
            if low == high:
                return number_text(low)
            if math.isinf(low) and math.isinf(high):
                return write_interval(-LARGEST_END, LARGEST_END)  # which is read as a range without ends
            if math.isinf(low):
                return f"<{'' if without_high else '='}{number_text(high)}"
            if math.isinf(high):
                return f">{'' if without_low else '='}{number_text(low)}"
            ends = write_interval(low, high)
            return f"{']' if without_low else '['}{ends[1:-1]}{'[' if without_high else ']'}"


def write_interval(low: float, high: float) -> str:
    """Write an interval as a released table shows it.

    >>> write_interval(20, 39.5)
    '[20, 39.5]'
    """
    return f"[{number_text(low)}, {number_text(high)}]"


def number(text: str) -> float | None:
    """The number that a text spells, or None; `007` and `1e999` are words, since they would not survive as numbers.

    >>> number("-1.50"), number("007"), number("n/a")
    (-1.5, None, None)
    """
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) <= LARGEST_END else None


def number_text(value: float | np.number[Any]) -> str:
    """Write a number the way a person does.

    >>> number_text(39.0), number_text(0.5), number_text(2**60 + 1), number_text(np.float32(1.1))
    ('39', '0.5', '1152921504606846977', '1.1')
    """
    if isinstance(value, np.floating):
        value = float(str(value))  # through its text: the 32-bit float 1.1 is 1.1, not 1.100000023841858
    if not isinstance(value, float):
        return str(int(value))  # a whole number may have more digits than a float
    # From 2**53 on floats skip whole numbers, so that the last digits of an integer would be made up.
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(float(value))
