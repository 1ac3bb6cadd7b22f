"""Whom a rule leaves over: the rows of its tree without those of its leaf, as parts of people.

Half a person with the cell `{F|M}` may follow a rule for women. The half that is left is then a man's, so its cell is
narrowed to what the rule did not take; otherwise the next rule would be for women again, and take a half of that half.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS
from kspan.induce.lists.rules import way_to
from kspan.induce.tree.features import Feature
from kspan.induce.tree.grow import GrowingLeaf, Growth
from kspan.induce.tree.people import NO_SHARE, People

NOBODY = 1e-9
"""A part of a person no larger than this is taken for a rounding error."""


def with_equal_rows_together(growth: Growth) -> Growth:
    """The same people with equal rows as one row, if cells may admit several values: releases have many equal rows."""
    if not growth.spreading:
        return growth
    root = growth.root
    weight = root.share if len(root.share) else np.ones(len(root.rows))
    codes = [feature.codes[root.rows].astype(np.int64) for feature in growth.features]
    return _anew(growth, growth.features, [_Parts(codes, growth.people.label[root.rows].astype(np.int64), weight)])


def without(growth: Growth, leaf: GrowingLeaf) -> Growth:
    """The people of a tree without those of one of its leaves, ready to grow another tree."""
    if growth.spreading:
        return _parts_without(growth, leaf)
    left, root = np.zeros(len(growth.people.label)), growth.root
    left[root.rows] = root.share if len(root.share) else 1.0
    # A row occurs only once in a leaf, so that this takes away all of it.
    left[leaf.rows] -= leaf.share if len(leaf.share) else 1.0
    rows = np.flatnonzero(left > NOBODY).astype(np.int32)
    share = left[rows]
    growth.begin(rows, NO_SHARE if (share == 1).all() else share)
    return growth


@dataclass(frozen=True)
class _Parts:
    """Parts of people: the codes of each feature, their labels, and how much of a person each is."""

    codes: list[Int64s]
    label: Int64s
    weight: Floats


def _parts_without(growth: Growth, leaf: GrowingLeaf) -> Growth:
    """Everybody who left the way to a leaf at one of its nodes, with cells narrowed to what the way tells of them."""
    features, found = list(growth.features), list[_Parts]()
    for node, son in pairwise([growth.root, *way_to(leaf)]):
        others = [sibling for sibling in node.sons if sibling is not son]
        rows = np.concatenate([sibling.rows for sibling in others])
        weight = np.bincount(rows, np.concatenate([_share(sibling) for sibling in others]), len(growth.people.label))
        rows = np.flatnonzero(weight > NOBODY)
        codes = [feature.codes[rows].astype(np.int64) for feature in features]
        for number in growth.spreading:
            inside = _inside(growth, node, son, number)
            if inside is not None:
                features[number], codes[number] = _narrowed(features[number], codes[number], inside)
        found.append(_Parts(codes, growth.people.label[rows].astype(np.int64), weight[rows].astype(np.float64)))
    return _anew(growth, features, found)


def _inside(growth: Growth, node: GrowingLeaf, son: GrowingLeaf, number: int) -> Bools | None:
    """Which values those can have who came to a node but not to the given son; None if the feature was not asked."""
    inside, split, feature = growth.inside(node, number), node.split, growth.features[number]
    assert split is not None
    if split.feature != number:
        return inside
    elsewhere: Bools = split.by_code(feature)[: feature.plain] != son.place
    return elsewhere if inside is None else elsewhere & inside


def _narrowed(feature: Feature, codes: Int64s, inside: Bools) -> tuple[Feature, Int64s]:
    assert feature.spread is not None
    spread, codes = feature.spread.narrowed(codes, inside)
    return replace(feature, spread=spread), codes


def _share(leaf: GrowingLeaf) -> Floats:
    return leaf.share if len(leaf.share) else np.ones(len(leaf.rows))


def _anew(growth: Growth, features: Sequence[Feature], found: list[_Parts]) -> Growth:
    """Another tree, not yet grown, from parts of people; equal ones become one."""
    columns = [np.concatenate(each) for each in zip(*(parts.codes for parts in found), strict=True)]
    label = np.concatenate([parts.label for parts in found])
    weight = np.concatenate([parts.weight for parts in found])
    distinct, place = np.unique(np.column_stack([*columns, label]), axis=0, return_inverse=True)
    share = np.bincount(place.ravel(), weight, len(distinct)).astype(np.float64)
    people = People(distinct[:, -1], growth.people.labels, NO_WEIGHTS)
    told = [replace(feature, codes=distinct[:, number]) for number, feature in enumerate(features)]
    score, min_rows = growth.worth.score, growth.worth.min_rows
    anew = Growth(people, told, score=score, min_rows=min_rows, shares_missing=growth.shares_missing)
    # Which attributes have too many values for an average depends on all people there were.
    anew.worth.in_average = growth.worth.in_average
    anew.begin(np.arange(len(distinct), dtype=np.int32), share)
    return anew
