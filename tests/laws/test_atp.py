"""ATP against its naive twin, and what every pruned tree must satisfy."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kspan.errors import Unreachable
from kspan.induce.atp import siblings
from kspan.induce.atp.atp import atp
from kspan.model.outcome import HitMiss
from kspan.model.tree.json import read_tree, tree_json
from kspan.model.tree.model import Node, Tree
from kspan.model.tree.release import TreeRelease
from kspan.privacy.spec import from_table, parse
from laws import naive, naive_atp

pytestmark = pytest.mark.slow

ASKED: dict[str, st.SearchStrategy[Any]] = {
    "k": st.integers(1, 30),
    "simple_l": st.sampled_from([1.5, 2, 2.5, 3]),
    "entropy_l": st.sampled_from([1.3, 1.7, 2, 2.5]),
    "recursive_cl": st.tuples(st.integers(1, 6), st.integers(2, 4)).map(list),
}


def told(node: Node) -> Any:
    """A node with all below it, to compare; of labels with as many people either may be told."""
    outcome = node.outcome
    said = (outcome.hit, outcome.miss) if isinstance(outcome, HitMiss) else node.counts
    return said, node.attribute, [(edge.region, told(edge.node)) for edge in node.edges]


def exactly(key: str, value: Any, row: Sequence[Any]) -> bool:
    group = [label for label, count in enumerate(row) for _ in range(int(count))]
    return bool(naive.holds(key, value, [group], distance=naive.equal_distance())[0])


@pytest.mark.parametrize("key", ASKED)
@given(data=st.data())
def test_the_rules_are_those_of_the_paper(key: str, data: st.DataObject) -> None:
    estimated = data.draw(st.booleans())
    tree, value = data.draw(naive_atp.trees(told="hit-miss" if estimated else "counts")), data.draw(ASKED[key])

    def holds(row: naive_atp.Row) -> bool:
        if not sum(row):
            return True
        if estimated:
            return naive_atp.path_holds(key, value, int(max(row)), int(sum(row) - max(row)))
        return exactly(key, value, row)

    wanted = naive_atp.pruned(tree, holds, estimated=estimated)
    requirement = from_table({key: value})
    if wanted.is_leaf:
        with pytest.raises(Unreachable, match="one leaf" if tree.root.is_leaf else "the tree is empty"):
            atp(tree, requirement)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(siblings, "FEW", data.draw(st.sampled_from([1, 2, siblings.FEW])))
        found = atp(tree, requirement)
    assert told(found.root) == told(wanted)


@pytest.mark.parametrize("merge", ["rules", "information"])
@pytest.mark.parametrize("key", ASKED)
@given(data=st.data())
def test_every_path_satisfies_the_requirement_and_nobody_is_lost(key: str, merge: Any, data: st.DataObject) -> None:
    tree, value = data.draw(naive_atp.trees(told="counts")), data.draw(ASKED[key])
    try:
        found = atp(tree, from_table({key: value}), merge=merge)
    except Unreachable:
        return
    assert all(exactly(key, value, leaf.counts) for leaf in found.leaves if leaf.people)
    assert found.root.counts == tree.root.counts
    read_tree(json.loads(tree_json(TreeRelease(found))))  # which checks counts and edges at every node


@given(tree=naive_atp.trees(told="counts"), k=st.integers(1, 10))
def test_what_satisfies_the_requirement_stays_as_it_is(tree: Tree, k: int) -> None:
    if tree.root.is_leaf or any(0 < (leaf.people or 0) < k for leaf in tree.leaves):
        return
    assert atp(tree, from_table({"k": k})) == tree


@pytest.mark.parametrize("key", ASKED)
@given(data=st.data())
def test_what_is_said_to_be_reachable_is(key: str, data: st.DataObject) -> None:
    tree, value = data.draw(naive_atp.trees(told="counts")), data.draw(ASKED[key])
    try:
        atp(tree, from_table({key: value}))
    except Unreachable as refusal:
        if "two paths is " in str(refusal):
            best = str(refusal).split("two paths is ")[1].split(": lower it")[0]
            assert not atp(tree, parse(best)).root.is_leaf
