"""Models about people with several rows: what is refused, what is told, and what is written."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.publish import judged_clusters

# Of six people, one has four of the nine rows, and of five rows of women.
VISITS = pl.DataFrame(
    {
        "id": ["a"] * 4 + ["b", "c", "d", "e", "f"],
        "sex": ["F"] * 4 + ["F", "M", "M", "M", "M"],
        "illness": ["flu", "flu", "flu", "cold", "flu", "flu", "cold", "cold", "cold"],
    }
)
POLICY = ks.Policy(person="id", public=["sex"], target="illness", require="k=2")
BY_ROWS = replace(POLICY, person=False, identifier=["id"])


def test_a_tree_that_is_good_by_rows_is_not_by_people() -> None:
    tree = ks.learn(VISITS.drop("id"), replace(BY_ROWS, identifier=[]), "id3")
    assert len(tree.leaves) == 2
    assert ks.audit(tree, VISITS, BY_ROWS).holds
    found = ks.audit(tree, VISITS, POLICY)
    assert not found.holds
    # Of the two women one has four of five rows, so whatever is told of women is told of her.
    assert (found.k.rows, found.k.people, found.failing_people) == (4, 1, 2)
    assert found.persons is not None
    assert (found.persons.people, found.persons.with_several, found.persons.most_rows) == (6, 1, 4)


def test_a_tree_of_people_does_not_ask_what_gives_somebody_away() -> None:
    assert len(ks.learn(VISITS, POLICY).leaves) == 1
    others = VISITS.with_columns(id=pl.Series(["a", "a", "x", "x", "b", "c", "c", "d", "d"]))
    assert len(ks.learn(others, POLICY).leaves) == 2


def test_even_one_leaf_may_be_too_much() -> None:
    with pytest.raises(ks.Unreachable, match="even a tree of one leaf breaks k=2 on these 6 people"):
        ks.learn(pl.concat([VISITS, VISITS.head(4)]), POLICY)


def test_people_must_say_whose_rows_they_are() -> None:
    tree = ks.learn(VISITS, POLICY)
    with pytest.raises(ks.PolicyError, match="the table does not say whose they are: add the column 'id'"):
        ks.audit(tree, VISITS.drop("id"), POLICY)
    with pytest.raises(ks.PolicyError, match="the table does not say whose they are: add the column 'id'"):
        ks.learn(VISITS.drop("id"), POLICY)


def test_what_follows_for_certain_is_of_people() -> None:
    all_flu = VISITS.with_columns(illness=pl.when(pl.col("sex") == "M").then(pl.lit("flu")).otherwise("illness"))
    tree = ks.learn(all_flu.drop("id"), replace(BY_ROWS, identifier=[]), "id3")
    found = ks.audit(tree, all_flu, POLICY)
    assert found.inferred == ("all 4 people with sex M have illness = flu in at least one of their rows",)
    assert found.derived is None


def test_a_published_tree_says_that_its_figures_count_rows(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    ks.publish_tree(ks.learn(VISITS, POLICY), VISITS, POLICY, path)
    assert json.loads(path.read_text())["claim"]["known_rows"] == "all"
    with pytest.raises(ks.PolicyError, match="people have several rows, and the figures of the tree count rows"):
        ks.audit(path)
    assert ks.audit(path, VISITS, POLICY).holds
    # A tree that does not say so is not judged by its figures under a policy that does.
    with pytest.raises(ks.PolicyError, match="published figures do not say how many people these are"):
        ks.audit(ks.learn(VISITS, POLICY), policy=POLICY)


def test_a_published_tree_of_people_with_one_row_each_is_as_ever(tmp_path: Path) -> None:
    each = VISITS.unique("id", maintain_order=True)
    for name, policy in (("one.json", POLICY), ("other.json", BY_ROWS)):
        ks.publish_tree(ks.learn(each, policy), each, policy, tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()


@pytest.mark.parametrize("said", [0, -1, True, "some", 1.5, None])
def test_a_claim_that_makes_no_sense(said: object, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    ks.publish_tree(ks.learn(VISITS, POLICY), VISITS, POLICY, path)
    document = json.loads(path.read_text())
    document["claim"]["known_rows"] = said
    path.write_text(json.dumps(document))
    with pytest.raises(ks.ModelError, match="'known_rows' must be a whole number from 1 on, or \"all\""):
        ks.load_model(path)


def test_a_value_of_one_person_in_many_rows_is_not_named(tmp_path: Path) -> None:
    towns = VISITS.with_columns(town=pl.when(pl.col("id") == "a").then(pl.lit("rare")).otherwise(pl.lit("common")))
    policy = replace(POLICY, public=["town"])
    path = tmp_path / "tree.json"
    ks.publish_tree(ks.learn(towns.drop("sex"), policy), towns.drop("sex"), policy, path)
    assert "rare" not in path.read_text()
    asked = ks.Policy(person="id", public=["town"], private=["illness"], require="k=2")
    clusters = ks.learn(towns.drop("sex"), asked, "clusters")
    with pytest.raises(ks.DoesNotHold, match="1 values of 'town', and fewer than 2 people have each"):
        judged_clusters(clusters, towns.drop("sex"), asked)


def test_a_cluster_is_of_several_people() -> None:
    """One person with many rows far from all others does not get a cluster alone."""
    rows = [("a", 90, 9)] * 4 + [(f"p{number}", 20, 1) for number in range(12)]
    people = pl.DataFrame(rows, schema=["id", "age", "pay"], orient="row")
    asked = ks.Policy(public=["age"], private=["pay"], require="k=3")
    by_rows = ks.learn(people.drop("id"), asked, "clusters")
    by_people = ks.learn(people, replace(asked, person="id"), "clusters")
    assert (len(by_rows), len(by_people)) == (2, 1)


def test_mining_people_who_buy_several_times() -> None:
    people = pl.DataFrame({"tea": [1, 1, 1, 0, 0, 0], "pills": [1, 1, 0, 0, 1, 0]})
    asked = ks.Policy(public=["tea"], private=["pills"], require="k=3")
    assert len(ks.learn(people, asked, "rules", min_support=0.1, min_confidence=0.1).rules) == 2
    of_two = people.with_columns(id=pl.Series([1, 1, 1, 2, 2, 2]))
    found = ks.learn(of_two, replace(asked, person="id"), "rules", min_support=0.1, min_confidence=0.1)
    assert len(found.rules) == 0
    assert set(found.left_out["why"]) == {"would give people with several rows away by these, under k=3"}
    assert found.left_out["people"].null_count() == found.left_out.height


def test_a_model_that_keeps_something_of_each_person() -> None:
    """As many entries as there are people are as bad as one a row."""

    class Model:
        effects_ = pl.Series(range(6)).to_numpy()

        def __init__(self) -> None:
            self.effects = self.effects_

        def predict(self, frame: object) -> object:
            return ["flu"] * len(frame)  # type: ignore[arg-type]

    with pytest.raises(ks.PolicyError, match="keeps rows of people, or something of each"):
        ks.audit(Model(), VISITS.to_pandas(), POLICY)
