"""The ledger as it is used: what is made and written beside it is judged with all that has left, and entered."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import Audit
from kspan.audit.seen import ABSENT, Seen
from kspan.audit.together.people import check_roles_agree, names_of, naming_column
from kspan.audit.together.spans import Release
from kspan.data.alike import look
from kspan.data.arrays import Int64s
from kspan.errors import DoesNotHold, LedgerError, PolicyError, listed
from kspan.frames.files import load
from kspan.ledger import entry
from kspan.ledger.earlier import Earlier, called, counted, everything, held, numbers_of
from kspan.ledger.entry import Entry
from kspan.ledger.remembered import payload_of
from kspan.ledger.store import Store
from kspan.ledger.writing import Writing
from kspan.policy import Policy
from kspan.policy.document import policy_document, policy_in
from kspan.privacy.requirement import Requirement

_blocks: list["Ledger"] = []
"""The ledgers whose blocks are open in this process: what is written, in any thread, is entered in the last one."""


@dataclass(frozen=True, repr=False)
class Going:
    """A release that is about to leave."""

    name: str
    kind: str
    fingerprint: str
    method: str
    seen: Seen | None
    """What it lets anybody see of `people`, row by row; None if these are not known."""
    people: pl.DataFrame | None
    policy: Policy | None


class Ledger:
    """A ledger of releases, and whom the next ones go to: `with kspan.Ledger("releases.ledger", to="registry A"):`.

    Inside the block, every release that kspan writes is judged together with all that its recipient already has, and
    entered; what `anonymize`, `learn` and `share_tree` make holds together with that. Without `to`, a release is for
    everybody. `match` is the column that says who people are, if not the policy's `person` or only identifier. `left`
    has rows of people who are not in the table any more: they stay in releases until enough have left to be a crowd.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, to: str | None = None, match: str | None = None, left: Any = None
    ) -> None:
        self.path, self.to, self.match = Path(path), to, match
        self.left = None if left is None else load(left)
        if to is not None and not to.strip():
            raise PolicyError("the recipient of a release must have a name: leave it out if it is for everybody")
        if to is not None:
            self.to = look(to)
            if self.to.casefold() == "everybody":
                raise PolicyError("everybody is no recipient: leave it out if a release is for everybody (--to)")
        self._open: dict[int, tuple[Store, int]] = {}
        """By thread: the file, and how many blocks are open there."""
        self.known_people: int | None = None
        """How many people of the release that was entered last were in earlier ones; None if there were none."""

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> "Ledger":
        """Make a new ledger: a file, and beside it the key without which nobody can find a person in it."""
        Store.create(path).close()
        return cls(path)

    def __enter__(self) -> "Ledger":
        thread = threading.get_ident()
        store, blocks = self._open.get(thread) or (Store.open(self.path), 0)
        self._open[thread] = store, blocks + 1
        _blocks.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        # The last of its own blocks: others may have begun and ended meanwhile in other threads.
        del _blocks[max(place for place, one in enumerate(_blocks) if one is self)]
        thread = threading.get_ident()
        store, blocks = self._open[thread]
        self._open[thread] = store, blocks - 1
        if blocks == 1:
            del self._open[thread]
            store.close()

    @property
    def _store(self) -> Store | None:
        """The file, if a block is open in this thread."""
        return self._open.get(threading.get_ident(), (None, 0))[0]

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """The file, open for as long as the block lasts."""
        if self._store is not None:
            yield self._store
            return
        with Store.open(self.path) as store:
            yield store

    def entries(self) -> list[Entry]:
        """All releases that were entered, in order."""
        with self.opened() as store:
            return store.entries()

    def names(self, people: pl.DataFrame, policy: Policy) -> pl.Series:
        """Who each row of a table of people is; refuse other names than those of earlier releases."""
        column = naming_column(policy, people.columns, self.match)
        for one in counted(self.entries()):
            if one.matched_by != column:
                raise PolicyError(
                    f"release {called(one)} knows people by {one.matched_by!r}, and the next one by {column!r}, so "
                    f"they cannot be matched: use one name for a person (--match {one.matched_by})"
                )
        return names_of(people, policy, column)

    def check_policy(self, policy: Policy, name: str = "the next release") -> None:
        """Refuse a policy by which other attributes are known than by those of earlier releases."""
        entries = counted(self.entries())
        check_roles_agree({**{called(entry): policy_of(entry) for entry in entries}, name: policy})

    def holding(self, store: Store) -> list[Earlier]:
        """What those hold whom a new release goes to: all recipients, if it is for everybody."""
        every = held(store)
        if self.to is None:
            return list(every.values())
        # A name that differs in capital letters alone is hardly another recipient.
        known = {who.casefold(): who for who in every if who is not None}
        self.to = known.get(self.to.casefold(), self.to)
        return [every.get(self.to, Earlier(self.to, every[None].releases))]

    def all_held(self, store: Store) -> Earlier:
        """All that a new release must be made beside, as if one recipient held it."""
        return everything(store) if self.to is None else self.holding(store)[0]

    def judged(self, name: str, found: Audit, people: pl.DataFrame, policy: Policy) -> list[tuple[str, Audit]]:
        """Judge a release that has not left yet together with what each recipient holds: who does, and the verdict."""
        if found.seen is None:
            raise LedgerError(f"who is in {name} is not known: give its people")
        with self.opened() as store:
            numbers = numbers_of(self.names(people, policy), store)
            new = _release(name, found.seen, numbers, policy.require)
            return [(earlier.holder, earlier.judged(new)) for earlier in self.holding(store) if earlier.releases]

    def enter(self, going: Going) -> Writing:
        """Judge a release together with what its recipients hold, and enter it; returns what `write_files` takes.

        Refuses, and enters nothing, if it does not hold. The transaction stays open until files are written.
        """
        if going.people is None or going.seen is None or going.policy is None:
            raise LedgerError(
                f"who is in {going.name} is not known, so it cannot be entered in the ledger: give its people"
            )
        if self._store is None:
            raise LedgerError(f"the ledger {self.path} is not open: enter releases inside `with Ledger(...)`")
        with self._store.writing() as writing:
            self.check_policy(going.policy, going.name)
            names = self.names(going.people, going.policy)
            if forgotten := int(self._store.forgotten(names).sum()):
                raise LedgerError(
                    f"{forgotten} people in {going.name} were forgotten, so nobody knows what was told of them before: "
                    "leave them out"
                )
            known, is_first = self._store.known_people, not counted(self.entries())
            numbers = writing.people(names)
            self.known_people = None if is_first else int((numbers < known).sum())
            new = _release(going.name, going.seen, numbers, going.policy.require)
            for holding in self.holding(self._store):
                check_together(new, holding)
            there = numbers[going.seen.span != ABSENT]
            said = entry.Release(
                kind=going.kind, name=going.name, fingerprint=going.fingerprint, recipient=self.to,
                requirement=str(going.policy.require), people=int((np.bincount(there) > 0).sum()), rows=len(there),
                method=going.method, matched_by=names.name,
                policy=json.dumps(policy_document(going.policy), ensure_ascii=False),
            )  # fmt: skip
            writing.enter(said, payload_of(going.seen, numbers))
            writing.hold()
            return writing


def _release(name: str, seen: Seen, who: Int64s, promise: Requirement) -> Release:
    if len(seen.span) != len(who):
        raise LedgerError(f"{name} was judged by other rows than its people have: give it one row a person")
    return Release(name, seen, who, promise)


def policy_of(entry: Entry) -> Policy:
    """The policy that a release was entered under."""
    return policy_in(json.loads(entry.policy), f"entry {entry.number} of the ledger")


def check_together(new: Release, earlier: Earlier) -> None:
    """Refuse a release that breaks a promise, its own or an earlier one, together with what somebody holds."""
    if not earlier.releases:
        return
    found = earlier.judged(new)
    if found.holds:
        return
    names = earlier.breaking(new) or [release.name for release in earlier.releases]
    which = f"release {listed(names[:3])}" if len(names) == 1 else f"releases {listed(names[:3])}"
    raise DoesNotHold(
        f"together with {which}, which {earlier.holder} has, {new.name} breaks {found.requirement} for "
        f"{found.failing_people} people: nothing was written; make it beside the ledger (anonymize, learn and share "
        "publish do, with --ledger), with another method, or leave these people out"
    )


def current_ledger(policy: Policy | None) -> Ledger | None:
    """The ledger that a release under a policy is entered in: that of the block, or else the policy's own."""
    named = None if policy is None or policy.ledger is None else Ledger(policy.ledger)
    if not _blocks:
        return named
    if named is not None and named.path.resolve() != _blocks[-1].path.resolve():
        raise PolicyError(
            f"the policy names the ledger {named.path}, and {_blocks[-1].path} is in use: releases under this policy "
            "are entered in its own"
        )
    return _blocks[-1]
