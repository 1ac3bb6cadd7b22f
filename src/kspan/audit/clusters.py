"""The audit of a clustering: who can be in the same cells by public values alone is one span, and must be a crowd."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.audit.cells import cells_reached
from kspan.audit.findings import Audit, Finding, K, Utility
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured
from kspan.audit.risk import risk_of
from kspan.audit.tree import shown_cell
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.groups import Counts, Groups, count_groups, tally
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError, listed
from kspan.model.clusters import Clusters
from kspan.model.partition import Partition
from kspan.policy import Policy
from kspan.privacy import OnPrivate
from kspan.utility.loss import average_group_size

CLUSTER = "cluster"
"""What a clustering tells of people besides their private attributes."""


def audit_clusters(clusters: Clusters, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge a clustering by the people it was made from: every span must satisfy the policy's requirement.

    Each center has a cell, all that is nearer to it than to any other. A person may be in every cell that some private
    values lead to (Friedman et al. 2008, Sect. 4.2); whoever can be in one cell only is safe at any size.
    """
    _check_asked(clusters, policy)
    table = clustered_people(clusters, people, policy)
    spans = cluster_spans(clusters, table)
    groups = spans.groups
    good = policy.require.holds(groups)
    smallest = int(groups.sizes[groups.exposing].min()) if groups.exposing.any() else table.people

    def findings(among: Int64s, most: int) -> tuple[Finding, ...]:
        chosen = among[np.argsort(groups.sizes[among], kind="stable")[:most]]
        holds = {str(part): part.holds(groups) for part in policy.require.parts}
        return tuple(
            Finding(
                shown=_shown(clusters, table, spans, span),
                people=int(groups.sizes[span]),
                crowd=int(groups.sizes[span]),
                breaks=tuple(part for part, held in holds.items() if not held[span]),
                bins=tuple((np.flatnonzero(spans.reached[span]) + 1).tolist()),
                safe=not groups.exposing[span],
            )
            for span in chosen.tolist()
        )

    told = {CLUSTER: spans.cells, **groups.private}
    return Audit(
        holds=bool(good.all()),
        requirement=str(policy.require),
        counting="people",
        rows=table.rows,
        people=table.people,
        groups=len(groups),
        k=K(rows=smallest, people=smallest),
        identifiers=(),
        failing_groups=int((~good).sum()),
        failing_people=int(groups.sizes[~good].sum()),
        failing=findings(np.flatnonzero(~good), show),
        smallest=findings(np.arange(len(groups)), show),
        exposed={name: int(groups.sizes[certain(counts) & groups.exposing].sum()) for name, counts in told.items()},
        reached={name: measured(counts) for name, counts in told.items()},
        risk=risk_of(groups.sizes, groups.sizes),
        utility=Utility(cm=None, dm=None, average_group_size=average_group_size(groups.sizes), ncp=None),
        suppressed=None,
        kind="clusters",
        safe_people=int(groups.sizes[~groups.exposing].sum()),
        make_per_row=lambda: _per_row(spans, good),
        make_crowds=lambda most: findings(np.arange(len(groups)), most),
    )


@dataclass(frozen=True, repr=False)
class ClusterSpans:
    """The spans of a clustering among some people."""

    span: Int64s
    """Of every row."""
    groups: Groups
    """The people of each span, with what is private of them."""
    reached: Bools
    """Which cells each span reaches."""
    cells: Counts
    """In which cells the people of each span are."""


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
    return ClusterSpans(of_rows, groups, reached[example], _cells(clusters, table, of_rows, len(example)))


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


def _shown(clusters: Clusters, table: Table, spans: ClusterSpans, span: int) -> dict[str, str]:
    """Which cells a span reaches, and which public values lead there."""
    rows = np.flatnonzero(spans.span == span)
    shown = {"clusters": ", ".join(str(cell + 1) for cell in np.flatnonzero(spans.reached[span]))}
    for attribute in clusters.attributes:
        if attribute.role == "public":
            column = table[attribute.name]
            shown[attribute.name] = shown_cell(column, np.unique(column.codes[rows]))
    return shown


def _per_row(spans: ClusterSpans, good: Bools) -> pl.DataFrame:
    groups = spans.groups
    per_span = {"span_size": groups.sizes, "prosecutor_risk": 1 / groups.sizes, "holds": good, "safe": ~groups.exposing}
    for name, counts in {CLUSTER: spans.cells, **groups.private}.items():
        per_span |= {f"confidence: {name}": confidence(counts), f"certain: {name}": certain(counts)}
    rows = {name: values[spans.span] for name, values in per_span.items()}
    return pl.DataFrame({"row": np.arange(1, len(spans.span) + 1), "span": spans.span + 1, **rows})
