"""Cost-complexity pruning: a leaf replaces a subtree that does not save what its leaves cost (Breiman et al. 1984).

What a leaf leaves open is counted in bits: of its labels their entropy, of its numbers their squares by what is left
open in the whole tree (the likelihood of a normal distribution). A leaf more costs `complexity` bits; by default those
that it takes to say one share, half the logarithm of the people (Rissanen 1983).
"""

import math
from collections.abc import Callable

from kspan.induce.tree.grow import GrowingLeaf
from kspan.induce.tree.prune import cut, with_all_below

ROUNDING = 1e-6

Open = Callable[[GrowingLeaf], float]
"""How many bits a node leaves open as a leaf."""


def usual_complexity(people: float) -> float:
    """What a leaf costs unless it is said.

    >>> usual_complexity(32561)
    7.495...
    """
    return math.log2(max(people, 2.0)) / 2


def simplify(root: GrowingLeaf, left_open: Open, complexity: float) -> None:
    """Make leaves of all nodes whose subtrees cost no less, so that the tree costs least of all that it can become."""
    cost: dict[GrowingLeaf, float] = {}
    for node in reversed(with_all_below(root)):
        as_leaf = left_open(node) + complexity
        as_tree = sum(cost.pop(son) for son in node.sons) if node.sons else math.inf
        if node.sons and as_leaf <= as_tree + ROUNDING:
            cut(node)
        cost[node] = min(as_leaf, as_tree)
