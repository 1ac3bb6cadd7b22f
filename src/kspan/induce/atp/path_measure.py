"""A requirement asked of the labels on each path of a tree (Tian, Zhang, Xu, Sharkey, Sect. 3.3)."""

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import number
from kspan.data.groups import Counts, Groups
from kspan.data.having import Having
from kspan.errors import PolicyError
from kspan.model.tree.model import Tree
from kspan.privacy import KAnonymity, OnPrivate, Requirement
from kspan.privacy.spec import resolved
from kspan.privacy.worst import worst_counts

DECIMALS = 6
SLACK = 1e-9
"""Sums of fractions of people are exact to `DECIMALS`, and may miss a whole number by `SLACK`."""


class PathMeasure:
    """Asks a requirement of the labels on each path (their Definitions 9, 11 and 13)."""

    def __init__(self, tree: Tree, requirement: Requirement, *, estimated: bool) -> None:
        self.requirement, self.target, self.labels = resolved(requirement, (tree.target,)), tree.target, tree.labels
        self.estimated, self.having = estimated, Having.labels(*tree.labels)
        for part in self.requirement.parts:
            if isinstance(part, OnPrivate) and part.on and part.on != (tree.target,):
                raise PolicyError(f"{part} cannot be asked of a tree: it tells of {tree.target!r} alone")
            if estimated and isinstance(part, OnPrivate) and part.beside_everybody:
                raise PolicyError(
                    f"{part} compares labels with those of everybody, which hit and miss do not tell: "
                    "prune a tree that discloses counts"
                )
        self.whole = None if estimated else np.floor(tree.root.counts).astype(np.int64)
        self.ordered = all(number(label) is not None for label in tree.labels)

    def holds(self, counts: Floats) -> Bools:
        """Which paths with these labels satisfy the requirement; a path without people always does."""
        holds = np.ones(len(counts), bool)
        (asked,) = np.nonzero(counts.sum(axis=1) > 0)
        for part in sorted(self.requirement.parts, key=lambda part: not isinstance(part, KAnonymity)):
            if len(asked):
                good = part.holds(self.groups(counts[asked], part))
                holds[asked] = good
                asked = asked[good]  # sizes are cheaper than labels, and often refuse already
        return holds

    def groups(self, counts: Floats, part: Requirement) -> Groups:
        """Paths as groups: with their labels, or with the worst that hit and miss leave open."""
        totals = np.round(counts.sum(axis=1), DECIMALS)
        # Part of a person does not count towards k; but no group may be empty.
        sizes = np.maximum(np.floor(totals), 1).astype(np.int64)
        if isinstance(part, KAnonymity):
            return Groups(sizes)
        if isinstance(part, OnPrivate) and part.only_value is not None:
            return Groups(sizes, {self.target: self.with_label(counts, np.ceil(totals), part.only_value)})
        if self.estimated:
            hit = np.ceil(counts.max(axis=1) - SLACK).astype(np.int64)
            miss = np.ceil(totals).astype(np.int64) - hit
            distinct = part.assumed_distinct if isinstance(part, OnPrivate) else 1
            people = worst_counts(hit, miss, len(self.labels), distinct=distinct)
        else:
            people = _whole_people(counts, totals)
        return Groups(sizes, {self.target: Counts.of(people, self.whole, ordered=self.ordered)})

    def with_label(self, counts: Floats, everybody: Floats, label: str) -> Counts:
        """The people of each path who may have a label at most, beside all others.

        Fractions of other labels are taken for it. Estimated labels tell only the commonest: whatever misses it may be
        the label, as far as that does not make it commoner.
        """
        is_it = self.having.codes(label)
        if self.estimated:
            hit, places = np.ceil(counts.max(axis=1) - SLACK), int(is_it.sum())
            hits = is_it[counts.argmax(axis=1)]
            have = np.where(hits, hit, 0.0) + np.minimum(everybody - hit, hit * (places - hits))
        else:
            have = everybody - np.floor(counts[:, ~is_it] + SLACK).sum(axis=1)
        people = np.column_stack([everybody - have, have]).astype(np.int64)
        return Counts.of(people, having=Having.labels("", label))


def _whole_people(counts: Floats, totals: Floats) -> Int64s:
    """Round counts to whole people: the fractions of other labels go to the commonest one, which is the worst case.

    >>> _whole_people(np.array([[2.5, 1.25, 1.25]]), np.array([5.0])).tolist()
    [[3, 1, 1]]
    """
    people = np.floor(counts + SLACK).astype(np.int64)
    each, most = np.arange(len(people)), counts.argmax(axis=1)
    people[each, most] = 0
    people[each, most] = np.ceil(totals).astype(np.int64) - people.sum(axis=1)
    return people
