"""Error-based pruning: a leaf or the largest branch replaces a subtree that promises no fewer errors (Quinlan 1993)."""

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist
from typing import Annotated

from kspan.induce.tree.grow import GrowingLeaf, Growth
from kspan.options import Within

SLACK = 0.1
"""A simpler tree is taken if it promises at most this many errors more."""

ROUNDING = 1e-6

COLLAPSE = 1e-3
"""A subtree is kept only if it saves more errors than this on the training rows."""


ConfidenceFactor = Annotated[float, Within(1e-4, 0.5)]
"""Lower factors give no useful limit of the binomial; higher ones would promise fewer errors than were seen."""


def prune(growth: Growth, confidence_factor: float = 0.25, *, raising: bool = False, row_worth: float = 1.0) -> None:
    """Replace subtrees of what has grown by leaves, and, if `raising`, nodes by their largest branch.

    Errors are estimated as if each row had been seen `row_worth` times: a lower number prunes harder.

    A leaf in place of a subtree unites bins, and so only merges spans: what is private stays private. A raised branch
    asks its questions of more people, which may divide a span (Friedman et al. 2006, Sect. 3.3).
    """
    _collapse(growth.root)
    _Pruning(growth, confidence_factor, raising, row_worth).settle(growth.root)


def expected_errors(people: float, errors: float, confidence_factor: float) -> float:
    """How many errors to expect among `people` at most, if `errors` of them were seen to be wrong.

    That is the upper limit of the binomial at the confidence factor. In Quinlan's example none of 6, 9 and 1 is wrong:

    >>> [round(expected_errors(people, 0, 0.25) / people, 3) for people in (6, 9, 1)]
    [0.206, 0.143, 0.75]
    """
    return errors + _extra(people, errors, confidence_factor) if people > 0 else 0.0


def _extra(people: float, errors: float, confidence_factor: float) -> float:
    if errors < 1:
        none = people * (1 - math.pow(confidence_factor, 1 / people))
        # Between no error and one a straight line serves.
        return none if errors < ROUNDING else none + errors * (_extra(people, 1, confidence_factor) - none)
    if errors + 0.5 >= people:
        # There is no room for the correction: at most everybody is wrong.
        return max(people - errors, 0.0)
    # Wilson's upper limit, the normal approximation of the binomial.
    z = NormalDist().inv_cdf(1 - confidence_factor)
    rate = (errors + 0.5) / people  # with the correction for continuity
    spread = math.sqrt(rate / people - rate**2 / people + z**2 / (4 * people**2))
    return (rate + z**2 / (2 * people) + z * spread) / (1 + z**2 / people) * people - errors


def errors_as_leaf(node: GrowingLeaf, confidence_factor: float, row_worth: float = 1.0) -> float:
    """How many errors a node promises if it is made a leaf."""
    return expected_errors(node.people * row_worth, _errors(node) * row_worth, confidence_factor) / row_worth


def _errors(leaf: GrowingLeaf) -> float:
    return float(leaf.counts.sum() - leaf.counts.max())


def with_all_below(leaf: GrowingLeaf) -> list[GrowingLeaf]:
    """A node and all below it, parents before children."""
    order = [leaf]
    for node in order:
        order.extend(node.sons)
    return order


def _collapse(root: GrowingLeaf) -> None:
    """Make a leaf of every node whose subtree is right no more often on the training rows, from the top down."""
    wrong: dict[GrowingLeaf, float] = {}
    for node in reversed(with_all_below(root)):
        wrong[node] = sum(wrong[son] for son in node.sons) if node.sons else _errors(node)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.sons and wrong[node] >= _errors(node) - COLLAPSE:
            cut(node)
        waiting.extend(node.sons)


def cut(node: GrowingLeaf) -> None:
    """Make a node a leaf."""
    node.split, node.sons = None, []


class _Pruning:
    """One pass from the leaves to the root, with the errors that each subtree promises."""

    def __init__(self, growth: Growth, confidence_factor: float, raising: bool, row_worth: float) -> None:
        self.growth, self.confidence_factor, self.raising = growth, confidence_factor, raising
        self.row_worth = row_worth
        self.promised: dict[GrowingLeaf, float] = {}

    def as_leaf(self, node: GrowingLeaf) -> float:
        return errors_as_leaf(node, self.confidence_factor, self.row_worth)

    def settle(self, root: GrowingLeaf) -> None:
        """Prune a node and all below it, sons before their parents."""
        for node in reversed(with_all_below(root)):
            self.settle_one(node)

    def settle_one(self, node: GrowingLeaf) -> None:
        """Prune one node, after its sons."""
        as_leaf = self.as_leaf(node)
        # A branch that was raised brings new sons, so the node is looked at again.
        while node.sons:
            as_tree = sum(self.promised[son] for son in node.sons)
            raised = self.raised(node)
            as_branch = math.inf if raised is None else sum(map(self.as_leaf, _leaves(raised)))
            if as_leaf <= min(as_tree, as_branch) + SLACK + ROUNDING:
                cut(node)
            elif raised is not None and as_branch <= as_tree + SLACK + ROUNDING:
                node.split, node.sons = raised.split, raised.sons
                for son in node.sons:
                    self.settle(son)
            else:
                self.promised[node] = as_tree
                return
        self.promised[node] = as_leaf

    def raised(self, node: GrowingLeaf) -> GrowingLeaf | None:
        """The largest branch of a node with all rows of the node sent down; None if it cannot take the node's place."""
        branch = max(reversed(node.sons), key=lambda son: round(son.people, 6))  # the last among equals, as in J48
        if not self.raising or branch.split is None or self.asks_again(node, branch):
            return None
        return self.sent_down(branch, node)

    def asks_again(self, node: GrowingLeaf, branch: GrowingLeaf) -> bool:
        """Does a branch ask its node's attribute again, so that it has no answer for the values of other branches?"""
        assert node.split is not None
        feature = node.split.feature
        asked = self.growth.features[feature]
        # A number has an answer to every threshold, unless it is missing and that was a branch of its own.
        if asked.numeric and (self.growth.shares_missing or not asked.can_be_missing):
            return False
        return any(one.split is not None and one.split.feature == feature for one in with_all_below(branch))

    def sent_down(self, branch: GrowingLeaf, above: GrowingLeaf) -> GrowingLeaf:
        """A copy of a branch, with all rows of a node above sent down."""
        growth = self.growth
        top = GrowingLeaf(
            branch.number, above.rows, above.share, above.counts, above.above, above.place, split=branch.split
        )
        waiting = [(branch, top)]
        while waiting:
            old, new = waiting.pop()
            if old.split is None:
                continue
            # A copy, since dividing may reorder rows in place.
            sent = replace(new, rows=new.rows.copy(), share=new.share.copy())
            parts = zip(old.sons, *growth.parts(sent, old.split), strict=True)
            for place, (son, rows, share, counts) in enumerate(parts):
                new.sons.append(GrowingLeaf(son.number, rows, share, counts, new, place, split=son.split))
                waiting.append((son, new.sons[-1]))
        return top


def _leaves(root: GrowingLeaf) -> Iterator[GrowingLeaf]:
    return (node for node in with_all_below(root) if node.split is None)
