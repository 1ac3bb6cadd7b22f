"""Clusters as they are released: centers, each with all that is nearest to it, and how many people are at each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.table import Table
from kspan.model.claim import Claim
from kspan.model.clusters.axes import Axis, Center, NumberAxis, WordAxis
from kspan.model.outcome import plain
from kspan.model.tree.model import Attribute
from kspan.notebooks import ShownInNotebooks

Hidden = tuple[list[tuple[NumberAxis, Floats]], list[tuple[WordAxis, Floats]]]


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
            around = [axis.around(center) for axis, center in zip(self.axes, centers, strict=True)]
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

    @property
    def hidden(self) -> Hidden:
        """The private attributes, numbers and then words, each with the centers in it."""
        private = [pair for pair in zip(self.axes, self.by_axis, strict=True) if pair[0].attribute.role == "private"]
        numbers = [(axis, centers[:, 0]) for axis, centers in private if isinstance(axis, NumberAxis)]
        return numbers, [(axis, centers) for axis, centers in private if isinstance(axis, WordAxis)]

    def check(self, table: Table) -> None:
        """Refuse people who have no place in one of the attributes."""
        for axis in self.axes:
            axis.check(table[axis.attribute.name])

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
