"""What the scikit-learn interfaces of miners in baskets share."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Self

import polars as pl
from sklearn.base import BaseEstimator

from kspan.audit.audit import audit
from kspan.errors import DoesNotHold
from kspan.estimators.inputs import required, rows_of
from kspan.frames.native import of_its_kind
from kspan.induce.methods import Mined
from kspan.policy import Policy
from kspan.policy.patterns import expanded


class BasketMiner(BaseEstimator):  # type: ignore[misc]
    """A miner whose columns are items; those that are not named `private`, by name or pattern, are public."""

    k: int
    public: Iterable[str] | None
    private: Iterable[str]
    require: str | None

    @abstractmethod
    def _mined(self, people: pl.DataFrame, policy: Policy) -> Mined:
        """Mine what keeps the requirement."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Mine some transactions; `y` is not used."""
        people = rows_of(self, X, reset=True)
        policy = self._policy(people.columns)
        items = people.select(policy.columns)
        mined = self._mined(items, policy)
        self.model_ = mined.model_released
        self.audit_ = audit(self.model_, items, policy)
        if not self.audit_.holds:
            raise DoesNotHold(f"the {self.audit_.kind} break {policy.require}: please report this")
        # As `rules_` or `itemsets_`.
        setattr(self, f"{self.audit_.kind}_", _of_kind(X, self.model_.table))
        self.left_out_ = _of_kind(X, mined.left_out)
        return self

    def _policy(self, columns: list[str]) -> Policy:
        """Return the policy of the items, which are listed by name or pattern.

        If no public items are listed, all that are not private are public; otherwise columns in neither list are no
        items.
        """
        hidden, require = list(self.private), required(self.k, self.require)
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
    """Return a frame as the kind of dataframe that the transactions were in; polars for arrays."""
    return of_its_kind(given, made) if hasattr(given, "columns") or hasattr(given, "column_names") else made
