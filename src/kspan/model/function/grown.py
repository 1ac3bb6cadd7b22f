"""Trees of ensembles as arrays, as their libraries grew them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Floats, Int64s

Numbers = NDArray[Any]
"""What a library makes of the cells of people: a row each, a column a feature."""


@dataclass(frozen=True, repr=False)
class Grown:
    """One tree; node 0 is its root.

    A number goes left if it is at most the threshold, a missing one if `missing_left` says so.
    """

    left: Int64s
    """The left child of each node; -1 at leaves."""
    right: Int64s
    feature: Int64s
    threshold: Floats
    missing_left: Bools
    name: Int64s
    """What the library calls each leaf."""
    rows: Int64s | None = None
    """How many rows came to each node when it was fitted, if that is told."""
    shares: Floats | None = None
    """The share of each label at each node, if that is told."""
    means: Floats | None = None
    """The mean of the target at each node, if that is told."""

    @property
    def leaves(self) -> Int64s:
        """The nodes that are leaves."""
        return np.flatnonzero(self.left < 0)

    @property
    def asked(self) -> set[int]:
        """The features that it asks about."""
        return set(np.unique(self.feature[self.left >= 0]).tolist())


@dataclass(frozen=True, repr=False)
class Trees:
    """Trees over one matrix of numbers."""

    grown: tuple[Grown, ...]
    precision: type = np.float32
    """How the library keeps numbers before it compares them."""
    leaves: Callable[[Numbers], Int64s] | None = None
    """The leaves of people as the library finds them, a column a tree."""
    drawn: Sequence[Int64s] | None = None
    """For each tree the rows that it was fitted on, perhaps several times each; None for all rows once."""
    knows_rows: bool = True
    """Is it known which rows each tree was fitted on?"""
    people: int | None = None
    """How many rows there were to draw from, if that is told."""
    prior: Floats | None = None
    """The share of each label among all rows, if that is told beside the trees."""
    missing: float | None = None
    """A number that counts as missing, if there is one."""
    labels: tuple[str, ...] = field(default=())
    """The labels that shares are about."""

    @cached_property
    def asked(self) -> set[int]:
        """The features that any of them asks about."""
        return {feature for tree in self.grown for feature in tree.asked}
