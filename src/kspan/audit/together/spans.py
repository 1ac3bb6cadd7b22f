"""Joint spans: what several releases together let anybody tell of people.

The rule: what a release lets anybody tell of a person is public for all others, and so is whether the person is in it.
So the joint span of a person is the tuple of the spans in all releases, or "not in it". Whoever has the same tuple is
not told apart: exchange the private values of two such people, and every release stays as it is. Newcomers and leavers
are crowds of their own, which is why totals of nested populations may be subtracted from each other in vain.

What a release tells of private attributes is asked of every joint span that has people in that release. Whatever is
guessed of the people of a joint span, it is true of as many of them as the requirement allows, however the guess was
found; and every value that one of them has is possible for all of them. Values that change between releases are those
of each release.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kspan.audit.findings import Alone
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured, worst
from kspan.audit.persons import PersonCrowds
from kspan.audit.seen import ABSENT, Seen
from kspan.audit.sets import Sets
from kspan.audit.spans import Spans
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_values, tally
from kspan.data.table import Column
from kspan.privacy.requirement import OnPrivate, Requirement


@dataclass(frozen=True, repr=False)
class Release:
    """One of the releases that are judged together: what is seen in it, and the person of each of its rows."""

    name: str
    seen: Seen
    who: Int64s
    """The person of each row; people of all releases are numbered together."""
    promise: Requirement | None = None
    """What it promised to the people in it; None if all releases are judged by one requirement."""

    @cached_property
    def rows(self) -> Int64s:
        """The rows that are in the release."""
        return np.flatnonzero(self.seen.span != ABSENT)

    @cached_property
    def several(self) -> bool:
        """Do people have several rows in it?"""
        return bool((np.bincount(self.who[self.rows]) > 1).any())

    def of_people(self, people: int) -> tuple[Int64s, Bools]:
        """The span of every person, or `ABSENT`, and which spans tell something; of several rows, the set of spans."""
        span = np.full(people, ABSENT, np.int64)
        if not self.several:
            span[self.who[self.rows]] = self.seen.span[self.rows]
            return span, self.seen.exposing
        number = len(self.seen.exposing)
        person, one = np.divmod(np.unique(self.who[self.rows] * number + self.seen.span[self.rows]), number)
        span = self._numbered(person, one, people)
        exposing = np.zeros(int(span.max()) + 1, bool)
        exposing[span[person[self.seen.exposing[one]]]] = True
        return span, exposing

    def rows_of_people(self, people: int) -> tuple[Int64s, Int64s, Bools]:
        """How many rows each person has, which spans these are in and how often, and whether that is several spans."""
        who, span = self.who[self.rows], self.seen.span[self.rows]
        lowest, highest = np.full(people, len(self.seen.exposing)), np.full(people, ABSENT)
        np.minimum.at(lowest, who, span)
        np.maximum.at(highest, who, span)
        return np.bincount(who, minlength=people), self._numbered(who, span, people), lowest < highest

    def _numbered(self, person: Int64s, span: Int64s, people: int) -> Int64s:
        """Number what people have: equal numbers for equal spans, and each equally often; `ABSENT` for nobody there."""
        is_there = np.zeros(people, bool)
        is_there[person] = True
        there, place = np.flatnonzero(is_there), np.cumsum(is_there) - 1
        # Sums of marks also tell how often a member is added.
        sets = Sets(owners=len(there), members=len(self.seen.exposing))
        sets.add(place[person], span)
        found = np.full(people, ABSENT, np.int64)
        found[there], _ = sets.numbered()
        return found


@dataclass(frozen=True, repr=False)
class Joint:
    """The joint span of every person."""

    span: Int64s
    sizes: Int64s
    exposing: Bools
    of_each: tuple[Int64s, ...]
    """For each release, the span there of the people of every joint span, or `ABSENT`."""

    @classmethod
    def of(cls, releases: Sequence[Release], people: int, weights: Int64s | None = None) -> "Joint":
        """Find the joint spans of some releases."""
        joint, number = np.zeros(people, np.int64), 1
        each = [release.of_people(people) for release in releases]
        for span, exposing in each:
            width = len(exposing) + 1
            joint, number = _divided(joint, number, span + 1, width)
        for rows in _rows_told(releases, people):
            joint, number = _divided(joint, number, rows, int(rows.max()) + 1)
        example = np.empty(number, np.int64)
        example[joint] = np.arange(people)
        of_each = tuple(span[example] for span, _ in each)
        told = [exposing[span] & (span != ABSENT) for span, (_, exposing) in zip(of_each, each, strict=True)]
        sizes = np.bincount(joint, weights, number).astype(np.int64)
        return cls(joint, sizes, np.logical_or.reduce(told), of_each)

    def divided(self, new: Release, weights: Int64s | None) -> "Joint":
        """The joint spans with one more release, which comes first."""
        span, exposing = new.of_people(len(self.span))
        joint, number = _divided(self.span, len(self.sizes), span + 1, len(exposing) + 1)
        example = np.empty(number, np.int64)
        example[joint] = np.arange(len(joint))
        before, here = self.span[example], span[example]
        told = self.exposing[before] | (exposing[here] & (here != ABSENT))
        sizes = np.bincount(joint, weights, number).astype(np.int64)
        return Joint(joint, sizes, told, (here, *(each[before] for each in self.of_each)))


def _divided(joint: Int64s, number: int, more: Int64s, width: int) -> tuple[Int64s, int]:
    """Divide `number` classes by something else that is told, of `width` kinds; returns the classes, and how many."""
    distinct, _, found = tally(joint * width + more, number * width, NO_WEIGHTS, locate=True)
    return found, len(distinct)


def _rows_told(releases: Sequence[Release], people: int) -> Iterator[Int64s]:
    """Yield by what else people with several rows are told apart, release by release.

    Whoever has one row more in a later release is told by subtraction. So the number of rows tells people apart, where
    it changes between releases; and where the rows of a person are in several spans, how many are in each.
    """
    if len(releases) < 2 or not any(release.several for release in releases):
        return
    each = [release.rows_of_people(people) for release in releases]
    number = np.array([rows for rows, _, _ in each])
    is_there = number > 0
    most, fewest = number.max(axis=0), np.where(is_there, number, number.max()).min(axis=0)
    again = is_there.sum(axis=0) > 1
    scattered = again & np.logical_or.reduce([several for _, _, several in each])
    changed = again & ~scattered & (most > fewest)
    for rows, spans, _ in each:
        yield np.where(scattered, 1 + number.max() + spans + 1, np.where(changed, rows, 0))


@dataclass(frozen=True, repr=False)
class Asked:
    """What one release tells of one thing, counted in the joint spans of those it is told of."""

    name: str
    """What it is, and in which release, if several tell it."""
    of: str
    """What it is."""
    is_private: bool
    spans: Int64s
    """These joint spans."""
    counts: tuple[Counts, ...]
    """Their people by what is told, counted in every way that must hold: by people and by rows, if these differ."""
    held: tuple[Counts, ...]
    """The same by what people truly have, for limits on one value."""

    def asks(self, part: OnPrivate) -> OnPrivate | None:
        """What a part of the requirement asks of it; None if nothing."""
        if not self.is_private:
            return replace(part, on=()) if part.is_of_any_values else None
        return part if self.of in part.looks_at((self.of,)) else None

    def holds(self, part: OnPrivate) -> Bools:
        """Tell which of the joint spans satisfy a part of the requirement."""
        asked = self.asks(part)
        good: Bools = np.ones(len(self.spans), bool)
        if asked is not None:
            for counts in self.counts if part.only_value is None else self.held:
                good &= asked.holds(Groups(counts.sizes, {self.of: counts}))
        return good

    @property
    def certain(self) -> Bools:
        """In which of the joint spans it is certain."""
        sure: Bools = np.logical_or.reduce([certain(counts) for counts in self.counts])
        return sure

    @property
    def confidence(self) -> Floats:
        """How sure the best guess is in each of the joint spans."""
        best: Floats = np.maximum.reduce([confidence(counts) for counts in self.counts])
        return best


@dataclass(frozen=True, repr=False)
class JointSpans(Spans):
    """The joint spans of several releases among all their people; rows are those of the first release."""

    kind = "releases"
    releases: tuple[Release, ...]
    everybody: int
    """How many people there are."""
    weights: Int64s | None
    """How many people each of them stands for; None if one each."""
    told: Mapping[str, Any]
    """What is told of all releases by those who judged each: see `Audit`."""
    alone: tuple[Alone, ...]
    brief: bool = False
    """Is only the verdict wanted, without what every measure reaches?"""

    @cached_property
    def joint(self) -> Joint:
        """The joint span of every person."""
        return Joint.of(self.releases, self.everybody, self.weights)

    @property
    def span(self) -> Int64s:  # type: ignore[override]
        """The joint span of every row of the first release."""
        return self.joint.span[self.releases[0].who]

    @property
    def groups(self) -> Groups:  # type: ignore[override]
        """The people of each joint span."""
        return Groups(self.joint.sizes, {}, self.joint.exposing)

    @property
    def rows(self) -> int:
        """How many rows the people of the first release have."""
        return len(self.releases[0].who)

    @property
    def people(self) -> int:
        """How many people are in any of the releases."""
        there = np.logical_or.reduce([spans != ABSENT for spans in self.joint.of_each])
        return int(self.joint.sizes[there].sum())

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """All that is told, release by release."""
        return tuple(self._asked())

    def _asked(self) -> Iterator[Asked]:
        times = Counter(name for release in self.releases for name in release.seen.tells)
        for release in self.releases:
            for name, tells in release.seen.tells.items():
                told = release.rows[tells.where[release.seen.span[release.rows]]]
                if not len(told):
                    continue
                spans, group = _present(self.joint.span[release.who[told]], len(self.joint.sizes))
                counts = _counted(release, tells.column, told, group, len(spans))
                held = counts if tells.held is tells.column else _counted(release, tells.held, told, group, len(spans))
                called = name if times[name] == 1 else f"{name} in {release.name}"
                yield Asked(called, name, tells.is_private, spans, counts, held)

    @cached_property
    def _by_name(self) -> Mapping[str, Asked]:
        return {asked.name: asked for asked in self.asked}

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """What is told, by its name."""
        return {name: asked.counts[0] for name, asked in self._by_name.items()}

    def holds(self, part: Requirement) -> Bools:
        """Tell which joint spans satisfy one part of the requirement."""
        if not isinstance(part, OnPrivate):
            return part.holds(self.groups)
        good = np.ones(len(self.sizes), bool)
        for asked in self.asked:
            good[asked.spans] &= asked.holds(part)
        return good

    def limited(self, name: str, require: Requirement) -> dict[str, float]:
        """The level that each limit on one value reaches, by what is limited."""
        asked, reached = self._by_name[name], {}
        for part in require.parts:
            if isinstance(part, OnPrivate) and part.only_value is not None and asked.asks(part):
                reached[part.subject] = max(float(part.level(counts).max()) for counts in asked.held)
        return reached

    def exposed(self, name: str) -> int:
        """How many people have something that can be told with certainty."""
        asked = self._by_name[name]
        return int(self.sizes[asked.spans[asked.certain]].sum())

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """The worst level that it reaches in every measure."""
        return {} if self.brief else worst([measured(counts) for counts in self._by_name[name].counts])

    def guess(self, name: str) -> tuple[Floats, Bools]:
        """The confidence of the best guess in each joint span, and whether it is certain."""
        asked, number = self._by_name[name], len(self.sizes)
        best, sure = np.full(number, np.nan), np.zeros(number, bool)
        best[asked.spans], sure[asked.spans] = asked.confidence, asked.certain
        return best, sure

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some joint spans by what their people show in each release."""
        found: list[dict[str, str]] = [{} for _ in some]
        for release, spans in zip(self.releases, self.joint.of_each, strict=True):
            for place, span in enumerate(spans[list(some)].tolist()):
                if span == ABSENT:
                    found[place][release.name] = "not in it"
                elif release.several:
                    found[place][release.name] = "several rows"
                else:
                    (shown,) = release.seen.describe([span])
                    found[place] |= {f"{release.name}: {key}": cell for key, cell in shown.items()}
        return found

    def facts(self) -> dict[str, Any]:
        """What the judges of the releases found, and how many releases there are."""
        return {**self.told, "releases": len(self.releases), "alone": self.alone}

    def failing(self, require: Requirement) -> int:
        """How many people are in joint spans that break a requirement."""
        good = np.logical_and.reduce([self.holds(part) for part in require.parts])
        return self.failing_people(good)

    def some(self, places: Sequence[int]) -> "JointSpans":
        """Some of the releases, by themselves."""
        return replace(self, releases=tuple(self.releases[place] for place in places))


def _present(span: Int64s, number: int) -> tuple[Int64s, Int64s]:
    """The joint spans that some rows have, of so many, and the place among them of each row's."""
    there = np.zeros(number, bool)
    there[span] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[span]


def _counted(release: Release, column: Column, told: Int64s, group: Int64s, number: int) -> tuple[Counts, ...]:
    """Count what some rows have, by joint span; of people with several rows, by people and by rows.

    Everybody in the release is who they are compared with.
    """
    rows = release.rows
    there = replace(column, codes=column.codes[rows])
    place = np.searchsorted(rows, told)
    if release.several:
        nobody, none = np.zeros(number, np.int64), np.zeros(number, bool)
        crowds = PersonCrowds({"": there}, release.who[rows], place, group, number, 1, nobody, none)
        return tuple(groups.private[""] for groups in (crowds.by_person, crowds.by_row))
    weights = release.seen.weights
    some = replace(column, codes=column.codes[told])
    counts = count_values(some, group, number, NO_WEIGHTS if weights is None else weights[told])
    whole = np.bincount(there.codes, None if weights is None else weights[rows], column.size)
    return (replace(counts, whole=whole.astype(np.int64)),)
