"""What the answers of a model to a table of people say of it: something, if it was not learned from them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from kspan.evaluate.agreement import meant_labels, share_right
from kspan.evaluate.errors import Errors, Ruler, explaining, mean_of, numbers_of
from kspan.evaluate.learned_from import learned_from
from kspan.model.kinds import Released
from kspan.model.predict import NumberPredictor, predictors
from kspan.model.predictor import Predictor

NOT_KNOWN = " (a forecast only if it was not learned from them)"


@dataclass(frozen=True)
class Answered:
    """How many people of a table are predicted right, beside guessing, unless the model was learned from them."""

    accuracy: float | None
    """None if the model was learned from these people, since that would be no forecast."""
    guessing: float | None
    """The share of people who have the commonest label of the table."""
    learned_from: bool | None
    """Was the model learned from these people? None if it does not tell."""

    def as_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return asdict(self)

    def __str__(self) -> str:
        if self.learned_from:
            return "It was learned from these people, so how many of them are predicted right is no forecast."
        if self.accuracy is None or self.guessing is None:
            return "None of these people have a label to compare with."
        known = NOT_KNOWN if self.learned_from is None else ""
        guess = f"always guessing the commonest label would be right for {self.guessing:.2%}"
        return f"Of these people {self.accuracy:.2%} are predicted right{known}; {guess}."


@dataclass(frozen=True)
class AnsweredNumbers:
    """How far predicted numbers are off for people of a table, unless the model was learned from them."""

    mean_absolute_error: float | None
    """None if the model was learned from these people, since that would be no forecast."""
    guessing_error: float | None
    """How far the mean of the table is off, on average."""
    explained: float | None
    """The share of how they differ that is explained, by squared errors; None if they do not differ."""
    unit: str | None
    """What they are off by, days or seconds, if they are dates or times."""
    learned_from: bool | None
    """Was the model learned from these people? None if it does not tell."""

    def as_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        return asdict(self)

    def __str__(self) -> str:
        if self.learned_from:
            return "It was learned from these people, so how far off it is for them is no forecast."
        if self.mean_absolute_error is None or self.guessing_error is None:
            return "None of these people have a number to compare with."
        known = NOT_KNOWN if self.learned_from is None else ""
        ruler = Ruler.of(self.unit, self.mean_absolute_error, self.guessing_error)
        off, guess = (ruler.text(error) for error in (self.mean_absolute_error, self.guessing_error))
        said = f"For these people it is {off} off on average{known}; always guessing their mean would be {guess} off."
        if self.explained is None:
            return said
        return f"{said} {explaining(self.mean_absolute_error, self.guessing_error, self.explained)}."


def answers_of(
    model: Released, people: pl.DataFrame, made: pl.DataFrame, range_pattern: str | None = None
) -> dict[str, Answered | AnsweredNumbers]:
    """Hold what was predicted of people against what a table says of them: every target that the table has.

    `made` is what `predicted` made of the same people.
    """
    asked = [each for each in predictors(model) if each.target in people.columns]
    known = learned_from(model, people, range_pattern) if asked else None
    return {each.target: _held(each, people, made, known, range_pattern) for each in asked}


def _held(
    model: Predictor | NumberPredictor,
    people: pl.DataFrame,
    made: pl.DataFrame,
    known: bool | None,
    range_pattern: str | None,
) -> Answered | AnsweredNumbers:
    """Hold what was predicted of one target against the truth."""
    column = people[model.target]
    if not isinstance(model, NumberPredictor):
        meant = meant_labels(column, model.labels).drop_nulls()
        if known or not len(meant):
            return Answered(None, None, known if len(meant) else None)
        right = share_right(made[f"predicted: {model.target}"], column, model.labels)
        commonest = int(meant.value_counts()["count"].max())  # type: ignore[arg-type]
        return Answered(right, commonest / len(column), known)
    true, unit = numbers_of(column, model.kind), model.kind.apart
    means = model.means(people, range_pattern)
    there = ~np.isnan(true) & ~np.isnan(means)
    if known or not there.any():
        return AnsweredNumbers(None, None, None, unit, known if there.any() else None)
    found = Errors.of(means[there], true[there], mean_of(true[there]))
    return AnsweredNumbers(found.mean_absolute, found.guessing, found.explained, unit, known)
