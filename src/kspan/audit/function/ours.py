"""Models of ours that are judged by what they answer."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.function.judge import spans_of_parts
from kspan.audit.judge import judge
from kspan.audit.of_persons import by_people
from kspan.errors import PolicyError
from kspan.frames.native import to_polars
from kspan.model.function.parts import Function, Parts
from kspan.model.predictor import Predictor
from kspan.policy import Policy


def audit_answers(
    model: Predictor,
    people: pl.DataFrame,
    policy: Policy,
    columns: Iterable[str],
    cuts: Mapping[str, tuple[float, ...]],
    *,
    rising: Iterable[str] = (),
    show: int = 5,
) -> Audit:
    """Judge a model by the labels that it answers for its people; it reads some columns, numbers perhaps by cuts."""
    check_target(model.target, policy)

    def answer(frame: Any) -> Any:
        return model.of_people(to_polars(frame), policy.range_pattern).argmax(axis=1)

    function = Function(answer, frozenset(rising), cuts)
    parts = Parts(type(model).__name__, (function,), tuple(columns))
    return judge(by_people(spans_of_parts(parts, people, people, policy), policy), policy.require, show=show)


def check_target(target: str, policy: Policy) -> None:
    """Refuse a policy with another target than the model has."""
    if policy.target != target:
        said = "none" if policy.target is None else repr(policy.target)
        raise PolicyError(f"the model is about {target!r}, and the target of the policy is {said}: they must agree")
