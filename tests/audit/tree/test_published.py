"""A tree without its people: what the published counts answer, and what they must not be asked."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.model.claim import Claim
from kspan.model.tree.json import save_tree
from kspan.model.tree.model import Attribute, Edge, Node, Region, Role, Tree
from kspan.model.tree.release import TreeRelease

LABELS = ("bad", "good")


def tree_of(
    *leaves: tuple[float, ...], role: Role = "public", target: Role = "private", labels: tuple[str, ...] = LABELS
) -> Tree:
    values = tuple("abcdef"[: len(leaves)])
    edges = tuple(
        Edge(Region(frozenset({name})), Node.of_counts(each)) for name, each in zip(values, leaves, strict=True)
    )
    whole = Node.of_counts([sum(each) for each in zip(*leaves, strict=True)], 0, edges)
    return Tree((Attribute("town", role, "categorical", values),), "risk", target, labels, whole)


TREE = tree_of((3, 2), (0, 0), (4, 0))


def test_a_path_of_nobody_is_no_group() -> None:
    found = ks.audit(TREE, require="k=4, distinct_l=2")
    assert (found.holds, found.people, found.groups, found.k.people, found.kind) == (False, 9, 2, 4, "tree")
    assert (found.exposed, found.failing_people, found.utility.cm) == ({"risk": 4}, 4, 2)
    assert [dict(one.shown) for one in found.smallest] == [
        {"leaf": "3", "path": "town = c"},
        {"leaf": "1", "path": "town = a"},
    ]
    assert found.failing[0].breaks == ("distinct_l=2",)
    assert json.loads(found.to_json())["counting"] == "paths"
    assert repr(found) == "Audit(k=4, distinct_l=2 does not hold: 9 people in 2 paths, k=4)"


def test_what_is_required_is_asked_or_the_policy_or_the_claim(tmp_path: Path) -> None:
    policy = ks.Policy(public=["town"], target="risk", require="k=5")
    policy.save(tmp_path / "policy.toml")
    save_tree(TreeRelease(TREE, Claim("k=4")), tmp_path / "tree.json")
    for release in (tmp_path / "tree.json", str(tmp_path / "tree.json"), ks.load_tree(tmp_path / "tree.json")):
        assert ks.audit(release).requirement == "k=4"
        assert ks.audit(release, policy).requirement == "k=5"
        assert ks.audit(release, tmp_path / "policy.toml").requirement == "k=5"
        assert ks.audit(release, policy, require="k=2").requirement == "k=2"
        assert ks.audit(release, require=ks.KAnonymity(3)).requirement == "k=3"
    with pytest.raises(ks.PolicyError, match="the tree claims nothing: say what"):
        ks.audit(TREE)
    with pytest.raises(ks.ModelError, match="the claim of the tree is no requirement that can be read"):
        ks.audit(TreeRelease(TREE, Claim("as anonymous as can be")))
    with pytest.raises(ks.PolicyError, match="takes 'town' as public, the policy says private"):
        ks.audit(TREE, ks.Policy(private=["town"], target="risk", require="k=5"))


def test_require_is_for_tables_too() -> None:
    people = pl.DataFrame({"town": ["a", "a", "b"], "risk": ["bad", "good", "bad"]})
    policy = ks.Policy(public=["town"], private=["risk"], require="k=2")
    assert not ks.audit(people, policy).holds
    assert ks.audit(people, policy, require="k=1").requirement == "k=1"


def test_private_attributes_are_said_to_be_taken_as_known() -> None:
    assert ks.audit(TREE, require="k=4").assumptions == ()
    (said,) = ks.audit(tree_of((3, 2), (4, 0), role="private"), require="k=4").assumptions
    assert "'town'" in said


def test_a_public_target() -> None:
    """Whoever knows every attribute and the label learns nothing; what private ones do, paths cannot say."""
    found = ks.audit(tree_of((1, 0), (4, 0), target="public"), require="k=4")
    assert (found.holds, found.safe_people, found.exposed, found.k.people) == (True, 5, {}, 5)
    with pytest.raises(ks.PolicyError, match="the target is public and 'town' private"):
        ks.audit(tree_of((1, 0), (4, 0), role="private", target="public"), require="k=4")
    with pytest.raises(ks.PolicyError, match="distinct_l=2 cannot be asked of a tree"):
        ks.audit(tree_of((1, 0), (4, 0), target="public"), require="distinct_l=2")


def test_t_knows_the_order_of_numbers_and_the_hierarchy_of_words() -> None:
    """Labels that nobody has do not lie between others; a hierarchy brings some of them together."""
    numbers = tree_of((2, 0, 0, 0), (0, 0, 2, 2), labels=("10", "50", "9", "100"))
    assert ks.audit(numbers, require="t=1").reached["risk"]["t"] == pytest.approx(1 / 3)
    words = tree_of((2, 0, 0), (0, 2, 2), labels=("flu", "cold", "cancer"))
    assert ks.audit(words, require="t=1").reached["risk"]["t"] == pytest.approx(2 / 3)
    names = ks.Hierarchy.of([("flu", "airways"), ("cold", "airways"), ("cancer", "other")])
    policy = ks.Policy(public=["town"], target="risk", require="t=1", hierarchies={"risk": names})
    people = pl.DataFrame({"town": list("aabbbb"), "risk": ["flu", "flu", "cold", "cold", "cancer", "cancer"]})
    by_people, by_paths = ks.audit(words, people, policy), ks.audit(words, policy)
    assert by_paths.reached == by_people.reached
    assert by_paths.reached["risk"]["t"] < 2 / 3


def test_a_missing_label_is_a_label() -> None:
    tree = tree_of((2, 1), (0, 3), labels=("(missing)", "7"))
    people = pl.DataFrame({"town": list("aaabbb"), "risk": [None, None, 7, 7, 7, 7]})
    policy = ks.Policy(public=["town"], target="risk", require="t=0.5")
    assert ks.audit(tree, policy).reached == ks.audit(tree, people, policy).reached


@pytest.mark.parametrize("kind", ["shares", "label"])
def test_too_little_is_disclosed(kind: str) -> None:
    with pytest.raises(
        ks.PolicyError, match=rf"discloses only '{kind}', which tells of no crowd: give the people .*--data"
    ):
        ks.audit(TREE.disclosing(kind), require="k=2")


@pytest.mark.parametrize("require", ["t=0.5", "basic_beta=1", "enhanced_beta=1", "delta=1"])
def test_hit_and_miss_do_not_tell_of_everybody(require: str) -> None:
    with pytest.raises(ks.PolicyError, match="needs the labels of everybody"):
        ks.audit(TREE.disclosing("hit-miss"), require=f"k=2, {require}")
    assert require.partition("=")[0] not in ks.audit(TREE.disclosing("hit-miss"), require="k=2").reached["risk"]


def test_there_must_be_somebody_and_there_are_no_rows() -> None:
    with pytest.raises(ks.PolicyError, match="the tree tells of nobody"):
        ks.audit(tree_of((0, 0), (0, 0)), require="k=2")
    with pytest.raises(ks.KspanError, match="has no rows"):
        _ = ks.audit(TREE, require="k=2").per_row
    with pytest.raises(ks.PolicyError, match="the policy says what is known of the people of a tree: give it, too"):
        ks.audit(TREE, pl.DataFrame({"town": ["a"]}))


def test_very_large_counts_are_exact() -> None:
    most = 2**52
    found = ks.audit(tree_of((most - 1, 1), (1, most - 1)), require=f"k={most}")
    assert (found.holds, found.people, found.utility.cm) == (True, 2 * most, 2)
    assert not ks.audit(tree_of((most - 1, 1), (1, most - 1)), require=f"k={most + 1}").holds


@given(leaves=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6))
def test_what_leaves_names_no_path_that_fails(leaves: list[tuple[int, int]]) -> None:
    if any(map(sum, leaves)):
        found = ks.audit(tree_of(*leaves), require="k=4")
        assert all("shown" not in entry for entry in found.leaving()["failing"])
        assert len(found.failing) == min(5, sum(0 < sum(each) < 4 for each in leaves))
