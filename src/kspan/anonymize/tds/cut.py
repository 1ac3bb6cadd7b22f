"""A cut through the hierarchies of the public attributes, the same for all rows, and the steps that specialize it."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from kspan.anonymize.cells import shown
from kspan.anonymize.crowds import Crowds
from kspan.anonymize.tds.taxonomy import Children, Seen, TaxonomyNode, taxonomy
from kspan.data.arrays import Int64s
from kspan.data.groups import NO_WEIGHTS, Groups, count_groups, count_values, group_rows, runs, tally
from kspan.data.table import Table
from kspan.model.partition import Partition, Shown

SAME = 1e-10
"""Scores that differ by no more than this share of them are equal: rounding must not decide."""


class Cut:
    """One cut per public attribute, the groups of rows that it makes, and the specializations that are left.

    A key is a code, numbered through all attributes. A node goes by the key of its first code, and so does the
    specialization of the node. Where values are disclosed one by one, the disclosure of each goes by the value's key.
    """

    def __init__(self, crowds: Crowds, target: str, *, disclose: bool) -> None:
        table, columns = crowds.table, crowds.columns
        self.crowds = crowds
        self.weights = NO_WEIGHTS if table.weights is None else table.weights.copy()
        self.taxonomies = [
            taxonomy(column, Seen.of(column, table[target], table), disclose=disclose) for column in columns
        ]
        self.begin = np.cumsum([0, *(column.size for column in columns)])
        number = int(self.begin[-1])
        self.keys = np.empty((table.rows, len(columns)), np.min_scalar_type(number))
        for place, column in enumerate(columns):
            np.add(column.codes, self.begin[place], out=self.keys[:, place], casting="unsafe")
        self.nodes: dict[int, TaxonomyNode] = {}
        self.ways: dict[int, list[Children]] = {}
        """The ways in which each node may still be specialized; the first one is being considered."""
        self.node_of = np.zeros(number, np.int32)
        self.part_of = np.arange(number, dtype=np.int32)
        """For each key, the part that it would be in if its node were specialized, by the first key of that part."""
        self.gain = np.zeros(number)
        self.after = np.full(number, np.iinfo(np.int64).max)
        """The smallest part into which each specialization would divide a group."""
        self.one_by_one = np.repeat([each.one_by_one for each in self.taxonomies], np.diff(self.begin))
        self.possible = self.one_by_one & np.concatenate([each.disclosable for each in self.taxonomies])
        self.asked = np.zeros(number, bool)
        """The nodes that some possible specialization divides."""
        self.room = np.zeros(number, np.int64)
        """Room for the kernels to count in, which leave it full of zeros."""
        self.smallest = table.people
        # There are never more groups than rows, nor than crowds of k people.
        self._one_group(min(table.rows, table.people // crowds.k))

    def _one_group(self, most: int) -> None:
        """Begin with one group of everybody, which shows the tops; there will be at most `most` groups."""
        self.number = 1
        self.rows = np.arange(self.crowds.rows, dtype=np.int32)
        self.start, self.end = np.zeros(most, np.int64), np.zeros(most, np.int64)
        self.end[0] = self.crowds.rows
        self.cell = np.empty((most, len(self.taxonomies)), np.int32)
        for attribute, each in enumerate(self.taxonomies):
            top = each.top()
            self.cell[0, attribute] = self.begin[attribute] + top.first
            self._add(attribute, top)
        self._count(np.zeros(1, np.int64), np.arange(len(self.taxonomies)))

    def best(self) -> int | None:
        """The valid and beneficial specialization of the highest score, or None if none is left."""
        self._refuse_small()
        possible = np.flatnonzero(self.possible)
        if not len(possible):
            return None
        # InfoGain over AnonyLoss + 1; the latter is how much smaller the smallest group would be.
        loss = self.smallest - np.minimum(self.after[possible], self.smallest)
        score = self.gain[possible] / (loss + 1)
        equal = np.flatnonzero(score >= score.max() * (1 - SAME))
        return int(possible[equal[np.argmin(loss[equal])]])

    def holds_after(self, key: int) -> bool:
        """Does every group that a specialization makes hold? That it is large enough is known."""
        if self.crowds.only_k:
            return True
        attribute, children = self._children(key)
        groups, column = self._groups_with(key, attribute), self.crowds.columns[attribute]
        lengths = self.end[groups] - self.start[groups]
        rows = self.rows[runs(self.start[groups], lengths)].astype(np.int64)
        part = np.zeros(column.size, np.int64)
        for place, child in enumerate(children):
            part[child.codes] = place
        pairs = np.repeat(np.arange(len(groups)) * len(children), lengths) + part[column.codes[rows]]
        distinct, _, group = tally(pairs, len(groups) * len(children), NO_WEIGHTS, locate=True)
        return bool(self.crowds.policy.require.holds(self._people(rows, group, len(distinct))).all())

    def specialize(self, key: int) -> None:
        """Replace a node by its children in the cut, and divide the groups that have it."""
        from kspan.kernels import tds as kernels  # loading compiled code takes a moment

        attribute, children = self._children(key)
        groups = self._groups_with(key, attribute)
        for child in children:
            self._add(attribute, child)
        before = self.number
        self.number, smallest = kernels.divide_groups(
            groups, attribute, self.keys, self.weights, self.rows, self.start, self.end, self.cell, self.node_of,
            self.number, self.room,
        )  # fmt: skip
        self.smallest = min(self.smallest, smallest)
        changed = np.concatenate([groups, np.arange(before, self.number)])
        everything = np.arange(len(self.taxonomies))
        if self.one_by_one[key]:
            # Each other value has as many people in its group as before, and these were counted. As long as no value
            # can have more than half of a group, they are the smaller part, so there is nothing new to count.
            known = self.end[changed] - self.start[changed] >= 2 * self.taxonomies[attribute].seen.most
            self._count(changed[known], everything[everything != attribute])
            changed = changed[~known]
        self._count(changed, everything)

    def refuse(self, key: int) -> None:
        """Give up a specialization for good, since groups only get smaller; its node may have another way."""
        self.possible[key] = False
        if not self.one_by_one[key]:
            self.ways[key].pop(0)
            attribute = self._attribute(key)
            self._consider(attribute, key)
            self._count(self._groups_with(key, attribute), np.array([attribute]))

    def partition(self) -> Partition:
        """The groups with the cells that they show, in the order of their cells."""
        made = []
        for attribute, column in enumerate(self.crowds.columns):
            keys, code = np.unique(self.cell[: self.number, attribute], return_inverse=True)
            cells = [self.taxonomies[attribute].cell(self.nodes[key]) for key in keys.tolist()]
            made.append(shown(column, code, cells))
        place, number = group_rows([each.column for each in made], self.number)
        example = np.empty(number, np.int64)
        example[place] = np.arange(self.number)
        order = np.argsort(self.start[: self.number])
        group = np.empty(self.crowds.rows, np.int64)
        group[self.rows] = np.repeat(place[order], (self.end - self.start)[order])
        cells_of = {
            each.column.name: Shown(each.code[example], replace(each.column, codes=each.column.codes[example]))
            for each in made
        }
        return Partition(group, number, cells_of)

    def _attribute(self, key: int) -> int:
        return int(np.searchsorted(self.begin, key, side="right")) - 1

    def _keys(self, node: int) -> Int64s:
        keys: Int64s = self.begin[self._attribute(node)] + self.nodes[node].codes
        return keys

    def _groups_with(self, key: int, attribute: int) -> Int64s:
        """The groups whose node would be divided."""
        return np.flatnonzero(self.cell[: self.number, attribute] == self.node_of[key])

    def _children(self, key: int) -> tuple[int, Children]:
        """The attribute that a specialization is about, and the nodes that it makes."""
        attribute = self._attribute(key)
        if not self.one_by_one[key]:
            return attribute, self.ways[key][0]
        node, code = self.nodes[int(self.node_of[key])], key - self.begin[attribute]
        others = node.codes[node.codes != code]
        return attribute, (TaxonomyNode(np.array([code])), *([TaxonomyNode(others, node.level)] if len(others) else []))

    def _add(self, attribute: int, node: TaxonomyNode) -> None:
        """Take a node into the cut, and consider its specialization if that is beneficial."""
        names, begin = self.taxonomies[attribute], self.begin[attribute]
        key, keys = int(begin + node.first), begin + node.codes
        self.nodes[key] = node
        if self.node_of[key] != key:  # else the node has only lost codes, and the others have it already
            self.node_of[keys] = key
        beneficial = names.seen.differ(node.codes)
        if names.one_by_one:
            if node.level == 0 or not beneficial:
                self.possible[keys] = False
            told = node.codes[self.possible[keys]]  # what was refused before stays refused
            self.asked[key] = len(told) > 0
            if len(told):
                self.gain[begin + told] = names.seen.gains_alone(told, node.codes)
        else:
            self.ways[key] = list(names.ways(node)) if beneficial else []
            self._consider(attribute, key)

    def _consider(self, attribute: int, key: int) -> None:
        """Let a node be specialized in the next way, if there is one."""
        self.possible[key] = self.asked[key] = bool(self.ways[key])
        if self.ways[key]:
            parts = [child.codes for child in self.ways[key][0]]
            for codes in parts:
                self.part_of[self.begin[attribute] + codes] = self.begin[attribute] + codes[0]
            self.gain[key] = self.taxonomies[attribute].seen.gain(parts)
            self.after[key] = np.iinfo(np.int64).max  # not counted yet

    def _count(self, groups: Int64s, attributes: Int64s) -> None:
        """Lower `after` to how small some groups would become if their nodes of some attributes were specialized.

        What was counted for groups that have been divided since may stay: their parts are no larger.
        """
        from kspan.kernels import tds as kernels

        kernels.smallest_parts(
            groups, attributes, self.keys, self.weights, self.start, self.end, self.cell, self.asked, self.node_of,
            self.part_of, self.one_by_one, self.room, self.after,
        )  # fmt: skip

    def _refuse_small(self) -> None:
        """Refuse whatever would leave a group of fewer than k people."""
        # Again and again, because a node's next way may leave a small group as well.
        while (small := self.possible & (self.after < self.crowds.k)).any():
            self.possible[small & self.one_by_one] = False
            for node in np.unique(self.node_of[small & self.one_by_one]).tolist():
                self.asked[node] = self.possible[self._keys(node)].any()
            for key in np.flatnonzero(small & ~self.one_by_one).tolist():
                self.refuse(key)

    def _people(self, rows: Int64s, group: Int64s, number: int) -> Groups:
        """The people of groups of some rows, to be compared with everybody."""
        table, private = self.crowds.table, self._everybody
        weights = None if table.weights is None else table.weights[rows]
        columns = {name: replace(table[name], codes=table[name].codes[rows]) for name in private}
        groups = count_groups(Table(columns, len(rows), weights), group, number, private)
        counts = {
            name: replace(groups.private[name], whole=whole, having=table[name].having)
            for name, whole in private.items()
        }
        return replace(groups, private=counts)

    @cached_property
    def _everybody(self) -> dict[str, Int64s]:
        """How many people have each private value, of the attributes that the requirement is about."""
        table = self.crowds.table
        weights = NO_WEIGHTS if table.weights is None else table.weights
        together = np.zeros(self.crowds.rows, np.int64)
        return {name: count_values(table[name], together, 1, weights).whole for name in self.crowds.asked}
