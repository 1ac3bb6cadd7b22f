"""The audit of frequent itemsets: whoever is told how many people contain a set is told how many do not."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kspan.audit.baskets.figures import SLACK, Between, rounding, whole
from kspan.audit.baskets.judge import audit_baskets, judge_of_baskets
from kspan.audit.baskets.sides import Published, Question
from kspan.audit.findings import Audit
from kspan.data.baskets import Baskets
from kspan.errors import ModelError
from kspan.model.itemsets.kind import ITEMSETS
from kspan.model.itemsets.model import Itemsets
from kspan.policy import Policy
from kspan.privacy import Requirement


@dataclass(frozen=True)
class PublishedItemsets(Published):
    """Itemsets, each a question that is asked of everybody: does the basket contain all of it?"""

    kind = "itemsets"
    model: Itemsets

    @cached_property
    def questions(self) -> list[Question]:
        """Each itemset as the right side of nothing."""
        return [Question(place, frozenset(), one.items) for place, one in enumerate(self.model.itemsets)]

    def told(self) -> Iterator[tuple[frozenset[str], Between]]:
        """Yield each itemset, with the fewest and the most people that its support may stand for."""
        number, share = self.model.transactions, self._rounding
        for place, one in enumerate(self.model.itemsets, 1):
            low, high = whole(number * (one.support - share), number * (one.support + share))
            # A support is above 0, so somebody contains the itemset.
            low, high = max(low, 1), min(high, number)
            if low > high:
                raise ModelError(
                    f"itemset {place} has a support that no {number:,} transactions can have: correct it or the "
                    "transactions"
                )
            yield one.items, (low, high)

    def untrue(self, baskets: Baskets) -> tuple[str, ...]:
        """Name the itemsets whose support, rounding allowed for, is not that of these people."""
        number = self.model.transactions
        # Every support is a share of the transactions.
        if baskets.people != number:
            return tuple(one.names for one in self.model.itemsets)
        return tuple(
            one.names
            for one in self.model.itemsets
            if abs(baskets.with_all(one.items) / number - one.support) > self._rounding + SLACK
        )

    @cached_property
    def _rounding(self) -> float:
        return rounding(one.support for one in self.model.itemsets)


def audit_itemsets(itemsets: Itemsets, people: Any, policy: Policy | Requirement, *, show: int = 5) -> Audit:
    """Judge itemsets by the transactions they were found in, or without them (None) by their supports alone."""
    return audit_baskets(PublishedItemsets(itemsets), people, policy, show=show)


JUDGE = judge_of_baskets(PublishedItemsets, ITEMSETS.name, ITEMSETS.called)
