"""The attributes that clusters are measured in: numbers on a line, or words as corners that are equally far apart.

A cell of a released table is where its people are expected to be: a range of numbers at its middle, a set of words at
equal shares of them. So the people of one group are at one place.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kspan.data.alike import look
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import Exact
from kspan.data.expected import Numbers, known
from kspan.data.general import GeneralNumbers, GeneralWords, general
from kspan.data.meaning import meanings
from kspan.data.numeric_features import middle
from kspan.data.table import MISSING_LABEL, Column
from kspan.errors import DataError
from kspan.model.checks import Place, number
from kspan.model.tree.model import Attribute

Center = tuple[float, ...]
"""A center in one attribute: a number, or the share of each value (that of the missing one last)."""

DIGITS = 6
"""Centers are told with so many digits."""
SLACK = 1e-6
"""How far shares that were rounded may be from adding up to 1."""


@dataclass(frozen=True)
class Axis(ABC):
    """One attribute of the domain, and how far apart its values are: over the scale."""

    attribute: Attribute
    scale: float = 1.0

    @staticmethod
    def of(attribute: Attribute, scale: float = 1.0) -> "Axis":
        """The axis of an attribute."""
        return NumberAxis(attribute, scale) if attribute.is_measured else WordAxis(attribute, scale)

    @property
    @abstractmethod
    def width(self) -> int:
        """How many coordinates a person has here."""

    @abstractmethod
    def check(self, column: Column) -> None:
        """Refuse a column in which somebody has no place on the axis."""

    @abstractmethod
    def squares(self, column: Column, centers: Floats, *, strangers: bool = False) -> Floats:
        """Return the squared distance of every code of a column from each center, in this attribute alone.

        An unknown category is refused; for `strangers` it is equally far from all centers.
        """

    @abstractmethod
    def coordinates(self, column: Column) -> Floats:
        """Return the coordinates of every code of a column."""

    @abstractmethod
    def center(self, mean: Floats) -> Center:
        """Return the center at the mean of some coordinates, with few digits."""

    @abstractmethod
    def away(self, centers: Floats, people: Floats) -> Floats:
        """Return the squared distance of each center from the mean of all, where some shares of people are at each."""

    @abstractmethod
    def around(self, center: Center) -> str:
        """Write a center for people to read."""

    @abstractmethod
    def written(self, center: Center) -> Any:
        """Write a center as JSON."""

    @abstractmethod
    def read(self, place: Place, found: Any) -> Center:
        """Read a center from JSON, without trust."""


class NumberAxis(Axis):
    """Numbers: the distance of two of them is their difference over the scale."""

    @property
    def width(self) -> int:
        """One."""
        return 1

    def check(self, column: Column) -> None:
        """Refuse a column in which somebody has no number, and shows no range of numbers."""
        check_numbers(column)

    def squares(self, column: Column, centers: Floats, *, strangers: bool = False) -> Floats:
        """Return the squared distances; callers have refused people without a number."""
        squares: Floats = ((numbers_of(column)[:, None] - centers[None, :, 0]) / self.scale) ** 2
        return squares

    def coordinates(self, column: Column) -> Floats:
        """Return the numbers over the scale."""
        return numbers_of(column)[:, None] / self.scale

    def center(self, mean: Floats) -> Center:
        """Return the mean number."""
        return (short(float(mean[0] * self.scale)),)

    def away(self, centers: Floats, people: Floats) -> Floats:
        """Return the squared differences from the mean, over the scale."""
        squares: Floats = (((centers - people @ centers) / self.scale) ** 2).sum(axis=1)
        return squares

    def around(self, center: Center) -> str:
        """Write the name and the number, or the date."""
        kind = self.attribute.kind
        return f"{self.attribute.name} {kind.text(center[0]) if kind.has_own_spelling else f'{center[0]:g}'}"

    def written(self, center: Center) -> Any:
        """Write the number."""
        return center[0]

    def read(self, place: Place, found: Any) -> Center:
        """Read a number."""
        return (number(place, "the center of a number", found),)


class WordAxis(Axis):
    """Words: any two of them are 1 / scale apart."""

    @property
    def values(self) -> tuple[str, ...]:
        """The categories of the attribute, a missing one last."""
        return (*self.attribute.values, *[MISSING_LABEL] * self.attribute.has_missing)

    @property
    def width(self) -> int:
        """One for each category."""
        return len(self.values)

    def check(self, column: Column) -> None:
        """Refuse nothing: which categories are known is asked when distances are."""

    def squares(self, column: Column, centers: Floats, *, strangers: bool = False) -> Floats:
        """Return the squared distances of the categories from the shares of each center."""
        place = self._places(column)
        squares = category_squares(centers, self.scale)[place]
        unknown = np.flatnonzero(place < 0)
        if len(unknown):
            shares = self._shares(column, place)
            says = shares.sum(axis=1) > 0
            if not strangers and not says.all():
                raise DataError(
                    f"column {column.name!r} has values that the clusters do not know: give people they are of"
                )
            apart = (shares**2).sum(axis=1)[:, None] - 2 * shares @ centers.T + (centers**2).sum(axis=1)
            # The place -1 of an unknown category picked some row, which is replaced.
            squares[unknown] = np.where(says[:, None], apart / (2 * self.scale**2), 0.0)[unknown]
        return squares

    def coordinates(self, column: Column) -> Floats:
        """Return a corner of a simplex for every category, and a place between corners for a set of them."""
        # Corners of unit length are the square root of 2 apart: two categories shall be one apart, over the scale.
        corners: Floats = self._shares(column, self._places(column)) / (np.sqrt(2) * self.scale)
        return corners

    def _places(self, column: Column) -> Int64s:
        """The place of each code among the categories, -1 if it is none of them."""
        place = self._by_look()
        seen = self._seen
        return np.array([place.get(seen(column.label(code)), -1) for code in range(column.size)], np.int64)

    def _shares(self, column: Column, place: Int64s) -> Floats:
        """The share of each category for every code: one, or of a released cell all that it admits alike."""
        shares = np.zeros((column.size, self.width))
        shares[np.flatnonzero(place >= 0), place[place >= 0]] = 1.0
        shown = meant(column) if (place < 0).any() else None
        if isinstance(shown, GeneralWords):
            known_words = self._by_look()
            for code in np.flatnonzero(place < 0).tolist():
                words = self.attribute.values if code == column.suppressed else shown.values[shown.places(code)]
                members = [at for word in words if (at := known_words.get(self._seen(str(word)))) is not None]
                shares[code, members] = 1 / max(len(members), 1)
        return shares

    def _by_look(self) -> dict[str, int]:
        # Reversed, so that of values that look alike the first one counts.
        return {self._seen(value): at for at, value in reversed(list(enumerate(self.values)))}

    @property
    def _seen(self) -> Callable[[str], str]:
        return look if self.attribute.role == "private" else str

    def center(self, mean: Floats) -> Center:
        """Return the shares of the categories, which still add up to 1."""
        shares = mean * np.sqrt(2) * self.scale
        units = np.floor(shares * 10**DIGITS)
        left = 10**DIGITS - int(units.sum())
        # What rounding down took away goes to those that lost most by it.
        units[np.argsort(units - shares * 10**DIGITS, kind="stable")[:left]] += 1
        return tuple((units / 10**DIGITS).tolist())

    def away(self, centers: Floats, people: Floats) -> Floats:
        """Return the squared distances of shares from the mean ones."""
        # Two different words are one apart, though two of their shares differ by 1: so squares are halved.
        squares: Floats = (((centers - people @ centers) / self.scale) ** 2).sum(axis=1) / 2
        return squares

    def around(self, center: Center) -> str:
        """Write the name and the commonest category with its share."""
        value, share = self.commonest(center)
        return f"{self.attribute.name} {value} ({share:.0%})"

    def commonest(self, center: Center) -> tuple[str, float]:
        """Return the category with the largest share, and that share."""
        most = max(range(len(center)), key=center.__getitem__)
        return self.values[most], center[most]

    def written(self, center: Center) -> Any:
        """Write the shares."""
        return list(center)

    def read(self, place: Place, found: Any) -> Center:
        """Read the shares, which must be as many as there are categories."""
        if not isinstance(found, list) or len(found) != self.width:
            place.refuse(
                f"the center of {self.attribute.name[:40]!r} must be a list of {self.width} shares, one a value"
            )
        shares = tuple(number(place, "a share", share) for share in found)
        if min(shares) < 0 or not math.isclose(sum(shares), 1, abs_tol=SLACK):
            place.refuse("the shares of a center must be numbers from 0 to 1 that add up to 1")
        return shares


def meant(column: Column) -> GeneralWords | GeneralNumbers | None:
    """What the cells of a column admit, if some of them are general; None if all are single values."""
    if column.is_measured:
        return None
    read = meanings(column)
    if read.doubtful is not None or (column.suppressed is None and all(isinstance(cell, Exact) for cell in read.cells)):
        return None
    return general(column)


def check_numbers(column: Column) -> None:
    """Refuse a column in which somebody has no number, and shows no range of numbers."""
    shown = meant(column)
    if not isinstance(shown, GeneralNumbers):
        column.check_measured_for_all()
    elif not _says(shown)[column.codes].all():
        raise DataError(
            f"column {column.name!r} must show a number or a range for everybody, and not * or nothing: leave the "
            "column out, or these people"
        )


def numbers_of(column: Column) -> Floats:
    """The number that each code counts as: its own, or the middle of the range that it shows."""
    shown = meant(column)
    if not isinstance(shown, GeneralNumbers):
        return column.values.astype(np.float64)
    attribute = known(shown)
    assert isinstance(attribute, Numbers)
    return middle(attribute, attribute.cells(shown))


def _says(shown: GeneralNumbers) -> Bools:
    attribute = known(shown)
    assert isinstance(attribute, Numbers)
    return attribute.cells(shown).says


def short(value: float) -> float:
    """The number with few digits."""
    return float(f"{value:.{DIGITS}g}")


def category_squares(centers: Floats, scale: float) -> Floats:
    """Return the squared distance of each value (row) from each center (column), which is shares of values.

    A person is at a corner of a simplex, and any two corners are 1 apart before scaling.

    >>> category_squares(np.array([[1.0, 0.0], [0.5, 0.5]]), 1.0).tolist()
    [[0.0, 0.25], [1.0, 0.25]]
    """
    # The square of corner minus center, halved: unit vectors are the root of 2 apart, not 1.
    squares: Floats = (1 - 2 * centers.T + (centers**2).sum(axis=1)) / (2 * scale**2)
    return squares
