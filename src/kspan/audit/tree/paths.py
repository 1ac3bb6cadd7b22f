"""The paths of a tree as groups that can be judged, by what the tree publishes of their people."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import polars as pl

from kspan.audit.findings import Utility
from kspan.audit.measured import measured
from kspan.audit.spans import Spans
from kspan.data.alike import look
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.encode import encode_column
from kspan.data.groups import Counts, Groups
from kspan.data.having import Having
from kspan.data.schema import Schema
from kspan.data.table import MISSING_LABEL, Column
from kspan.errors import KspanError, PolicyError, listed
from kspan.model.outcome import HitMiss, LabelCounts, Outcome, plain
from kspan.model.tree.model import Tree
from kspan.model.tree.paths import ways_to
from kspan.policy import Policy
from kspan.policy.values import unseen
from kspan.privacy import OnPrivate, Requirement
from kspan.privacy.worst import worst_counts

BY_THE_PEOPLE = "give the people it was made from (--data)"
DECIMALS = 6
"""How many decimals of a fraction of a person files have."""


class PublishedPaths(Spans):
    """What a tree publishes of the people of each path; paths that nobody takes are left out."""

    kind = "tree"
    counting = "paths"
    rows = 0

    def __init__(self, tree: Tree, policy: Policy | None, require: Requirement) -> None:
        self.tree, self.policy, self.require = tree, policy, require
        every = _published(tree)
        self.leaf: Int64s = np.flatnonzero(every.sum(axis=1) > 0)
        if not len(self.leaf):
            raise PolicyError("the tree tells of nobody: there is nothing to judge")
        self.published = every[self.leaf]
        """The people of each path: with each label, or with the commonest label and with all others."""

    @cached_property
    def by_label(self) -> bool:
        """Does it tell how many people have each label?"""
        return self.tree.disclosure == "counts"

    @cached_property
    def is_whole(self) -> bool:
        """Are all counts whole, so that every person goes down one path only?"""
        return bool((self.published == np.floor(self.published)).all())

    @property
    def knows_everybody(self) -> bool:
        """Is it known how many of all people have each label, so that paths can be compared with that?"""
        return self.by_label and self.is_whole

    @cached_property
    def sizes(self) -> Int64s:
        """How many people each path has: rounded down, but at least one."""
        return np.maximum(np.floor(self._totals), 1).astype(np.int64)

    @cached_property
    def people(self) -> int:
        """How many people all paths have together."""
        return int(plain(float(self._totals.sum())))

    @cached_property
    def outside_majority(self) -> int:
        """How many people have a label that is not the commonest of their path."""
        return round(float((self._totals - self.published[np.arange(len(self.leaf)), self._commonest]).sum()))

    @property
    def exposing(self) -> Bools:
        """Which paths tell something: none if the label is public, since the attacker is taken to know the rest."""
        return np.full(len(self.leaf), self.tree.target_role == "private")

    @cached_property
    def disclosed(self) -> Mapping[str, Counts]:
        """The labels of each path, unless they are public; of numbers it is not known how they spread."""
        told = self.tree.target_role == "private" and not self.tree.is_of_numbers
        return {self.tree.target: self.labels()} if told else {}

    @property
    def utility(self) -> Utility:
        """How much information the tree keeps."""
        return replace(super().utility, cm=self.outside_majority if self.disclosed else None)

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """The levels that labels reach; those that compare with everybody only if everybody's labels are known."""
        return measured(self.disclosed[name], everybody=self.knows_everybody)

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some paths by the number of their leaf and by their conditions."""
        leaves = self.leaf[list(some)].tolist()
        ways = ways_to(self.tree, frozenset(leaves))
        return [{"leaf": str(leaf + 1), "path": ways[leaf]} for leaf in leaves]

    def bins(self, span: int) -> tuple[int, ...]:
        """The leaf of a path."""
        return (int(self.leaf[span]) + 1,)

    def holds(self, part: Requirement) -> Bools:
        """Tell which paths satisfy one part of the requirement; behind hit and miss, the labels are the most uneven."""
        if not isinstance(part, OnPrivate):
            return part.holds(Groups(self.sizes, {}, self.exposing))
        target, value = self.tree.target, part.only_value
        labels = self.labels(part.assumed_distinct) if value is None else self.with_value(target, value)
        return part.holds(Groups(self.sizes, {target: labels}, self.exposing))

    def facts(self) -> dict[str, Any]:
        """The assumptions that the verdict rests on."""
        return {"assumptions": tuple(self._assumptions())}

    def per_row(self, good: Bools) -> NoReturn:
        """There are no rows."""
        raise KspanError(f"a tree that is judged by its published counts has no rows: {BY_THE_PEOPLE}")

    def _assumptions(self) -> Iterator[str]:
        if private := private_questions(self.tree):
            yield (
                f"The attacker is taken to know {listed(private)}, though private: what people look like to one who "
                "does not, --data tells, and it may be more people than a path has, or fewer."
            )
        if not self.is_whole:
            labels = ", and the fractions of other labels are given to the commonest, or to the one that is limited"
            yield (
                "Some people were counted into several paths, in fractions: sizes are rounded down"
                f"{'' if self.tree.is_of_numbers else labels}."
            )
        schema = self.policy or Schema(private=[self.tree.target])
        if not self.tree.is_of_numbers:
            yield from unseen(self.require, schema, {self.tree.target: self._label_column.having})
        if self.by_label:
            return
        parts = [part for part in self.require.parts if isinstance(part, OnPrivate)]
        if parts:
            yield "Hit and miss do not tell how the other labels spread: the most uneven spread is judged."
        for part in parts:
            if part.assumed_distinct > 1:
                yield (
                    f"{part} takes every path to have at least {part.assumed_distinct} labels if enough people miss "
                    "its commonest (Tian et al., Eq. 1), which hit and miss do not tell."
                )

    def labels(self, distinct: int = 1) -> Counts:
        """The labels of each path: as published, or the most uneven ones behind hit and miss (see `worst_counts`)."""
        if not self.by_label:
            hit, miss = self._people.T
            return Counts.of(worst_counts(hit, miss, len(set(map(look, self.tree.labels))), distinct=distinct))
        whole = self._people.sum(axis=0)
        # Labels that nobody has would not be in the column of the people either.
        there = np.flatnonzero(whole)
        # As the column of the people would be coded: numbers by size, and with the hierarchy of the policy.
        names = [self.tree.labels[place] for place in there.tolist()]
        column = self._coded(names)
        dense = np.zeros((len(self._people), column.size), np.int64)
        np.add.at(dense.T, column.codes, self._people[:, there].T)  # labels that look alike count as one
        return Counts.of(dense, ordered=column.is_measured, levels=column.levels, numbers=column.numbers)

    def with_value(self, name: str, value: str) -> Counts:
        """The most people of each path who may have a label, beside all others of the path.

        Fractions of other labels are given to it. Behind hit and miss it has all hits, or as many misses as there can
        be, since no label has more people than the commonest.
        """
        is_it = self._label_column.having.codes(value)[self._label_column.codes]
        if self.by_label:
            others = np.floor(self.published[:, ~is_it]).sum(axis=1)
        else:
            hit, miss = self.published.T
            outcomes = [leaf.outcome for leaf in self.tree.leaves]
            hits_it = np.array([is_it[outcomes[leaf].label] for leaf in self.leaf.tolist()], bool)
            # Several spellings of a label may look alike: each has at most as many people as the commonest.
            most = hit * (int(is_it.sum()) - hits_it)
            others = np.floor(_as_filed(np.where(hits_it, 0.0, hit) + np.maximum(miss - most, 0.0)))
        everybody = np.ceil(self._totals)
        people = np.column_stack([others, everybody - others]).astype(np.int64)
        return Counts.of(people, having=Having.labels("", value))

    @cached_property
    def _label_column(self) -> Column:
        """The labels of the tree, one row each, as the column of the people would be coded."""
        return self._coded(self.tree.labels)

    def _coded(self, labels: Sequence[str]) -> Column:
        cells = [None if label == MISSING_LABEL else label for label in labels]
        series = pl.Series(self.tree.target, cells, pl.String)
        return encode_column(series, self.policy or Schema(private=[self.tree.target]))

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

        The fractions of the other labels go to the commonest one. That makes no path more even, so whatever these
        counts satisfy, the published ones satisfy as well (except for a comparison with everybody).
        """
        down = np.floor(self.published).astype(np.int64)
        each = np.arange(len(down))
        # Cleared first, so that the sum below is that of the other labels.
        down[each, self._commonest] = 0
        down[each, self._commonest] = np.ceil(self._totals).astype(np.int64) - down.sum(axis=1)
        return down


def private_questions(tree: Tree) -> list[str]:
    """The names of the private attributes that a tree asks about."""
    asked = sorted({node.attribute for node in tree.nodes() if node.attribute is not None})
    return [tree.attributes[number].name for number in asked if tree.attributes[number].role == "private"]


def _published(tree: Tree) -> Floats:
    """Return, for each leaf from left to right, the people with each label, hit and miss, or everybody."""
    told = [_people_of(leaf.outcome) for leaf in tree.leaves]
    return _as_filed(np.array(told, np.float64))


def _people_of(outcome: Outcome) -> tuple[float, ...]:
    if isinstance(outcome, LabelCounts):
        return outcome.counts
    return (outcome.hit, outcome.miss) if isinstance(outcome, HitMiss) else (outcome.people or 0,)


def _as_filed(people: Floats) -> Floats:
    """Round numbers of people as files do; whole ones stay untouched, since rounding would spoil very large ones."""
    rounded: Floats = np.where(people == np.floor(people), people, np.round(people, DECIMALS))
    return rounded
