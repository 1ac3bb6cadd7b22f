"""The verdict in one sentence and its limits in another, in the terminal as on a page."""

from collections.abc import Sequence

from kspan.audit.findings import ANSWERS, NOT_PROVED, Audit
from kspan.report.formatting import conjoined, visible

OF_ITEMS = ("rules", "itemsets")
"""Kinds of release about what people buy, of whom the attacker sees items."""
LIMITS = (
    "This judges {judged} against someone who knows {known}. It is syntactic privacy: it does not add up over {more} "
    "releases about the same people, and it is not differential privacy."
)


def verdict(audit: Audit, public: Sequence[str]) -> str:
    """One sentence: what is promised, and whether it holds."""
    by_paths = audit.counting == "paths"
    # What was judged without people must not be told as a fact about each of them.
    if audit.holds and audit.counting == "figures":
        people = f"{audit.k.people:,} {'person' if audit.k.people == 1 else 'people'}"
        return (
            f"{visible(audit.requirement)} holds by the published figures: whoever sees the public items finds at "
            f"least {people} of whom the {audit.kind} tell the same; --data judges by the people."
        )
    if audit.holds and by_paths:
        return f"{visible(audit.requirement)} holds by the published counts: {_on_paths(audit)}."
    if audit.reading == NOT_PROVED and not audit.untrue:
        return f"{visible(audit.requirement)} is not proved, so it is not said to hold: {visible(audit.covered)}."
    if audit.holds:
        others = audit.k.rows - 1 if audit.counting == "rows" else audit.k.people - 1
        alike = f"{others:,} other{'s' if others != 1 else ''}"
        known = (conjoined([visible(name) for name in public]) or "nothing") + rows_known(audit)
        return (
            f"{visible(audit.requirement)} holds{_for_several(audit) or _for_answers(audit)}: to someone who knows "
            f"{known}, each of the {audit.people:,} people looks like at least {alike}."
        )
    reasons = []
    if audit.failing_groups:
        where = f"{audit.failing_groups:,} {audit.units}"
        reasons.append(f"{audit.failing_people:,} of {audit.people:,} people are in {where} that break it")
    if audit.identifiers:
        names = conjoined([visible(name) for name in audit.identifiers])
        reasons.append(f"the table still shows what identifies people by itself ({names}): drop it before release")
    if audit.spreads:
        names = conjoined([visible(name) for name in audit.spreads[:3]])
        reasons.append(f"how {names} spreads is told with it, and breaks it or is not so")
    if audit.untrue:
        names = conjoined([visible(name) for name in audit.untrue[:3]])
        what = f"{len(audit.untrue):,} {parts_of(audit)}"
        reasons.append(f"the figures of {what} are not those of these people ({names})")
    if audit.exact:
        names = conjoined([visible(name) for name in audit.exact[:3]])
        reasons.append(f"{len(audit.exact):,} {parts_of(audit)} tell numbers of too few people ({names})")
    of = " by the published counts" if by_paths else _for_several(audit) or _for_answers(audit)
    of = " by the published figures" if audit.counting == "figures" else of
    return f"{visible(audit.requirement)} does not hold{of}: {'; and '.join(reasons)}."


def rows_known(audit: Audit) -> str:
    """Say of how many rows of a person the attacker knows the public values, where people have several."""
    if audit.persons is None:
        return ""
    known = audit.persons.known_rows
    return " in all rows of a person" if known == "all" else f" in {known:,} row{'s' if known != 1 else ''} of a person"


def _on_paths(audit: Audit) -> str:
    if audit.safe_people == audit.people:
        return "whoever knows every attribute and the label, which is public, learns nothing from a path"
    people = f"{audit.k.people:,} {'person' if audit.k.people == 1 else 'people'}"
    return f"whoever knows all that the tree asks finds at least {people} on every path; --data judges by the people"


def parts_of(audit: Audit) -> str:
    """Name what a model that was judged consists of."""
    return {"tree": "nodes", "function": "parts"}.get(audit.kind, audit.kind)


def judged_by(audit: Audit) -> str:
    """Name what a release is judged by without its people: published figures or counts."""
    return "figures" if audit.counting == "figures" else "counts"


def _for_several(audit: Audit) -> str:
    return f" for {audit.releases:,} releases together" if audit.releases > 1 else ""


def _for_answers(audit: Audit) -> str:
    return " for what it answers" if audit.reading == ANSWERS else ""


def limits(audit: Audit) -> str:
    """Return a sentence on what an audit does not cover."""
    judged, known, more = "one release", "the public columns", "several"
    if audit.counting == "paths":
        judged, known = "one release by what it publishes", "every attribute that it asks"
    elif audit.kind in OF_ITEMS:
        known = "the public items"
    elif audit.releases > 1:
        judged, known, more = f"{audit.releases:,} releases", "the public columns and holds all of them", "further"
    return LIMITS.format(judged=judged, known=known, more=more)
