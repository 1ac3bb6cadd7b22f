"""The leaves of a tree that is pruned for a release: who may be seen together, and how they are divided further."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kspan.anonymize.crowds import Crowds
from kspan.anonymize.kactus.routes import Path, Rows, Runs, VisitedNode
from kspan.data.arrays import Bools
from kspan.data.groups import NO_WEIGHTS, Groups, count_values
from kspan.model.partition import WITHHELD


@dataclass(frozen=True, eq=False)
class PrunedLeaf:
    """Rows that will show the same: what was asked on the way to one place, or to several that were merged."""

    path: Path
    rows: Rows
    places: tuple[VisitedNode, ...] = ()


class AllowedTogether:
    """Judges which rows may be shown together."""

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

    def holds_alone(self, leaves: list[PrunedLeaf]) -> bool:
        """Do all leaves satisfy the requirement if all other rows are withheld, and do not count as people?"""
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
            counts = count_values(column, group, len(parts), weights)
            # What was found of the whole column is good for a part of it.
            private[name] = replace(counts, whole=whole, having=self.table[name].having)
        return self.policy.require.holds(Groups(np.array([self.people(part) for part in parts]), private))


def refined(leaves: Sequence[PrunedLeaf], judge: AllowedTogether, *, only_lowest: bool) -> list[PrunedLeaf]:
    """Divide leaves by the numbers that they show, as long as both halves satisfy the requirement.

    If `only_lowest`, leaves above the places of others stay whole.
    """
    above = {id(place) for leaf in leaves for place in places_above(leaf)} if only_lowest else set()
    made: list[PrunedLeaf] = []
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


def _halves(leaf: PrunedLeaf, judge: AllowedTogether) -> tuple[PrunedLeaf, PrunedLeaf] | None:
    """Divide a leaf into two parts, as equal as can be, by the number that spreads most; None if that cannot be done.

    The spread of a number is the share of its column's values that it covers.
    """
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
    # In a tie the names decide, not the cuts.
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


def places_above(leaf: PrunedLeaf) -> list[VisitedNode]:
    """All places above those of a leaf."""
    found: list[VisitedNode] = []
    for place in leaf.places:
        above = place.parent
        while above is not None:
            found.append(above)
            above = above.parent
    return found
