"""The private numbers of a release: as they were, as they are shown, and what lies between."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from kspan.anonymize.private_numbers import with_shown_numbers
from kspan.data.arrays import Bools
from kspan.data.coarse import numbers_of
from kspan.data.encode import encode_column, weights_of
from kspan.policy import Policy
from kspan.policy.private_numbers import PrivateNumbers, check_alone, people_as_shown, unknown_of_others
from kspan.secret import Secret
from kspan.utility.numbers import numbers_lost


@dataclass(frozen=True, repr=False)
class PrivateNumbersShown:
    """People whose private numbers are shown as their policy says."""

    original: pl.DataFrame
    """The people as they are."""
    people: pl.DataFrame
    """The same with their private numbers as they are shown."""
    asked: Mapping[str, PrivateNumbers]
    """What the policy says of each column."""
    found: Mapping[str, PrivateNumbers]
    """The same, with what was found by looking at everybody: for the owner."""
    earlier: bool = False
    """Was it found in an earlier table?"""

    @classmethod
    def of(
        cls,
        people: pl.DataFrame,
        policy: Policy,
        secret: Secret,
        *,
        beside_ledger: bool = False,
        kept: Mapping[str, PrivateNumbers] | None = None,
    ) -> "PrivateNumbersShown":
        """Show the numbers of people; `kept` are the ways of an earlier release, with all that was found for it."""
        if beside_ledger:
            check_alone(policy)
        made = with_shown_numbers(people, policy, secret, kept)
        return cls(people, made.people, dict(policy.private_numbers), made.ways, kept is not None)

    def without(self, gone: Bools) -> "PrivateNumbersShown":
        """The same without some rows."""
        kept = pl.Series(~gone)
        return replace(self, original=self.original.filter(kept), people=self.people.filter(kept))

    def claimed(self, crowd: int) -> dict[str, dict[str, Any]]:
        """Say of each column how it is shown, in words and as data, by nothing but the policy."""
        return {
            name: {"words": ways.words(crowd, earlier=self.earlier), **ways.with_crowd(crowd).says}
            for name, ways in self.asked.items()
        }

    def costs(self, rows: Bools, policy: Policy) -> dict[str, dict[str, Any]]:
        """Say of each column what was found and lost, over the rows that were released: for the owner."""
        told: dict[str, dict[str, Any]] = {}
        before, after = (each.filter(pl.Series(rows)) for each in (self.original, self.people))
        weights = np.ones(before.height, np.int64) if policy.weight is None else weights_of(before[policy.weight])
        for name, ways in self.found.items():
            had = numbers_of(before[name], policy)
            shown = encode_column(after[name], policy)
            lost = None if had is None else numbers_lost(had, shown, weights, policy.require.crowd)
            words = self.asked[name].words(policy.require.crowd, earlier=self.earlier)
            told[name] = {"words": words, "by": ways.says, **({} if lost is None else lost.told())}
            told[name] |= {} if lost is None else {"crowd": policy.require.crowd}
        return told

    def shown_of(self, people: pl.DataFrame, rows: Bools, policy: Policy) -> pl.DataFrame:
        """Return people who are given with a release of some rows with the numbers that it shows of them.

        What was found by looking at everybody is known of the people of the release alone, in their order. Others are
        refused if the requirement asks for it of people.
        """
        if not self.found:
            return people
        for before, after in (
            (self.original, self.people),
            (self._at(self.original, rows), self._at(self.people, rows)),
        ):
            if people.equals(before) or people.equals(after):
                return after
        by_people = bool(policy.person) or policy.counting == "people"
        asked = set(policy.require.about(policy.private)) if by_people else set()
        for name, ways in self.asked.items():
            if name in asked and not ways.is_by_value:
                raise unknown_of_others(name)
        return people_as_shown(people, policy, self.found)

    def _at(self, people: pl.DataFrame, rows: Bools) -> pl.DataFrame:
        return people.filter(pl.Series(rows))
