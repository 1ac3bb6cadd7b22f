"""The cluster of each person, whether or not the clusters were made from them."""

import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.domain import Domain
from kspan.data.encode import encode
from kspan.data.schema import Schema
from kspan.errors import DataError, listed
from kspan.model.clusters.model import Clusters


def assigned(clusters: Clusters, people: pl.DataFrame) -> Int64s:
    """Return the cluster of each row; a category that the clusters do not know is equally far from all centers."""
    names = [attribute.name for attribute in clusters.attributes]
    absent = [name for name in names if name not in people.columns]
    if absent:
        raise DataError(f"the table lacks {listed(absent)}, which the clusters ask for: add the column")
    domains = {one.name: Domain(one.kind) for one in clusters.attributes}
    table = encode(people, Schema(public=names, domains=domains), names)
    clusters.check(table)
    return clusters.nearest(table, strangers=True)
