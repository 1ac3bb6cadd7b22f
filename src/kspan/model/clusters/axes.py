"""The attributes that clusters are measured in: numbers on a line, or words as corners that are equally far apart."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from kspan.data.alike import look
from kspan.data.arrays import Floats
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
        """Refuse a column in which somebody has no number."""
        column.check_measured_for_all()

    def squares(self, column: Column, centers: Floats, *, strangers: bool = False) -> Floats:
        """Return the squared distances; callers have refused people without a number."""
        numbers = column.values.astype(np.float64)
        squares: Floats = ((numbers[:, None] - centers[None, :, 0]) / self.scale) ** 2
        return squares

    def coordinates(self, column: Column) -> Floats:
        """Return the numbers over the scale."""
        return column.values.astype(np.float64)[:, None] / self.scale

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
        seen = look if self.attribute.role == "private" else str
        # Reversed, so that of values that look alike the first one counts.
        place = {seen(value): at for at, value in reversed(list(enumerate(self.values)))}
        known = np.array([place.get(seen(column.label(code)), -1) for code in range(column.size)], np.int64)
        if not strangers and (known < 0).any():
            raise DataError(f"column {column.name!r} has values that the clusters do not know: give people they are of")
        # The place -1 of an unknown category picks some row, which 0 replaces.
        return np.where((known < 0)[:, None], 0.0, category_squares(centers, self.scale)[known])

    def coordinates(self, column: Column) -> Floats:
        """Return a corner of a simplex for every category."""
        # Corners of unit length are the square root of 2 apart: two categories shall be one apart, over the scale.
        corners: Floats = np.eye(column.size) / (np.sqrt(2) * self.scale)
        return corners

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
