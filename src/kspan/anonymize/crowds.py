"""What every method asks: which groups of rows satisfy the requirement, and what the data can reach at all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Int64s
from kspan.data.groups import Groups, count_groups
from kspan.data.table import Column, Table
from kspan.errors import PolicyError, Unreachable
from kspan.model.partition import WITHHELD, Partition, Shown
from kspan.policy import Policy
from kspan.privacy import Confidence, DistinctL, EntropyL, KAnonymity, OnPrivate, RecursiveCL, Requirement, SimpleL

BLIND = (KAnonymity, DistinctL, EntropyL, RecursiveCL, SimpleL, Confidence)
"""Requirements that look at how often private values occur in a group, but not at which values, nor at other groups."""


@dataclass(frozen=True, repr=False)
class Regions:
    """Parts of the domain that belong to groups; a group may have several."""

    group: Int64s
    """The group of each region."""
    shown: Mapping[str, Shown]
    """For each public attribute, the cell that says what each region admits."""


@dataclass(frozen=True)
class Recoding:
    """What a method makes of a table: groups of rows with the cells they show, and facts worth telling about it."""

    partition: Partition
    facts: Mapping[str, Any] = field(default_factory=dict)
    regions: Regions | None = None
    """What groups admit, where that is not what they show (a mean); for the owner, to place new rows."""


class Crowds:
    """The rows of a table, the public attributes to be made coarser, and what is required of their groups."""

    def __init__(self, table: Table, policy: Policy) -> None:
        self.table, self.policy = table, policy
        self.columns: tuple[Column, ...] = tuple(table[name] for name in policy.public)
        """The public attributes, in the policy's order."""
        self.k = policy.require.crowd
        """No group may have fewer people, whatever else is required."""
        self.only_k = isinstance(policy.require, KAnonymity)
        """Is the number of people all that is required of a group?"""
        self.is_blind = all(map(is_blind, policy.require.parts))
        """Does the requirement look only at how often private values occur in a group (see `BLIND`)?"""
        self.asked = policy.require.about(policy.private)
        """The private attributes that the requirement is about."""
        if not self.columns:
            raise PolicyError("there is no public attribute to make coarser: list what an attacker may know as public")

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.table.rows

    def sizes(self, group: NDArray[np.integer[Any]], number: int) -> Int64s:
        """How many people each group has; a row whose group is `WITHHELD` is in none."""
        weights = self.table.weights
        # Most methods withhold nobody: then no copy is needed.
        if group.min(initial=0) == WITHHELD:
            kept = group != WITHHELD
            group, weights = group[kept], None if weights is None else weights[kept]
        return np.bincount(group, weights, number).astype(np.int64, copy=False)

    def holds(self, group: Int64s, number: int) -> Bools:
        """Which groups satisfy the requirement, if just these rows were released; none of the groups may be empty."""
        if self.only_k:
            large: Bools = self.sizes(group, number) >= self.k
            return large
        return self.policy.require.holds(self.groups(group, number))

    def groups(self, group: Int64s, number: int) -> Groups:
        """The people of each group with those of their private values that the requirement is about."""
        kept = group != WITHHELD
        # Of the private columns only those that are asked for, since `at` copies them.
        table = Table({name: self.table[name] for name in self.asked}, self.rows, self.table.weights)
        if not kept.all():
            table, group = table.at(np.flatnonzero(kept)), group[kept]
        return count_groups(table, group, number, self.asked)

    def check_reachable(self) -> None:
        """Refuse a requirement that even the table without any public cell would break, and say what it reaches."""
        everybody = np.zeros(self.rows, np.int64)
        if bool(self.holds(everybody, 1).all()):
            return
        groups = self.groups(everybody, 1)
        reached = []
        for part in self.policy.require.parts:
            if isinstance(part, KAnonymity):
                reached.append(f"k={int(groups.sizes[0])}")
            elif isinstance(part, OnPrivate):
                about = [counts for name, counts in groups.private.items() if not part.on or name in part.on]
                level = (min if part.safer_up else max)(part.reached(counts) for counts in about)
                reached.append(f"{part.key if part.only_value is None else part.subject}={level:.4g}")
        raise Unreachable(
            f"{self.policy.require} cannot be reached: with every public cell suppressed these {self.table.people} "
            f"people reach {', '.join(reached)}; lower the requirement to that, or add people"
        )


def is_blind(part: Requirement) -> bool:
    """Does a requirement look at how often private values occur in a group, but at nothing else (see `BLIND`)?"""
    return isinstance(part, BLIND) and not (isinstance(part, OnPrivate) and part.only_value is not None)
