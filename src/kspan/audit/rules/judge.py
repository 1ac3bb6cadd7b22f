"""The audit of association rules: people who can be in the same states of all rules are a span, and must be a crowd."""

from dataclasses import replace
from typing import Any

from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.request import AuditRequest, Judge
from kspan.audit.rules.published import audit_figures
from kspan.audit.rules.spans import rule_spans
from kspan.data.baskets import encode_baskets
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.kinds import Given
from kspan.model.rules.model import Rules
from kspan.policy import Policy
from kspan.policy.patterns import expanded, roles_of
from kspan.policy.values import check_items
from kspan.privacy import Requirement
from kspan.privacy.spec import resolved


def audit_rules(rules: Rules, people: Any, policy: Policy | Requirement, *, show: int = 5) -> Audit:
    """Judge rules by the transactions they were found in, or without them (None) by their figures alone.

    People share a span if they can be in the same states of the rules, for all that the attacker knows. Every span must
    satisfy the requirement, unless it is one equivalence class. With a requirement instead of a policy, the rules say
    which role each item has. A requirement on private values is about each private item where some rule tells of it.
    """
    require = policy.require if isinstance(policy, Policy) else policy
    if isinstance(policy, Policy):
        _check_roles(rules, policy)
    elif rules.private:
        require = resolved(require, rules.private)
        require.check(rules.private)
    check_items(require)
    if people is None:
        return audit_figures(rules, require, show=show)
    frame, weight = load(people), None
    if isinstance(policy, Policy):
        policy = expanded(policy, frame.columns)
        policy.check_columns(frame.columns)
        weight = policy.weight
    baskets = encode_baskets(frame, [item.name for item in rules.items], weight)
    return judge(rule_spans(rules, baskets), require, show=show)


def _check_roles(rules: Rules, policy: Policy) -> None:
    said = roles_of(policy, rules.roles)
    for name, role in rules.roles.items():
        if said[name] != role:
            raise PolicyError(f"the rules take {name!r} as {role}, the policy says {said[name]}: they must agree")


def _rules_alone(given: Given, asked: AuditRequest) -> Audit:
    if not given.is_ours:
        raise PolicyError(
            "a dataframe of rules tells neither roles nor transactions: give the people and a policy, or judge "
            "kspan.imported_rules(frame, transactions, policy)"
        )
    policy = asked.policy
    if policy is not None and asked.require is not None:
        policy = replace(policy, require=asked.require)  # type: ignore[arg-type]  # a text is read by the policy
    return audit_rules(given.model, None, policy or asked.required(given, "the set of rules"), show=asked.show)


JUDGE = Judge(audit_rules, _rules_alone, "rules")
