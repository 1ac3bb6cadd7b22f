"""kACTUS: k-anonymity by pruning a classification tree (Kisilevich, Rokach, Elovici, Shapira, TKDE 22(3), 2010).

A tree that predicts the target from the public attributes says which of them matter, those near the root most. Rows
show what was asked on the way to their leaf; leaves without a crowd are pruned from the bottom up, each son on its own.

Figure 5 is read as its text reads: rows leave a complying leaf only to complete siblings that have 0 < nui < k of them.
The procedure is the paper's for any requirement, where "has at least k rows" becomes "satisfies the requirement".

One thing is ours. Where every leaf shows one mean of its numbers (Figure 6), the mean gives away which leaf it is, a
learner takes it for the reason, and fails on people who have true numbers. Therefore leaves with room for several
crowds are refined: divided by the numbers that they show, as Mondrian divides, which the paper regrets not to do ("it
cannot expand the node to narrow its scope"), and a number shown is the median, for which a few large ones do not
matter. `refine=False, show="mean"` is the paper's way.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from kspan.anonymize.crowds import Crowds, Recoding, Regions
from kspan.anonymize.kactus.giving import Giving, Transfer
from kspan.anonymize.kactus.leaf_cells import LeafCells, Show, released, shown_by
from kspan.anonymize.kactus.leaves import AllowedTogether, PrunedLeaf, places_above, refined
from kspan.anonymize.kactus.routes import Rows, VisitedNode, routed, united
from kspan.data.table import Table
from kspan.errors import PolicyError
from kspan.model.tree.model import Tree
from kspan.options import takes_options
from kspan.policy import Policy


@takes_options
def kactus(
    table: Table,
    policy: Policy,
    tree: Tree | Callable[[int], Tree],
    *,
    rng: np.random.Generator,
    show: Show | None = None,
    refine: bool = True,
    merge_siblings: bool = False,
    transfer: Transfer = "random",
) -> Recoding:
    """Phase 2 of kACTUS: prune a tree over the public attributes until what it shows of everybody is a crowd's.

    The tree is phase 1. Any univariate tree will do; a pruned C4.5 with `min_rows` = k is best. It may also be given as
    a function that makes a tree of k, which is called once it is sure that k can be reached. Sets of categories are
    made from the smallest on, until each is a crowd; only what then remains is pruned.

    A policy with `counting="people"` wants at least k people, not just rows, to share all that a person can match: then
    nothing is transferred, so that the place of a person follows from the public values alone; only leaves are refined
    below which there is no other, since whoever is below may match those above; and numbers are shown as intervals.

    At most k - 1 people are withheld. Where more than k remain at the root and break another requirement, whole leaves
    join them there, the topmost and smallest first.

    Options:
        show: What is seen of a number that the tree asks for, the median unless said.
        refine: Divide leaves further by the numbers that they show.
        merge_siblings: Join categories that are too few alone to sets {a|b}.
        transfer: Which rows of complying leaves complete their siblings; the greedy way costs the fewest majorities.

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> from kspan.model.tree.model import Attribute, Edge, Node, Region
    >>> color = Attribute("color", "public", "categorical", ("Blue", "Red", "Yellow"))
    >>> edges = tuple(Edge(Region(frozenset({name})), Node.of_counts((0,))) for name in color.values)
    >>> tree = Tree((color,), "risk", "private", ("low",), Node.of_counts((0,), 0, edges))
    >>> frame = pl.DataFrame({"color": ["Yellow"] * 6 + ["Blue"] * 7 + ["Red"] * 10, "risk": ["low"] * 23})
    >>> policy = Policy(public=["color"], target="risk", require="k=10")
    >>> made = kactus(encode(frame, policy), policy, tree, rng=np.random.default_rng(0), merge_siblings=True).partition
    >>> [made.cells(group)["color"] for group in range(made.number)]
    ['Red', '{Blue|Yellow}']
    """
    by_people = policy.counting == "people"
    show, transfer = _settled(by_people, show, transfer)
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    tree = tree if isinstance(tree, Tree) else tree(crowds.k)
    numeric = {item.name for item in tree.attributes if item.is_measured}
    judge = AllowedTogether(crowds, numeric)
    pruning = Pruning(judge, Giving(table, tree, transfer, rng), merge_siblings)
    left = pruning.anonymize(routed(tree, table, policy))
    pruning.release_the_rest(left)
    leaves = refined(pruning.released, judge, only_lowest=by_people) if refine else pruning.released
    partition, group_of_leaf = released(leaves, table, policy, LeafCells(table, show, numeric))
    regions = Regions(group_of_leaf, shown_by(leaves, table, policy, LeafCells(table, "interval", numeric)))
    facts = {"show": show, "refine": refine, "merge_siblings": merge_siblings, "transfer": transfer}
    found = {"transferred": pruning.transferred, "groups": partition.number, "withheld": partition.withheld}
    return Recoding(partition, {**facts, **found}, regions)


def _settled(by_people: bool, show: Show | None, transfer: Transfer) -> tuple[Show, Transfer]:
    """What is shown of numbers, and which rows are transferred: where people are counted, intervals and none."""
    if not by_people:
        return show or "median", transfer
    if show not in (None, "interval"):
        raise PolicyError(
            f"the policy counts people, and nobody can say whom a {show} admits: use show='interval', or count rows"
        )
    return "interval", "none"


class Pruning:
    """Procedure Anonymize of Figure 5: the leaves that are released so far, and how."""

    def __init__(self, judge: AllowedTogether, giving: Giving, merge_siblings: bool) -> None:
        self.judge, self.giving, self.merge_siblings = judge, giving, merge_siblings
        self.released: list[PrunedLeaf] = []
        self.transferred = 0

    def anonymize(self, places: Sequence[VisitedNode]) -> Rows:
        """Prune from the bottom up; gives the rows that are left at the root (lines 5 to 31)."""
        current: dict[VisitedNode, Rows] = {}
        for place in reversed(places):
            leaves = [PrunedLeaf(son.path, current.pop(son), (son,)) for son in place.sons]
            current[place] = self.prune(place, leaves)
        return current[places[0]]

    def prune(self, place: VisitedNode, leaves: list[PrunedLeaf]) -> Rows:
        """Release the complying leaves of a node; the others, and who stayed, make the node a leaf (lines 7 to 30)."""
        holds = self.judge.holds([leaf.rows for leaf in leaves])
        complying = [leaf for leaf, good in zip(leaves, holds, strict=True) if good]
        others = [leaf for leaf, good in zip(leaves, holds, strict=True) if not good and len(leaf.rows)]
        if self.merge_siblings and place.asks is not None:
            sets, others = self.merge(others, place.asks)
            complying += sets
        parts = [leaf.rows for leaf in others]
        # A node with one part, as most leaves of a tree are, needs no copy of it.
        left = np.concatenate([place.staying, *parts]) if parts else place.staying
        complying, left = self.complete(complying, left)
        self.released += complying
        return left

    def merge(self, leaves: list[PrunedLeaf], name: str) -> tuple[list[PrunedLeaf], list[PrunedLeaf]]:
        """Sets of categories that satisfy the requirement, made of leaves that do not, and the leaves that remain.

        Greedy: from the smallest on, a set takes leaves until it is a crowd; then the next set begins.
        """
        judge = self.judge
        mergeable = [leaf for leaf in leaves if judge.is_category(name, leaf.path[name])]
        waiting = sorted(mergeable, key=lambda leaf: (judge.people(leaf.rows), leaf.path[name]))
        sets: list[PrunedLeaf] = []
        begun: list[PrunedLeaf] = []
        for leaf in waiting:
            begun.append(leaf)
            rows = np.concatenate([each.rows for each in begun])
            if judge.holds([rows])[0]:
                values = united(run for each in begun for run in each.path[name])
                places = tuple(place for each in begun for place in each.places)
                sets.append(PrunedLeaf({**leaf.path, name: values}, rows, places))
                begun = []
        return sets, begun + [leaf for leaf in leaves if leaf not in mergeable]

    def complete(self, complying: list[PrunedLeaf], left: Rows) -> tuple[list[PrunedLeaf], Rows]:
        """Move extra rows of complying leaves to those that are too few, if they suffice (lines 19 to 27)."""
        required = self.judge.k - self.judge.people(left)
        if not len(left) or required <= 0:
            return complying, left
        given = self.giving.choose([leaf.rows for leaf in complying], left, required, self.judge)
        if given is None:
            return complying, left
        kept = [leaf.rows[~gives] for leaf, gives in zip(complying, given, strict=True)]
        together = np.concatenate([left, *(leaf.rows[gives] for leaf, gives in zip(complying, given, strict=True))])
        # That they are enough is sure; whatever else is required must be asked.
        if not self.judge.only_k and not all(self.judge.holds([*kept, together])):
            return complying, left
        self.transferred += len(together) - len(left)
        return [replace(leaf, rows=rows) for leaf, rows in zip(complying, kept, strict=True)], together

    def release_the_rest(self, left: Rows) -> None:
        """Who is left at the root is released without any public cell, or withheld (line 32)."""
        judge = self.judge
        if not len(left):
            return
        if judge.holds([left])[0]:
            self.released.append(PrunedLeaf({}, left))
        elif judge.people(left) >= judge.k or not judge.holds_alone(self.released):
            self.released.append(PrunedLeaf({}, self.joined(left)))

    def joined(self, left: Rows) -> Rows:
        """The rows left at the root, with leaves that join them until they are a crowd.

        Only the topmost ones may: there is nothing but the root above them that their people could match, so that they
        cannot be told from those who are left. All together satisfy the requirement, so that an end is sure.
        """
        while not self.judge.holds([left])[0]:
            taken = {id(place) for leaf in self.released for place in leaf.places}
            top = [leaf for leaf in self.released if not any(id(place) in taken for place in places_above(leaf))]
            top.sort(key=lambda leaf: self.judge.people(leaf.rows))
            together = (np.concatenate([left, leaf.rows]) for leaf in top)
            enough = (leaf for leaf, rows in zip(top, together, strict=True) if self.judge.holds([rows])[0])
            joining = next(enough, top[0])
            self.released.remove(joining)
            left = np.concatenate([left, joining.rows])
        return left
