"""The spans of a clustering: people who can be in the same cells by public values alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kspan.audit.clusters.cells import cells_reached
from kspan.audit.shown import shown_cell
from kspan.audit.spans import SpansOfPeople, beside
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_groups, count_values
from kspan.data.kinds.words import WORDS
from kspan.data.table import Column, Table
from kspan.model.clusters.model import Clusters
from kspan.model.partition import Partition
from kspan.privacy.requirement import OnPrivate

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
    nearest: Column
    """The cell of every row."""
    cells: Counts
    """For each span, how many people are in each cell."""

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """The clusters of the people of each span, and their private values."""
        return {self._cluster: self.cells, **self.groups.private}

    @property
    def judged(self) -> Mapping[str, Counts]:
        """The private attributes of people."""
        return self.groups.private

    def telling(self, name: str) -> Bools:
        """Tell in which spans something is told of a private attribute: in all, since centers tell what people have.

        Whoever can be in one cell only is not told apart from others by that. But where all of a cell have the same
        illness, or the same income, its center says so.
        """
        return self.exposing if name == self._cluster else np.ones(len(self.sizes), bool)

    def asks(self, part: OnPrivate) -> Iterator[tuple[str, OnPrivate]]:
        """Yield what a part of the requirement is asked of: private attributes, and clusters, too.

        A cell is a part of all private attributes: if everybody of a span is in one, though others could be reached, it
        is told where all of them are. A limit on one value is not about cells: the span's people who have it count.
        """
        yield from super().asks(part)
        if part.is_of_any_values:
            yield self._cluster, replace(part, on=())

    @property
    def _cluster(self) -> str:
        """What the cells of people are called."""
        return beside(CLUSTER, self.groups.private)

    def told_of_rows(self, name: str) -> Column:
        """What is told of every row: its cell, or its private values."""
        return self.nearest if name == self._cluster else self.table[name]

    def bins(self, span: int) -> tuple[int, ...]:
        """The cells that a span reaches."""
        return tuple((np.flatnonzero(self.reaches[span]) + 1).tolist())

    def facts(self) -> dict[str, Any]:
        """The clusters that say to have other numbers of people than there are."""
        wrong = np.flatnonzero(self.cells.whole != np.array(self.clusters.people))
        few = int((self._people_of_cells() == 1).sum()) if self.groups.private else 0
        of_one = (
            f"The {'center of a cluster is' if few == 1 else f'centers of {few:,} clusters are'} that of one person: "
        )
        told = of_one + "all that is private of that person is told to whoever knows which one it is."
        return {
            "untrue": tuple(f"cluster {place + 1}" for place in wrong.tolist()),
            "assumptions": (told,) if few else (),
        }

    def _people_of_cells(self) -> Int64s:
        """How many people each cell has, each of them once."""
        if self.persons is None:
            return self.cells.whole
        pairs = np.unique(self.persons * self.nearest.size + self.nearest.codes)
        return np.bincount(pairs % self.nearest.size, minlength=self.nearest.size)

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
    places = np.array([str(place + 1) for place in range(len(clusters))], object)
    nearest = Column(CLUSTER, WORDS, clusters.nearest(table).astype(np.uint32), places)
    weights = NO_WEIGHTS if table.weights is None else table.weights
    cells = count_values(nearest, of_rows, len(example), weights)
    return ClusterSpans(clusters, table, of_rows, groups, reached[example], nearest, cells)
