"""Which leaves of every tree each kind of people can reach, where every question is about one column.

A path asks for public values and for private ones, and whether a private cell can be on it does not depend on the
person. So people can be in the same leaves of all trees at the same time exactly if they can reach the same leaves of
every tree (see `audit/tree/spans.py`), and trees can be looked at one by one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kspan.audit.function.asked import Asked, Cells
from kspan.audit.function.numbers import NumbersOf, private_cells
from kspan.audit.function.outcomes import Outcomes, told_cells
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.kernels import forests
from kspan.model.function.grown import Grown

Bits = NDArray[np.uint64]
ALL = np.iinfo(np.uint64).max


@dataclass(frozen=True, repr=False)
class PrivateCells:
    """All private cells that trees can tell apart, those of each attribute being neighbors."""

    cells: Mapping[str, Cells]
    first: Mapping[str, int]
    number: int

    def of(self, name: str) -> slice:
        """Return where the cells of an attribute are."""
        return slice(self.first[name], self.first[name] + len(self.cells[name]))


def private_of(numbers: Sequence[NumbersOf], asked: Asked) -> PrivateCells | None:
    """Return the private cells to look at; None unless every question is about one column with cells to list."""
    for made in numbers:
        every = made.forest.trees.asked
        if asked.private and (made.owner is None or any(made.owner[feature] is None for feature in every)):
            return None
    cells, first, number = dict[str, Cells](), dict[str, int](), 0
    for name in asked.private:
        found = private_cells(numbers, name)
        if found is None:
            return None
        cells[name], first[name] = found, number
        number += len(found)
    private = PrivateCells(cells, first, number)
    return private if all(_one_by_one(made, private, asked) for made in numbers) else None


def _one_by_one(made: NumbersOf, private: PrivateCells, asked: Asked) -> bool:
    """Are the numbers of all people made from one private cell each, as the steps promise?"""
    if made.one_hot or not asked.private:
        return True
    people = made.of_rows(np.arange(asked.table.rows))
    for name, cells in private.cells.items():
        mine = [feature for feature, owner in enumerate(made.owner or ()) if owner == name]
        place = np.zeros(cells.column.size, np.int64)
        place[cells.code[cells.code >= 0]] = np.flatnonzero(cells.code >= 0)
        there = made.of_cells(name, cells.series)[place[cells.column.codes]][:, mine]
        if not np.array_equal(there, people[:, mine], equal_nan=True):
            return False
    return True


def reached_leaves(
    numbers: Sequence[NumbersOf], ends: Sequence[Int64s], private: PrivateCells, asked: Asked
) -> Outcomes:
    """Find the leaves that each kind of people can reach; `ends` are those where people are, a column a tree."""
    kinds, attributes = asked.kinds.number, len(asked.private)
    sums, leaves = np.zeros((kinds, 2), np.uint64), np.zeros(kinds, np.int64)
    varies = np.zeros((kinds, 2 * attributes), bool)
    own = np.zeros((asked.table.rows, 2), np.uint64)
    told = np.full((asked.table.rows, (private.number + 63) // 64), ALL, np.uint64)
    marks = np.random.default_rng(0)
    for made, end in zip(numbers, ends, strict=True):
        if private.number:
            cells, first, last = _private_numbers(made, private)
            of_kinds = made.of_rows(asked.row)
        for place, tree in enumerate(made.forest.trees.grown):
            mark = marks.integers(0, 1 << 63, (len(tree.left), 2), np.uint64)
            own += mark[end[:, place]]
            if not private.number:  # everybody reaches one leaf, where the own people are
                sums += mark[end[asked.row, place]]
                leaves += 1
                continue
            admitted, possible = _admitted(tree, cells, first, last)
            says = _says(tree, admitted, private)
            arrays = (tree.left, tree.right, tree.feature, tree.threshold, tree.missing_left)
            forests.reached(of_kinds, first < last, *arrays, possible, mark, says, sums, leaves, varies)
            told &= admitted[end[:, place]]
    _, span = np.unique(sums, axis=0, return_inverse=True)
    _, outcome = np.unique(own, axis=0, return_inverse=True)
    trees = sum(len(made.forest.trees.grown) for made in numbers)
    differ = np.asarray(varies.reshape(kinds, attributes, 2).any(axis=2))
    _, some, row = np.unique(marked(told), axis=0, return_index=True, return_inverse=True)
    bits = _bits(told[some], private.number)
    says_of = {
        name: told_cells(name, bits[:, private.of(name)], row.reshape(-1), cells_of.code >= 0, differ[:, place])
        for place, (name, cells_of) in enumerate(private.cells.items())
    }
    several: Bools = leaves > trees
    return Outcomes(span.reshape(-1).astype(np.int64), several, outcome.reshape(-1).astype(np.int64), says_of)


def _private_numbers(made: NumbersOf, private: PrivateCells) -> tuple[Floats, Int64s, Int64s]:
    """Return the numbers of all private cells, and for each feature from which cell to which it has its cells."""
    width = made.of_rows(np.zeros(1, np.int64)).shape[1]
    numbers, first, last = np.zeros((private.number, width)), np.zeros(width, np.int64), np.zeros(width, np.int64)
    for name, cells in private.cells.items():
        where = private.of(name)
        numbers[where] = made.of_cells(name, cells.series)
        for feature, owner in enumerate(made.owner or ()):
            if owner == name:
                first[feature], last[feature] = where.start, where.stop
    return numbers, first, last


def _admitted(tree: Grown, cells: Floats, first: Int64s, last: Int64s) -> tuple[Bits, Bools]:
    """Return which private cells can come to each node, a bit each, and which nodes can be reached at all."""
    admitted = np.full((len(tree.left), (len(cells) + 63) // 64), ALL, np.uint64)
    possible = np.ones(len(tree.left), bool)
    if (first[tree.feature[tree.left >= 0]] < last[tree.feature[tree.left >= 0]]).any():
        arrays = (tree.left, tree.right, tree.feature, tree.threshold, tree.missing_left)
        forests.narrowed(np.ascontiguousarray(cells.T), first, last, *arrays, admitted, possible)
    return admitted, possible


def _bits(words: Bits, number: int) -> Bools:
    """Return bits as a column each."""
    return np.unpackbits(words.view(np.uint8), axis=1, count=number, bitorder="little").astype(bool)


def _says(tree: Grown, admitted: Bits, private: PrivateCells) -> Bits:
    """Return what each leaf says of each private attribute, as pairs of numbers that differ where that differs.

    Only cells that people have count, unless all are admitted.
    """
    says = np.zeros((len(tree.left), 2 * len(private.cells)), np.uint64)
    leaves = tree.leaves
    words = admitted[leaves]
    for place, (name, cells) in enumerate(private.cells.items()):
        where = np.arange(private.number)
        mine = (where >= private.first[name]) & (where < private.first[name] + len(cells))
        of_people = mine.copy()
        of_people[mine] = cells.code >= 0
        every, some = _words(mine), _words(of_people)
        is_all = ((words & every) == every).all(axis=1)
        says[leaves, 2 * place : 2 * place + 2] = np.where(np.asarray(is_all)[:, None], 0, marked(words & some))
    return says


def _words(bits: Bools) -> Bits:
    """Return bits as numbers of 64."""
    padded = np.zeros(-(-len(bits) // 64) * 64, bool)
    padded[: len(bits)] = bits
    return np.packbits(padded, bitorder="little").view(np.uint64)


def marked(words: Bits) -> Bits:
    """Return two sums for each row of words, which differ where rows differ: parts of the words times random factors.

    Of numbers of 32 bits times factors of 64, modulo 2^64, two different rows have the same sums once in 2^64 times.
    """
    parts = words.view(np.uint32).astype(np.uint64)
    factors: Bits = np.random.default_rng(0).integers(0, 1 << 64, (parts.shape[1], 2), np.uint64)
    sums: Bits = parts @ factors
    return sums
