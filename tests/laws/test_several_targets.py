"""Laws of trees with several targets: judged by the definition, and as their views are beside each other."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.data.kinds.numbers import NUMBERS
from kspan.errors import DataError, KspanError, ModelError, PolicyError
from kspan.model.outcome import LabelCounts, Numbers
from kspan.model.predict import predicted
from kspan.model.tree.json import read_tree, tree_json
from kspan.model.tree.kind import example
from kspan.model.tree.model import Edge, Node, Role, Target, Tree
from kspan.model.tree.paths import text
from kspan.model.tree.release import TreeRelease
from kspan.model.tree.writing import write_tree
from laws import naive_numbers, naive_spans
from laws.examples import share_of_examples
from laws.naive_numbers import TARGET, number
from laws.naive_spans import Value

LABEL = "label"


@dataclass(frozen=True)
class World:
    """People with a label and a number, all the values that they could have, and a tree that tells of both."""

    tree: Tree
    people: tuple[dict[str, Value], ...]
    domains: dict[str, list[Value]]


@st.composite
def worlds(draw: st.DrawFn, *, contradictions: bool = False) -> World:
    """A world of labels in which everybody has a number, too."""
    world = draw(naive_spans.worlds(contradictions, most=20))
    cells = st.sampled_from([0, 1, 12, 40]) | st.integers(0, 1000)
    people = tuple({**person, TARGET: draw(cells)} for person in world.people)
    roles: st.SearchStrategy[Role] = st.sampled_from(["public", "private"])
    other = Target(TARGET, draw(roles), kind=NUMBERS)
    numbers = naive_numbers.told(world.tree.root, world.tree, people, people, "mean", 2)
    tree = replace(world.tree, root=_both(world.tree.root, numbers), others=(other,))
    return World(tree, people, world.domains)


def _both(labels: Node, numbers: Node) -> Node:
    """The same node, telling of labels and of numbers."""
    sons = zip(labels.edges, numbers.edges, strict=True)
    edges = tuple(Edge(edge.region, _both(edge.node, other.node)) for edge, other in sons)
    return replace(labels, edges=edges, others=(numbers.outcome,))


def framed(world: World) -> pl.DataFrame:
    kinds = {item.name: pl.Int64 if item.is_measured else pl.String for item in world.tree.attributes}
    return pl.DataFrame(list(world.people), schema={**kinds, LABEL: pl.String, TARGET: pl.Int64})


def policy_of(world: World, require: str) -> ks.Policy:
    roles: dict[str, list[str]] = {"public": [], "private": []}
    for item in (*world.tree.attributes, *world.tree.targets):
        roles[item.role].append(item.name)
    domains: dict[str, Any] = {
        item.name: list(item.values) if not item.is_measured else [item.low, item.high]
        for item in world.tree.attributes
    }
    return ks.Policy(**roles, require=require, domains=domains)  # type: ignore[arg-type]


def numbers_of_few(world: World, k: int) -> set[int]:
    """The leaves that tell a mean of too few people's private numbers."""
    view = world.tree.views()[1]
    return naive_numbers.few(naive_numbers.World(view, world.people, world.domains), k)


@given(data=st.data(), k=st.integers(1, 6))
def test_the_judge_gives_the_verdict_of_the_definition(data: st.DataObject, k: int) -> None:
    """A bin is a leaf and all that is private of the targets; all that is public of them is known."""
    world = data.draw(worlds(contradictions=True))
    spans: dict[Any, list[int]] = {}
    for index, person in enumerate(world.people):
        leaves = frozenset(leaf for leaf, _ in naive_spans.reachable(world.tree, person, world.domains))
        known = tuple(person[one.name] for one in world.tree.targets if one.role == "public")
        spans.setdefault((leaves, known), []).append(index)
    telling = [members for (leaves, known), members in spans.items() if len(leaves) != 1 or len(known) < 2]
    found = audit_tree(world.tree, framed(world), policy_of(world, f"k={k}"))
    few = len(numbers_of_few(world, k))
    assert found.untrue == ()
    assert len(found.exact) == few
    assert found.groups == len(spans)
    assert found.holds == (not few and all(len(members) >= k for members in telling))
    if world.tree.others[0].role == "private":
        wide = [max(here) - min(here) for here in ([number(world.people[i]) for i in some] for some in telling)]
        asked = policy_of(world, f"range[{TARGET}]=30")
        expected = not numbers_of_few(world, 1) and all(one >= 30 for one in wide)
        assert audit_tree(world.tree, framed(world), asked).holds == expected


@given(data=st.data(), k=st.integers(1, 5))
def test_it_is_judged_as_its_views_are_beside_each_other(data: st.DataObject, k: int) -> None:
    world = data.draw(worlds())
    first, second = world.tree.views()
    assert (first.target, second.target, first.others, second.others) == (LABEL, TARGET, (), ())
    policy = policy_of(world, f"k={k}")
    one = audit_tree(world.tree, framed(world), policy)
    other = audit_tree(first, framed(world), policy, beside=[second])
    assert (one.holds, one.k, one.exposed, one.reached) == (other.holds, other.k, other.exposed, other.reached)
    assert (one.releases, other.releases) == (1, 2)


@given(data=st.data())
def test_a_wrong_count_or_mean_of_any_target_is_found(data: st.DataObject) -> None:
    world = data.draw(worlds())
    counts, numbers = world.tree.root.outcome, world.tree.root.others[0]
    assert isinstance(counts, LabelCounts)
    assert isinstance(numbers, Numbers)
    more = LabelCounts((counts.counts[0] + 1, *counts.counts[1:]))
    higher = replace(numbers, mean=(numbers.mean or 0) + 1)
    for root, target in (
        (replace(world.tree.root, outcome=more), LABEL),
        (replace(world.tree.root, others=(higher,)), TARGET),
    ):
        found = audit_tree(replace(world.tree, root=root), framed(world), policy_of(world, "k=1"))
        assert len(found.untrue) == 1
        assert found.untrue[0].endswith(f"1 ({target})")


@given(data=st.data())
def test_it_is_written_and_read_back_and_predicts_every_target(data: st.DataObject) -> None:
    world = data.draw(worlds())
    release = TreeRelease(world.tree)
    assert read_tree(json.loads(tree_json(release))) == release
    made = predicted(world.tree, framed(world))
    views = [predicted(view, framed(world)) for view in world.tree.views()]
    assert made[f"predicted: {LABEL}"].equals(views[0][f"predicted: {LABEL}"])
    assert made[f"predicted: {TARGET}"].equals(views[1][f"predicted: {TARGET}"])
    assert made.columns[1] == f"probability of {LABEL}: {world.tree.labels[0]}"


def small() -> Tree:
    """A tree of two targets."""
    tree = example()
    told = [Numbers(one.people or 0, 0.0 if one.people else None) for one in tree.nodes()]
    made = {}
    for node, other in reversed(list(zip(tree.nodes(), told, strict=True))):
        edges = tuple(Edge(edge.region, made[id(edge.node)]) for edge in node.edges)
        made[id(node)] = replace(node, edges=edges, others=(other,))
    return replace(tree, root=made[id(tree.root)], others=(Target("pay", "private", kind=NUMBERS),))


def test_it_is_shown_with_all_targets() -> None:
    assert repr(small()) == "Tree(3 leaves, 11 people, target 'risk' and 'pay')"
    assert text(small()).splitlines()[1].endswith(": risk: low (low: 3, high: 1); pay: 0 (people: 4)")
    assert small().disclosing("label").root.others == small().root.others
    assert small().disclosing("label").disclosure == "label"
    with pytest.raises(PolicyError, match="use counts, hit-miss, shares, label, mean, median, interval"):
        small().disclosing("everything")


def test_a_table_shows_labels_beside_means_and_never_two_labels_of_one_person() -> None:
    people = pl.DataFrame({
        "sex": ["F"] * 6 + ["M"] * 5,
        "age": [20] * 4 + [60] * 2 + [30] * 5,
        "risk": ["low"] * 3 + ["high"] * 3 + ["low"] * 5,
        "pay": [0] * 11,
    })  # fmt: skip
    policy = ks.Policy(public=["sex"], private=["age", "risk", "pay"], require="k=1", domains={"age": [0, 120]})
    shown = ks.equivalent_table(small(), people, policy)
    assert shown.columns == ["sex", "age", "risk", "pay"]
    assert (shown["pay"].unique().to_list(), shown["risk"].value_counts().height) == (["0"], 2)
    told = LabelCounts((11, 0))
    root = Node(LabelCounts((8, 3)), others=(told,))
    twice = Tree((), "risk", "private", ("low", "high"), root, others=(Target("ill", "private", ("no", "yes")),))
    with pytest.raises(ModelError, match="which go together: give one of its views"):
        ks.equivalent_table(twice, people, policy)


def test_a_tree_tells_of_all_targets_at_every_node() -> None:
    with pytest.raises(ModelError, match="give all nodes as many outcomes"):
        replace(small(), others=())
    with pytest.raises(ModelError, match="labels or of numbers"):
        replace(small(), others=(Target("pay", "private", ("a",)),))


def test_paths_of_several_targets_are_judged_by_their_sizes_alone() -> None:
    tree = replace(small(), attributes=tuple(replace(one, role="public") for one in small().attributes))
    policy = ks.Policy(public=["sex", "age"], private=["risk", "pay"], require="k=2")
    assert ks.audit(tree, policy=policy).holds
    assert not ks.audit(tree, policy=replace(policy, require="k=3")).holds
    with pytest.raises(PolicyError, match="has several targets"):
        ks.audit(tree, policy=replace(policy, require="k=2, distinct_l[risk]=2"))


@pytest.mark.parametrize(
    "needs",
    [
        lambda tree: ks.prune_tree(tree, "k=5"),
        lambda tree: ks.merge_trees([tree, tree]),
        lambda tree: ks.Committee((tree,)),
        lambda tree: ks.path_match(tree, tree),
        lambda tree: ks.class_match(tree, tree, pl.DataFrame({"sex": ["F"], "age": [3]})),
    ],
)
def test_who_needs_one_target_says_so(needs: Callable[[Tree], Any]) -> None:
    with pytest.raises(KspanError, match="one of its views"):
        needs(small())


CORRUPTIONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no others": (lambda d: d.pop("others"), "'others' is not known"),
    "empty others": (lambda d: d.update(others=[]), "at least one more target"),
    "first version": (lambda d: d.update(version=1), "'others' is not known"),
    "same name": (lambda d: d["others"][0].update(name="risk"), "an earlier target has the same name"),
    "name of an attribute": (lambda d: d["others"][0].update(name="age"), "an attribute has the same name"),
    "nothing told": (lambda d: d["root"].pop("others"), "'others' is missing"),
    "too much told": (lambda d: d["root"]["others"].append({}), "an outcome for each of the other targets"),
    "other people": (lambda d: d["root"]["others"][0].update(people=12), "different numbers of people"),
    "other disclosure": (lambda d: d["root"]["others"].__setitem__(0, {"label": "a"}), "is missing|is not known"),
    "means": (lambda d: d["root"]["others"][0].update(mean=1.0), "is not that of the people below"),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_damaged_document_is_refused(name: str) -> None:
    change, why = CORRUPTIONS[name]
    document = copy.deepcopy(write_tree(TreeRelease(small())))
    assert read_tree(document).tree == small()
    change(document)
    with pytest.raises(ModelError, match=why):
        read_tree(document, "bank.json")


# Learned


@pytest.mark.slow
@pytest.mark.parametrize(
    "require",
    ["k=3", f"k=2, distinct_l[{LABEL}]=2", f"k=2, range[{TARGET}]=30", "distinct_l=2", f"t[{TARGET}]=0.4, k=2"],
)
@share_of_examples(0.5)
@given(data=st.data())
def test_what_is_learned_keeps_what_is_required_of_every_target(require: str, data: st.DataObject) -> None:
    world = data.draw(worlds())
    first, other = data.draw(st.permutations([LABEL, TARGET]))
    policy = replace(policy_of(world, "k=1"), target=first)
    private = [one.name for one in world.tree.targets if one.role == "private"]
    if any(name in require and name not in private for name in (LABEL, TARGET)) or not policy.private:
        return
    policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    options = data.draw(st.fixed_dictionaries({
        "lookahead": st.integers(0, 2), "pruning": st.sampled_from(["complexity", "none"]),
        "complexity": st.sampled_from([None, 0.0]),
    }))  # fmt: skip
    people = framed(world)
    try:
        tree = ks.learn(people, policy, also=[other], predict="labels" if first == LABEL else "numbers", **options)
    except ks.Unreachable:
        return
    assert [one.name for one in tree.targets] == [first, other]
    assert audit_tree(tree, people, policy).holds
    if require == "k=3":
        domains = {one.name: world.domains[one.name] for one in tree.attributes}
        may_miss = {one.name for one in tree.attributes if one.has_missing}
        admitted = {name: [v for v in values if v is not None or name in may_miss] for name, values in domains.items()}
        spans: dict[Any, int] = {}
        (of_labels,) = (view for view in tree.views() if view.target == LABEL)
        for person in world.people:
            leaves = frozenset(leaf for leaf, _ in naive_spans.reachable(of_labels, person, admitted))
            known = tuple(person[one.name] for one in tree.targets if one.role == "public")
            spans[leaves, known] = spans.get((leaves, known), 0) + 1
        for (leaves, known), people_there in spans.items():
            assert people_there >= 3 or (len(leaves) == 1 and len(known) == 2)


@share_of_examples(0.5)
@given(data=st.data(), times=st.integers(2, 3), seed=st.integers(0, 9))
def test_weights_are_people_and_their_order_does_not_matter(data: st.DataObject, times: int, seed: int) -> None:
    world = data.draw(worlds())
    policy = replace(policy_of(world, f"k={times}"), target=LABEL)
    frame = framed(world)
    try:
        tree = ks.learn(pl.concat([frame] * times), policy, also=[TARGET])
    except ks.Unreachable:
        return
    weighted = replace(policy, weight="n")
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    assert ks.learn(shuffled.with_columns(n=pl.lit(times)), weighted, also=[TARGET]) == tree


def test_two_targets_share_the_questions_that_tell_of_both() -> None:
    draws = np.random.default_rng(0)
    people = pl.DataFrame({"town": draws.choice(["a", "b", "c"], 600), "sex": draws.choice(["F", "M"], 600)})
    people = people.with_columns(
        ill=pl.when(pl.col("town") == "a").then(pl.lit("yes")).otherwise(pl.lit("no")),
        pay=pl.when(pl.col("sex") == "F").then(3000.0).otherwise(4000.0) + draws.normal(0, 10, 600).round(3),
    )
    policy = ks.Policy(public=["town", "sex"], private=["pay"], target="ill", require="k=20")
    tree = ks.learn(people, policy, also=["pay"])
    assert {tree.attributes[node.attribute].name for node in tree.nodes() if node.attribute is not None} == {
        "town", "sex",
    }  # fmt: skip
    made = ks.predict(tree, people)
    assert ks.accuracy(made["predicted: ill"], people["ill"]) == 1.0
    assert (made["predicted: pay"] - people["pay"]).abs().mean() < 20
    assert ks.audit(tree, people, policy).holds


@pytest.mark.parametrize(
    ("also", "why"),
    [(["py"], "did you mean 'pay'"), (["ill"], "is the target already"), (["pay", "pay"], "named twice")],
)
def test_further_targets_that_cannot_be(also: list[str], why: str) -> None:
    people = pl.DataFrame({"town": ["a", "b"] * 5, "ill": ["yes", "no"] * 5, "pay": range(10)})
    policy = ks.Policy(public=["town"], private=["pay"], target="ill", require="k=2")
    with pytest.raises(PolicyError, match=why):
        ks.learn(people, policy, also=also)


def test_people_with_several_rows_and_people_without_a_number_are_refused() -> None:
    people = pl.DataFrame({"id": [1, 1, 2, 2], "town": ["a", "b"] * 2, "ill": ["yes", "no"] * 2, "pay": [1, 2, 3, 4]})
    policy = ks.Policy(person="id", public=["town"], private=["pay"], target="ill", require="k=1")
    with pytest.raises(PolicyError, match="several rows"):
        ks.learn(people, policy, also=["pay"])
    some = pl.DataFrame({"town": ["a", "b"] * 2, "ill": ["yes", "no"] * 2, "pay": [1, None, 3, 4]})
    with pytest.raises(DataError, match="no label in 'pay'"):
        ks.learn(some, ks.Policy(public=["town"], private=["pay"], target="ill", require="k=1"), also=["pay"])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"target": "pay", "class_weight": "balanced"}, "class_weight is about labels"),
        ({"target": "pay", "pruning": "errors"}, "pruning by errors is about labels"),
        ({"target": "ill", "also": ["pay"], "pruning": "errors"}, "about one target, and there are 2"),
    ],
)
def test_what_is_about_labels_is_refused_where_numbers_are_predicted(options: dict[str, Any], why: str) -> None:
    people = pl.DataFrame({"town": ["a", "b"] * 20, "ill": ["yes", "no"] * 20, "pay": range(40)})
    private = [name for name in ("ill", "pay") if name != options["target"]]
    policy = ks.Policy(public=["town"], private=private, target=options.pop("target"), require="k=2")
    with pytest.raises(PolicyError, match=why):
        ks.learn(people, policy, **options)
