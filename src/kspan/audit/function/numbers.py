"""The numbers that trees compare: how they come from cells, and what private cells can make of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from kspan.audit.function.asked import Asked, Cells
from kspan.data.arrays import Floats, Int64s
from kspan.data.cells import number_text
from kspan.data.table import Table
from kspan.errors import ModelError
from kspan.model.function.owners import Owner, owners_of
from kspan.model.function.parts import Forest
from kspan.model.tree.imported import NO_VALUE, column_of

OneHot = tuple[str, str | None]
"""A column, and its value if the number says whether a cell is that value."""


@dataclass(frozen=True, repr=False)
class NumbersOf:
    """Makes the numbers that trees compare of rows of people."""

    forest: Forest
    asked: Asked
    one_hot: tuple[OneHot, ...]
    """What each number says; empty if transformers make them."""
    owner: tuple[Owner, ...] | None
    """The column that each number is made from; None if nobody knows."""

    def of_rows(self, rows: Int64s, cells: dict[str, Any] | None = None) -> Floats:
        """Return the numbers of some rows of people, in which some columns may be replaced."""
        frame = self.asked.rows(rows, cells) if self.one_hot else self.asked.wanted_rows(rows, cells)
        return self._made(frame)

    def of_cells(self, name: str, series: Any) -> Floats:
        """Return the numbers that cells of one column make, all else being as in the first row."""
        return self.of_rows(np.zeros(len(series), np.int64), {name: series})

    def _made(self, frame: Any) -> Floats:
        try:
            numbers = self._as_they_are(frame) if self.one_hot else self._behind_steps(frame)
        except (TypeError, ValueError):
            raise ModelError("the trees compare numbers, and some cells of the people are none: encode them") from None
        if self.forest.trees.missing is not None:
            numbers[numbers == self.forest.trees.missing] = np.nan
        # What the library's numbers cannot hold is infinite there, too.
        with np.errstate(over="ignore"):
            rounded: Floats = numbers.astype(self.forest.trees.precision).astype(np.float64)
        return np.ascontiguousarray(rounded)

    def _behind_steps(self, frame: Any) -> Floats:
        made = frame
        for step in self.forest.steps:
            made = made if step is None or isinstance(step, str) else transformed(step, made)
        numbers: Floats = (made.toarray() if hasattr(made, "toarray") else np.asarray(made)).astype(np.float64)
        return numbers

    def _as_they_are(self, frame: Any) -> Floats:
        """Return the columns that trees ask as numbers; those that no tree asks may hold anything, and stay 0."""
        made, asked = np.zeros((len(frame), len(self.one_hot))), self.forest.trees.asked
        for place, (name, value) in enumerate(self.one_hot):
            if place in asked:
                made[:, place] = _said(frame[name], value)
        return made


def transformed(step: Any, given: Any) -> Any:
    """Return what a fitted transformer makes of people; its own words, which may quote cells, are not passed on."""
    try:
        return step.transform(given)
    except Exception as error:
        raise ModelError(
            f"the step {type(step).__name__} of the model cannot take the people ({type(error).__name__}): give the "
            "table that it was fitted on"
        ) from None


def one_hots(forest: Forest, table: Table) -> tuple[OneHot, ...]:
    """Return what each number says if trees ask columns, or one-hot columns, as they are; nothing behind steps."""
    if forest.steps:
        return ()
    spaced = {name.replace(" ", "_"): name for name in table.columns}  # as LightGBM writes them
    names = [spaced.get(name, name) if name not in table.columns else name for name in forest.columns]
    return tuple(column_of(name, table) for name in names)


def numbers_of(forest: Forest, asked: Asked) -> NumbersOf:
    """Return how the numbers of some trees are made, and from which columns, as far as that is known."""
    said = one_hots(forest, asked.table)
    if said:
        return NumbersOf(forest, asked, said, tuple(name for name, _ in said))
    owners: list[Owner] | None = list(forest.columns)
    for step in forest.steps:
        owners = None if owners is None else owners_of(step, owners)
    return NumbersOf(forest, asked, (), None if owners is None else tuple(owners))


def private_cells(numbers: Sequence[NumbersOf], name: str) -> Cells | None:
    """Return private cells of one attribute such that trees can tell no other from all of these.

    Between two thresholds all numbers are the same to a tree, so one is enough. None if that cannot be said: if a
    larger number may become a smaller one on the way.
    """
    asked = numbers[0].asked
    if not asked.table[name].is_measured:
        return asked.cells[name]
    ends = asked.ends(name)
    more: set[float] = set(ends)
    for made in numbers:
        trees = made.forest.trees.grown
        for feature in sorted(made.forest.trees.asked):
            if made.owner is None or made.owner[feature] != name:
                continue
            thresholds = np.unique(np.concatenate([t.threshold[(t.left >= 0) & (t.feature == feature)] for t in trees]))
            last = _last_left(made, name, feature, thresholds, ends)
            more |= set(last.tolist()) | set(np.nextafter(last, np.inf).clip(*ends).tolist())
    found = asked.cells_of(name, sorted(more))
    return found if all(_rises(made, name, found) for made in numbers) else None


def _last_left(made: NumbersOf, name: str, feature: int, thresholds: Floats, ends: tuple[float, float]) -> Floats:
    """Return, for each threshold, the largest number that goes left, or the lowest if none does.

    Floating-point numbers have an order in which they can be counted, so they are halved by that: the library itself
    makes a number of each try, and the answer is exact however it does.
    """
    low, high = (np.full(len(thresholds), _place(np.array(end))) for end in ends)
    while (low < high).any():
        # Rounded up without a sum that could overflow.
        middle = high - ((high.astype(np.uint64) - low.astype(np.uint64)) // 2).astype(np.int64)
        tried = made.of_cells(name, _series(made.asked.frame[name], _number(middle)))[:, feature]
        goes_left = tried <= thresholds
        low, high = np.where(goes_left, middle, low), np.where(goes_left, high, middle - 1)
    return _number(low)


def _place(number: Floats) -> Int64s:
    """Count floating-point numbers in their order."""
    bits = number.astype(np.float64).view(np.int64)
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def _number(place: Int64s) -> Floats:
    bits = np.where(place < 0, np.iinfo(np.int64).min - place, place)
    return bits.view(np.float64)


def _rises(made: NumbersOf, name: str, cells: Cells) -> bool:
    """Do larger cells make larger numbers, or the same, as far as cells were tried?"""
    if made.owner is None:
        return True
    mine = [feature for feature, owner in enumerate(made.owner) if owner == name]
    raw = np.asarray(cells.series, np.float64)
    there = np.flatnonzero(~np.isnan(raw))
    found = made.of_cells(name, cells.series)[there[np.argsort(raw[there], kind="stable")]][:, mine]
    rises: bool = bool((np.diff(found, axis=0) >= 0).all()) and not np.isnan(found).any()
    return rises


def _series(like: Any, numbers: Floats) -> Any:
    if isinstance(like, pl.Series):
        return pl.Series(like.name, numbers)
    import pandas as pd

    return pd.Series(numbers)


def _said(series: Any, value: str | None) -> Any:
    if value is None:
        return np.asarray(series.to_numpy(), np.float64)
    if value in NO_VALUE:
        return np.asarray(series.is_null() if isinstance(series, pl.Series) else series.isna(), np.float64)
    # Only different cells are read, not those of every person.
    spelled = [cell for cell in list(series.unique()) if _text(cell) == value]
    return np.asarray(series.is_in(spelled) if isinstance(series, pl.Series) else series.isin(spelled), np.float64)


def _text(cell: Any) -> str:
    is_number = isinstance(cell, int | float | np.number) and not isinstance(cell, bool)
    return number_text(cell) if is_number else str(cell)
