"""Rules judged without the people, by their published figures alone."""

from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.rules.implied import BY_THE_PEOPLE, implied_spans
from kspan.errors import PolicyError
from kspan.model.rules.model import Rules
from kspan.privacy import OnPrivate, Requirement


def audit_figures(rules: Rules, require: Requirement, *, show: int = 5) -> Audit:
    """Judge rules by what they publish: every possible span must satisfy the requirement in the worst case."""
    for part in require.parts:
        if isinstance(part, OnPrivate):
            raise PolicyError(f"{part} is about private items, of which figures tell only in part: {BY_THE_PEOPLE}")
    return judge(implied_spans(rules), require, show=show)
