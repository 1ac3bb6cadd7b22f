"""Models about people with several rows: judged by people, whatever kind of model it is.

A model tells of rows: which span each has, and what is disclosed there. Someone who knows the public values of some or
all rows of a person knows their spans. So these are the bins of `PersonCrowds`, as groups are for a table: a crowd is
of people, and private values are asked by rows and by people. Spans that tell nothing are left out. Those that tell
nothing of one attribute still tell people apart: whoever is known to be there is known better.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kspan.audit.findings import K, Persons, Utility
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured, worst
from kspan.audit.persons import PersonCrowds
from kspan.audit.risk import Risk, risk_of
from kspan.audit.seen import Seen
from kspan.audit.spans import Spans, SpansOfRows
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import Counts, Groups
from kspan.data.persons import count_persons
from kspan.data.table import Column
from kspan.policy import Policy
from kspan.privacy.requirement import OnPrivate, Requirement
from kspan.utility.loss import average_group_size


def by_people(spans: SpansOfRows, policy: Policy) -> Spans:
    """Return the spans of a model as they are judged: by people, if these have several rows."""
    persons = spans.persons
    return spans if persons is None else SpansOfPersons(spans, persons, policy)


@dataclass(frozen=True, repr=False)
class Told:
    """The spans that tell something, and the people in them."""

    spans: Int64s
    crowds: PersonCrowds


@dataclass(frozen=True, repr=False)
class SpansOfPersons(Spans):
    """The spans of a model among people with several rows, each of whom counts once."""

    of_rows: SpansOfRows
    persons: Int64s
    policy: Policy

    @property
    def kind(self) -> str:  # type: ignore[override]
        """What was judged."""
        return self.of_rows.kind

    @property
    def span(self) -> Int64s:  # type: ignore[override]
        """The span of every row."""
        return self.of_rows.span

    @cached_property
    def groups(self) -> Groups:  # type: ignore[override]
        """The people of each span, each of them once, and one private value of each."""
        rows = self.of_rows
        columns = {name: rows.told_of_rows(name) for name in rows.groups.private}
        counted = count_persons(columns, self.persons, self.span, len(rows.sizes))
        return replace(counted, exposing=rows.exposing)

    @property
    def rows(self) -> int:
        """How many rows the people have."""
        return self.of_rows.rows

    @cached_property
    def people(self) -> int:
        """How many people there are."""
        return len(np.unique(self.persons))

    @cached_property
    def exposed_people(self) -> Told | None:
        """The spans that tell something at all; None if none does."""
        return self._told(self.exposing, {})

    def told_of(self, name: str) -> Told | None:
        """The spans that tell something of a private attribute, and what they tell; None if none does."""
        if name not in self._each:
            self._each[name] = self._told(self.telling(name), {name: self.of_rows.told_of_rows(name)})
        return self._each[name]

    @cached_property
    def _each(self) -> dict[str, Told | None]:
        """What was found of the attributes that were asked for."""
        return {}

    def _told(self, there: Bools, private: Mapping[str, Column]) -> Told | None:
        if not there.any():
            return None
        known = there | self.exposing
        spans, rows = np.flatnonzero(known), np.flatnonzero(known[self.span])
        bins, nobody = (np.cumsum(known) - 1)[self.span[rows]], np.zeros(len(spans), np.int64)
        most, silent = self.policy.known_rows, ~there[spans]
        return Told(spans, PersonCrowds(private, self.persons, rows, bins, len(spans), most, nobody, silent))

    def holds(self, part: Requirement) -> Bools:
        """Tell which spans satisfy one part of the requirement, alone and with whatever else may be known."""
        good = np.ones(len(self.sizes), bool)
        for told, asked in self._asked(part):
            good[told.spans] &= told.crowds.holds(asked)
        return good

    def _asked(self, part: Requirement) -> list[tuple[Told, Requirement]]:
        """Return what a part of the requirement is asked of."""
        if not isinstance(part, OnPrivate):
            return [] if self.exposed_people is None else [(self.exposed_people, part)]
        every = [(self._limited(name) if part.only_value else self.told_of(name), asked)
                 for name, asked in self.of_rows.asks(part)]  # fmt: skip
        return [(told, asked) for told, asked in every if told is not None]

    def _limited(self, name: str) -> Told | None:
        """Return the spans that tell something of a private attribute, and what their people truly have."""
        return self._told(self.telling(name), {name: self.of_rows.held_by_rows(name)})

    def telling(self, name: str) -> Bools:
        """Tell which spans the release tells something of a private attribute."""
        return self.of_rows.telling(name)

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """For each private attribute of which something is told, its values span by span, by rows."""
        return self.of_rows.disclosed

    @cached_property
    def crowd(self) -> Int64s:
        """The smallest crowd of each span, whatever may be known."""
        smallest = self.sizes.copy()
        if (told := self.exposed_people) is not None:
            smallest[told.spans] = np.minimum(smallest[told.spans], told.crowds.crowd)
        return smallest

    @property
    def k(self) -> K:
        """The k that is reached, by rows and by people."""
        told = self.exposed_people
        return K(rows=self.of_rows.k.rows, people=self.people if told is None else int(told.crowds.crowd.min()))

    @property
    def risk(self) -> Risk:
        """How likely people are to be re-identified, each by the smallest crowd."""
        smallest = np.full(int(self.persons.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(smallest, self.persons, self.sizes[self.span])
        if (told := self.exposed_people) is not None:
            there = np.unique(told.crowds.who)
            smallest[there] = np.minimum(smallest[there], told.crowds.of_person)
        crowd = smallest[np.unique(self.persons)]
        return risk_of(crowd, np.ones(len(crowd), np.int64))

    @property
    def utility(self) -> Utility:
        """How much information the release keeps."""
        return replace(self.of_rows.utility, average_group_size=average_group_size(self.sizes))

    @property
    def safe_people(self) -> int:
        """How many people have all their rows in spans that tell nothing."""
        told = self.exposed_people
        return self.people - (0 if told is None else len(np.unique(told.crowds.who)))

    def failing_people(self, good: Bools) -> int:
        """How many people have rows in spans that break the requirement, or whose spans together do."""
        fails = np.zeros(int(self.persons.max()) + 1, bool)
        for part in self.policy.require.parts:
            for told, asked in self._asked(part):
                fails |= told.crowds.fails(asked)
        return int(fails.sum())

    def exposed(self, name: str) -> int:
        """How many people have a value of a private attribute that can be told with certainty."""
        told = self.told_of(name)
        return 0 if told is None else told.crowds.exposed(name)

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """The worst level that a private attribute reaches in every measure, however it is counted."""
        told = self.told_of(name)
        return {} if told is None else worst([measured(counts) for counts in told.crowds.counts(name)])

    def limited(self, name: str, require: Requirement) -> dict[str, float]:
        """The level that each limit on one value of a private attribute reaches, by what is limited."""
        parts = [
            part
            for part in require.parts
            if isinstance(part, OnPrivate) and part.only_value is not None and name in part.on
        ]
        told = self._limited(name) if parts else None
        every = [] if told is None else told.crowds.counts(name)
        return {part.subject: max((float(part.level(counts).max()) for counts in every), default=0.0) for part in parts}

    def guess(self, name: str) -> tuple[Floats, Bools]:
        """The confidence of the best guess in each span, by rows or by people, and whether it is certain."""
        best, sure = np.full(len(self.sizes), np.nan), np.zeros(len(self.sizes), bool)
        if (told := self.told_of(name)) is not None:
            both = (told.crowds.by_person.private[name], told.crowds.by_row.private[name])
            telling = ~told.crowds.silent
            best[told.spans[telling]] = np.maximum(*map(confidence, both))[telling]
            sure[told.spans[telling]] = np.logical_or(*map(certain, both))[telling]
        return best, sure

    def seen(self) -> Seen | None:
        """What the release lets anybody see of each row of its people."""
        return self.of_rows.seen()

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans by what their rows show."""
        return self.of_rows.shown(some)

    def bins(self, span: int) -> tuple[int, ...]:
        """The leaves or clusters that a span reaches, counted from 1."""
        return self.of_rows.bins(span)

    def facts(self) -> dict[str, Any]:
        """What the kind of model tells, and how many people have how many rows."""
        told = replace(self.of_rows, groups=self.groups).facts()  # type: ignore[type-var]  # spans are dataclasses
        persons = Persons.of(self.persons, str(self.policy.person), self.policy.known_rows)
        told["inferred"] = tuple(f"{each} in at least one of their rows" for each in told.get("inferred", ()))
        # What follows from figures is found for rows alone.
        return {**told, "make_derived": lambda: None, "persons": persons}
