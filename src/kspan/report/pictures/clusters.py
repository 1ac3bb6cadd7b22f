"""Clusters as a page may draw them: centers and cells, never people, and no center that a failing span reaches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kspan.audit.findings import Finding
from kspan.data.arrays import Floats
from kspan.model.clusters.axes import Axis, Center, NumberAxis, WordAxis
from kspan.model.clusters.model import Clusters
from kspan.model.outcome import plain
from kspan.model.tree.model import Role
from kspan.report.crowd import Crowd, crowds
from kspan.report.pictures.cell_shapes import Polygon, cell_shapes
from kspan.report.pictures.labels import joined, number_short, short

MOST_CLUSTERS = 200
"""How many clusters are drawn at most; those with the most people come first."""
MARGIN = 0.15
"""The room around the centers, as a share of their range, where no range is declared."""


@dataclass(frozen=True)
class DrawnAxis:
    """An attribute that tells clusters apart."""

    name: str
    role: Role
    is_measured: bool
    low: float
    high: float
    """The ends of what is drawn: of numbers the declared range, or that of the centers with some room around it."""


@dataclass(frozen=True)
class DrawnCenter:
    """Where a cluster is on one axis: a number, or the commonest category with its share."""

    text: str
    place: float


@dataclass(frozen=True)
class DrawnCluster:
    """A cluster as it is drawn."""

    number: int
    """Counted from 1, as findings count clusters."""
    people: float | None
    """None if anything is held back: sizes of clusters would give it away by subtraction."""
    center: tuple[DrawnCenter, ...]
    """Axis by axis."""
    cell: Polygon = ()
    """The part of the plane that is nearest to its center; empty if the plane does not meet the cell."""


@dataclass(frozen=True)
class ClustersPicture:
    """What is drawn of clusters."""

    axes: tuple[DrawnAxis, ...]
    clusters: tuple[DrawnCluster, ...]
    number: int
    """How many clusters there are, drawn or not."""
    spans: tuple[Crowd, ...]
    held_back: int
    """Clusters whose center is not told."""
    pair: tuple[int, int] | None
    """The axes of a plane; None if all axes stand side by side."""
    has_cells: bool
    """Are the cells of the plane drawn?"""

    @property
    def is_cut(self) -> bool:
        """Are there axes besides those of the plane?"""
        return self.pair is not None and len(self.axes) > 2

    @property
    def note(self) -> str:
        """What a reader must know of the drawing, in one sentence or more."""
        if not self.clusters:
            said = ""
        elif self.pair is None:
            said = "Each line is the center of a cluster; for words, the share of the commonest."
        else:
            said = "Each dot is the center of a cluster."
            if self.has_cells and self.is_cut:
                others = [axis.name for place, axis in enumerate(self.axes) if place not in self.pair]
                said += f" Areas show which cluster is nearest for people who are average in {joined(others)}; centers "
                said += "are not, so a dot may lie outside of its area."
            elif self.has_cells:
                said += " The area around it is nearer to it than to any other center."
        if self.held_back:
            said += f" {self.held_back:,} of {self.number:,} clusters are held back: spans that reach them break the "
            said += "requirement."
        elif len(self.clusters) < self.number:
            said += f" The {len(self.clusters):,} largest of {self.number:,} clusters are drawn."
        return said.strip()


def clusters_picture(clusters: Clusters, findings: Sequence[Finding], *, failing: int = 0) -> ClustersPicture:
    """Return what a page that may leave the house draws of clusters.

    Nothing is told of a cluster that is reached by a span that breaks the requirement. If there is one, no sizes and
    no cells are drawn either: subtraction and borders would give it away. `failing` is how many spans break the
    requirement in all; if the findings hold fewer, all clusters are held back.
    """
    broken = [finding for finding in findings if finding.breaks]
    held = {cluster - 1 for finding in broken for cluster in finding.bins}
    if failing > len(broken):
        held = set(range(len(clusters)))
    told = [place for place in range(len(clusters)) if place not in held]
    # The largest are chosen, but they stay in the order of their numbers.
    told = sorted(sorted(told, key=lambda place: -clusters.people[place])[:MOST_CLUSTERS])
    axes = tuple(_axis(clusters, place, told) for place in range(len(clusters.axes)))
    pair = _pair(clusters, told)
    # Without all centers the cells of the others would be wrong.
    has_cells = pair is not None and len(told) == len(clusters)
    cells = _cells(clusters, axes, pair) if pair is not None and has_cells else [()] * len(clusters)
    drawn = tuple(
        DrawnCluster(
            number=place + 1,
            people=None if held else plain(clusters.people[place]),
            center=tuple(map(_center, clusters.axes, clusters.centers[place])),
            cell=cells[place],
        )
        for place in told
    )
    return ClustersPicture(axes, drawn, len(clusters), crowds(findings), len(held), pair, has_cells)


def _axis(clusters: Clusters, place: int, told: Sequence[int]) -> DrawnAxis:
    axis = clusters.axes[place]
    attribute = axis.attribute
    name, low, high, measured = short(attribute.name), 0.0, 1.0, isinstance(axis, NumberAxis)
    if measured:
        numbers = clusters.by_axis[place][list(told), 0] if told else np.zeros(1)
        low, high = float(numbers.min()), float(numbers.max())
        # The ends of an inferred range may be the numbers of single people, so they are not drawn.
        inferred = () if clusters.claim is None else clusters.claim.inferred_domains
        if attribute.low is not None and attribute.high is not None and attribute.name not in inferred:
            low, high = min(low, attribute.low), max(high, attribute.high)
        else:
            around = MARGIN * (high - low) or axis.scale
            low, high = low - around, high + around
    return DrawnAxis(name, attribute.role, measured, low, high if high > low else low + axis.scale)


def _center(axis: Axis, center: Center) -> DrawnCenter:
    if not isinstance(axis, WordAxis):
        return DrawnCenter(number_short(center[0]), float(center[0]))
    value, share = axis.commonest(center)
    return DrawnCenter(f"{short(value)} ({share:.0%})", float(share))


def _pair(clusters: Clusters, told: Sequence[int]) -> tuple[int, int] | None:
    """Return the two numeric axes on which the centers differ most; None if there are not two."""
    numeric = [place for place, axis in enumerate(clusters.axes) if isinstance(axis, NumberAxis)]
    if len(numeric) < 2 or not told:
        return None
    apart = {place: (clusters.by_axis[place][list(told), 0] / clusters.axes[place].scale).var() for place in numeric}
    first, second = sorted(sorted(numeric, key=lambda place: -apart[place])[:2])
    return first, second


def _cells(clusters: Clusters, axes: Sequence[DrawnAxis], pair: tuple[int, int]) -> list[Polygon]:
    """Return the cells in the plane of two axes, for people who are average in everything else."""
    people = np.array(clusters.people, np.float64)
    weights = people / people.sum() if people.sum() else np.full(len(people), 1 / len(people))
    offsets = np.zeros(len(clusters))
    for place, (axis, centers) in enumerate(zip(clusters.axes, clusters.by_axis, strict=True)):
        if place not in pair:
            offsets += axis.away(centers, weights)
    scales = np.array([clusters.axes[place].scale for place in pair])
    low, high = (np.array([getattr(axes[place], end) for place in pair]) / scales for end in ("low", "high"))
    centers = np.column_stack([clusters.by_axis[place][:, 0] for place in pair]) / scales
    return [_scaled(cell, scales) for cell in cell_shapes(centers, offsets, low, high)]


def _scaled(cell: Polygon, scales: Floats) -> Polygon:
    return tuple((x * float(scales[0]), y * float(scales[1])) for x, y in cell)
