"""What somebody who holds everything can tell: the releases that each recipient has, judged together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from kspan.audit.findings import Alone, Audit
from kspan.audit.judge import judge
from kspan.audit.together.judge import weights_of
from kspan.audit.together.later import PromisedSpans
from kspan.ledger.earlier import Earlier, counted, held, numbered
from kspan.ledger.entry import Entry
from kspan.ledger.ledger import Ledger
from kspan.privacy.requirement import Requirement
from kspan.privacy.spec import parse


@dataclass(frozen=True)
class Holding:
    """What a recipient has, and what can be told by it."""

    recipient: str | None
    """None for everybody."""
    entries: tuple[Entry, ...]
    audit: Audit
    asked: Requirement | None = None
    """What it was judged by; None if by what each release promised to its people."""


def holdings(ledger: Ledger, require: Requirement | str | None = None, *, brief: bool = False) -> list[Holding]:
    """Judge what each recipient has, by what each release promised, unless something else is required.

    If `brief`, what is reached in every measure is left out.
    """
    asked = parse(require) if isinstance(require, str) else require
    with ledger.opened() as store:
        entries, found = counted(store.entries()), held(store)
    return list(_judged(entries, found, asked, brief=brief))


def _judged(
    entries: list[Entry], found: Mapping[str | None, Earlier], asked: Requirement | None, *, brief: bool
) -> Iterator[Holding]:
    for recipient, earlier in found.items():
        theirs = tuple(entry for entry in entries if entry.recipient in (None, recipient))
        if not theirs:
            continue
        people = numbered(earlier.releases)
        alone = tuple(Alone((one.name,), entry.people, 0) for one, entry in zip(earlier.releases, theirs, strict=True))
        releases = earlier.releases if asked is None else tuple(replace(one, promise=asked) for one in earlier.releases)
        spans = PromisedSpans(releases, people, weights_of(releases, people), {}, alone, brief)
        yield Holding(recipient, theirs, judge(spans, spans.promised), asked)
