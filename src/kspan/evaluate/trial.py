"""People to learn from, and others to be predicted by what was learned."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl

from kspan.data.arrays import Codes, Int64s
from kspan.data.encode import encode
from kspan.errors import DataError, check_number
from kspan.evaluate.agreement import accuracy
from kspan.evaluate.truth import known_labels, labels_like, narrowed, target_column
from kspan.induce.methods import learn_labels
from kspan.model.models import Model
from kspan.model.predict import predicted
from kspan.policy import Policy


@dataclass(frozen=True, repr=False)
class Trial:
    """A table in two parts, each label spread over both alike."""

    policy: Policy
    """Reads labels in both parts as they are read in the whole table."""
    known: pl.DataFrame
    """The people to learn from."""
    asked: pl.DataFrame
    """The people to be predicted, without their labels."""
    truth: pl.Series
    """Their labels."""
    weights: Int64s | None
    """How many people each row of them stands for."""
    floor: float
    """The accuracy of always saying the commonest label of those to learn from."""

    @classmethod
    def of(cls, frame: pl.DataFrame, policy: Policy, tested: float, *, rng: np.random.Generator) -> Self:
        """The table in two parts by chance; of every label a share, `tested`, is to be predicted."""
        check_number("tested", tested, low=0.01, high=0.99)
        labels = target_column(frame, policy, "the table")
        rows, others = parted(labels.codes, tested, rng=rng)
        if not len(others):
            raise DataError("there are too few people to leave some out and predict them: add people, or test more")
        policy = labels_like(policy, labels)
        truth = known_labels(frame[others], policy, "the table")
        weights = encode(frame, policy, []).weights
        theirs = None if weights is None else weights[others]
        often = np.bincount(labels.codes[rows], None if weights is None else weights[rows])
        guess = pl.Series([labels.label(int(often.argmax()))]).new_from_index(0, len(others))
        asked = frame[others].drop(labels.name)
        return cls(policy, frame[rows], asked, truth, theirs, accuracy(guess, truth, theirs))

    @property
    def people(self) -> int:
        """How many people are to be predicted."""
        return self.asked.height if self.weights is None else int(self.weights.sum())

    def taught(self, table: pl.DataFrame, learner: str, options: Mapping[str, Any]) -> float:
        """The accuracy of what a learner makes of a table, raw or released."""
        policy = narrowed(self.policy, table.columns)
        return self.accuracy_of(learn_labels(table.select(policy.columns), policy, learner, **options))

    def accuracy_of(self, model: Model) -> float:
        """The share of people whose label a model predicts right."""
        labels = predicted(model, self.asked)[f"predicted: {self.policy.target}"]
        return accuracy(labels, self.truth, self.weights)


def parted(labels: Codes, tested: float, *, rng: np.random.Generator) -> tuple[Int64s, Int64s]:
    """Rows to learn from and rows to be predicted: of each label that share, but never all.

    >>> known, asked = parted(np.array([0, 0, 0, 1, 0, 0, 0]), 0.5, rng=np.random.default_rng(0))
    >>> len(known), len(asked), 3 in known
    (4, 3, True)
    """
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    sizes = np.bincount(labels)
    place_in_label = np.arange(len(labels)) - np.repeat(sizes.cumsum() - sizes, sizes)
    asked = place_in_label < np.repeat(np.floor(sizes * tested), sizes)
    return np.sort(order[~asked]), np.sort(order[asked])
