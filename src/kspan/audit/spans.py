"""The judge's spans: which leaves each person can reach by public values alone, from the released tree."""

from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Int64s
from kspan.data.groups import Groups, count_groups
from kspan.data.table import Table
from kspan.model.partition import Partition
from kspan.model.tree import Attribute, Node, Region, Tree


@dataclass(frozen=True, repr=False)
class TreeSpans:
    """The spans of a tree among some people."""

    span: Int64s
    """Of every row."""
    groups: Groups
    """The people of each span, with their labels if the target is private."""
    reached: list[Int64s]
    """The leaves of each span, left to right."""


def spans_of(tree: Tree, table: Table) -> TreeSpans:
    """The spans of a tree (Friedman et al. 2008, Definition 5): people who can reach the same bins.

    A bin is a leaf and a label. A private value may be anything in its domain that the questions above have not ruled
    out, so a person goes down every such branch; a public one is known, and a public label as well.
    """
    known = [attribute.name for attribute in tree.attributes if attribute.role == "public"]
    if tree.target_role == "public":
        known.append(tree.target)
    kinds = Partition.by_equality(table, known)
    example = np.empty(kinds.number, np.int64)
    example[kinds.group] = np.arange(table.rows)
    reaches = _reaches(tree, table, example)
    # Kinds of people who reach the same leaves, told apart by sums of random marks, 128 bits of them.
    marks = np.random.default_rng(0).integers(0, 1 << 63, (len(tree.leaves), 2), np.uint64)
    sums = np.zeros((kinds.number, 2), np.uint64)
    leaves = np.zeros(kinds.number, np.int64)
    for leaf, reaching in enumerate(reaches):
        sums[reaching] += marks[leaf]
        leaves[reaching] += 1
    if tree.target_role == "public":
        sums = np.column_stack([sums, kinds.shown[tree.target].code.astype(np.uint64)])
    _, first, span = np.unique(sums, axis=0, return_index=True, return_inverse=True)
    span = span.reshape(-1)
    bins = leaves[first] * (1 if tree.target_role == "public" else len(tree.labels))
    rows = span[kinds.group].astype(np.int64)
    private = (tree.target,) if tree.target_role == "private" else ()
    counted = count_groups(table, rows, len(first), private)
    return TreeSpans(rows, Groups(counted.sizes, counted.private, bins != 1), _leaves_of_spans(reaches, first))


def _leaves_of_spans(reaches: list[Int64s], first: Int64s) -> list[Int64s]:
    """The leaves that one kind of each span reaches; all of its kinds reach the same."""
    place = {int(kind): span for span, kind in enumerate(first)}
    reached: list[list[int]] = [[] for _ in first]
    for leaf, kinds in enumerate(reaches):
        for kind in np.intersect1d(kinds, first).tolist():
            reached[place[kind]].append(leaf)
    return [np.array(leaves, np.int64) for leaves in reached]


def _reaches(tree: Tree, table: Table, example: Int64s) -> list[Int64s]:
    """For each leaf, left to right, the kinds of people who can reach it; `example` has a row of each kind."""
    reaches: list[Int64s] = []
    waiting: list[tuple[Node, Int64s, dict[int, Region]]] = [(tree.root, np.arange(len(example)), {})]
    while waiting:
        node, kinds, private = waiting.pop()
        if node.attribute is None:
            reaches.append(kinds)
            continue
        attribute = tree.attributes[node.attribute]
        for edge in reversed(node.edges):
            if attribute.role == "public":
                column = table[attribute.name]
                admitted = edge.region.covers(column)[column.codes[example[kinds]]]
                waiting.append((edge.node, kinds[admitted], private))
            else:
                left = _intersection(private.get(node.attribute, _everything(attribute)), edge.region)
                possible = kinds if _is_possible(left, attribute) else kinds[:0]
                waiting.append((edge.node, possible, {**private, node.attribute: left}))
    return reaches


def _everything(attribute: Attribute) -> Region:
    if attribute.kind == "categorical":
        return Region(frozenset(attribute.values), (), attribute.has_missing)
    return Region(intervals=((None, None),), missing=attribute.has_missing)


def _intersection(one: Region, other: Region) -> Region:
    """What both admit."""
    intervals = []
    for low, high in one.intervals:
        for other_low, other_high in other.intervals:
            bottom = max((bound for bound in (low, other_low) if bound is not None), default=None)
            top = min((bound for bound in (high, other_high) if bound is not None), default=None)
            if bottom is None or top is None or bottom < top:
                intervals.append((bottom, top))
    return Region(one.values & other.values, tuple(intervals), one.missing and other.missing)


def _is_possible(region: Region, attribute: Attribute) -> bool:
    """Is there a value in the attribute's domain that the region admits?"""
    if region.values or region.missing:
        return True
    low, high = attribute.low, attribute.high
    if low is None or high is None:
        return bool(region.intervals)
    return any((bottom is None or bottom < high) and (top is None or top >= low) for bottom, top in region.intervals)
