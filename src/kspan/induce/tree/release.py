"""From what has grown to a tree that knows no row."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.kinds.kind import Kind
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.induce.tree.grow import GrowingLeaf, Growth
from kspan.induce.tree.people import Split
from kspan.limits import MOST_EMPTY
from kspan.model.outcome import LabelCounts, NumberDisclosure, Numbers, Outcome, plain
from kspan.model.quantiles import Rounding, numbers_told
from kspan.model.tree.model import Attribute, Edge, Node, Region, Role, Target, Tree

Bounds = dict[int, tuple[float | None, float | None]]
"""The lower and the upper bound of each numeric feature that was asked above."""


@dataclass(frozen=True, repr=False)
class ToldNumbers:
    """What nodes tell of a target that is a number."""

    values: Floats
    """The number of each row."""
    weights: Int64s
    rounding: Rounding
    disclosure: NumberDisclosure
    column: Column

    @property
    def kind(self) -> Kind:
        """The kind of the numbers."""
        return self.column.kind

    def target(self, role: Role) -> Target:
        """The target as a tree names it."""
        return Target(self.column.name, role, kind=self.kind)

    @classmethod
    def of(cls, column: Column, weights: Int64s, crowd: int, disclosure: NumberDisclosure) -> Self:
        """Numbers of a column, of which no more is told than a crowd of so many has."""
        values = column.values.astype(np.float64)[column.codes]
        people = weights if len(weights) else None
        return cls(values, weights, Rounding(values, crowd, people=people, kind=column.kind), disclosure, column)

    def outcome(self, leaf: GrowingLeaf) -> Numbers:
        """What a node tells of its people."""
        weights = self.weights[leaf.rows].astype(np.float64) if len(self.weights) else None
        return numbers_told(self.values[leaf.rows], weights, self.rounding, self.disclosure)


@dataclass(frozen=True, repr=False)
class ToldLabels:
    """What nodes tell of a further target that has labels."""

    column: Column
    weights: Int64s

    def target(self, role: Role) -> Target:
        """The target as a tree names it."""
        return Target(self.column.name, role, _labels(self.column))

    def outcome(self, leaf: GrowingLeaf) -> LabelCounts:
        """What a node tells of its people."""
        weights = self.weights[leaf.rows] if len(self.weights) else None
        people = np.bincount(self.column.codes[leaf.rows], weights, self.column.size)
        return LabelCounts(tuple(people.astype(np.int64).tolist()))


def released(
    growth: Growth,
    table: Table,
    schema: Schema,
    numbers: ToldNumbers | None = None,
    others: Sequence[ToldLabels | ToldNumbers] = (),
) -> Tree:
    """What has grown, in the form in which it is released; it tells labels, unless `numbers` are given.

    `others` are told at every node as well.
    """
    attributes, name, role, labels = head(growth, table, schema)
    root = released_node(growth, None if numbers is None else numbers.outcome, [one.outcome for one in others])
    return Tree(
        attributes,
        name,
        role,
        labels if numbers is None else (),
        root,
        counts_rows=table.persons is not None,
        target_kind=None if numbers is None else numbers.kind,
        others=tuple(one.target(_role(schema, one.column.name)) for one in others),
    )


def head(growth: Growth, table: Table, schema: Schema) -> tuple[tuple[Attribute, ...], str, Role, tuple[str, ...]]:
    """What every model tells: the attributes, and the name, the role and the labels of the target."""
    target = table[str(schema.target)]
    attributes = tuple(feature.attribute for feature in growth.features)
    if growth.shares_missing:
        # Such a tree knows what to do without any value.
        attributes = tuple(replace(attribute, has_missing=True) for attribute in attributes)
    return attributes, target.name, _role(schema, target.name), _labels(target)


def _labels(column: Column) -> tuple[str, ...]:
    return tuple(column.label(code) for code in range(column.size))


def _role(schema: Schema, name: str) -> Role:
    return "public" if name in schema.public else "private"


@dataclass
class _Open:
    """A node whose sons are being made."""

    leaf: GrowingLeaf
    bounds: Bounds
    regions: list[Region]
    edges: list[Edge] = field(default_factory=list)


Tell: TypeAlias = Callable[[GrowingLeaf], Outcome]
"""Says what a node tells of its people."""


def released_node(growth: Growth, told: Tell | None = None, others: Sequence[Tell] = ()) -> Node:
    """The root of what has grown, with all nodes below it; nodes tell counts of labels, or what `told` says.

    They also tell what `others` say.

    Sons are made before their parents, without recursion: `way` leads from the root to the node that is being made.
    """
    # Many nodes share one split (see `Growth.by_level`), so that what its branches admit is found once.
    categories: dict[Split, list[Region]] = {}
    way = [_opened(growth, growth.root, {}, categories)]
    while True:
        last = way[-1]
        place = len(last.edges)
        if place < len(last.leaf.sons):
            way.append(_opened(growth, last.leaf.sons[place], _inside(last, place), categories))
            continue
        outcome = _counts(growth, last.leaf) if told is None else told(last.leaf)
        beside = tuple(tell(last.leaf) for tell in others)
        node = Node(outcome, last.leaf.split.feature if last.leaf.split else None, _joined(last.edges), beside)
        way.pop()
        if not way:
            return node
        above = way[-1]
        above.edges.append(Edge(above.regions[len(above.edges)], node))


def _counts(growth: Growth, leaf: GrowingLeaf) -> LabelCounts:
    # Without rows that are shared out, all counts are whole.
    fractions = growth.shares_missing or bool(growth.spreading)
    return LabelCounts(tuple(map(plain, leaf.counts.tolist()) if fractions else leaf.counts.astype(np.int64).tolist()))


def _opened(growth: Growth, leaf: GrowingLeaf, bounds: Bounds, categories: dict[Split, list[Region]]) -> _Open:
    split = leaf.split
    if split is None:
        return _Open(leaf, bounds, [])
    if split.cut >= 0:
        return _Open(leaf, bounds, _intervals(growth, split, *bounds.get(split.feature, (None, None))))
    if split not in categories:
        categories[split] = _categories(growth, split)
    return _Open(leaf, bounds, categories[split])


def _joined(edges: list[Edge]) -> tuple[Edge, ...]:
    """The branches of a node; if very many lead to nobody, these become one (a hierarchy may list a whole country)."""
    empty = [edge for edge in edges if edge.node.is_leaf and not edge.node.people and edge.region.values]
    if len(empty) <= MOST_EMPTY:
        return tuple(edges)
    values = frozenset[str]().union(*(edge.region.values for edge in empty))
    nobody = Edge(Region(values, (), any(edge.region.missing for edge in empty)), empty[0].node)
    left = {id(edge) for edge in empty}
    return (*(edge for edge in edges if id(edge) not in left), nobody)


def _inside(node: _Open, place: int) -> Bounds:
    """The bounds of numeric features below a branch."""
    intervals = node.regions[place].intervals
    assert node.leaf.split is not None
    return {**node.bounds, node.leaf.split.feature: intervals[0]} if intervals else node.bounds


def _categories(growth: Growth, split: Split) -> list[Region]:
    """What each branch of a categorical question admits; if missing values are shared, every branch admits them."""
    feature, shared = growth.features[split.feature], growth.shares_missing
    found = [feature.region(codes) for codes in split.codes]
    return [replace(region, missing=True) for region in found] if shared else found


def _intervals(growth: Growth, split: Split, low: float | None, high: float | None) -> list[Region]:
    """What each branch of a threshold admits, within the bounds set above; missing numbers may have a third branch."""
    if math.isinf(split.at):
        return [Region(intervals=((low, high),)), Region(missing=True)]
    shared = growth.shares_missing
    sides = [
        Region(intervals=(side,), missing=shared or place == split.missing)
        for place, side in enumerate(((low, split.at), (split.at, high)))
    ]
    return [*sides, Region(missing=True)] if split.sons == 3 else sides
