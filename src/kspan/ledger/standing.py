"""Who may be shown next, and what anybody can tell of them already.

Whoever leaves a crowd is told apart from those who stay: what was disclosed of the whole crowd, less what is disclosed
of those who stay, is about those who left. So people leave in crowds. Too few of them stay in the release with the rows
that they had, if the owner still has these; otherwise some who could be shown are withheld with them, and if even that
is no crowd, nobody of theirs is shown, and nothing new is told of any of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from kspan.anonymize.known import Known
from kspan.audit.seen import ABSENT, Seen
from kspan.audit.together.later import given_away
from kspan.audit.together.spans import Joint, Release
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.groups import count_groups
from kspan.data.prepared import prepared
from kspan.errors import DataError, Unreachable, listed
from kspan.frames.files import load
from kspan.ledger.earlier import Earlier, numbered, numbers_of
from kspan.ledger.ledger import Going, Ledger, current_ledger
from kspan.ledger.store import Store
from kspan.policy import Policy, PolicyLike
from kspan.privacy import OnPrivate
from kspan.privacy.requirement import Requirement
from kspan.privacy.spec import at_once

TIMES = (1, 2, 4)
"""How many times k people are withheld together with those who left, before all of their crowd are."""


@dataclass(frozen=True, repr=False)
class Standing:
    """The people who may be shown, and what earlier releases let anybody tell of them."""

    people: pl.DataFrame
    known: Known | None = None
    """None if nothing was told of anybody."""
    withheld: int = 0
    """How many people must not be shown."""
    stayed: int = 0
    """How many people who left are still shown."""
    promised: tuple[Requirement, ...] = ()
    """What earlier releases promised to people in them."""
    ledger: Ledger | None = None
    """The ledger that says so."""

    @property
    def classes(self) -> Int64s | None:
        """The class of each row, as learners take it."""
        return None if self.known is None else self.known.of_row

    def keeping(self, policy: Policy) -> Policy:
        """The policy that also asks for what was promised before, as far as it is about what this policy knows."""
        told = set(policy.private)
        more = [one for one in self.promised if not isinstance(one, OnPrivate) or (told and told.issuperset(one.on))]
        asked = at_once((*policy.require.parts, *more))
        return policy if str(asked) == str(policy.require) else replace(policy, require=asked)

    def without(self, gone: Bools) -> "Standing":
        """The same without some rows."""
        kept = ~gone
        known = None if self.known is None else replace(self.known, of_row=self.known.of_row[kept])
        return replace(self, people=self.people.filter(pl.Series(kept)), known=known)


def standing(
    people: Any, policy: PolicyLike, *, whole: bool = False, chance: np.random.Generator | None = None
) -> Standing:
    """Say who may be shown beside what was released before; everybody, if there is no ledger.

    If classes are to be shown as a `whole`, as a model shows those whom it does not divide, those that break the
    requirement by themselves are withheld. `chance` draws who of those waits whom nobody tells apart.
    """
    frame, asked = load(people), Policy.of(policy)
    ledger = current_ledger(asked)
    if ledger is None or not frame.height:
        return Standing(frame, ledger=ledger)
    with ledger:
        return _Next(ledger, frame, asked, np.random.default_rng(chance)).standing(whole=whole)


def spread(stands: Standing, people: pl.DataFrame, policy: Policy) -> Standing:
    """The same by the rows of people that were made of theirs, such as one for each code of a set."""
    ledger = current_ledger(policy)
    if stands.known is None or ledger is None or people.height == stands.people.height:
        return replace(stands, people=people)
    names, rows = (ledger.names(each, policy) for each in (stands.people, people))
    class_ = dict(zip(names.to_list(), stands.known.of_row.tolist(), strict=True))
    of_row = rows.replace_strict(class_, return_dtype=pl.Int64).to_numpy()
    return replace(stands, people=people, known=replace(stands.known, of_row=of_row))


def giving_away(make: Callable[[], Going], stands: Standing, policy: Policy) -> Bools | None:
    """Tell which of the rows that may be shown must go, since the release would not hold beside earlier ones.

    With somebody who is given away go all whom nobody tells apart from them so far, so that nothing new is told of any.
    None if all may stay.
    """
    ledger = current_ledger(policy)
    if ledger is None or stands.known is None:
        return None
    with ledger, ledger.opened() as store:
        going = make()
        assert going.people is not None
        assert going.seen is not None
        names = ledger.names(going.people, policy)
        new = Release(going.name, going.seen, numbers_of(names, store), policy.require)
        bad: Bools = np.zeros(len(new.who), bool)
        for earlier in ledger.holding(store):
            if earlier.releases:
                spans = earlier.with_new(new)
                failing = given_away(spans, spans.promised)
                joint = earlier.joint(len(failing))
                # Of newcomers nothing was told, so that each may go alone.
                seen_before = failing & (joint.span != _newcomers(joint))
                bad |= (failing | np.isin(joint.span, joint.span[seen_before]))[new.who]
        if not bad.any():
            return None
        gone = names.filter(pl.Series(bad))
        return ledger.names(stands.people, policy).is_in(gone.implode()).to_numpy()


@dataclass(frozen=True, repr=False)
class _Rows:
    """Rows of people, and the number of each row's person."""

    frame: pl.DataFrame
    who: Int64s

    def some(self, which: Bools) -> "_Rows":
        return _Rows(self.frame.filter(pl.Series(which, dtype=pl.Boolean)), self.who[which])

    def followed_by(self, more: "_Rows") -> "_Rows":
        if not more.frame.height:
            return self
        absent = [name for name in self.frame.columns if name not in more.frame.columns]
        if absent:
            raise DataError(f"the rows of people who left lack the column {listed(absent)}: add it")
        rows = pl.concat([self.frame, more.frame.select(self.frame.columns)], how="vertical_relaxed")
        return _Rows(rows, np.append(self.who, more.who))


@dataclass(frozen=True, repr=False)
class _Next:
    """The next release, before it is made."""

    ledger: Ledger
    people: pl.DataFrame
    policy: Policy
    rng: np.random.Generator

    def standing(self, *, whole: bool) -> Standing:
        """Find out who may be shown."""
        with self.ledger.opened() as store:
            earlier = self.ledger.all_held(store)
            if not earlier.releases:
                return Standing(self.people, ledger=self.ledger)
            self.ledger.check_policy(self.policy)
            rows, leavers = self._numbered(store)
            # Nobody knows what was told before of those who were forgotten.
            out = store.forgotten(self.ledger.names(self.people, self.policy))
        everybody = max(numbered(earlier.releases), int(max(rows.who.max(), leavers.who.max(initial=-1))) + 1)
        shown, stayed = self._shown(earlier, rows, leavers, everybody)
        joint = earlier.joint(everybody)
        those = rows.some(shown[rows.who] & ~out).followed_by(leavers.some(stayed[leavers.who]))
        if whole:
            those = those.some(self._keeps(those, joint.span))
        if not those.frame.height:
            raise Unreachable(
                f"nobody can be shown beside what was released before under {self.policy.require}: add people, or "
                "lower it"
            )
        withheld = int((~np.isin(np.unique(rows.who), those.who)).sum())
        known = Known(joint.span[those.who], _newcomers(joint))
        still = int(np.isin(np.flatnonzero(stayed), those.who).sum())
        promised = tuple(part for one in earlier.releases if one.promise for part in one.promise.parts)
        return Standing(those.frame, known, withheld, still, promised, self.ledger)

    def _numbered(self, store: Store) -> tuple[_Rows, _Rows]:
        """The rows of people, and those of others who left, numbered as the ledger does; new people come last."""
        names = self.ledger.names(self.people, self.policy)
        left = self.people.clear() if self.ledger.left is None else self.ledger.left
        gone = self.ledger.names(left, self.policy) if left.height else names.clear()
        others = ~gone.is_in(names.implode())
        gone, left = gone.filter(others), left.filter(others)
        every = pl.concat([names.rename(""), gone.rename("")])
        found = numbers_of(every, store)
        return _Rows(self.people, found[: len(names)]), _Rows(left, found[len(names) :])

    def _shown(self, earlier: Earlier, rows: _Rows, leavers: _Rows, everybody: int) -> tuple[Bools, Bools]:
        """Tell which of all people may be shown, and which of those who left must be."""
        shown, stayed, can_stay = np.zeros((3, everybody), bool)
        shown[rows.who] = True
        can_stay[leavers.who] = True
        class_ = earlier.joint(everybody).span
        bad = _broken(earlier, shown, self.policy.require, everybody)
        stayed = can_stay & np.isin(class_, class_[bad])
        shown |= stayed
        for withheld in self._larger_and_larger(earlier, shown, class_, everybody):
            shown = withheld
        return shown & ~stayed, stayed & shown

    def _larger_and_larger(self, earlier: Earlier, shown: Bools, class_: Int64s, everybody: int) -> Iterator[Bools]:
        """Yield who may be shown if more and more are withheld with those who left, until nobody is given away."""
        first, k = shown, self.policy.require.crowd
        order = self.rng.permutation(everybody)
        for times in (*TIMES, None):
            bad = _broken(earlier, shown, self.policy.require, everybody)
            if not bad.any():
                return
            broken = np.unique(class_[bad])
            shown = shown.copy()
            among = np.isin(class_, broken)
            if times is None:
                shown[among] = False
            else:
                shown[among] = first[among]
                absent = np.bincount(class_[among & ~shown], minlength=int(class_.max()) + 1)
                here = order[(among & shown)[order]]
                by_class = here[np.argsort(class_[here], kind="stable")]
                begin = np.searchsorted(class_[by_class], class_[by_class])
                place = np.arange(len(by_class)) - begin
                shown[by_class[place < np.maximum(times * k - absent[class_[by_class]], 0)]] = False
            yield shown

    def _keeps(self, those: _Rows, class_: Int64s) -> Bools:
        """Tell which rows are of a class that satisfies the requirement by itself."""
        frame, policy = prepared(those.frame, self.policy)
        table = encode(frame, policy, by_person=True)
        if table.persons is not None:
            return np.ones(those.frame.height, bool)  # makers of tables look at people themselves
        classes, of_row = np.unique(class_[those.who], return_inverse=True)
        groups = count_groups(table, of_row, len(classes), policy.require.about(policy.private))
        good: Bools = policy.require.holds(groups)[of_row]
        return good


def _broken(earlier: Earlier, shown: Bools, require: Requirement, everybody: int) -> Bools:
    """Tell who would be given away if some people were shown, though nothing was told of them but that."""
    seen = Seen(np.where(shown, 0, ABSENT), np.zeros(1, bool), {})
    spans = earlier.with_new(Release("the next one", seen, np.arange(everybody), require))
    return given_away(spans, spans.promised)


def _newcomers(joint: Joint) -> int | None:
    """The class of people who are in no earlier release."""
    nothing = np.flatnonzero(np.logical_and.reduce([spans == ABSENT for spans in joint.of_each]))
    return int(nothing[0]) if len(nothing) else None
