"""What an attack from outside found in models and wide tables about people with several rows: it must stay mended."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from sklearn.cluster import KMeans

import kspan as ks
from kspan.cli.main import main


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Eight people with ten rows each.
TEN = pl.DataFrame(
    [(one, "F" if one < 4 else "M", "yes" if (one + row) % 3 else "no") for one in range(8) for row in range(10)],
    schema=["id", "sex", "ill"], orient="row",
)  # fmt: skip
OF_TEN = ks.Policy(person="id", public=["sex"], target="ill", require="k=2")


def test_pruning_does_not_make_people_of_rows(capsys: pytest.CaptureFixture[str]) -> None:
    TEN.write_csv("ten.csv")
    OF_TEN.save("p.toml")
    assert main(["learn", "ten.csv", "-p", "p.toml", "-m", "kadet", "-o", "ten.json"]) == 0
    capsys.readouterr()
    assert main(["share", "prune", "ten.json", "--require", "k=20", "-o", "pruned.json"]) == 2
    assert "the figures of the tree count rows" in capsys.readouterr().err
    assert not Path("pruned.json").exists()
    with pytest.raises(ks.PolicyError, match="the figures of the tree count rows"):
        ks.prune_tree(ks.learn(TEN, OF_TEN, "kadet"), "k=20")


@pytest.mark.parametrize("method", ["id3", "c45", "grouped", "kadet", "kadet-c45"])
def test_every_tree_of_people_with_several_rows_says_so(method: str) -> None:
    tree = ks.learn(TEN, OF_TEN, method)
    assert tree.counts_rows
    assert "80 rows" in repr(tree)
    ks.save_model(tree, "tree.json")
    assert ks.load_model("tree.json") == tree
    for given in (tree, "tree.json"):
        with pytest.raises(ks.PolicyError, match="the figures of the tree count rows"):
            ks.audit(given, require="k=5")
    assert not ks.learn(TEN.unique("id"), OF_TEN, method).counts_rows


def test_a_span_that_tells_nothing_of_an_item_still_tells_people_apart() -> None:
    """Two people alone have rows in both spans, and both bought qx."""
    rows = [(1, 1, 0, 1, 0), (1, 0, 1, 0, 1), (2, 1, 0, 1, 0), (2, 0, 1, 0, 0), (3, 1, 0, 0, 0), (4, 1, 0, 1, 0),
            (5, 0, 1, 0, 1), (6, 0, 1, 0, 0)]  # fmt: skip
    people = pl.DataFrame(rows, schema=["id", "pa", "pb", "qx", "qy"], orient="row")
    itemsets = pl.DataFrame({"support": [3 / 8, 2 / 8], "itemsets": [["pa", "qx"], ["pb", "qy"]]})
    asked = ks.Policy(person="id", public=["pa", "pb"], private=["qx", "qy"], require="k=2, distinct_l[qx]=2")
    assert ks.audit(itemsets, people, replace(asked, known_rows=1)).holds
    for known in (2, "all"):
        found = ks.audit(itemsets, people, replace(asked, known_rows=known))
        assert not found.holds
        assert found.exposed["qx"] == 2
        mined = ks.learn(people, replace(asked, known_rows=known), "itemsets", min_support=0.1).itemsets
        assert ks.audit(mined, people, replace(asked, known_rows=known)).holds


def test_limits_on_one_item_are_reached_where_it_is_told() -> None:
    """It is told in two of three spans."""
    bought = [
        ("pa", 1, "qx"),
        ("pa", 2, ""),
        ("pb", 3, "qx"),
        ("pb", 4, "qx"),
        ("pb", 5, ""),
        ("pc", 6, "qy"),
        ("pc", 1, ""),
    ]
    items = ["pa", "pb", "pc", "qx", "qy"]
    rows = [{"id": one, **{item: item in (public, private) for item in items}} for public, one, private in bought]
    people = pl.DataFrame(rows)
    itemsets = pl.DataFrame({"support": [1 / 7, 2 / 7, 1 / 7], "itemsets": [["pa", "qx"], ["pb", "qx"], ["pc", "qy"]]})
    asked = ks.Policy(person="id", public=items[:3], private=items[3:], require='confidence[qx="yes"]=0.7')
    found = ks.audit(itemsets, people, replace(asked, known_rows=1))
    assert found.holds
    assert found.reached["qx"]['confidence[qx="yes"]'] == pytest.approx(2 / 3)
    # Whoever knows that somebody bought pa and pc knows who it is.
    found = ks.audit(itemsets, people, asked)
    assert not found.holds
    assert found.reached["qx"]['confidence[qx="yes"]'] == 1.0


def test_the_center_of_a_cluster_may_be_one_person_with_several_rows() -> None:
    people = pl.DataFrame({"id": [0] * 4 + list(range(1, 9)), "age": [95] * 4 + [20] * 8, "pay": [7777] * 4 + [1] * 8})
    model = KMeans(2, random_state=0, n_init=1).fit(people.select("age", "pay").to_pandas())
    asked = ks.Policy(person="id", public=["age"], private=["pay"], require="k=1")
    found = ks.audit(model, people, asked)
    assert any("that of one person" in sentence for sentence in found.assumptions)


# The wide form

WIDE = ks.Policy(person="id", public=["age"], private=["status"], require="k=2")


@pytest.mark.parametrize("last", ["neg", "pos"])
def test_columns_of_a_wide_table_tell_nothing_of_people_who_are_withheld(last: str) -> None:
    rows = [(one, 30 + visit, "neg" if one % 2 else "pos") for one in (1, 2, 3, 4) for visit in (0, 1)]
    people = pl.DataFrame([*rows, (5, 90, "neg"), (5, 91, last)], schema=["id", "age", "status"], orient="row")
    release = ks.anonymize(people, WIDE, "datafly", secret="0" * 32, form="wide")
    assert release.withheld == 1
    assert release.frame.columns == ["age_1", "age_2", "status", "rows"]
    assert ks.audit(release.frame, WIDE).holds


def test_numbers_of_columns_tell_nothing_of_people_who_are_withheld() -> None:
    rows = [(one, 30, "neg" if one % 2 else "pos") for one in (1, 2, 3, 4)]
    more = [(one, 90 + 5 * visit, "pos") for one in (5, 6) for visit in range(one - 3)]
    people = pl.DataFrame([*rows, *more], schema=["id", "age", "status"], orient="row")
    release = ks.anonymize(people, replace(WIDE, require="k=2, distinct_l=2"), "mondrian", secret="0" * 32, form="wide")
    shown = set(release.frame["rows"])
    numbers = {int(name.rpartition("_")[2]) for name in release.frame.columns if "_" in name}
    assert max(numbers, default=1) == max(shown)


def test_a_table_has_no_more_rows_than_people() -> None:
    one = pl.DataFrame({"id": [1, 1], "age": [30, 31], "status": ["neg", "pos"]})
    wide = pl.DataFrame({"age_1": [30] * 5, "age_2": [31] * 5, "status_1": ["neg"] * 5, "status_2": ["pos"] * 5})
    with pytest.raises(ks.DataError, match="the release has 4 rows more than these people can have in it"):
        ks.audit(wide.with_columns(rows=2), one, replace(WIDE, require="k=5"))
    long = pl.DataFrame({"id": [1] * 4, "age": [30] * 4, "status": ["neg"] * 4})
    with pytest.raises(ks.DataError, match="rows more than these people can have in it"):
        ks.audit(long.drop("id").with_columns(rows=1), long, replace(WIDE, require="k=4"))
    plain = ks.Policy(public=["age"], private=["status"], require="k=4")
    with pytest.raises(ks.DataError, match="the release has 3 rows more than these people can have in it"):
        ks.audit(long.drop("id"), long.drop("id").head(1), plain)


def test_groups_of_a_wide_table_are_no_larger_than_the_people_who_fit_them() -> None:
    people = pl.DataFrame({"id": [1, 1, 2, 2, 3, 3], "age": [30, 31, 40, 41, 50, 51], "status": ["neg", "pos"] * 3})
    wide = pl.DataFrame({"age_1": [30] * 3, "age_2": [31] * 3, "status_1": ["neg"] * 3, "status_2": ["pos"] * 3})
    with pytest.raises(ks.DataError, match="the release has 2 rows more than these people can have in it"):
        ks.audit(wide.with_columns(rows=2), people, replace(WIDE, require="k=3"))


# Who people are


def test_signs_of_missing_numbers_are_nobody() -> None:
    ids = pl.DataFrame({"id": ["1", "?", "NA", "NaN"], "age": [30] * 4, "status": ["neg"] * 4})
    with pytest.raises(ks.DataError, match="3 rows do not say whose they are"):
        ks.anonymize(ids, WIDE, "mondrian")
    # Beside words they are names as any other.
    named = ids.with_columns(id=pl.Series(["ann", "?", "NA", "bob"]))
    assert ks.anonymize(named, WIDE, "mondrian").audit.people == 4


def test_lists_are_nobody() -> None:
    ids = pl.DataFrame({"id": [[1], [2]], "age": [30, 30], "status": ["neg", "pos"]})
    with pytest.raises(ks.DataError, match="'id' cannot say who people are, since it holds lists or objects"):
        ks.anonymize(ids, WIDE, "mondrian")
