"""Clusters as they are released: centers, each with all that is nearest to it, and how many people are at each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kspan.data.alike import look
from kspan.data.arrays import Floats, Int64s
from kspan.data.table import MISSING_LABEL, Column, Table
from kspan.errors import DataError
from kspan.model.claim import Claim
from kspan.model.outcome import plain
from kspan.model.tree.model import Attribute
from kspan.notebooks import ShownInNotebooks

Center = tuple[float, ...]
"""A center in one attribute: a number, or the share of each value (that of the missing one last)."""


@dataclass(frozen=True)
class Axis:
    """One attribute of the domain, and how far apart its values are.

    The distance of two numbers is their difference over the scale; any two categories are 1 / scale apart.
    """

    attribute: Attribute
    scale: float = 1.0

    @property
    def values(self) -> tuple[str, ...]:
        """The categories of the attribute, a missing one last."""
        return (*self.attribute.values, *[MISSING_LABEL] * self.attribute.has_missing)

    def squares(self, column: Column, centers: Floats, *, strangers: bool = False) -> Floats:
        """Return the squared distance of every code of a column from each center, in this attribute alone.

        An unknown category is refused; for `strangers` it is equally far from all centers.
        """
        if self.attribute.is_measured:
            # There is no code for a missing number: callers have refused people without one.
            numbers = column.values.astype(np.float64)
            squares: Floats = ((numbers[:, None] - centers[None, :, 0]) / self.scale) ** 2
            return squares
        seen = look if self.attribute.role == "private" else str
        # Reversed, so that of values that look alike the first one counts.
        place = {seen(value): number for number, value in reversed(list(enumerate(self.values)))}
        known = np.array([place.get(seen(column.label(code)), -1) for code in range(column.size)], np.int64)
        if not strangers and (known < 0).any():
            raise DataError(f"column {column.name!r} has values that the clusters do not know: give people they are of")
        # The place -1 of an unknown category picks some row, which 0 replaces.
        return np.where((known < 0)[:, None], 0.0, category_squares(centers, self.scale)[known])


@dataclass(frozen=True, repr=False)
class Clusters(ShownInNotebooks):
    """Centers in a domain; a person belongs to the cluster of the nearest center, the first one in a tie."""

    axes: tuple[Axis, ...]
    centers: tuple[tuple[Center, ...], ...]
    """For each cluster, its center in each attribute."""
    people: tuple[float, ...]
    """How many belong to each cluster."""
    claim: Claim | None = None

    def __repr__(self) -> str:
        names = ", ".join(repr(axis.attribute.name) for axis in self.axes)
        return f"Clusters({len(self)} clusters of {plain(sum(self.people))} people, by {names})"

    def __len__(self) -> int:
        return len(self.centers)

    def __str__(self) -> str:
        lines = []
        for centers, people in zip(self.centers, self.people, strict=True):
            around = [_around(axis, center) for axis, center in zip(self.axes, centers, strict=True)]
            lines.append(f"{plain(people):,} people around {', '.join(around)}")
        return "\n".join(lines)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes that distances are measured in."""
        return tuple(axis.attribute for axis in self.axes)

    @cached_property
    def by_axis(self) -> tuple[Floats, ...]:
        """For each attribute, the centers as an array with one row per cluster."""
        return tuple(np.array([center[place] for center in self.centers]) for place in range(len(self.axes)))

    def squares(self, table: Table, names: Sequence[str] | None = None, *, strangers: bool = False) -> Floats:
        """Return the squared distance of every row from every center, in the named attributes or in all."""
        total = np.zeros((table.rows, len(self)))
        for axis, centers in zip(self.axes, self.by_axis, strict=True):
            name = axis.attribute.name
            if names is None or name in names:
                total += axis.squares(table[name], centers, strangers=strangers)[table[name].codes]
        return total

    def nearest(self, table: Table, *, strangers: bool = False) -> Int64s:
        """Return the cluster of every row."""
        found: Int64s = self.squares(table, strangers=strangers).argmin(axis=1)
        return found


def _around(axis: Axis, center: Center) -> str:
    """Write a center for people to read: a number, or the commonest value with its share."""
    if axis.attribute.is_measured:
        of_dates = axis.attribute.kind.has_own_spelling
        return f"{axis.attribute.name} {axis.attribute.number(center[0]) if of_dates else f'{center[0]:g}'}"
    most = max(range(len(center)), key=center.__getitem__)
    return f"{axis.attribute.name} {axis.values[most]} ({center[most]:.0%})"


def category_squares(centers: Floats, scale: float) -> Floats:
    """Return the squared distance of each value (row) from each center (column), which is shares of values.

    A person is at a corner of a simplex, and any two corners are 1 apart before scaling.

    >>> category_squares(np.array([[1.0, 0.0], [0.5, 0.5]]), 1.0).tolist()
    [[0.0, 0.25], [1.0, 0.25]]
    """
    # The square of corner minus center, halved: unit vectors are the root of 2 apart, not 1.
    squares: Floats = (1 - 2 * centers.T + (centers**2).sum(axis=1)) / (2 * scale**2)
    return squares
