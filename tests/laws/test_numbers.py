"""Laws of trees whose target is a number: the judge, the file and the predictions, against brute force."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.reached import spans_of
from kspan.model.outcome import NUMBER_DISCLOSURES, Numbers
from kspan.model.predict import predicted
from kspan.model.quantiles import Rounding, numbers_told
from kspan.model.tree.json import read_tree, tree_json
from kspan.model.tree.model import Edge, Node, Tree
from kspan.model.tree.people import coded_people
from kspan.model.tree.release import TreeRelease
from laws import naive, naive_numbers, naive_spans
from laws.naive_numbers import TARGET, World, number


def framed(world: World) -> pl.DataFrame:
    kinds = {item.name: pl.Int64 if item.is_measured else pl.String for item in world.tree.attributes}
    return pl.DataFrame(
        [{name: one[name] for name in (*kinds, TARGET)} for one in world.people], {**kinds, TARGET: pl.Int64}
    )


def policy_of(world: World, require: str) -> ks.Policy:
    roles: dict[str, list[str]] = {"public": [], "private": []}
    for item in world.tree.attributes:
        roles[item.role].append(item.name)
    roles[world.tree.target_role].append(TARGET)
    domains: dict[str, Any] = {
        item.name: list(item.values) if not item.is_measured else [item.low, item.high]
        for item in world.tree.attributes
    }
    return ks.Policy(**roles, target=TARGET, require=require, domains=domains)  # type: ignore[arg-type]


def changed(tree: Tree, place: int, outcome: Numbers) -> Tree:
    """The tree in which one node tells something else."""
    made: dict[int, Node] = {}
    order = list(tree.nodes())
    for at, node in reversed(list(enumerate(order))):
        edges = tuple(Edge(edge.region, made[id(edge.node)]) for edge in node.edges)
        made[id(node)] = Node(outcome if at == place else node.outcome, node.attribute, edges)
    return replace(tree, root=made[id(tree.root)])


@given(data=st.data())
def test_the_judge_finds_the_spans_of_the_definition(data: st.DataObject) -> None:
    world = data.draw(naive_numbers.worlds())
    policy = policy_of(world, "k=1")
    asked = [item.name for item in world.tree.attributes]
    found = spans_of(world.tree, coded_people(world.tree, framed(world), policy, asked))
    members: dict[int, list[int]] = {}
    for row, span in enumerate(found.span.tolist()):
        members.setdefault(span, []).append(row)
    assert sorted(members.values()) == sorted(naive_numbers.spans(world).values())


@given(data=st.data(), k=st.integers(1, 6), l=st.integers(1, 4))
def test_the_judge_gives_the_verdict_of_the_definition(data: st.DataObject, k: int, l: int) -> None:  # noqa: E741
    world = data.draw(naive_numbers.worlds())
    private = world.tree.target_role == "private"
    frame = framed(world)
    found = audit_tree(world.tree, frame, policy_of(world, f"k={k}"))
    few = naive_numbers.few(world, k)
    assert found.untrue == ()
    assert set(found.exact) == {f"leaf {one + 1}" for one in few}
    assert found.holds == (not few and naive_numbers.holds(world, lambda here: len(here) >= k))
    if not private:
        return
    assert found.exposed[TARGET] == sum(
        len(members)
        for members in naive_numbers.spans(world).values()
        if len({number(world.people[one]) for one in members}) == 1
    )
    everybody = [number(one) for one in world.people]
    distance = naive.ordered_distance(sorted(set(everybody)))
    for require, satisfied in (
        (f"distinct_l[{TARGET}]={l}", lambda here: len(set(here)) >= l),
        (f"confidence[{TARGET}]=0.5", lambda here: naive.holds_confidence(0.5, here, everybody, distance)),
        (f"range[{TARGET}]=30", lambda here: max(here) - min(here) >= 30),
        (f"t[{TARGET}]=0.25", lambda here: naive.holds_t(0.25, here, everybody, distance)),
    ):
        crowd = policy_of(world, require).require.crowd
        expected = not naive_numbers.few(world, crowd) and naive_numbers.holds(world, satisfied)
        assert audit_tree(world.tree, frame, policy_of(world, require)).holds == expected


@given(data=st.data(), p=st.sampled_from([0.5, 10, 80]))
def test_a_mean_must_not_tell_the_largest_number(data: st.DataObject, p: float) -> None:
    world = data.draw(naive_numbers.worlds())
    assume(world.tree.target_role == "private")
    frame, policy = framed(world), policy_of(world, f"p_percent[{TARGET}]={p}")
    if min(number(one) for one in world.people) < 0:
        with pytest.raises(ks.PolicyError, match="needs numbers from 0 on"):
            audit_tree(world.tree, frame, policy)
        return
    distance = naive.equal_distance()

    def hidden(here: list[Any]) -> bool:
        return naive.holds_p_percent(p, here, here, distance)

    few = naive_numbers.few(world, 1, hidden)
    found = audit_tree(world.tree, frame, policy)
    assert set(found.exact) == {f"leaf {one + 1}" for one in few}
    assert found.holds == (not few and naive_numbers.holds(world, hidden))


@given(data=st.data(), kind=st.sampled_from(NUMBER_DISCLOSURES), crowd=st.integers(2, 4))
def test_what_a_node_may_tell_is_as_defined_and_passes_the_judge(data: st.DataObject, kind: Any, crowd: int) -> None:
    world = data.draw(naive_numbers.worlds(kind, crowd))
    everybody = np.array([number(one) for one in world.people])
    rounding = Rounding(everybody, crowd)
    here = {id(node): rows for node, rows in members(world)}
    for node in world.tree.nodes():
        assert numbers_told(everybody[here[id(node)]], None, rounding, kind) == node.outcome
    found = audit_tree(world.tree, framed(world), policy_of(world, f"k={crowd}"))
    assert found.untrue == ()
    assert set(found.exact) == {f"leaf {one + 1}" for one in naive_numbers.few(world, crowd)}


def members(world: World) -> list[tuple[Node, list[int]]]:
    """The people, by index, who come to each node."""
    found, waiting = [], [(world.tree.root, list(range(len(world.people))))]
    while waiting:
        node, here = waiting.pop()
        found.append((node, here))
        for edge in node.edges:
            asked = world.tree.attributes[node.attribute or 0]
            passed = [one for one in here if naive_spans.admits(edge.region, asked, world.people[one][asked.name])]
            waiting.append((edge.node, passed))
    return found


@given(data=st.data(), by=st.sampled_from([-3.0, 0.01, 1.0, 1000.0]))
def test_a_wrong_mean_or_count_is_found(data: st.DataObject, by: float) -> None:
    world = data.draw(naive_numbers.worlds())
    place = data.draw(st.integers(0, len(list(world.tree.nodes())) - 1))
    told = list(world.tree.nodes())[place].outcome
    assert isinstance(told, Numbers)
    wrong = [replace(told, people=told.people + 1, mean=told.mean or 0.0)]
    if told.mean is not None:
        wrong += [replace(told, mean=told.mean + by), replace(told, people=0, mean=None)]
    for outcome in wrong:
        found = audit_tree(changed(world.tree, place, outcome), framed(world), policy_of(world, "k=1"))
        assert len(found.untrue) == 1
        assert not found.holds


@given(data=st.data())
def test_a_median_or_an_end_that_is_not_so_or_too_exact_is_found(data: st.DataObject) -> None:
    world = data.draw(naive_numbers.worlds("interval", 3))
    order = list(world.tree.nodes())
    place = data.draw(st.integers(0, len(order) - 1))
    told = order[place].outcome
    assert isinstance(told, Numbers)
    assume(told.people)
    here = sorted(number(world.people[one]) for node, rows in members(world) if node is order[place] for one in rows)
    everybody = [number(one) for one in world.people]
    own = float(here[(len(here) - 1) // 2])
    for outcome, field in (
        (replace(told, low=2e6, median=2e6, high=2e6), "untrue"),
        (replace(told, median=own), "exact"),
    ):
        assume(
            field == "untrue"
            or (everybody.count(int(own)) < 3 and own % 2 and own % 5 and own not in (told.low, told.high))
        )
        found = audit_tree(changed(world.tree, place, outcome), framed(world), policy_of(world, "k=3"))
        before = audit_tree(world.tree, framed(world), policy_of(world, "k=3"))
        more = set(getattr(found, field)) - set(getattr(before, field))
        assert len(more) == 1 or (field == "exact" and not order[place].edges and told.people < 3)
        assert not found.holds


@given(data=st.data(), kind=st.sampled_from(NUMBER_DISCLOSURES))
def test_a_tree_is_written_and_read_back(data: st.DataObject, kind: Any) -> None:
    world = data.draw(naive_numbers.worlds("interval", contradictions=False))
    tree = world.tree.disclosing(kind)
    release = TreeRelease(tree)
    assert read_tree(json.loads(tree_json(release))) == release
    assert tree.disclosure == kind


@given(data=st.data())
def test_predictions_are_the_means_of_leaves(data: st.DataObject) -> None:
    world = data.draw(naive_numbers.worlds())
    made = predicted(world.tree, framed(world))[f"predicted: {TARGET}"].to_list()
    for person, mean in zip(world.people, made, strict=True):
        leaf = naive_spans.leaf_of(world.tree, person)
        assert leaf is not None
        told = world.tree.leaves[leaf].outcome
        assert isinstance(told, Numbers)
        assert mean == pytest.approx(told.mean)
