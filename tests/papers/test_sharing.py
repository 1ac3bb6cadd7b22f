"""Numbers printed by Tian, Zhang, Xu and Sharkey: node information, pruning, pseudo-data."""

import numpy as np
import pytest

from kspan.induce.atp.atp import atp
from kspan.induce.atp.branches import Branches
from kspan.model.outcome import HitMiss
from kspan.model.tree.model import Node
from kspan.privacy.spec import parse
from papers.sharing_tree import TREE


def told(node: Node) -> tuple[str, float, float]:
    assert isinstance(node.outcome, HitMiss)
    assert node.outcome.label is not None
    return TREE.labels[node.outcome.label], node.outcome.hit, node.outcome.miss


def test_example_15_estimates_node_information_from_the_leaves() -> None:
    branches = Branches.of(TREE, estimated=True)
    (b,) = [place for place, node in enumerate(branches.nodes) if node.people == 50]
    below = branches.counts[branches.sons[b]]
    # Equation (2) at node b, then (3); f and h are estimated in the same way.
    assert below.sum(axis=0) == pytest.approx([11.25, 11, 9.75, 11, 7])
    assert branches.counts[b].max() == 12
    assert branches.counts[b].sum() == 50
    by_size = {(row.max(), row.sum()) for row in below}
    assert (5, 14) in by_size
    assert (3, 10) in by_size
    assert np.allclose(branches.counts.sum(axis=1), [node.people for node in branches.nodes])


def test_example_16_prunes_to_figure_3() -> None:
    pruned = atp(TREE, parse("recursive_cl=[3, 3]"))
    b = pruned.root.edges[0].node
    found = {tuple(sorted(edge.region.values)): edge.node for edge in b.edges}
    assert list(found) == [("b1", "b2"), ("b3",), ("b4", "b5")]
    assert told(found["b1", "b2"]) == ("S2", 5, 7)
    assert told(found["b4", "b5"]) == ("S4", 8, 16)
    assert told(found["b3",]) == ("S3", 5, 9)
    assert len(found["b3",].edges) == 2
    assert told(b) == ("S1", 12, 38)


def test_leaves_that_satisfy_3_3_diversity_are_kept() -> None:
    pruned = atp(TREE, parse("recursive_cl=[3, 3]"))
    kept = [told(leaf) for leaf in pruned.leaves]
    assert ("S5", 2, 2) in kept
    assert ("S3", 4, 6) in kept
