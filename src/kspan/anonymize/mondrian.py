"""Mondrian: cut the people in two at the median of the widest attribute, again and again.

K. LeFevre, D. J. DeWitt, R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006; with sets of values as J.
Shao, J. Beckford, Learning decision trees from anonymized data, use it. What they leave open is decided as follows:

- The width of numbers is their range over the range of the domain; the width of words is the number of different ones
  over the size of the domain. The domain is the declared one, or else that of the table. Columns that the policy wants
  to `keep` count as so many times wider. A part that mixes values with missing ones shows `*`, so its width is 1. Of
  equally wide attributes the policy's first comes first. With `width="distinct"` the width is the number of different
  values, whatever the domain, so that attributes of few values are hardly cut. Shao and Beckford seem to do that: their
  Table IV comes out so, and not by ranges.
- Words are in alphabetical order (or as the domain declares); where nodes of a hierarchy are shown, in the hierarchy's,
  so that those of one node are neighbors. Missing values come last.
- The median is the lowest value that half the people do not exceed. The cut puts it on the left; where that breaks the
  requirement, on the right; where that does too, the next widest attribute has its turn.
- Relaxed cuts share out the rows with the median so that both sides are equal, or nearly so where rows stand for
  several people; only where that breaks the requirement is a part cut as above. Chance decides who of them goes left.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.canvas import Canvas, Cuts, Parts, apart, resisting
from kspan.anonymize.cells import as_cells, as_nodes, as_sets
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.data.arrays import Floats, Int64s
from kspan.data.hierarchy import Hierarchy
from kspan.data.table import Column, Table
from kspan.kernels import mondrian as kernels
from kspan.model.partition import WITHHELD, Shown
from kspan.options import takes_options
from kspan.policy import Policy

Show = Literal["interval", "set", "hierarchy"]
Width = Literal["range", "distinct"]


@takes_options
def mondrian(
    table: Table,
    policy: Policy,
    *,
    rng: np.random.Generator,
    relaxed: bool = False,
    show: Show = "interval",
    width: Width = "range",
    resist: bool = False,
) -> Recoding:
    """Make groups by cutting at the median of the widest attribute, as long as both sides satisfy the requirement.

    If relaxed, the cells of different groups may overlap.

    Options:
        relaxed: People who have the median may be on either side of a cut.
        show: What groups show: the interval of their numbers and the set of their words, the set of all their values,
            or the lowest common name of the hierarchy.
        width: Which attribute is the widest: by the range of its domain, or by its number of distinct values.
        resist: Tell no more to those who know the method: a part is cut only where that is safe whatever private values
            its people have.
    """
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    canvas = _Canvas(
        crowds,
        # A relaxed cut sends the first rows with the median to the left: in random order, these are left to chance.
        rng.permutation(crowds.rows) if relaxed else np.arange(crowds.rows),
        by_hierarchy=show == "hierarchy",
        by_range=width == "range",
        resist=resist,
    )
    group, number = canvas.cut_up(lambda parts: canvas.cuts(parts, relaxed))
    partition = apart(group, {column.name: _shown(column, group, number, show) for column in crowds.columns}, number)
    return Recoding(
        partition, {"cuts": number - 1, "relaxed": relaxed, "show": show, "width": width} | resisting(resist)
    )


def cut_further(crowds: Crowds, group: Int64s, number: int, *, by_hierarchy: bool) -> tuple[Int64s, int]:
    """Cut groups that another method made, at the median of the widest attribute; rows in none stay in none."""
    order = np.argsort(group, kind="stable")
    canvas = _Canvas(crowds, order[np.count_nonzero(group == WITHHELD) :], by_hierarchy=by_hierarchy, by_range=True)
    return canvas.cut_up(lambda parts: canvas.cuts(parts, relaxed=False), canvas.parts_of(group, number))


class _Attribute:
    """A public attribute of the rows of the canvas: codes in the order in which it is cut."""

    def __init__(self, column: Column, rows: Int64s, weight: float, *, by_hierarchy: bool, by_range: bool) -> None:
        self.weight = weight
        self.size, self.plain, self.by_range = column.size, len(column.values), by_range
        self.codes = column.codes[rows]
        self.numbers = _halves(column) if column.is_measured else None
        if self.numbers is not None:
            self.domain = _range(column, self.numbers)
        else:
            declared = column.domain.values if column.domain is not None else None
            self.domain = float(max(len(declared or ()), self.plain, 1))
            if by_hierarchy and column.hierarchy is not None:
                self.codes = _place_in_hierarchy(column, column.hierarchy)[self.codes]

    def widths(self, parts: Parts, low: Int64s, high: Int64s) -> Floats:
        """How much of the domain each part covers, from 0 to 1, or how many values each has."""
        if not self.by_range:
            values = kernels.varieties(self.codes, self.size, parts.begin, parts.end).astype(np.float64)
            values[low == high] = 0.0
            return values
        if self.numbers is not None:
            # One division, and of whole numbers where the values are whole: equal widths stay equal.
            width = (self.numbers[high] - self.numbers[low]) / self.domain
        else:
            width = kernels.varieties(self.codes, self.size, parts.begin, parts.end) / self.domain
        # Values mixed with missing ones are the widest; where all are missing, the next line makes it 0 after all.
        width[high >= self.plain] = 1.0
        width[low == high] = 0.0
        return width


class _Canvas(Canvas):
    """The rows, with what is cut at medians."""

    def __init__(
        self, crowds: Crowds, rows: Int64s, *, by_hierarchy: bool, by_range: bool, resist: bool = False
    ) -> None:
        self.attributes = [
            _Attribute(
                column, rows, crowds.policy.keep.get(column.name, 1.0), by_hierarchy=by_hierarchy, by_range=by_range
            )
            for column in crowds.columns
        ]
        super().__init__(crowds, rows, [attribute.codes for attribute in self.attributes], resist=resist)

    def cuts(self, parts: Parts, relaxed: bool) -> Cuts:
        """Find for each part the cut of the widest attribute that can be cut."""
        ends = [kernels.extents(attribute.codes, parts.begin, parts.end) for attribute in self.attributes]
        widths = [
            attribute.weight * attribute.widths(parts, *pair)
            for attribute, pair in zip(self.attributes, ends, strict=True)
        ]
        widest_first = np.argsort(-np.array(widths), axis=0, kind="stable")
        cuts = Cuts(np.zeros(len(parts), bool), np.zeros(len(parts), np.int64))
        # Each turn tries the next widest attribute of every part that is still uncut. A part with a cut is not tried
        # again, so that its marks in `right` stay.
        for turn in widest_first:
            for which, (low, high) in enumerate(ends):
                waiting = np.flatnonzero((turn == which) & ~cuts.found & (low < high))
                if len(waiting):
                    self._cut_at_median(self.attributes[which], parts, low, high, waiting, relaxed, cuts)
        return cuts

    def _cut_at_median(
        self,
        attribute: _Attribute,
        parts: Parts,
        low: Int64s,
        high: Int64s,
        waiting: Int64s,
        relaxed: bool,
        cuts: Cuts,
    ) -> None:
        """Try to cut the parts that wait for one attribute, and mark the sides of those that can be cut."""
        some = parts.where(waiting)
        median, below, having = kernels.medians(
            attribute.codes, self.weights, some.begin, some.end, low[waiting], high[waiting], some.people
        )
        nobody = np.zeros(len(some), np.int64)
        tries = [(median, nobody, below + having), (median - 1, nobody, below)]
        if relaxed:
            half = (some.people + 1) // 2
            tries.insert(0, (median - 1, half - below, half))
        for cut, shared, left in tries:
            hopeful = np.flatnonzero(~cuts.found[waiting] & self.large(left, some.people))
            if not len(hopeful):
                continue
            tried = some.where(hopeful)
            left = kernels.mark_sides(
                attribute.codes, self.weights, tried.begin, tried.end, cut[hopeful], shared[hopeful], self.right
            )
            # Again, since rows that stand for several people cannot be shared out exactly.
            good = self.large(left, tried.people)
            good[good] = self.hold(tried.where(good), left[good])
            cuts.found[waiting[hopeful[good]]] = True
            cuts.left[waiting[hopeful[good]]] = left[good]


def _halves(column: Column) -> Floats:
    """Half of each number, since the range of very large ones would overflow; 0 for codes that are no number."""
    return np.append(column.values.astype(np.float64) / 2, np.zeros(column.size - len(column.values)))


def _range(column: Column, halves: Floats) -> float:
    """Half the range of the domain, declared or else the table's; 1 if that is zero."""
    domain = column.domain
    if domain is not None and domain.low is not None and domain.high is not None:
        return domain.high / 2 - domain.low / 2 or 1.0
    numbers = halves[: len(column.values)]
    return float(numbers[-1] - numbers[0]) or 1.0 if len(numbers) else 1.0


def _place_in_hierarchy(column: Column, hierarchy: Hierarchy) -> NDArray[Any]:
    """The place of each code in an order in which all values of any node are neighbors; codes of no value come last."""
    names = [hierarchy.find(column.label(code)) for code in range(len(column.values))]
    first = np.array([min(hierarchy.members[name]) if name else len(hierarchy.values) for name in names], np.int64)
    levels = [np.append(hierarchy.codes(level), len(hierarchy.values))[first] for level in range(len(hierarchy.levels))]
    place = np.arange(column.size, dtype=column.codes.dtype)
    # The last key counts most, so that values are ordered by the highest level first.
    place[np.lexsort(levels)] = np.arange(len(names))
    return place


def _shown(column: Column, group: Int64s, number: int, show: Show) -> Shown:
    """What the groups show of one attribute."""
    if show == "hierarchy":
        return as_nodes(column, group, number)
    return (as_sets if show == "set" else as_cells)(column, group, number)
