"""What all classifiers share: labels in, a model learned, labels out."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Self

import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from kspan.data.arrays import Floats
from kspan.errors import DataError
from kspan.estimators.inputs import ClassLabels, labels_of, rows_of
from kspan.induce.methods import learn_labels
from kspan.model.models import Model
from kspan.model.predict import predictor
from kspan.policy import Policy


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner by its name; after `fit`, `model_` is what it learned."""

    model_: Model
    classes_: NDArray[Any]

    method: str
    """The learner behind it."""
    range_pattern: str | None = None
    """How ranges are written, if in a way of their own."""

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Learn the label of each row."""
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows = rows_of(self, X, reset=True)
        labels = labels_of(y, rows)
        check_classification_targets(labels.of_rows)
        self.classes_ = labels.classes
        self.model_ = self._learned(labels.beside(rows), self._policy(rows.columns, labels))
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The likeliest label of each row."""
        shares = self.predict_proba(X)
        chosen: NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return chosen

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """How likely each label is (in the order of `classes_`)."""
        check_is_fitted(self)
        return predictor(self.model_).of_people(rows_of(self, X, reset=False), self.range_pattern)

    def _learned(self, people: pl.DataFrame, policy: Policy) -> Model:
        return learn_labels(people, policy, self.method, **self._options())

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """What the learner is told."""

    @abstractmethod
    def _policy(self, columns: Iterable[str], labels: ClassLabels) -> Policy:
        """What is known of the columns."""

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: missing values are values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
