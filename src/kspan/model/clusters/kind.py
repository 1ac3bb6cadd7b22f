"""Clusters as a kind of model."""

from typing import Any

import numpy as np
import polars as pl

from kspan.data.encode import encode_people
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.kinds.words import WORDS
from kspan.model.clusters.axes import Axis
from kspan.model.clusters.imported import imported_clusters, is_fitted_clustering
from kspan.model.clusters.json import FORMAT, read_clusters, write_clusters
from kspan.model.clusters.model import Clusters
from kspan.model.kind import Kind
from kspan.model.tree.model import Attribute
from kspan.policy import Policy


def example() -> Clusters:
    """Two clusters by a number and a word."""
    axes = (
        Axis.of(Attribute("age", "public", NUMBERS, low=0, high=120), 10.0),
        Axis.of(Attribute("sex", "private", WORDS, ("F", "M"))),
    )
    return Clusters(axes, (((30.0,), (0.75, 0.25)), ((60.0,), (0.0, 1.0))), (4, 3))


def _taken_over(given: Any, people: pl.DataFrame, policy: Policy) -> Clusters:
    # An array names no columns: they are the people's columns that have a role, in the people's order.
    known = {*policy.public, *policy.private}
    names = [name for name in people.columns if name in known] if isinstance(given, np.ndarray) else None
    return imported_clusters(given, encode_people(people, policy), policy, names)


CLUSTERS = Kind(
    "clusters",
    "clustering",
    FORMAT,
    Clusters,
    read_clusters,
    write_clusters,
    example,
    is_fitted_clustering,
    _taken_over,
)
