"""Clusters of Friedman, Wolff and Schuster 2008: Sect. 4.2 (Lisa is found) and Fig. 5."""

from dataclasses import replace

import polars as pl
import pytest

import kspan as ks
from kspan.audit.clusters.judge import audit_clusters, clustered_people
from kspan.audit.clusters.spans import cluster_spans
from kspan.data.encode import encode
from kspan.induce.clusters.learner import clusters
from kspan.induce.clusters.spanning_tree import spanning_tree
from kspan.model.clusters.model import Axis, Clusters
from kspan.model.tree.model import Attribute

PEOPLE = pl.DataFrame(
    {
        "Name": ["John", "Cathy", "Ben", "Laura", "William", "Lisa"],
        "Zip code": [11001, 11001, 13010, 13010, 14384, 15013],
        "Income": [98, 62, 36, 115, 44, 100],
    }
)
ZIP = Axis.of(Attribute("Zip code", "public", "numeric"), 200.0)
INCOME = Axis.of(Attribute("Income", "private", "numeric", low=20, high=120), 10.0)
# Their figure has no coordinates: centers that give its four areas.
CENTERS = ((11001, 80), (13700, 115), (14600, 40), (15300, 100))
MODEL = Clusters((ZIP, INCOME), tuple(((zip_code,), (income,)) for zip_code, income in CENTERS), (2, 1, 2, 1))


def policy(require: str) -> ks.Policy:
    return ks.Policy(identifier=["Name"], public=["Zip code"], private=["Income"], require=require)


def test_table_5_and_figure_3() -> None:
    table = clustered_people(MODEL, PEOPLE, policy("k=2"))
    assert (MODEL.nearest(table) + 1).tolist() == [1, 1, 3, 2, 3, 4]
    spans = cluster_spans(MODEL, table)
    reached = {
        name: [f"C{cell + 1}" for cell in spans.reaches[span].nonzero()[0]]
        for name, span in zip(PEOPLE["Name"], spans.span, strict=True)
    }
    assert reached["John"] == reached["Cathy"] == ["C1"]
    assert reached["Ben"] == reached["Laura"] == reached["William"] == ["C2", "C3"]
    assert reached["Lisa"] == ["C3", "C4"]


def test_lisa_is_found_and_john_and_cathy_are_safe_though_few() -> None:
    found = audit_clusters(MODEL, PEOPLE, policy("k=2"))
    assert not found.holds
    assert (found.failing_people, found.failing_groups, found.k.people, found.safe_people) == (1, 1, 1, 2)
    assert found.failing[0].shown == {"clusters": "3, 4", "Zip code": "15013"}
    assert found.exposed == {"cluster": 1, "Income": 1}
    assert not audit_clusters(MODEL, PEOPLE, policy("k=3")).holds
    without = PEOPLE.filter(pl.col("Name") != "Lisa")
    other = audit_clusters(MODEL, without, policy("k=3"))
    assert (other.failing_groups, other.untrue, other.holds) == (0, ("cluster 4",), False)
    lost = replace(MODEL, people=(*MODEL.people[:3], MODEL.people[3] - 1))
    assert audit_clusters(lost, without, policy("k=3")).holds
    assert not audit_clusters(lost, without, policy("k=4")).holds


# The points of Figure 5, at places that have the lengths of its edges.
POINTS = {"A": (3, 3), "B": (4, 2), "C": (5, 1), "D": (10, 1), "E": (9, 4), "F": (11, 5), "G": (12, 7)}
PATIENTS = pl.DataFrame(list(POINTS.values()), schema={"Age": pl.Int64, "Result": pl.Int64}, orient="row")


def test_figure_5_is_cut_as_in_the_text() -> None:
    rules = ks.Policy(public=["Age"], private=["Result"], require="k=3", domains={"Result": [0, 8]})
    table = encode(PATIENTS, rules)
    _, lengths = spanning_tree(PATIENTS.to_numpy().astype(float))
    assert lengths.round(2).tolist() == [5, 3.16, 2.24, 2.24, 1.41, 1.41]
    two = clusters(table, rules, most=2, min_people=1, scaling="none")
    assert sorted(two.people) == [3, 4]
    # D is alone in its cluster, and yet nobody can tell D from E, F and G.
    three = clusters(table, rules, most=3, min_people=1, scaling="none")
    assert sorted(three.people) == [1, 3, 3]
    assert ((10.0,), (1.0,)) in three.centers
    found = audit_clusters(three, PATIENTS, rules)
    assert found.holds
    assert sorted(finding.people for finding in found.smallest) == [3, 4]
    assert found.safe_people == 3


@pytest.mark.parametrize(("k", "number"), [(3, 2), (4, 1)])
def test_by_default_no_cluster_has_fewer_than_k(k: int, number: int) -> None:
    rules = ks.Policy(public=["Age"], private=["Result"], require=f"k={k}", domains={"Result": [0, 8]})
    assert len(clusters(encode(PATIENTS, rules), rules, scaling="none")) == number
