"""Crowd: cut the people in two where that tells most of the targets and leaves least open, again and again.

Top-down cuts as in Mondrian (K. LeFevre, D. J. DeWitt, R. Ramakrishnan, ICDE 2006), chosen as in their workload-aware
variant (KDD 2006, TODS 2008) by what they tell of the targets. Here both aims count at once, and what is decided
otherwise is this:

- All cuts of all attributes are compared. A cut is worth the bits of the targets that it tells, less those that it
  takes to say which of the possible cuts it is, times a `strength`; and the cells that it closes: for each person the
  share of the attribute's domain that the person's cell leaves open no more.
- Words are cut into two sets: into those whose people have the part's commonest label less often and more often, or
  into rarer and more frequent ones. Missing values are a word of their own; mixed with others they show `*`, which
  leaves all open, so that they are soon by themselves.
- A target of numbers costs the bits of a normal distribution; several targets are added up. Without a target, only
  cells count.
- Where the best cut of an attribute breaks the requirement, that of the next attribute has its turn, then the cuts that
  leave least open, then the most even ones. So a part is cut as long as any of these holds.
- Groups show the tightest cells that are true of them: a value, a set of words, a range of numbers.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.canvas import Canvas, Cuts, Parts, apart
from kspan.anonymize.cells import as_cells, as_nodes
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.data.arrays import Floats, Int64s
from kspan.data.table import Column, Table
from kspan.kernels import crowd as kernels
from kspan.kernels import mondrian as cutting
from kspan.options import Within, takes_options
from kspan.policy import Policy

Show = Literal["cells", "hierarchy"]
STRENGTH, CAREFUL = 50.0, 1.0
"""What a bit of the target is worth, and what if too many of them break the requirement."""
MOST_DONE = 62
"""Of so many attributes it is noted which of them cannot be cut any more."""
FINEST = 1e-6
"""The share of a number's variance that counts as none."""


@takes_options
def crowd(
    table: Table,
    policy: Policy,
    *,
    rng: np.random.Generator,
    strength: Annotated[float, Within(0)] | None = None,
    show: Show = "cells",
) -> Recoding:
    """Make groups by the cuts that tell most of the target and leave least of all attributes open.

    Options:
        strength: How many cells of a person a bit of the target is worth; 0 looks at the cells alone. If it is not
            given, 50, or 1 if the requirement limits what is told of the target.
        show: What groups show: the range of their numbers and the set of their words, or the lowest common name of the
            hierarchy.
    """
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    strength = strength if strength is not None else CAREFUL if policy.target in crowds.asked else STRENGTH
    canvas = _Canvas(crowds, strength)
    group, number = canvas.cut_up(canvas.cuts)
    write = as_nodes if show == "hierarchy" else as_cells
    shown = {column.name: write(column, group, number) for column in crowds.columns}
    return Recoding(apart(group, shown, number), {"cuts": number - 1, "strength": strength, "show": show})


@dataclass(frozen=True, repr=False)
class _Targets:
    """What cuts should tell: labels, and numbers (NaN where there is none), a row of each array for a target."""

    labels: NDArray[Any]
    numbers: Floats
    first: Int64s
    """Where the sums of each target begin, see the kernels."""
    least: Floats

    @classmethod
    def of(cls, table: Table, policy: Policy) -> "_Targets":
        """The target of the policy, if it has one."""
        columns = [table[policy.target]] if policy.target is not None else []
        words = [column for column in columns if not column.is_measured]
        measured = [column for column in columns if column.is_measured]
        labels = np.array([column.codes for column in words], np.int64).reshape(len(words), table.rows)
        numbers = np.array([_numbers(column) for column in measured]).reshape(len(measured), table.rows)
        widths = [column.size for column in words] + [3] * len(measured)
        least = [max(float(np.nanvar(each)) * FINEST, np.finfo(float).tiny) for each in numbers]
        return cls(labels, numbers, np.append(0, np.cumsum(widths, dtype=np.int64)).astype(np.int64), np.array(least))


def _numbers(column: Column) -> Floats:
    """The number of each row, around their middle so that squares stay exact; NaN if there is none."""
    known = column.values.astype(np.float64)
    middle = known[len(known) // 2] if len(known) else 0.0
    return np.append(known - middle, np.full(column.size - len(known), np.nan))[column.codes]


class _Attribute:
    """A public attribute of the rows of the canvas."""

    def __init__(self, column: Column) -> None:
        self.column, self.codes, self.size, self.plain = column, column.codes.copy(), column.size, len(column.values)
        if column.is_measured:
            self.lower, self.upper = _places(column)
        else:
            declared = column.domain.values if column.domain is not None else None
            self.domain = float(max(len(declared or ()), self.plain, 1))

    def best(self, canvas: "_Canvas", parts: Parts, place: int, way: int) -> "_Best":
        """The best cut of each part."""
        targets, k = canvas.targets, canvas.crowds.k
        done = (parts.done >> place & 1).astype(np.uint8) if place < MOST_DONE else np.zeros(len(parts), np.uint8)
        rows = {"weights": canvas.weights, "begin": parts.begin, "end": parts.end}
        aim = {"labels": canvas.labels_of, "numbers": canvas.numbers_of, "first": targets.first, "least": targets.least}
        asked: dict[str, Any] = {**rows, **aim, "k": k, "strength": canvas.strength, "way": way, "plain": self.plain}
        if self.column.is_measured:
            worth, cut = kernels.best_ranges(done, self.codes, self.lower, self.upper, **asked)
            return _Best(self, worth, cut)
        room = min(int((parts.end - parts.begin).sum()), len(parts) * self.size)
        worth, start, chosen = kernels.best_sets(done, self.codes, self.size, self.domain, room, **asked)
        return _Best(self, worth, start=start, chosen=chosen)


@dataclass(frozen=True, repr=False)
class _Best:
    """The best cuts of parts by one attribute."""

    attribute: _Attribute
    worth: Floats
    cut: Int64s | None = None
    """The last code on the left, of numbers."""
    start: Int64s | None = None
    chosen: Int64s | None = None
    """The codes on the left, of words: those of part p from `start[p]` up to `start[p + 1]`."""

    def mark(self, canvas: "_Canvas", parts: Parts, which: Int64s) -> Int64s:
        """Mark who of some parts is on the right, and return how many people are on the left."""
        codes, weights, some = self.attribute.codes, canvas.weights, parts.where(which)
        if self.cut is not None:
            nobody = np.zeros(len(which), np.int64)
            return cutting.mark_sides(codes, weights, some.begin, some.end, self.cut[which], nobody, canvas.right)
        assert self.start is not None
        assert self.chosen is not None
        lengths = np.diff(self.start)[which]
        first = np.append(0, np.cumsum(lengths))
        chosen = self.chosen[np.repeat(self.start[which] - first[:-1], lengths) + np.arange(first[-1])]
        return kernels.mark_sets(codes, self.attribute.size, weights, some.begin, some.end, first, chosen, canvas.right)


class _Canvas(Canvas):
    """The rows, with what is cut and what cuts should tell."""

    def __init__(self, crowds: Crowds, strength: float) -> None:
        self.attributes = [_Attribute(column) for column in crowds.columns]
        self.targets, self.strength = _Targets.of(crowds.table, crowds.policy), strength
        self.labels_of, self.numbers_of = self.targets.labels.copy(), self.targets.numbers.copy()
        columns = [*(one.codes for one in self.attributes), *self.labels_of, *self.numbers_of]
        super().__init__(crowds, np.arange(crowds.rows), columns)

    def cuts(self, parts: Parts) -> Cuts:
        """Find for each part the best cut that holds."""
        cuts = Cuts(np.zeros(len(parts), bool), np.zeros(len(parts), np.int64))
        for way in (kernels.TARGET, kernels.LOSS, kernels.BALANCE):
            waiting = np.flatnonzero(~cuts.found)
            if not len(waiting):
                break
            self._cut(parts, waiting, way, cuts)
        return cuts

    def _cut(self, parts: Parts, waiting: Int64s, way: int, cuts: Cuts) -> None:
        """Try the best cuts of some parts, the most worthy first, and mark the sides of those that hold."""
        some = parts.where(waiting)
        each = [attribute.best(self, some, place, way) for place, attribute in enumerate(self.attributes)]
        for place, best in enumerate(each[:MOST_DONE]):
            # Whatever cut a part of it has, it would have itself.
            parts.done[waiting[~np.isfinite(best.worth)]] |= 1 << place
        worth = np.array([best.worth for best in each])
        for turn in np.argsort(-worth, axis=0, kind="stable"):
            for place, best in enumerate(each):
                tried = np.flatnonzero((turn == place) & ~cuts.found[waiting] & np.isfinite(best.worth))
                if not len(tried):
                    continue
                left = best.mark(self, some, tried)
                good = self.hold(some.where(tried), left)
                cuts.found[waiting[tried[good]]] = True
                cuts.left[waiting[tried[good]]] = left[good]


def _places(column: Column) -> tuple[Floats, Floats]:
    """Where the cell of each code begins and ends in the domain, from 0 to 1; codes of no number are not asked for."""
    low, high = column.values.astype(np.float64), column.values.astype(np.float64)
    if column.ends is not None:
        low, high = column.ends.low.astype(np.float64), column.ends.high.astype(np.float64)
    least, most = (float(low[0]), float(high[-1])) if len(low) else (0.0, 1.0)
    domain = column.domain
    if domain is not None and domain.low is not None and domain.high is not None:
        least, most = domain.low, domain.high
    # Halves, since the range of very large numbers would overflow.
    width = most / 2 - least / 2 or 1.0
    apart_from = np.zeros(column.size - len(low))
    return tuple(np.append((ends / 2 - least / 2) / width, apart_from) for ends in (low, high))  # type: ignore[return-value]
