"""Private numbers as a table is to show them, before groups are made: what is judged is what is shown.

What is found by looking at everybody must not tell of one person. So limits by share are round, or numbers that a crowd
has; means are of a crowd; what means and noise are added up to is rounded, since the last digits of a float would tell
what it was added to (Mironov 2012); and noise follows from the secret, the column and all its numbers, so that no two
columns or tables have the same.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.anonymize.limits_by_share import bottom_of, rounded_bottom, rounded_top, top_of
from kspan.anonymize.microaggregation import means_of_neighbors
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.coarse import cells_of, limited, numbers_again, numbers_of, plain_values, rounded, what_others_show
from kspan.data.encode import weights_of
from kspan.data.persons import persons_of
from kspan.data.table import Column
from kspan.errors import DataError, PolicyError
from kspan.policy import Policy
from kspan.policy.private_numbers import FEWEST, PrivateNumbers, people_as_shown, share_of, within_domain
from kspan.secret import Secret

DIGITS = 3
"""Means and noisy numbers have so many digits more than the standard deviation of the column."""
EXACT = 2.0**53
"""Floats up to here are exact where they are whole."""


@dataclass(frozen=True, repr=False)
class ShownPeople:
    """People with private numbers as they are shown."""

    people: pl.DataFrame
    ways: Mapping[str, PrivateNumbers] = field(default_factory=dict)
    """How each column is shown, with what was found for it by looking at everybody."""


def with_shown_numbers(
    people: pl.DataFrame, policy: Policy, secret: Secret, kept: Mapping[str, PrivateNumbers] | None = None
) -> ShownPeople:
    """Show private numbers as the policy says; `kept` are ways for which everything was found in an earlier table."""
    asked = policy.private_numbers if kept is None else kept
    if not asked:
        return ShownPeople(people)
    persons = persons_of(people, policy)
    weights = np.ones(people.height, np.int64) if policy.weight is None else weights_of(people[policy.weight])
    ways, made = {}, people
    for name, each in asked.items():
        if each.depends_on_release is not None and persons is not None:
            raise PolicyError(
                f"{name!r} is shown by {each.depends_on_release}, but people have several rows, of which one person's "
                "may be averaged: use round, bins, top or bottom"
            )
        if name not in people.columns:
            raise DataError(f"the table lacks the private column {name!r}: add it, or take it out of the policy")
        column = numbers_of(people[name], policy)
        if column is None:
            raise DataError(
                f"the policy says how numbers of {name!r} are shown, but the column does not hold numbers alone: mend "
                f"it, or let the policy show it as it is ({name} = {{}})"
            )
        one = _Numbers(column, policy, persons, weights)
        ways[name] = one.found(each.with_crowd(policy.require.crowd))
        if ways[name].is_by_value:
            made = people_as_shown(made, policy, {name: ways[name]})
        elif one.has.any():
            made = made.with_columns(one.shown(ways[name], secret).alias(name))
    return ShownPeople(made, ways)


class _Numbers:
    """The numbers of one column, and whose they are."""

    def __init__(self, column: Column, policy: Policy, persons: Int64s | None, weights: Int64s) -> None:
        self.column, self.policy = column, policy
        self.codes: Int64s = column.codes.astype(np.int64)
        self.has: Bools = self.codes < len(column.values)
        self.values = plain_values(column)
        self.persons = None if persons is None else persons[self.has]
        self.people: Int64s = weights[self.has]

    @property
    def numbers(self) -> NDArray[Any]:
        """The number of each row that has one."""
        return self.values[self.codes[self.has]]

    def found(self, ways: PrivateNumbers) -> PrivateNumbers:
        """Return the ways with numbers in the place of shares; refuse if there are too few people."""
        crowd, needed = max(self.policy.require.crowd, FEWEST), [ways.microaggregate or 0]
        by_share = [key for key in ("bottom", "top") if isinstance(getattr(ways, key), str)]
        if by_share:
            needed.append(crowd)
        there = len(np.unique(self.persons)) if self.persons is not None else int(self.people.sum())
        if there < max(needed):
            raise DataError(
                f"{there} people have a number in {self.column.name!r}, and {max(needed)} are needed to show it as the "
                "policy says: add people, or show it by round, bins, or limits that are numbers"
            )
        of = {"bottom": bottom_of, "top": top_of}
        limits: dict[str, Any] = {
            key: of[key](*self._whose(key), share_of(getattr(ways, key)), crowd) for key in by_share
        }
        if ways.round is not None:
            to = {"bottom": rounded_bottom, "top": rounded_top}
            limits = {key: to[key](limit, ways.round) for key, limit in limits.items()}
        ways = replace(ways, **limits)
        low, high = ways.limits
        if low is not None and high is not None and low >= high:
            raise DataError(
                f"the bottom of {self.column.name!r} is not below its top, as far as a crowd tells: give smaller "
                "shares, or numbers"
            )
        if not isinstance(ways.noise, str):
            return ways
        spread = _spread(limited(self.numbers, ways.limits), self.people) if there else 0.0
        if not spread:
            raise DataError(
                f"all numbers of {self.column.name!r} are equal, so that a share of their standard deviation is no "
                "noise: give the noise as a number"
            )
        return replace(ways, noise=share_of(ways.noise) * spread)

    def _whose(self, key: str) -> tuple[NDArray[Any], Int64s]:
        """Return the values that people have as their highest or lowest, and how many have each."""
        codes, people = self.codes[self.has], self.people
        if self.persons is not None:
            order = np.lexsort((codes, self.persons))
            begins = np.flatnonzero(np.diff(self.persons[order], prepend=-1))
            ends = begins if key == "bottom" else np.append(begins[1:], len(order)) - 1
            codes, people = codes[order[ends]], np.ones(len(ends), np.int64)
        counted: Int64s = np.bincount(codes, people, len(self.values)).astype(np.int64)
        there = np.flatnonzero(counted)
        return self.values[there], counted[there]

    def shown(self, ways: PrivateNumbers, secret: Secret) -> pl.Series:
        """Return the column with means or noise, rounded or in bins."""
        name = self.column.name
        # Ranges have no end beyond a limit, so that everybody beyond it is where a range says.
        numbers = limited(self.numbers, ways.limits if ways.bins is None else (None, None)).astype(np.float64)
        noise = ways.noise if isinstance(ways.noise, int | float) else None
        step = _fine_step(numbers, self.people, noise)
        if ways.microaggregate is not None:
            tied = secret.order_for(f"ties of {name}", len(numbers))
            numbers = means_of_neighbors(numbers, self.people, ways.microaggregate, tied)
        if noise is not None:
            numbers = numbers + noise * secret.normal_for(self._purpose(ways), len(numbers))
        if step is not None and (ways.round or 0) < step:
            numbers = rounded(numbers, step)
        others = what_others_show(self.column, self.policy.suppressed_text)
        if ways.bins is not None:
            distinct, place = np.unique(numbers, return_inverse=True)
            codes = np.zeros(len(self.has), np.int64)
            codes[self.has] = place
            return cells_of(ways.shown(distinct), codes, self.has, others)
        shown = within_domain(ways, name, self.policy, ways.shown(numbers))
        if self.values.dtype.kind == "i" and (shown % 1 == 0).all() and (np.abs(shown) < EXACT).all():
            shown = shown.astype(np.int64)
        return numbers_again(shown, self.has, others)

    def _purpose(self, ways: PrivateNumbers) -> str:
        """Say what noise is drawn for: from half as much of the same noise, both would be found."""
        numbers = sha256(self.has.tobytes() + self.numbers.astype(np.float64).tobytes()).hexdigest()
        return f"{self.column.name} {ways.says} {numbers}"


def _spread(numbers: NDArray[Any], people: Int64s) -> float:
    """The standard deviation of numbers that so many people have each."""
    exact: Floats = numbers.astype(np.float64)
    mean = np.average(exact, weights=people)
    return math.sqrt(float(np.average((exact - mean) ** 2, weights=people)))


def _fine_step(numbers: Floats, people: Int64s, noise: float | None) -> float | None:
    """The power of ten that means and noisy numbers are multiples of; None if all numbers are equal, without noise."""
    # Of what noise covers, one digit is enough.
    spread = _spread(numbers, people) if noise is None else noise * 10 ** (DIGITS - 1)
    if not spread:
        return None
    power = math.floor(math.log10(spread)) - DIGITS
    whole = bool((numbers % 1 == 0).all())
    return 10 ** max(power, 0) if whole or power >= 0 else float(f"1e{power}")
