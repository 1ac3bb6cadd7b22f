"""People as numbers that boosted trees compare: a word by its place, a number as it is, what is not said as missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from kspan.data.arrays import Bools, Floats, Int64s
from kspan.data.expected import Known, NumberCells, Numbers, WordCells, Words
from kspan.data.numeric_features import check_present, read
from kspan.errors import ModelError, listed
from kspan.frames.native import to_polars

COPIES = 16
"""How many people with exact values stand for one whose cells are general."""


@dataclass(frozen=True)
class Numbered:
    """Makes one number of each attribute."""

    attributes: tuple[Known, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it reads, one for each number."""
        return tuple(attribute.name for attribute in self.attributes)

    def copies(self, people: pl.DataFrame, pattern: str | None = None) -> tuple[Int64s, Floats]:
        """Return people with exact values, and whom each stands for: `COPIES` for a row with a general cell, else one.

        Each copy has a value of every cell, so that all values of one cell meet several of another. What a row becomes
        depends on its own cells alone.
        """
        check_present(self.names, people.columns)
        cells = [read(attribute, people, pattern) for attribute in self.attributes]
        several = np.zeros(people.height, bool)
        for each in cells:
            several |= _is_general(each)[each.codes]
        row = np.repeat(np.arange(people.height), np.where(several, COPIES, 1))
        first = np.flatnonzero(np.append(True, row[1:] != row[:-1])) if len(row) else np.zeros(0, np.int64)
        place = np.arange(len(row)) - np.repeat(first, np.where(several, COPIES, 1))
        return row, np.column_stack([*self._drawn(cells, row, place), np.zeros((len(row), 0))])

    def transform(self, people: Any) -> Floats:
        """Return a row of numbers for each person; refuse general cells, which have several."""
        frame = to_polars(people)
        row, numbers = self.copies(frame)
        if len(row) != frame.height:
            raise ModelError(f"some cells of {listed(self.names)} are general: give the people as they are")
        return numbers

    def _drawn(self, cells: Sequence[WordCells | NumberCells], row: Int64s, place: Int64s) -> list[Floats]:
        found = []
        for seed, (attribute, each) in enumerate(zip(self.attributes, cells, strict=True)):
            # Orders that differ between attributes, and never between two calls.
            at = (np.random.default_rng(seed).permutation(COPIES)[place] + 0.5) / COPIES
            codes = each.codes[row].astype(np.int64)
            if isinstance(each, WordCells):
                found.append(_word(each, codes, at))
            else:
                assert isinstance(attribute, Numbers)
                found.append(_number(attribute, each, codes, at))
        return found


def _is_general(cells: WordCells | NumberCells) -> Bools:
    """Tell which codes admit several values; one that says nothing is missing instead."""
    several: Bools = (cells.chances > 0).sum(axis=1) > 1 if isinstance(cells, WordCells) else cells.low < cells.high
    return cells.says & several


def _word(cells: WordCells, codes: Int64s, at: Floats) -> Floats:
    """Return the place of the word below which so large a share of the chances lies."""
    if not cells.chances.shape[1]:
        return np.full(len(codes), np.nan)
    # Rows of growing numbers one after the other are one growing row.
    ends = np.cumsum(cells.chances, axis=1)
    ends /= np.where(cells.says, ends[:, -1], 1.0)[:, None]
    flat = (ends + 2 * np.arange(len(ends))[:, None]).ravel()
    width = ends.shape[1]
    place = np.searchsorted(flat, at + 2 * codes, side="left") - codes * width
    return np.where(cells.says[codes], np.clip(place, 0, width - 1).astype(np.float64), np.nan)


def _number(attribute: Numbers, cells: NumberCells, codes: Int64s, at: Floats) -> Floats:
    low, high = (np.where(cells.says, end, np.nan)[codes] for end in attribute.ends(cells))
    return np.where(low == high, low, low * (1 - at) + high * at)


def numbered_words(attribute: Words, order: Int64s) -> Words:
    """Return an attribute with its words in another order, which is that of their numbers."""
    values, weights = (tuple(each[place] for place in order) for each in (attribute.values, attribute.weights))
    return Words(attribute.name, values, weights, attribute.hierarchy, attribute.signs)
