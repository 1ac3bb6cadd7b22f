"""The audit of association rules."""

from typing import Any

from kspan.audit.baskets.judge import audit_baskets, judge_of_baskets
from kspan.audit.findings import Audit
from kspan.audit.rules.figures import PublishedRules
from kspan.model.rules.kind import RULES
from kspan.model.rules.model import Rules
from kspan.policy import Policy
from kspan.privacy import Requirement


def audit_rules(rules: Rules, people: Any, policy: Policy | Requirement, *, show: int = 5) -> Audit:
    """Judge rules by the transactions they were found in, or without them (None) by their figures alone."""
    return audit_baskets(PublishedRules(rules), people, policy, show=show)


JUDGE = judge_of_baskets(PublishedRules, RULES.name, RULES.called)
