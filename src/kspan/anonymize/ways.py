"""What a recoding did to the values of each public attribute: all that is needed to show new rows, and no row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kspan.anonymize.crowds import Recoding
from kspan.data.arrays import Int64s
from kspan.data.table import Column, Table
from kspan.model.partition import WITHHELD, Shown

ABSENT = -1
"""Stands for the place of a value that is not in the release, and for a cell that no group shows."""


@dataclass(frozen=True, repr=False)
class Way:
    """What became of the values of one public attribute, and what groups show of it."""

    source: Column
    """The attribute as the people had it: its values, without the rows."""
    became: Int64s
    """For each code of the source, a cell that it became; `ABSENT` if nobody who has it was released."""
    by_value: bool
    """Did every value become the same cell everywhere?"""
    shown: Shown
    """What each group shows."""
    region: Shown
    """What each group, or each region of one, admits."""

    @property
    def name(self) -> str:
        """The name of the attribute."""
        return self.source.name


@dataclass(frozen=True, repr=False)
class Ways:
    """The way of each public attribute, and the group of each region if groups admit something else than they show."""

    attributes: Mapping[str, Way]
    group_of_region: Int64s | None

    @cached_property
    def by_value(self) -> bool:
        """Did every value of every attribute become the same cell everywhere?"""
        return all(way.by_value for way in self.attributes.values())


def ways_of(recoding: Recoding, source: Table, public: Sequence[str]) -> Ways:
    """Return the ways that the values of a source went in a recoding."""
    regions = recoding.regions
    return Ways({name: _way(recoding, source[name]) for name in public}, None if regions is None else regions.group)


def _way(recoding: Recoding, source: Column) -> Way:
    shown, group = recoding.partition.shown[source.name], recoding.partition.group
    region = shown if recoding.regions is None else recoding.regions.shown[source.name]
    codes, cells = source.codes[group != WITHHELD], shown.code[group[group != WITHHELD]]
    became = np.full(source.size, ABSENT, np.int64)
    became[codes] = cells
    return Way(_without_rows(source), became, bool((became[codes] == cells).all()), _bare(shown), _bare(region))


def _bare(shown: Shown) -> Shown:
    return Shown(shown.code, _without_rows(shown.column))


def _without_rows(column: Column) -> Column:
    return replace(column, codes=column.codes[:0])
