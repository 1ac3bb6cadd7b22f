"""How each public column of a table changed: how its cells are shown, and how its values spread before and after.

A page may leave the house, so nothing rare is named: each bar holds at least as many people as a crowd must have,
numbers are cut at round places, and rare values share one bar.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kspan.data.arrays import Floats
from kspan.data.cells import Between, Cell, OneOf, read_cell, values_in
from kspan.data.general import GeneralNumbers, general
from kspan.data.meaning import meanings
from kspan.data.table import Column, Table
from kspan.errors import KspanError
from kspan.report.formatting import visible
from kspan.report.summary import Bar, ColumnChange, Part

MOST_BARS = 8
LEAST_PEOPLE = 5
"""Each bar holds at least this many people, even if nothing is required."""


def column_changes(
    after: Table, before: Table | None, public: Sequence[str], *, k: int, numbers: str | None = None
) -> tuple[ColumnChange, ...]:
    """Return how each public column changed from `before` to `after`.

    `k` is the size that crowds must have. `numbers` says what groups show in place of their numbers, such as `median`.
    """
    return tuple(_change(after, before, name, max(k, LEAST_PEOPLE), numbers) for name in public)


def _change(after: Table, before: Table | None, name: str, least: int, numbers: str | None) -> ColumnChange:
    shown = after[name]
    people = _people(shown, after)
    old = None if before is None else before[name]
    return ColumnChange(
        name=visible(name),
        distinct_before=None if old is None else _distinct(old, _people(old, before)),
        distinct_after=_distinct(shown, people),
        parts=_parts(shown, people, old, numbers),
        bars=() if old is None or before is None else _bars(old, _people(old, before), shown, people, least),
    )


def _people(column: Column, table: Table | None) -> Floats:
    """How many people have each code."""
    weights = None if table is None else table.weights
    return np.bincount(column.codes, weights, minlength=column.size).astype(np.float64)


def _distinct(column: Column, people: Floats) -> int:
    """How many different cells there are, without those that show nothing."""
    nothing = {column.suppressed, column.missing}
    return sum(code not in nothing for code in np.flatnonzero(people).tolist())


def _parts(column: Column, people: Floats, old: Column | None, numbers: str | None) -> tuple[Part, ...]:
    """Return the ways in which the cells of a column are shown, and the share of people for each of them."""
    shares: dict[str, float] = defaultdict(float)
    # `_way` looks names up in the hierarchy itself; here cells are read only by how they are written.
    everybody, cells = people.sum(), meanings(replace(column, hierarchy=None)).cells
    for code in np.flatnonzero(people).tolist():
        # The codes of suppressed and missing cells come after those of values.
        cell = cells[code] if code < len(cells) else None
        shares[_way(column, code, cell, old, numbers)] += people[code] / everybody
    order = ("as it was", "level", "set", "range", "replaced", "missing", "blank")
    ranked = sorted(shares, key=lambda way: (next(i for i, word in enumerate(order) if way.startswith(word)), way))
    return tuple(Part(way, shares[way]) for way in ranked)


def _way(column: Column, code: int, cell: Cell | None, old: Column | None, numbers: str | None) -> str:
    if code == column.missing:
        return "missing"
    if code == column.suppressed:
        return "blank"
    label = column.label(code)
    hierarchy = column.hierarchy
    if hierarchy is not None and label in hierarchy.members and label not in hierarchy.values:
        return f"level {_level(hierarchy.levels, label)}"
    if isinstance(cell, OneOf):
        return "set of values"
    if isinstance(cell, Between):
        return "range"
    # The cell of a median looks like any other number, so only `numbers` can tell.
    is_number = old is not None and old.is_measured
    return f"replaced by the {numbers} of the group" if numbers and is_number else "as it was"


def _level(levels: Sequence[Sequence[str]], label: str) -> int:
    return next((place for place, names in enumerate(levels) if place and label in names), 1)


def _bars(old: Column, had: Floats, new: Column, have: Floats, least: int) -> tuple[Bar, ...]:
    """Return bars of how values spread before and after, as far as cells tell; suppressed cells count in no bar."""
    if not old.is_measured:
        return _word_bars(_spread(old, had), had.sum(), _spread(new, have), have.sum(), least)
    try:
        before, after = general(old), general(new)
    except KspanError:
        return ()  # cells that nobody can read have no picture
    if not isinstance(before, GeneralNumbers) or not isinstance(after, GeneralNumbers):
        return ()
    return _number_bars(before, had, after, have, least)


def _spread(column: Column, people: Floats) -> dict[str, float]:
    """Return how many people have each word; people whose cell admits several words are spread evenly over them."""
    found: dict[str, float] = defaultdict(float)
    for code in np.flatnonzero(people).tolist():
        if code in (column.suppressed, column.missing):
            continue
        words = _words(column, column.label(code))
        for word in words:
            found[word] += people[code] / len(words)
    return found


def _words(column: Column, label: str) -> Sequence[str]:
    """The words that a cell admits."""
    hierarchy = column.hierarchy
    if hierarchy is not None and label in hierarchy.members:
        return [hierarchy.values[place] for place in hierarchy.members[label]]
    return values_in(read_cell(label))


def _word_bars(
    before: Mapping[str, float], everybody: float, after: Mapping[str, float], released: float, least: int
) -> tuple[Bar, ...]:
    """Bars for the commonest words, and one for all others."""
    common = sorted((word for word in before if before[word] >= least), key=lambda word: (-before[word], word))
    common = common[:MOST_BARS]
    bars = [Bar(visible(word), before[word] / everybody, after.get(word, 0.0) / released) for word in common]
    # Others are not told at all if they are fewer people than a crowd needs.
    rest = sum(before.values()) - sum(before[word] for word in common)
    if rest >= least:
        others = f"{len(before) - len(common):,} others"
        seen = sum(after.values()) - sum(after.get(word, 0.0) for word in common)
        bars.append(Bar(others, rest / everybody, max(seen, 0.0) / released))
    return tuple(bars)


def _number_bars(
    before: GeneralNumbers, had: Floats, after: GeneralNumbers, have: Floats, least: int
) -> tuple[Bar, ...]:
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
        # A missing cell has no ends, and a range that is open on both sides says nothing of where its people are.
        if people and not (math.isnan(low) or (math.isinf(low) and math.isinf(high))):
            seen += people * _overlaps(low, high, cuts)
    # Shares are of everybody: if cells are missing or suppressed, the bars do not add up to 1.
    texts = [before.column.kind.text(float(cut)) for cut in cuts]
    names = [f"≤ {texts[0]}", *(f"{low} to {high}" for low, high in pairwise(texts)), f"> {texts[-1]}"]
    return tuple(Bar(*bar) for bar in zip(names, counts / had.sum(), seen / have.sum(), strict=True))


def round_cuts(numbers: Floats, people: Floats) -> Floats:
    """Return round numbers that cut the range in which most people are into a few parts.

    >>> round_cuts(np.arange(17.0, 91.0), np.ones(74)).tolist()
    [20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]
    """
    order = np.argsort(numbers)
    share = np.cumsum(people[order]) / people.sum()
    # The lowest and the highest 3% of people are left aside, so that outliers do not stretch the bars.
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
    """Merge neighboring bars until each has enough people; returns the remaining cuts and the people of each bar."""
    ends, sizes = cuts.tolist(), counts.tolist()
    while len(sizes) > 1 and min(sizes) < least:
        at = sizes.index(min(sizes))
        other = at - 1 if at == len(sizes) - 1 or (at and sizes[at - 1] <= sizes[at + 1]) else at + 1
        first = min(at, other)
        sizes[first] += sizes.pop(first + 1)
        # The cut between the two bars has the place of the first one.
        ends.pop(first)
    return np.array(ends), np.array(sizes)


def _overlaps(low: float, high: float, cuts: Floats) -> Floats:
    """Return the share of a range in each part between cuts, as if its numbers were spread evenly.

    A range with one open end counts only where its other end is.
    """
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
