"""The scikit-learn interface of the miner of association rules."""

from collections.abc import Iterable
from typing import Any, Self

import polars as pl
from sklearn.base import BaseEstimator

from kspan.audit.rules.judge import audit_rules
from kspan.errors import DoesNotHold
from kspan.estimators.inputs import rows_of
from kspan.frames.native import of_its_kind
from kspan.induce.rules.learner import Measure, mine_rules
from kspan.policy import Policy
from kspan.policy.patterns import expanded


class KAnonymousRules(BaseEstimator):  # type: ignore[misc]
    """Association rules that leave everybody a crowd of at least k; after `fit`, `rules_` are the rules as a dataframe.

    Columns are items; those that are not named `private`, by name or pattern, are public. `require` asks for something
    else than k, for example "k=10, confidence=0.9". `model_` are the rules as kspan writes them, `left_out_` says what
    had to be left out and why (for the owner's eyes), and `audit_` is the judge's word.

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

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Mine the rules of some transactions; `y` is not used."""
        people = rows_of(self, X, reset=True)
        policy = self._policy(people.columns)
        mined = mine_rules(
            people.select(policy.columns),
            policy,
            min_support=self.min_support,
            min_confidence=self.min_confidence,
            measure=self.measure,
            max_items=self.max_items,
            most=self.most,
            tell_lift=self.tell_lift,
        )
        self.audit_ = audit_rules(mined.rules, people.select(policy.columns), policy)
        if not self.audit_.holds:
            raise DoesNotHold(f"the rules break {policy.require}: please report this")
        self.model_ = mined.rules
        self.rules_ = _of_kind(X, mined.rules.table)
        self.left_out_ = _of_kind(X, mined.left_out)
        return self

    def _policy(self, columns: list[str]) -> Policy:
        """Return the policy of the items, which are listed by name or pattern.

        If no public items are listed, all that are not private are public; otherwise columns in neither list are no
        items.
        """
        hidden, require = list(self.private), self.require or f"k={self.k}"
        if self.public is not None:
            known = _expanded(list(self.public), hidden, columns)
            return Policy(public=known[0], private=known[1], require=require)
        private = _expanded([], hidden, columns)[1]
        return Policy(public=[name for name in columns if name not in private], private=private, require=require)


def _expanded(public: list[str], private: list[str], columns: list[str]) -> tuple[list[str], list[str]]:
    """Return the columns that the names and patterns of both roles stand for."""
    policy = expanded(Policy(public=public, private=private, require="k=1"), columns)
    return list(policy.public), list(policy.private)


def _of_kind(given: Any, made: pl.DataFrame) -> Any:
    """Return a frame of rules as the kind of dataframe that the transactions were in; polars for arrays."""
    return of_its_kind(given, made) if hasattr(given, "columns") or hasattr(given, "column_names") else made
