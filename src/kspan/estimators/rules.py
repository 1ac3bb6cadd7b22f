"""The scikit-learn interface of the miner of association rules."""

from collections.abc import Iterable

import polars as pl

from kspan.estimators.baskets import BasketMiner
from kspan.induce.rules.learner import Measure, MinedRules, mine_rules
from kspan.policy import Policy


class KAnonymousRules(BasketMiner):
    """Association rules that leave everybody a crowd of at least k; after `fit`, `rules_` are the rules as a dataframe.

    Columns are items; those that are not named `private`, by name or pattern, are public. `require` asks for more than
    k, or names a k of its own, for example "k=10, confidence=0.9". `model_` are the rules as kspan writes them,
    `left_out_` says what had to be left out and why (for the owner's eyes), and `audit_` is the judge's word.

    >>> people = pl.DataFrame({"tea": [1] * 6 + [0] * 4, "pills": [1] * 5 + [0] * 5})
    >>> miner = KAnonymousRules(k=4, private=["pills"]).fit(people)
    >>> print(miner.model_)
    pills => tea (support 0.5, confidence 1)
    tea => pills (support 0.5, confidence 0.833333)
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
        min_confidence: float = 0.5,
        measure: Measure = "confidence",
        max_items: int = 4,
        most: int = 100,
        tell_lift: bool = False,
    ) -> None:
        self.k = k
        self.public = public
        self.private = private
        self.require = require
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.measure = measure
        self.max_items = max_items
        self.most = most
        self.tell_lift = tell_lift

    def _mined(self, people: pl.DataFrame, policy: Policy) -> MinedRules:
        return mine_rules(
            people,
            policy,
            min_support=self.min_support,
            min_confidence=self.min_confidence,
            measure=self.measure,
            max_items=self.max_items,
            most=self.most,
            tell_lift=self.tell_lift,
        )
