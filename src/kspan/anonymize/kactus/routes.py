"""The rows of a table at the nodes of a tree, each in one place, and the codes that each path admits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats
from kspan.data.table import Column, Table
from kspan.errors import DataError, ModelError, PolicyError, did_you_mean
from kspan.model.tree.model import Edge, Node, Region, Tree
from kspan.policy import Policy

Rows = NDArray[np.int32]
"""Places of rows in a table: four bytes are enough for two billion people."""

Runs = tuple[tuple[int, int], ...]
"""Some codes of a column, as runs in order: each from a first code up to, but not including, another."""

Path = Mapping[str, Runs]
"""The codes of every attribute that was asked on the way to a place."""


@dataclass(frozen=True, eq=False)
class VisitedNode:
    """A node to which somebody came, with the way there.

    `staying` are the rows that no branch takes: a node that asks keeps them, a leaf keeps all that come.
    """

    path: Path
    staying: Rows
    parent: "VisitedNode | None" = None
    asks: str | None = None
    """The attribute, if it is not a leaf."""
    sons: list["VisitedNode"] = field(default_factory=list)


def routed(tree: Tree, table: Table, policy: Policy) -> list[VisitedNode]:
    """Every place of a tree to which rows come, parents before sons; each row of the table is at one place.

    A row stays at the node that asks if no branch admits its value, or if it has none: a branch for missing values
    alone is followed, but not one that takes them with others (C4.5 sends them down all branches, scikit-learn to one
    side), since no cell could say so.
    """
    questions = Questions(tree, table, policy)
    places: list[VisitedNode] = []
    waiting: list[tuple[Node, Path, Rows, VisitedNode | None]] = [
        (tree.root, {}, np.arange(table.rows, dtype=np.int32), None)
    ]
    while waiting:
        node, path, rows, parent = waiting.pop()
        if node.attribute is None:
            place = VisitedNode(path, rows, parent)
        else:
            name, parts, admitted = questions.ask(node, rows)
            place = VisitedNode(path, parts[0], parent, name)
            # Reversed, so that the last one put on the stack, which is taken first, is the first branch.
            for edge, part, runs in reversed(list(zip(node.edges, parts[1:], admitted, strict=True))):
                if len(part):
                    narrower = common(path[name], runs) if name in path else runs
                    waiting.append((edge.node, {**path, name: narrower}, part, place))
        if parent is not None:
            parent.sons.append(place)
        places.append(place)
    return places


class Questions:
    """What a tree asks, in terms of the codes of a table."""

    def __init__(self, tree: Tree, table: Table, policy: Policy) -> None:
        self.tree, self.table = tree, table
        asked = sorted({node.attribute for node in tree.nodes() if node.attribute is not None})
        for name in (tree.attributes[number].name for number in asked):
            if name not in policy.public:
                raise PolicyError(
                    f"the tree asks {name!r}, which is not public{did_you_mean(name, policy.public)}: "
                    "grow it from the public attributes alone"
                )
            if name not in table.columns:
                raise DataError(f"the table lacks the column {name!r}, which the tree asks for")
        self.codes_of = {number: CodesByLabel(table[tree.attributes[number].name]) for number in asked}
        self.known: dict[tuple[int, Region], Runs] = {}

    def ask(self, node: Node, rows: Rows) -> tuple[str, list[Rows], list[Runs]]:
        """The attribute that a node asks, the rows that stay and those of each branch, and the codes of each branch.

        Rows are reordered in place.
        """
        from kspan.kernels.routes import divide_rows  # loading compiled code takes a moment

        assert node.attribute is not None
        column = self.codes_of[node.attribute].column
        admitted = [self.runs(node.attribute, edge) for edge in node.edges]
        branch = np.full(column.size, -1, np.int32)
        for number, runs in enumerate(admitted):
            for first, end in runs:
                branch[first:end] = number
        if np.count_nonzero(branch >= 0) < sum(end - first for runs in admitted for first, end in runs):
            raise ModelError(
                f"two branches of a node that asks {column.name!r} admit the same value: grow another tree"
            )
        ends = divide_rows(column.codes, branch, rows, len(node.edges))
        return column.name, [rows[begin:end] for begin, end in pairwise([0, *ends.tolist()])], admitted

    def runs(self, attribute: int, edge: Edge) -> Runs:
        """The codes that a branch admits."""
        key = attribute, edge.region
        if key not in self.known:
            self.known[key] = self.codes_of[attribute].admitted(edge.region)
        return self.known[key]


class CodesByLabel:
    """The codes of one column by their labels or numbers."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.numbers: Floats = column.values.astype(np.float64) if column.is_measured else np.empty(0)
        self.code: dict[str, int] = {}

    def admitted(self, region: Region) -> Runs:
        """The codes that a region admits; that of a missing value only if the region admits nothing else."""
        if region.values:
            if not self.code:
                self.code = {self.column.label(code): code for code in range(len(self.column.values))}
            return as_runs(self.code[value] for value in region.values if value in self.code)
        if region.intervals:
            return united(
                (0 if low is None else self._after(low), len(self.numbers) if high is None else self._after(high))
                for low, high in region.intervals
            )
        missing = self.column.missing
        return ((missing, missing + 1),) if region.missing and missing is not None else ()

    def _after(self, bound: float) -> int:
        """The first code of a number beyond a bound."""
        return int(np.searchsorted(self.numbers, bound, side="right"))


def as_runs(codes: Iterable[int]) -> Runs:
    """Single codes as runs.

    >>> as_runs([5, 1, 2])
    ((1, 3), (5, 6))
    """
    return united((code, code + 1) for code in codes)


def united(runs: Iterable[tuple[int, int]]) -> Runs:
    """The codes that are in any of some runs.

    >>> united([(5, 6), (0, 2), (1, 4), (7, 7)])
    ((0, 4), (5, 6))
    """
    found: list[tuple[int, int]] = []
    for first, end in sorted(runs):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif first < end:
            found.append((first, end))
    return tuple(found)


def common(some: Runs, others: Runs) -> Runs:
    """The codes that are in both.

    >>> common(((0, 4), (6, 9)), ((3, 7),))
    ((3, 4), (6, 7))
    """
    return united((max(a, c), min(b, d)) for a, b in some for c, d in others if max(a, c) < min(b, d))
