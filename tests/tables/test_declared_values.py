"""A release is read back by the policy that made it, also where values are declared and names stand for them."""

import polars as pl
import pytest

import kspan as ks


@pytest.mark.parametrize("method", ["incognito", "tds", "mondrian", "datafly"])
def test_names_of_a_hierarchy_are_as_good_as_declared_values(method: str) -> None:
    people = ks.datasets.load_adult("train", missing=False).select("education", "sex", "income").head(400)
    declared = {name: people[name].unique().sort().to_list() for name in ("education", "income")}
    names = {"education": ks.read_hierarchy(ks.datasets.adult_hierarchies() / "education.csv")}
    policy = ks.Policy(
        public=["education", "sex"], target="income", require="k=20", hierarchies=names, domains=declared
    )
    release = ks.anonymize(people, policy, method, secret="0" * 32)
    assert ks.audit(release.table, policy).holds
    assert ks.audit(release, people).holds
    ks.learn(release.table, policy, "c45")


def test_names_that_look_like_ranges_are_names_where_values_are_declared() -> None:
    people = pl.DataFrame({"a": [str(place % 4 + 1) for place in range(40)], "t": ["x", "y"] * 20})
    policy = ks.Policy(
        public=["a"],
        target="t",
        require="k=15",
        hierarchies={"a": ks.Automatic()},
        domains={"a": ["1", "2", "3", "4"]},
    )
    release = ks.anonymize(people, policy, "incognito", secret="0" * 32)
    assert set(release.table["a"]) == {"[1, 2]", "[3, 4]"}
    assert ks.learn(release.table, policy, "id3").root.people == 40


def test_values_that_are_not_declared_are_still_refused() -> None:
    names = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health"), ("clerk", "office")])
    policy = ks.Policy(
        public=["job"], private=["t"], require="k=1", hierarchies={"job": names}, domains={"job": ["nurse", "doctor"]}
    )
    assert ks.audit(pl.DataFrame({"job": ["health", "nurse"], "t": ["x", "y"]}), policy).people == 2
    with pytest.raises(ks.DataError, match="declared domain"):
        ks.audit(pl.DataFrame({"job": ["clerk", "nurse"], "t": ["x", "y"]}), policy)
