"""People to learn from, and others to be predicted by what was learned."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl

from kspan.data.arrays import Codes, Floats, Int64s
from kspan.data.encode import encode_people
from kspan.data.table import Column
from kspan.errors import DataError, check_number
from kspan.evaluate.agreement import accuracy
from kspan.evaluate.errors import Errors, mean_of
from kspan.evaluate.truth import labels_like, narrowed, target_column
from kspan.induce.methods import learn_labels
from kspan.model.models import Model
from kspan.model.predict import NumberPredictor, predicted
from kspan.policy import Policy
from kspan.policy.values import check_occurs, named_values, of_some

MOST_DRAWN = 10**9
"""From so many people on each is drawn by a chance of their own, so that about as many are drawn as are to be."""


@dataclass(frozen=True, repr=False)
class Part:
    """Some rows of a table, and how many people of each are meant; None if every row is one."""

    rows: Int64s
    weights: Int64s | None = None

    @classmethod
    def of(cls, people: Int64s) -> Self:
        """The rows of which there are people, and how many of each."""
        rows = np.flatnonzero(people)
        return cls(rows, people[rows])


@dataclass(frozen=True, repr=False)
class Trial:
    """A table in two parts, one to learn from and one to predict."""

    policy: Policy
    """Reads labels in both parts as they are read in the whole table, and limits no value that nobody known has."""
    known: pl.DataFrame
    """The people to learn from."""
    asked: pl.DataFrame
    """The people to be predicted, without their labels."""
    target: Column
    """The labels, or numbers, of all people."""
    learned: Part
    """Who is learned from."""
    predicted: Part
    """Who is to be predicted."""

    @classmethod
    def of(
        cls, frame: pl.DataFrame, policy: Policy, tested: float, *, rng: np.random.Generator, measured: bool = False
    ) -> "Trial":
        """Divide the table at random; of the people with each label the share `tested` is to be predicted."""
        check_number("tested", tested, low=0.01, high=0.99)
        people = Labelled.of(frame, policy, measured=measured)
        if people.weights is not None and people.persons is None:
            asked = people.drawn(tested, rng)
            known, others = (Part.of(some) for some in (people.weights - asked, asked))
        else:
            parts = parted(people.labels.codes, tested, rng=rng, persons=people.persons)
            known, others = (Part(some, None if people.weights is None else people.weights[some]) for some in parts)
        if not len(others.rows):
            raise DataError("there are too few people to leave some out and predict them: add people, or test more")
        return people.trial(known, others)

    @property
    def weights(self) -> Int64s | None:
        """How many people each row to be predicted stands for."""
        return self.predicted.weights

    @property
    def people(self) -> int:
        """How many people are to be predicted."""
        return self.asked.height if self.weights is None else int(self.weights.sum())

    @cached_property
    def truth(self) -> pl.Series:
        """The labels of those to be predicted."""
        return self._labels[self.target.codes[self.predicted.rows]]

    @cached_property
    def guess(self) -> str:
        """The commonest label of those to learn from."""
        often = np.bincount(self.target.codes[self.learned.rows], self.learned.weights)
        label: str = self._labels[int(often.argmax())]
        return label

    @property
    def numbers(self) -> Floats:
        """The numbers of those to be predicted; refuse a target that is no number for somebody."""
        return self._numbers(self.predicted)

    @property
    def mean(self) -> float:
        """The mean of those to learn from."""
        return mean_of(self._numbers(self.learned), self.learned.weights)

    def _numbers(self, part: Part) -> Floats:
        self.target.check_measured_for_all()
        found: Floats = self.target.values.astype(np.float64)[self.target.codes[part.rows]]
        return found

    @property
    def _labels(self) -> pl.Series:
        names = [self.target.label(code) for code in range(self.target.size)]
        return pl.Series(names, dtype=pl.String)

    @property
    def floor(self) -> float:
        """The accuracy of always saying the commonest label of those to learn from."""
        return accuracy(pl.Series([self.guess]).new_from_index(0, self.asked.height), self.truth, self.weights)

    def taught(self, table: pl.DataFrame, learner: str, options: Mapping[str, Any]) -> float:
        """Return the accuracy of what a learner learns from a table, raw or released."""
        policy = narrowed(self.policy, table.columns)
        return self.accuracy_of(learn_labels(table.select(policy.columns), policy, learner, **options))

    def accuracy_of(self, model: Model) -> float:
        """Return the share of people whose label a model predicts right."""
        labels = predicted(model, self.asked)[f"predicted: {self.policy.target}"]
        return accuracy(labels, self.truth, self.weights)

    def errors_of(self, model: NumberPredictor) -> Errors:
        """Return how far a model is off, beside the mean of those to learn from."""
        return Errors.of(model.means(self.asked), self.numbers, self.mean, self.weights)


@dataclass(frozen=True, repr=False)
class Labelled:
    """People whose labels are known, so that some can be learned from and others be predicted."""

    frame: pl.DataFrame
    policy: Policy
    labels: Column
    weights: Int64s | None
    """How many people each row stands for."""
    persons: Int64s | None
    """The person of every row, if people have several."""

    @classmethod
    def of(cls, frame: pl.DataFrame, policy: Policy, *, measured: bool = False) -> Self:
        """Read the labels of a table; refuse one in which somebody has none, or nobody a value that is limited.

        If the target is to be `measured`, dates are numbers, and not labels.
        """
        labels = target_column(frame, policy, "the table", measured=measured)
        table = encode_people(frame, policy, list(dict.fromkeys(name for _, name, _ in named_values(policy.require))))
        check_occurs(policy.require, table, policy)
        return cls(frame, labels_like(policy, labels), labels, table.weights, table.persons)

    @property
    def people(self) -> int:
        """How many people there are."""
        if self.persons is not None:
            return int(self.persons.max()) + 1
        return self.frame.height if self.weights is None else int(self.weights.sum())

    def trial(self, known: Part, asked: Part) -> Trial:
        """Return the trial of learning from one part and predicting another."""
        others = self._rows(known)
        # Without their labels, so that no model can look at them.
        questions = self._rows(asked).drop(self.labels.name)
        return Trial(self._for(others), others, questions, self.labels, known, asked)

    def dealt(self, hands: int, rng: np.random.Generator) -> Int64s:
        """Deal people out like cards, label by label, and return how many of each row (across) each hand gets (down).

        So hands differ by one person at most, of each label as well. All rows of a person go to one hand, or a model
        would be asked about people whom it knows; a person's first label counts then.

        >>> people = pl.DataFrame({"n": [40, 1, 1], "ill": ["no", "yes", "yes"]})
        >>> policy = Policy(public=[], target="ill", weight="n", require="k=1")
        >>> Labelled.of(people, policy).dealt(2, np.random.default_rng(0)).sum(axis=0).tolist()
        [21, 21]
        """
        if self.persons is not None:
            _, first = np.unique(self.persons, return_index=True)
            hand = _dealt(self.labels.codes[first], np.ones(len(first), np.int64), hands, rng)[self.persons]
            return hand if self.weights is None else hand * self.weights[:, None]
        weights = np.ones(self.frame.height, np.int64) if self.weights is None else self.weights
        return _dealt(self.labels.codes, weights, hands, rng)

    def drawn(self, share: float, rng: np.random.Generator) -> Int64s:
        """Return how many people of each row are in a share of all, but never all who have a label."""
        assert self.weights is not None
        drawn = np.zeros(len(self.weights), np.int64)
        for rows in _rows_by_label(self.labels.codes):
            weights = self.weights[rows]
            drawn[rows] = at_random(weights, int(np.floor(weights.sum() * share)), rng)
        return drawn

    def _rows(self, part: Part) -> pl.DataFrame:
        """The rows of a part, which say how many people of it each stands for."""
        rows = self.frame[part.rows]
        if part.weights is None or self.policy.weight is None:
            return rows
        return rows.with_columns(pl.Series(self.policy.weight, part.weights))

    def _for(self, people: pl.DataFrame) -> Policy:
        """The policy for some of the people, among whom nobody may have a value that it limits."""
        names = list(dict.fromkeys(name for _, name, _ in named_values(self.policy.require)))
        if not names:
            return self.policy
        table = encode_people(people, self.policy, names)
        return replace(self.policy, require=of_some(self.policy.require, table, self.policy))


def _dealt(labels: Codes, weights: Int64s, hands: int, rng: np.random.Generator) -> Int64s:
    if (weights == 1).all():
        order = _by_label(labels, rng)
        dealt = np.zeros((len(labels), hands), np.int64)
        dealt[order, np.arange(len(labels)) % hands] = 1
        return dealt
    dealt, before = np.empty((len(labels), hands), np.int64), 0
    for rows in _rows_by_label(labels):
        left = weights[rows]
        until = before + int(left.sum())
        for hand in range(hands - 1):
            # As many as a dealer gives this hand, who goes on where the label before has ended.
            number = (until - hand - 1) // hands - (before - hand - 1) // hands
            dealt[rows, hand] = at_random(left, number, rng)
            left = left - dealt[rows, hand]
        dealt[rows, -1], before = left, until
    return dealt


def at_random(weights: Int64s, number: int, rng: np.random.Generator) -> Int64s:
    """Draw a number of people from rows that stand for several, and return how many of each row are drawn.

    They are not divided evenly: each part would then tell of the other what is so by chance alone.
    """
    everybody = int(weights.sum())
    if everybody < MOST_DRAWN:
        return rng.multivariate_hypergeometric(weights, min(number, everybody), method="marginals")
    return rng.binomial(weights, min(number / everybody, 1.0))


def _rows_by_label(labels: Codes) -> list[Int64s]:
    """Return the rows of each label that somebody has."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order].astype(np.int64))) + 1)


def _by_label(labels: Codes, rng: np.random.Generator) -> Int64s:
    """Return the rows label by label, in random order inside each."""
    order = rng.permutation(len(labels))
    # A stable sort keeps the random order inside each label.
    return order[np.argsort(labels[order], kind="stable")]


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
    order = _by_label(labels, rng)
    sizes = np.bincount(labels)
    place_in_label = np.arange(len(labels)) - np.repeat(sizes.cumsum() - sizes, sizes)
    # Rounded down, so that the only person with a label is learned from.
    asked = place_in_label < np.repeat(np.floor(sizes * tested), sizes)
    return np.sort(order[~asked]), np.sort(order[asked])
