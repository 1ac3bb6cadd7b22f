"""What groups of rows show of one public attribute: a set, an interval, a node of a hierarchy, a mean, or nothing.

All take the group of each row (`WITHHELD` for none), of which none is empty. Where values and missing ones are together
a group shows `*`, because no cell can say that; where all are missing, an empty cell.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED, number_text, write_interval, write_set
from kspan.data.groups import NO_WEIGHTS, tally
from kspan.data.table import Column
from kspan.model.partition import WITHHELD, Shown

MEAN_DIGITS = 6
"""Significant ones: more would tell of a single person."""


def as_sets(column: Column, group: Int64s, number: int) -> Shown:
    """The values that occur in each group, in their order: one as it is, several as `{a|b}`.

    >>> from kspan.data.table import Column
    >>> sex = Column("sex", "categorical", np.array([0, 1, 1]), np.array(["F", "M"], object))
    >>> shown = as_sets(sex, np.array([0, 0, 1]), 2)
    >>> shown.label(0), shown.label(1)
    ('{F|M}', 'M')
    """
    start, codes = _codes_by_group(column, group, number)
    special = _not_values(column)
    lengths = np.diff(start)
    cells: list[str | None] = []
    known: dict[bytes, int] = {}
    code = np.empty(number, np.int64)
    for place in range(number):
        inside = codes[start[place] : start[place] + lengths[place]]
        key = inside.tobytes()
        if key not in known:
            known[key] = len(cells)
            cells.append(_set(column, inside.tolist(), special))
        code[place] = known[key]
    return shown(column, code, cells)


def as_intervals(column: Column, group: Int64s, number: int) -> Shown:
    """The lowest and the highest value of each group: `[lo, hi]` of numbers, `{a|...|b}` of words in their order."""
    start, codes = _codes_by_group(column, group, number)
    low, high = codes[start[:-1]], codes[start[1:] - 1]
    plain = len(column.values)
    some_special, all_special = high >= plain, low >= plain
    low, high = np.where(some_special & ~all_special, 0, low), np.where(some_special & ~all_special, plain, high)
    pairs, _, code = tally(low * (column.size + 1) + high, (column.size + 1) ** 2, NO_WEIGHTS, locate=True)
    bounds = [divmod(int(pair), column.size + 1) for pair in pairs]
    mixed = set(np.unique(code[some_special & ~all_special]).tolist())
    cells = [
        SUPPRESSED if place in mixed else _between(column, first, last) for place, (first, last) in enumerate(bounds)
    ]
    return shown(column, code, cells)


def as_nodes(column: Column, group: Int64s, number: int) -> Shown:
    """The lowest name in the column's hierarchy that all values of a group have; sets where there is no hierarchy."""
    if column.hierarchy is None:
        return as_intervals(column, group, number) if column.values.dtype != object else as_sets(column, group, number)
    kept = group != WITHHELD
    rows, codes = group[kept], column.codes[kept].astype(np.int64)
    level = np.full(number, len(column.levels), np.int64)
    name = np.zeros(number, np.int64)
    for at, names in reversed(list(enumerate((np.arange(column.size), *column.levels)))):
        low, high = np.full(number, column.size), np.full(number, -1)
        np.minimum.at(low, rows, names[codes])
        np.maximum.at(high, rows, names[codes])
        level[low == high], name[low == high] = at, low[low == high]
    return at_levels(column, level, name)


def at_levels(column: Column, level: Int64s, name: Int64s) -> Shown:
    """Names of the column's hierarchy by level and code there (see `Column.levels`; level 0 are the values)."""
    width = column.size + 1
    pairs, _, code = tally(level * width + name, (len(column.levels) + 1) * width, NO_WEIGHTS, locate=True)
    return shown(column, code, [_name(column, *divmod(int(pair), width)) for pair in pairs])


def as_means(column: Column, group: Int64s, number: int) -> Shown:
    """The mean of the numbers of each group; a missing one in it makes the cell `*`."""
    kept = group != WITHHELD
    rows, codes = group[kept], column.codes[kept].astype(np.int64)
    plain = len(column.values)
    known = codes < plain
    people = np.bincount(rows, minlength=number)
    with_number = np.bincount(rows[known], minlength=number)
    values = column.values.astype(np.float64)
    totals = np.bincount(rows[known], values[codes[known]], number)
    means = np.array([float(f"{mean:.{MEAN_DIGITS}g}") for mean in totals / np.maximum(with_number, 1)])
    distinct, code = np.unique(means, return_inverse=True)
    cells: list[str | None] = [number_text(float(mean)) for mean in distinct]
    code[with_number < people], code[with_number == 0] = len(cells), len(cells) + 1
    return shown(column, code, [*cells, SUPPRESSED, None])


def as_suppressed(column: Column, number: int) -> Shown:
    """`*` in every group."""
    return shown(column, np.zeros(number, np.int64), [SUPPRESSED])


def chosen(which: Bools, these: Shown, others: Shown) -> Shown:
    """What some groups show in one way, and the rest in another."""
    cells = [*_texts(these.column), *_texts(others.column)]
    code = np.where(which, these.code, others.code + these.column.size)
    return shown(these.column, code, cells)


def shown(column: Column, code: Int64s, cells: Sequence[str | None]) -> Shown:
    """What groups show of a column: a place among some cells, of which None is a missing one; equal cells are one."""
    present = [cells[place] for place in np.unique(code)]
    plain = sorted({cell for cell in present if cell is not None and cell != SUPPRESSED})
    has_suppressed, has_missing = SUPPRESSED in present, None in present
    place: dict[str | None, int] = {cell: number for number, cell in enumerate(plain)}
    place |= {SUPPRESSED: len(plain), None: len(plain) + has_suppressed}
    translate = np.array([place.get(cell, -1) for cell in cells], np.int64)
    values: NDArray[np.object_] = np.empty(len(plain), object)
    values[:] = plain
    of_group = translate[code]
    codes = of_group.astype(np.min_scalar_type(len(plain) + 2))
    made = Column(column.name, column.kind, codes, values, has_suppressed, has_missing, column.domain, column.hierarchy)
    return Shown(of_group, made)


def _codes_by_group(column: Column, group: Int64s, number: int) -> tuple[Int64s, Int64s]:
    """The codes that occur in each group, ascending: those of group g from `start[g]` to `start[g + 1]`."""
    kept = group != WITHHELD
    keys, _, _ = tally(group[kept] * column.size + column.codes[kept], number * column.size, NO_WEIGHTS)
    return np.searchsorted(keys, np.arange(number + 1) * column.size), keys % column.size


def _not_values(column: Column) -> set[int]:
    return {code for code in (column.suppressed, column.missing) if code is not None}


def _set(column: Column, codes: list[int], special: set[int]) -> str | None:
    if special.intersection(codes):
        return None if codes == [column.missing] else SUPPRESSED
    return column.label(codes[0]) if len(codes) == 1 else write_set(column.label(code) for code in codes)


def _between(column: Column, low: int, high: int) -> str | None:
    if low == high:
        return None if low == column.missing else column.label(low)
    if high >= len(column.values):
        return SUPPRESSED
    if column.values.dtype == object:
        return write_set(column.label(code) for code in range(low, high + 1))
    return write_interval(_bound(column, low), _bound(column, high))


def _bound(column: Column, code: int) -> float:
    value = column.values[code]
    return float(value) if isinstance(value, float | np.floating) else int(value)


def _name(column: Column, level: int, name: int) -> str | None:
    """The text of a name at a level of a column's hierarchy."""
    hierarchy = column.hierarchy
    assert hierarchy is not None
    member = name if level == 0 else int(np.flatnonzero(column.levels[level - 1] == name)[0])
    if member == column.missing and (level == 0 or level < len(column.levels)):
        return None
    if member >= len(column.values):
        return SUPPRESSED
    label = column.label(member)
    if level == 0:
        return label
    if hierarchy.find(label) is None:  # a cell that is general already, such as a set, is a branch of its own
        return label if level < len(column.levels) else hierarchy.names[-1][0]
    return hierarchy.path(label)[level]


def _texts(column: Column) -> list[str | None]:
    labels: list[str | None] = [column.label(code) for code in range(column.size)]
    if column.missing is not None:
        labels[column.missing] = None
    return labels
