"""Classifiers that learn from values drawn for the general cells of released tables: boosting, and any other model."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from kspan.data.arrays import Floats
from kspan.data.encode import encode_people
from kspan.data.expected import Words
from kspan.errors import DataError
from kspan.estimators.inputs import labels_of, rows_of
from kspan.estimators.released import ReleasedClassifier
from kspan.induce.released.boosted import STEADY
from kspan.induce.released.examples import examples
from kspan.induce.released.numbered import numbered_tables
from kspan.model.boosted.numbered import Numbered
from kspan.model.distributions import distributions_of


class BoostedClassifier(ReleasedClassifier):
    """Gradient boosting on values that are drawn for general cells, several times each.

    `marginals` are the distributions that the owner published beside the table: their file, or what it holds.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": ["[20, 29]", "[60, 69]"] * 40})
    >>> model = BoostedClassifier().fit(people, ["low", "high"] * 40)
    >>> model.predict(pl.DataFrame({"age": [25, 66]})).tolist()
    ['low', 'high']
    """

    method = "boosted"

    def __init__(
        self,
        *,
        rounds: int = 100,
        learning_rate: float = 0.1,
        most_leaves: int = 31,
        min_rows: int = 20,
        imputations: int = 10,
        likelihood: str = "em",
        marginals: Any = None,
        rng: int = 0,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        range_pattern: str | None = None,
    ) -> None:
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.most_leaves = most_leaves
        self.min_rows = min_rows
        self.imputations = imputations
        self.likelihood = likelihood
        self.marginals = marginals
        self.rng = rng
        self.hierarchies = hierarchies
        self.domains = domains
        self.range_pattern = range_pattern


class ImputedClassifier(ReleasedClassifier):
    """Any classifier of scikit-learn on values that are drawn for general cells, several times each.

    Words become a column each, numbers one column; what is not known is 0 for words, and the mean for numbers. In
    predicting, a general row counts as several with exact values. Without an estimator, it is gradient boosting.

    >>> import polars as pl
    >>> from sklearn.naive_bayes import GaussianNB
    >>> people = pl.DataFrame({"sex": ["F", "M", "{F|M}"] * 9, "age": ["[20, 29]", "60", "*"] * 9})
    >>> model = ImputedClassifier(GaussianNB()).fit(people, ["a", "b", "b"] * 9)
    >>> model.predict(people.head(2)).tolist()
    ['a', 'b']
    """

    numbered_: Numbered
    means_: Floats
    estimator_: Any

    def __init__(
        self,
        estimator: Any = None,
        *,
        imputations: int = 10,
        likelihood: str = "em",
        marginals: Any = None,
        rng: int = 0,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        range_pattern: str | None = None,
    ) -> None:
        self.estimator = estimator
        self.imputations = imputations
        self.likelihood = likelihood
        self.marginals = marginals
        self.rng = rng
        self.hierarchies = hierarchies
        self.domains = domains
        self.range_pattern = range_pattern

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Learn the label of each row."""
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows = rows_of(self, X, reset=True)
        labels = labels_of(y, rows)
        check_classification_targets(labels.of_rows)
        self.classes_ = labels.classes
        policy = self._policy(rows.columns, labels)
        people = examples(encode_people(labels.beside(rows), policy), policy)
        chance, told = np.random.default_rng(self.rng), distributions_of(self.marginals)
        self.numbered_, tables = numbered_tables(people, told, self.likelihood, int(self.imputations), chance)
        numbers = np.concatenate(tables)
        known = ~np.isnan(numbers)
        self.means_ = np.where(known, numbers, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        # Few classifiers learn from people who all have one label, and there is nothing to learn.
        self.estimator_ = DummyClassifier() if len(labels.classes) == 1 else self._unfitted()
        self.estimator_.fit(self._columns(numbers), np.tile(labels.place, len(tables)))
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return how likely each label is for each row, in the order of `classes_`."""
        check_is_fitted(self)
        row, numbers = self.numbered_.copies(rows_of(self, X, reset=False), self.range_pattern)
        shares = self._shares(self._columns(numbers))
        sums = np.zeros((int(row.max()) + 1, len(self.classes_)))
        np.add.at(sums, row, shares)
        return sums / np.bincount(row)[:, None]

    def _unfitted(self) -> Any:
        return _boosting() if self.estimator is None else clone(self.estimator)

    def _shares(self, columns: Floats) -> Floats:
        """Return what the model says of exact rows: shares, or all for the label that it predicts."""
        shares = np.zeros((len(columns), len(self.classes_)))
        if hasattr(self.estimator_, "predict_proba"):
            shares[:, self.estimator_.classes_] = self.estimator_.predict_proba(columns)
        else:
            shares[np.arange(len(columns)), self.estimator_.predict(columns)] = 1.0
        return shares

    def _columns(self, numbers: Floats) -> NDArray[Any]:
        """Return a column for each word, and one for each number."""
        found = list[Floats]()
        for place, attribute in enumerate(self.numbered_.attributes):
            own = numbers[:, place]
            if isinstance(attribute, Words):
                found.append((own[:, None] == np.arange(len(attribute.values))).astype(np.float64))
            else:
                found.append(np.where(np.isnan(own), self.means_[place], own)[:, None])
        return np.hstack(found)


def _boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(early_stopping=False, l2_regularization=STEADY, random_state=0)
