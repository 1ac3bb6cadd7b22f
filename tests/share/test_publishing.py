"""The owner's side: what is published holds, tells the truth, and is refused where it cannot hold."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.marginals import broken_marginals
from kspan.data.encode import encode
from kspan.induce.tree.recount import raised, recounted
from kspan.model.tree.model import Region
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.publish import judged_tree
from kspan.share.spread import marginals
from laws.examples import share_of_examples

PEOPLE = ks.datasets.load_adult("train").select(
    "age", "education", "sex", "hours-per-week", "workclass", "income"
)[:4000]  # fmt: skip
PUBLIC = ["age", "education", "sex", "hours-per-week", "workclass"]


def policy(require: str, private: tuple[str, ...] = ()) -> ks.Policy:
    public = [name for name in PUBLIC if name not in private]
    return ks.Policy(public=public, private=[*private, "income"], target="income", require=require)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["atp", "ldm"])
@pytest.mark.parametrize("require", ["k=30", "k=10, entropy_l=1.2", "recursive_cl=[9, 2]", "confidence=0.95"])
def test_what_is_shared_holds_for_its_people_and_by_its_paths(method: str, require: str) -> None:
    shared = ks.share_tree(PEOPLE, policy(require), method)
    assert shared.audit.holds
    assert audit_tree(shared.tree, PEOPLE, policy(require)).holds
    assert ks.audit(shared.tree, require=require).holds
    assert len(shared.tree.leaves) > 1


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["c45", "id3"])
@pytest.mark.parametrize("merge", ["rules", "information"])
@pytest.mark.parametrize("information", ["exact", "estimated"])
def test_every_way_of_pruning_gives_a_tree_that_holds(learner: str, merge: str, information: str) -> None:
    shared = ks.share_tree(
        PEOPLE, policy("k=25"), learner=learner, merge=merge, information=information, disclosure="hit-miss"
    )  # type: ignore[call-overload]
    assert shared.audit.k.people >= 25
    assert shared.release.claim is not None
    assert (shared.release.claim.requirement, shared.release.claim.disclosure) == ("k=25", "hit-miss")


def test_a_tree_pruned_on_estimates_that_is_not_true_of_its_people_does_not_leave() -> None:
    # What Eq. (1) takes for (c, l)-diverse, because it takes every path to have l labels, need not be.
    people = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 6, "t": [*"uuvv", *"uvwuvw"]})
    rules = ks.Policy(public=["a"], target="t", require="recursive_cl=[3, 3]")
    tree = ks.learn(people, rules, "id3")
    assert ks.audit(tree.disclosing("hit-miss"), require="recursive_cl=[3, 3]").holds
    with pytest.raises(ks.DoesNotHold, match="for 4 of 10 people"):
        judged_tree(tree, people, rules, disclosure="hit-miss")
    with pytest.raises(ks.DoesNotHold):
        ks.share_tree(people, rules, learner="id3", information="estimated")
    with pytest.raises(ks.Unreachable):
        ks.share_tree(people, rules, learner="id3")


def test_private_attributes_that_would_break_it_are_left_out_and_that_is_said() -> None:
    # To one who knows every attribute each path is a crowd; to one who knows a and b alone the spans are small.
    rows = [(p, a, b) for p in "yn" for a in "01" for b in "01" for _ in range(9 if (a == "0") == (b == "0") else 1)]
    label = ["uv"[int(a)] if p == "y" else "wx"[int(b)] for p, a, b in rows]
    people = pl.DataFrame({"p": [r[0] for r in rows], "a": [r[1] for r in rows], "b": [r[2] for r in rows], "t": label})
    rules = ks.Policy(public=["a", "b"], private=["p"], target="t", require="k=5")
    with pytest.raises(ks.DoesNotHold):
        ks.prune_tree(ks.learn(people, rules, "id3"), people=people, policy=rules)
    shared = ks.share_tree(people, rules, learner="id3")
    assert shared.audit.holds
    assert shared.note is not None
    assert "'p'" in shared.note
    assert [attribute.name for attribute in shared.tree.attributes] == ["a", "b"]


def test_where_rules_leave_nothing_the_largest_branch_is_raised() -> None:
    rng = np.random.default_rng(0)
    root = np.array([0] * 200 + [1] * 300)
    other = rng.integers(0, 4, 500)
    label = np.where(root == 0, "u", np.where(rng.random(500) < 0.1 + 0.1 * other, "u", "v"))
    people = pl.DataFrame({"root": root, "other": [str(x) for x in other], "t": label})
    rules = ks.Policy(public=["root", "other"], target="t", require="confidence=0.9")
    tree = ks.learn(people, rules, "c45", prune=False)
    assert tree.attributes[tree.root.attribute or 0].name == "root"
    with pytest.raises(ks.Unreachable):
        ks.prune_tree(tree, "confidence=0.9")
    shared = ks.share_tree(people, rules, prune=False)
    assert len(shared.tree.leaves) > 1
    assert shared.audit.holds


def test_raised_trees_tell_the_truth_and_can_be_read(tmp_path: Path) -> None:
    rules = policy("k=1")
    table = encode(PEOPLE, rules)
    trees = list(raised(ks.learn(PEOPLE, rules, "c45", missing="value"), table))
    assert len(trees) > 2
    for tree in trees:
        assert sum(leaf.people or 0 for leaf in tree.leaves) == PEOPLE.height
        assert recounted(tree, table) == tree
        ks.save_model(tree, tmp_path / "tree.json")  # which reads it back, and checks that edges cover what can come
        assert ks.load_model(tmp_path / "tree.json") == tree


def test_what_cannot_be_reached_says_what_can() -> None:
    with pytest.raises(ks.Unreachable, match="the best that leaves two paths is k=") as refusal:
        ks.share_tree(PEOPLE, policy("k=3000"))
    best = str(refusal.value).split("two paths is ")[1].split(":")[0]
    assert ks.share_tree(PEOPLE, policy(best)).audit.holds


# Pruning what others learned


def test_a_tree_is_pruned_without_its_people_by_what_it_tells(tmp_path: Path) -> None:
    tree = ks.learn(PEOPLE, policy("k=1"), "id3").disclosing("hit-miss")
    shared = ks.prune_tree(tree, "simple_l=1.05, k=20")
    assert shared.audit.counting == "paths"
    shared.save(tmp_path / "tree.json")
    claim = json.loads((tmp_path / "tree.json").read_text())["claim"]
    assert (claim["requirement"], claim["counting"]) == ("simple_l=1.05, k=20", "paths")
    assert ks.audit(tmp_path / "tree.json").holds


@pytest.mark.slow
@pytest.mark.parametrize("told", ["counts", "hit-miss", "shares", "label"])
def test_with_its_people_any_tree_is_pruned_exactly(told: str) -> None:
    rules = policy("k=20")
    tree = ks.learn(PEOPLE, rules, "id3")
    found = ks.prune_tree(tree.disclosing(told), people=PEOPLE, policy=rules)
    assert found.tree == ks.prune_tree(tree, people=PEOPLE, policy=rules).tree
    assert found.audit.counting == "people"


def test_a_tree_of_other_people_is_refused() -> None:
    rules = policy("k=20")
    tree = ks.learn(PEOPLE, rules, "id3")
    with pytest.raises(ks.DataError, match="other people"):
        ks.prune_tree(tree, people=PEOPLE[:3000], policy=rules)


def test_a_tree_of_scikit_learn_is_pruned_with_or_without_its_people() -> None:
    known = PEOPLE.select("age", "hours-per-week").to_pandas()
    model = DecisionTreeClassifier(max_depth=6, random_state=0).fit(known, PEOPLE["income"].to_list())
    alone = ks.prune_tree(model, "k=40")
    assert alone.audit.holds
    assert alone.tree.target == "target"
    people = PEOPLE.select("age", "hours-per-week", "income")
    rules = ks.Policy(public=["age", "hours-per-week"], target="income", require="k=40")
    beside = ks.prune_tree(model, people=people, policy=rules)
    assert beside.audit.counting == "people"
    assert [leaf.counts for leaf in beside.tree.leaves] == [leaf.counts for leaf in alone.tree.leaves]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: ks.prune_tree(ks.learn(PEOPLE, policy("k=1"), "id3")), "not said"),
        (lambda: ks.prune_tree(ks.learn(PEOPLE, policy("k=1"), "id3"), "k=5", people=PEOPLE), "policy"),
        (lambda: ks.prune_tree(7, "k=5"), "a int is no tree"),
        (lambda: ks.prune_tree(ks.learn(PEOPLE, policy("k=1"), "id3").disclosing("label"), "k=5"), "'label'"),
        (lambda: ks.share_tree(PEOPLE, policy("k=5"), "apt"), "did you mean 'atp'"),
        (lambda: ks.share_tree(PEOPLE, policy("k=5"), learner="kadet"), "c45 or id3"),
        (lambda: ks.share_tree(PEOPLE, policy("k=5"), merge="luck"), "rules or information"),
        (lambda: ks.share_tree(PEOPLE, policy("k=5"), depth=3), "has no option 'depth'"),
    ],
)
def test_what_makes_no_sense_is_refused(call: object, named: str) -> None:
    with pytest.raises(ks.KspanError, match=named):
        call()  # type: ignore[operator]


# How attributes spread


def test_marginals_are_true_and_judged() -> None:
    rules = policy("k=100")
    shared = ks.share_tree(PEOPLE, rules, marginals=True)
    told = {shared.tree.attributes[one.attribute].name: one for one in shared.release.marginals}
    assert {"age", "sex"} <= set(told)
    assert {tuple(region.values): people for region, people in told["sex"].bins} == {
        (row["sex"],): row["count"] for row in PEOPLE["sex"].value_counts().iter_rows(named=True)
    }
    assert all(people >= 100 for one in told.values() for _, people in one.bins)
    assert len(told["age"].bins) > 5


def test_a_marginal_that_lies_or_points_at_someone_is_refused() -> None:
    rules = policy("k=100")
    tree = ks.share_tree(PEOPLE, rules).tree
    age = [attribute.name for attribute in tree.attributes].index("age")
    young = PEOPLE.filter(pl.col("age") <= 17).height
    assert 0 < young < 100
    cut = (Region(intervals=((None, 17),)), young), (Region(intervals=((17, None),)), PEOPLE.height - young)
    for bins in (cut, ((Region(intervals=((None, 30),)), 1000), (Region(intervals=((30, None),)), 3000))):
        with pytest.raises(ks.DoesNotHold, match="'age'"):
            judged_tree(tree, PEOPLE, rules, marginals=(Marginal(age, bins),))


@share_of_examples(0.5)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["x", "y", "z", None]), st.sampled_from([1, 2, 3.5, None]), st.sampled_from("uvw")),
        min_size=4,
        max_size=40,
    ),
    require=st.sampled_from(["k=3", "distinct_l=2", "k=2, simple_l=1.5"]),
)
def test_whatever_spread_is_made_the_judge_takes_it(rows: list[tuple[str, float, str]], require: str) -> None:
    people = pl.DataFrame(rows, schema={"a": pl.String, "n": pl.Float64, "t": pl.String}, orient="row")
    rules = ks.Policy(public=["a", "n"], target="t", require=require)
    tree = ks.learn(people, rules, "id3")
    made = marginals(tree, encode(people, rules), rules.require)
    assert broken_marginals(TreeRelease(tree, None, made), people, rules) == []
    for one in made:
        assert sum(people for _, people in one.bins) == len(rows)


def test_the_spread_of_an_attribute_with_stars_is_not_told() -> None:
    people = pl.DataFrame(
        {"town": ["York", "Leeds", "*"] * 20, "sex": ["F", "M"] * 30, "ill": ["yes", "no", "no"] * 20}
    )
    policy = ks.Policy(public=["town", "sex"], target="ill", require="k=3")
    made = ks.share_tree(people, policy, "ldm", marginals=True)
    told = [made.tree.attributes[one.attribute].name for one in made.release.marginals]
    assert "town" not in told
