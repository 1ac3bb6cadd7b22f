"""What a tree may ask: coded attributes over their whole domain, with the levels of their hierarchies."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kspan.data.arrays import Codes, Floats, Int64s
from kspan.data.general import General, GeneralNumbers, general
from kspan.data.having import Having
from kspan.data.hierarchy import level_codes
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.induce.tree.spread import Reading, Spread, drawn
from kspan.model.tree.model import Attribute, Region, Role


@dataclass(frozen=True, repr=False)
class Feature:
    """One attribute as a grower sees it.

    A code stands for a value of the domain, seen in the data or not; the missing value, if there is one, comes last.
    """

    attribute: Attribute
    codes: Codes
    size: int
    numbers: Int64s | Floats | None
    """The numbers that codes stand for, in order, if it is numeric."""
    levels: tuple[Int64s, ...]
    """For each level of the hierarchy, the code of the name that each value has there."""
    spread: Spread | None = None
    """Set if cells may admit several values: how rows spread over these. Then `codes` are of cells, not of values."""
    having: Having | None = None
    """Finds the codes of a value by its name; None where `codes` are of cells."""
    whole: "Feature | None" = None
    """The feature with all its values, where rare ones have become one (see `kspan.induce.tree.rare`)."""

    @property
    def cells(self) -> int:
        """How many codes rows can have: those of values, or those of cells if cells may admit several values."""
        return self.size if self.spread is None else self.spread.general.cells

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
        """How many codes stand for values; that of a missing value does not count."""
        return self.size - self.attribute.has_missing

    @cached_property
    def floats(self) -> Floats:
        """The numbers of a numeric attribute."""
        assert self.numbers is not None
        return self.numbers.astype(np.float64)

    def region(self, codes: Int64s) -> Region:
        """What a released tree shows of some codes: their values, and whether a missing one is among them."""
        values = frozenset(self.attribute.values[code] for code in codes.tolist() if code < self.plain)
        return Region(values, (), bool((codes >= self.plain).any()))


def features(table: Table, schema: Schema, names: Iterable[str]) -> tuple[Feature, ...]:
    """The named attributes of a table as features, in this order; every cell counts as one value, whatever it shows."""
    return tuple(_feature(table[name], _role(schema, name)) for name in names)


def understood(
    table: Table, schema: Schema, names: Iterable[str], reading: Reading, *, stars_unknown: bool
) -> tuple[Feature, ...]:
    """The named attributes of a table as features, where `reading` says how to understand cells of several values.

    A `*` admits every value, or counts as missing if `stars_unknown`.
    """
    return tuple(_understood(table, schema, name, reading, stars_unknown) for name in names)


def _understood(table: Table, schema: Schema, name: str, reading: Reading, stars_unknown: bool) -> Feature:
    column, role = table[name], _role(schema, name)
    if reading.entropy == "own-value":
        return _feature(column, role)
    meant = general(column, reading.range_pattern)
    if meant.is_exact and column.suppressed is None:
        # No cell admits several values, so the column takes the ordinary, faster way.
        return _feature(column, role)
    if reading.entropy == "random":
        return _feature(_with_drawn_values(meant, reading.rng), role)
    target = table[str(schema.target)]
    keys = column.codes.astype(np.int64) * target.size + target.codes
    counts = np.bincount(keys, table.weights, column.size * target.size).reshape(column.size, target.size)
    spread = reading.spread(meant, counts.astype(np.float64), stars_unknown=stars_unknown)
    has_missing = bool(spread.unknown.any())
    size = meant.size + has_missing
    if isinstance(meant, GeneralNumbers):
        low, high = (column.domain.low, column.domain.high) if column.domain is not None else (None, None)
        attribute = Attribute(name, role, column.kind.measure, (), low, high, has_missing)
        return Feature(attribute, column.codes, size, meant.values.astype(np.float64), (), spread)
    labels = tuple(str(value) for value in meant.values)
    attribute = Attribute(name, role, WORDS, labels, has_missing=has_missing)
    known = [*labels, *[None] * has_missing]
    levels = () if column.hierarchy is None else level_codes(column.hierarchy, known, join_at_root=False)
    return Feature(attribute, column.codes, size, None, levels, spread)


def _with_drawn_values(meant: General, rng: np.random.Generator | None) -> Column:
    """A column in which every cell shows one of the values that it admits, drawn by chance."""
    assert rng is not None
    column, value = meant.column, drawn(meant, meant.column, rng)
    has_missing = bool((value == meant.size).any())
    codes = value.astype(np.min_scalar_type(meant.size))
    kind = column.kind.measure if isinstance(meant, GeneralNumbers) else column.kind
    return replace(column, kind=kind, codes=codes, values=meant.values, has_suppressed=False, has_missing=has_missing)


def _role(schema: Schema, name: str) -> Role:
    return "public" if name in schema.public else "private"


def _feature(column: Column, role: Role) -> Feature:
    if column.is_measured and not column.has_suppressed:
        return _numeric(column, role)
    return _categorical(column, role)


def _numeric(column: Column, role: Role) -> Feature:
    # The lowest and the highest number of the data are somebody's: a range is told only if it was declared.
    low, high = (column.domain.low, column.domain.high) if column.domain is not None else (None, None)
    attribute = Attribute(column.name, role, column.kind, (), low, high, column.has_missing)
    return Feature(attribute, column.codes, column.size, column.values, (), having=column.having)


def _categorical(column: Column, role: Role) -> Feature:
    seen = [column.label(code) for code in range(column.size) if code != column.missing]
    hierarchy, domain = column.hierarchy, column.domain
    declared = domain.values if domain is not None and domain.values else hierarchy.values if hierarchy else ()
    labels = tuple(sorted({*seen, *declared}))
    place = {label: code for code, label in enumerate(labels)}
    # The missing code, if there is one, comes after all labels here as it did in the column.
    translate = np.array([*(place[label] for label in seen), len(labels)], np.int64)
    size = len(labels) + column.has_missing
    codes = translate[column.codes].astype(np.min_scalar_type(max(size - 1, 0)))
    known = [*labels, *[None] * column.has_missing]
    levels = () if hierarchy is None else level_codes(hierarchy, known, join_at_root=False)
    attribute = Attribute(column.name, role, WORDS, labels, has_missing=column.has_missing)
    # A suppressed cell is a label among others here, and still admits every value.
    recoded = replace(column, codes=codes, values=np.array(labels, object), has_suppressed=False)
    return Feature(attribute, codes, size, None, levels, having=recoded.having)
