"""The judge's spans of a tree: which leaves each person can reach by public values alone."""

from dataclasses import dataclass

import numpy as np

from kspan.audit.sets import Sets
from kspan.data.arrays import Int64s
from kspan.data.groups import Groups, count_groups
from kspan.data.table import Table
from kspan.model.partition import Partition
from kspan.model.tree.model import Attribute, Node, Region, Tree

PUBLIC = frozenset({"public"})


@dataclass(frozen=True, repr=False)
class OneTree:
    """The spans of one tree among some people."""

    span: Int64s
    """The span of every row."""
    groups: Groups
    """The people of each span, with their labels if the target is private."""
    example: Int64s
    """For each span, one kind of people who have it."""
    kind: Int64s
    """The kind of every row: those with the same public values are one."""
    reaches: list[Int64s]
    """For each leaf, the kinds of people who can reach it, in ascending order."""

    def leaves(self, span: int) -> list[int]:
        """Return the leaves that a span reaches, from left to right."""
        kind = self.example[span]
        places = ((leaf, kinds, int(np.searchsorted(kinds, kind))) for leaf, kinds in enumerate(self.reaches))
        return [leaf for leaf, kinds, place in places if place < len(kinds) and kinds[place] == kind]


def spans_of(tree: Tree, table: Table) -> OneTree:
    """Find the spans of a tree (Friedman et al. 2008, Definition 5): people who can reach the same bins.

    A bin is a leaf and a label. A private value may be anything in its domain that earlier questions have not ruled
    out, so a person goes down every branch that is still possible. Public values, and a public label, are known.
    """
    asked = sorted({node.attribute for node in tree.nodes() if node.attribute is not None})
    known = [tree.attributes[number].name for number in asked if tree.attributes[number].role == "public"]
    target_public = tree.target_role == "public"
    kinds = Partition.by_equality(table, [*known, tree.target] if target_public else known)
    row = np.empty(kinds.number, np.int64)
    # Any row of a kind will do: all have the same public values.
    row[kinds.group] = np.arange(table.rows)
    found = reaches(tree, table, row)
    sets, leaves = Sets(owners=kinds.number, members=len(found)), np.zeros(kinds.number, np.int64)
    for leaf, reaching in enumerate(found):
        sets.add(reaching, leaf)
        leaves[reaching] += 1
    span, example = sets.numbered(kinds.shown[tree.target].code if target_public else None)
    # A private label tells something even if all people have the same: the domain may have been taken from them.
    bins = leaves[example] * (1 if target_public else max(len(tree.labels), 2))
    rows = span[kinds.group]
    counted = count_groups(table, rows, len(example), () if target_public else (tree.target,))
    # People who reach no bin at all have a value that the tree does not know: that does not make them safe.
    return OneTree(rows, Groups(counted.sizes, counted.private, bins != 1), example, kinds.group, found)


def reaches(tree: Tree, table: Table, row: Int64s, *, known: frozenset[str] = PUBLIC) -> list[Int64s]:
    """Return, for each leaf from left to right, the kinds of people who can reach it; `row` has a row of each kind.

    Attributes with a role in `known` are known of people; of others they may have any value.
    """
    found: list[Int64s] = []
    waiting: list[tuple[Node, Int64s, dict[int, Region]]] = [(tree.root, np.arange(len(row)), {})]
    while waiting:
        node, kinds, private = waiting.pop()
        if node.attribute is None:
            found.append(kinds)
            continue
        attribute = tree.attributes[node.attribute]
        for edge in reversed(node.edges):
            if attribute.role in known:
                column = table[attribute.name]
                admitted = attribute.covers(edge.region, column)[column.codes[row[kinds]]]
                waiting.append((edge.node, kinds[admitted], private))
            else:
                left = intersection(private.get(node.attribute, everything(attribute)), edge.region)
                # A branch that nobody can take is followed all the same, so that each leaf keeps its number.
                possible = kinds if _is_possible(left, attribute) else kinds[:0]
                waiting.append((edge.node, possible, {**private, node.attribute: left}))
    return found


def everything(attribute: Attribute) -> Region:
    """Return the region that admits any value of an attribute."""
    if not attribute.is_measured:
        return Region(frozenset(attribute.values), (), attribute.has_missing)
    return Region(intervals=((None, None),), missing=attribute.has_missing)


def intersection(one: Region, other: Region) -> Region:
    """Return what both regions admit."""
    intervals = []
    for low, high in one.intervals:
        for other_low, other_high in other.intervals:
            bottom = max((bound for bound in (low, other_low) if bound is not None), default=None)
            top = min((bound for bound in (high, other_high) if bound is not None), default=None)
            if bottom is None or top is None or bottom < top:
                intervals.append((bottom, top))
    return Region(one.values & other.values, tuple(intervals), one.missing and other.missing)


def _is_possible(region: Region, attribute: Attribute) -> bool:
    """Does the region admit any value of the attribute's domain?"""
    if region.values or region.missing:
        return True
    low, high = attribute.low, attribute.high
    if low is None or high is None:
        return bool(region.intervals)
    # The domain is low <= x <= high, an interval bottom < x <= top.
    return any((bottom is None or bottom < high) and (top is None or top >= low) for bottom, top in region.intervals)
