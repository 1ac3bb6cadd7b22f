"""Trees that vote: bagging of the trees that several owners published (Tian et al., Sect. 6.3)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from kspan.data.arrays import Floats
from kspan.errors import ModelError
from kspan.model.questions import answers
from kspan.model.tree.model import Attribute, Tree

EDGE = 1e-9
"""The share of all votes that is moved to the winner of a tie, so that it is the likeliest label."""


@dataclass(frozen=True, repr=False)
class Committee:
    """Trees for one target, with one vote each; a tie goes to the label that the trees find likeliest on average."""

    trees: tuple[Tree, ...]

    def __post_init__(self) -> None:
        if not self.trees:
            raise ModelError("a committee needs at least one tree to vote")
        measured: dict[str, bool] = {}
        for tree in self.trees:
            tree.check_labels("a committee that votes")
            if tree.target != self.target:
                raise ModelError(f"the trees predict {self.target!r} and {tree.target!r}: all must have one target")
            for attribute in tree.attributes:
                if attribute.name == self.target:
                    raise ModelError(f"the target {self.target!r} is an attribute of one of the trees: leave it out")
                if measured.setdefault(attribute.name, attribute.is_measured) != attribute.is_measured:
                    raise ModelError(
                        f"the attribute {attribute.name!r} is numeric in one tree and categorical in another"
                    )

    def __repr__(self) -> str:
        trees = "1 tree" if len(self.trees) == 1 else f"{len(self.trees)} trees"
        return f"Committee({trees}, target {self.target!r})"

    @property
    def target(self) -> str:
        """The column that it predicts."""
        return self.trees[0].target

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels it may predict: all that any of its trees knows, in the order of the trees."""
        return tuple(dict.fromkeys(label for tree in self.trees for label in tree.labels))

    @property
    def tells_shares(self) -> bool:
        """It tells which share of its trees votes for each label."""
        return True

    def of_people(self, people: pl.DataFrame, range_pattern: str | None = None) -> Floats:
        """For each row, the share of the trees that vote for each label."""
        table = answers(self._asked, people, range_pattern)
        place = {label: number for number, label in enumerate(self.labels)}
        votes, likely = np.zeros((2, people.height, len(place)))
        rows = np.arange(people.height)
        for tree in self.trees:
            own = np.array([place[label] for label in tree.labels])
            shares = tree.shares(table, range_pattern)
            votes[rows, own[shares.argmax(axis=1)]] += 1
            likely[:, own] += shares
        tied = votes == votes.max(axis=1, keepdims=True)
        # Only tied labels compete: -1 is below any sum of shares.
        winner = np.where(tied, likely, -1.0).argmax(axis=1)
        votes /= len(self.trees)
        undecided = np.flatnonzero(tied.sum(axis=1) > 1)
        # All labels give up a part, which the winner gets: the sum stays 1.
        votes[undecided] *= 1 - EDGE
        votes[undecided, winner[undecided]] += EDGE
        return votes

    @cached_property
    def _asked(self) -> list[Attribute]:
        """Every attribute that some tree asks about, each once."""
        asked: dict[str, Attribute] = {}
        for tree in self.trees:
            for node in tree.nodes():
                if node.attribute is not None:
                    asked.setdefault(tree.attributes[node.attribute].name, tree.attributes[node.attribute])
        return list(asked.values())
