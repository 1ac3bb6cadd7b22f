"""How the attributes of a tree spread among its people, coarse enough to be published beside it."""

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.table import Column, Table
from kspan.induce.atp.atp import pruned
from kspan.induce.atp.known_people import KnownPeople
from kspan.model.tree.model import Attribute, Edge, Node, Region, Tree
from kspan.model.tree.release import Marginal
from kspan.privacy import Requirement

BINS = 20
"""The most bins into which numbers are divided; each has about as many people."""


def marginals(
    tree: Tree, table: Table, requirement: Requirement, people: KnownPeople | None = None
) -> tuple[Marginal, ...]:
    """Return how each attribute of a tree spreads, in bins that all satisfy the requirement.

    An attribute by itself is a tree of one question, so it is pruned like one (`kspan.induce.atp`). An attribute that
    is left with fewer than two bins is omitted. Where earlier releases tell `people` apart, each of their classes
    satisfies it in every bin.
    """
    found = []
    for place, attribute in enumerate(tree.attributes):
        asked = _question(attribute, table[attribute.name], _by_label(table, attribute.name, tree.target), tree)
        if asked is not None and not (told := pruned(asked, requirement, people=people)).root.is_leaf:
            bins = tuple((edge.region, int(edge.node.people or 0)) for edge in told.root.edges)
            found.append(Marginal(place, bins))
    return tuple(found)


def _by_label(table: Table, name: str, target: str) -> Floats:
    """Count the people with each value (row) and label (column)."""
    column, labels = table[name], table[target]
    keys = column.codes.astype(np.int64) * labels.size + labels.codes
    people = np.bincount(keys, table.weights, minlength=column.size * labels.size)
    return people.reshape(column.size, labels.size).astype(np.float64)


def _question(attribute: Attribute, column: Column, counts: Floats, tree: Tree) -> Tree | None:
    """Return the tree that asks one attribute, by value or by bins of numbers; None without at least two of them."""
    if column.suppressed is not None:
        return None  # no bin admits a `*`, and bins must hold everybody
    parts = _numbers(column, counts) if attribute.is_measured else _categories(attribute, column, counts)
    if attribute.has_missing:
        # Bins must cover the whole domain, whether anybody lacks the value or not.
        missing = attribute.covers(Region(missing=True), column)
        parts.append((Region(missing=True), counts[missing].sum(axis=0)))
    if len(parts) < 2:
        return None
    edges = tuple(Edge(region, Node.of_counts(people.tolist())) for region, people in parts)
    root = Node.of_counts(counts.sum(axis=0).tolist(), 0, edges)
    return Tree((attribute,), tree.target, "private", tree.labels, root)


def _categories(attribute: Attribute, column: Column, counts: Floats) -> list[tuple[Region, Floats]]:
    code = {column.label(place): place for place in range(len(column.values))}
    nobody = np.zeros(counts.shape[1])
    return [
        (Region(frozenset({value})), counts[code[value]] if value in code else nobody) for value in attribute.values
    ]


def _numbers(column: Column, counts: Floats) -> list[tuple[Region, Floats]]:
    plain = counts[: len(column.values)]
    if not len(plain):
        return []
    ends = _ends(plain.sum(axis=1))
    values = column.values.astype(np.float64)
    # Open at both ends, so that neither the lowest nor the highest number is told.
    bounds = [None, *((values[end - 1] + values[end]) / 2 for end in ends[:-1].tolist()), None]
    starts = [0, *ends[:-1].tolist()]
    sums = np.add.reduceat(plain, starts, axis=0)
    return [(Region(intervals=((low, high),)), part) for low, high, part in zip(bounds, bounds[1:], sums, strict=False)]


def _ends(people: Floats) -> Int64s:
    """Return after how many values each bin ends, so that bins have about as many people.

    >>> _ends(np.array([100, 1, 1, 1, 100.0])).tolist()
    [2, 4, 5]
    """
    up_to = np.cumsum(people)
    # Rounded first: a share that is a whole number of bins on paper must not spill into the next one.
    bins = np.ceil(np.round(up_to / up_to[-1] * BINS, 9)).astype(np.int64)
    ends: Int64s = np.append(np.flatnonzero(np.diff(bins)) + 1, len(people))
    return ends
