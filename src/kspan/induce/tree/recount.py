"""Trees whose people are counted anew: with other people, or after the root has gone."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.data.table import Table
from kspan.model.tree.model import Edge, Node, Region, Tree

Interval = tuple[float | None, float | None]


def recounted(tree: Tree, table: Table) -> Tree:
    """A tree with the people of a table counted at every node; everybody must go one way only (see `goes_one_way`)."""
    label, order = label_places(tree, table), sent_down(tree, table)
    ends = np.cumsum([1, *(len(node.edges) for node, _ in order)]).tolist()
    made: list[Node | None] = [None] * len(order)
    for number in range(len(order) - 1, -1, -1):
        node, rows = order[number]
        weights = None if table.weights is None else table.weights[rows]
        counts = np.bincount(label[rows], weights, minlength=len(tree.labels))
        below = made[ends[number] : ends[number + 1]]
        edges = tuple(Edge(edge.region, son) for edge, son in zip(node.edges, below, strict=True) if son is not None)
        made[number] = Node.of_counts(counts.tolist(), node.attribute, edges)
    root = made[0]
    assert root is not None
    return replace(tree, root=root)


def sent_down(tree: Tree, table: Table) -> list[tuple[Node, Int64s]]:
    """All nodes of a tree, parents before sons and level by level, with the rows that come to each."""
    covered: dict[tuple[int, Region], Bools] = {}

    def admitted(number: int, region: Region, rows: Int64s) -> Int64s:
        attribute = tree.attributes[number]
        column = table[attribute.name]
        if (number, region) not in covered:
            covered[number, region] = attribute.covers(region, column)
        return rows[covered[number, region][column.codes[rows]]]

    order: list[tuple[Node, Int64s]] = [(tree.root, np.arange(table.rows))]
    for node, rows in order:  # which grows meanwhile
        if node.attribute is not None:
            asked = node.attribute
            order.extend((edge.node, admitted(asked, edge.region, rows)) for edge in node.edges)
    return order


def label_places(tree: Tree, table: Table) -> Int64s:
    """The place of each row's label among the labels of a tree."""
    target = table[tree.target]
    place = {label: number for number, label in enumerate(tree.labels)}
    return np.array([place[target.label(code)] for code in range(target.size)], np.int64)[target.codes]


def raised(tree: Tree, table: Table) -> Iterator[Tree]:
    """A tree, then its largest branch with everybody sent there, then the largest branch of that, and so on."""
    branch: Tree | None = tree
    while branch is not None:
        yield branch
        if (branch := without_root(branch)) is not None:
            branch = recounted(branch, table)


def goes_one_way(tree: Tree) -> bool:
    """Does everybody take one path, so that people can be counted? A missing value may be admitted by all edges."""
    return all(sum(edge.region.missing for edge in node.edges) <= 1 for node in tree.nodes())


def without_root(tree: Tree) -> Tree | None:
    """The largest branch of a tree in the place of its root; None if no branch can take it.

    Its people must be counted anew. If the branch asks the root's attribute again, it knows only the values that the
    root let through. Bounds of a number that the root set are simply removed. With categories or missing values that
    cannot be done, so there is no such tree.
    """
    root = tree.root
    asking = [edge for edge in root.edges if not edge.node.is_leaf]
    if root.attribute is None or not asking:
        return None
    branch = max(asking, key=lambda edge: edge.node.people or 0)
    attribute = tree.attributes[root.attribute]
    again = any(node.attribute == root.attribute for node in replace(tree, root=branch.node).nodes())
    if not again:
        return replace(tree, root=branch.node)
    if not attribute.is_measured or attribute.has_missing or len(branch.region.intervals) > 1:
        return None
    return replace(tree, root=_unbounded(branch.node, root.attribute, branch.region.intervals[0]))


def _unbounded(node: Node, attribute: int, bounds: Interval) -> Node:
    """A node with all below it, without the bounds that were set above for one numeric attribute."""
    low, high = bounds
    order, made = [node], dict[int, Node]()
    for one in order:
        order.extend(edge.node for edge in one.edges)
    for one in reversed(order):
        edges = []
        for edge in one.edges:
            region = edge.region
            if one.attribute == attribute:
                ends = (
                    (None if start == low else start, None if end == high else end) for start, end in region.intervals
                )
                region = replace(region, intervals=tuple(ends))
            edges.append(Edge(region, made[id(edge.node)]))
        made[id(one)] = replace(one, edges=tuple(edges))
    return made[id(node)]
