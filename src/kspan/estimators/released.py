"""The scikit-learn interfaces of what learns from released tables."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from kspan.data.arrays import Floats
from kspan.data.encode import encode
from kspan.data.general import general
from kspan.data.numeric_features import NumericFeatures, learn_features
from kspan.estimators.classifier import Classifier
from kspan.estimators.inputs import ClassLabels, rows_of
from kspan.policy import Policy


class ReleasedFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Released columns as expected numbers, from which any model of scikit-learn can learn.

    A cell of words becomes the likelihood of each word: even among those that it admits or, with `likelihood="em"`, as
    the column itself tells. A cell of numbers becomes the middle of what it admits. `*` and missing cells get the mean
    of the others; `missing_indicator` adds columns that say which are missing. `hierarchies` explain names, `domains`
    list all values, and `range_pattern` says how ranges are written (with the groups `low` and `high`).

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["F", "M", "{F|M}"], "age": ["[20, 29]", "30", "*"]})
    >>> features = ReleasedFeatures().fit(people)
    >>> features.get_feature_names_out().tolist()
    ['sex_F', 'sex_M', 'age']
    >>> features.transform(people).tolist()
    [[1.0, 0.0, 24.5], [0.0, 1.0, 30.0], [0.5, 0.5, 27.25]]
    """

    encoding_: NumericFeatures

    def __init__(
        self,
        *,
        likelihood: str = "even",
        standardize: bool = False,
        missing_indicator: bool = False,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        range_pattern: str | None = None,
    ) -> None:
        self.likelihood = likelihood
        self.standardize = standardize
        self.missing_indicator = missing_indicator
        self.hierarchies = hierarchies
        self.domains = domains
        self.range_pattern = range_pattern

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn the values of each column."""
        rows = rows_of(self, X, reset=True)
        schema = Policy(
            public=rows.columns,
            require="k=1",
            hierarchies=self.hierarchies or {},
            domains=self.domains or {},
            range_pattern=self.range_pattern,
        )
        table = encode(rows, schema)
        self.encoding_, _ = learn_features(
            (general(table[name], self.range_pattern) for name in rows.columns),
            np.ones(rows.height),
            likelihood=self.likelihood,
            standardize=self.standardize,
            indicator=self.missing_indicator,
        )
        return self

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """Return rows, released or raw, as numbers."""
        check_is_fitted(self)
        return self.encoding_.matrix(rows_of(self, X, reset=False), self.range_pattern)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of numbers."""
        check_is_fitted(self)
        return np.array(self.encoding_.names, object)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what to expect: missing values are taken as values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class ReleasedClassifier(Classifier):
    """Base of classifiers that keep no requirement and can be told what the cells of released columns mean."""

    hierarchies: Mapping[str, Any] | None
    domains: Mapping[str, Any] | None

    def _options(self) -> dict[str, Any]:
        # The learner takes all other parameters; these go into the policy.
        about_cells = ("hierarchies", "domains", "range_pattern")
        return {name: value for name, value in self.get_params().items() if name not in about_cells}

    def _policy(self, columns: Iterable[str], labels: ClassLabels) -> Policy:
        return Policy(
            public=columns,
            target=labels.column,
            require="k=1",
            hierarchies=self.hierarchies or {},
            domains={**(self.domains or {}), labels.column: labels.names},
            range_pattern=self.range_pattern,
        )


class NaiveBayesClassifier(ReleasedClassifier):
    """Naive Bayes on fractions of people; on exact cells it is CategoricalNB for words and GaussianNB for numbers.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["F", "F", "M", "{F|M}"]})
    >>> model = NaiveBayesClassifier().fit(people, ["a", "a", "b", "b"])
    >>> model.predict_proba(pl.DataFrame({"sex": ["F", "*"]})).round(3).tolist()
    [[0.667, 0.333], [0.5, 0.5]]
    """

    method = "naive-bayes"

    def __init__(
        self,
        *,
        likelihood: str = "even",
        alpha: float = 1.0,
        numbers: str = "gaussian",
        bins: int = 10,
        var_smoothing: float = 1e-9,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        range_pattern: str | None = None,
    ) -> None:
        self.likelihood = likelihood
        self.alpha = alpha
        self.numbers = numbers
        self.bins = bins
        self.var_smoothing = var_smoothing
        self.hierarchies = hierarchies
        self.domains = domains
        self.range_pattern = range_pattern


class LogisticClassifier(ReleasedClassifier):
    """Logistic regression on what cells are expected to hold (see `ReleasedFeatures`).

    `numbers` are standardized ("scaled"), or replaced by `bins` of equally many people ("binned") or by bins that are
    cut where labels change ("by-label").
    """

    method = "logistic"

    def __init__(
        self,
        *,
        C: float = 1.0,  # noqa: N803
        likelihood: str = "even",
        numbers: str = "scaled",
        bins: int = 10,
        missing_indicator: bool = False,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        range_pattern: str | None = None,
    ) -> None:
        self.C = C
        self.likelihood = likelihood
        self.numbers = numbers
        self.bins = bins
        self.missing_indicator = missing_indicator
        self.hierarchies = hierarchies
        self.domains = domains
        self.range_pattern = range_pattern


class PARTClassifier(ReleasedClassifier):
    """PART: a list of rules, of which the first that admits a row answers.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": ["[20, 39]", "[40, 59]"] * 5})
    >>> print(PARTClassifier().fit(people, ["low", "high"] * 5).model_)
    if age <= 39.5: low (low: 5)
    else: high (high: 5)
    """

    method = "part"

    def __init__(
        self,
        *,
        min_rows: int = 2,
        confidence_factor: float = 0.25,
        entropy: str = "equal",
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        range_pattern: str | None = None,
    ) -> None:
        self.min_rows = min_rows
        self.confidence_factor = confidence_factor
        self.entropy = entropy
        self.hierarchies = hierarchies
        self.domains = domains
        self.range_pattern = range_pattern


class ConjunctiveClassifier(ReleasedClassifier):
    """One rule, grown on some of the people and pruned on the others, and one answer for all whom it does not admit."""

    method = "conjunctive"

    def __init__(
        self,
        *,
        min_rows: int = 2,
        entropy: str = "equal",
        rng: int = 0,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        range_pattern: str | None = None,
    ) -> None:
        self.min_rows = min_rows
        self.entropy = entropy
        self.rng = rng
        self.hierarchies = hierarchies
        self.domains = domains
        self.range_pattern = range_pattern

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what to expect: one rule can predict two labels at most."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
