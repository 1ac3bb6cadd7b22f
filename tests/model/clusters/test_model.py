"""Clusters as files, those of scikit-learn, and the door."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import kspan as ks
from kspan.data.encode import encode
from kspan.errors import DoesNotHold, KspanError, ModelError
from kspan.induce.clusters.learner import clusters
from kspan.model.claim import Claim
from kspan.model.clusters.assigned import assigned
from kspan.model.clusters.imported import imported_clusters
from kspan.model.clusters.json import read_clusters, write_clusters
from kspan.model.clusters.model import Axis, Clusters
from kspan.model.tree.model import Attribute
from kspan.publish import judged_clusters

AGE = Axis.of(Attribute("age", "public", "numeric", low=17, high=90), 12.5)
TOWN = Axis.of(Attribute("town", "private", "categorical", ("Ulm", "Bonn"), has_missing=True), 1.0)
CENTERS = (((30.5,), (0.25, 0.75, 0.0)), ((61.0,), (1.0, 0.0, 0.0)))
MODEL = Clusters((AGE, TOWN), CENTERS, (12, 7), Claim("k=5", inferred_domains=("town",)))
ADULT = ks.datasets.load_adult("train").select("age", "education-num", "sex", "capital-gain").head(3000)


def test_what_is_written_reads_equal() -> None:
    assert read_clusters(json.loads(json.dumps(write_clusters(MODEL)))) == MODEL
    assert write_clusters(MODEL)["clusters"][0] == {"center": {"age": 30.5, "town": [0.25, 0.75, 0.0]}, "people": 12}


def put(*steps: Any) -> Callable[[Any], None]:
    *path, last, value = steps

    def change(document: Any) -> None:
        for step in path:
            document = document[step]
        document[last] = value

    return change


SPOILED = {
    "another version": (put("version", 2), "version 1"),
    "no attributes": (put("attributes", []), "attributes"),
    "no scale": (put("attributes", 0, {"name": "age", "role": "public", "kind": "numeric", "domain": None}), "'scale'"),
    "a scale of 0": (put("attributes", 0, "scale", 0), "above 0"),
    "a scale in words": (put("attributes", 0, "scale", "1"), "finite number"),
    "no clusters": (put("clusters", []), "1 to 100,000"),
    "clusters as an object": (put("clusters", {}), "1 to 100,000"),
    "a center of something else": (put("clusters", 0, "center", {"age": 3}), "'town'"),
    "a center in words": (put("clusters", 0, "center", "age", "old"), "finite number"),
    "a center without end": (put("clusters", 0, "center", "age", float("inf")), "finite number"),
    "shares of two values": (put("clusters", 0, "center", "town", [0.5, 0.5]), "list of 3 shares"),
    "shares that do not add up": (put("clusters", 0, "center", "town", [0.5, 0.1, 0.1]), "add up to 1"),
    "a negative share": (put("clusters", 0, "center", "town", [1.5, -0.5, 0.0]), "add up to 1"),
    "fewer than nobody": (put("clusters", 0, "people", -1), "'people'"),
    "a claim of other attributes": (put("claim", "inferred_domains", ["height"]), "inferred_domains"),
}


@pytest.mark.parametrize(("change", "named"), SPOILED.values(), ids=SPOILED)
def test_spoiled_files_are_refused(change: Callable[[Any], None], named: str) -> None:
    document = copy.deepcopy(write_clusters(MODEL))
    change(document)
    with pytest.raises(ModelError, match=named):
        read_clusters(document)


def test_somebody_is_where_the_nearest_center_is() -> None:
    people = pl.DataFrame({"age": [31, 31, 60, 45], "town": ["Bonn", "Ulm", None, "Paris"]})
    # A town that is not known counts for nothing, and 45 is nearer to 30.5 than to 61.
    assert assigned(MODEL, people).tolist() == [0, 0, 1, 0]
    with pytest.raises(KspanError, match="'town'"):
        assigned(MODEL, people.drop("town"))
    with pytest.raises(KspanError, match="'age'"):
        assigned(MODEL, people.with_columns(age=pl.lit(None, pl.Int64)))


# Of scikit-learn


def policy(*private: str, require: str = "k=10") -> ks.Policy:
    public = [name for name in ADULT.columns if name not in private]
    return ks.Policy(public=public, private=private, require=require, domains={"capital-gain": [0, 99999]})


NUMBERS = ADULT.select("age", "education-num", "capital-gain")
RULES = ks.Policy(
    public=["age", "education-num"],
    private=["capital-gain"],
    require="k=10",
    domains={"capital-gain": [0, 99999]},
)


@pytest.mark.parametrize(
    "model",
    [
        KMeans(5, random_state=0, n_init=1),
        make_pipeline(StandardScaler(), KMeans(5, random_state=0, n_init=1)),
        make_pipeline(MinMaxScaler(), StandardScaler(), KMeans(5, random_state=0, n_init=1)),
    ],
    ids=["plain", "standardized", "scaled twice"],
)
def test_a_fitted_model_of_scikit_learn_is_taken_as_it_predicts(model: Any) -> None:
    frame = NUMBERS.to_pandas()
    model.fit(frame)
    found = imported_clusters(model, encode(NUMBERS, RULES), RULES)
    labels = model.predict(frame)
    assert (found.nearest(encode(NUMBERS, RULES)) == labels).all()
    assert list(found.people) == np.bincount(labels, minlength=5).tolist()


def test_one_hot_columns_are_their_attribute() -> None:
    people = ADULT.select("age", "sex")
    rules = ks.Policy(public=["age"], private=["sex"], require="k=2")
    frame = pd.get_dummies(people.to_pandas(), columns=["sex"], dtype=float)
    model = KMeans(4, random_state=0, n_init=1).fit(frame)
    found = imported_clusters(model, encode(people, rules), rules)
    assert [axis.attribute.name for axis in found.axes] == ["age", "sex"]
    assert (found.nearest(encode(people, rules)) == model.labels_).all()


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda frame: KMeans(2, n_init=1).fit(frame.to_numpy()), "no names"),
        (lambda frame: make_pipeline(PCA(3), KMeans(2, n_init=1)).fit(frame), "mixes columns"),
        (lambda frame: KMeans(2, n_init=1).fit(frame.rename(columns={"age": "Age"})), "'Age'.*did you mean 'age'"),
        (lambda frame: np.zeros(3), "table of numbers"),
    ],
)
def test_what_cannot_be_understood_is_refused(make: Callable[[Any], Any], named: str) -> None:
    with pytest.raises(ModelError, match=named):
        imported_clusters(make(NUMBERS.to_pandas()), encode(NUMBERS, RULES), RULES)


def test_an_array_of_centers_with_names() -> None:
    centers = np.array([[30, 10, 0.0], [50, 12, 5000.0]])
    found = imported_clusters(centers, encode(NUMBERS, RULES), RULES, NUMBERS.columns)
    assert found.centers == (((30.0,), (10.0,), (0.0,)), ((50.0,), (12.0,), (5000.0,)))
    # In an audit its columns are those of the people that have a role.
    assert ks.audit(centers, NUMBERS, RULES).kind == "clusters"
    with pytest.raises(ModelError, match="3 columns are named, but the centers have 2"):
        ks.audit(centers[:, :2], NUMBERS, RULES)


# The door


def test_clusters_leave_only_if_they_hold_and_are_true() -> None:
    rules = policy("capital-gain")
    made = clusters(encode(ADULT, rules), rules)
    judged = judged_clusters(made, ADULT, rules)
    written = read_clusters(json.loads(judged.content))
    assert written.claim == Claim("k=10", inferred_domains=("age", "education-num", "sex"))
    assert written.centers == made.centers
    with pytest.raises(DoesNotHold, match="other people"):
        judged_clusters(Clusters(made.axes, made.centers, (1,) * len(made)), ADULT, rules)
    model = make_pipeline(StandardScaler(), KMeans(40, random_state=0, n_init=1)).fit(NUMBERS.to_pandas())
    theirs = imported_clusters(model, encode(NUMBERS, RULES), RULES)
    with pytest.raises(DoesNotHold, match="break k=10 for"):
        judged_clusters(theirs, NUMBERS, RULES)


def test_weights_count_as_people() -> None:
    few = ADULT.head(300)
    repeated = pl.concat([few, few])
    weighted = few.with_columns(n=pl.lit(2))
    rules = policy("capital-gain", require="k=8")
    heavy = ks.Policy(
        public=rules.public, private=rules.private, require="k=8", domains=dict(rules.domains), weight="n"
    )
    assert clusters(encode(weighted, heavy), heavy, scaling="none") == clusters(
        encode(repeated, rules), rules, scaling="none"
    )
