"""All levels of all categorical features, stacked, so that a leaf is scored in a few steps over arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Bools, Int64s
from kspan.induce.tree.features import Feature


@dataclass(frozen=True, repr=False)
class Levels:
    """The names at each level of each feature, every name as a run of rows of a tally.

    The tally has one row for every code of every feature. The lowest level of a feature has its codes themselves.
    """

    rows: Int64s
    """Rows of the tally, name by name."""
    names: Int64s
    """Where the rows of each name begin in `rows`; the last entry is where all of them end."""
    begins: Int64s
    """Where the names of each level begin in `names`; the last entry is where all of them end."""
    public: Bools
    """Is the level one of a public feature?"""
    of_feature: tuple[range, ...]
    """The numbers of each feature's levels."""

    @classmethod
    def of(cls, features: Sequence[Feature], begins: Int64s) -> "Levels":
        """The levels of features whose codes begin at these rows of a tally."""
        rows, names = list[Int64s](), list[Int64s]()
        level_begins, public, of_feature = list[int](), list[bool](), list[range]()
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
            of_feature.append(range(first, len(level_begins)))
        return cls(
            # The empty array is for tables without any categorical feature.
            np.concatenate([*rows, np.empty(0, np.int64)]),
            np.concatenate([*names, [row_count]]),
            np.array([*level_begins, name_count]),
            np.array(public, bool),
            tuple(of_feature),
        )

    def summed(self, tally: Int64s) -> Int64s:
        """How many people have each name of each level, by label."""
        return np.add.reduceat(tally[self.rows], self.names[:-1], axis=0) if len(self.rows) else tally

    def count(self, are: Bools) -> Int64s:
        """How many names of each level are marked; `are` has a mark for every name."""
        return np.add.reduceat(are.astype(np.int64), self.begins[:-1]) if len(self.public) else self.begins[:0]
