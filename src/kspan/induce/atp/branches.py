"""The branches of a tree as arrays that can be merged."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.garbage import uncollected
from kspan.model.outcome import HitMiss, LabelCounts, Outcome, reduced, whole
from kspan.model.tree.model import Edge, Node, Region, Tree

Interval = tuple[float | None, float | None]
SLACK = 1e-9
"""Sums of shares may be off by so much before they are rounded up."""


@dataclass(repr=False)
class Branches:
    """All nodes of a tree, parents before children, with how many people of each label they have, told or estimated."""

    nodes: list[Node]
    sons: list[list[int]]
    regions: list[list[Region]]
    """What the edge to each node admits: a list, because a merged node has the regions of several edges."""
    depth: list[int]
    counts: Floats
    """People by node and label. If estimated, all labels of a node but the commonest have equally many."""
    estimated: bool
    changed: set[int] = field(default_factory=set)
    """The nodes that are not as they were."""

    @classmethod
    @uncollected()
    def of(cls, tree: Tree, *, estimated: bool) -> "Branches":
        """The branches of a tree; estimated from hit and miss at its leaves (Tian et al., Eq. 2 and 3)."""
        nodes, sons, regions, depth = [tree.root], list[list[int]](), [list[Region]()], [0]
        for place, node in enumerate(nodes):
            sons.append(list(range(len(nodes), len(nodes) + len(node.edges))))
            nodes.extend(edge.node for edge in node.edges)
            regions.extend([edge.region] for edge in node.edges)
            depth.extend([depth[place] + 1] * len(node.edges))
        if estimated:
            counts = np.array([_estimated(node.outcome, len(tree.labels)) for node in nodes])
        else:
            counts = np.array([node.counts for node in nodes], np.float64)
        branches = cls(nodes, sons, regions, depth, counts, estimated)
        if estimated:
            branches.propagate()
        return branches

    def propagate(self) -> None:
        """Estimate every node that is no leaf from its children."""
        for node in range(len(self.nodes) - 1, -1, -1):
            if self.sons[node]:
                self.counts[node] = settled(self.counts[self.sons[node]].sum(axis=0)[None])[0]

    def levels_from_the_bottom(self) -> list[list[int]]:
        """The nodes that ask something, level by level, the deepest first."""
        levels: dict[int, list[int]] = defaultdict(list)
        for node, sons in enumerate(self.sons):
            if sons:
                levels[self.depth[node]].append(node)
        return [levels[depth] for depth in sorted(levels, reverse=True)]

    def merged(self, some: Int64s, others: Int64s) -> Floats:
        """The labels of the leaf that each pair of nodes would become: those that a parent of both would have."""
        sums = self.counts[some] + self.counts[others]
        return settled(sums) if self.estimated else sums

    def unite(self, first: int, second: int, counts: Floats) -> None:
        """Make a leaf of the first of two children, which takes in the second."""
        self.become_leaf(first, counts)
        self.regions[first].extend(self.regions[second])

    def become_leaf(self, node: int, counts: Floats) -> None:
        """Make a node a leaf with these labels."""
        self.keep(node, [])
        self.counts[node] = counts

    def keep(self, node: int, sons: list[int]) -> None:
        """Leave a node only these children."""
        self.sons[node] = sons
        self.changed.add(node)

    @uncollected()
    def tree(self, like: Tree) -> Tree:
        """What is left, as a tree."""
        order, made = [0], dict[int, Node]()
        for place in order:
            order.extend(self.sons[place])
        for place in reversed(order):
            sons, node = [made.pop(son) for son in self.sons[place]], self.nodes[place]
            # A node with no change at or below it stays as it was; estimated ones are all written anew.
            same = all(edge.node is son for edge, son in zip(node.edges, sons, strict=False))
            if place in self.changed or self.estimated or not same:
                regions = (_united(self.regions[son]) for son in self.sons[place])
                edges = tuple(map(Edge, regions, sons))
                node = Node(self.outcome(place), node.attribute if edges else None, edges)
            made[place] = node
        return replace(like, root=made[0])

    def outcome(self, place: int) -> Outcome:
        """What a node tells of its labels."""
        row = self.counts[place]
        if not self.estimated:
            return LabelCounts(tuple(row.tolist()))
        if not row.any():
            return HitMiss(None, 0, 0)
        own = self.nodes[place].outcome
        most = int(row.argmax())
        # Of two labels with as many people, a leaf that was not merged keeps the one that it told.
        if own.label is not None and row[own.label] == row[most]:
            most = own.label
        return HitMiss(most, whole(row[most]), whole(round(float(row.sum() - row[most]), 9)))

    def uncertainty(self) -> Floats:
        """For each node, how many bits it would take to know the labels of all people at the leaves below it."""
        bits = uncertainty(self.counts)
        for node in range(len(self.nodes) - 1, -1, -1):
            if self.sons[node]:
                bits[node] = bits[self.sons[node]].sum()
        return bits


def settled(counts: Floats) -> Floats:
    """Estimated labels as a node tells them: the commonest rounded up, all others alike (Tian et al., Eq. 3).

    Node b of the paper's Example 15 has 12 hits and 38 misses:

    >>> settled(np.array([[11.25, 11, 9.75, 11, 7]])).tolist()
    [[12.0, 9.5, 9.5, 9.5, 9.5]]
    """
    people = counts.sum(axis=1)
    hit = np.minimum(np.ceil(counts.max(axis=1) - SLACK), people)
    labels = counts.shape[1]
    rows = np.repeat(((people - hit) / max(labels - 1, 1))[:, None], labels, axis=1)
    rows[np.arange(len(rows)), counts.argmax(axis=1)] = hit
    return rows


def uncertainty(counts: Floats) -> Floats:
    """How many bits it would take to know the labels of all people of each leaf: people times entropy.

    >>> uncertainty(np.array([[2.0, 2.0], [3.0, 0.0]])).tolist()
    [4.0, 0.0]
    """
    people = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(counts > 0, counts * np.log2(people / counts), 0.0)
    total: Floats = bits.sum(axis=1)
    return total


def _estimated(outcome: Outcome, labels: int) -> Floats:
    """The labels that hit and miss stand for, if all labels that miss are equally likely."""
    told = reduced(outcome, "hit-miss")
    assert isinstance(told, HitMiss)
    row = np.full(labels, told.miss / max(labels - 1, 1))
    if told.label is not None:
        row[told.label] = told.hit
    return row


def _united(regions: list[Region]) -> Region:
    """What any of some regions admits; intervals that touch become one."""
    if len(regions) == 1:
        return regions[0]
    values = frozenset[str]().union(*(region.values for region in regions))
    intervals = joined(interval for region in regions for interval in region.intervals)
    return Region(values, intervals, any(region.missing for region in regions))


def joined(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """Put disjoint intervals in order, and join those that touch.

    >>> joined([(37, None), (None, 20), (20, 30)])
    ((None, 30), (37, None))
    """
    made: list[Interval] = []
    for low, high in sorted(intervals, key=lambda one: -math.inf if one[0] is None else one[0]):
        if made and made[-1][1] == low:
            made[-1] = (made[-1][0], high)
        else:
            made.append((low, high))
    return tuple(made)
