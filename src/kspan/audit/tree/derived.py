"""What follows from what a tree discloses: for whom a private value is certain, whatever the people are.

An attacker knows who is in each span and where spans can lead, and the tree tells something of every node. Any way to
put the people of each span into bins such that all of that is true may be the truth. So of the people of a span each
bin has a least and a most number: the extremes over all such ways, which are flows from spans to bins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kspan.audit.tree.reached import OneTree
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.model.outcome import SHARE_UNITS, HitMiss, LabelCounts, Outcome, Shares
from kspan.model.tree.model import Node, Tree

MOST_BINS = 40_000
"""Above so many pairs of spans and bins nothing is derived."""
SECONDS = 5.0
"""How long one search for a way may take."""

Wanted = tuple[int, Bools]
"""A span, and the bins that its people are not in, if all are told to have one value; bins are leaves and labels."""


@dataclass(frozen=True, repr=False)
class Ways:
    """All ways to put the people of spans into bins, as linear conditions on whole numbers."""

    span: Int64s
    leaf: Int64s
    label: Int64s
    """The span, the leaf and the label of each number."""
    conditions: sparse.csr_array
    low: Floats
    high: Floats
    has_whole_ends: bool
    """Are the extremes whole by themselves? So they are where all counts are told: that is a transport of goods."""

    def most(self, wanted: Floats) -> Floats | None:
        """Return a way that has as much of what is wanted as any; None if none was found in time."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        found = milp(
            -wanted,
            constraints=LinearConstraint(self.conditions, self.low, self.high),
            integrality=None if self.has_whole_ends else np.ones(len(wanted)),
            bounds=Bounds(0, np.inf),
            options={"time_limit": SECONDS},
        )
        return None if found.x is None or found.status != 0 else np.asarray(found.x)


def ways_of(tree: Tree, spans: OneTree, label_of: Int64s | None) -> Ways | None:
    """Return the ways to put people into bins that a tree admits; None if there are too many pairs.

    `label_of` is the label of each span if labels are public.
    """
    labels = len(tree.labels)
    of_kind = np.empty(int(spans.kind.max()) + 1, np.int64)
    of_kind[spans.kind] = spans.span
    pairs = [(span, leaf) for leaf, kinds in enumerate(spans.reaches) for span in np.unique(of_kind[kinds]).tolist()]
    if len(pairs) * labels > MOST_BINS or any(not _is_whole(node.outcome) for node in tree.nodes()):
        return None
    every = [
        (span, leaf, label)
        for span, leaf in pairs
        for label in (range(labels) if label_of is None else (int(label_of[span]),))
    ]
    span, leaf, label = (np.array(column, np.int64) for column in zip(*every, strict=True))
    rows = _Conditions(len(every))
    for number, size in enumerate(spans.groups.sizes.tolist()):
        rows.add(span == number, size, size)
    for node, first, last in _ranges(tree):
        here = (leaf >= first) & (leaf < last)
        rows.tell(node.outcome, [here & (label == one) for one in range(labels)])
    return Ways(span, leaf, label, rows.matrix(), *rows.bounds(), tree.disclosure == "counts")


def certain_spans(ways: Ways, wanted: Sequence[Wanted]) -> list[bool] | None:
    """Tell which of some spans cannot have anybody in other bins than those where all of their people are.

    All are asked at once: a way with somebody elsewhere clears some spans, and the others are asked again.
    """
    outside = np.array([(ways.span == span) & others for span, others in wanted])
    open_ = np.ones(len(wanted), bool)
    while open_.any():
        way = ways.most(np.asarray(outside[open_].any(axis=0), np.float64))
        if way is None:
            return None
        cleared = open_ & (outside @ way > 0.5)
        if not cleared.any():
            break
        open_ &= ~cleared
    return open_.tolist()


class _Conditions:
    """Rows of linear conditions, added one by one."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[sparse.csr_array] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def add(self, factors: Floats | Bools, low: float, high: float) -> None:
        self.rows.append(sparse.csr_array(np.asarray(factors, np.float64)[None, :]))
        self.low.append(low)
        self.high.append(high)

    def tell(self, outcome: Outcome, of_label: list[Bools]) -> None:
        """Add what a node tells of the people with each label who come to it."""
        if isinstance(outcome, LabelCounts):
            for here, count in zip(of_label, outcome.counts, strict=True):
                self.add(here, count, count)
            return
        everybody = np.logical_or.reduce(of_label)
        if outcome.label is None:
            self.add(everybody, 0, 0)
            return
        self.add(everybody, 1, np.inf)
        most = of_label[outcome.label]
        if isinstance(outcome, Shares) and outcome.each is not None:
            for here, share in zip(of_label, outcome.each, strict=True):
                # Each share was rounded up or down to the next unit.
                self.add(here - (share + 1 / SHARE_UNITS) * everybody, -np.inf, 0)
                self.add(here - (share - 1 / SHARE_UNITS) * everybody, 0, np.inf)
            return
        for place, here in enumerate(of_label):
            if place != outcome.label:
                # The first label wins a tie.
                self.add(most.astype(np.float64) - here, int(place < outcome.label), np.inf)
        if isinstance(outcome, HitMiss):
            self.add(most, outcome.hit, outcome.hit)
            self.add(everybody, outcome.people, outcome.people)

    def matrix(self) -> sparse.csr_array:
        return sparse.csr_array(sparse.vstack(self.rows))

    def bounds(self) -> tuple[Floats, Floats]:
        return np.array(self.low), np.array(self.high)


def _ranges(tree: Tree) -> list[tuple[Node, int, int]]:
    """Return the nodes that must be asked, with the leaves below each: where all counts are told, leaves are enough."""
    order = list(tree.nodes())
    leaves: dict[int, int] = {}
    for node in reversed(order):
        leaves[id(node)] = sum(leaves[id(edge.node)] for edge in node.edges) or 1
    first = np.cumsum([node.is_leaf for node in order]) - [node.is_leaf for node in order]
    found = [(node, int(at), int(at) + leaves[id(node)]) for node, at in zip(order, first.tolist(), strict=True)]
    return [one for one in found if tree.disclosure != "counts" or one[0].is_leaf]


def _is_whole(outcome: Outcome) -> bool:
    told = outcome.counts if isinstance(outcome, LabelCounts) else ()
    told = (outcome.hit, outcome.miss) if isinstance(outcome, HitMiss) else told
    return all(float(count).is_integer() for count in told)
