"""Means of private numbers: one may be told of a crowd only, since that of few people is their numbers.

Spans do not see to that. Below a private question there may be a single person: nobody knows who it is, but everybody
reads the person's number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from kspan.data.groups import count_groups
from kspan.data.table import Column, Table
from kspan.induce.tree.features import Feature
from kspan.induce.tree.people import Rows, Split
from kspan.model.quantiles import SMALLEST_CROWD
from kspan.policy import Policy
from kspan.privacy.numbers import OnNumbers


@dataclass(frozen=True, repr=False)
class Averages:
    """The private numbers whose means a tree tells at every node, and what is required of the people there."""

    table: Table
    crowd: int
    of_sums: tuple[tuple[str, OnNumbers], ...]
    """What is required of sums, and of which numbers."""

    @classmethod
    def of(cls, columns: Sequence[Column], table: Table, policy: Policy) -> Self | None:
        """What is required of the means of some columns; None if there are none."""
        if not columns:
            return None
        named = {column.name: column for column in columns}
        parts = [part for part in policy.require.parts if isinstance(part, OnNumbers) and part.is_of_sums]
        of_sums = tuple((name, part) for part in parts for name in named if name in part.looks_at((name,)))
        told = Table(named, table.rows, table.weights, table.persons)
        return cls(told, max(policy.require.crowd, SMALLEST_CROWD), of_sums)

    def allow(self, rows: Rows, feature: Feature, split: Split) -> bool:
        """May a mean be told of each part of some rows?"""
        son = split.by_code(feature)[feature.codes[rows]]
        if self.table.persons is None and not self.of_sums:
            weights = None if self.table.weights is None else self.table.weights[rows]
            people = np.bincount(son, weights, split.sons)
            return bool(((people >= self.crowd) | (people == 0)).all())
        return all(self.may_be_told_of(rows[son == place]) for place in np.unique(son).tolist())

    def may_be_told_of(self, rows: Rows) -> bool:
        """May a mean be told of some rows?"""
        people = self.table.at(rows.astype(np.int64))
        if people.people < self.crowd:
            return False
        everybody = np.zeros(len(rows), np.int64)
        return all(bool(part.holds(count_groups(people, everybody, 1, (name,))).all()) for name, part in self.of_sums)
