"""Rules judged without the people, by their published figures alone."""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from kspan.audit.findings import Audit, Finding, K, Utility
from kspan.audit.implied import ImpliedSpans, implied_spans
from kspan.audit.risk import risk_of
from kspan.audit.rule_spans import MOST_SPOKEN
from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import Groups
from kspan.errors import KspanError, PolicyError
from kspan.model.association import Rules
from kspan.privacy import OnPrivate, Requirement

BY_THE_PEOPLE = "give the transactions that the rules were found in (--data)"
WORST_CASE = (
    "Judged by the published figures: where they leave a range (they are rounded, and private items hide some of what "
    "they tell), a span is taken to have the worst number of people that is possible."
)


def audit_figures(rules: Rules, require: Requirement, *, show: int = 5) -> Audit:
    """Judge rules by what they publish: every span that people may have must satisfy the requirement at worst."""
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

    def findings(among: Int64s, most: int) -> tuple[Finding, ...]:
        chosen = among[np.argsort(worst[among], kind="stable")[:most]]
        return tuple(
            Finding(
                shown={
                    **spans.asked.shown(spans.contained[span], spans.codes[span]),
                    "implied": _implied(rules, spans, span, np.flatnonzero(varies[span]).tolist()),
                },
                people=int(worst[span]),
                crowd=int(worst[span]),
                breaks=tuple(part for part, held in holds.items() if not held[span]),
                safe=not exposing[span],
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
        failing=findings(np.flatnonzero(~good), show),
        smallest=findings(np.arange(len(good)), show),
        exposed={},
        reached={},
        risk=risk_of(worst, worst),
        utility=Utility(cm=None, dm=None, average_group_size=rules.transactions / len(worst), ncp=None),
        suppressed=None,
        kind="rules",
        safe_people=int(spans.low[~exposing].sum()),
        assumptions=() if sure else (WORST_CASE,),
        make_per_row=_no_rows,
        make_crowds=lambda most: findings(np.arange(len(good)), most),
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
