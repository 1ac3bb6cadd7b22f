"""What a tree publishes of the people of its paths, as groups that a requirement can be asked of."""

from functools import cached_property

import numpy as np
import polars as pl

from kspan.data.alike import look
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.encode import encode_column
from kspan.data.groups import Counts, Groups
from kspan.data.schema import Schema
from kspan.data.table import MISSING_LABEL
from kspan.errors import PolicyError
from kspan.model.outcome import HitMiss, plain
from kspan.model.paths import ways_to
from kspan.model.tree import Tree
from kspan.policy import Policy
from kspan.privacy import OnPrivate, Requirement
from kspan.privacy.worst import worst_counts

DECIMALS = 6
"""Of a person, as files have them."""


class PublishedPaths:
    """What a tree publishes of the people of each path; paths that nobody takes are none."""

    def __init__(self, tree: Tree, policy: Policy | None) -> None:
        self.tree, self.policy = tree, policy
        every = _published(tree)
        self.leaf: Int64s = np.flatnonzero(every.sum(axis=1) > 0)
        if not len(self.leaf):
            raise PolicyError("the tree tells of nobody: there is nothing to judge")
        self.published = every[self.leaf]
        """As many people as each path says, label by label, or the commonest label and all others."""

    @cached_property
    def by_label(self) -> bool:
        """Does it tell how many people have each label?"""
        return self.tree.disclosure == "counts"

    @cached_property
    def is_whole(self) -> bool:
        """Does every person go down one path only?"""
        return bool((self.published == np.floor(self.published)).all())

    @property
    def knows_everybody(self) -> bool:
        """Is it known how many people of all have each label, so that paths can be compared with them?"""
        return self.by_label and self.is_whole

    @cached_property
    def sizes(self) -> Int64s:
        """The people of each path, less any fraction; somebody is at least one person."""
        return np.maximum(np.floor(self._totals), 1).astype(np.int64)

    @cached_property
    def people(self) -> int:
        """The people of all paths."""
        return int(plain(float(self._totals.sum())))

    @cached_property
    def outside_majority(self) -> int:
        """The people whose label is not the commonest of their path."""
        return round(float((self._totals - self.published[np.arange(len(self.leaf)), self._commonest]).sum()))

    @property
    def exposing(self) -> Bools:
        """Which paths tell something: whoever knows every attribute, and a public label, too, learns nothing."""
        return np.full(len(self.leaf), self.tree.target_role == "private")

    def ways(self, some: Int64s) -> list[str]:
        """The ways to the leaves of some paths, as text."""
        leaves = self.leaf[some].tolist()
        found = ways_to(self.tree, frozenset(leaves))
        return [found[leaf] for leaf in leaves]

    def asked_by(self, part: Requirement) -> Groups:
        """The groups of which a part of the requirement is asked."""
        if not isinstance(part, OnPrivate):
            return Groups(self.sizes, exposing=self.exposing)
        return Groups(self.sizes, {self.tree.target: self.labels(part.assumed_distinct)}, self.exposing)

    def labels(self, distinct: int = 1) -> Counts:
        """The labels of each path: as published, or the most uneven ones of which so many are taken to be there."""
        if not self.by_label:
            hit, miss = self._people.T
            return Counts.of(worst_counts(hit, miss, len(set(map(look, self.tree.labels))), distinct=distinct))
        whole = self._people.sum(axis=0)
        there = np.flatnonzero(whole)
        # As the column of the people would be coded: numbers by size, and with the hierarchy of the policy.
        names = [self.tree.labels[place] for place in there.tolist()]
        series = pl.Series(self.tree.target, [None if name == MISSING_LABEL else name for name in names], pl.String)
        column = encode_column(series, self.policy or Schema(private=[self.tree.target]))
        dense = np.zeros((len(self._people), column.size), np.int64)
        np.add.at(dense.T, column.codes, self._people[:, there].T)  # labels that look alike count as one
        return Counts.of(dense, ordered=column.kind == "numeric", levels=column.levels)

    @cached_property
    def _totals(self) -> Floats:
        return _as_filed(self.published.sum(axis=1))

    @cached_property
    def _commonest(self) -> Int64s:
        """The place of the commonest label of each path; hit comes first."""
        return self.published.argmax(axis=1) if self.by_label else np.zeros(len(self.leaf), np.int64)

    @cached_property
    def _people(self) -> Int64s:
        """The published people in whole numbers.

        What the other labels have beyond whole people goes to the commonest. No shares are more even after that, so
        whatever such counts satisfy (but for a comparison with everybody), the published ones do as well.
        """
        down = np.floor(self.published).astype(np.int64)
        each = np.arange(len(down))
        down[each, self._commonest] = 0
        down[each, self._commonest] = np.ceil(self._totals).astype(np.int64) - down.sum(axis=1)
        return down


def _published(tree: Tree) -> Floats:
    """For each leaf, left to right, the people with each label, or hit and miss."""
    outcomes = [leaf.outcome for leaf in tree.leaves]
    told = [
        (one.hit, one.miss) if isinstance(one, HitMiss) else one.counts for one in outcomes if one.people is not None
    ]
    return _as_filed(np.array(told, np.float64))


def _as_filed(people: Floats) -> Floats:
    """Numbers of people with the decimals of a file, whole ones untouched: rounding would spoil very large ones."""
    rounded: Floats = np.where(people == np.floor(people), people, np.round(people, DECIMALS))
    return rounded
