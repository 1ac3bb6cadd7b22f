"""ATP: a tree pruned until every path satisfies a requirement (Tian, Zhang, Xu, Sharkey, Sect. 4)."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.errors import ModelError, PolicyError, Unreachable, did_you_mean
from kspan.induce.atp.branches import Branches, uncertainty
from kspan.induce.atp.known_people import ClassCounts, KnownPeople
from kspan.induce.atp.path_measure import PathMeasure
from kspan.induce.atp.siblings import Siblings
from kspan.induce.known import exposed_before
from kspan.model.outcome import LabelCounts
from kspan.model.tree.model import Tree
from kspan.privacy import KAnonymity, Requirement
from kspan.privacy.looser import best_reachable

ENOUGH = 0.98
"""Once a pruned tree keeps this share of the first tree's hits, no other tree is tried."""
Information = Literal["exact", "estimated"]
Merge = Literal["rules", "information"]


def atp(
    tree: Tree, requirement: Requirement, *, information: Information | None = None, merge: Merge = "rules"
) -> Tree:
    """Merge the siblings of a tree from the bottom up until the labels of every path satisfy the requirement.

    `information="exact"` adds up the labels of merged nodes, if the tree discloses counts; "estimated" uses only hit
    and miss, as the paper does (its Eq. 2 and 3). `merge="rules"` chooses siblings as in Sect. 4.2; "information" takes
    the sibling whose merge loses least of what the tree tells of labels, preferably among those with which the
    requirement is satisfied.

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
    trees: Iterable[Tree],
    requirement: Requirement,
    information: Information,
    merge: Merge,
    people: KnownPeople | None = None,
) -> Tree | None:
    """Prune trees in turn, and return the first of which more than one leaf is left; None if there is none."""
    for tree in trees:
        if not (found := pruned(tree, requirement, information, merge, people)).root.is_leaf:
            return found
    return None


def best_pruned(
    trees: Iterable[Tree],
    requirement: Requirement,
    information: Information,
    merge: Merge,
    people: KnownPeople | None = None,
) -> Tree | None:
    """Prune trees of the same people, and return the one that is right for most of them.

    A tree of one leaf does not count; None if there is no other. The search ends with a tree that keeps nearly all hits
    of the first one.
    """
    best, most, enough = None, -1.0, 0.0
    for tree in trees:
        enough = enough or ENOUGH * _hits(tree)
        found = pruned(tree, requirement, information, merge, people)
        if not found.root.is_leaf and _hits(found) > most:
            best, most = found, _hits(found)
        if most >= enough:
            break
    return best


def _hits(tree: Tree) -> float:
    """How many people have the commonest label of their leaf."""
    outcomes = (leaf.outcome for leaf in tree.leaves)
    return float(sum(max(one.counts) if isinstance(one, LabelCounts) else getattr(one, "hit", 0) for one in outcomes))


def empty(
    trees: Iterable[Tree],
    requirement: Requirement,
    information: Information,
    merge: Merge,
    people: KnownPeople | None = None,
) -> Unreachable:
    """The error that says why nothing is left of some trees, and which requirements would leave something."""
    given = list(trees)
    if people is not None and (broken := people.breaking(given[0], requirement)):
        return exposed_before(broken, people.table.people, requirement)
    if given[0].root.is_leaf:
        return Unreachable("the tree has one leaf, so there is nothing to publish: learn one that asks something")
    reached = best_reachable(
        requirement, lambda looser: first_pruned(given, looser, information, merge, people) is not None
    )
    best = f"the best that leaves two paths is {' or '.join(map(str, reached))}" if reached else "no lower one helps"
    return Unreachable(
        f"pruned until every path satisfies {requirement}, the tree is empty; {best}: lower it, or add people"
    )


def pruned(
    tree: Tree,
    requirement: Requirement,
    information: Information = "exact",
    merge: Merge = "rules",
    people: KnownPeople | None = None,
) -> Tree:
    """Prune a tree as `atp` does; the result may be one leaf, whether or not that satisfies the requirement.

    With `people` whom earlier releases tell apart, every path satisfies it in each of their classes; that needs exact
    information.
    """
    _check_word("merge", merge, get_args(Merge))
    if tree.target_role == "public":
        return tree  # whoever knows the label reaches one bin, and that is safe at any size
    if people is not None and information != "exact":
        raise PolicyError("what earlier releases tell (known) asks for true labels: prune with exact information")
    pruning = _Pruning(tree, requirement, information, merge, people)
    # Figure 6, lines 4 to 13.
    for level in pruning.branches.levels_from_the_bottom():
        failing = pruning.with_a_failed_child(level)
        while failing:
            pruning.merge_a_pair_at_each(failing)
            failing = [siblings for siblings in failing if not pruning.is_settled(siblings)]
    return pruning.branches.tree(tree)


class _Pruning:
    """The branches of a tree while they are merged, and which of them satisfy the requirement."""

    def __init__(
        self,
        tree: Tree,
        requirement: Requirement,
        information: Information,
        merge: Merge,
        people: KnownPeople | None,
    ) -> None:
        self.measure = PathMeasure(tree, requirement, estimated=information == "estimated")
        self.branches = Branches.of(tree, estimated=information == "estimated")
        self.by_loss = merge == "information"
        self.k = max((part.k for part in requirement.parts if isinstance(part, KAnonymity)), default=0)
        self.apart = None if people is None else ClassCounts.of(tree, people)
        self.passes = self.hold(self.branches.counts, np.arange(len(self.branches.counts)))
        # Only leaves are tested beforehand (Figure 6, lines 1 to 3); a node that asks passes once its children do.
        self.passes[[bool(sons) for sons in self.branches.sons]] = True
        self.people = self.branches.counts.sum(axis=1)
        self.told = self.branches.uncertainty() if self.by_loss else np.zeros(len(self.people))

    def hold(self, counts: Floats, *members: Int64s) -> Bools:
        """Which paths with these labels pass; path i has the people of node i of all `members`."""
        good = self.measure.holds(counts)
        if self.apart is not None and good.any():
            # Who breaks it together has a class that breaks it, and need not be asked again.
            good[good] = self.apart.hold(self.measure, *(nodes[good] for nodes in members))
        return good

    def with_a_failed_child(self, level: Sequence[int]) -> list[Siblings]:
        """The children of each node of a level, where one of them fails; a lone failed child replaces its parent."""
        failing = []
        for node in level:
            sons = self.branches.sons[node]
            passes = self.passes[sons]
            if passes.all():
                continue
            if len(sons) == 1:
                self.become_the_child(node, sons[0])
            else:
                hits = self.branches.counts[sons].max(axis=1)
                failing.append(Siblings(node, sons, passes.tolist(), self.people[sons].tolist(), hits.tolist()))
        return failing

    def merge_a_pair_at_each(self, families: Sequence[Siblings]) -> None:
        """Merge the failed child of each family with the preferred sibling, unless more siblings must be tried first.

        Rule 1: the result satisfies the requirement; rule 2: the sibling fails, too; rule 3: the sibling has the fewest
        people. If several siblings satisfy a rule, the next rule decides.
        """
        tried = [sorted(family.place) if self.by_loss else family.untried(self.k) for family in families]
        sizes = [len(some) for some in tried]
        failed = np.repeat([family.failed for family in families], sizes)
        sibling = np.array([son for some in tried for son in some], np.int64)
        merged = self.branches.merged(failed, sibling)
        good = self.hold(merged, failed, sibling)
        then = self.lost(failed, sibling, merged) if self.by_loss else np.arange(len(sibling))
        # Family by family, rule 1 first; siblings come in the order of rules 2 and 3, unless loss decides.
        order = np.lexsort((then, ~good, np.repeat(np.arange(len(families)), sizes)))
        begins = np.cumsum(sizes) - sizes
        for family, begin, size in zip(families, begins.tolist(), sizes, strict=True):
            first = int(order[begin]) if size else -1
            if size and (good[first] or self.by_loss):
                self.unite(family, int(sibling[first]), merged[first], bool(good[first]))
            elif family.has_tried_all:
                # No sibling satisfies rule 1: the first by rules 2 and 3 is merged, and the result still fails.
                other = family.order[0][-1]
                self.unite(family, other, self.branches.merged(np.array([family.failed]), np.array([other]))[0], False)

    def lost(self, failed: Int64s, sibling: Int64s, merged: Floats) -> Floats:
        """How many bits about labels are lost if pairs of nodes are merged."""
        bits: Floats = uncertainty(merged) - self.told[failed] - self.told[sibling]
        return bits

    def unite(self, family: Siblings, sibling: int, counts: Floats, good: bool) -> None:
        """Replace the failed child of a family and one of its siblings by one leaf."""
        failed = family.failed
        self.branches.unite(failed, sibling, counts)
        if self.apart is not None:
            self.apart.unite(failed, sibling)
        self.passes[failed], self.people[failed] = good, counts.sum()
        if self.by_loss:
            self.told[failed] = uncertainty(counts[None])[0]
        family.take_in(sibling, float(self.people[failed]), good)

    def is_settled(self, family: Siblings) -> bool:
        """Is nothing left to merge in a family? If so, its parent keeps the children left, or becomes a lone one."""
        if not family.is_settled:
            return False
        left = family.left
        if len(left) == 1:
            self.become_the_child(family.parent, left[0])
        else:
            self.branches.keep(family.parent, left)
            self.told[family.parent] = self.told[left].sum()
        return True

    def become_the_child(self, node: int, child: int) -> None:
        """Put a lone child in the place of its parent (Figure 6, line 11)."""
        self.branches.become_leaf(node, self.branches.counts[child])
        for each in (self.passes, self.people, self.told):
            each[node] = each[child]


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
