"""The audit of clusters: people who can be in the same cells by public values alone are a span, and must be a crowd."""

import polars as pl

from kspan.audit.clusters.spans import cluster_spans
from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.of_persons import by_people
from kspan.audit.request import AuditRequest, Judge
from kspan.data.encode import encode_people
from kspan.data.meaning import canonical
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError, listed
from kspan.model.clusters.model import Clusters
from kspan.model.kinds import Given
from kspan.policy import Policy
from kspan.policy.values import check_occurs
from kspan.privacy import OnPrivate


def audit_clusters(clusters: Clusters, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge a clustering by the people it was made from: every span must satisfy the policy's requirement.

    The cell of a center is everything that is nearer to it than to any other. A person may be in every cell that some
    private values lead to (Friedman et al. 2008, Sect. 4.2). A span of one cell is safe at any size.
    """
    _check_asked(clusters, policy)
    table = clustered_people(clusters, people, policy)
    check_occurs(policy.require, table, policy)
    return judge(by_people(cluster_spans(clusters, table), policy), policy.require, show=show)


def clustered_people(clusters: Clusters, people: pl.DataFrame, policy: Policy) -> Table:
    """Code the attributes of the people of a clustering; refuse people who cannot be its people."""
    names = [attribute.name for attribute in clusters.attributes]
    needed = names if policy.weight is None else [*names, policy.weight]
    absent = [name for name in needed if name not in people.columns]
    if absent:
        raise DataError(f"the people lack the column {listed(absent)}: give the table that the clusters were made from")
    table = encode_people(people, policy, names)
    if policy.range_pattern is not None:
        table = canonical(table, policy.range_pattern)
    clusters.check(table)
    return table


def _check_asked(clusters: Clusters, policy: Policy) -> None:
    """Refuse a policy with other roles than the clusters have, or with a requirement on what they do not tell."""
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


def _clusters_alone(given: Given, asked: AuditRequest) -> Audit:
    raise PolicyError("clusters are judged by the people they were made from: give their table, too (--data)")


JUDGE = Judge(audit_clusters, _clusters_alone, "clusters")
