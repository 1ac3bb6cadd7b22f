"""Which outcomes each kind of people can have, found by trying every combination of private cells."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from kspan.audit.function.asked import Asked, Cells, taken
from kspan.audit.function.ends import asked_of, ends_in
from kspan.audit.function.numbers import NumbersOf
from kspan.audit.function.outcomes import Outcomes, ToldCells, coded_masks, told_cells
from kspan.audit.sets import Sets
from kspan.data.arrays import Bools, Int64s
from kspan.errors import ModelError
from kspan.model.function.parts import Function

MOST_TRIED = 3_000_000
"""How many combinations of public kinds and private cells are tried at most."""
AT_ONCE = 250_000
SAMPLED = 12
"""How many cells of an attribute are tried if there are too many to try all."""


class Answers:
    """Numbers the outcomes of people: the leaves of all trees and the answers of all functions, as one number each."""

    def __init__(self, numbers: Sequence[NumbersOf], functions: Sequence[Function], asked: Asked) -> None:
        self.numbers, self.functions, self.asked = numbers, functions, asked
        self.known: dict[bytes, int] = {}

    def of(self, rows: Int64s, cells: dict[str, Any] | None = None) -> Int64s:
        """Return the number of the outcome of some rows, in which some columns may be replaced."""
        parts = [ends_in(made.forest.trees, made.of_rows(rows, cells)) for made in self.numbers]
        keys = [np.ascontiguousarray(part).view(np.uint8).reshape(len(rows), -1) for part in parts]
        if self.asked.wanted == ():  # nothing is read, so that everybody gets the same answer
            keys.append(np.zeros((len(rows), 1), np.uint8))
        elif self.functions:
            frame = self.asked.wanted_rows(rows, cells)
            keys += [_coded(asked_of(function.answer, frame), len(rows)) for function in self.functions]
        every = np.ascontiguousarray(np.concatenate(keys, axis=1))
        distinct, place = np.unique(every, axis=0, return_inverse=True)
        number = [self.known.setdefault(one.tobytes(), len(self.known)) for one in distinct]
        return np.array(number, np.int64)[place.reshape(-1)]


def _coded(answers: Any, rows: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return answers as bytes of equal length, the same for the same answers."""
    found = np.asarray(answers.to_numpy() if hasattr(answers, "to_numpy") else answers)
    if found.ndim == 0 or len(found) != rows:
        raise ModelError(f"the function must answer for each of {rows:,} rows: it returned something else")
    flat = found.reshape(rows, -1)
    if flat.dtype.kind in "fiub":
        # Adding zero turns -0.0 into 0.0; all that is no number is the same.
        numbers = np.where(np.isnan(flat.astype(np.float64)), np.nan, flat.astype(np.float64) + 0.0)
        return np.ascontiguousarray(numbers).view(np.uint8).reshape(rows, -1)
    words = [f"{type(cell).__name__} {cell!r}" for cell in flat.ravel().tolist()]
    digests = {word: np.frombuffer(_digest(word), np.uint8) for word in set(words)}
    return np.array([digests[word] for word in words]).reshape(rows, -1)


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode()).digest()[:16]


def tried_answers(answers: Answers, asked: Asked) -> Outcomes:
    """Try all private cells of every kind of people; or, if there are too many, some, which proves nothing."""
    cells, proved = _cells_to_try(answers, asked)
    shape = tuple(len(one) for one in cells.values())
    combinations = prod(shape)
    own = answers.of(np.arange(asked.table.rows))
    table = np.concatenate(list(_tried(answers, asked, cells, combinations))).reshape(-1, combinations)
    if proved:
        _check(own, table, asked, cells)
    kinds = asked.kinds.number
    pairs = np.unique(np.repeat(np.arange(kinds), combinations) * len(answers.known) + table.ravel())
    kind, outcome = np.divmod(pairs, len(answers.known))
    sets = Sets(owners=kinds, members=len(answers.known))
    sets.add(kind, outcome)
    span, _ = sets.numbered()
    several: Bools = np.bincount(kind, minlength=kinds) > 1
    told = _told(own, table, kind, outcome, asked, cells) if proved else {}
    endless = tuple(name for name, one in cells.items() if not one.is_finite)
    return Outcomes(span, several, own, told, combinations, proved, endless)


def _cells_to_try(answers: Answers, asked: Asked) -> tuple[dict[str, Cells], bool]:
    cells = {name: _answered_for(answers, _with_ends(answers, asked, name)) for name in asked.private}
    proved = all(one.is_finite for one in cells.values())
    if proved and asked.kinds.number * prod(len(one) for one in cells.values()) <= MOST_TRIED:
        return cells, True
    found = dict[str, Cells]()
    for name, one in cells.items():
        some = np.unique(np.linspace(0, len(one) - 1, min(len(one), SAMPLED)).round().astype(np.int64))
        found[name] = Cells(one.column, taken(one.series, some), one.code[some], one.is_finite)
        if asked.kinds.number * prod(len(each) for each in found.values()) > MOST_TRIED:
            # One cell has to do.
            found[name] = Cells(one.column, taken(one.series, some[:1]), one.code[some[:1]], one.is_finite)
    return found, False


def _with_ends(answers: Answers, asked: Asked, name: str) -> Cells:
    """Return the cells of an attribute, such that they stand for all numbers if it is one.

    Where answers rise with a number, its lowest and highest do; where it counts by cuts, one number between any two.
    """
    one = asked.cells[name]
    known = [name in function.rising or name in function.cuts for function in answers.functions]
    if one.is_finite or answers.numbers or not all(known):
        return one
    cuts = np.array([cut for function in answers.functions for cut in function.cuts.get(name, ())])
    low, high = asked.ends(name)
    every = np.unique(np.clip([low, *cuts, *np.nextafter(cuts, np.inf), high], low, high))
    cells = replace(asked.cells_of(name, every.tolist()), is_finite=True)
    with suppress(ModelError):
        answers.of(np.zeros(len(cells), np.int64), {name: cells.series})
        return cells
    return one  # the model takes no such numbers


def _answered_for(answers: Answers, cells: Cells) -> Cells:
    """Return the cells without words that nobody has and that the model refuses, whatever else it is told."""
    kept = (cells.code >= 0) | cells.column.is_measured
    for place in np.flatnonzero(~kept).tolist():
        with suppress(ModelError):
            answers.of(np.zeros(1, np.int64), {cells.column.name: taken(cells.series, np.array([place]))})
            kept[place] = True
    some = np.flatnonzero(kept)
    return Cells(cells.column, taken(cells.series, some), cells.code[some], cells.is_finite)


def _tried(answers: Answers, asked: Asked, cells: dict[str, Cells], combinations: int) -> Iterator[Int64s]:
    """Yield the outcomes of all combinations, kind by kind."""
    shape = tuple(len(one) for one in cells.values())
    places = np.unravel_index(np.arange(combinations), shape) if shape else ()
    at_once = max(AT_ONCE // combinations, 1)
    for begin in range(0, asked.kinds.number, at_once):
        rows = asked.row[begin : begin + at_once]
        replaced = {
            name: taken(one.series, np.tile(place, len(rows)))
            for (name, one), place in zip(cells.items(), places, strict=True)
        }
        yield answers.of(np.repeat(rows, combinations), replaced)


def _combination(asked: Asked, cells: dict[str, Cells]) -> Int64s:
    """Return the combination of private cells that each row has."""
    found = np.zeros(asked.table.rows, np.int64)
    for one in cells.values():
        place = np.zeros(one.column.size, np.int64)
        place[one.code[one.code >= 0]] = np.flatnonzero(one.code >= 0)
        found = found * len(one) + place[one.column.codes]
    return found


def _check(own: Int64s, table: Int64s, asked: Asked, cells: dict[str, Cells]) -> None:
    """Refuse a function that answers otherwise for a row by itself than for its values."""
    again = table[asked.kinds.group, _combination(asked, cells)]
    if (again != own).any():
        raise ModelError(
            f"for {int((again != own).sum()):,} rows the answer depends on more than the values in the columns that "
            "are read: on chance, on other rows, or on how a value is written; such a function cannot be judged"
        )


def _told(
    own: Int64s, table: Int64s, kind: Int64s, outcome: Int64s, asked: Asked, cells: dict[str, Cells]
) -> dict[str, ToldCells]:
    """Say what the outcomes of each kind tell of each private attribute: which cells lead there."""
    number = int(max(table.max(), own.max())) + 1
    # Pairs of kinds and outcomes are in ascending order.
    row = np.searchsorted(kind * number + outcome, asked.kinds.group * number + own)
    shape = tuple(len(one) for one in cells.values())
    admitted = {name: np.zeros((len(kind), size), bool) for name, size in zip(cells, shape, strict=True)}
    at_once = max(10_000_000 // max(table.shape[1], 1), 1)
    for begin in range(0, len(kind), at_once):
        some = slice(begin, begin + at_once)
        leads = (table[kind[some]] == outcome[some, None]).reshape(-1, *shape)
        for place, name in enumerate(cells):
            others = tuple(axis + 1 for axis in range(len(shape)) if axis != place)
            admitted[name][some] = leads.any(axis=others)
    return {
        name: told_cells(name, admitted[name], row, one.code >= 0, _varies(kind, admitted[name], one, asked))
        for name, one in cells.items()
    }


def _varies(kind: Int64s, admitted: Bools, cells: Cells, asked: Asked) -> Bools:
    """Tell for which kinds outcomes tell different things."""
    code, _ = coded_masks(admitted, cells.code >= 0)
    low, high = np.full(asked.kinds.number, len(code) + 1), np.full(asked.kinds.number, -1)
    np.minimum.at(low, kind, code)
    np.maximum.at(high, kind, code)
    varies: Bools = low < high
    return varies
