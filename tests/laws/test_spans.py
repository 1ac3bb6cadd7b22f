"""Spans three ways: the grower's, the judge's, and brute force over the definition; and what kADET may and must do."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.reached import spans_of
from kspan.data.encode import encode
from kspan.data.table import Table
from kspan.induce.tree.allowed import Allowed
from kspan.induce.tree.grow import NO_SON, GrowingLeaf, Growth
from kspan.induce.tree.id3 import id3, offered
from kspan.induce.tree.kadet import grow_in_crowds
from kspan.induce.tree.people import NO_SHARE, Split
from kspan.induce.tree.release import released, released_node
from kspan.model.outcome import DISCLOSURES
from kspan.model.tree.equivalent import equivalent_frame
from kspan.model.tree.model import Node, Tree
from laws import naive_spans
from laws.examples import share_of_examples
from laws.naive_spans import World

TARGET = "label"


def framed(world: World) -> pl.DataFrame:
    kinds = {item.name: pl.Int64 if item.is_measured else pl.String for item in world.tree.attributes}
    return pl.DataFrame(list(world.people), schema={**kinds, TARGET: pl.String})


def policy_of(world: World, require: str) -> ks.Policy:
    tree = world.tree
    roles: dict[str, list[str]] = {"public": [], "private": []}
    for item in tree.attributes:
        roles[item.role].append(item.name)
    roles[tree.target_role].append(TARGET)
    domains: dict[str, Any] = {
        item.name: list(item.values) if not item.is_measured else [item.low, item.high] for item in tree.attributes
    }
    return ks.Policy(**roles, target=TARGET, require=require, domains=domains)  # type: ignore[arg-type]


def sizes(spans: dict[naive_spans.Span, list[int]]) -> list[list[int]]:
    return sorted(sorted(people) for people in spans.values())


def judged(tree: Tree, world: World) -> list[list[int]]:
    found = spans_of(tree, encode(framed(world), policy_of(world, "k=1")))
    members: dict[int, list[int]] = {}
    for row, span in enumerate(found.span.tolist()):
        members.setdefault(span, []).append(row)
    return sorted(members.values())


@pytest.mark.slow
@pytest.mark.parametrize("contradictions", [False, True])
@given(data=st.data())
def test_the_judge_finds_the_spans_of_the_definition(contradictions: bool, data: st.DataObject) -> None:
    world = data.draw(naive_spans.worlds(contradictions))
    assert judged(world.tree, world) == sizes(naive_spans.spans(world.tree, world.people, world.domains))


@given(data=st.data(), k=st.integers(1, 8))
def test_the_judge_gives_the_verdict_of_the_definition(data: st.DataObject, k: int) -> None:
    world = data.draw(naive_spans.worlds(contradictions=True))
    found = audit_tree(world.tree, framed(world), policy_of(world, f"k={k}"))
    assert found.holds == naive_spans.is_k_anonymous(world.tree, world.people, world.domains, k)
    asked = {world.tree.attributes[node.attribute] for node in world.tree.nodes() if node.attribute is not None}
    expected = {
        item.name: naive_spans.exposed_by_questions(world.tree, world.people, world.domains, item.name)
        for item in asked
        if item.role == "private"
    }
    if world.tree.target_role == "private":
        expected[TARGET] = naive_spans.exposed(world.tree, world.people, world.domains)
    assert found.exposed == expected


@given(data=st.data(), most=st.sampled_from([0.4, 0.5, 0.75, 1.0]))
def test_requirements_on_private_values_are_asked_of_what_a_tree_asks(data: st.DataObject, most: float) -> None:
    world = data.draw(naive_spans.worlds(contradictions=True))
    private = [item.name for item in world.tree.attributes if item.role == "private"]
    if not private:
        return
    name = data.draw(st.sampled_from(private))
    found = audit_tree(world.tree, framed(world), policy_of(world, f"confidence[{name}]={most}"))
    expected = all(
        max(map(here.count, here)) <= most * len(here)
        for here in naive_spans.told_in_spans(world.tree, world.people, world.domains, name)
    )
    assert found.holds == expected


@given(data=st.data())
def test_other_people_are_always_noticed(data: st.DataObject) -> None:
    """Of a tree that tells counts the audit says so if they are not those of the people."""
    world = data.draw(naive_spans.worlds())
    cells = {name: st.sampled_from(values) for name, values in world.domains.items()}
    cells[TARGET] = st.sampled_from(world.tree.labels)
    others = data.draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=25))
    kind = data.draw(st.sampled_from(DISCLOSURES))
    tree = world.tree.disclosing(kind)
    found = audit_tree(tree, framed(World(world.tree, tuple(others), world.domains)), policy_of(world, "k=1"))
    counted = naive_spans.counted(tree, others)
    for node, counts in zip(tree.nodes(), counted, strict=True):
        if not naive_spans.is_true(node.outcome, counts):
            assert found.untrue
            assert not found.holds
            return
    assert found.untrue == ()


def growth_of(frame: pl.DataFrame, policy: ks.Policy) -> tuple[Growth, Table]:
    table = encode(frame, policy)
    people, features = offered(table, policy)
    target = None if TARGET in policy.public else TARGET
    growth = Growth(people, features, requirement=policy.require, target=target)
    return growth, table


def grown(growth: Growth, table: Table, policy: ks.Policy) -> Tree:
    grow_in_crowds(growth)
    return released(growth, table, policy)


@pytest.mark.slow
@given(data=st.data(), k=st.integers(1, 6))
def test_what_grows_is_private_and_nothing_more_could_grow(data: st.DataObject, k: int) -> None:
    world = data.draw(naive_spans.worlds())
    policy = policy_of(world, f"k={k}")
    growth, table = growth_of(framed(world), policy)
    if not growth.holds_now():
        return
    tree = grown(growth, table, policy)
    domains = {name: values if _has_missing(tree, name) else [v for v in values if v is not None]
               for name, values in world.domains.items()}  # fmt: skip
    expected = sizes(naive_spans.spans(tree, world.people, domains))
    assert growth.guard is not None
    everywhere = [piece for span in growth.guard.spans.first for piece in span.now()]
    assert sorted(sorted(span.rows.tolist()) for span in everywhere) == expected
    assert judged(tree, world) == expected
    assert naive_spans.is_k_anonymous(tree, world.people, domains, k)
    for leaf in growth.leaves():
        if (leaf.counts > 0).sum() > 1:
            for number in range(len(growth.features)):
                for gain, split in every_way(growth, leaf, number):
                    if gain > 1e-9:
                        root = tried(growth, leaf, split)
                        wider = Tree(tree.attributes, tree.target, tree.target_role, tree.labels, root)
                        assert not naive_spans.is_k_anonymous(wider, world.people, domains, k)


@share_of_examples(2)
@given(data=st.data(), k=st.integers(1, 4))
def test_a_span_allows_the_cuts_and_levels_that_leave_it_crowds(data: st.DataObject, k: int) -> None:
    world = data.draw(naive_spans.worlds())
    growth, _ = growth_of(framed(world), policy_of(world, f"k={k}"))
    if growth.holds_now():
        check_allowed(growth, k)


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_cut_outside_the_numbers_of_a_span_parts_those_who_miss_one(missing: int) -> None:
    """People who miss a number beside a narrow range of numbers are too rare to be left to chance."""
    here = [("b", number, "v") for number in [5, 5, 6, *[None] * missing]]
    people = pl.DataFrame(
        [("a", number, "u") for number in range(1, 9)] + here, schema=["word", "number", TARGET], orient="row"
    )
    policy = ks.Policy(public=["word", "number"], target=TARGET, require="k=2")
    growth, _ = growth_of(people, policy)
    check_allowed(growth, 2)
    assert growth.guard is not None
    spans = [piece for first in growth.guard.spans.first for piece in first.now()]
    assert any(span.rows.tolist() == list(range(8, 11 + missing)) for span in spans)


def check_allowed(growth: Growth, k: int) -> None:
    """When it has grown, every span allows just those cuts and levels that part it into crowds."""
    grow_in_crowds(growth)
    assert growth.guard is not None
    for span in [piece for first in growth.guard.spans.first for piece in first.now()]:
        exposes = bool(growth.guard.spans.exposing([span])[0])
        for number, feature in enumerate(growth.features):
            if not feature.public:
                continue
            if feature.numeric:
                found = Allowed(growth.guard, [span]).cuts(number).tolist()
                splits = [Split(number, 3, NO_SON, cut) for cut in range(feature.plain)]
            else:
                found = [bool(growth.guard.levels_of_span(span)[level]) for level in growth.worth.levels_of[number]]
                splits = [growth.by_level(growth.root, number, level) for level in range(len(found))]
            for split, is_allowed in zip(splits, found, strict=True):
                sons = Counter(split.by_code(feature)[feature.codes[span.rows]].tolist())
                assert is_allowed == (not exposes or min(sons.values()) >= k)


def every_way(growth: Growth, leaf: GrowingLeaf, number: int) -> Iterator[tuple[float, Split]]:
    """Every level of a categorical feature, and every threshold of a numeric one."""
    feature = growth.features[number]
    if not feature.numeric:
        splits = [growth.by_level(leaf, number, level) for level in range(len(feature.levels) + 1)]
    else:
        here = [code for code in feature.codes[leaf.rows].tolist() if code < feature.plain]
        splits = (
            [growth.threshold(leaf, number, cut, feature.floats[cut]) for cut in range(min(here), max(here))]
            if here
            else []
        )
    for split in splits:
        yield naive_gain(growth, leaf, split), split


def naive_gain(growth: Growth, leaf: GrowingLeaf, split: Split) -> float:
    feature = growth.features[split.feature]
    sons: dict[int, list[int]] = {}
    for row in leaf.rows.tolist():
        sons.setdefault(int(split.by_code(feature)[feature.codes[row]]), []).append(row)
    left = sum(len(rows) / len(leaf.rows) * naive_entropy(growth, rows) for rows in sons.values())
    return naive_entropy(growth, leaf.rows.tolist()) - left


def naive_entropy(growth: Growth, rows: list[int]) -> float:
    shares = [count / len(rows) for count in Counter(growth.people.label[rows].tolist()).values()]
    return -sum(share * math.log2(share) for share in shares)


def tried(growth: Growth, leaf: GrowingLeaf, split: Split) -> Node:
    """The whole tree with one more split."""
    feature = growth.features[split.feature]
    parts, _, counts = growth.people.divide(leaf.rows.copy(), NO_SHARE, feature, split)
    leaf.split = split
    leaf.sons = [GrowingLeaf(-1, rows, NO_SHARE, people) for rows, people in zip(parts, counts, strict=True)]
    wider = released_node(growth)
    leaf.split, leaf.sons = None, []
    return wider


def _has_missing(tree: Tree, name: str) -> bool:
    return next(item.has_missing for item in tree.attributes if item.name == name)


@pytest.mark.parametrize(
    "require", ["distinct_l=2", "k=2, entropy_l=1.5", "confidence=0.75", "recursive_cl=[2, 2]", "t=0.3"]
)
@share_of_examples(0.4)
@given(data=st.data())
def test_every_tree_passes_the_judge(require: str, data: st.DataObject) -> None:
    world = data.draw(naive_spans.worlds())
    if world.tree.target_role == "public":
        return
    policy = policy_of(world, require)
    growth, table = growth_of(framed(world), policy)
    if growth.holds_now():
        assert audit_tree(grown(growth, table, policy), framed(world), policy).holds


@given(world=naive_spans.worlds())
def test_without_a_requirement_counts_add_up(world: World) -> None:
    policy = policy_of(world, "k=1")
    table = encode(framed(world), policy)
    tree = id3(table, policy)
    ends = Counter(naive_spans.leaf_of(tree, person) for person in world.people)
    assert [ends[number] for number in range(len(tree.leaves))] == [leaf.people for leaf in tree.leaves]


@given(data=st.data())
def test_no_fewer_people_are_exposed_than_in_the_equivalent_table(data: st.DataObject) -> None:
    """The table shows of everybody the path to the own leaf; whoever is exposed there is exposed by the tree."""
    world = data.draw(naive_spans.worlds())
    tree, policy = world.tree, policy_of(world, "k=1")
    found = audit_tree(tree, framed(world), policy)
    table = equivalent_frame(tree, framed(world), policy)
    public = [item.name for item in tree.attributes if item.role == "public"]
    groups = table.partition_by(public) if public else [table]
    for name, exposed in found.exposed.items():
        certain = [group for group in groups if group[name].n_unique() == 1 and group[name][0] != "*"]
        if name != TARGET:
            assert exposed >= sum(group.height for group in certain), name


@share_of_examples(0.5)
@given(data=st.data(), kind=st.sampled_from(DISCLOSURES))
def test_what_follows_from_what_is_disclosed(data: st.DataObject, kind: Any) -> None:
    """Every way to put people into bins is looked at; what follows is never more than what is exposed."""
    world = data.draw(naive_spans.worlds(contradictions=True, most=5))
    tree, people = world.tree.disclosing(kind), world.people
    ways = math.prod(len(naive_spans.reachable(tree, person, world.domains)) for person in people)
    assume(ways <= 20_000)
    found = audit_tree(tree, framed(world), policy_of(world, "k=1"))
    assert found.derived is not None
    assert found.derived == {name: naive_spans.derivable(tree, people, world.domains, name) for name in found.exposed}
    assert all(found.derived[name] <= found.exposed[name] for name in found.exposed)
