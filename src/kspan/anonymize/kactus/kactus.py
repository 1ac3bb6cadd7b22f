"""kACTUS: k-anonymity by pruning a classification tree (Kisilevich, Rokach, Elovici, Shapira, TKDE 22(3), 2010).

A tree that predicts the target from the public attributes says which of them matter, those near the root most. Rows
show what was asked on the way to their leaf; leaves without a crowd are pruned from the bottom up, each son on its own.

Figure 5 is read as its text reads: rows leave a complying leaf only to complete siblings that have 0 < nui < k of them.
The procedure is the paper's for any requirement, where "has at least k rows" becomes "satisfies the requirement".

What is ours, and what option is the paper's way:

- Groups show the tightest cells that are true of their people, whether or not the tree asked for them. With `blank`,
  what was not asked is `*`, and the cells depend on the way to the leaf alone.
- Numbers are ranges (`show`). Where every leaf shows one mean (Figure 6), the mean gives away which leaf it is, a
  learner takes it for the reason, and fails on people who have true numbers.
- Leaves with room for several crowds are divided further as Mondrian divides (`refine`), by any attribute, which the
  paper regrets not to do ("it cannot expand the node to narrow its scope"). If blank, only by numbers that were asked.
- Nobody is lost: whoever is left at the root joins the group whose cells they widen least (`rest`). In the paper, these
  fewer than k people are withheld.

A policy with `counting="people"` wants at least k people, not just rows, to share all that a person can match. Then the
cells of a group must follow from the public values alone: what was not asked is blank, nothing is transferred, only
leaves are refined below which there is no other, since whoever is below may match those above, and numbers are ranges.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kspan.anonymize.crowds import Crowds, Recoding, Regions
from kspan.anonymize.kactus.filling import Show, filled
from kspan.anonymize.kactus.giving import Giving, Transfer
from kspan.anonymize.kactus.joining import joined_to_nearest
from kspan.anonymize.kactus.leaf_cells import LeafCells, released, shown_by
from kspan.anonymize.kactus.leaves import AllowedTogether, PrunedLeaf, places_above, refined
from kspan.anonymize.kactus.routes import Rows, VisitedNode, routed, united
from kspan.anonymize.mondrian import cut_further
from kspan.data.table import Table
from kspan.errors import PolicyError
from kspan.model.partition import WITHHELD
from kspan.model.tree.model import Tree
from kspan.options import takes_options
from kspan.policy import Policy

Rest = Literal["join", "withhold"]


@takes_options
def kactus(
    table: Table,
    policy: Policy,
    tree: Tree | Callable[[int], Tree],
    *,
    rng: np.random.Generator,
    show: Show = "interval",
    blank: bool = False,
    refine: bool = True,
    rest: Rest | None = None,
    merge_siblings: bool = False,
    transfer: Transfer = "random",
) -> Recoding:
    """Phase 2 of kACTUS: prune a tree over the public attributes until what it shows of everybody is a crowd's.

    The tree is phase 1. Any univariate tree will do; a pruned C4.5 with `min_rows` = k is best. It may also be given as
    a function that makes a tree of k, which is called once it is sure that k can be reached. Sets of categories are
    made from the smallest on, until each is a crowd; only what then remains is pruned. For `counting="people"` see
    above.

    Where more than k people remain at the root and break another requirement, whole leaves join them there, the topmost
    and smallest first.

    Options:
        show: What is seen of numbers: the range of a group, its median or its mean; with `hierarchy`, the range, and of
            an attribute with a hierarchy the lowest common name.
        blank: Show `*` for what the tree did not ask, as in the paper.
        refine: Divide leaves with room for several crowds: by any attribute, or by the numbers that they show if blank.
        rest: What becomes of the fewer than k people who are left over: join those whose cells they widen least, or
            withhold. If blank, a whole leaf would join them and show nothing; then they are withheld unless said.
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
    how = _settled(by_people, How(show, blank, refine, rest, transfer))
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    tree = tree if isinstance(tree, Tree) else tree(crowds.k)
    numeric = {item.name for item in tree.attributes if item.is_measured}
    judge = AllowedTogether(crowds, numeric)
    pruning = Pruning(judge, Giving(table, tree, how.transfer, rng), merge_siblings)
    left = pruning.anonymize(routed(tree, table, policy))
    left = pruning.release_the_rest(left, join=how.blank and how.rest == "join")
    made = _of_ways(pruning.released, judge, how) if how.blank else _of_people(pruning.released, left, judge, how)
    facts = {"show": show, "blank": how.blank, "refine": refine, "rest": how.rest, "merge_siblings": merge_siblings}
    found = {"transferred": pruning.transferred, "groups": made.partition.number, "withheld": made.partition.withheld}
    return replace(made, facts={**facts, "transfer": how.transfer, **found})


@dataclass(frozen=True)
class How:
    """What is shown of leaves, and what becomes of those who are left over."""

    show: Show
    blank: bool
    refine: bool
    rest: Rest | None
    transfer: Transfer


def _settled(by_people: bool, how: How) -> How:
    """What follows from other options, or from how people are counted; refuse what does not fit together."""
    if by_people and how.show != "interval":
        raise PolicyError(
            f"the policy counts people, and nobody can say whom a {how.show} admits: use show='interval', or count rows"
        )
    if how.blank and how.show == "hierarchy":
        raise PolicyError("blank shows what the tree asks, which are no names of a hierarchy: use show='interval'")
    if by_people:
        how = replace(how, blank=True, transfer="none")
    return replace(how, rest=how.rest or ("withhold" if how.blank else "join"))


def _of_ways(leaves: list[PrunedLeaf], judge: AllowedTogether, how: How) -> Recoding:
    """Groups that show what was asked on the way to their leaves, and nothing else."""
    table, policy = judge.table, judge.policy
    if how.refine:
        leaves = refined(leaves, judge, only_lowest=policy.counting == "people")
    partition, group_of_leaf = released(leaves, table, policy, LeafCells(table, how.show, judge.numeric))
    ways = shown_by(leaves, table, policy, LeafCells(table, "interval", judge.numeric))
    return Recoding(partition, regions=Regions(group_of_leaf, ways))


def _of_people(leaves: list[PrunedLeaf], left: Rows, judge: AllowedTogether, how: How) -> Recoding:
    """Groups that show all that is true of the people of their leaves."""
    group, number = np.full(judge.table.rows, WITHHELD, np.int64), len(leaves)
    for place, leaf in enumerate(leaves):
        group[leaf.rows] = place
    if how.refine:
        group, number = cut_further(judge.crowds, group, number, by_hierarchy=how.show == "hierarchy")
    if len(left) and how.rest == "join":
        group, number = joined_to_nearest(judge, group, number, left)
    return filled(judge.crowds, group, number, how.show)


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

    def release_the_rest(self, left: Rows, *, join: bool) -> Rows:
        """Release who is left at the root as one leaf, if that may be; return those who are not released (line 32).

        Leaves join them if they are too many to be withheld, if others depend on them, or if `join` asks for it.
        """
        judge = self.judge
        if not len(left):
            return left
        if judge.holds([left])[0]:
            self.released.append(PrunedLeaf({}, left))
        elif join or judge.people(left) >= judge.k or not judge.holds_alone(self.released):
            self.released.append(PrunedLeaf({}, self.joined(left)))
        else:
            return left
        return left[:0]

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
