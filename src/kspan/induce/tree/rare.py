"""Values that too few people have, and that nobody has declared: a tree does not name them.

They go where missing values go, and so does every value that nobody here has. Otherwise the tree would tell that one of
its people has such a value, however large the crowd of its branch.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kspan.data.arrays import Int64s
from kspan.data.table import Table
from kspan.induce.tree.features import Feature
from kspan.policy import Policy
from kspan.policy.values import is_declared
from kspan.privacy import KAnonymity, OnPrivate


def without_rare(features: Sequence[Feature], table: Table, policy: Policy) -> tuple[Feature, ...]:
    """Return features in which undeclared values of fewer than a crowd are missing ones.

    Values of private attributes of which something is required stay as they are: they are told apart by their names.
    """
    return tuple(
        one
        if one.numeric or is_declared(one.attribute.name, policy) or _is_required(one, policy)
        else _named(one, often)
        for one in features
        for often in [_people(one, table) >= _fewest(policy)]
    )


def _fewest(policy: Policy) -> int:
    """The fewest people who must have a value that is named: k, or two if no k is required."""
    return max((part.k for part in policy.require.parts if isinstance(part, KAnonymity)), default=2)


def _is_required(feature: Feature, policy: Policy) -> bool:
    name = feature.attribute.name
    parts = [part for part in policy.require.parts if isinstance(part, OnPrivate)]
    return not feature.public and any(name in part.looks_at((name,)) for part in parts)


def _people(feature: Feature, table: Table) -> Int64s:
    """How many people have each value, in any of their rows."""
    if table.persons is None:
        return np.bincount(feature.codes, table.weights, feature.size).astype(np.int64)
    pairs = np.unique(table.persons * feature.size + feature.codes)
    return np.bincount(pairs % feature.size, minlength=feature.size)


def _named(feature: Feature, often: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Feature:
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
    return Feature(attribute, codes, len(kept) + 1, None, levels)
