"""Values that too few people have, and that nobody has declared: a tree does not name them.

They go where missing values go, and so does every value that nobody here has. Otherwise the tree would tell that one of
its people has such a value, however large the crowd of its branch. The fewest people who must have a value that is
named are k, or two if no k is required.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kspan.data.arrays import Bools, Codes, Int64s
from kspan.data.table import Table
from kspan.induce.tree.features import Feature
from kspan.policy import Policy
from kspan.policy.values import is_declared
from kspan.privacy import KAnonymity


def without_rare(features: Sequence[Feature], table: Table, policy: Policy) -> tuple[Feature, ...]:
    """Return features in which undeclared values of fewer than a crowd are missing ones."""
    fewest = max((part.k for part in policy.require.parts if isinstance(part, KAnonymity)), default=2)
    return tuple(
        one
        if one.numeric or is_declared(one.attribute.name, policy)
        else _named(one, people_with(one.codes, one.size, table) >= fewest)
        for one in features
    )


def people_with(codes: Codes, size: int, table: Table) -> Int64s:
    """How many people have each of the values that some codes stand for, in any of their rows."""
    if table.persons is None:
        return np.bincount(codes, table.weights, size).astype(np.int64)
    pairs = np.unique(table.persons * size + codes)
    return np.bincount(pairs % size, minlength=size)


def _named(feature: Feature, often: Bools) -> Feature:
    """Return a feature that names only some of its values; the others share the code of a missing one."""
    kept = np.flatnonzero(often[: feature.plain])
    if len(kept) == feature.plain:
        return feature
    translate = np.full(feature.size, len(kept))
    translate[kept] = np.arange(len(kept))
    codes = translate[feature.codes].astype(np.min_scalar_type(len(kept)))
    # At every level, what is missing has a name of its own.
    levels = tuple(np.append(level[kept], level.max(initial=0) + 1) for level in feature.levels)
    values = tuple(feature.attribute.values[code] for code in kept.tolist())
    attribute = replace(feature.attribute, values=values, has_missing=True, others=True)
    return Feature(attribute, codes, len(kept) + 1, None, levels, whole=feature)
