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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from kspan.anonymize.cells import MEAN_DIGITS, shown
from kspan.anonymize.crowds import Crowds, Recoding, Regions
from kspan.anonymize.routes import Path, Place, Rows, Runs, routed, united
from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED, number_text, write_interval, write_set
from kspan.data.groups import NO_WEIGHTS, Groups, count_values, group_rows
from kspan.data.table import Column, Table
from kspan.errors import PolicyError, did_you_mean
from kspan.model.partition import WITHHELD, Partition, Shown
from kspan.model.tree import Tree
from kspan.policy import Policy

Show = Literal["median", "mean", "interval"]
Transfer = Literal["random", "greedy", "none"]


def kactus(
    table: Table,
    policy: Policy,
    tree: Tree,
    *,
    rng: np.random.Generator,
    show: Show | None = None,
    refine: bool = True,
    merge_siblings: bool = False,
    transfer: Transfer = "random",
) -> Recoding:
    """Phase 2 of kACTUS: prune a tree over the public attributes until what it shows of everybody is a crowd's.

    The tree is phase 1: any univariate one, best a pruned C4.5 with `min_rows` = k. `show` says what is seen of a
    number that the tree asks for: the median (default) or mean of the group, or the interval that its way allows.
    The other options answer the drawbacks that the paper lists. `refine`: leaves are divided further by the numbers
    that they show. `merge_siblings`: categories without a crowd are first joined to sets `{a|b}`, the smallest first,
    until each set is one; only what then remains is pruned. `transfer`: which rows of complying leaves complete their
    siblings: random ones; those whose loss costs the fewest majorities (`greedy`); or none.

    A policy with `counting="people"` wants at least k people, not just rows, to share all that a person can match: then
    nothing is transferred, so that the place of a person follows from the public values alone; only leaves are refined
    below which there is no other, since whoever is below may match those above; and numbers are shown as intervals.

    At most k - 1 people are withheld. Where more than k remain at the root and break another requirement, whole leaves
    join them there, the topmost and smallest first.

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> from kspan.model.tree import Attribute, Edge, Node, Region
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
    show = show or ("interval" if by_people else "median")
    for option, word, words in (("show", show, get_args(Show)), ("transfer", transfer, get_args(Transfer))):
        if word not in words:
            raise PolicyError(
                f"{option} cannot be {word!r:.40}{did_you_mean(str(word), words)}: use {', '.join(words)}"
            )
    if by_people and show != "interval":
        raise PolicyError(
            f"the policy counts people, and nobody can say whom a {show} admits: use show='interval', or count rows"
        )
    if by_people:
        transfer = "none"
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    numeric = {item.name for item in tree.attributes if item.kind == "numeric"}
    judge = Judge(crowds, numeric)
    pruning = Pruning(judge, Giving(table, tree, transfer, rng), merge_siblings)
    left = pruning.anonymize(routed(tree, table, policy))
    pruning.release_the_rest(left)
    leaves = refined(pruning.released, judge, only_lowest=by_people) if refine else pruning.released
    partition, group_of_leaf = released(leaves, table, policy, Cells(table, show, numeric))
    regions = Regions(group_of_leaf, shown_by(leaves, table, policy, Cells(table, "interval", numeric)))
    facts = {
        "show": show,
        "refine": refine,
        "merge_siblings": merge_siblings,
        "transfer": transfer,
        "transferred": pruning.transferred,
        "groups": partition.number,
        "withheld": partition.withheld,
    }
    return Recoding(partition, facts, regions)


@dataclass(frozen=True, eq=False)
class Leaf:
    """Rows that will show the same: what was asked on the way to one place, or to several that were merged."""

    path: Path
    rows: Rows
    places: tuple[Place, ...] = ()


class Pruning:
    """Procedure Anonymize of Figure 5: the leaves that are released so far, and how."""

    def __init__(self, judge: "Judge", giving: "Giving", merge_siblings: bool) -> None:
        self.judge, self.giving, self.merge_siblings = judge, giving, merge_siblings
        self.released: list[Leaf] = []
        self.transferred = 0

    def anonymize(self, places: Sequence[Place]) -> Rows:
        """Prune from the bottom up; gives the rows that are left at the root (lines 5 to 31)."""
        current: dict[Place, Rows] = {}
        for place in reversed(places):
            leaves = [Leaf(son.path, current.pop(son), (son,)) for son in place.sons]
            current[place] = self.prune(place, leaves)
        return current[places[0]]

    def prune(self, place: Place, leaves: list[Leaf]) -> Rows:
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

    def merge(self, leaves: list[Leaf], name: str) -> tuple[list[Leaf], list[Leaf]]:
        """Sets of categories that satisfy the requirement, made of leaves that do not, and the leaves that remain.

        Greedy: from the smallest on, a set takes leaves until it is a crowd; then the next set begins.
        """
        judge = self.judge
        mergeable = [leaf for leaf in leaves if judge.is_category(name, leaf.path[name])]
        waiting = sorted(mergeable, key=lambda leaf: (judge.people(leaf.rows), leaf.path[name]))
        sets: list[Leaf] = []
        begun: list[Leaf] = []
        for leaf in waiting:
            begun.append(leaf)
            rows = np.concatenate([each.rows for each in begun])
            if judge.holds([rows])[0]:
                values = united(run for each in begun for run in each.path[name])
                places = tuple(place for each in begun for place in each.places)
                sets.append(Leaf({**leaf.path, name: values}, rows, places))
                begun = []
        return sets, begun + [leaf for leaf in leaves if leaf not in mergeable]

    def complete(self, complying: list[Leaf], left: Rows) -> tuple[list[Leaf], Rows]:
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
            self.released.append(Leaf({}, left))
        elif judge.people(left) >= judge.k or not judge.holds_without(left, self.released):
            self.released.append(Leaf({}, self.joined(left)))

    def joined(self, left: Rows) -> Rows:
        """The rows left at the root, with leaves that join them until they are a crowd.

        Only the topmost ones may: there is nothing but the root above them that their people could match, so that they
        cannot be told from those who are left. All together satisfy the requirement, so that an end is sure.
        """
        while not self.judge.holds([left])[0]:
            taken = {id(place) for leaf in self.released for place in leaf.places}
            top = [leaf for leaf in self.released if not any(id(place) in taken for place in _above(leaf))]
            top.sort(key=lambda leaf: self.judge.people(leaf.rows))
            together = (np.concatenate([left, leaf.rows]) for leaf in top)
            enough = (leaf for leaf, rows in zip(top, together, strict=True) if self.judge.holds([rows])[0])
            joining = next(enough, top[0])
            self.released.remove(joining)
            left = np.concatenate([left, joining.rows])
        return left


class Judge:
    """Which rows may be seen to be together."""

    def __init__(self, crowds: Crowds, numeric: set[str]) -> None:
        self.crowds, self.table, self.policy, self.numeric = crowds, crowds.table, crowds.policy, numeric
        self.k, self.only_k = crowds.k, crowds.only_k
        weights = NO_WEIGHTS if self.table.weights is None else self.table.weights
        everybody = np.zeros(self.table.rows if crowds.asked else 0, np.int64)
        self.whole = {name: count_values(self.table[name], everybody, 1, weights).whole for name in crowds.asked}

    def people(self, rows: Rows) -> int:
        """How many people some rows stand for."""
        return len(rows) if self.table.weights is None else int(self.table.weights[rows].sum())

    def holds(self, parts: Sequence[Rows]) -> list[bool]:
        """Which parts of the table satisfy the requirement; an empty one does not."""
        large = [len(rows) > 0 and self.people(rows) >= self.k for rows in parts]
        if self.only_k or not any(large):
            return large
        asked = [place for place, enough in enumerate(large) if enough]
        for place, good in zip(asked, self._satisfied([parts[place] for place in asked]).tolist(), strict=True):
            large[place] = good
        return large

    def holds_without(self, withheld: Rows, leaves: list[Leaf]) -> bool:
        """Do all leaves satisfy the requirement still if some rows are withheld, who are nobody then?"""
        if self.only_k:
            return True
        group = np.full(self.table.rows, WITHHELD, np.int64)
        for number, leaf in enumerate(leaves):
            group[leaf.rows] = number
        return bool(leaves) and bool(self.crowds.holds(group, len(leaves)).all())

    def is_category(self, name: str, codes: Runs) -> bool:
        """Are these codes categories, no numbers and no missing value?"""
        return name not in self.numeric and codes[0][0] < len(self.table[name].values)

    def _satisfied(self, parts: Sequence[Rows]) -> Bools:
        rows = np.concatenate(parts)
        group = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        weights = NO_WEIGHTS if self.table.weights is None else self.table.weights[rows]
        private = {}
        for name, whole in self.whole.items():
            column = replace(self.table[name], codes=self.table[name].codes[rows])
            private[name] = replace(count_values(column, group, len(parts), weights), whole=whole)
        return self.policy.require.holds(Groups(np.array([self.people(part) for part in parts]), private))


class Giving:
    """How complying leaves choose the rows that they can do without."""

    def __init__(self, table: Table, tree: Tree, transfer: Transfer, rng: np.random.Generator) -> None:
        self.table, self.transfer, self.rng = table, transfer, rng
        if transfer == "greedy" and tree.target not in table.columns:
            raise PolicyError(
                f"transfer='greedy' needs the labels {tree.target!r} that the tree predicts: add them, or use 'random'"
            )
        self.labels = table[tree.target] if transfer == "greedy" else None

    def choose(self, leaves: Sequence[Rows], left: Rows, required: int, judge: Judge) -> list[Bools] | None:
        """Which rows of each leaf are given so that `required` more people are there, or None if they do not suffice.

        Each leaf offers what it has beyond k, and of all offers the first ones that suffice are taken: in a random
        order, if greedy then the cheapest first.
        """
        spare = [judge.people(rows) - judge.k for rows in leaves]
        if self.transfer == "none" or sum(spare) < required:
            return None
        costs = [self._costs(rows, left) for rows in leaves]
        offers = [self._offer(*each) for each in zip(leaves, costs, spare, strict=True)]
        giver = np.repeat(np.arange(len(leaves)), [len(offer) for offer in offers])
        place = np.concatenate(offers)
        rows = np.concatenate([leaf[offer] for leaf, offer in zip(leaves, offers, strict=True)])
        order = self._order(np.concatenate([cost[offer] for cost, offer in zip(costs, offers, strict=True)]))
        reached = np.cumsum(self._weights(rows[order]))
        if not len(reached) or reached[-1] < required:
            return None  # rows that stand for many people are hard to share out
        taken = order[: int(np.searchsorted(reached, required)) + 1]
        given = [np.zeros(len(leaf), bool) for leaf in leaves]
        for number in np.unique(giver[taken]).tolist():
            given[number][place[taken][giver[taken] == number]] = True
        return given

    def _offer(self, rows: Rows, costs: Int64s, most: int) -> Int64s:
        """The places of rows that a leaf can do without, at most so many people."""
        order = self._order(costs)
        return order[np.cumsum(self._weights(rows[order])) <= most]

    def _order(self, costs: Int64s) -> Int64s:
        order = self.rng.permutation(len(costs))
        return order if self.labels is None else order[np.argsort(costs[order], kind="stable")]

    def _weights(self, rows: Rows) -> Int64s:
        return np.ones(len(rows), np.int64) if self.table.weights is None else self.table.weights[rows]

    def _costs(self, rows: Rows, left: Rows) -> Int64s:
        """What each row would add to the people outside the majority of their leaf, if it went.

        One fewer where it is outside now, one more where the label is not the majority of those to whom it goes.
        """
        if self.labels is None:
            return np.zeros(len(rows), np.int64)
        labels = self.labels.codes[rows]
        here, there = self._majority(rows), self._majority(left)
        costs: Int64s = (labels != there).astype(np.int64) - (labels != here)
        return costs

    def _majority(self, rows: Rows) -> int:
        assert self.labels is not None
        return int(np.bincount(self.labels.codes[rows], self._weights(rows)).argmax())


def refined(leaves: Sequence[Leaf], judge: Judge, *, only_lowest: bool) -> list[Leaf]:
    """Leaves divided by the numbers that they show, as long as both halves satisfy the requirement."""
    above = {id(place) for leaf in leaves for place in _above(leaf)} if only_lowest else set()
    made: list[Leaf] = []
    waiting = list(reversed(leaves))
    while waiting:
        leaf = waiting.pop()
        may = judge.people(leaf.rows) >= 2 * judge.k and not any(id(place) in above for place in leaf.places)
        halves = _halves(leaf, judge) if may else None
        if halves is None:
            made.append(leaf)
        else:
            waiting.extend(reversed(halves))
    return made


def _halves(leaf: Leaf, judge: Judge) -> tuple[Leaf, Leaf] | None:
    """A leaf in two parts, as equal as can be, by the number that spreads most: of all that the column has."""
    from kspan.kernels.routes import divide_at, middle_cut  # loading compiled code takes a moment

    table = judge.table
    weights = NO_WEIGHTS if table.weights is None else table.weights
    ways: list[tuple[float, int, str]] = []
    for name, runs in leaf.path.items():
        column = table[name]
        if name in judge.numeric and len(runs) == 1 and runs[0][0] != column.missing and runs[0][1] - runs[0][0] > 1:
            spread, cut, fewer = middle_cut(column.codes, leaf.rows, weights)
            if fewer >= judge.k:
                ways.append((-spread / len(column.values), cut, name))
    for _, cut, name in sorted(ways, key=lambda way: way[::2]):
        rows = leaf.rows.copy()
        below = divide_at(table[name].codes, rows, cut)
        first, end = leaf.path[name][0]
        if judge.only_k or all(judge.holds([rows[:below], rows[below:]])):
            return (
                replace(leaf, path={**leaf.path, name: ((first, cut + 1),)}, rows=rows[:below]),
                replace(leaf, path={**leaf.path, name: ((cut + 1, end),)}, rows=rows[below:]),
            )
    return None


class Cells:
    """What a leaf shows of an attribute."""

    def __init__(self, table: Table, show: Show, numeric: set[str]) -> None:
        self.table, self.show, self.numeric = table, show, numeric

    def cell(self, name: str, leaf: Leaf) -> str | None:
        """A value, a set of values, or what is shown of a number; `*` if it was not asked; None if it is missing.

        Sets and intervals depend on the way to the leaf alone, not on who happens to be there.
        """
        if name not in leaf.path:
            return SUPPRESSED
        column, runs = self.table[name], leaf.path[name]
        if runs[0][0] == column.missing:
            return None
        in_a_row = len(runs) == 1
        if in_a_row and runs[0][1] == runs[0][0] + 1:
            return column.label(runs[0][0])
        if name in self.numeric and self.show == "median":
            return column.label(self._middle(column, leaf.rows))
        if name in self.numeric and self.show == "mean":
            return self._mean(column, runs, leaf.rows)
        if name in self.numeric and in_a_row:
            return write_interval(*_ends(column, *runs[0]))
        return write_set(column.label(code) for first, end in runs for code in range(first, end))

    def _middle(self, column: Column, rows: Rows) -> int:
        """The code of the person in the middle, of two the lower one."""
        codes = column.codes[rows]
        if self.table.weights is None:
            middle = (len(codes) - 1) // 2
            return int(np.partition(codes, middle)[middle])
        order = np.argsort(codes, kind="stable")
        people = np.cumsum(self.table.weights[rows[order]])
        return int(codes[order[np.searchsorted(people, (people[-1] + 1) // 2)]])

    def _mean(self, column: Column, runs: Runs, rows: Rows) -> str:
        """With few digits, but as many as it takes to stay between the ends."""
        weights = None if self.table.weights is None else self.table.weights[rows]
        exact = float(np.average(column.values[column.codes[rows]].astype(np.float64), weights=weights))
        low, high = float(column.values[runs[0][0]]), float(column.values[runs[-1][1] - 1])
        rounded = (float(f"{exact:.{digits}g}") for digits in range(MEAN_DIGITS, 18))
        return number_text(next((mean for mean in rounded if low <= mean <= high), min(max(exact, low), high)))


def released(leaves: Sequence[Leaf], table: Table, policy: Policy, cells: Cells) -> tuple[Partition, Int64s]:
    """The leaves as groups in the order of what they show, the same in one, and the group of each leaf."""
    seen = shown_by(leaves, table, policy, cells)
    group_of_leaf, groups = group_rows([each.column for each in seen.values()], len(leaves))
    example = np.empty(groups, np.int64)
    example[group_of_leaf] = np.arange(len(leaves))
    group = np.full(table.rows, WITHHELD, np.int64)
    for leaf, at in zip(leaves, group_of_leaf.tolist(), strict=True):
        group[leaf.rows] = at
    of_groups = {
        name: Shown(each.code[example], replace(each.column, codes=each.column.codes[example]))
        for name, each in seen.items()
    }
    return Partition(group, groups, of_groups), group_of_leaf


def shown_by(leaves: Sequence[Leaf], table: Table, policy: Policy, cells: Cells) -> dict[str, Shown]:
    """What each leaf shows of the public attributes."""
    each = np.arange(len(leaves))
    return {name: shown(table[name], each, [cells.cell(name, leaf) for leaf in leaves]) for name in policy.public}


def _above(leaf: Leaf) -> list[Place]:
    """All places above those of a leaf."""
    found: list[Place] = []
    for place in leaf.places:
        above = place.parent
        while above is not None:
            found.append(above)
            above = above.parent
    return found


def _ends(column: Column, first: int, end: int) -> tuple[Any, Any]:
    """The lowest and the highest number of a run of codes; a declared domain goes on where the numbers end."""
    low, high = column.values[first], column.values[end - 1]
    domain = column.domain
    if domain is not None and domain.low is not None and first == 0:
        low = min(low, domain.low)
    if domain is not None and domain.high is not None and end == len(column.values):
        high = max(high, domain.high)
    return low, high
