"""Turns a leaf of what has grown into a rule that knows no row."""

import numpy as np

from kspan.data.arrays import Floats
from kspan.induce.tree.features import Feature
from kspan.induce.tree.grow import GrowingLeaf, Growth
from kspan.model.lists.model import Condition, ListRule
from kspan.model.outcome import LabelCounts, plain
from kspan.model.tree.model import Region

DIGITS = 6
"""The digits by which entropies and numbers of people are compared: what differs only beyond them is a tie."""


def rule_of(growth: Growth, leaf: GrowingLeaf) -> ListRule:
    """The rule that leads to a leaf: a condition for each feature asked on the way, in the order of first questions.

    A person whose value is unknown went down every branch, in proportion to the others there. The condition takes the
    same part of such a person.
    """
    found: dict[int, Condition] = {}
    for node in way_to(leaf):
        above = node.above
        assert above is not None
        assert above.split is not None
        number, before = above.split.feature, found.get(above.split.feature)
        region = _region(growth.features[number], above, node.place, None if before is None else before.region)
        part = node.people / above.people if above.people else 0.0
        found[number] = Condition(number, region, part if before is None else before.unknown * part)
    return ListRule(tuple(found.values()), label_counts(leaf.counts))


def label_counts(counts: Floats) -> LabelCounts:
    """People by label, as they are released."""
    return LabelCounts(tuple(plain(count) for count in counts.tolist()))


def entropies(counts: Floats) -> Floats:
    """The entropy of labels in each row of `counts`, in bits; a row has the number of people with each label.

    >>> entropies(np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 0.0]])).tolist()
    [1.0, 0.0, 0.0]
    """
    people = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, people, out=np.zeros_like(counts), where=people > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Floats = np.abs((shares * logs).sum(axis=1))  # never minus zero
    return found


def way_to(leaf: GrowingLeaf) -> list[GrowingLeaf]:
    """The nodes on the way to a leaf: from the one below the root to the leaf itself."""
    way = []
    while leaf.above is not None:
        way.append(leaf)
        leaf = leaf.above
    return way[::-1]


def _region(feature: Feature, node: GrowingLeaf, place: int, before: Region | None) -> Region:
    """What the branch of a node admits, within what was admitted before."""
    split = node.split
    assert split is not None
    if split.cut < 0:
        # The codes of a second question are among those that the first one let through.
        return feature.region(split.codes[place])
    low, high = (None, None) if before is None else before.intervals[0]
    return Region(intervals=((low, split.at) if place == 0 else (split.at, high),))
