"""The audit of logistic regression: people who can get the same labels, by public values alone, must be a crowd."""

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.function.ours import audit_answers
from kspan.audit.request import Judge, not_alone
from kspan.data.expected import Numbers
from kspan.model.linear.model import Linear
from kspan.policy import Policy


def audit_linear(model: Linear, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge logistic regression by what it answers; of two labels, each number moves the answer one way only."""
    features = model.encoding.features
    cuts = {one.known.name: one.cuts for one in features if one.cuts is not None}
    plain = [one.known.name for one in features if isinstance(one.known, Numbers) and one.cuts is None]
    return audit_answers(
        model,
        people,
        policy,
        [one.known.name for one in features],
        cuts,
        rising=plain if len(model.labels) == 2 else (),
        show=show,
    )


JUDGE = Judge(audit_linear, not_alone("logistic regression"), "logistic regression")
