"""The audit of gradient boosting: people who can come to the same leaves, by public values alone, must be a crowd."""

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.function.judge import spans_of_parts
from kspan.audit.function.ours import audit_answers, check_target
from kspan.audit.judge import judge
from kspan.audit.of_persons import by_people
from kspan.audit.request import Judge, not_alone
from kspan.frames.native import to_polars
from kspan.model.boosted.model import Boosted
from kspan.model.function.parts import Forest, Parts
from kspan.policy import Policy


def audit_boosted(model: Boosted, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge boosted trees as those of other libraries: by the leaves of all of them."""
    names = model.numbered.names
    if not model.trees:  # then everybody gets the same answer
        return audit_answers(model, people, policy, names, {}, show=show)
    check_target(model.target, policy)
    forest = Forest(model.forest, (model.numbered,), names)
    parts = Parts(
        type(model).__name__, (forest,), names, lambda frame: model.of_people(to_polars(frame)), labels=model.labels
    )
    return judge(by_people(spans_of_parts(parts, people, people, policy), policy), policy.require, show=show)


JUDGE = Judge(audit_boosted, not_alone("a boosted model"), "a boosted model")
