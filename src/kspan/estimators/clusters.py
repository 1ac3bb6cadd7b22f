"""The scikit-learn interface of clusters that keep a requirement."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from kspan.audit.clusters.judge import audit_clusters
from kspan.data.arrays import Floats
from kspan.data.encode import encode
from kspan.errors import DoesNotHold, PolicyError
from kspan.estimators.inputs import required, roles, rows_of
from kspan.induce.clusters.learner import Scaling, clusters
from kspan.model.clusters.assigned import assigned
from kspan.model.clusters.model import Clusters
from kspan.policy import Policy
from kspan.policy.free_text import check_no_free_text


class KAnonymousClusters(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters in which everybody has a crowd of at least k; `clusters_` may be released, `audit_` is the judge's word.

    At most `n_clusters` are made. Columns that are not listed as `private` are public. `require` asks for more than k,
    or names a k of its own. A private number needs its range in `domains`, or may be any number. Other options are
    those of `kspan.induce.clusters.learner`.

    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [20, 21, 22, 60, 61, 62], "pay": [1, 2, 3, 7, 8, 9]})
    >>> model = KAnonymousClusters(k=3, n_clusters=2, private=["pay"]).fit(people)
    >>> model.cluster_centers_.tolist(), model.labels_.tolist()
    ([[21.0, 2.0], [61.0, 8.0]], [0, 0, 0, 1, 1, 1])
    """

    clusters_: Clusters

    def __init__(
        self,
        k: int = 10,
        *,
        n_clusters: int = 10,
        public: Iterable[str] | None = None,
        private: Iterable[str] = (),
        require: str | None = None,
        domains: Mapping[str, Any] | None = None,
        min_people: int | None = None,
        scaling: Scaling = "deviation",
    ) -> None:
        self.k = k
        self.n_clusters = n_clusters
        self.public = public
        self.private = private
        self.require = require
        self.domains = domains
        self.min_people = min_people
        self.scaling = scaling

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Find clusters of the rows; labels are not looked at."""
        rows = rows_of(self, X, reset=True)
        public, private, identifier = roles(rows.columns, self.public, self.private)
        policy = Policy(
            public=public,
            private=private,
            identifier=identifier,
            person=False,
            require=required(self.k, self.require),
            domains=self.domains or {},
        )
        kept = rows.drop(identifier)
        check_no_free_text(kept, policy)
        self.clusters_ = clusters(
            encode(kept, policy), policy, most=self.n_clusters, min_people=self.min_people, scaling=self.scaling
        )
        self.audit_ = audit_clusters(self.clusters_, kept, policy)
        if not self.audit_.holds:
            raise DoesNotHold(f"the clusters break {policy.require}: please report this")
        self.labels_ = self._nearest(kept)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:  # noqa: N803
        """Return the cluster of each row."""
        check_is_fitted(self)
        return self._nearest(rows_of(self, X, reset=False))

    @property
    def cluster_centers_(self) -> Floats:
        """The centers, with a row for each cluster and a column for each attribute; all attributes must be numeric."""
        check_is_fitted(self)
        if not all(attribute.is_measured for attribute in self.clusters_.attributes):
            raise PolicyError("centers of categories are no single numbers: see clusters_.centers")
        return np.column_stack(self.clusters_.by_axis)

    def _nearest(self, rows: pl.DataFrame) -> NDArray[np.int64]:
        return assigned(self.clusters_, rows)
