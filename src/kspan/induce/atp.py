"""ATP: a tree pruned until every path satisfies a requirement (Tian, Zhang, Xu, Sharkey, Sect. 4)."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.errors import ModelError, PolicyError, Unreachable, did_you_mean
from kspan.induce.branches import Branches, uncertainty
from kspan.induce.path_measure import PathMeasure
from kspan.model.outcome import Counts
from kspan.model.tree import Tree
from kspan.privacy import Requirement
from kspan.privacy.looser import best_reachable

ENOUGH = 0.98
"""A tree that keeps so much of what it was right of need not be compared with others."""
Information = Literal["exact", "estimated"]
Merge = Literal["rules", "information"]


def atp(
    tree: Tree, requirement: Requirement, *, information: Information | None = None, merge: Merge = "rules"
) -> Tree:
    """The tree with siblings merged from the bottom up until the labels of every path satisfy the requirement.

    `information="exact"` (if the tree discloses counts) adds up the labels of what is merged; "estimated" knows hit and
    miss alone (their Eq. 2 and 3), as the paper does. `merge="rules"` chooses siblings as in Sect. 4.2; "information"
    takes the one whose merge loses least of what the tree tells of labels, among those that satisfy the requirement if
    there are any.

    >>> from kspan.datasets import mortgage
    >>> from kspan.induce.methods import learn
    >>> from kspan.policy import Policy
    >>> from kspan.privacy.spec import parse
    >>> policy = Policy(identifier=["Name"], public=["Gender", "Married", "Age", "Sports car"], target="Loan risk",
    ...                 require="k=3")
    >>> tree = learn(mortgage(), policy, "id3")
    >>> tree, atp(tree, parse("k=3"))
    (Tree(6 leaves, 12 people, target 'Loan risk'), Tree(4 leaves, 12 people, target 'Loan risk'))
    """
    kept = information_of(tree, information)
    found = first_pruned([tree], requirement, kept, merge)
    if found is None:
        raise empty([tree], requirement, kept, merge)
    return found


def first_pruned(
    trees: Iterable[Tree], requirement: Requirement, information: Information, merge: Merge
) -> Tree | None:
    """The first of some trees of which pruning leaves more than one leaf, pruned."""
    for tree in trees:
        if not (found := pruned(tree, requirement, information, merge)).root.is_leaf:
            return found
    return None


def best_pruned(trees: Iterable[Tree], requirement: Requirement, information: Information, merge: Merge) -> Tree | None:
    """Of some trees of the same people the one that, pruned, is right of most of them, if it has more than one leaf.

    No more trees are looked at once one has kept nearly all that the first one was right of.
    """
    best, most, enough = None, -1.0, 0.0
    for tree in trees:
        enough = enough or ENOUGH * _hits(tree)
        found = pruned(tree, requirement, information, merge)
        if not found.root.is_leaf and _hits(found) > most:
            best, most = found, _hits(found)
        if most >= enough:
            break
    return best


def _hits(tree: Tree) -> float:
    """How many people have the commonest label of their leaf."""
    outcomes = (leaf.outcome for leaf in tree.leaves)
    return float(sum(max(one.counts) if isinstance(one, Counts) else getattr(one, "hit", 0) for one in outcomes))


def empty(trees: Iterable[Tree], requirement: Requirement, information: Information, merge: Merge) -> Unreachable:
    """Why nothing is left of some trees, and the requirements that would leave something."""
    given = list(trees)
    if given[0].root.is_leaf:
        return Unreachable("the tree has one leaf, so there is nothing to publish: learn one that asks something")
    reached = best_reachable(requirement, lambda looser: first_pruned(given, looser, information, merge) is not None)
    best = f"the best that leaves two paths is {' or '.join(map(str, reached))}" if reached else "no lower one helps"
    return Unreachable(
        f"pruned until every path satisfies {requirement}, the tree is empty; {best}: lower it, or add people"
    )


def pruned(tree: Tree, requirement: Requirement, information: Information = "exact", merge: Merge = "rules") -> Tree:
    """The same, which may be empty: a tree of one leaf, whether or not that satisfies the requirement."""
    _check_word("merge", merge, get_args(Merge))
    if tree.target_role == "public":
        return tree  # whoever knows the label reaches one bin, and that is safe at any size
    pruning = _Pruning(tree, requirement, information, merge)
    for level in pruning.branches.levels_from_the_bottom():
        while failing := pruning.with_a_failed_child(level):
            pruning.merge_a_pair_at_each(failing)
    return pruning.branches.tree(tree)


class _Pruning:
    """The branches of a tree while they are merged, and which of them satisfy the requirement."""

    def __init__(self, tree: Tree, requirement: Requirement, information: Information, merge: Merge) -> None:
        self.measure = PathMeasure(tree, requirement, estimated=information == "estimated")
        self.branches = Branches.of(tree, estimated=information == "estimated")
        self.merge = merge
        self.passes = self.measure.holds(self.branches.counts)
        self.passes[[bool(sons) for sons in self.branches.sons]] = True  # not asked before what is below it passes
        self.told = self.branches.uncertainty()
        self.begun: dict[int, int] = {}
        """The failed child of a node that is being merged with one sibling after the other."""

    def with_a_failed_child(self, level: Sequence[int]) -> list[int]:
        """Those nodes of a level of which a child fails; a lone one has replaced its parent."""
        failing = []
        for node in level:
            sons = self.branches.sons[node]
            if len(sons) == 1 and not self.passes[sons[0]]:
                self.become_the_child(node)
            elif not all(self.passes[son] for son in sons):
                failing.append(node)
        return failing

    def merge_a_pair_at_each(self, nodes: Sequence[int]) -> None:
        """Merge a failed child of each node with the sibling that the rules choose."""
        pairs = [
            (node, failed, son)
            for node in nodes
            for failed in [self.failed_child(node)]
            for son in self.branches.sons[node]
            if son != failed
        ]
        parent, failed, sibling = np.array(pairs).T
        merged = self.branches.merged(failed, sibling)
        good = self.measure.holds(merged)
        lost = uncertainty(merged) - self.told[failed] - self.told[sibling]
        first = self.preferred(parent, sibling, good, lost)
        for pair in first.tolist():
            self.unite(int(parent[pair]), int(failed[pair]), int(sibling[pair]), merged[pair], bool(good[pair]))

    def failed_child(self, node: int) -> int:
        """The failed child with the highest share of hits: it is protected worst."""
        begun = self.begun.get(node)
        if begun is not None and not self.passes[begun]:
            return begun
        failed = [son for son in self.branches.sons[node] if not self.passes[son]]
        counts = self.branches.counts[failed]
        return failed[int(np.argmax(counts.max(axis=1) / counts.sum(axis=1)))]

    def preferred(self, parent: Int64s, sibling: Int64s, good: Bools, lost: Floats) -> Int64s:
        """For each parent the pair to merge.

        Rule 1: what results satisfies the requirement; rule 2: the sibling fails, too; rule 3: it has the fewest
        people. Where several satisfy one rule, the next one decides.
        """
        people = self.branches.counts[sibling].sum(axis=1)
        then = (lost,) if self.merge == "information" else (people, self.passes[sibling])
        order = np.lexsort((*then, ~good, parent))
        return order[np.unique(parent[order], return_index=True)[1]]

    def unite(self, parent: int, failed: int, sibling: int, counts: Floats, good: bool) -> None:
        """Put a leaf in the place of two children."""
        self.branches.unite(parent, failed, sibling, counts)
        self.passes[failed], self.begun[parent] = good, failed
        self.told[failed] = uncertainty(counts[None])[0]
        self.told[parent] = self.told[self.branches.sons[parent]].sum()
        if len(self.branches.sons[parent]) == 1:
            self.become_the_child(parent)

    def become_the_child(self, node: int) -> None:
        """Put a lone child in the place of its parent."""
        child = self.branches.sons[node][0]
        self.branches.become_leaf(node, self.branches.counts[child])
        self.passes[node], self.told[node] = self.passes[child], self.told[child]


def information_of(tree: Tree, asked: Information | None) -> Information:
    """What is known of the labels at the nodes of a tree: all that it discloses, unless less is asked for."""
    if asked is not None:
        _check_word("information", asked, get_args(Information))
    if tree.disclosure not in ("counts", "hit-miss"):
        raise ModelError(
            f"the tree discloses only {tree.disclosure!r}, so how many people take each path is not known: "
            "prune one that discloses counts or hit-miss"
        )
    if tree.disclosure == "hit-miss" and asked == "exact":
        raise ModelError("the tree discloses hit and miss alone: prune it with estimated information")
    return asked or ("exact" if tree.disclosure == "counts" else "estimated")


def _check_word(option: str, word: str, known: Sequence[str]) -> None:
    if word not in known:
        raise PolicyError(f"{option} cannot be {word!r}{did_you_mean(word, known)}: use {' or '.join(known)}")
