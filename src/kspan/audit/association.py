"""The audit of association rules: whoever can be in the same states of all rules is one span, and must be a crowd."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import polars as pl

from kspan.audit.figures import untrue_rules
from kspan.audit.findings import Audit, Finding, K, Utility
from kspan.audit.implied import ImpliedSpans, implied_spans
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured
from kspan.audit.risk import risk_of
from kspan.audit.rule_spans import MOST_CLASSES, Asked, RuleSpans, bought_in_spans, rule_spans
from kspan.data.arrays import Bools, Int64s
from kspan.data.baskets import Baskets, encode_baskets
from kspan.data.groups import Counts, Groups
from kspan.errors import KspanError, PolicyError
from kspan.frames.files import load
from kspan.model.association import Rules
from kspan.policy import Policy
from kspan.policy.patterns import expanded, roles_of
from kspan.privacy import OnPrivate, Requirement
from kspan.utility.loss import average_group_size

MOST_SPOKEN = 10
BY_THE_PEOPLE = "give the transactions that the rules were found in (--data)"
WORST_CASE = (
    "Judged by the published figures: where they leave a range (they are rounded, and private items hide some of what "
    "they tell), a span is taken to have the worst number of people that is possible."
)


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
        return _by_figures(rules, require, show)
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


# By the people


@dataclass(frozen=True, repr=False)
class _Private:
    """What some rule tells of one private item."""

    counts: Counts
    """How many people of each span did not buy it, and how many did."""
    told: Bools
    """In which spans."""


def _by_people(rules: Rules, baskets: Baskets, require: Requirement, show: int) -> Audit:
    spans = rule_spans(rules, baskets)
    varies = spans.asked.varies(spans.codes)
    exposing = spans.asked.exposes(spans.codes)
    private = {item: found for item in rules.private if (found := _told(item, spans, baskets)).told.any()}
    holds = {str(part): _holds(part, spans.sizes, exposing, private) for part in require.parts}
    good: Bools = np.logical_and.reduce(list(holds.values()))
    untrue = tuple(rules.rules[place].sides for place in untrue_rules(rules, baskets))
    smallest = int(spans.sizes[exposing].min()) if exposing.any() else baskets.people

    def findings(among: Int64s) -> tuple[Finding, ...]:
        chosen = among[np.argsort(spans.sizes[among], kind="stable")[:show]]
        return tuple(
            Finding(
                shown=_shown(spans.asked, spans.contained[span], spans.codes[span], varies[span]),
                people=int(spans.sizes[span]),
                crowd=int(spans.sizes[span]),
                breaks=tuple(part for part, held in holds.items() if not held[span]),
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
        failing=findings(np.flatnonzero(~good)),
        smallest=findings(np.arange(len(good))),
        exposed={item: _exposed(found, spans.sizes) for item, found in private.items()},
        reached={item: measured(_where_told(found)) for item, found in private.items()},
        risk=risk_of(spans.sizes, spans.sizes),
        utility=Utility(cm=None, dm=None, average_group_size=average_group_size(spans.sizes), ncp=None),
        suppressed=None,
        kind="rules",
        safe_people=int(spans.sizes[~exposing].sum()),
        untrue=untrue,
        make_per_row=lambda: _per_row(spans, exposing, good, private),
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


def _shown(asked: Asked, contained: Bools, codes: Sequence[int], varies: Bools) -> dict[str, str]:
    """What the people of a span bought where everybody sees it, which rules speak of them, and how many classes."""
    places = sorted({asked.questions[question][0] for question in np.flatnonzero(varies).tolist()})
    speaking = [str(place + 1) for place in places]
    more = [] if len(speaking) <= MOST_SPOKEN else ["..."]
    classes = asked.classes(codes)
    return {
        "basket": asked.basket(contained.tolist()),
        "rules": ", ".join([*speaking[:MOST_SPOKEN], *more]) or "none",
        "classes": str(classes) if classes <= MOST_CLASSES else f"more than {MOST_CLASSES:,}",
    }


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


# By the figures


def _by_figures(rules: Rules, require: Requirement, show: int) -> Audit:
    for part in require.parts:
        if isinstance(part, OnPrivate):
            raise PolicyError(f"{part} is about private items, of which figures tell only in part: {BY_THE_PEOPLE}")
    spans = implied_spans(rules)
    varies = spans.asked.varies(spans.codes)
    exposing = spans.asked.exposes(spans.codes)
    # Nobody at all is fine, so a span that may be empty has one person in the worst case.
    worst = np.maximum(spans.low, 1)
    groups = Groups(worst, exposing=exposing)
    holds = {str(part): part.holds(groups) for part in require.parts}
    good: Bools = np.logical_and.reduce(list(holds.values()))
    smallest = int(worst[exposing].min()) if exposing.any() else rules.transactions

    def findings(among: Int64s) -> tuple[Finding, ...]:
        chosen = among[np.argsort(worst[among], kind="stable")[:show]]
        return tuple(
            Finding(
                shown={
                    **_shown(spans.asked, spans.contained[span], spans.codes[span], varies[span]),
                    "implied": _implied(rules, spans, span, np.flatnonzero(varies[span]).tolist()),
                },
                people=int(worst[span]),
                crowd=int(worst[span]),
                breaks=tuple(part for part, held in holds.items() if not held[span]),
            )
            for span in chosen.tolist()
        )

    # If the fewest of all spans are everybody, nothing is left open.
    sure = int(spans.low.sum()) == rules.transactions
    return Audit(
        holds=bool(good.all()),
        requirement=str(require),
        counting="figures",
        rows=0,
        people=rules.transactions,
        groups=len(worst),
        k=K(rows=smallest, people=smallest),
        identifiers=(),
        failing_groups=int((~good).sum()),
        failing_people=0 if good.all() else rules.transactions - int(spans.low[good].sum()),
        failing=findings(np.flatnonzero(~good)),
        smallest=findings(np.arange(len(good))),
        exposed={},
        reached={},
        risk=risk_of(worst, worst),
        utility=Utility(cm=None, dm=None, average_group_size=rules.transactions / len(worst), ncp=None),
        suppressed=None,
        kind="rules",
        safe_people=int(spans.low[~exposing].sum()),
        assumptions=() if sure else (WORST_CASE,),
        make_per_row=_no_rows,
    )


def _implied(rules: Rules, spans: ImpliedSpans, span: int, speaking: Sequence[int]) -> str:
    """The people of a span, and how many of them bought what its rules tell of, as far as figures say."""
    low, high = int(spans.low[span]), spans.most(span)
    told = [f"{_range(low, high)} people"]
    for question in speaking[:MOST_SPOKEN]:
        between = spans.bought(span, question)
        if between is None:
            continue
        _, left, right = spans.asked.questions[question]
        # Of whom everything public is known, only private items are news.
        names = ", ".join(sorted((left | right) - rules.public))
        determined = low == high and between[0] == between[1]
        rest = f", {low - between[0]:,} without" if determined else ""
        told.append(f"{_range(*between)} with {names}{rest}")
    # A rule and its reverse tell the same.
    return "; ".join(dict.fromkeys(told))


def _range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _no_rows() -> NoReturn:
    raise KspanError(f"rules that are judged by their figures have no rows: {BY_THE_PEOPLE}")
