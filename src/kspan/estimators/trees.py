"""The scikit-learn interfaces of the tree learners."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from kspan.audit.findings import Audit
from kspan.audit.tree.judge import audit_tree
from kspan.data.arrays import Floats
from kspan.errors import DataError, DoesNotHold, PolicyError, Unreachable
from kspan.estimators.classifier import Classifier
from kspan.estimators.inputs import ClassLabels, named_weights, numbers_of, required, roles, rows_of, weights_of
from kspan.frames.native import unused
from kspan.induce.methods import learn
from kspan.model.predict import predicted
from kspan.model.tree.model import Tree
from kspan.policy import Policy


class TreeClassifier(Classifier):
    """What all tree classifiers share; after `fit`, `tree_` is the tree."""

    @property
    def tree_(self) -> Tree:
        """The tree that was learned."""
        check_is_fitted(self)
        assert isinstance(self.model_, Tree)
        return self.model_

    def _options(self) -> dict[str, Any]:
        return dict(self.get_params())

    def _policy(self, columns: Iterable[str], labels: ClassLabels) -> Policy:
        # These learners keep no requirement, and k=1 always holds.
        return Policy(public=columns, target=labels.column, require="k=1", domains={labels.column: labels.names})


class ID3Classifier(TreeClassifier):
    """ID3 with thresholds for numbers; it keeps no requirement.

    Cells of released columns that admit several values are understood as `entropy` and `division` say.

    >>> from kspan.datasets import mortgage
    >>> people = mortgage().drop("Name")
    >>> model = ID3Classifier().fit(people.drop("Loan risk"), people["Loan risk"])
    >>> model.predict(people.drop("Loan risk").head(3)).tolist()
    ['Good', 'Good', 'Good']
    """

    method = "id3"

    def __init__(
        self,
        *,
        criterion: str = "information-gain",
        min_rows: int = 1,
        entropy: str = "equal",
        division: str = "fractional",
        marginals: Mapping[str, Mapping[str, float]] | None = None,
        random_state: int = 0,
    ) -> None:
        self.criterion = criterion
        self.min_rows = min_rows
        self.entropy = entropy
        self.division = division
        self.marginals = marginals
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        given = self.get_params()
        score, rng = given.pop("criterion"), given.pop("random_state")
        return {**given, "score": score, "rng": rng}


class C45Classifier(TreeClassifier):
    """C4.5, pruned by the errors it expects; it keeps no requirement.

    A missing value goes down every branch with a share of its weight, and so does a cell of a released column that
    admits several values, as likely as `entropy` says. `confidence_factor` says how hard to prune: less is harder.

    >>> from kspan.datasets import load_adult
    >>> people = load_adult("train").head(2000)
    >>> model = C45Classifier(min_rows=20).fit(people.drop("income"), people["income"])
    >>> len(model.tree_.leaves) < len(C45Classifier(min_rows=20, prune=False).fit(
    ...     people.drop("income"), people["income"]).tree_.leaves)
    True
    """

    method = "c45"

    def __init__(
        self,
        *,
        min_rows: int = 2,
        confidence_factor: float = 0.25,
        prune: bool = True,
        subtree_raising: bool = True,
        entropy: str = "equal",
    ) -> None:
        self.min_rows = min_rows
        self.confidence_factor = confidence_factor
        self.prune = prune
        self.subtree_raising = subtree_raising
        self.entropy = entropy


class Anonymous(BaseEstimator):  # type: ignore[misc]
    """What estimators share whose trees keep a requirement: who knows what, and the judge's word in `audit_`."""

    k: int
    public: Iterable[str] | None
    private: Iterable[str]
    require: str | None
    target_public: bool
    hierarchies: Mapping[str, Any] | None
    domains: Mapping[str, Any] | None
    audit_: Audit

    def _policy_of(self, columns: Iterable[str], target: str, domain: Any) -> Policy:
        public, private, identifier = roles(columns, self.public, self.private)
        (public if self.target_public else private).append(target)
        return Policy(
            public=public,
            private=private,
            identifier=identifier,
            person=False,
            target=target,
            require=required(self.k, self.require),
            hierarchies=self.hierarchies or {},
            domains={**(self.domains or {}), target: domain},
        )

    def _judged(self, people: pl.DataFrame, policy: Policy, method: str, options: Mapping[str, Any]) -> Tree:
        told = dict(options)
        if (importance := told.pop("importance", None)) is not None:
            name = unused("importance", people.columns)
            people, policy = people.with_columns(pl.Series(name, importance)), replace(policy, sampling_weight=name)
        try:
            tree = learn(people, policy, method, **told)
        except Unreachable as error:
            raise Unreachable(f"{error} (n_samples={people.height})") from None
        assert isinstance(tree, Tree)
        self.audit_ = audit_tree(tree, people, policy)
        if not self.audit_.holds:
            raise DoesNotHold(f"the tree breaks {policy.require}: please report this")
        return tree


class KADETClassifier(Anonymous, TreeClassifier):
    """A decision tree in which everybody has a crowd of at least k; `audit_` is the judge's word on it.

    Columns that are not listed as `private` are public. `require` asks for more than k, or names a k of its own, for
    example "k=10, entropy_l=1.5". The label is private unless `target_public`.

    By default the tree is that of `grouped`: its questions group values, so that rare and missing ones veto nothing.
    `complexity` is what a leaf must save, in bits (half the logarithm of the people if None), `lookahead` how many
    questions ahead splits are compared, and `class_weight` how much labels count ("balanced", or a number for each).
    With `criterion="c45"` splits are scored and the tree is pruned as by C4.5 (`confidence_factor`), and with
    "information-gain", "gain-ratio" or "gini" it is kADET's. `prune` is for those that prune.

    >>> from kspan.datasets import mortgage
    >>> people = mortgage()
    >>> model = KADETClassifier(k=3).fit(people.drop("Name", "Loan risk"), people["Loan risk"])
    >>> model.audit_
    Audit(k=3 holds: 12 people in 4 spans, k=3)
    """

    def __init__(
        self,
        k: int = 10,
        *,
        public: Iterable[str] | None = None,
        private: Iterable[str] = (),
        require: str | None = None,
        target_public: bool = False,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        criterion: str = "grouped",
        min_rows: int | None = None,
        confidence_factor: float = 0.25,
        prune: bool = True,
        complexity: float | None = None,
        lookahead: int = 4,
        class_weight: Mapping[Any, float] | str | None = None,
    ) -> None:
        self.k = k
        self.public = public
        self.private = private
        self.require = require
        self.target_public = target_public
        self.hierarchies = hierarchies
        self.domains = domains
        self.criterion = criterion
        self.min_rows = min_rows
        self.confidence_factor = confidence_factor
        self.prune = prune
        self.complexity = complexity
        self.lookahead = lookahead
        self.class_weight = class_weight

    @property
    def method(self) -> str:  # type: ignore[override]
        """The learner behind it."""
        return {"grouped": "grouped", "c45": "kadet-c45"}.get(self.criterion, "kadet")

    def fit(self, X: Any, y: Any, importance: Any = None) -> Self:  # noqa: N803
        """Learn the label of each row; weights say how much rows count when questions are chosen: crowds count rows."""
        if importance is not None and self.criterion != "grouped":
            raise PolicyError(f"criterion={self.criterion!r} takes no importance: use criterion='grouped'")
        return self._fit(X, y, importance)

    def _options(self) -> dict[str, Any]:
        least = {} if self.min_rows is None else {"min_rows": self.min_rows}
        if self.criterion == "c45":
            return {**least, "confidence_factor": self.confidence_factor, "prune": self.prune}
        if self.criterion != "grouped":
            return {**least, "score": self.criterion}
        return {**least, "predict": "labels", **_grouping(self)}

    def _options_for(self, labels: ClassLabels) -> dict[str, Any]:
        options = self._options()
        if self.class_weight is None:
            return options
        if self.criterion != "grouped":
            raise PolicyError(f"criterion={self.criterion!r} takes no class_weight: use criterion='grouped'")
        return {**options, "class_weight": named_weights(self.class_weight, labels)}

    def _policy(self, columns: Iterable[str], labels: ClassLabels) -> Policy:
        return self._policy_of(columns, labels.column, labels.names)

    def _learned(self, people: pl.DataFrame, policy: Policy, options: Mapping[str, Any]) -> Tree:
        return self._judged(people, policy, self.method, options)


class KADETRegressor(RegressorMixin, Anonymous):  # type: ignore[misc]
    """A regression tree in which everybody has a crowd of at least k; `audit_` is the judge's word on it.

    The parameters are those of `KADETClassifier`; `require` may ask something of the numbers, which are called
    `target` there: "k=10, range[target]=1000". `tells` is what leaves tell: "mean", "median" or "interval".

    >>> from kspan.datasets import load_adult
    >>> people = load_adult("train").select("age", "education", "sex", "hours-per-week").head(2000)
    >>> model = KADETRegressor(k=50).fit(people.drop("hours-per-week"), people["hours-per-week"])
    >>> model.audit_.holds, model.predict(people.head(2).drop("hours-per-week")).round(1).tolist()
    (True, [44.2, 44.2])
    """

    def __init__(
        self,
        k: int = 10,
        *,
        public: Iterable[str] | None = None,
        private: Iterable[str] = (),
        require: str | None = None,
        target_public: bool = False,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        min_rows: int = 2,
        prune: bool = True,
        complexity: float | None = None,
        lookahead: int = 4,
        tells: str = "mean",
    ) -> None:
        self.k = k
        self.public = public
        self.private = private
        self.require = require
        self.target_public = target_public
        self.hierarchies = hierarchies
        self.domains = domains
        self.min_rows = min_rows
        self.prune = prune
        self.complexity = complexity
        self.lookahead = lookahead
        self.tells = tells

    def fit(self, X: Any, y: Any, importance: Any = None) -> Self:  # noqa: N803
        """Learn the number of each row."""
        if y is None:
            raise DataError("KADETRegressor requires y to be passed, but the target y is None")
        rows = rows_of(self, X, reset=True)
        numbers = numbers_of(y, rows)
        target = unused("target", rows.columns)
        policy = self._policy_of(rows.columns, target, "numeric")
        options = {"min_rows": self.min_rows, "predict": "numbers", "tells": self.tells, **_grouping(self)}
        if importance is not None:
            options["importance"] = weights_of(importance, rows)
        self.model_ = self._judged(rows.with_columns(numbers.alias(target)), policy, "grouped", options)
        return self

    @property
    def tree_(self) -> Tree:
        """The tree that was learned."""
        check_is_fitted(self)
        return self.model_

    def predict(self, X: Any) -> Floats:  # noqa: N803
        """Return the mean of the leaf of each row."""
        check_is_fitted(self)
        numbers: Floats = (
            predicted(self.model_, rows_of(self, X, reset=False)).to_series().to_numpy().astype(np.float64)
        )
        return numbers

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what to expect: missing values are taken as values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _grouping(asked: Any) -> dict[str, Any]:
    """Return the options of questions that group values."""
    return {
        "lookahead": asked.lookahead,
        "pruning": "complexity" if asked.prune else "none",
        "complexity": asked.complexity,
    }
