"""What recipients already hold, and whether a new release holds together with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.together.judge import weights_of
from kspan.audit.together.later import LaterSpans
from kspan.audit.together.spans import Joint, Release
from kspan.data.arrays import Int64s
from kspan.ledger.entry import Entry
from kspan.ledger.remembered import release_in
from kspan.ledger.store import Store
from kspan.privacy.spec import parse


@dataclass(frozen=True, repr=False)
class Earlier:
    """Releases that somebody holds, about people who are numbered as in the ledger."""

    recipient: str | None
    """Who holds them; None if it is everybody."""
    releases: tuple[Release, ...]

    def joint(self, people: int) -> Joint:
        """What all of them together let anybody tell of so many people."""
        return Joint.of(self.releases, people)

    def with_new(self, new: Release) -> LaterSpans:
        """A new release beside these."""
        every = (new, *self.releases)
        people = numbered(every)
        return LaterSpans(every, people, weights_of(every, people), {}, (), brief=True)

    def judged(self, new: Release) -> Audit:
        """Judge a new release together with these, by what it and they promise."""
        spans = self.with_new(new)
        return judge(spans, spans.promised)

    def breaking(self, new: Release) -> list[str]:
        """The names of those that break a promise together with a new release, each by itself."""
        spans = self.with_new(new)
        pairs = {release.name: spans.with_one(place) for place, release in enumerate(self.releases, 1)}
        return [name for name, pair in pairs.items() if pair.failing(pair.promised)]

    @property
    def holder(self) -> str:
        """Who holds them, in a sentence."""
        return "everybody" if self.recipient is None else repr(self.recipient)


def counted(entries: Sequence[Entry]) -> list[Entry]:
    """The entries that count: all but those that were forgotten."""
    return [entry for entry in entries if entry.forgotten is None]


def held(store: Store) -> dict[str | None, Earlier]:
    """What each recipient holds, with all that is public; what is public alone is under None."""
    entries = counted(store.entries())
    known = {entry.number: _kept(store, entry) for entry in entries}
    recipients = [None, *dict.fromkeys(entry.recipient for entry in entries if entry.recipient is not None)]
    return {
        who: Earlier(who, tuple(known[one.number] for one in entries if one.recipient in (None, who)))
        for who in recipients
    }


def everything(store: Store) -> Earlier:
    """All that anybody holds, as if one had it all."""
    entries = counted(store.entries())
    return Earlier(None, tuple(_kept(store, one) for one in entries))


def _kept(store: Store, entry: Entry) -> Release:
    return replace(release_in(store.payload(entry.number), called(entry)), promise=parse(entry.requirement))


def called(entry: Entry) -> str:
    """What findings call a release: its number and its name."""
    return f"{entry.number} ({entry.name})"


def numbers_of(names: pl.Series, store: Store) -> Int64s:
    """The number of each name; those whom the ledger does not know come after all others, each name with one number."""
    numbers = store.people(names)
    if (numbers >= 0).all():
        return numbers
    return np.where(numbers < 0, store.known_people + names.rank("dense").to_numpy().astype(np.int64), numbers)


def numbered(releases: Sequence[Release]) -> int:
    """How many numbers people may have who are in some releases, or were asked for."""
    return max((int(release.who.max(initial=-1)) + 1 for release in releases), default=0)
