"""A decision tree as it is released: what each branch admits, how many people of each label; it knows no row."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.domain import Kind
from kspan.data.table import Column, Table

Role = Literal["public", "private"]


@dataclass(frozen=True)
class Attribute:
    """What a tree may ask of a person: a category of its domain, or a number in its range."""

    name: str
    role: Role
    kind: Kind
    values: tuple[str, ...] = ()
    """The domain of a categorical attribute."""
    low: float | None = None
    high: float | None = None
    """The range of a numeric one, if it is declared; without one it may be any number."""
    has_missing: bool = False
    """May the value be missing? That is a value of its own, which an attacker sees if the attribute is public."""


@dataclass(frozen=True)
class Region:
    """The values of one attribute that a branch admits.

    Categories by name; numbers by intervals `low < x <= high`, where None is no bound; and whether a missing value.
    """

    values: frozenset[str] = frozenset()
    intervals: tuple[tuple[float | None, float | None], ...] = ()
    missing: bool = False

    def covers(self, column: Column) -> Bools:
        """Which codes of a column it admits."""
        if column.values.dtype == object:
            plain = np.fromiter((label in self.values for label in column.values), bool, len(column.values))
        elif self.values:
            plain = np.array([column.label(code) in self.values for code in range(len(column.values))], bool)
        else:
            numbers = column.values.astype(np.float64)
            plain = np.zeros(len(numbers), bool)
            for low, high in self.intervals:
                above = True if low is None else numbers > low
                plain |= above & (True if high is None else numbers <= high)
        rest = [False] * column.has_suppressed + [self.missing] * column.has_missing
        return np.concatenate([plain, np.array(rest, bool)])


@dataclass(frozen=True)
class Edge:
    """A branch: what it admits of its node's attribute, and where it leads."""

    region: Region
    node: "Node"


@dataclass(frozen=True, repr=False)
class Node:
    """People by label, and how they divide; a leaf has no edges."""

    counts: tuple[int, ...]
    attribute: int | None = None
    edges: tuple[Edge, ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Does it ask nothing more?"""
        return not self.edges

    @property
    def people(self) -> int:
        """How many there are."""
        return sum(self.counts)

    def __repr__(self) -> str:
        return f"Node({self.people} people, {len(self.edges)} edges)"


@dataclass(frozen=True, repr=False)
class Tree:
    """A decision tree with the domain of every attribute that it was offered."""

    attributes: tuple[Attribute, ...]
    target: str
    target_role: Role
    labels: tuple[str, ...]
    root: Node

    def __repr__(self) -> str:
        return f"Tree({len(self.leaves)} leaves, {self.root.people} people, target {self.target!r})"

    def nodes(self) -> Iterator[Node]:
        """Every node, parents before children, left to right."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(edge.node for edge in reversed(node.edges))

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        """The leaves, left to right."""
        return tuple(node for node in self.nodes() if node.is_leaf)

    def walk(self, table: Table) -> Iterator[tuple[Node, Int64s]]:
        """Every node with the rows of a table that reach it, parents before children."""
        waiting = [(self.root, np.arange(table.rows))]
        while waiting:
            node, rows = waiting.pop()
            yield node, rows
            if node.attribute is not None:
                column = table[self.attributes[node.attribute].name]
                codes = column.codes[rows]
                waiting.extend((edge.node, rows[edge.region.covers(column)[codes]]) for edge in reversed(node.edges))

    def shares(self, table: Table) -> Floats:
        """For each row of a table the share of each label where it ends.

        Where that is empty, or no branch admits the row, the last node on the way with people in it answers.
        """
        shares = np.full((table.rows, len(self.labels)), 1 / len(self.labels))
        for node, rows in self.walk(table):
            if node.people:
                shares[rows] = np.array(node.counts) / node.people
        return shares
