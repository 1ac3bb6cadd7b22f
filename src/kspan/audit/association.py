"""The audit of association rules: whoever can be in the same states of all rules is one span, and must be a crowd."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.figures import untrue_rules
from kspan.audit.findings import Audit, Finding, K, Utility
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured
from kspan.audit.risk import risk_of
from kspan.audit.rule_figures import audit_figures
from kspan.audit.rule_spans import RuleSpans, bought_in_spans, rule_spans
from kspan.data.arrays import Bools, Int64s
from kspan.data.baskets import Baskets, encode_baskets
from kspan.data.groups import Counts, Groups
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.association import Rules
from kspan.policy import Policy
from kspan.policy.patterns import expanded, roles_of
from kspan.privacy import OnPrivate, Requirement
from kspan.utility.loss import average_group_size


def audit_rules(rules: Rules, people: Any, policy: Policy | Requirement, *, show: int = 5) -> Audit:
    """Judge rules by the transactions they were found in, or without them (None) by their figures alone.

    People have one span if the attacker cannot tell in which states of the rules they are; every span must satisfy the
    requirement, unless it is one equivalence class. With a requirement instead of a policy, items have the roles that
    the rules say. A requirement on private values is asked for each private item where some rule tells of it.
    """
    require = policy.require if isinstance(policy, Policy) else policy
    if isinstance(policy, Policy):
        _check_roles(rules, policy)
    elif rules.private:
        require.check(rules.private)
    if people is None:
        return audit_figures(rules, require, show=show)
    frame, weight = load(people), None
    if isinstance(policy, Policy):
        policy = expanded(policy, frame.columns)
        policy.check_columns(frame.columns)
        weight = policy.weight
    baskets = encode_baskets(frame, [item.name for item in rules.items], weight)
    return _by_people(rules, baskets, require, show)


def _check_roles(rules: Rules, policy: Policy) -> None:
    said = roles_of(policy, rules.roles)
    for name, role in rules.roles.items():
        if said[name] != role:
            raise PolicyError(f"the rules take {name!r} as {role}, the policy says {said[name]}: they must agree")


@dataclass(frozen=True, repr=False)
class _Private:
    """What some rule tells of one private item."""

    counts: Counts
    """How many people of each span did not buy it, and how many did."""
    told: Bools
    """In which spans."""


def _by_people(rules: Rules, baskets: Baskets, require: Requirement, show: int) -> Audit:
    spans = rule_spans(rules, baskets)
    exposing = spans.asked.exposes(spans.codes)
    private = {item: found for item in rules.private if (found := _told(item, spans, baskets)).told.any()}
    holds = {str(part): _holds(part, spans.sizes, exposing, private) for part in require.parts}
    good: Bools = np.logical_and.reduce(list(holds.values()))
    untrue = tuple(rules.rules[place].sides for place in untrue_rules(rules, baskets))
    smallest = int(spans.sizes[exposing].min()) if exposing.any() else baskets.people

    def findings(among: Int64s, most: int) -> tuple[Finding, ...]:
        chosen = among[np.argsort(spans.sizes[among], kind="stable")[:most]]
        return tuple(
            Finding(
                shown=spans.asked.shown(spans.contained[span], spans.codes[span]),
                people=int(spans.sizes[span]),
                crowd=int(spans.sizes[span]),
                breaks=tuple(part for part, held in holds.items() if not held[span]),
                safe=not exposing[span],
            )
            for span in chosen.tolist()
        )

    return Audit(
        holds=bool(good.all()) and not untrue,
        requirement=str(require),
        counting="people",
        rows=baskets.rows,
        people=baskets.people,
        groups=len(spans.sizes),
        k=K(rows=smallest, people=smallest),
        identifiers=(),
        failing_groups=int((~good).sum()),
        failing_people=int(spans.sizes[~good].sum()),
        failing=findings(np.flatnonzero(~good), show),
        smallest=findings(np.arange(len(good)), show),
        exposed={item: _exposed(found, spans.sizes) for item, found in private.items()},
        reached={item: measured(_where_told(found)) for item, found in private.items()},
        risk=risk_of(spans.sizes, spans.sizes),
        utility=Utility(cm=None, dm=None, average_group_size=average_group_size(spans.sizes), ncp=None),
        suppressed=None,
        kind="rules",
        safe_people=int(spans.sizes[~exposing].sum()),
        untrue=untrue,
        make_per_row=lambda: _per_row(spans, exposing, good, private),
        make_crowds=lambda most: findings(np.arange(len(good)), most),
    )


def _told(item: str, spans: RuleSpans, baskets: Baskets) -> _Private:
    told = spans.asked.told(item, spans.codes)
    bought = bought_in_spans(item, spans, baskets)
    return _Private(Counts.of(np.column_stack([spans.sizes - bought, bought])), told)


def _holds(part: Requirement, sizes: Int64s, exposing: Bools, private: Mapping[str, _Private]) -> Bools:
    """Which spans satisfy a part of the requirement: its private items are asked where they are told of."""
    if not isinstance(part, OnPrivate):
        return part.holds(Groups(sizes, exposing=exposing))
    good = np.ones(len(sizes), bool)
    for item in part.looks_at(tuple(private)):
        if item in private:
            good &= part.holds(Groups(sizes, {item: private[item].counts}, private[item].told))
    return good


def _exposed(found: _Private, sizes: Int64s) -> int:
    return int(sizes[certain(found.counts) & found.told].sum())


def _where_told(found: _Private) -> Counts:
    """The counts of those spans alone in which an item is told of, beside everybody's."""
    there = np.flatnonzero(found.told)
    part = found.counts.united(there, np.arange(len(there)), len(there))
    return Counts(part.start, part.value, part.people, found.counts.whole)


def _per_row(spans: RuleSpans, exposing: Bools, good: Bools, private: Mapping[str, _Private]) -> pl.DataFrame:
    per_span: dict[str, Any] = {
        "span_size": spans.sizes,
        "prosecutor_risk": 1 / spans.sizes,
        "holds": good,
        "safe": ~exposing,
    }
    for item, found in private.items():
        guess = np.where(found.told, confidence(found.counts), np.nan)
        per_span |= {f"confidence: {item}": guess, f"certain: {item}": certain(found.counts) & found.told}
    rows = {name: values[spans.span] for name, values in per_span.items()}
    return pl.DataFrame({"row": np.arange(1, len(spans.span) + 1), "span": spans.span + 1, **rows})
