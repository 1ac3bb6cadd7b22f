"""The audit of a clustering: who can be in the same cells by public values alone is one span, and must be a crowd."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.audit.cells import cells_reached
from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.shown import shown_cell
from kspan.audit.spans import SpansOfPeople
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.groups import Counts, Groups, count_groups, tally
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError, listed
from kspan.model.clusters import Clusters
from kspan.model.partition import Partition
from kspan.policy import Policy
from kspan.privacy import OnPrivate

CLUSTER = "cluster"
"""What a clustering tells of people besides their private attributes."""


def audit_clusters(clusters: Clusters, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge a clustering by the people it was made from: every span must satisfy the policy's requirement.

    Each center has a cell, all that is nearer to it than to any other. A person may be in every cell that some private
    values lead to (Friedman et al. 2008, Sect. 4.2); whoever can be in one cell only is safe at any size.
    """
    _check_asked(clusters, policy)
    return judge(cluster_spans(clusters, clustered_people(clusters, people, policy)), policy.require, show=show)


@dataclass(frozen=True, repr=False)
class ClusterSpans(SpansOfPeople):
    """The spans of a clustering among some people."""

    kind = "clusters"
    clusters: Clusters
    table: Table
    span: Int64s
    groups: Groups
    """The people of each span, with what is private of them."""
    reaches: Bools
    """Which cells each span reaches."""
    cells: Counts
    """In which cells the people of each span are."""

    @property
    def told(self) -> Mapping[str, Counts]:
        """The cluster of people, and what is private of them."""
        return {CLUSTER: self.cells, **self.groups.private}

    def bins(self, span: int) -> tuple[int, ...]:
        """The cells that a span reaches."""
        return tuple((np.flatnonzero(self.reaches[span]) + 1).tolist())

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Which cells some spans reach, and which public values lead there."""
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
    """The spans of a clustering: people who can be in the same cells; equal people are looked at once."""
    public = [one.name for one in clusters.attributes if one.role == "public"]
    private = [one.name for one in clusters.attributes if one.role == "private"]
    kinds = Partition.by_equality(table, public)
    row = np.empty(kinds.number, np.int64)
    row[kinds.group] = np.arange(table.rows)
    reached = cells_reached(clusters, clusters.squares(table.at(row), public))
    packed = np.packbits(reached, axis=1)
    _, example, span = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    of_rows = span.reshape(-1)[kinds.group]
    counted = count_groups(table, of_rows, len(example), private)
    groups = Groups(counted.sizes, counted.private, reached[example].sum(axis=1) > 1)
    cells = _cells(clusters, table, of_rows, len(example))
    return ClusterSpans(clusters, table, of_rows, groups, reached[example], cells)


def tells_the_truth(clusters: Clusters, people: pl.DataFrame, policy: Policy) -> bool:
    """Are as many of these people at each cluster as it says?"""
    table = clustered_people(clusters, people, policy)
    counts = np.bincount(clusters.nearest(table), table.weights, minlength=len(clusters))
    return bool((counts == np.array(clusters.people)).all())


def clustered_people(clusters: Clusters, people: pl.DataFrame, policy: Policy) -> Table:
    """The attributes of the people of a clustering, coded; refused if these cannot be its people."""
    names = [attribute.name for attribute in clusters.attributes]
    needed = names if policy.weight is None else [*names, policy.weight]
    absent = [name for name in needed if name not in people.columns]
    if absent:
        raise DataError(f"the people lack the column {listed(absent)}: give the table that the clusters were made from")
    table = encode(people, policy, names)
    for attribute in clusters.attributes:
        column = table[attribute.name]
        if attribute.kind == "numeric" and (column.values.dtype == object or column.size > len(column.values)):
            raise DataError(f"column {attribute.name!r} must hold a number for everybody: fill it, or leave people out")
    return table


def _cells(clusters: Clusters, table: Table, span: Int64s, number: int) -> Counts:
    weights = np.empty(0, np.int64) if table.weights is None else table.weights
    width = len(clusters)
    nearest = clusters.nearest(table)
    keys, people, _ = tally(span * width + nearest, number * width, weights)
    whole = np.zeros(width, np.int64)
    np.add.at(whole, keys % width, people)
    return Counts(np.searchsorted(keys, np.arange(number + 1) * width), keys % width, people, whole)


def _check_asked(clusters: Clusters, policy: Policy) -> None:
    """Refuse a policy with other roles than the clusters have, or that requires something of what they do not tell."""
    roles = dict.fromkeys(policy.public, "public") | dict.fromkeys(policy.private, "private")
    for attribute in clusters.attributes:
        if roles.get(attribute.name) != attribute.role:
            said = roles.get(attribute.name, "nothing")
            raise PolicyError(
                f"the clusters take {attribute.name!r} as {attribute.role}, the policy says {said}: they must agree"
            )
    told = {attribute.name for attribute in clusters.attributes if attribute.role == "private"}
    for part in policy.require.parts:
        if isinstance(part, OnPrivate) and not (told and told.issuperset(part.on)):
            raise PolicyError(
                f"{part} cannot be asked of these clusters: they tell of {listed(sorted(told)) or 'nothing'}"
            )
