"""What a tree may ask: coded attributes over their whole domain, with the levels of their hierarchies."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kspan.data.arrays import Codes, Floats, Int64s
from kspan.data.hierarchy import level_codes
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.model.tree import Attribute, Region, Role


@dataclass(frozen=True, repr=False)
class Feature:
    """One attribute as a grower sees it.

    A code stands for a value of the domain, seen in the data or not; the missing value, if there is one, comes last.
    """

    attribute: Attribute
    codes: Codes
    size: int
    numbers: Int64s | None
    """The numbers that codes stand for, in order, if it is numeric."""
    levels: tuple[Int64s, ...]
    """Above each value the code of its name, level by level."""

    @property
    def public(self) -> bool:
        """Does the attacker know it?"""
        return self.attribute.role == "public"

    @property
    def numeric(self) -> bool:
        """Is it asked by thresholds?"""
        return self.numbers is not None

    @property
    def can_be_missing(self) -> bool:
        """Is there a code for a missing value?"""
        return self.attribute.has_missing

    @cached_property
    def plain(self) -> int:
        """How many codes are no missing value."""
        return self.size - self.attribute.has_missing

    @cached_property
    def floats(self) -> Floats:
        """The numbers of a numeric attribute."""
        assert self.numbers is not None
        return self.numbers.astype(np.float64)

    def region(self, codes: Int64s) -> Region:
        """Some codes as the values that a released tree shows."""
        values = frozenset(self.attribute.values[code] for code in codes.tolist() if code < self.plain)
        return Region(values, (), bool((codes >= self.plain).any()))


def features(table: Table, schema: Schema, names: Iterable[str]) -> tuple[Feature, ...]:
    """The attributes of a table that a tree may ask, in this order."""
    return tuple(_feature(table[name], "public" if name in schema.public else "private") for name in names)


def _feature(column: Column, role: Role) -> Feature:
    if column.kind == "numeric" and column.values.dtype != object and not column.has_suppressed:
        return _numeric(column, role)
    return _categorical(column, role)


def _numeric(column: Column, role: Role) -> Feature:
    # The lowest and the highest number of the data are somebody's: a range is told only if it was declared.
    low, high = (column.domain.low, column.domain.high) if column.domain is not None else (None, None)
    attribute = Attribute(column.name, role, "numeric", (), low, high, column.has_missing)
    return Feature(attribute, column.codes, column.size, column.values, ())


def _categorical(column: Column, role: Role) -> Feature:
    seen = [column.label(code) for code in range(column.size) if code != column.missing]
    hierarchy, domain = column.hierarchy, column.domain
    declared = domain.values if domain is not None and domain.values else hierarchy.values if hierarchy else ()
    labels = tuple(sorted({*seen, *declared}))
    place = {label: code for code, label in enumerate(labels)}
    translate = np.array([*(place[label] for label in seen), len(labels)], np.int64)
    size = len(labels) + column.has_missing
    codes = translate[column.codes].astype(np.min_scalar_type(max(size - 1, 0)))
    known = [*labels, *[None] * column.has_missing]
    levels = () if hierarchy is None else level_codes(hierarchy, known, join_at_root=False)
    attribute = Attribute(column.name, role, "categorical", labels, has_missing=column.has_missing)
    return Feature(attribute, codes, size, None, levels)
