"""What the cells of a column mean: the one place where a spelling becomes values, for judge, learners and reports.

Cells are read as this package writes them (`{a|b}`, `[lo, hi]`, `*`, names of a hierarchy), and as others do:
`[20, 40[`, `[20,40)` and `(20, 40]` exclude an end, and `20-39`, `<20`, `>=60` are ranges in a column where every cell
is a number or a range. `(M, F)`, `{M,F}` and `{ M | F }` are sets in a column that knows the words M and F. Names of a
hierarchy come first, then the pattern of ranges, if there is one. A cell that looks like a general one but cannot be
read is doubtful: whoever must know what it means refuses it, all others take it for a word.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from kspan.data.cells import (
    Anything,
    Between,
    Cell,
    Exact,
    OneOf,
    number,
    number_text,
    read_cell,
    values_in,
    write_cell,
)
from kspan.data.ranges import Ends, ends_of
from kspan.data.table import Column, Table
from kspan.limits import LARGEST_NUMBER

_NUMBER = r"\s*([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*"
_DASH = re.compile(rf"{_NUMBER}[-–]{_NUMBER}")
_BOUND = re.compile(rf"([<>]=?|[≤≥]){_NUMBER}")
_LIST = re.compile(r"\(([^(){}]*)\)|\{([^(){}]*)\}")
_BRACKETS = "[]{}"
_may_be_general = re.compile(r"\s*[\[\](){}<>≤≥]|.*\d\s*[-–]\s*[+-]?\d", re.DOTALL).match
"""What the text of a cell has that is no single value, unless it is a name."""


@dataclass(frozen=True)
class Meanings:
    """What each value of a column means, by its code."""

    cells: tuple[Cell, ...]
    numeric: bool
    """Does the column speak of numbers alone?"""
    doubtful: int | None = None
    """The first code that looks like a general cell, or should be a number, but cannot be read as one."""


def meanings(column: Column, pattern: str | None = None, known: Iterable[str] = ()) -> Meanings:
    """What each value of a column means; a pattern with the groups `low` and `high` says how ranges are written.

    `known` are words that people have, besides those that the column shows or declares.

    >>> from kspan.data.kinds.words import WORDS
    >>> shown = np.array(["20-39", "40", "<20"], object)
    >>> meanings(Column("age", WORDS, np.arange(3, dtype=np.uint8), shown)).cells[0]
    Between(low=20.0, high=39.0, without_low=False, without_high=False)
    """
    labels = [column.label(code) for code in range(len(column.values))]
    if column.is_measured:
        return Meanings(tuple(map(Exact, labels)), numeric=True)
    written = [None] * len(labels) if pattern is None else ends_of(pattern, labels)
    read = [_read(column, label, ends) for label, ends in zip(labels, written, strict=True)]
    read = _with_lists(column, labels, read, known)
    doubtful = [code for code, cell in enumerate(read) if cell is None]
    cells = [Exact(label) if cell is None else cell for label, cell in zip(labels, read, strict=True)]
    declared = None if column.domain is None else column.domain.kind.is_measured
    ranges = [code for code, cell in enumerate(cells) if isinstance(cell, Between)]
    if declared is False:
        doubtful += ranges
        cells = [Exact(label) if isinstance(cell, Between) else cell for label, cell in zip(labels, cells, strict=True)]
        return Meanings(tuple(cells), numeric=False, doubtful=min(doubtful, default=None))
    # `20-39` is a range only if all cells are numbers or ranges: one word, and it is a word as well.
    numbers = [_as_numbers(cell) for cell in cells]
    strange = [code for code, cell in enumerate(numbers) if cell is None]
    if strange and (ranges or declared):
        doubtful += strange
    if strange or not cells:
        return Meanings(tuple(cells), numeric=bool(declared), doubtful=min(doubtful, default=None))
    return Meanings(tuple(cell for cell in numbers if cell is not None), numeric=True)


def meaning(column: Column, text: str, *, numeric: bool) -> Cell:
    """What a text would mean as a cell of a column, which speaks of numbers alone if it is numeric."""
    cell = _read(column, text, None) or Exact(text)
    return (_as_numbers(cell) or cell) if numeric else cell


def _read(column: Column, label: str, ends: Ends | None) -> Cell | None:
    """Read a cell by itself; None if it looks like a general cell but cannot be read."""
    hierarchy = column.hierarchy
    if hierarchy is not None and (name := hierarchy.find(label)):
        return OneOf(tuple(hierarchy.values[member] for member in sorted(hierarchy.members[name])))
    if ends is not None:
        low, high = (number((end or "").strip()) for end in ends)
        return None if low is None or high is None or low > high else _unless_endless(Between(low, high))
    cell = read_cell(label)
    if isinstance(cell, Exact) and not isinstance(bare := read_cell(label.strip()), Exact | Anything):
        cell = bare  # blanks around a range or a set are no part of it
    if isinstance(cell, Between):
        return _unless_endless(cell)
    looks_general = label[:1] in _BRACKETS or label[-1:] in _BRACKETS
    return None if isinstance(cell, Exact) and looks_general else cell


def _with_lists(
    column: Column, labels: Sequence[str], read: Sequence[Cell | None], known: Iterable[str]
) -> list[Cell | None]:
    """The cells, where lists such as `(M, F)` and `{ M | F }` are sets if all their members are words of the column."""
    lists = {code: found for code, label in enumerate(labels) if (found := _LIST.fullmatch(label.strip()))}
    cells = list(read)
    if not lists:
        return cells
    words = {label for code, label in enumerate(labels) if code not in lists}
    words.update(
        member
        for cell in cells
        if isinstance(cell, OneOf)
        for member in cell.values
        if member == member.strip() and not {",", ";"} & set(member)
    )
    words.update(known, column.domain.values or () if column.domain is not None else ())
    words.update(column.hierarchy.values if column.hierarchy is not None else ())
    for code, found in lists.items():
        cell = cells[code]
        inside = found[1] or found[2] or ""
        mark = next((mark for mark in "|,;" if mark in inside), "|")
        members = [member.strip() for member in inside.split(mark)]
        is_read = isinstance(cell, OneOf) and all(member in words for member in cell.values)
        named = column.hierarchy is not None and column.hierarchy.find(labels[code])
        # `(20, 30)` may be a range as well as a set: nobody can tell.
        if is_read or named or labels[code] in known or all(number(member) is not None for member in members):
            continue
        if all(member in words for member in members):
            cells[code] = OneOf(tuple(members))
    return cells


def _as_numbers(cell: Cell) -> Cell | None:
    """Read a cell as one of a numeric column, where `20-39`, `<20` and `>=60` are ranges; None if it is about words."""
    if not isinstance(cell, Exact | OneOf) or all(number(value) is not None for value in values_in(cell)):
        return cell
    if isinstance(cell, OneOf):
        return None
    if found := _DASH.fullmatch(cell.value):
        low, high = number(found[1]), number(found[2])
        return None if low is None or high is None or low > high else _unless_endless(Between(low, high))
    if (found := _BOUND.fullmatch(cell.value)) and (end := number(found[2])) is not None:
        end = min(max(end, -LARGEST_NUMBER), LARGEST_NUMBER)
        below, without = found[1][0] in "<≤", found[1] in "<>"
        return Between(-math.inf, end, without_high=without) if below else Between(end, math.inf, without_low=without)
    return None


def _unless_endless(cell: Between) -> Between:
    """The range, with ends beyond `LARGEST_NUMBER` made infinite: that is how tables write a range without ends."""
    low, high = cell.low, cell.high
    return Between(
        min(low, LARGEST_NUMBER) if low >= -LARGEST_NUMBER else -math.inf,
        max(high, -LARGEST_NUMBER) if high <= LARGEST_NUMBER else math.inf,
        cell.without_low and low >= -LARGEST_NUMBER,
        cell.without_high and high <= LARGEST_NUMBER,
    )


def canonical(table: Table, pattern: str | None = None, *, known: Table | None = None) -> Table:
    """The table with every cell in the one spelling that this package uses, so that equal cells are spelled alike.

    A cell that is a value of `known` people is that value, whatever it looks like beside the other cells of a release.
    """
    people = {} if known is None else known.columns
    columns = {name: canonical_column(column, pattern, people.get(name)) for name, column in table.columns.items()}
    return replace(table, columns=columns)


def canonical_column(column: Column, pattern: str | None = None, known: Column | None = None) -> Column:
    """The column with every cell in the one spelling that this package uses.

    >>> from kspan.data.kinds.words import WORDS
    >>> shown = np.array(["20-39", "[20,39]", "[20, 20]"], object)
    >>> canonical_column(Column("age", WORDS, np.arange(3, dtype=np.uint8), shown)).values.tolist()
    ['20', '[20, 39]']
    """
    if column.is_measured:
        return column
    kept = set() if known is None else {known.label(code) for code in range(len(known.values))}
    read = meanings(column, pattern, kept)
    labels = [str(label) for label in column.values]
    spelled = [
        label if label in kept else _spelled(column, label, cell, numeric=read.numeric)
        for label, cell in zip(labels, read.cells, strict=True)
    ]
    if spelled == labels:
        return column
    values = np.array(sorted(set(spelled)), object)
    places = np.searchsorted(values, np.array(spelled, object))
    rest = len(values) + np.arange(column.size - len(spelled))  # the suppressed and the missing cell come last
    codes = np.concatenate([places, rest])[column.codes]
    return replace(column, values=values, codes=codes.astype(np.min_scalar_type(max(len(values) + len(rest) - 1, 0))))


def with_one_spelling(column: Column, pattern: str | None = None) -> Column:
    """The column in which cells that mean the same are one cell, in one of the spellings that it has.

    >>> from kspan.data.kinds.words import WORDS
    >>> shown = np.array(["{M|F}", "F", "{F|M}"], object)
    >>> with_one_spelling(Column("sex", WORDS, np.arange(3, dtype=np.uint8), shown)).values.tolist()
    ['F', '{F|M}']
    """
    labels = [str(label) for label in column.values]
    if column.is_measured or (pattern is None and not any(map(_may_be_general, labels))):
        return column
    read = meanings(column, pattern)
    spelled = [
        _spelled(column, label, cell, numeric=read.numeric) for label, cell in zip(labels, read.cells, strict=True)
    ]
    taken = dict(sorted(zip(spelled, labels, strict=True), reverse=True))
    taken |= {text: text for text in set(spelled) & set(labels)}
    if len(taken) == len(labels):
        return column
    values = [label for text, label in zip(spelled, labels, strict=True) if taken[text] == label]
    place = {label: code for code, label in enumerate(values)}
    rest = len(values) + np.arange(column.size - len(labels))
    codes = np.concatenate([[place[taken[text]] for text in spelled], rest])[column.codes]
    kept = np.empty(len(values), object)
    kept[:] = values
    return replace(column, values=kept, codes=codes.astype(np.min_scalar_type(max(len(values) + len(rest) - 1, 0))))


def _spelled(column: Column, label: str, cell: Cell, *, numeric: bool) -> str:
    if column.hierarchy is not None and (name := column.hierarchy.find(label)):
        return name
    if not isinstance(cell, Exact | OneOf):
        return write_cell(cell)
    if numeric:
        values = sorted({_number_spelled(value) for value in values_in(cell)}, key=float)
    else:
        values = sorted(set(values_in(cell)))
    return values[0] if len(values) == 1 else write_cell(OneOf(tuple(values)))


def _number_spelled(text: str) -> str:
    """A number in its one spelling, or as it is if a float has too few digits for it."""
    plain = number_text(float(text))
    return plain if Decimal(plain) == Decimal(text) else text
