"""What a tree tells of the private attributes that it asks: of everybody the region on the way to the own leaf.

Someone who knows the public values of people knows which leaves they can be in. If all people of a span are in leaves
behind `illness = hiv`, though its public values lead to others as well, their illness is told. So the regions of an
attribute that the paths to the leaves admit are its values here, and people whose leaf does not depend on it have none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kspan.audit.tree.reached import OneTree, everything, intersection
from kspan.audit.tree.truth import Ends
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import NO_WEIGHTS, tally
from kspan.data.kinds.words import WORDS
from kspan.data.table import Column, Table
from kspan.model.tree.model import Node, Region, Tree
from kspan.model.tree.paths import condition

ANYTHING = "anything"


@dataclass(frozen=True, repr=False)
class Told:
    """What one private attribute is told to be."""

    column: Column
    """The region of every row; code 0 is anything."""
    varies: Bools
    """For each row, whether its public values lead to different regions."""
    by_leaf: Int64s | None = None
    """The code of each leaf; None if several trees tell of the attribute."""


def told_of(tree: Tree, table: Table, spans: OneTree, ends: Ends) -> dict[str, Told]:
    """Return what the tree tells of each private attribute that it asks."""
    asked = {node.attribute for node in tree.nodes() if node.attribute is not None}
    found = {}
    for number in sorted(number for number in asked if tree.attributes[number].role == "private"):
        code, regions = _by_leaf(tree, number, table[tree.attributes[number].name])
        name = tree.attributes[number].name
        names = [ANYTHING, *(condition(tree.attributes[number], region) for region in regions)]
        of_row = code[np.maximum(ends.leaf, 0)]
        # Whoever goes several ways is told to have what any of them admits: often the same on all.
        both: dict[frozenset[int], int] = {}
        for row, leaves in ends.several.items():
            found_there = frozenset(code[list(leaves)].tolist())
            if len(found_there) == 1:
                of_row[row] = next(iter(found_there))
            else:
                of_row[row] = both.setdefault(found_there, len(names) + len(both))
        names += [" or ".join(names[one] for one in sorted(some)) for some in both]
        found[name] = Told(_column(name, of_row, names), _varies(code, spans)[spans.kind], code)
    return found


def joined(told: Iterable[Told]) -> Told:
    """Return what several trees tell of one attribute together."""
    first, *others = told
    for other in others:
        size = other.column.size
        keys = first.column.codes.astype(np.int64) * size + other.column.codes
        distinct, _, place = tally(keys, first.column.size * size, NO_WEIGHTS, locate=True)
        if distinct[0] != 0:  # code 0 stays anything, though nobody has it
            distinct, place = np.append(0, distinct), place + 1
        pairs = zip(*np.divmod(distinct, size), strict=True)
        names = [_together(first.column.label(a), other.column.label(b)) for a, b in pairs]
        first = Told(_column(first.column.name, place, names), first.varies | other.varies)
    return first


def _together(*names: str) -> str:
    """Say what several trees tell of the same people; what two of them tell is said once."""
    return " and ".join(dict.fromkeys(name for name in names if name != ANYTHING)) or ANYTHING


def _column(name: str, codes: Int64s, names: Sequence[str]) -> Column:
    return Column(name, WORDS, codes.astype(np.uint32), np.array(names, object))


def _by_leaf(tree: Tree, number: int, column: Column) -> tuple[Int64s, list[Region]]:
    """Return the code of the region of an attribute at each leaf, and the regions from code 1 on.

    Regions that admit the same of the values that people have are one: `age <= 5.2` tells no more than `age <= 5.7`
    where nobody is in between.
    """
    covers = tree.attributes[number].covers
    codes: list[int] = []
    regions: dict[bytes, int] = {}
    first: list[Region] = []
    waiting: list[tuple[Node, Region | None]] = [(tree.root, None)]
    while waiting:
        node, before = waiting.pop()
        if node.is_leaf:
            code = 0 if before is None else regions.setdefault(covers(before, column).tobytes(), len(regions) + 1)
            if before is not None and code > len(first):
                first.append(before)
            codes.append(code)
        for edge in reversed(node.edges):
            region = before
            if node.attribute == number:
                region = intersection(before or everything(tree.attributes[number]), edge.region)
            waiting.append((edge.node, region))
    return np.array(codes, np.int64), first


def _varies(code: Int64s, spans: OneTree) -> Bools:
    """Tell which kinds of people can be in leaves with different regions."""
    kinds = int(spans.kind.max()) + 1
    low, high = np.full(kinds, np.iinfo(np.int64).max), np.full(kinds, -1)
    for leaf, reaching in enumerate(spans.reaches):
        low[reaching] = np.minimum(low[reaching], code[leaf])
        high[reaching] = np.maximum(high[reaching], code[leaf])
    varies: Bools = low < high
    return varies
