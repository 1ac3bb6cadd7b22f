"""The verdict on spans: one judge for every kind of release."""

import numpy as np

from kspan.audit.findings import NOT_PROVED, Audit, Finding
from kspan.audit.spans import Spans
from kspan.data.arrays import Bools, Int64s
from kspan.privacy.requirement import Requirement


def judge(spans: Spans, require: Requirement, *, show: int = 5) -> Audit:
    """Judge a release by its spans: each must satisfy the requirement, unless it tells nothing."""
    holds = {str(part): spans.holds(part) for part in require.parts}
    good: Bools = np.logical_and.reduce(list(holds.values()))

    def findings(among: Int64s, most: int) -> tuple[Finding, ...]:
        chosen = among[np.argsort(spans.crowd[among], kind="stable")[:most]].tolist()
        return tuple(
            Finding(
                shown=shown,
                people=int(spans.sizes[span]),
                crowd=int(spans.crowd[span]),
                breaks=tuple(part for part, held in holds.items() if not held[span]),
                bins=spans.bins(span),
                safe=not spans.exposing[span],
            )
            for span, shown in zip(chosen, spans.shown(chosen), strict=True)
        )

    def crowds(most: int) -> tuple[Finding, ...]:
        return findings(np.arange(len(good)), most)

    # Defaults for fields that only some kinds of release fill.
    facts = {"identifiers": (), "suppressed": None, **spans.facts()}
    return Audit(
        # An identifier that is still there, a figure that is not true, or no proof, breaks a release by itself.
        holds=bool(good.all())
        and not facts["identifiers"]
        and not facts.get("untrue")
        and not facts.get("exact")
        and facts.get("reading") != NOT_PROVED,
        requirement=str(require),
        counting=spans.counting,
        rows=spans.rows,
        people=spans.people,
        groups=len(good),
        k=spans.k,
        failing_groups=int((~good).sum()),
        failing_people=spans.failing_people(good),
        failing=findings(np.flatnonzero(~good), show),
        smallest=crowds(show),
        exposed={name: spans.exposed(name) for name in spans.disclosed},
        reached={name: {**spans.reached(name), **spans.limited(name, require)} for name in spans.disclosed},
        risk=spans.risk,
        utility=spans.utility,
        kind=spans.kind,
        safe_people=spans.safe_people,
        make_per_row=lambda: spans.per_row(good),
        make_crowds=crowds,
        make_coded=lambda: spans.coded,
        make_seen=spans.seen,
        **facts,
    )
