"""The audit of naive Bayes: people who can get the same labels, by public values alone, must be a crowd."""

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.function.ours import audit_answers
from kspan.audit.request import Judge, not_alone
from kspan.model.bayes.model import Binned, NaiveBayes
from kspan.policy import Policy


def audit_bayes(model: NaiveBayes, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge naive Bayes by what it answers."""
    columns = [one.known.name for one in model.attributes]
    cuts = {one.known.name: one.cuts for one in model.attributes if isinstance(one, Binned)}
    return audit_answers(model, people, policy, columns, cuts, show=show)


JUDGE = Judge(audit_bayes, not_alone("naive Bayes"), "naive Bayes")
