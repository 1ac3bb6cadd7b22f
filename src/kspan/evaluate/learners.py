"""What can be compared: anything that learns from a frame and a policy, and then predicts labels of a frame."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import polars as pl

from kspan.errors import PolicyError, did_you_mean
from kspan.induce.methods import PREDICTING, PRIVATE_METHODS, learn_labels
from kspan.model.predict import predicted
from kspan.policy import Policy

Predictor: TypeAlias = Callable[[pl.DataFrame], Any]
"""Gives the label of each row of a frame."""
Learner: TypeAlias = Callable[[pl.DataFrame, Policy], Predictor]
"""Learns to predict the policy's target from a frame, which may be a released one."""


def plain_learners() -> list[str]:
    """The names of the learners that promise nothing, and so lose nothing by it.

    >>> plain_learners()[:2]
    ['id3', 'c45']
    """
    return [name for name in PREDICTING if name not in PRIVATE_METHODS]


def learner_named(name: str) -> Learner:
    """The learner that `kspan learn -m` knows by this name, with its own options."""
    if name not in PREDICTING:
        said = name[:40]
        raise PolicyError(f"there is no learner {said!r}{did_you_mean(said, PREDICTING)}: use {', '.join(PREDICTING)}")

    def learned(people: pl.DataFrame, policy: Policy) -> Predictor:
        model = learn_labels(people, policy, name)
        return lambda rows: predicted(model, rows)[f"predicted: {policy.target}"]

    return learned


def learners_of(given: Iterable[str] | Mapping[str, Learner] | None) -> dict[str, Learner]:
    """Learners by name: those named, a person's own, or all that promise nothing."""
    if isinstance(given, Mapping):
        found = dict(given)
    else:
        names = plain_learners() if given is None else [given] if isinstance(given, str) else list(given)
        found = {name: learner_named(name) for name in names}
    if not found:
        raise PolicyError(f"there is no learner to compare: name some of {', '.join(PREDICTING)}")
    return found
