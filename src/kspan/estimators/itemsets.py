"""The scikit-learn interface of the miner of frequent itemsets."""

from collections.abc import Iterable

import polars as pl

from kspan.estimators.baskets import BasketMiner
from kspan.induce.itemsets.learner import MinedItemsets, mine_itemsets
from kspan.policy import Policy


class KAnonymousItemsets(BasketMiner):
    """Frequent itemsets that leave everybody a crowd of at least k; after `fit`, `itemsets_` is a dataframe of them.

    Columns are items; those that are not named `private`, by name or pattern, are public. `require` asks for more than
    k, or names a k of its own, for example "k=10, confidence=0.9". `model_` are the itemsets as kspan writes them,
    `left_out_` says what had to be left out and why (for the owner's eyes), and `audit_` is the judge's word.

    >>> people = pl.DataFrame({"tea": [1] * 6 + [0] * 4, "pills": [1] * 5 + [0] * 5})
    >>> miner = KAnonymousItemsets(k=4, private=["pills"]).fit(people)
    >>> print(miner.model_)
    tea (support 0.6)
    pills (support 0.5)
    pills, tea (support 0.5)
    >>> miner.audit_
    Audit(k=4 holds: 10 people in 2 spans, k=4)
    """

    def __init__(
        self,
        k: int = 10,
        *,
        public: Iterable[str] | None = None,
        private: Iterable[str] = (),
        require: str | None = None,
        min_support: float = 0.01,
        max_items: int = 4,
        most: int = 100,
    ) -> None:
        self.k = k
        self.public = public
        self.private = private
        self.require = require
        self.min_support = min_support
        self.max_items = max_items
        self.most = most

    def _mined(self, people: pl.DataFrame, policy: Policy) -> MinedItemsets:
        return mine_itemsets(people, policy, min_support=self.min_support, max_items=self.max_items, most=self.most)
