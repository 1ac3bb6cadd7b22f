"""The judge's spans of rules and itemsets: which of their questions' states each person can be in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kspan.audit.baskets.sides import Codes, Published, Sides
from kspan.audit.spans import SpansOfRows
from kspan.data.arrays import Bools, Int64s
from kspan.data.baskets import BOUGHT, Baskets
from kspan.data.groups import Counts, Groups
from kspan.data.table import Column

AT_ONCE = 64
"""Sets of items that are told apart at once, a bit each."""


@dataclass(frozen=True, repr=False)
class BasketSpans(SpansOfRows):
    """The spans of a release about baskets among some people."""

    asked: Sides
    baskets: Baskets
    span: Int64s
    groups: Groups
    contained: Bools
    """For each span, which of the sets that are asked for its people bought."""
    codes: Codes
    """The code of every question, one row per span."""

    @property
    def kind(self) -> str:  # type: ignore[override]
        """What was judged."""
        return self.asked.published.kind

    @property
    def rows(self) -> int:
        """How many rows the people have."""
        return self.baskets.rows

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.baskets.people

    @property
    def persons(self) -> Int64s | None:
        """The person of each row, if people have several."""
        return self.baskets.persons

    @property
    def weights(self) -> Int64s | None:
        """How many people each row stands for; None if one each."""
        return self.baskets.weights

    def told_of_rows(self, name: str) -> Column:
        """Which rows bought a private item."""
        return self.baskets.column(name)

    @cached_property
    def where(self) -> Mapping[str, Bools]:
        """For each private item of which something is told, the spans in which it is."""
        each = {item: self.asked.depends_on(item, self.codes) for item in self.asked.published.model.private}
        return {item: where for item, where in each.items() if where.any()}

    @cached_property
    def disclosed(self) -> Mapping[str, Counts]:
        """For each private item, how many people of each span did not buy it, and how many did."""
        bought = {item: bought_in_spans(item, self, self.baskets) for item in self.where}
        counted = {item: np.column_stack([self.sizes - each, each]) for item, each in bought.items()}
        return {item: Counts.of(each, having=BOUGHT) for item, each in counted.items()}

    def telling(self, name: str) -> Bools:
        """Tell in which spans something is told of an item."""
        return self.where[name]

    def shown(self, some: Sequence[int]) -> list[dict[str, str]]:
        """Describe some spans: what their people bought, and what speaks of them."""
        return [self.asked.shown(self.contained[span], self.codes[span]) for span in some]

    def facts(self) -> dict[str, Any]:
        """The rules or itemsets whose figures are not those of the people."""
        return {"untrue": self.asked.published.untrue(self.baskets)}


def basket_spans(published: Published, baskets: Baskets) -> BasketSpans:
    """Find the spans of some people: they share one if they bought the same of the sets that are asked for."""
    asked = Sides(published)
    bits = [baskets.packed_all(found) for found in asked.sets]
    # One span at first; each round divides the spans by 64 more sets.
    span, example = np.zeros(baskets.rows, np.int64), np.zeros(1, np.int64)
    for begin in range(0, len(bits), AT_ONCE):
        some = np.zeros((AT_ONCE, baskets.rows), np.uint8)
        for place, one in enumerate(bits[begin : begin + AT_ONCE]):
            some[place] = np.unpackbits(one, count=baskets.rows)
        words = np.ascontiguousarray(np.packbits(some, axis=0).T).view(np.uint64)[:, 0]
        different, word = np.unique(words, return_inverse=True)
        _, example, span = np.unique(span * len(different) + word, return_index=True, return_inverse=True)
    contained = np.zeros((len(example), len(bits)), bool)
    for place, one in enumerate(bits):
        # Of eight rows in a byte, the first has the highest bit.
        contained[:, place] = (one[example >> 3] >> (7 - (example & 7)).astype(np.uint8)) & 1
    codes = asked.codes(contained)
    groups = Groups(_people(span, len(example), baskets), exposing=asked.exposes(codes))
    return BasketSpans(asked, baskets, span, groups, contained, codes)


def bought_in_spans(item: str, spans: BasketSpans, baskets: Baskets) -> Int64s:
    """Return how many people of each span bought an item."""
    rows = np.flatnonzero(baskets.bought[item])
    return _people(spans.span[rows], len(spans.sizes), baskets, rows)


def _people(span: Int64s, number: int, baskets: Baskets, rows: Int64s | None = None) -> Int64s:
    if baskets.weights is None:
        return np.bincount(span, minlength=number)
    sizes = np.zeros(number, np.int64)
    np.add.at(sizes, span, baskets.weights if rows is None else baskets.weights[rows])
    return sizes
