"""What all classifiers share: labels in, a model learned, labels out."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Self

import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from kspan.data.arrays import Floats
from kspan.errors import DataError
from kspan.estimators.inputs import ClassLabels, labels_of, rows_of, weights_of
from kspan.induce.methods import learn_labels
from kspan.model.models import Model
from kspan.model.predict import predictor
from kspan.policy import Policy


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all classifiers: it runs a learner by name, and after `fit`, `model_` is what it learned."""

    model_: Model
    classes_: NDArray[Any]

    method: str
    """The learner behind it."""
    range_pattern: str | None = None
    """How the data writes ranges, if not in a usual way."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Learn the label of each row."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, weights: Any = None) -> Self:  # noqa: N803
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows = rows_of(self, X, reset=True)
        labels = labels_of(y, rows)
        check_classification_targets(labels.of_rows)
        self.classes_ = labels.classes
        options = self._options_for(labels)
        if weights is not None:
            options["importance"] = weights_of(weights, rows)
        self.model_ = self._learned(labels.beside(rows), self._policy(rows.columns, labels), options)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the likeliest label of each row."""
        shares = self.predict_proba(X)
        chosen: NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return chosen

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """Return how likely each label is for each row, in the order of `classes_`."""
        check_is_fitted(self)
        # Policies list the classes as the domain of the target, so that shares have the order of `classes_`.
        return predictor(self.model_).of_people(rows_of(self, X, reset=False), self.range_pattern)

    def _learned(self, people: pl.DataFrame, policy: Policy, options: Mapping[str, Any]) -> Model:
        return learn_labels(people, policy, self.method, **options)

    def _options_for(self, labels: ClassLabels) -> dict[str, Any]:
        """Return the options of the learner, where they depend on the labels."""
        return self._options()

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """Return the options of the learner."""

    @abstractmethod
    def _policy(self, columns: Iterable[str], labels: ClassLabels) -> Policy:
        """Return the policy for these columns and labels."""

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what to expect: missing values are taken as values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
