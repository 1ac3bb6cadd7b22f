"""Who stands together: the one question that every judge answers, for every kind of release.

A release is a list of bins. An attacker who knows the public values of people knows which bins each of them can be in;
people who can be in the same ones are a span. A judge of a kind of release says which span every person has, which bins
a span reaches, and what is disclosed there. All the rest (`judge`) is the same for all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kspan.audit.findings import K, Utility
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured
from kspan.audit.risk import Risk, risk_of
from kspan.audit.seen import Seen, Tells
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import Counts, Groups
from kspan.data.table import Column, Table
from kspan.privacy.requirement import OnPrivate, Requirement
from kspan.utility.loss import average_group_size


class Spans(ABC):
    """The spans of a release: those of its people or, without the people, those that the published figures tell of."""

    kind: ClassVar[str]
    """What was judged: "table", or the name of the kind of model."""
    counting: str = "people"
    """What the verdict counts."""
    span: Int64s
    """The span of every row."""
    groups: Groups
    """The people of each span, with the private values that a requirement may look at."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows the people have; 0 if they are not known."""

    @property
    @abstractmethod
    def people(self) -> int:
        """How many people there are."""

    @property
    def sizes(self) -> Int64s:
        """How many people each span has."""
        return self.groups.sizes

    @property
    def exposing(self) -> Bools:
        """Which spans tell something of their people; a span that reaches a single bin does not."""
        return self.groups.exposing

    @property
    def crowd(self) -> Int64s:
        """How many people or rows each span counts as."""
        return self.sizes

    @property
    def k(self) -> K:
        """The k that is reached: the size of the smallest span that tells something, or everybody if none does."""
        smallest = int(self.sizes[self.exposing].min()) if self.exposing.any() else self.people
        return K(rows=smallest, people=smallest)

    @property
    def risk(self) -> Risk:
        """How likely people are to be re-identified."""
        return risk_of(self.sizes, self.sizes)

    @property
    def utility(self) -> Utility:
        """How much information the release keeps."""
        return Utility(cm=None, dm=None, average_group_size=average_group_size(self.sizes), ncp=None)

    @property
    def safe_people(self) -> int:
        """How many people are in spans that tell nothing."""
        return int(self.sizes[~self.exposing].sum())

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """For each private attribute of which something is told, its values span by span."""
        return self.groups.private

    @property
    def judged(self) -> Mapping[str, Counts]:
        """Those of the private attributes that a requirement is asked of."""
        return self.disclosed

    def telling(self, name: str) -> Bools:
        """Tell which spans the release tells something of a private attribute."""
        return self.exposing

    def holds(self, part: Requirement) -> Bools:
        """Tell which spans satisfy one part of the requirement; a private attribute counts only where it is told of."""
        if not isinstance(part, OnPrivate):
            return part.holds(self.groups)
        good = np.ones(len(self.sizes), bool)
        for name, asked in self.asks(part):
            spread = self.disclosed[name] if part.only_value is None else self.with_value(name, part.only_value)
            good &= asked.holds(Groups(self.sizes, {name: spread}, self.telling(name)))
        return good

    def asks(self, part: OnPrivate) -> Iterator[tuple[str, OnPrivate]]:
        """Yield what is told of people that a part of the requirement is asked of, with what is asked of it."""
        for name in self.judged:
            if name in part.looks_at((name,)):
                yield name, part

    def with_value(self, name: str, value: str) -> Counts:
        """The people of each span by their values of a private attribute, so that those with one value can be found."""
        return self.judged[name]

    def limited(self, name: str, require: Requirement) -> dict[str, float]:
        """The level that each limit on one value of a private attribute reaches, by what is limited."""
        reached, there = {}, self.telling(name)
        for part in require.parts:
            if isinstance(part, OnPrivate) and part.only_value is not None and name in part.on:
                level = part.level(self.with_value(name, part.only_value))
                reached[part.subject] = float(level.max() if there.all() else level[there].max(initial=0.0))
        return reached

    def failing_people(self, good: Bools) -> int:
        """How many people are in spans that are not good."""
        return int(self.sizes[~good].sum())

    def exposed(self, name: str) -> int:
        """How many people have a value of a private attribute that can be told with certainty."""
        return int(self.sizes[certain(self.disclosed[name]) & self.telling(name)].sum())

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """The level that the spread of a private attribute reaches in every measure."""
        counts, there = self.disclosed[name], np.flatnonzero(self.telling(name))
        if len(there) == len(self.sizes):
            return measured(counts)
        part = counts.united(there, np.arange(len(there)), len(there))
        # Only the spans are fewer: the comparison is still with everybody.
        return measured(replace(part, whole=counts.whole)) if len(there) else {}

    def guess(self, name: str) -> tuple[Floats, Bools]:
        """The confidence of the best guess of a private attribute in each span, and whether it is certain.

        The confidence is nan in spans where nothing is told of the attribute.
        """
        told, counts = self.telling(name), self.disclosed[name]
        return np.where(told, confidence(counts), np.nan), certain(counts) & told

    @abstractmethod
    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans by what their people show."""

    def bins(self, span: int) -> tuple[int, ...]:
        """The leaves or clusters that a span reaches, counted from 1."""
        return ()

    def facts(self) -> dict[str, Any]:
        """What only this kind of release can tell, by the names of the fields of `Audit`."""
        return {}

    @property
    def coded(self) -> Table | None:
        """The released table, if the release is one."""
        return None

    def seen(self) -> Seen | None:
        """What the release lets anybody see of each row of its people; None if these are not known."""
        return None

    def per_row(self, good: Bools) -> pl.DataFrame:
        """The risk of each row, without its cells: its place in the table and the numbers of its span."""
        per_span: dict[str, Any] = {"span_size": self.sizes, "prosecutor_risk": 1 / self.sizes, "holds": good}
        per_span["safe"] = ~self.exposing
        for name in self.disclosed:
            per_span[f"confidence: {name}"], per_span[f"certain: {name}"] = self.guess(name)
        rows = {name: values[self.span] for name, values in per_span.items()}
        return pl.DataFrame({"row": np.arange(1, len(self.span) + 1), "span": self.span + 1, **rows})


class SpansOfRows(Spans):
    """Spans of people whose rows are known."""

    @property
    @abstractmethod
    def persons(self) -> Int64s | None:
        """The person of each row, if people have several."""

    @abstractmethod
    def told_of_rows(self, name: str) -> Column:
        """What is told of every row, by the name of what is disclosed."""

    def held_by_rows(self, name: str) -> Column:
        """The values of a private attribute that rows truly have, also where less is told of them."""
        return self.told_of_rows(name)

    @property
    @abstractmethod
    def weights(self) -> Int64s | None:
        """How many people each row stands for; None if one each."""

    def seen(self) -> Seen | None:
        """What the release lets anybody see of each row of its people."""
        tells = {name: self._tells(name) for name in self.disclosed}
        return Seen(self.span, self.exposing, tells, self.weights, self.shown)

    def _tells(self, name: str) -> Tells:
        is_private = name in self.judged
        told = self.told_of_rows(name)
        return Tells(told, self.held_by_rows(name) if is_private else told, self.telling(name), is_private)


class SpansOfPeople(SpansOfRows):
    """Spans that are counted in a table: of the people, or of the release itself."""

    table: Table

    @property
    def persons(self) -> Int64s | None:
        """The person of each row, if people have several."""
        return self.table.persons

    def told_of_rows(self, name: str) -> Column:
        """What is told of every row: as a rule the values themselves."""
        return self.table[name]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.table.rows

    @property
    def people(self) -> int:
        """How many people the rows stand for."""
        return self.table.people

    @property
    def weights(self) -> Int64s | None:
        """How many people each row stands for; None if one each."""
        return self.table.weights


def beside(name: str, private: Container[str]) -> str:
    """The name of what a model tells of people beside their private attributes: one that none of these has.

    >>> beside("cluster", ["cluster", "illness"])
    'own cluster'
    """
    while name in private:
        name = f"own {name}"
    return name
