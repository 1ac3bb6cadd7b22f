"""Gradient boosting as it is written: trees whose leaves add to the score of a label."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from kspan.data.arrays import Floats
from kspan.model.bayes.model import softmax
from kspan.model.boosted.numbered import Numbered
from kspan.model.function.grown import Grown, Trees


@dataclass(frozen=True)
class Question:
    """A node that asks: is the number of an attribute at most this?"""

    attribute: int
    at_most: float
    missing_left: bool
    """Where those go of whom the number is not known."""
    left: int
    right: int


@dataclass(frozen=True)
class BoostedTree:
    """One tree; its first node is the root, and children come after their parents. A leaf is what it adds."""

    label: int
    """The label whose score its leaves add to."""
    nodes: tuple[Question | float, ...]

    @cached_property
    def adds(self) -> Floats:
        """What each node adds; questions add nothing."""
        return np.array([0.0 if isinstance(node, Question) else node for node in self.nodes])

    @cached_property
    def grown(self) -> Grown:
        """The same as arrays."""
        leaf = Question(0, 0.0, False, -1, -1)
        nodes = [node if isinstance(node, Question) else leaf for node in self.nodes]
        return Grown(
            np.array([node.left for node in nodes], np.int64),
            np.array([node.right for node in nodes], np.int64),
            np.array([node.attribute for node in nodes], np.int64),
            np.array([node.at_most for node in nodes], np.float64),
            np.array([node.missing_left for node in nodes], bool),
            np.arange(len(nodes)),
        )


@dataclass(frozen=True, repr=False)
class Boosted:
    """Scores each label by a start and by what the leaves add that a person comes to; scores become shares."""

    target: str
    labels: tuple[str, ...]
    numbered: Numbered
    start: tuple[float, ...]
    """The score that each label begins with."""
    trees: tuple[BoostedTree, ...]

    def __repr__(self) -> str:
        return f"Boosted({len(self.trees)} trees, {len(self.labels)} labels, target {self.target!r})"

    @property
    def tells_shares(self) -> bool:
        """It tells how likely the labels are."""
        return True

    @cached_property
    def forest(self) -> Trees:
        """The trees as arrays, as those of other libraries are."""
        return Trees(tuple(tree.grown for tree in self.trees), np.float64, knows_rows=False)

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, raw or released, the share of each label; `range_pattern` says how ranges are written."""
        row, numbers = self.numbered.copies(people, range_pattern)
        shares = self.of_numbers(numbers)
        sums = np.zeros((people.height, len(self.labels)))
        np.add.at(sums, row, shares)
        return sums / np.bincount(row, minlength=people.height)[:, None]

    def of_numbers(self, numbers: Floats) -> Floats:
        """For each row of numbers, the share of each label."""
        from kspan.kernels.forests import followed  # loading compiled code takes a moment

        scores = np.repeat(np.array(self.start)[None, :], len(numbers), axis=0)
        ends = np.empty(len(numbers), np.int64)
        numbers = np.ascontiguousarray(numbers)
        for tree in self.trees:
            grown = tree.grown
            followed(numbers, grown.left, grown.right, grown.feature, grown.threshold, grown.missing_left, ends)
            scores[:, tree.label] += tree.adds[ends]
        return softmax(scores)
