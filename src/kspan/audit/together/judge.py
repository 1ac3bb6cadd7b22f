"""The audit of several releases: each by itself, and all together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import ANSWERS, EXACT, NOT_PROVED, Alone, Audit
from kspan.audit.judge import judge
from kspan.audit.seen import Seen
from kspan.audit.together.people import POSITION, check_roles_agree, names_of, naming_column, numbered
from kspan.audit.together.spans import JointSpans, Release
from kspan.data.arrays import Int64s
from kspan.errors import DataError, PolicyError, listed
from kspan.policy import Policy
from kspan.privacy.requirement import Requirement, all_of

MOST_PAIRED = 12
"""Of so many releases all pairs are looked at; of more, those with the first one."""


@dataclass(frozen=True)
class Beside:
    """A release that others hold as well, with its own people and policy where they differ from those of the first."""

    release: Any
    people: Any = None
    policy: Any = None
    name: str | None = None
    """What findings call it."""
    match: str | None = None
    """The column that says who its people are, if not the policy's `person` or only identifier; or `"position"`."""


@dataclass(frozen=True, repr=False)
class Judged:
    """A release that was judged by itself, and the people that it was judged by."""

    name: str
    audit: Audit
    people: pl.DataFrame | None
    """One row for each row that is seen; None if the people are not known."""
    policy: Policy
    require: Requirement
    """What it was judged by."""
    source: int = 0
    """Which table the people are from: those from one table are matched by their rows."""
    match: str | None = None


def audit_together(each: Sequence[Judged], *, show: int = 5) -> Audit:
    """Judge several releases together: what each lets anybody tell of a person is public for the others.

    What is required of one of them is required of all.
    """
    seen: list[Seen] = []
    for one in each:
        found = one.audit.seen
        if one.people is None or (found is None and one.audit.reading != NOT_PROVED):
            return _not_matched(each, f"who is in {one.name} is not known: give its people")
        if found is None:
            raise PolicyError(f"what {one.name} tells of people was not found out, so it cannot be judged with others")
        seen.append(found)
    check_roles_agree({one.name: one.policy for one in each})
    who, number, matched = _matched(each)
    if not matched.somebody:
        return _not_matched(each, matched.said[0])
    for one, rows, found in zip(each, who, seen, strict=True):
        if len(found.span) != len(rows):
            raise DataError(f"{one.name} was judged by other rows than its people have: give it one row a person")
    releases = tuple(Release(one.name, found, rows) for one, found, rows in zip(each, seen, who, strict=True))
    require = all_of(one.require for one in each)
    spans = JointSpans(releases, number, weights_of(releases, number), {}, ())
    told = _told([one.audit for one in each], [one.name for one in each], matched.said)
    spans = replace(spans, told=told, alone=tuple(_alone(each, spans, require)))
    verdict = judge(spans, require, show=show)
    return replace(verdict, holds=verdict.holds and all(one.audit.holds for one in each))


@dataclass(frozen=True)
class Matched:
    """How people were matched."""

    said: tuple[str, ...] = ()
    somebody: bool = True
    """Is anybody in several of the tables?"""


def _matched(each: Sequence[Judged]) -> tuple[list[Int64s], int, Matched]:
    """Return the person of each row of each release, how many people there are, and how they were matched."""
    frames = [one.people for one in each if one.people is not None]
    first = each[0].policy
    alike = len({one.source for one in each}) == 1 and len({frame.height for frame in frames}) == 1
    if alike and not first.person:
        return [np.arange(frames[0].height)] * len(frames), frames[0].height, Matched()
    if any(one.match == POSITION for one in each):
        if len({frame.height for frame in frames}) > 1:
            raise DataError(
                "the tables of people have different numbers of rows, so row i is not the same person in all of them: "
                "match people by a column (--match COLUMN)"
            )
        said = ("row i of every table is taken to be the same person",)
        return [np.arange(frames[0].height)] * len(frames), frames[0].height, Matched(said)
    names = []
    for one, frame in zip(each, frames, strict=True):
        column = naming_column(one.policy, frame.columns, one.match)
        names.append(names_of(frame, one.policy, column))
    who, number = numbered(names)
    if alike:
        return who, number, Matched()
    releases_of = np.zeros(number, np.int64)
    for rows in who:
        there = np.zeros(number, bool)
        there[rows] = True
        releases_of += there
    both, columns = int((releases_of > 1).sum()), listed(dict.fromkeys(each.name for each in names))
    if not both:
        nobody = (
            f"nobody is in several of the tables of people, as far as {columns} tell: are names spelled differently?"
        )
        return who, number, Matched((nobody,), somebody=False)
    said = (f"people were matched by {columns}: {both:,} of {number:,} are in several of the tables of people",)
    return who, number, Matched(said)


def weights_of(releases: Sequence[Release], number: int) -> Int64s | None:
    """Return how many people each person stands for; refuse if that differs between releases."""
    if all(release.seen.weights is None for release in releases):
        return None
    found = np.zeros(number, np.int64)
    for release in releases:
        own = np.ones(len(release.who), np.int64) if release.seen.weights is None else release.seen.weights
        if (found[release.who] * (found[release.who] != own)).any():
            raise DataError(
                "a row stands for another number of people in one release than in another: give each person a row"
            )
        found[release.who] = own
    return np.maximum(found, 1)


def _alone(each: Sequence[Judged], spans: JointSpans, require: Requirement) -> Iterator[Alone]:
    """Yield each release by itself, and the pairs that break the requirement though neither does alone."""
    people = [int((np.bincount(release.who[release.rows]) > 0).sum()) for release in spans.releases]
    for one, number in zip(each, people, strict=True):
        yield Alone((one.name,), number, one.audit.failing_people)
    if not spans.failing(require):
        return
    for first, second in combinations(range(len(each)), 2):
        if first and len(each) > MOST_PAIRED:
            return
        if not each[first].audit.failing_people and not each[second].audit.failing_people:
            pair = spans.some((first, second))
            if failing := pair.failing(require):
                there = np.unique(np.concatenate([release.who[release.rows] for release in pair.releases]))
                yield Alone((each[first].name, each[second].name), len(there), failing)


def _told(audits: Sequence[Audit], names: Sequence[str], matched: Sequence[str]) -> Mapping[str, Any]:
    """Gather what the judges of all releases say."""
    pairs = list(zip(names, audits, strict=True))
    by_doubt = [EXACT, ANSWERS, NOT_PROVED]
    return {
        "identifiers": tuple(dict.fromkeys(name for audit in audits for name in audit.identifiers)),
        "untrue": tuple(f"{part} of {name}" for name, audit in pairs for part in audit.untrue),
        "exact": tuple(f"{part} of {name}" for name, audit in pairs for part in audit.exact),
        "spreads": tuple(dict.fromkeys(name for audit in audits for name in audit.spreads)),
        "assumptions": (*matched, *dict.fromkeys(said for audit in audits for said in audit.assumptions)),
        "reading": max((audit.reading for audit in audits), key=by_doubt.index),
        "covered": "; ".join(f"{name}: {audit.covered}" for name, audit in pairs if audit.covered),
    }


def _not_matched(each: Sequence[Judged], why: str) -> Audit:
    """Return the verdict on releases whose people cannot be matched: as if everybody was told apart."""
    alone = tuple(Alone((one.name,), one.audit.people, one.audit.failing_people) for one in each)
    return replace(
        each[0].audit, holds=False, reading=NOT_PROVED, covered=why, releases=len(each), alone=alone,
        kind=JointSpans.kind,
    )  # fmt: skip
