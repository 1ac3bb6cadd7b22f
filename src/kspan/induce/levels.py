"""All levels of all categorical features, stacked, so that a leaf is scored in a few steps over arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.induce.features import Feature


@dataclass(frozen=True, repr=False)
class Levels:
    """For each level of each feature the names that its codes have there, as runs of rows of a tally."""

    rows: Int64s
    """Of the tally (see `Growth.tally`), name by name."""
    names: Int64s
    """Where the rows of each name begin."""
    begins: Int64s
    """Where the names of each level begin."""
    public: Bools
    """Is the level one of a public feature?"""
    of_feature: tuple[tuple[int, int], ...]
    """The first level of each feature, and where its levels end; a numeric one has a level that means nothing."""

    @classmethod
    def of(cls, features: Sequence[Feature], begins: Int64s) -> "Levels":
        """The levels of features whose codes begin at these rows of a tally."""
        rows, names = list[Int64s](), list[Int64s]()
        level_begins, public, of_feature = list[int](), list[bool](), list[tuple[int, int]]()
        name_count = row_count = 0
        for feature, begin in zip(features, begins, strict=True):
            first = len(level_begins)
            for codes_to_names in (np.arange(feature.size), *feature.levels):
                order = np.argsort(codes_to_names, kind="stable")
                _, starts = np.unique(codes_to_names[order], return_index=True)
                level_begins.append(name_count)
                public.append(feature.public)
                rows.append(begin + order)
                names.append(row_count + starts)
                name_count += len(starts)
                row_count += feature.size
            of_feature.append((first, len(level_begins)))
        return cls(
            np.concatenate(rows), np.concatenate(names), np.array(level_begins), np.array(public), tuple(of_feature)
        )

    def summed(self, tally: Int64s) -> Int64s:
        """People of each name of each level, by label."""
        return np.add.reduceat(tally[self.rows], self.names, axis=0)

    def count(self, are: Bools) -> Int64s:
        """How many names of each level are so."""
        return np.add.reduceat(are.astype(np.int64), self.begins)
