"""The audit of a committee: its trees are judged together, as several trees about the same people are."""

import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.request import Judge, not_alone
from kspan.audit.tree.judge import audit_tree
from kspan.model.committee.model import Committee
from kspan.policy import Policy


def audit_committee(committee: Committee, people: pl.DataFrame, policy: Policy, *, show: int = 5) -> Audit:
    """Judge all trees of a committee together, by the people that each of them must be about."""
    first, *others = committee.trees
    return audit_tree(first, people, policy, beside=others, show=show)


JUDGE = Judge(audit_committee, not_alone("a committee"), "a committee")
