"""Who stands together: the one question that every judge answers, whatever the release is.

A release is a list of bins. An attacker who knows the public values of people knows which bins each of them can be in;
people who can be in the same ones are a span. A judge of a kind of release says which span every person has, which bins
a span reaches, and what is disclosed there. All the rest (`judge`) is the same for all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kspan.audit.findings import K, Utility
from kspan.audit.infer import certain, confidence
from kspan.audit.measured import measured
from kspan.audit.risk import Risk, risk_of
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import Counts, Groups
from kspan.data.table import Table
from kspan.privacy.requirement import Requirement
from kspan.utility.loss import average_group_size


class Spans(ABC):
    """The spans of a release among its people, or as far as what it publishes tells of them."""

    kind: ClassVar[str]
    """What was judged: "table", or the name of the kind of model."""
    counting: str = "people"
    """What the verdict counts."""
    span: Int64s
    """Of every row."""
    groups: Groups
    """The people of each span, with the private values that a requirement may look at."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """The rows of the people, if these are known."""

    @property
    @abstractmethod
    def people(self) -> int:
        """How many people there are."""

    @property
    def sizes(self) -> Int64s:
        """The people of each span."""
        return self.groups.sizes

    @property
    def exposing(self) -> Bools:
        """Which spans tell something of their people: one that reaches a single bin does not."""
        return self.groups.exposing

    @property
    def crowd(self) -> Int64s:
        """How many people or rows each span is taken for."""
        return self.sizes

    @property
    def k(self) -> K:
        """The k that is reached: the smallest span that tells something, or everybody if none does."""
        smallest = int(self.sizes[self.exposing].min()) if self.exposing.any() else self.people
        return K(rows=smallest, people=smallest)

    @property
    def risk(self) -> Risk:
        """How likely people are found again."""
        return risk_of(self.sizes, self.sizes)

    @property
    def utility(self) -> Utility:
        """What the release keeps."""
        return Utility(cm=None, dm=None, average_group_size=average_group_size(self.sizes), ncp=None)

    @property
    def safe_people(self) -> int:
        """The people of spans that tell nothing."""
        return int(self.sizes[~self.exposing].sum())

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """What is told of private attributes, span by span."""
        return self.groups.private

    def holds(self, part: Requirement) -> Bools:
        """Which spans satisfy a part of the requirement."""
        return part.holds(self.groups)

    def failing_people(self, good: Bools) -> int:
        """The people of spans that are not good."""
        return int(self.sizes[~good].sum())

    def exposed(self, name: str) -> int:
        """The people whose value of a private attribute can be told with certainty."""
        return int(self.sizes[certain(self.disclosed[name]) & self.exposing].sum())

    def reached(self, name: str) -> dict[str, float | list[float]]:
        """What the spread of a private attribute reaches in every measure."""
        return measured(self.disclosed[name])

    def guess(self, name: str) -> tuple[Floats, Bools]:
        """The attacker's best guess of a private attribute in each span, and whether it is certain."""
        return confidence(self.disclosed[name]), certain(self.disclosed[name])

    @abstractmethod
    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Some spans by what their people show."""

    def bins(self, span: int) -> tuple[int, ...]:
        """Where a span reaches, counted from 1."""
        return ()

    def facts(self) -> dict[str, Any]:
        """What an audit tells of this kind of release alone, by the names of `Audit`."""
        return {}

    @property
    def coded(self) -> Table | None:
        """The released table, if the release is one."""
        return None

    def per_row(self, good: Bools) -> pl.DataFrame:
        """The risk of each row: no cell of it, only its place in the table and the numbers of its span."""
        per_span: dict[str, Any] = {"span_size": self.sizes, "prosecutor_risk": 1 / self.sizes, "holds": good}
        per_span["safe"] = ~self.exposing
        for name in self.disclosed:
            per_span[f"confidence: {name}"], per_span[f"certain: {name}"] = self.guess(name)
        rows = {name: values[self.span] for name, values in per_span.items()}
        return pl.DataFrame({"row": np.arange(1, len(self.span) + 1), "span": self.span + 1, **rows})


class SpansOfPeople(Spans):
    """The spans of a release whose people, or whose rows, are a table."""

    table: Table

    @property
    def rows(self) -> int:
        """The rows of the table."""
        return self.table.rows

    @property
    def people(self) -> int:
        """How many people they stand for."""
        return self.table.people
