"""The scikit-learn interface of the methods that make tables anonymous."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from kspan.anonymize.frame import shown_cells
from kspan.anonymize.newcomers import shown_by_nearest, shown_of
from kspan.audit.audit import audit
from kspan.errors import DoesNotHold, Unreachable
from kspan.estimators.inputs import is_dataframe, labels_of, required, roles, rows_of
from kspan.frames.native import like
from kspan.model.partition import WITHHELD
from kspan.policy import Policy
from kspan.secret import Secret
from kspan.tables.making import anonymize
from kspan.tables.release import TableRelease

SEEDS = 2**63


class Anonymizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc,call-arg]
    """Makes public columns coarser until everybody stands in a crowd of k; `release_` is the table that may leave.

    `method` and its `options` are those of `kspan.anonymize`; with labels it keeps the table good for predicting them.
    Columns that are not listed as `private` are public; if `public` is given, columns in neither list are dropped.
    `require` asks for more than k, or names a k of its own. `transform` shows new rows as the release shows such
    people: to be predicted, not released. `fit_transform` cannot leave rows out: it shows those that a method withholds
    like their nearest group. With `random_state` the same table can be made again, also by others who try numbers:
    what is to leave the house is made without it.

    >>> from kspan.datasets import mortgage
    >>> people = mortgage().drop("Name")
    >>> cells = Anonymizer(k=3, method="mondrian").fit_transform(people.drop("Loan risk"), people["Loan risk"])
    >>> cells.group_by(cells.columns).len()["len"].min()
    3
    """

    release_: TableRelease

    def __init__(
        self,
        k: int = 10,
        *,
        method: str = "auto",
        options: Mapping[str, Any] | None = None,
        public: Iterable[str] | None = None,
        private: Iterable[str] = (),
        require: str | None = None,
        hierarchies: Mapping[str, Any] | None = None,
        domains: Mapping[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.method = method
        self.options = options
        self.public = public
        self.private = private
        self.require = require
        self.hierarchies = hierarchies
        self.domains = domains
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Find the recoding; if there are labels, one that keeps them predictable, where the method can."""
        self._fitted_on(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: N803
        """Return the rows as they are released, but in their own order and with nobody left out."""
        rows = self._fitted_on(X, y)
        release = self.release_
        names = release.policy.public
        group = release.partition.group
        out = group == WITHHELD
        # A withheld row has no group: the cells of group 0 keep its place until those of the nearest replace them.
        shown = {name: shown_cells(release.partition, name)[np.where(out, 0, group)] for name in names}
        if out.any():
            nearest = shown_by_nearest(rows.filter(pl.Series(out)), release.recoding, release.source, release.policy)
            places = np.flatnonzero(out)
            shown = {name: cells.scatter(places, nearest[name]) for name, cells in shown.items()}
        made = rows.drop(release.policy.never_released, strict=False).with_columns(**shown)
        # Withheld rows have joined groups, and the release was judged without them.
        found = audit(made, release.policy)
        if not found.holds:
            raise DoesNotHold(
                f"with the {release.withheld} rows that {release.method} withholds the table breaks "
                f"{release.policy.require}: use fit and release_, which is without them, or another method"
            )
        return self._as_given(X, made.select(self.get_feature_names_out().tolist()))

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return new rows as the release shows such people."""
        check_is_fitted(self)
        rows = rows_of(self, X, reset=False)
        release = self.release_
        shown = shown_of(rows, release.recoding, release.source, release.policy)
        return self._as_given(X, rows.with_columns(**shown).select(self.get_feature_names_out().tolist()))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that are left."""
        check_is_fitted(self)
        return np.array(self._columns, object)

    def _fitted_on(self, X: Any, y: Any) -> pl.DataFrame:  # noqa: N803
        """Find the recoding, and return the rows with their labels."""
        rows = rows_of(self, X, reset=True)
        public, private, identifier = roles(rows.columns, self.public, self.private)
        self._columns = [name for name in rows.columns if name not in identifier]
        labels = None if y is None else labels_of(y, rows)
        policy = Policy(
            public=public,
            private=private,
            identifier=identifier,
            person=False,
            target=None if labels is None else labels.column,
            require=required(self.k, self.require),
            hierarchies=self.hierarchies or {},
            domains=self.domains or {},
        )
        people = rows if labels is None else labels.beside(rows)
        try:
            self.release_ = anonymize(people, policy, self.method, secret=self._secret(), **(self.options or {}))
        except Unreachable as error:
            raise Unreachable(f"{error} (n_samples={rows.height})") from None
        return people

    def _secret(self) -> Secret | None:
        given = self.random_state
        if isinstance(given, np.random.RandomState):
            given = int(given.randint(SEEDS, dtype=np.int64))
        if isinstance(given, np.random.Generator):
            given = int(given.integers(SEEDS))
        return None if given is None else Secret.from_seed(given)

    def _as_given(self, given: Any, made: pl.DataFrame) -> Any:
        return like(given, made) if is_dataframe(given) else made.to_numpy().astype(object)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what to expect: missing values are values, and cells are words and may depend on chance."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = True
        tags.transformer_tags.preserves_dtype = []
        return tags
