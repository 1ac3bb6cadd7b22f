"""A page about all that has left: a chapter for each recipient, and one for what everybody has."""

from collections.abc import Sequence
from dataclasses import replace

from kspan.errors import LedgerError
from kspan.ledger.checking import Holding
from kspan.ledger.ledger import policy_of
from kspan.report.crowd import Fact
from kspan.report.formatting import visible
from kspan.report.gather import Release, story, summarized
from kspan.report.page import Report
from kspan.report.summary import Summary

LEAD = (
    "This page is for the owner. Each chapter tells what one recipient has, and what somebody who holds all of it and "
    "knows the public columns of everybody, and who is in which release, can tell."
)


def ledger_report(name: str, holdings: Sequence[Holding]) -> Report:
    """Report on what each recipient has."""
    if not holdings:
        raise LedgerError(f"nothing was entered in {name} yet, so there is nothing to report")
    chapters = [_chapter(one) for one in holdings]
    # A page of one chapter shows no title of it.
    title = "What has left" if len(chapters) > 1 else chapters[0].title
    return Report(replace(story(f"{title}: {name}", chapters, LEAD), of_ledger=True))


def _chapter(one: Holding) -> Summary:
    who = "everybody" if one.recipient is None else one.recipient
    # Policies may differ between releases: the page tells what the last one asks.
    policy = policy_of(one.entries[-1])
    facts = tuple(
        Fact(
            visible(f"{entry.number}: {entry.name}"),
            visible(
                f"{entry.kind}, {entry.people:,} people, {entry.requirement}, {entry.at[:10]}, to "
                f"{entry.recipient or 'everybody'}, SHA-256 {entry.fingerprint[:16]}..."
                f"{', perhaps not written' if entry.unsure else ''}"
            ),
        )
        for entry in one.entries
    )
    return summarized(Release(f"What {who} has", one.audit, policy, facts=facts))
