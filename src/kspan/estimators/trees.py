"""The scikit-learn interfaces of the tree learners."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
from sklearn.utils.validation import check_is_fitted

from kspan.audit.tree.judge import audit_tree
from kspan.errors import DoesNotHold, Unreachable
from kspan.estimators.classifier import Classifier
from kspan.estimators.inputs import ClassLabels, required, roles
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


class KADETClassifier(TreeClassifier):
    """A decision tree in which everybody has a crowd of at least k (kADET); `audit_` is the judge's word on it.

    Columns that are not listed as `private` are public. `require` asks for more than k, or names a k of its own, for
    example "k=10, entropy_l=1.5". The label is private unless `target_public`. With `criterion="c45"` splits are scored
    and the tree is pruned as by C4.5 (`confidence_factor`, `prune`). By default `min_rows` is 1, or 2 with that
    criterion.

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
        criterion: str = "information-gain",
        min_rows: int | None = None,
        confidence_factor: float = 0.25,
        prune: bool = True,
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

    @property
    def method(self) -> str:  # type: ignore[override]
        """The learner behind it."""
        return "kadet-c45" if self.criterion == "c45" else "kadet"

    def _options(self) -> dict[str, Any]:
        least = {} if self.min_rows is None else {"min_rows": self.min_rows}
        if self.criterion == "c45":
            return {**least, "confidence_factor": self.confidence_factor, "prune": self.prune}
        return {**least, "score": self.criterion}

    def _policy(self, columns: Iterable[str], labels: ClassLabels) -> Policy:
        public, private, identifier = roles(columns, self.public, self.private)
        (public if self.target_public else private).append(labels.column)
        return Policy(
            public=public,
            private=private,
            identifier=identifier,
            person=False,
            target=labels.column,
            require=required(self.k, self.require),
            hierarchies=self.hierarchies or {},
            domains={**(self.domains or {}), labels.column: labels.names},
        )

    def _learned(self, people: pl.DataFrame, policy: Policy) -> Tree:
        try:
            tree = super()._learned(people, policy)
        except Unreachable as error:
            raise Unreachable(f"{error} (n_samples={people.height})") from None
        assert isinstance(tree, Tree)
        self.audit_ = audit_tree(tree, people, policy)
        if not self.audit_.holds:
            raise DoesNotHold(f"the tree breaks {policy.require}: please report this")
        return tree
