"""How leaves with room to spare complete their siblings (kACTUS, Figure 5, lines 19 to 27)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from kspan.anonymize.kactus.leaves import AllowedTogether
from kspan.anonymize.kactus.routes import Rows
from kspan.data.arrays import Bools, Int64s
from kspan.data.table import Table
from kspan.errors import PolicyError
from kspan.model.tree.model import Tree

Transfer = Literal["random", "greedy", "none"]


class Giving:
    """How complying leaves choose the rows that they can do without."""

    def __init__(self, table: Table, tree: Tree, transfer: Transfer, rng: np.random.Generator) -> None:
        self.table, self.transfer, self.rng = table, transfer, rng
        if transfer == "greedy" and not tree.target:
            raise PolicyError("transfer='greedy' looks at the labels of a target: name one, or use 'random'")
        if transfer == "greedy" and tree.target not in table.columns:
            raise PolicyError(
                f"transfer='greedy' needs the labels {tree.target!r} that the tree predicts: add them, or use 'random'"
            )
        self.labels = table[tree.target] if transfer == "greedy" else None

    def choose(self, leaves: Sequence[Rows], left: Rows, required: int, judge: AllowedTogether) -> list[Bools] | None:
        """Mark the rows of each leaf to give away, so that `left` gets `required` more people; None if too few can go.

        Each leaf offers what it has beyond k. Of all offers the first ones that suffice are taken, in random order; if
        greedy, the cheapest come first.
        """
        spare = [judge.people(rows) - judge.k for rows in leaves]
        if self.transfer == "none" or sum(spare) < required:
            return None
        costs = [self._costs(rows, left) for rows in leaves]
        offers = [self._offer(*each) for each in zip(leaves, costs, spare, strict=True)]
        giver = np.repeat(np.arange(len(leaves)), [len(offer) for offer in offers])
        place = np.concatenate(offers)
        rows = np.concatenate([leaf[offer] for leaf, offer in zip(leaves, offers, strict=True)])
        order = self._order(np.concatenate([cost[offer] for cost, offer in zip(costs, offers, strict=True)]))
        reached = np.cumsum(self._weights(rows[order]))
        if not len(reached) or reached[-1] < required:
            return None  # rows that stand for many people are hard to share out
        taken = order[: int(np.searchsorted(reached, required)) + 1]
        given = [np.zeros(len(leaf), bool) for leaf in leaves]
        for number in np.unique(giver[taken]).tolist():
            given[number][place[taken][giver[taken] == number]] = True
        return given

    def _offer(self, rows: Rows, costs: Int64s, most: int) -> Int64s:
        """The places of rows that a leaf can do without, with at most `most` people."""
        order = self._order(costs)
        return order[np.cumsum(self._weights(rows[order])) <= most]

    def _order(self, costs: Int64s) -> Int64s:
        # Shuffled first, so that chance decides between rows of the same cost.
        order = self.rng.permutation(len(costs))
        return order if self.labels is None else order[np.argsort(costs[order], kind="stable")]

    def _weights(self, rows: Rows) -> Int64s:
        return np.ones(len(rows), np.int64) if self.table.weights is None else self.table.weights[rows]

    def _costs(self, rows: Rows, left: Rows) -> Int64s:
        """How many more people would be outside the majority of their leaf if each row went to the rows `left`.

        One fewer if its label is outside the majority here, one more if it is outside the majority there.
        """
        if self.labels is None:
            return np.zeros(len(rows), np.int64)
        labels = self.labels.codes[rows]
        here, there = self._majority(rows), self._majority(left)
        costs: Int64s = (labels != there).astype(np.int64) - (labels != here)
        return costs

    def _majority(self, rows: Rows) -> int:
        assert self.labels is not None
        return int(np.bincount(self.labels.codes[rows], self._weights(rows)).argmax())
