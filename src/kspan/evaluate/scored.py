"""Answers to people who were not learned from, held against the truth row by row, beside a guess."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl

from kspan.data.arrays import Floats, Int64s
from kspan.evaluate.agreement import text_labels
from kspan.evaluate.errors import apart, mean_of
from kspan.evaluate.learners import Taught
from kspan.evaluate.trial import Trial
from kspan.model.predict import NumberPredictor, predicted
from kspan.model.predictor import Predictor


@dataclass(frozen=True, repr=False)
class Scored:
    """How good answers to some rows of people are, and how good a guess would have been."""

    score: Floats
    """Is a label right? How far is a number off?"""
    guessing: Floats
    """The same of the guess."""
    weight: Floats
    """How many people each row stands for."""
    person: Int64s | None
    guess: str | None = None
    """The label that was guessed, if it is the same everywhere."""
    of_numbers: bool = False
    unit: str | None = None
    """What numbers are off by, such as days."""

    @classmethod
    def of_labels(
        cls, labels: Any, truth: pl.Series, guess: str, weights: Int64s | None, person: Int64s | None
    ) -> Self:
        """Score the labels that were given to people: is each right?"""
        guesses = pl.Series([guess]).new_from_index(0, len(truth))
        right, guessed = (text_labels(given).eq_missing(truth).to_numpy() for given in (labels, guesses))
        return cls(right.astype(np.float64), guessed.astype(np.float64), _weight(truth, weights), person, guess)

    @classmethod
    def of_means(
        cls,
        model: NumberPredictor,
        people: pl.DataFrame,
        truth: Floats,
        guess: float,
        weights: Int64s | None,
        person: Int64s | None,
    ) -> Self:
        """Score the numbers that a model gives people: how far is each off?"""
        off, guessed = apart(model.means(people), truth), apart(guess, truth)
        return cls(off, guessed, _weight(truth, weights), person, of_numbers=True, unit=model.kind.apart)

    @classmethod
    def of_trial(cls, answers: Any, trial: Trial, person: Int64s | None) -> Self:
        """Score what was learned from one part of a table on the other; `answers` is what a learner gave."""
        if isinstance(answers, Taught) and isinstance(answers.model, NumberPredictor):
            return cls.of_means(answers.model, trial.asked, trial.numbers, trial.mean, trial.weights, person)
        return cls.of_labels(answers(trial.asked), trial.truth, trial.guess, trial.weights, person)

    @classmethod
    def of_model(
        cls,
        model: Predictor | NumberPredictor,
        people: pl.DataFrame,
        truth: Any,
        weights: Int64s | None,
        person: Int64s | None,
    ) -> Self:
        """Score a model on a table; the guess is the commonest label of the table, or its mean."""
        if isinstance(model, NumberPredictor):
            return cls.of_means(model, people, truth, mean_of(truth, weights), weights, person)
        often = pl.DataFrame({"label": truth, "people": pl.Series(_weight(truth, weights))})
        guess = often.group_by("label").sum().sort("people", "label", descending=[True, False])["label"][0]
        return cls.of_labels(predicted(model, people)[f"predicted: {model.target}"], truth, guess, weights, person)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Put parts one after the other, in each of which there are other people."""
        score, guessing, weight = (
            np.concatenate([getattr(each, name) for each in parts]) for name in ("score", "guessing", "weight")
        )
        persons = [each.person for each in parts if each.person is not None]
        guesses = {each.guess for each in parts}
        return cls(
            score,
            guessing,
            weight,
            np.concatenate(persons) if persons else None,
            guesses.pop() if len(guesses) == 1 else None,
            parts[0].of_numbers,
            parts[0].unit,
        )

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.weight.sum()) if self.person is None else len(np.unique(self.person))

    @property
    def rows(self) -> int | None:
        """In how many rows, if people have several."""
        return None if self.person is None else len(self.score)

    def mean(self, of: Floats) -> float:
        """The mean over people."""
        return float(np.average(of, weights=self.weight))

    def standard_error(self, of: Floats) -> float:
        """The standard error of a mean; rows of a person are no independent people, people of a row are."""
        away = of - self.mean(of)
        if self.person is None:
            return float(np.sqrt((self.weight * away**2).sum()) / self.weight.sum())
        return float(np.sqrt((np.bincount(self.person, self.weight * away) ** 2).sum()) / self.weight.sum())


def _weight(rows: pl.Series | Floats, weights: Int64s | None) -> Floats:
    return np.ones(len(rows)) if weights is None else weights.astype(np.float64)
