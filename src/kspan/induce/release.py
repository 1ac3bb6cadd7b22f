"""From what has grown to a tree that knows no row."""

from dataclasses import replace

import numpy as np

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.grow import Growth, Leaf
from kspan.induce.people import Split
from kspan.model.outcome import plain
from kspan.model.tree import Edge, Node, Region, Role, Tree

Bounds = dict[int, tuple[float | None, float | None]]
"""Of numeric features that were asked above."""


def released(growth: Growth, table: Table, schema: Schema) -> Tree:
    """What has grown, as it is released."""
    target = table[str(schema.target)]
    labels = tuple(target.label(code) for code in range(target.size))
    role: Role = "public" if schema.target in schema.public else "private"
    attributes = tuple(feature.attribute for feature in growth.features)
    if growth.shares_missing:
        # Such a tree knows what to do without any value.
        attributes = tuple(replace(attribute, has_missing=True) for attribute in attributes)
    return Tree(attributes, target.name, role, labels, released_node(growth))


def released_node(growth: Growth) -> Node:
    """The root of what has grown, with all that is below it."""
    order: list[tuple[Leaf, Bounds]] = [(growth.root, {})]
    regions: dict[Leaf, list[Region]] = {}
    categories: dict[Split, list[Region]] = {}
    for leaf, bounds in order:
        if leaf.split is None:
            continue
        if leaf.split.cut < 0:
            if leaf.split not in categories:
                categories[leaf.split] = _categories(growth, leaf.split)
            regions[leaf] = categories[leaf.split]
            order.extend((son, bounds) for son in leaf.sons)
            continue
        regions[leaf] = _intervals(growth, leaf.split, *bounds.get(leaf.split.feature, (None, None)))
        for son, region in zip(leaf.sons, regions[leaf], strict=True):
            order.append((son, {**bounds, leaf.split.feature: region.intervals[0]} if region.intervals else bounds))
    made: dict[Leaf, Node] = {}
    for leaf, _ in reversed(order):
        counts = map(plain, leaf.counts.tolist()) if growth.shares_missing else leaf.counts.astype(np.int64).tolist()
        if leaf.split is None:
            made[leaf] = Node.of_counts(counts)
            continue
        sons = (made.pop(son) for son in leaf.sons)
        edges = (Edge(region, son) for region, son in zip(regions[leaf], sons, strict=True))
        made[leaf] = Node.of_counts(counts, leaf.split.feature, tuple(edges))
    return made[growth.root]


def _categories(growth: Growth, split: Split) -> list[Region]:
    """What the branches to the sons of a categorical question admit; all of them a missing value, if they share it."""
    feature, shared = growth.features[split.feature], growth.shares_missing
    found = [feature.region(np.flatnonzero(inside)) for inside in split.codes]
    return [replace(region, missing=True) for region in found] if shared else found


def _intervals(growth: Growth, split: Split, low: float | None, high: float | None) -> list[Region]:
    """The same of a threshold between the bounds of those above; a third branch is for a missing number."""
    shared = growth.shares_missing
    sides = [Region(intervals=(side,), missing=shared) for side in ((low, split.at), (split.at, high))]
    return [*sides, Region(missing=True)] if split.sons == 3 else sides
