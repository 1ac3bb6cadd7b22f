"""What new rows show, by a recoding that was made of other rows.

Where every value became one cell wherever it occurs, as by full-domain generalization or top-down specialization, new
rows are recoded value by value; a value that nobody had gets the narrowest cell that admits it, else `*`. Otherwise a
new row shows what the nearest group shows. The distance of a group is the sum over its cells that do not admit the
row's value: a word or a missing value counts 1, a number its distance from the cell over the range of the column. Of
equally near groups the one that leaves least open is taken. In both cases a number is taken for the nearest one that is
in the release.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.anonymize.crowds import Recoding
from kspan.anonymize.frame import labels_of, spelled_of
from kspan.anonymize.ways import ABSENT, Way, Ways, ways_of
from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.cells import SUPPRESSED, Between, number, range_of, read_cell, values_in
from kspan.data.domain import told
from kspan.data.encode import encode
from kspan.data.groups import group_rows
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.policy import Policy
from kspan.utility.loss import penalties

AT_ONCE = 4096
"""This many different rows are compared with the groups at a time, since distances from all cells take memory."""

NEXT_TO = 1e-6
"""How far a number is from a range that ends there without it: just not in it."""


def shown_of(rows: pl.DataFrame, recoding: Recoding, source: Table, policy: Policy) -> dict[str, pl.Series]:
    """What new rows show of each public attribute, by the recoding of a source."""
    return shown_by_ways(rows, ways_of(recoding, source, policy.public), policy)


def shown_by_ways(rows: pl.DataFrame, ways: Ways, policy: Policy) -> dict[str, pl.Series]:
    """What new rows show of each public attribute, by the ways that values went."""
    return _told([place.cells for place in placed(rows, ways, policy)], ways, policy)


def shown_by_nearest(rows: pl.DataFrame, recoding: Recoding, source: Table, policy: Policy) -> dict[str, pl.Series]:
    """What the nearest group of each row shows, even if every value has one cell everywhere: so no group is new."""
    ways = ways_of(recoding, source, policy.public)
    return _told([place.cells for place in placed_by_nearest(rows, ways, policy)], ways, policy)


@dataclass(frozen=True)
class Placed:
    """Where the new rows have their place in one public attribute of a release."""

    new: Column
    """The attribute as the new rows have it."""
    cells: Int64s
    """The code of the cell that each row shows; `ABSENT` if that is `*`, and nobody in the release shows it."""
    admitting: Int64s
    """The code of the cell that says whom this place admits: of a region, where groups have some."""


def placed(rows: pl.DataFrame, ways: Ways, policy: Policy) -> list[Placed]:
    """Find the place of new rows in each public attribute: value by value if values have one cell, else by group."""
    if not ways.by_value:
        return placed_by_nearest(rows, ways, policy)
    attributes = _attributes(rows, ways, policy)
    found = [attribute.value_by_value() for attribute in attributes]
    return [Placed(attribute.new, cells, cells) for attribute, cells in zip(attributes, found, strict=True)]


def placed_by_nearest(rows: pl.DataFrame, ways: Ways, policy: Policy) -> list[Placed]:
    """Find the nearest group of each new row, by its regions if it has some."""
    attributes = _attributes(rows, ways, policy)
    region = _nearest(attributes)
    group = region if ways.group_of_region is None else ways.group_of_region[region]
    return [Placed(one.new, one.shown.code[group], one.region.code[region]) for one in attributes]


def _told(cells: list[Int64s], ways: Ways, policy: Policy) -> dict[str, pl.Series]:
    """Cells as text, with the policy's own for suppressed ones."""
    pairs = zip(ways.attributes.values(), cells, strict=True)
    return {way.name: cell_texts(way, codes, policy.suppressed_text) for way, codes in pairs}


def cell_texts(way: Way, codes: Int64s, suppressed_text: str) -> pl.Series:
    """What cells with these codes show; `ABSENT` is a suppressed one."""
    labels = [*spelled_of(way.shown.column, suppressed_text), suppressed_text]
    return pl.Series(way.name, labels, dtype=pl.String)[np.where(codes == ABSENT, len(labels) - 1, codes)]


def _attributes(rows: pl.DataFrame, ways: Ways, policy: Policy) -> "list[_Attribute]":
    # That a value is not declared in a domain or a hierarchy is no reason to refuse a row: it is just new.
    schema = Schema(
        public=policy.public,
        domains=told({way.name: way.source.kind for way in ways.attributes.values()}),
        missing=policy.missing,
        suppressed_text=policy.suppressed_text,
    )
    table = encode(rows, schema, policy.public)
    return [_Attribute(table[name], ways.attributes[name]) for name in policy.public]


class _Attribute:
    """One public attribute of new rows, together with that of the source and what became of its values."""

    def __init__(self, new: Column, way: Way) -> None:
        self.name, self.new, self.source = new.name, new, way.source
        self.became, self.shown, self.region = way.became, way.shown, way.region

    @cached_property
    def place(self) -> Int64s:
        """For each new value, the code of the same released value in the source; for a number, that of the nearest."""
        known = {label: code for code, label in enumerate(labels_of(self.source)) if self.became[code] != ABSENT}
        place = np.array([known.get(label, ABSENT) for label in labels_of(self.new)], np.int64)
        released = np.flatnonzero(self.became[: len(self.source.values)] != ABSENT)
        if not self.source.is_measured or not len(released):
            return place
        numbers = self.source.values[released].astype(np.float64)
        for code in np.flatnonzero(place == ABSENT).tolist():
            value = number(self.new.label(code))
            if value is not None:
                above = min(int(np.searchsorted(numbers, value)), len(numbers) - 1)
                below = max(above - 1, 0)
                place[code] = released[below if value - numbers[below] <= numbers[above] - value else above]
        return place

    def value_by_value(self) -> Int64s:
        """The code of the cell of each new row, if every value has one cell everywhere."""
        cells = labels_of(self.shown.column)
        narrowest_first = np.argsort(penalties(self.shown.column), kind="stable").tolist()

        def cell(place: int, label: str | None) -> int:
            if place != ABSENT:
                return int(self.became[place])
            otherwise = ABSENT if self.shown.column.suppressed is None else self.shown.column.suppressed
            return next((at for at in narrowest_first if label in self._values(cells[at])), otherwise)

        codes = [cell(*each) for each in zip(self.place.tolist(), labels_of(self.new), strict=True)]
        return np.array(codes, np.int64)[self.new.codes]

    def distances(self, codes: Int64s) -> NDArray[np.float32]:
        """How far each cell of groups is from some new values: 0 if it admits a value, and 1 at most."""
        labels = labels_of(self.new)
        column = {labels[code]: at for at, code in enumerate(codes.tolist())}
        numbers = self._in_ranges[self.place[codes]]
        far = np.ones((self.region.column.size, len(codes)), np.float32)
        for at, cell in enumerate(labels_of(self.region.column)):
            if cell == SUPPRESSED:
                far[at] = 0.0
            elif cell is not None and self.source.is_measured:
                low, high = self._ends(cell)
                far[at] = np.nan_to_num(np.clip(np.maximum(low - numbers, numbers - high), 0.0, 1.0), nan=1.0)
                far[at, self._left_out(cell, low, high, numbers)] = NEXT_TO
            else:
                far[at, [column[value] for value in self._values(cell) if value in column]] = 0.0
        return far

    @cached_property
    def _in_ranges(self) -> Floats:
        """The numbers of the source over their range; NaN for codes of no number and, at the end, for `ABSENT` (-1)."""
        nothing = np.full(self.source.size - len(self.source.values) + 1, np.nan)
        if not self.source.is_measured:
            return np.append(np.full(len(self.source.values), np.nan), nothing)
        return np.append(self.source.values / self._range, nothing)

    @cached_property
    def _range(self) -> float:
        numbers = self.source.values
        return float(numbers[-1]) - float(numbers[0]) or 1.0 if len(numbers) else 1.0

    def _ends(self, cell: str) -> tuple[float, float]:
        """The lowest and the highest number that a cell admits; if it admits none, everything is far from it."""
        numbers = [value for name in self._values(cell) if name is not None and (value := number(name)) is not None]
        ends = range_of(read_cell(cell)) or (min(numbers, default=np.inf), max(numbers, default=-np.inf))
        return ends[0] / self._range, ends[1] / self._range

    def _left_out(self, cell: str, low: float, high: float, numbers: Floats) -> Bools:
        """Tell which numbers are an end of a range that does not belong to it."""
        read = read_cell(cell)
        if not isinstance(read, Between):
            return np.zeros(len(numbers), bool)
        at_end: Bools = (read.without_low & (numbers == low)) | (read.without_high & (numbers == high))
        return at_end

    def _values(self, cell: str | None) -> Sequence[str | None]:
        """The values that a cell names one by one; None is the missing one."""
        hierarchy = self.source.hierarchy
        if cell is None:
            return (None,)
        if hierarchy is not None and (name := hierarchy.find(cell)):
            return [hierarchy.values[member] for member in hierarchy.members[name]]
        return values_in(read_cell(cell))


def _nearest(attributes: list[_Attribute]) -> Int64s:
    """The group, or the region of one, that is nearest to each new row."""
    from kspan.kernels.nearest import nearest  # loading compiled code takes a moment

    kind, kinds = group_rows([attribute.new for attribute in attributes], len(attributes[0].new.codes))
    example = np.empty(kinds, np.int64)
    example[kind] = np.arange(len(kind))
    regions = [attribute.region for attribute in attributes]
    # A suppressed cell leaves more open than a set of all values: it may also be missing.
    hidden = [region.code == (ABSENT if (none := region.column.suppressed) is None else none) for region in regions]
    openness = np.sum([penalties(region.column)[region.code] for region in regions], axis=0)
    openness = openness + NEXT_TO * np.sum(hidden, axis=0)
    # The first of the nearest groups is taken: it shall be the one that leaves least open.
    narrowest_first = np.argsort(openness, kind="stable")
    cells = np.column_stack([region.code[narrowest_first] for region in regions])
    found = np.empty(kinds, np.int64)
    for begin in range(0, kinds, AT_ONCE):
        some = example[begin : begin + AT_ONCE]
        values, tables = [], []
        for attribute in attributes:
            codes, value = np.unique(attribute.new.codes[some].astype(np.int64), return_inverse=True)
            values.append(value)
            tables.append(attribute.distances(codes))
        begins = np.cumsum([0, *(table.size for table in tables[:-1])])
        widths = np.array([table.shape[1] for table in tables])
        distances = np.concatenate([table.ravel() for table in tables])
        found[begin : begin + AT_ONCE] = nearest(cells, np.column_stack(values), distances, begins, widths)
    return narrowest_first[found][kind]
