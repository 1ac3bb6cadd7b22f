"""The groups of a table as spans: people who show the same cells, and whom they blend with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.findings import K, LinkedPeople, Utility
from kspan.audit.infer import certain, confidence, exposed
from kspan.audit.risk import Risk, household_risk, journalist_risk, risk_of
from kspan.audit.seen import Seen, Tells
from kspan.audit.spans import SpansOfPeople
from kspan.audit.table.crowd import CrowdOfGroups
from kspan.audit.table.people import NOBODY, Linked
from kspan.audit.table.sampled import Sample
from kspan.audit.table.theirs import bins_of_groups, check_all_are_in_it, check_values
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, count_values
from kspan.data.table import Table
from kspan.model.partition import Partition
from kspan.policy import Policy
from kspan.policy.values import unseen
from kspan.privacy.requirement import Requirement
from kspan.utility.loss import average_group_size, certainty_penalty, classification_metric, discernibility


@dataclass(frozen=True, repr=False)
class TableSpans(SpansOfPeople):
    """The groups of a table: judged by their cells and, if the people behind it are known, by all whom they admit."""

    kind = "table"
    table: Table
    partition: Partition
    groups: Groups
    alone: CrowdOfGroups
    """For each group, the rows or people that it blends with, by cells alone."""
    linked: Linked | None
    policy: Policy
    identifiers: tuple[str, ...]
    population: Int64s | None
    """How many people of the population each group admits."""
    sample: Sample | None = None
    """How many people of a population each group stands for, if the table has sampling weights."""
    households: Int64s | None = None
    """Who lives together: the household of each row of the people, or else of the table, if these tell."""
    behind: Table | None = None
    """The people behind the table, if they are known."""

    @property
    def counting(self) -> str:  # type: ignore[override]
        """Rows or people, as the policy says."""
        return self.policy.counting

    @property
    def safe_people(self) -> int:
        """Nobody: a row tells all its cells."""
        return 0

    @cached_property
    def _seen(self) -> tuple[Mapping[str, Bools], Int64s]:
        """For each group, by the linked people: whether each part of the requirement holds, and the smallest crowd."""
        assert self.linked is not None
        parts = {str(part): part.holds(self.linked.asked) for part in self.policy.require.parts}
        return self.linked.seen_from(len(self.groups), parts)

    def holds(self, part: Requirement) -> Bools:
        """Tell which groups satisfy one part of the requirement, by their cells and by the linked people."""
        by_cells = part.holds(self.alone.groups)
        return by_cells if self.linked is None else by_cells & self._seen[0][str(part)]

    @cached_property
    def crowd(self) -> Int64s:
        """How many people or rows each group counts as."""
        return self.alone.groups.sizes if self.linked is None else np.minimum(self.alone.groups.sizes, self._seen[1])

    @property
    def k(self) -> K:
        """The k that is reached."""
        k = self.alone.k
        if self.linked is None:
            return k
        return K(rows=min(k.rows, self.linked.k.rows), people=min(k.people, self.linked.k.people))

    @property
    def risk(self) -> Risk:
        """How likely people are to be re-identified."""
        asked, people = (
            (self.alone.groups, self.groups) if self.linked is None else (self.linked.asked, self.linked.people)
        )
        population = self.population
        journalist = None if population is None else journalist_risk(self.groups.sizes, population)
        sampled = None if self.sample is None else self.sample.risk
        homes = None if self.households is None else household_risk(self.households, self._of_each)
        return replace(risk_of(asked.sizes, people.sizes), journalist=journalist, sampled=sampled, households=homes)

    @property
    def _of_each(self) -> Floats:
        """The risk of every row of the people, or else of the table."""
        if self.linked is None:
            each: Floats = 1 / self.crowd if self.sample is None else self.sample.individual
            return each[self.partition.group]
        span = self.linked.of_row
        return np.where(span == NOBODY, 0.0, 1 / self.linked.asked.sizes[span])

    @property
    def utility(self) -> Utility:
        """How much information the table keeps."""
        weights = NO_WEIGHTS if self.table.weights is None else self.table.weights
        target, rows = self.policy.target, self.partition
        labels = None if target is None else count_values(self.table[target], rows.group, rows.number, weights)
        return Utility(
            cm=None if labels is None else classification_metric(labels),
            dm=discernibility(self.groups.sizes),
            average_group_size=average_group_size(self.groups.sizes),
            ncp=certainty_penalty(self.partition, self.groups.sizes),
        )

    @property
    def _sharing(self) -> Groups | None:
        """The linked people by span, if the policy counts people and they are known."""
        return None if self.linked is None or self.policy.counting == "rows" else self.linked.people

    @property
    def coded(self) -> Table:
        """The table itself."""
        return self.table

    @property
    def disclosed(self) -> Mapping[str, Counts]:
        """The private values of each crowd, or of the people who share a span where people are counted."""
        # Whoever matches the rows of several groups finds more values there, so a group by itself is the worst case.
        return self.alone.groups.private if self._sharing is None else self._sharing.private

    def exposed(self, name: str) -> int:
        """How many people have a value of a private attribute that can be told with certainty."""
        return exposed(self.disclosed[name], self.sizes if self._sharing is None else self._sharing.sizes)

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some groups by their cells."""
        return [self.partition.cells(group) for group in some]

    def seen(self) -> Seen | None:
        """What the table lets anybody see of each of the people behind it: the groups that they match."""
        if self.behind is None or self.linked is None:
            return None
        matched = int(self.linked.people.sizes.sum())
        check_all_are_in_it(matched, int(self.groups.sizes.sum()))
        pairs = bins_of_groups(self.linked.links, self.linked.span, len(self.partition))
        there = np.flatnonzero(self.linked.of_row != NOBODY)
        bins = self.linked.of_row[there]
        check_values(self, self.behind.at(there), bins, pairs, self.policy.private)
        return self._seen_of(self.behind, self.linked.of_row, pairs)

    def _seen_of(self, people: Table, of_row: Int64s, pairs: tuple[Int64s, Int64s]) -> Seen:
        """What is seen of people, given the bin of each row and the groups of each bin."""
        number = int(pairs[0].max()) + 1
        tells = {name: Tells.of_all(people[name], number) for name in self.policy.private}

        def describe(some: Sequence[int]) -> list[dict[str, str]]:
            every = [pairs[1][pairs[0] == bin_].tolist() for bin_ in some]
            return [self.shown(one)[0] if len(one) == 1 else {"groups": f"{len(one):,} that match"} for one in every]

        return Seen(of_row, np.ones(number, bool), tells, people.weights, describe)

    def facts(self) -> dict[str, Any]:
        """Identifiers that are still there, suppressed cells, and the people who were linked."""
        linked = None if self.linked is None else LinkedPeople(self.linked.given, self.linked.unmatched)
        having = {name: self.table[name].having for name in self.policy.private}
        assumptions = (*unseen(self.policy.require, self.policy, having), *self._of_weights())
        facts = {"identifiers": self.identifiers, "suppressed": self.alone.suppressed, "linked": linked}
        return {**facts, "assumptions": assumptions}

    def _of_weights(self) -> Iterator[str]:
        """Tell what sampling weights may give away."""
        if self.sample is not None:
            yield (
                f"the sampling weight {self.policy.sampling_weight!r} goes out as it is, and is taken to be unknown to "
                "an attacker; it makes no crowd larger"
            )

    def per_row(self, good: Bools) -> pl.DataFrame:
        """The risk of each row, without its cells: its place in the file and the numbers of its group."""
        per_group: dict[str, Any] = {
            "group_size": self.groups.sizes,
            "crowd": self.crowd,
            "prosecutor_risk": 1 / self.crowd,
            "holds": good,
        }
        if self.population is not None:
            per_group["journalist_risk"] = 1 / np.maximum(self.population, self.groups.sizes)
        if self.sample is not None:
            per_group["sample"], per_group["population"] = self.sample.fitting, self.sample.population
            per_group["individual_risk"] = self.sample.individual
        for name, counts in self.alone.groups.private.items():
            per_group[f"confidence: {name}"] = confidence(counts)
            per_group[f"certain: {name}"] = certain(counts)
        group = self.partition.group
        rows = {name: values[group] for name, values in per_group.items()}
        return pl.DataFrame({"row": np.arange(1, len(group) + 1), "group": group + 1, **rows})
