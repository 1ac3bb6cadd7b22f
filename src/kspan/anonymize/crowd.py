"""Crowd: cut the people in two where that tells most of the targets and leaves least open, again and again.

Top-down cuts as in Mondrian (K. LeFevre, D. J. DeWitt, R. Ramakrishnan, ICDE 2006), chosen as in their workload-aware
variant (KDD 2006, TODS 2008) by what they tell of the targets. Here both aims count at once, and what is decided
otherwise is this:

- All cuts of all attributes are compared. A cut is worth the bits of the targets that it tells, less those that it
  takes to say which of the possible cuts it is, times a `strength`; and the cells that it closes: for each person the
  share of the attribute's domain that the person's cell leaves open no more. The policy's `keep` says how much more
  some attributes count than others.
- Cuts are not told by the labels of the people themselves, which are a matter of chance in a small part, but by
  their grades (`graded`): what a model, learned from others, expects of them. Where too few people teach a model, or
  the requirement limits what may be told of the target, labels do it.
- Words are cut into two sets: into those whose people have the part's commonest grade or label less often and more
  often, or into rarer and more frequent ones. Missing values are a word of their own; mixed
  with others they show `*`, which leaves all open, so that they are soon by themselves.
- A target of numbers without grades costs the bits of a normal distribution; several targets (the policy's, and
  private attributes that it wants to keep) are added up. Without a target, only cells count.
- Where the best cut of an attribute breaks the requirement, that of the next attribute has its turn, then the cuts that
  leave least open, then the most even ones. So a part is cut as long as any of these holds.
- Groups show the tightest cells that are true of them: a value, a set of words, a range of numbers.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from kspan.anonymize.canvas import Canvas, Cuts, Parts, apart, resisting
from kspan.anonymize.cells import as_cells, as_nodes
from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.graded import GRADES
from kspan.anonymize.graded import graded as graded_by_others
from kspan.data.arrays import Floats, Int64s
from kspan.data.table import Column, Table
from kspan.kernels import crowd as kernels
from kspan.kernels import mondrian as cutting
from kspan.options import Within, takes_options
from kspan.policy import Policy

Show = Literal["cells", "hierarchy"]
STRENGTH, UNGRADED, CAREFUL = 10.0, 50.0, 1.0
"""What a bit of a target is worth: of grades, of labels, and if too many of them break the requirement."""
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
    graded: bool = True,
    show: Show = "cells",
    resist: bool = False,
) -> Recoding:
    """Make groups by the cuts that tell most of the target and leave least of all attributes open.

    Options:
        strength: How many cells of a person a bit of the target is worth; 0 looks at the cells alone. If it is not
            given, 10, of a target that is not graded 50, or 1 if the requirement limits what is told of it.
        graded: Cut by what a model expects of people, not by the labels that they happen to have.
        show: What groups show: the range of their numbers and the set of their words, or the lowest common name of the
            hierarchy.
        resist: Tell no more to those who know the method: groups do not depend on a private target, and a part is cut
            only where that is safe whatever private values its people have.
    """
    crowds = Crowds(table, policy)
    crowds.check_reachable()
    limited = policy.target in crowds.asked
    targets = _Targets.of(crowds, rng, graded=graded and not limited and strength != 0, resist=resist)
    if strength is None:
        strength = CAREFUL if limited else STRENGTH if targets.graded else UNGRADED
    canvas = _Canvas(crowds, targets, strength, resist=resist)
    group, number = canvas.cut_up(canvas.cuts)
    write = as_nodes if show == "hierarchy" else as_cells
    shown = {column.name: write(column, group, number) for column in crowds.columns}
    facts = {"cuts": number - 1, "strength": strength, "graded": targets.graded, "show": show}
    return Recoding(apart(group, shown, number), facts | resisting(resist))


@dataclass(frozen=True, repr=False)
class _Targets:
    """What cuts should tell: labels or grades, and numbers (NaN where there is none), a row of each array for each."""

    labels: NDArray[Any]
    numbers: Floats
    first: Int64s
    """Where the sums of each target begin, see the kernels."""
    least: Floats
    scale: Floats
    """How much each target counts."""
    graded: bool
    """Are there grades in the place of labels?"""

    @classmethod
    def of(cls, crowds: Crowds, rng: np.random.Generator, *, graded: bool, resist: bool) -> "_Targets":
        """The target of the policy and the private attributes that it keeps, if there are any.

        Who resists those who know the method must not look at private ones.
        """
        table, policy = crowds.table, crowds.policy
        names = dict.fromkeys([policy.target, *(name for name in policy.keep if name not in policy.public)])
        columns = [table[name] for name in names if name is not None and not (resist and name in policy.private)]
        words, numbers = list[tuple[Int64s, int, float]](), list[tuple[Floats, float]]()
        by_grades = False
        for column in columns:
            weight = policy.keep.get(column.name, 1.0)
            others = [other for other in crowds.columns if other.name != column.name]
            grades = graded_by_others(table, others, column, rng) if graded and others else []
            by_grades |= bool(grades)
            words += [(each, GRADES, weight if len(grades) == 1 else weight / 2) for each in grades]
            if not grades and column.is_measured:
                numbers.append((_numbers(column), weight))
            elif not grades:
                words.append((column.codes.astype(np.int64), column.size, weight))
        labels = np.array([each for each, _, _ in words], np.int64).reshape(len(words), table.rows)
        known = np.array([each for each, _ in numbers], np.float64).reshape(len(numbers), table.rows)
        widths = [size for _, size, _ in words] + [3] * len(numbers)
        least = [max(float(np.nanvar(each)) * FINEST, np.finfo(float).tiny) for each in known]
        first = np.append(0, np.cumsum(widths, dtype=np.int64)).astype(np.int64)
        scale = np.array([weight for _, _, weight in words] + [weight for _, weight in numbers], np.float64)
        return cls(labels, known, first, np.array(least), scale, by_grades)


def _numbers(column: Column) -> Floats:
    """The number of each row, around their middle so that squares stay exact; NaN if there is none."""
    known = column.values.astype(np.float64)
    middle = known[len(known) // 2] if len(known) else 0.0
    return np.append(known - middle, np.full(column.size - len(known), np.nan))[column.codes]


class _Attribute:
    """A public attribute of the rows of the canvas."""

    def __init__(self, column: Column, closing: float) -> None:
        self.closing = closing
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
        aim: dict[str, Any] = {
            "labels": canvas.labels_of,
            "numbers": canvas.numbers_of,
            "first": targets.first,
            "least": targets.least,
        }
        aim |= {"scale": targets.scale, "closing": self.closing}
        asked = {**rows, **aim, "k": k, "strength": canvas.strength, "way": way, "plain": self.plain}
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

    def __init__(self, crowds: Crowds, targets: _Targets, strength: float, *, resist: bool) -> None:
        keep = crowds.policy.keep
        self.attributes = [_Attribute(column, keep.get(column.name, 1.0)) for column in crowds.columns]
        self.targets, self.strength = targets, strength
        self.labels_of, self.numbers_of = self.targets.labels.copy(), self.targets.numbers.copy()
        columns = [*(one.codes for one in self.attributes), *self.labels_of, *self.numbers_of]
        super().__init__(crowds, np.arange(crowds.rows), columns, resist=resist)

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
