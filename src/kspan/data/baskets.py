"""Who bought what: tables whose columns are items, and whose cells say yes or no in one of many ways."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.having import Having
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema
from kspan.data.table import Column
from kspan.errors import DataError, did_you_mean, listed
from kspan.frames.files import load
from kspan.frames.native import of_its_kind

YES = ("1", "1.0", "true", "t", "yes", "y")
NO = ("0", "0.0", "false", "f", "no", "n", "?", "")
MOST_CELLS = 1 << 32
BOUGHT = Having.labels("no", "yes")
"""The two values of an item, in the order in which people are counted by them."""


@dataclass(frozen=True, repr=False)
class Baskets:
    """For each item the rows that bought it, and how many people each row stands for (None: one each)."""

    bought: Mapping[str, Bools]
    rows: int
    weights: Int64s | None = None
    persons: Int64s | None = None
    """The person of each row, where people have several."""

    def __repr__(self) -> str:
        return f"Baskets({self.rows} rows x {len(self.bought)} items)"

    @property
    def people(self) -> int:
        """How many people the rows stand for; where people have several rows, how many rows there are."""
        return self.rows if self.weights is None else int(self.weights.sum())

    def column(self, item: str) -> Column:
        """Who bought an item, as a column of two values."""
        return Column(item, WORDS, self.bought[item].astype(np.uint8), np.array(["no", "yes"], object))

    @cached_property
    def packed(self) -> Mapping[str, NDArray[np.uint8]]:
        """The rows that bought each item, one bit per row."""
        return {name: np.packbits(rows) for name, rows in self.bought.items()}

    def packed_all(self, names: Iterable[str]) -> NDArray[np.uint8]:
        """The rows that bought all of the named items, one bit per row; without any names, all rows."""
        bits = np.full((self.rows + 7) // 8, 0xFF, np.uint8)
        for name in names:
            bits &= self.packed[name]
        return bits

    def with_all(self, names: Iterable[str]) -> int:
        """How many people bought all of the named items."""
        wanted = frozenset(names)
        if wanted not in self._counted:
            self._counted[wanted] = self.count(self.packed_all(wanted))
        return self._counted[wanted]

    @cached_property
    def _counted(self) -> dict[frozenset[str], int]:
        """The sets of items whose people were counted before."""
        return {}

    def count(self, bits: NDArray[np.uint8]) -> int:
        """How many people the rows with a set bit stand for."""
        # `count` cuts off the bits behind the last row, which may be set.
        there = np.unpackbits(bits, count=self.rows).astype(bool)
        return int(there.sum()) if self.weights is None else int(self.weights[there].sum())


def encode_baskets(
    frame: pl.DataFrame, names: Sequence[str], weight: str | None = None, persons: Int64s | None = None
) -> Baskets:
    """Read the named items of a frame; a column with a cell that says neither yes nor no is refused.

    >>> encode_baskets(pl.DataFrame({"tea": ["yes", "no"], "milk": [0, 1]}), ["tea", "milk"]).bought["tea"].tolist()
    [True, False]
    """
    absent = [name for name in (*names, *([weight] if weight else [])) if name not in frame.columns]
    if absent:
        raise DataError(
            f"the table has no column {listed(absent)}{did_you_mean(absent[0], frame.columns)}: "
            "give the transactions with a column for each item"
        )
    if frame.height == 0:
        raise DataError("the table has no rows: there is nobody to protect or to audit")
    weights = None if weight is None else encode(frame, Schema(weight=weight), ()).weights
    return Baskets({name: _bought(frame[name]) for name in names}, frame.height, weights, persons)


def people_in(frame: pl.DataFrame, schema: Schema) -> int:
    """How many people the rows of a frame stand for."""
    return encode_baskets(frame, (), schema.weight).people


def baskets(frame: Any, *, transaction: str, item: str) -> Any:
    """Turn a long table (one row per item bought) into a wide one (one row per transaction, one column per item).

    Items are ordered by name, transactions by first appearance. The column that names transactions is left out.

    >>> bought = pl.DataFrame({"id": [7, 7, 9], "item": ["tea", "milk", "tea"]})
    >>> baskets(bought, transaction="id", item="item").to_dict(as_series=False)
    {'milk': [True, False], 'tea': [True, True]}
    """
    long = load(frame)
    for name in (transaction, item):
        if name not in long.columns:
            raise DataError(f"the table has no column {name!r}{did_you_mean(name, long.columns)}: correct the name")
        if gone := long[name].null_count():
            raise DataError(f"column {name!r} has {gone} empty cells: fill them, or drop their rows")
    if transaction == item or long.height == 0:
        raise DataError("a long table needs rows, with a column of transactions and another one of items")
    text = long[item].cast(pl.String).str.strip_chars()
    names = text.unique().sort()
    row = long.select(pl.col(transaction).rank("dense") - 1).to_series().to_numpy()
    _, first, place = np.unique(row, return_index=True, return_inverse=True)
    if len(first) * len(names) > MOST_CELLS:
        raise DataError(f"{len(first):,} transactions of {len(names):,} items are too many cells: drop rare items")
    # From the order of their names to the order in which transactions first appear.
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    wide = np.zeros((len(names), len(first)), bool)
    wide[text.cast(pl.Enum(names)).to_physical().to_numpy(), order[place]] = True
    made = pl.DataFrame({name: wide[number] for number, name in enumerate(names.to_list())})
    return made if isinstance(frame, str | os.PathLike) else of_its_kind(frame, made)


def _bought(series: pl.Series) -> Bools:
    kind = series.dtype
    if kind in (pl.Boolean, pl.Null):
        yes, no = series.fill_null(False).cast(pl.Boolean), bool((~series.cast(pl.Boolean)).any())
    elif kind.is_numeric():
        numbers = series.fill_nan(None) if kind.is_float() else series
        if not ((numbers == 0) | (numbers == 1)).all():
            _refuse(series.name)
        yes, no = (numbers == 1).fill_null(False), bool((numbers == 0).any())
        series = numbers
    elif kind in (pl.String, pl.Categorical, pl.Enum):
        labels = series.cast(pl.String).unique().drop_nulls().to_list()
        words = {label: label.strip().casefold() for label in labels}
        if not all(word in YES or word in NO for word in words.values()):
            _refuse(series.name)
        yes = series.cast(pl.String).is_in([label for label in labels if words[label] in YES]).fill_null(False)
        no = any(word in NO for word in words.values())
    else:
        _refuse(series.name)
    # An empty cell means no, but only in a column without any explicit no.
    if no and (gone := series.null_count()):
        raise DataError(
            f"column {series.name!r} says no in some cells and nothing in {gone}: say no there, or drop these rows"
        )
    bought: Bools = yes.to_numpy().astype(bool)
    return bought


def is_item(series: pl.Series) -> bool:
    """Does a column say yes and no, and nothing else?

    >>> is_item(pl.Series(["yes", "no"])), is_item(pl.Series(["F", "M"]))
    (True, False)
    """
    try:
        _bought(series.drop_nulls())
    except DataError:
        return False
    return True


def _refuse(name: str) -> NoReturn:
    raise DataError(
        f"column {name!r} says something else than yes or no, so it is no item: use true and false, 1 and 0, "
        "yes and no, or leave it out; or take its cells for items (--cells)"
    )
