"""Anonymized tables: any method with any requirement, judged before anybody sees them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import polars as pl

from kspan.anonymize.apart import made_apart
from kspan.anonymize.crowds import Recoding
from kspan.anonymize.ends import with_crowded_ends
from kspan.anonymize.frame import recoded
from kspan.anonymize.known import Known, made_by_class
from kspan.anonymize.persons import made_of_people
from kspan.anonymize.wide import WidePeople, made_wide
from kspan.audit.audit import audit
from kspan.audit.findings import Audit
from kspan.data.arrays import Bools
from kspan.data.encode import encode
from kspan.data.prepared import computed, prepared, without_target_of_dates
from kspan.data.table import Table
from kspan.errors import DataError, DoesNotHold, KspanError, PolicyError, Unreachable, did_you_mean, listed
from kspan.frames.files import load
from kspan.frames.native import of_its_kind
from kspan.ledger.standing import Standing, giving_away, spread, standing
from kspan.model.partition import Partition
from kspan.options import PROGRESS, check_names
from kspan.policy import Policy, PolicyLike
from kspan.policy.free_text import check_no_free_text
from kspan.policy.policy import EXACT
from kspan.policy.values import check_occurs
from kspan.secret import Secret
from kspan.tables.choosing import best_of
from kspan.tables.methods import APART, APART_BY_ROWS, AUTO, BY_NAME, methods, options_of, ranged
from kspan.tables.private_numbers import PrivateNumbersShown
from kspan.tables.release import TableRelease, rows_behind

ROUNDS = 5
"""How often a table is made anew beside earlier releases, each time with fewer people."""

Progress = Callable[[str], None]


FORMS = ("long", "wide")
OUTER = "round numbers around all, "
"""Where ranges end that have nothing beyond, unless a domain is declared."""


def anonymize(
    data: Any,
    policy: PolicyLike,
    method: str = "auto",
    *,
    secret: str | Secret | None = None,
    keep_order: bool = False,
    form: str = "long",
    at_most: int | None = None,
    progress: Progress = lambda step: None,
    **options: Any,
) -> TableRelease:
    """Return a table in which everybody stands in a crowd, by `kactus`, `mondrian`, `tds`, `incognito`, ...

    `auto` tries the methods that fit the policy and takes the one that keeps most of the target and of the cells. What
    is left to chance follows from a new `secret`, which the release and its owner's file keep; given again, it makes
    the same table again. Where people have several rows, the `wide` form has one row a person, with `at_most` so many
    rows side by side. The options of each method are those of its function in `kspan.anonymize`.
    """
    kept = Secret.of(secret)
    _check_form(form, at_most)
    progress("coding the columns")
    subject = _Subject.of(load(data), Policy.of(policy), form, at_most, kept)

    def once(name: str, subject: _Subject) -> TableRelease:
        progress(f"trying {name}" if method == "auto" else "making groups")
        given = _options(name, options, progress) if method != "auto" else {}
        those, recoding = subject.recoding(name, kept.chance(), given)
        frame = those.released(recoding.partition, None if keep_order else kept)
        if not frame.height:
            raise Unreachable(
                f"{name} would withhold everybody to reach {subject.policy.require}: lower it, or add people"
            )
        progress("judging them")
        found = audit(frame, those.behind(recoding), subject.policy)
        if not found.holds:
            raise _refusal(name, frame, found, subject.policy)
        # `given` may also hold the progress, which is no option.
        told = {key: value for key, value in options.items() if key in given}
        return those.release(of_its_kind(data, frame), name, told, recoding, found, keep_order, kept)

    def made(name: str) -> TableRelease:
        return _held_together(partial(once, name), subject, progress)

    if method != "auto":
        if method not in methods():
            known = ["auto", *methods()]
            raise PolicyError(f"there is no method {method!r}{did_you_mean(method, known)}: use {', '.join(known)}")
        return made(method)
    if options:
        raise PolicyError(f"auto takes no options such as {listed(options)}: name the method that they are for")
    return _tried(made, subject.policy)


def _held_together(made: "Callable[[_Subject], TableRelease]", subject: "_Subject", progress: Progress) -> TableRelease:
    """Return what is made, without the people whom it and earlier releases would give away together."""
    for _ in range(ROUNDS):
        release = made(subject)
        gone = giving_away(release.going, subject.stands, subject.asked)
        if gone is None:
            return release
        progress("withholding those whom earlier releases would give away")
        subject = subject.without(gone)
    return release  # it is refused where it is to leave


def _tried(made: Callable[[str], TableRelease], policy: Policy) -> TableRelease:
    """Return the best of the releases that the methods make which fit the policy."""
    releases, refusals = [], {}
    for name in (name for name in AUTO if _fits(name, policy)):
        try:
            releases.append(made(name))
        # `DoesNotHold` is not caught: it would be a defect of the method.
        except (DataError, PolicyError, Unreachable) as error:  # what one cannot do, another may
            refusals[name] = error
    if not releases:
        raise next(iter(refusals.values()))
    return best_of(releases, refused=list(refusals))


@dataclass(frozen=True, repr=False)
class _Subject:
    """The people whose table is made anonymous."""

    people: pl.DataFrame
    """With private numbers as they are shown."""
    table: Table
    """What methods see: the rows of people, or in the wide form one row a person."""
    policy: Policy
    """The policy for the table; it is that of rows, if each row is a person."""
    asked: Policy
    wide: WidePeople | None
    stands: Standing
    numbers: PrivateNumbersShown

    @classmethod
    def of(cls, people: pl.DataFrame, asked: Policy, form: str, at_most: int | None, secret: Secret) -> "_Subject":
        """Code the people who may be shown; refuse what a release must not hold, and values that nobody has."""
        given = asked
        stands = standing(computed(people, asked), asked, chance=secret.chance())
        people, asked = prepared(stands.people, asked)
        stands = spread(stands, people, given)
        if asked.person and asked.person not in people.columns:
            raise DataError(f"the table does not say whose row it is: add the column {asked.person!r}")
        if form == "wide" and not asked.person:
            raise PolicyError(
                'the wide form is for people with several rows: say whose row is whose (person = "patient_id")'
            )
        check_no_free_text(people, asked)
        asked = without_target_of_dates(people, asked)
        numbers = PrivateNumbersShown.of(people, asked, secret, beside_ledger=stands.ledger is not None)
        people, asked = numbers.people, asked.as_shown()
        table = encode(people, asked, by_person=True)
        check_occurs(asked.require, table, asked)
        if table.persons is None:
            return cls(people, table, asked.of_rows(), given, None, stands, numbers)
        if form == "long":
            return cls(people, table, asked, given, None, stands, numbers)
        wide = WidePeople.of(people, table, asked, at_most)
        return cls(people, wide.table, asked, given, wide, stands, numbers)

    def recoding(self, name: str, rng: np.random.Generator, given: Mapping[str, Any]) -> "tuple[_Subject, Recoding]":
        """Return what a method makes of the people; where they have several rows, it makes groups of people.

        In the wide form, the people come in the shape of those who are released.
        """
        if given.get("resist"):
            self._check_resists()

        def coarser(table: Table, policy: Policy) -> tuple[Table, Mapping[str, str]]:
            coarse, ends = with_crowded_ends(table, policy, ranged(name, table, policy, given))
            around = OUTER if name in BY_NAME else ""
            return coarse, {column: f"{around}{told}" for column, told in ends.items()}

        def method(table: Table, policy: Policy) -> Recoding:
            return methods()[name](table, policy, rng=rng, **given)

        if self.wide is not None:
            # The people who are released are found step by step, and with them the numbers that a crowd has.
            wide, made = made_wide(lambda table, policy: method(coarser(table, policy)[0], policy), self.wide)
            return replace(self, wide=wide, table=wide.table), _ending(
                made, coarser(wide.table, wide.policy)[1], self.policy
            )
        table, ends = coarser(self.table, self.policy)
        known, subject = self.stands.known, replace(self, table=table)
        if known is not None and not known.is_nothing:
            made = replace(subject, policy=self.stands.keeping(self.policy))._beside(name, method, known, rng)
        elif table.persons is None:
            made = method(table, self.policy)
        else:
            made = made_of_people(method, table, self.policy, rng)
        return self, _ending(made, ends, self.policy)

    def _check_resists(self) -> None:
        """Refuse to promise something to those who know the method where rows are withheld by private values."""
        if self.table.persons is not None or self.wide is not None:
            raise PolicyError(
                "where people have several rows, rows are withheld by their private values, which tells something of "
                "them: release one row a person, or leave resist out"
            )
        if self.stands.known is not None and not self.stands.known.is_nothing:
            raise PolicyError(
                "beside earlier releases people are withheld by their private values, which tells something of them: "
                "leave the ledger out, or resist"
            )

    def _beside(
        self, name: str, method: Callable[[Table, Policy], Recoding], known: Known, rng: np.random.Generator
    ) -> Recoding:
        """Return what a method makes of people of whom something is known already."""
        if self.policy.counting == "rows" and self.table.persons is None:
            return made_by_class(lambda table: method(table, self.policy), self.table, self.policy, known)
        if name != "mondrian":
            raise Unreachable(
                f"{name} cannot be used beside earlier releases where people are counted, since groups must not "
                "overlap: use -m mondrian"
            )
        return made_apart(self.table, self.policy, known, rng)

    def without(self, gone: Bools) -> "_Subject":
        """The same without some rows; refuse if nobody is left."""
        rows = np.flatnonzero(~gone)
        if not len(rows):
            raise Unreachable(f"nobody can be shown beside earlier releases under {self.policy.require}: add people")
        people = self.people.filter(pl.Series(~gone))
        stands = self.stands.without(gone)
        return replace(
            self,
            people=people,
            table=self.table.at(rows),
            numbers=self.numbers.without(gone),
            stands=replace(stands, withheld=stands.withheld + int(gone.sum())),
        )

    def released(self, partition: Partition, secret: Secret | None) -> pl.DataFrame:
        """Return the table to release, shuffled by a secret."""
        if self.wide is None:
            return recoded(self.people, self.policy, partition, secret)
        return recoded(self.wide.frame, self.wide.policy, partition, secret)

    def behind(self, recoding: Recoding) -> pl.DataFrame | None:
        """Return the rows that were released, if the judge needs them."""
        return rows_behind(self.people, self.table, recoding, self.policy, self.wide)

    def release(
        self,
        table: Any,
        method: str,
        options: Mapping[str, Any],
        recoding: Recoding,
        found: Audit,
        keep_order: bool,
        secret: Secret,
    ) -> TableRelease:
        """Return the release, with all that the owner should know of it."""
        withheld = recoding.partition.withheld
        return TableRelease(
            table, self.policy, method, options, recoding.facts, found, withheld, keep_order, secret.text, self.people,
            self.table, recoding, self.asked, self.wide, self.stands, self.numbers,
        )  # fmt: skip


def _ending(made: Recoding, ends: Mapping[str, str], policy: Policy) -> Recoding:
    """Say where ranges end, if there are any."""
    said = "numbers of the people in the table" if policy.grid == EXACT else ends
    return replace(made, facts={**made.facts, "ends": said}) if said else made


def _check_form(form: str, at_most: int | None) -> None:
    if form not in FORMS:
        raise PolicyError(f"there is no form {form!r:.40}{did_you_mean(str(form), FORMS)}: use {' or '.join(FORMS)}")
    if at_most is not None and form != "wide":
        raise PolicyError("at_most says how many rows of a person stand side by side: ask for the wide form, too")


def _refusal(method: str, frame: pl.DataFrame, found: Audit, policy: Policy) -> KspanError:
    """Return the error that says why a table is not released."""
    if policy.counting == "people" and audit(frame, replace(policy, counting="rows")).holds:
        others = [name for name in APART if name != method]
        return Unreachable(
            f"the groups of {method} overlap, so that the people who match the same of them break {policy.require}: "
            f"use {', '.join(others)}, or let the policy count rows"
        )
    if found.persons is not None and found.persons.form == "long" and method not in APART_BY_ROWS:
        return Unreachable(
            f"the groups of {method} overlap, so that the people whose rows match the same of them break "
            f"{policy.require}: use {', '.join(name for name in APART_BY_ROWS)}"
        )
    return DoesNotHold(
        f"{method} left {found.failing_people} of {found.people} people in groups that break {policy.require}: "
        "it was not released; please report this"
    )


def _fits(name: str, policy: Policy) -> bool:
    """May `auto` try a method under a policy?"""
    if name in ("kactus", "tds", "tdr"):
        return policy.target is not None and policy.target in policy.private
    if name == "incognito":
        return all(attribute in policy.hierarchies for attribute in policy.public)
    return True


def _options(name: str, options: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the options of a method, and its progress if it reports any; refuse options that it does not have."""
    check_names(name, options, options_of(name))
    return {**options, **({PROGRESS: _share(progress)} if PROGRESS in signature(methods()[name]).parameters else {})}


def _share(progress: Progress) -> Callable[[str | float], None]:
    """Return a function that tells how far a search is, from a share or from what the method itself says."""
    return lambda done: progress(done if isinstance(done, str) else f"searching, {done:.0%} done")
