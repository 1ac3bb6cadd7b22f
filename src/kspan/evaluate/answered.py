"""What the answers of a model to a table of people say of it: something, if it was not learned from them."""

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from kspan.evaluate.agreement import meant_labels, share_right
from kspan.evaluate.learned_from import learned_from
from kspan.model.predictor import Predictor


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
        known = " (a forecast only if it was not learned from them)" if self.learned_from is None else ""
        guess = f"always guessing the commonest label would be right for {self.guessing:.2%}"
        return f"Of these people {self.accuracy:.2%} are predicted right{known}; {guess}."


def answers_of(model: Predictor, people: pl.DataFrame, labels: pl.Series, range_pattern: str | None = None) -> Answered:
    """Hold the labels that a model gave people against those that they have."""
    meant = meant_labels(people[model.target], model.labels)
    if not len(meant.drop_nulls()):
        return Answered(None, None, None)
    if known := learned_from(model, people, range_pattern):
        return Answered(None, None, known)
    commonest = int(meant.drop_nulls().value_counts()["count"].max())  # type: ignore[arg-type]
    return Answered(share_right(labels, people[model.target], model.labels), commonest / len(meant), known)
