"""What groups of rows show of one public attribute: a set, an interval, a node of a hierarchy, or nothing.

All functions take the group of each row (`WITHHELD` for none); no group may be empty. A group in which some values are
missing shows `*`, because no other cell can say that; one in which all are missing shows an empty cell.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED, write_set
from kspan.data.groups import NO_WEIGHTS, runs, tally
from kspan.data.table import Column
from kspan.kernels import shown as kernels
from kspan.model.partition import WITHHELD, Shown

MEAN_DIGITS = 6
"""The significant digits of a mean: more would tell of a single person."""
MASK_BITS = 62
"""A set of this many codes fits into one number, a bit each."""


def as_sets(column: Column, group: Int64s, number: int) -> Shown:
    """The values that occur in each group, in their order: one as it is, several as `{a|b}`.

    >>> from kspan.data.table import Column
    >>> from kspan.data.kinds.words import WORDS
    >>> sex = Column("sex", WORDS, np.array([0, 1, 1]), np.array(["F", "M"], object))
    >>> shown = as_sets(sex, np.array([0, 0, 1]), 2)
    >>> shown.label(0), shown.label(1)
    ('{F|M}', 'M')
    """
    if column.size > MASK_BITS:
        return shown(column, np.arange(number), _sets(column, *_codes_by_group(column, group, number)))
    masks, _, code = tally(kernels.masks(column.codes, group, number), 1 << column.size, NO_WEIGHTS, locate=True)
    return shown(column, code, _sets(column, *kernels.bits(masks)))


def as_intervals(column: Column, group: Int64s, number: int) -> Shown:
    """The lowest and the highest value of each group: `[lo, hi]` of numbers, `{a|...|b}` of words in their order."""
    low, high = kernels.lowest_and_highest(column.codes, column.size, group, number)
    plain = len(column.values)
    mixed = (low < plain) & (high >= plain)
    low[mixed], high[mixed] = 0, plain  # one pair for all of them: they show `*` whatever the values are
    pairs, _, code = tally(low * column.size + high, column.size**2, NO_WEIGHTS, locate=True)
    return shown(column, code, _runs(column, pairs // column.size, pairs % column.size))


def as_cells(column: Column, group: Int64s, number: int) -> Shown:
    """The interval of the exact numbers of each group; of anything else the values that occur."""
    return (as_intervals if column.is_measured else as_sets)(column, group, number)


def as_nodes(column: Column, group: Int64s, number: int) -> Shown:
    """The lowest name in the column's hierarchy that all values of a group have; without one, intervals or sets."""
    if column.hierarchy is None:
        return as_cells(column, group, number)
    level = np.full(number, len(column.levels), np.int64)
    name = np.zeros(number, np.int64)
    # From the root down, so that the lowest level with one name for all is the last to be written.
    for at, names in reversed(list(enumerate((np.arange(column.size), *column.levels)))):
        codes = names.astype(column.codes.dtype)[column.codes]
        low, high = kernels.lowest_and_highest(codes, column.size, group, number)
        level[low == high], name[low == high] = at, low[low == high]
    mixed = (low != high) & (high >= len(column.values))  # the last round was about the values themselves
    return chosen(mixed, as_suppressed(column, number), at_levels(column, level, name))


def at_levels(column: Column, level: Int64s, name: Int64s) -> Shown:
    """The name that each group shows, by its level in the column's hierarchy and its code there (see `Column.levels`).

    Level 0 has the values themselves. The name of the root would not be true of values together with missing ones:
    callers must show `*` for such groups instead.
    """
    width = column.size + 1
    pairs, _, code = tally(level * width + name, (len(column.levels) + 1) * width, NO_WEIGHTS, locate=True)
    return shown(column, code, [_name(column, *divmod(int(pair), width)) for pair in pairs])


def as_suppressed(column: Column, number: int) -> Shown:
    """`*` in every group."""
    return shown(column, np.zeros(number, np.int64), [SUPPRESSED])


def chosen(which: Bools, these: Shown, others: Shown) -> Shown:
    """What groups show, if those in `which` show it as in `these`, and the rest as in `others`."""
    cells = [*_texts(these.column), *_texts(others.column)]
    code = np.where(which, these.code, others.code + these.column.size)
    return shown(these.column, code, cells)


def shown(column: Column, code: Int64s, cells: Sequence[str | None]) -> Shown:
    """What groups show of a column: group g shows `cells[code[g]]`, None if that is missing; equal cells become one."""
    present = [cells[place] for place in np.unique(code)]
    plain = sorted({cell for cell in present if cell is not None and cell != SUPPRESSED})
    has_suppressed, has_missing = SUPPRESSED in present, None in present
    place: dict[str | None, int] = {cell: number for number, cell in enumerate(plain)}
    place |= {SUPPRESSED: len(plain), None: len(plain) + has_suppressed}
    # Cells that no group shows have no place.
    translate = np.array([place.get(cell, -1) for cell in cells], np.int64)
    values: NDArray[np.object_] = np.empty(len(plain), object)
    values[:] = plain
    of_group = translate[code]
    codes = of_group.astype(np.min_scalar_type(len(plain) + 2))
    made = Column(
        column.name,
        column.kind,
        codes,
        values,
        has_suppressed,
        has_missing,
        column.domain,
        column.hierarchy,
    )
    return Shown(of_group, made)


def _codes_by_group(column: Column, group: Int64s, number: int) -> tuple[Int64s, Int64s]:
    """The codes that occur in each group, ascending: those of group g from `start[g]` to `start[g + 1]`."""
    kept = group != WITHHELD
    keys = group[kept] * column.size + column.codes[kept]
    keys.sort()
    keys = keys[np.diff(keys, prepend=-1) > 0]
    start = np.searchsorted(keys, np.arange(number + 1) * column.size)
    keys %= column.size
    return start, keys


def _sets(column: Column, start: Int64s, codes: Int64s) -> list[str | None]:
    """The texts of some sets of codes: set s has those from `start[s]` to `start[s + 1]`, ascending."""
    # Each value as it is written between braces, so that it is escaped only once.
    inside = np.empty(column.size, object)
    for code in np.flatnonzero(np.bincount(codes)).tolist():
        inside[code] = write_set([column.label(code)])[1:-1]
    members = inside[codes]
    cells: list[str | None] = [
        "{" + "|".join(members[begin:end].tolist()) + "}" for begin, end in pairwise(start.tolist())
    ]
    first, last = codes[start[:-1]], codes[start[1:] - 1]
    for one in np.flatnonzero(first == last).tolist():
        cells[one] = column.label(first[one])
    # Last, because a set of one special code has been given its label above.
    for special in np.flatnonzero(last >= len(column.values)).tolist():
        cells[special] = None if first[special] == column.missing else SUPPRESSED
    return cells


def _runs(column: Column, low: Int64s, high: Int64s) -> list[str | None]:
    """The texts of some runs of codes, given by their ends: `[lo, hi]`, or `{a|...|b}` where they are words."""
    cells: NDArray[np.object_] = np.full(len(low), SUPPRESSED, object)
    if column.missing is not None:
        cells[low == column.missing] = None
    plain = high < len(column.values)
    low, high = low[plain], high[plain]
    if not column.is_measured:
        lengths = high - low + 1
        cells[plain] = _sets(column, np.append(0, np.cumsum(lengths)), runs(low, lengths))
    else:
        cells[plain] = [column.run(first, last) for first, last in zip(low.tolist(), high.tolist(), strict=True)]
    texts: list[str | None] = cells.tolist()
    return texts


def _name(column: Column, level: int, name: int) -> str | None:
    """The text of a name at a level of a column's hierarchy."""
    hierarchy = column.hierarchy
    assert hierarchy is not None
    member = name if level == 0 else int(np.flatnonzero(column.levels[level - 1] == name)[0])
    # Below the root missing values are a branch of their own.
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
