"""The people of each path, class by class, where earlier releases tell people apart (see `kspan.induce.known`)."""

from dataclasses import dataclass

import numpy as np

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, tally
from kspan.data.table import Table
from kspan.errors import PolicyError
from kspan.induce.atp.path_measure import PathMeasure
from kspan.induce.tree.recount import label_places, sent_down
from kspan.model.tree.model import Tree
from kspan.privacy import Requirement


@dataclass(frozen=True, repr=False)
class KnownPeople:
    """Everybody in a table, and the class of each row that anybody can tell already; classes have no gaps."""

    table: Table
    known: Int64s

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.known.max(initial=0)) + 1

    def breaking(self, tree: Tree, requirement: Requirement) -> int:
        """How many people are in classes that break a requirement on the labels of a tree by themselves."""
        counts = ClassCounts.of(tree, self).by_class(np.zeros(1, np.int64), np.zeros(1, np.int64), 1)[1]
        good = PathMeasure(tree, requirement, estimated=False).holds(counts)
        return int(counts[~good].sum())


class ClassCounts:
    """How many people of each class and label come to each node of a tree that is pruned; nodes as in `Branches`."""

    def __init__(self, keys: list[Int64s], people: list[Int64s], classes: int, labels: int) -> None:
        self.keys, self.people = keys, people
        """For each node the pairs of class and label that occur there, as one number, and the people of each."""
        self.classes, self.labels = classes, labels

    @classmethod
    def of(cls, tree: Tree, people: KnownPeople) -> "ClassCounts":
        """Send everybody down a tree; refuse one whose people do not all go one way."""
        table, labels = people.table, len(tree.labels)
        label = label_places(tree, table)
        weights = NO_WEIGHTS if table.weights is None else table.weights
        made = cls([], [], people.classes, labels)
        for node, rows in sent_down(tree, table):
            key = people.known[rows] * labels + label[rows]
            keys, counts, _ = tally(key, people.classes * labels, weights[rows] if len(weights) else weights)
            if not np.array_equal(np.bincount(keys % labels, counts, labels), node.counts):
                raise PolicyError(
                    "what earlier releases tell (known) cannot be kept where people go down several branches: fill "
                    "missing cells, or learn with method ldm"
                )
            made.keys.append(keys)
            made.people.append(counts)
        return made

    def hold(self, measure: PathMeasure, *members: Int64s) -> Bools:
        """Which paths satisfy what is asked in every class; path i has the people of node i of all `members`."""
        number = len(members[0])
        nodes, path = np.concatenate(members), np.tile(np.arange(number), len(members))
        owner, counts = self.by_class(nodes, path, number)
        held = np.ones(number, bool)
        held[owner[~measure.holds(counts)]] = False
        return held

    def by_class(self, nodes: Int64s, path: Int64s, number: int) -> tuple[Int64s, Floats]:
        """The people of each class on each of some paths, by label, where `path` has the people of `nodes`.

        Returns also the path of each.
        """
        keys, people = (np.concatenate([of[node] for node in nodes.tolist()]) for of in (self.keys, self.people))
        width = self.classes * self.labels
        there = np.repeat(path, [len(self.keys[node]) for node in nodes.tolist()]) * width + keys
        distinct, total, _ = tally(there, number * width, people)
        group, place = np.unique(distinct // self.labels, return_inverse=True)
        counts = np.zeros((len(group), self.labels))
        counts[place, distinct % self.labels] = total
        return group // self.classes, counts

    def unite(self, first: int, second: int) -> None:
        """Let a node take in the people of another."""
        key = np.concatenate([self.keys[first], self.keys[second]])
        people = np.concatenate([self.people[first], self.people[second]])
        self.keys[first], self.people[first], _ = tally(key, self.classes * self.labels, people)
