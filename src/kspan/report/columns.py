"""What happened to each public column of a table: how its cells are shown, and how its values spread, then and now.

A page may leave the house, so nothing rare is named: bars hold at least as many people as a crowd must have, numbers
are cut at round places, and what is rarer is put together.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kspan.data.arrays import Floats
from kspan.data.cells import Between, OneOf, number_text, read_cell
from kspan.data.general import General, general
from kspan.data.table import Column, Table
from kspan.errors import KspanError
from kspan.report.summary import Bar, ColumnChange, Part
from kspan.report.words import visible

MOST_BARS = 8
LEAST_PEOPLE = 5
"""A bar holds at least so many people, even if nothing is required."""


def column_changes(
    after: Table, before: Table | None, public: Sequence[str], *, k: int, numbers: str | None = None
) -> tuple[ColumnChange, ...]:
    """What happened to each public column; `numbers` says what groups show of numbers if not their own, as `median`."""
    return tuple(_change(after, before, name, max(k, LEAST_PEOPLE), numbers) for name in public)


def _change(after: Table, before: Table | None, name: str, least: int, numbers: str | None) -> ColumnChange:
    shown = after[name]
    people = _people(shown, after)
    old = None if before is None else before[name]
    return ColumnChange(
        name=visible(name),
        distinct_before=None if old is None else _distinct(_people(old, before)),
        distinct_after=_distinct(people),
        parts=_parts(shown, people, old, numbers),
        bars=() if old is None or before is None else _bars(old, _people(old, before), shown, people, least),
    )


def _people(column: Column, table: Table | None) -> Floats:
    """How many people have each code."""
    weights = None if table is None else table.weights
    return np.bincount(column.codes, weights, minlength=column.size).astype(np.float64)


def _distinct(people: Floats) -> int:
    return int((people > 0).sum())


def _parts(column: Column, people: Floats, old: Column | None, numbers: str | None) -> tuple[Part, ...]:
    """In which ways the cells of a column are shown, and the share of each."""
    shares: dict[str, float] = {}
    for code in np.flatnonzero(people).tolist():
        way = _way(column, code, old, numbers)
        shares[way] = shares.get(way, 0.0) + people[code] / people.sum()
    order = ("as it was", "level", "set", "range", "median", "mean", "missing", "suppressed")
    ranked = sorted(shares, key=lambda way: (next(i for i, word in enumerate(order) if way.startswith(word)), way))
    return tuple(Part(way, shares[way]) for way in ranked)


def _way(column: Column, code: int, old: Column | None, numbers: str | None) -> str:
    if code == column.missing:
        return "missing"
    if code == column.suppressed:
        return "suppressed"
    label = column.label(code)
    hierarchy = column.hierarchy
    if hierarchy is not None and label in hierarchy.members and label not in hierarchy.values:
        return f"level {_level(hierarchy.levels, label)}"
    cell = read_cell(label)
    if isinstance(cell, OneOf):
        return "set of values"
    if isinstance(cell, Between):
        return "range"
    is_number = old is not None and old.values.dtype != object
    return f"{numbers} of the group" if numbers and is_number else "as it was"


def _level(levels: Sequence[Sequence[str]], label: str) -> int:
    return next((place for place, names in enumerate(levels) if place and label in names), 1)


def _bars(old: Column, had: Floats, new: Column, have: Floats, least: int) -> tuple[Bar, ...]:
    """How values spread before and, as far as cells tell, after: what is suppressed is nowhere."""
    try:
        before, after = general(old), general(new)
    except KspanError:
        return ()  # cells that nobody can read have no picture
    if before.kind != after.kind:
        return ()
    if before.kind == "numeric":
        return _number_bars(before, had, after, have, least)
    return _word_bars(before, had, after, have, least)


def _word_bars(before: General, had: Floats, after: General, have: Floats, least: int) -> tuple[Bar, ...]:
    words = [str(word) for word in before.values]
    counts = before.admits.T @ had
    place = {word: at for at, word in enumerate(words)}
    told = _without_suppressed(after.column, have)
    each = np.divide(told, after.admits.sum(axis=1), out=np.zeros_like(told), where=after.admits.any(axis=1))
    seen = np.zeros(len(words) + 1)
    np.add.at(seen, [place.get(str(word), -1) for word in after.values], after.admits.T @ each)
    common = [at for at in np.argsort(-counts, kind="stable").tolist() if counts[at] >= least][:MOST_BARS]
    bars = [Bar(visible(words[at]), counts[at] / had.sum(), seen[at] / have.sum()) for at in common]
    rest = counts.sum() - counts[common].sum()
    if rest >= least:
        others = int((counts > 0).sum()) - len(common)
        bars.append(Bar(f"{others:,} others", rest / had.sum(), (seen.sum() - seen[common].sum()) / have.sum()))
    return tuple(bars)


def _number_bars(before: General, had: Floats, after: General, have: Floats, least: int) -> tuple[Bar, ...]:
    numbers = before.lowest
    known = np.isfinite(numbers)
    if not known.any():
        return ()
    cuts = round_cuts(numbers[known], had[known])
    divided = np.bincount(np.searchsorted(cuts, numbers[known]), had[known], minlength=len(cuts) + 1)
    cuts, counts = _merged(cuts, divided.astype(np.float64), least)
    if len(counts) < 2:
        return ()
    seen = np.zeros(len(counts))
    told = _without_suppressed(after.column, have)
    for low, high, people in zip(after.lowest, after.highest, told, strict=True):
        if people and not (math.isnan(low) or (math.isinf(low) and math.isinf(high))):
            seen += people * _overlaps(low, high, cuts)
    names = [f"≤ {number_text(cuts[0])}"]
    names += [f"{number_text(low)} to {number_text(high)}" for low, high in pairwise(cuts)]
    names.append(f"> {number_text(cuts[-1])}")
    return tuple(Bar(*bar) for bar in zip(names, counts / had.sum(), seen / have.sum(), strict=True))


def round_cuts(numbers: Floats, people: Floats) -> Floats:
    """Round numbers that divide what most people have into a few parts.

    >>> round_cuts(np.arange(17.0, 91.0), np.ones(74)).tolist()
    [20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]
    """
    order = np.argsort(numbers)
    share = np.cumsum(people[order]) / people.sum()
    low, high = (float(numbers[order][np.searchsorted(share, at)]) for at in (0.03, 0.97))
    if high <= low:
        return np.array([low])
    rough = (high - low) / MOST_BARS
    power = math.floor(math.log10(rough))
    step = next(10.0**power * factor for factor in (1, 2, 5, 10) if 10.0**power * factor >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    # A multiple of a step may miss the round number by the last bit.
    return np.array([round(number * step, max(-power, 0)) for number in range(first, max(last, first) + 1)])


def _merged(cuts: Floats, counts: Floats, least: int) -> tuple[Floats, Floats]:
    """Neighbors put together until each has enough people."""
    ends, sizes = cuts.tolist(), counts.tolist()
    while len(sizes) > 1 and min(sizes) < least:
        at = sizes.index(min(sizes))
        other = at - 1 if at == len(sizes) - 1 or (at and sizes[at - 1] <= sizes[at + 1]) else at + 1
        first = min(at, other)
        sizes[first] += sizes.pop(first + 1)
        ends.pop(first)
    return np.array(ends), np.array(sizes)


def _overlaps(low: float, high: float, cuts: Floats) -> Floats:
    """The share of a range in each part, as if its numbers were even; a range without one end is where the other is."""
    share = np.zeros(len(cuts) + 1)
    if not (math.isfinite(low) and math.isfinite(high)) or high == low:
        share[np.searchsorted(cuts, high if math.isfinite(high) else low)] = 1.0
        return share
    ends = np.clip(np.concatenate([[-np.inf], cuts, [np.inf]]), low, high)
    inside: Floats = np.diff(ends) / (high - low)
    return inside


def _without_suppressed(column: Column, people: Floats) -> Floats:
    told = people.copy()
    if column.suppressed is not None:
        told[column.suppressed] = 0.0
    return told
