"""The spans of a clustering: people who can be in the same cells by public values alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kspan.audit.clusters.cells import cells_reached
from kspan.audit.shown import shown_cell
from kspan.audit.spans import SpansOfPeople
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import Counts, Groups, count_groups, tally
from kspan.data.table import Table
from kspan.model.clusters.model import Clusters
from kspan.model.partition import Partition
from kspan.privacy.requirement import OnPrivate, Requirement

CLUSTER = "cluster"
"""The name of what a clustering tells of people besides their private attributes."""


@dataclass(frozen=True, repr=False)
class ClusterSpans(SpansOfPeople):
    """The spans of a clustering among some people."""

    kind = "clusters"
    clusters: Clusters
    table: Table
    span: Int64s
    groups: Groups
    """The people of each span, with their private values."""
    reaches: Bools
    """For each span, which cells it reaches."""
    cells: Counts
    """For each span, how many people are in each cell."""

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """The clusters of the people of each span, and their private values."""
        return {CLUSTER: self.cells, **self.groups.private}

    @property
    def judged(self) -> Mapping[str, Counts]:
        """The private attributes of people."""
        return self.groups.private

    def telling(self, name: str) -> Bools:
        """Tell in which spans something is told of a private attribute: in all, since centers tell what people have.

        Whoever can be in one cell only is not told apart from others by that. But where all of a cell have the same
        illness, or the same income, its center says so.
        """
        return self.exposing if name == CLUSTER else np.ones(len(self.sizes), bool)

    def holds(self, part: Requirement) -> Bools:
        """Tell which spans satisfy one part of the requirement; one on private values is asked of clusters, too.

        A cell is a part of all private attributes: if everybody of a span is in one, though others could be reached, it
        is told where all of them are. A limit on one value is not about cells: the span's people who have it count.
        """
        good = super().holds(part)
        if not isinstance(part, OnPrivate) or part.only_value is not None:
            return good
        return good & replace(part, on=()).holds(Groups(self.sizes, {CLUSTER: self.cells}, self.exposing))

    def bins(self, span: int) -> tuple[int, ...]:
        """The cells that a span reaches."""
        return tuple((np.flatnonzero(self.reaches[span]) + 1).tolist())

    def facts(self) -> dict[str, Any]:
        """The clusters that say to have other numbers of people than there are."""
        wrong = np.flatnonzero(self.cells.whole != np.array(self.clusters.people))
        few = int((self.cells.whole == 1).sum()) if self.groups.private else 0
        of_one = (
            f"The {'center of a cluster is' if few == 1 else f'centers of {few:,} clusters are'} that of one person: "
        )
        told = of_one + "all that is private of that person is told to whoever knows which one it is."
        return {
            "untrue": tuple(f"cluster {place + 1}" for place in wrong.tolist()),
            "assumptions": (told,) if few else (),
        }

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans by the cells that they reach and the public values that lead there."""
        return [self._shown(span) for span in some]

    def _shown(self, span: int) -> dict[str, str]:
        rows = np.flatnonzero(self.span == span)
        shown = {"clusters": ", ".join(map(str, self.bins(span)))}
        for attribute in self.clusters.attributes:
            if attribute.role == "public":
                column = self.table[attribute.name]
                shown[attribute.name] = shown_cell(column, np.unique(column.codes[rows]))
        return shown


def cluster_spans(clusters: Clusters, table: Table) -> ClusterSpans:
    """Find the spans of a clustering; people with the same public values are looked at once."""
    public = [one.name for one in clusters.attributes if one.role == "public"]
    private = [one.name for one in clusters.attributes if one.role == "private"]
    kinds = Partition.by_equality(table, public)
    row = np.empty(kinds.number, np.int64)
    # Any row of a kind will do: all have the same public values.
    row[kinds.group] = np.arange(table.rows)
    reached = cells_reached(clusters, clusters.squares(table.at(row), public))
    packed = np.packbits(reached, axis=1)
    _, example, span = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    of_rows = span.reshape(-1)[kinds.group]
    counted = count_groups(table, of_rows, len(example), private)
    groups = Groups(counted.sizes, counted.private, reached[example].sum(axis=1) > 1)
    cells = _cells(clusters, table, of_rows, len(example))
    return ClusterSpans(clusters, table, of_rows, groups, reached[example], cells)


def _cells(clusters: Clusters, table: Table, span: Int64s, number: int) -> Counts:
    weights = np.empty(0, np.int64) if table.weights is None else table.weights
    width = len(clusters)
    nearest = clusters.nearest(table)
    keys, people, _ = tally(span * width + nearest, number * width, weights)
    whole = np.zeros(width, np.int64)
    np.add.at(whole, keys % width, people)
    # Keys are in ascending order, so those of one span are neighbors.
    return Counts(np.searchsorted(keys, np.arange(number + 1) * width), keys % width, people, whole)
