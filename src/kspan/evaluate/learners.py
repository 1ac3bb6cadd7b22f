"""What can be compared: anything that learns from a frame and a policy, and then predicts labels of a frame."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.encode import encode_people
from kspan.errors import PolicyError, did_you_mean
from kspan.evaluate.truth import target_column
from kspan.induce.methods import PREDICTING, PRIVATE_METHODS, learn_labels, options_of
from kspan.induce.tree.goals import are_numbers
from kspan.model.models import Model
from kspan.model.predict import NumberPredictor, predicted, predicting
from kspan.model.predictor import Predictor as LabelPredictor
from kspan.options import check_names
from kspan.policy import Policy

Predictor: TypeAlias = Callable[[pl.DataFrame], Any]
"""Gives the label of each row of a frame."""
Learner: TypeAlias = Callable[[pl.DataFrame, Policy], Predictor]
"""Learns to predict the policy's target from a frame, which may be a released one."""


@dataclass(frozen=True)
class Taught:
    """What a model predicts for rows of a frame; of several targets the first."""

    model: LabelPredictor | NumberPredictor

    @classmethod
    def of(cls, model: Model) -> Self:
        """Take a model as what predicts rows."""
        return cls(predicting(model))

    def __call__(self, rows: pl.DataFrame) -> pl.Series:
        """Give the label of each row; refuse a model of numbers, which are not right or wrong."""
        if isinstance(self.model, NumberPredictor):
            raise PolicyError(
                f"{self.model.target!r} was learned as a number, and labels are compared here: use a learner of labels"
            )
        return predicted(self.model, rows)[f"predicted: {self.model.target}"]


def plain_learners() -> list[str]:
    """Return the names of the learners that keep no requirement, and so lose nothing by keeping one.

    >>> plain_learners()[:2]
    ['id3', 'c45']
    """
    return [name for name in PREDICTING if name not in PRIVATE_METHODS]


def learner_named(name: str, *, known: Int64s | None = None, **options: Any) -> Learner:
    """Return the learner that `kspan learn -m` knows by this name, with the `options` that are not the default.

    `known` is the class of each row to learn from that earlier releases let anybody tell, as `kspan.learn` takes it.
    """
    if name not in PREDICTING:
        said = name[:40]
        raise PolicyError(f"there is no learner {said!r}{did_you_mean(said, PREDICTING)}: use {', '.join(PREDICTING)}")
    check_names(name, options, options_of(name))

    def learned(people: pl.DataFrame, policy: Policy) -> Predictor:
        return Taught.of(learn_labels(people, policy, name, known=known, **options))

    return learned


def settled(name: str, options: Mapping[str, Any], people: pl.DataFrame, policy: Policy) -> Mapping[str, Any]:
    """Return options by which all parts of a table take its target alike: as labels, or as numbers.

    A method that decides this by itself would decide it anew for each part, and some have fewer different numbers.
    """
    if name not in PREDICTING or "predict" not in options_of(name) or options.get("predict", "auto") != "auto":
        return options
    target = target_column(people, policy, "the table", measured=True)
    table = encode_people(people, replace(policy, target=None), (target.name,))
    numbers = are_numbers(target, table, policy)
    return {**options, "predict": "numbers" if numbers else "labels"}


def measures(options: Mapping[str, Any]) -> bool:
    """Do settled options take the target for numbers?"""
    return options.get("predict") == "numbers"


def learners_of(given: Iterable[str] | Mapping[str, Learner] | None) -> dict[str, Learner]:
    """Return learners by name: those named, your own functions, or if None is given all that keep no requirement."""
    if isinstance(given, Mapping):
        found = dict(given)
    else:
        names = plain_learners() if given is None else [given] if isinstance(given, str) else list(given)
        found = {name: learner_named(name) for name in names}
    if not found:
        raise PolicyError(f"there is no learner to compare: name some of {', '.join(PREDICTING)}")
    return found
