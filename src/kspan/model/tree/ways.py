"""How much of a person goes down each branch of a node, where a cell may admit several values."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kspan.data.arrays import Bools, Floats
from kspan.data.general import GeneralNumbers, GeneralWords, general
from kspan.data.table import Column

if TYPE_CHECKING:
    from kspan.model.tree.model import Attribute, Region


class Ways:
    """One column of the people who are sent down the branches of a tree."""

    def __init__(self, column: Column, range_pattern: str | None = None, attribute: "Attribute | None" = None) -> None:
        self.column, self.range_pattern, self.attribute = column, range_pattern, attribute

    @cached_property
    def meant(self) -> GeneralWords | GeneralNumbers | None:
        """What the cells admit; None if each shows just the one value that it admits."""
        if self.column.is_measured and self.column.suppressed is None:
            return None
        found = general(self.column, self.range_pattern)
        if isinstance(found, GeneralWords) and found.is_exact:
            shown = [str(label) for label in self.column.values]
            if shown == [str(found.values[found.places(code)[0]]) for code in range(len(shown))]:
                return None
        return found

    def parts(self, regions: Sequence["Region"], people: Sequence[float | None]) -> Floats:
        """Return, for each branch (row) and code (column), the part of a person that goes there.

        A value goes where it is admitted. A cell that admits several values is divided by how many of them each branch
        admits, a range of numbers by the length in common. `*`, and a missing value that several branches admit, is
        divided like the `people` of the branches, or evenly if there are none or they are not told. A code that goes
        nowhere is 0 for every branch.
        """
        admitted = np.array([region.covers(self.column) for region in regions])
        if self._others.any():
            admitted |= np.array([region.missing for region in regions])[:, None] & self._others
        parts = admitted.astype(np.float64)
        known = np.array([0.0 if number is None else float(number) for number in people])
        for code in (self.column.missing, self.column.suppressed):
            if code is not None:
                # A `*` may be anything, unless there is a branch for such cells.
                anywhere = code == self.column.suppressed and not admitted[:, code].any()
                here = np.ones(len(regions), bool) if anywhere else admitted[:, code]
                parts[:, code] = _shared(here, known)
        if self.meant is not None:
            # A branch may be for just such a cell; in a column of ranges single numbers are cells, too.
            cells = (self.meant.numbers_admitted > 0) & (np.arange(self.column.size) < len(self.column.values))
            cells &= ~admitted.any(axis=0)
            parts[:, cells] = self._of_cells(self.meant, regions, cells)
        return parts

    @cached_property
    def _others(self) -> Bools:
        """Which codes are single values that go where missing ones go, since the tree does not name them."""
        if self.attribute is None or not self.attribute.others:
            return np.zeros(self.column.size, bool)
        beyond = self.attribute.beyond(self.column)
        if self.column.suppressed is not None:
            beyond[self.column.suppressed] = False
        if self.meant is not None:
            beyond[: len(self.column.values)] &= self.meant.numbers_admitted[: len(self.column.values)] <= 1
        return beyond

    def _of_cells(self, meant: GeneralWords | GeneralNumbers, regions: Sequence["Region"], cells: Bools) -> Floats:
        if isinstance(meant, GeneralWords):
            inside = np.array(
                [[str(value) in region.values for value in meant.values] for region in regions], np.float64
            )
            found = (meant.admits[cells].astype(np.float64) @ inside.T).T
        else:
            numbers = meant.values.astype(np.float64)
            low, high = numbers[meant.low[cells]], numbers[meant.high[cells] - 1]
            found = np.array([_in_common(low, high, region) for region in regions])
        total = found.sum(axis=0)
        return np.asarray(np.divide(found, total, out=np.zeros_like(found), where=total > 0))


def _in_common(low: Floats, high: Floats, region: "Region") -> Floats:
    """Return the length of each range that a region admits; for a single number, 1 or 0."""
    found = np.zeros(len(low))
    for begin, end in region.intervals:
        first = low if begin is None else np.maximum(low, begin)
        last = high if end is None else np.minimum(high, end)
        found += np.where(low < high, np.maximum(last - first, 0.0), _holds(low, begin, end))
    return found


def _holds(numbers: Floats, begin: float | None, end: float | None) -> Bools:
    """Tell which numbers are in the interval `begin < x <= end`."""
    return ((-np.inf if begin is None else begin) < numbers) & (numbers <= (np.inf if end is None else end))


def _shared(here: Bools, people: Floats) -> Floats:
    """Divide a person among the branches `here`, in proportion to their people, or evenly if they have none."""
    if not here.any():
        return np.zeros(len(here))
    weights = np.where(here, people, 0.0)
    weights = weights if weights.any() else here.astype(np.float64)
    parts: Floats = weights / weights.sum()
    return parts
