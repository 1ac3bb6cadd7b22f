"""People to learn from, and others to be predicted by what was learned."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl

from kspan.data.arrays import Codes, Int64s
from kspan.data.encode import encode_people
from kspan.errors import DataError, check_number
from kspan.evaluate.agreement import accuracy
from kspan.evaluate.truth import known_labels, labels_like, narrowed, target_column
from kspan.induce.methods import learn_labels
from kspan.model.models import Model
from kspan.model.predict import predicted
from kspan.policy import Policy


@dataclass(frozen=True, repr=False)
class Trial:
    """A table in two parts, one to learn from and one to predict; each label has the same share in both."""

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
        """Divide the table at random; of the people with each label the share `tested` is to be predicted."""
        check_number("tested", tested, low=0.01, high=0.99)
        labels = target_column(frame, policy, "the table")
        table = encode_people(frame, policy, [])
        rows, others = parted(labels.codes, tested, rng=rng, persons=table.persons)
        if not len(others):
            raise DataError("there are too few people to leave some out and predict them: add people, or test more")
        policy = labels_like(policy, labels)
        truth = known_labels(frame[others], policy, "the table")
        weights = table.weights
        theirs = None if weights is None else weights[others]
        often = np.bincount(labels.codes[rows], None if weights is None else weights[rows])
        guess = pl.Series([labels.label(int(often.argmax()))]).new_from_index(0, len(others))
        # Without their labels, so that no model can look at them.
        asked = frame[others].drop(labels.name)
        return cls(policy, frame[rows], asked, truth, theirs, accuracy(guess, truth, theirs))

    @property
    def people(self) -> int:
        """How many people are to be predicted."""
        return self.asked.height if self.weights is None else int(self.weights.sum())

    def taught(self, table: pl.DataFrame, learner: str, options: Mapping[str, Any]) -> float:
        """Return the accuracy of what a learner learns from a table, raw or released."""
        policy = narrowed(self.policy, table.columns)
        return self.accuracy_of(learn_labels(table.select(policy.columns), policy, learner, **options))

    def accuracy_of(self, model: Model) -> float:
        """Return the share of people whose label a model predicts right."""
        labels = predicted(model, self.asked)[f"predicted: {self.policy.target}"]
        return accuracy(labels, self.truth, self.weights)


def parted(
    labels: Codes, tested: float, *, rng: np.random.Generator, persons: Int64s | None = None
) -> tuple[Int64s, Int64s]:
    """Return rows to learn from and rows to predict: of each label the share `tested`, but never all of it.

    All rows of a person are in one part, or a model would be asked about people whom it knows; a person's first label
    counts then.

    >>> known, asked = parted(np.array([0, 0, 0, 1, 0, 0, 0]), 0.5, rng=np.random.default_rng(0))
    >>> len(known), len(asked), 3 in known
    (4, 3, True)
    """
    if persons is not None:
        _, first = np.unique(persons, return_index=True)
        asked = np.isin(persons, parted(labels[first], tested, rng=rng)[1])
        return np.flatnonzero(~asked), np.flatnonzero(asked)
    order = rng.permutation(len(labels))
    # A stable sort keeps the random order inside each label.
    order = order[np.argsort(labels[order], kind="stable")]
    sizes = np.bincount(labels)
    place_in_label = np.arange(len(labels)) - np.repeat(sizes.cumsum() - sizes, sizes)
    # Rounded down, so that the only person with a label is learned from.
    asked = place_in_label < np.repeat(np.floor(sizes * tested), sizes)
    return np.sort(order[~asked]), np.sort(order[asked])
