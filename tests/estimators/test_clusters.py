"""The estimator of clusters."""

import pytest
from sklearn.base import clone

import kspan as ks
from kspan.errors import KspanError
from kspan.estimators.clusters import KAnonymousClusters

ADULT = ks.datasets.load_adult("train").select("age", "education-num", "sex", "capital-gain").head(3000)


def test_the_estimator_is_one() -> None:
    model = KAnonymousClusters(k=20, n_clusters=4, private=["capital-gain"], domains={"capital-gain": [0, 99999]})
    assert clone(model).get_params()["k"] == 20
    frame = ADULT.drop("sex").to_pandas()
    labels = model.fit_predict(frame)
    assert (model.predict(frame) == labels).all()
    assert model.cluster_centers_.shape == (len(model.clusters_), 3)
    assert model.audit_.holds
    assert model.audit_.k.people >= 20
    mixed = KAnonymousClusters(k=20, private=["capital-gain"]).fit(ADULT)
    assert len(mixed.labels_) == ADULT.height
    with pytest.raises(KspanError, match="no single numbers"):
        mixed.cluster_centers_  # noqa: B018
