"""Which rows of a leaf go to which of its sons.

If `cut` is negative, `son[code]` is the son of each code (-1: none). Otherwise codes up to `cut` go to son 0 and codes
beyond it to son 1; a missing value (a code of at least `plain`) goes to the son `missing` (-1: both sons share it).
`share` has the weight of each of `rows`; if it is empty, every row counts once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]


@compiled
def _son_of(code: int, son: Int64s, cut: int, plain: int, missing: int) -> int:
    if cut < 0:
        return int(son[code])
    if code >= plain:
        return missing
    return 1 if code > cut else 0


@compiled
def son_counts(
    codes: NDArray[Any],
    son: Int64s,
    cut: int,
    plain: int,
    missing: int,
    labels: NDArray[Any],
    rows: NDArray[Any],
    share: Floats,
    counts: Floats,
) -> None:
    """Add the people of some rows to `counts[son, label]`; no row may be shared by sons."""
    for i in range(rows.size):
        row = rows[i]
        counts[_son_of(codes[row], son, cut, plain, missing), labels[row]] += share[i] if share.size else 1.0


@compiled
def divide(
    codes: NDArray[Any],
    son: Int64s,
    cut: int,
    plain: int,
    missing: int,
    labels: NDArray[Any],
    rows: NDArray[Any],
    share: Floats,
    counts: Floats,
) -> Int64s:
    """Bring the rows of each son together, in place and in their order; return where the rows of each son end.

    Adds people to `counts[son, label]`. No row may be shared by sons.
    """
    sizes = np.zeros(counts.shape[0], np.int64)
    for i in range(rows.size):
        to = _son_of(codes[rows[i]], son, cut, plain, missing)
        sizes[to] += 1
        counts[to, labels[rows[i]]] += share[i] if share.size else 1.0
    ends = np.cumsum(sizes)
    place = ends - sizes
    new_rows, new_share = np.empty_like(rows), np.empty_like(share)
    for i in range(rows.size):
        to = _son_of(codes[rows[i]], son, cut, plain, missing)
        new_rows[place[to]] = rows[i]
        if share.size:
            new_share[place[to]] = share[i]
        place[to] += 1
    rows[:] = new_rows
    share[:] = new_share
    return ends


@compiled
def divide_shares(
    codes: NDArray[Any],
    son: Int64s,
    cut: int,
    plain: int,
    labels: NDArray[Any],
    rows: NDArray[Any],
    share: Floats,
    counts: Floats,
) -> tuple[NDArray[Any], Floats, Int64s]:
    """The rows of each son, one after the other, their weights, and where each son's rows end.

    A row without a son goes to all sons, in proportion to the other people there, or in equal parts if there are none.
    Adds people to `counts[son, label]`.
    """
    sons = counts.shape[0]
    known, sizes, everywhere = np.zeros(sons), np.zeros(sons, np.int64), 0
    for i in range(rows.size):
        to = _son_of(codes[rows[i]], son, cut, plain, -1)
        if to < 0:
            everywhere += 1
        else:
            sizes[to] += 1
            known[to] += share[i] if share.size else 1.0
    total = known.sum()
    portion = known / total if total > 0.0 else np.full(sons, 1.0 / sons)
    sizes += np.where(portion > 0.0, everywhere, 0)  # a son without people gets none, if another one has some
    place = np.cumsum(sizes) - sizes
    new_rows, new_share = np.empty(sizes.sum(), rows.dtype), np.empty(sizes.sum())
    for i in range(rows.size):
        row, weight = rows[i], share[i] if share.size else 1.0
        to = _son_of(codes[row], son, cut, plain, -1)
        for each in range(sons) if to < 0 else range(to, to + 1):
            if to < 0 and portion[each] == 0.0:
                continue
            new_rows[place[each]] = row
            new_share[place[each]] = weight * portion[each] if to < 0 else weight
            counts[each, labels[row]] += new_share[place[each]]
            place[each] += 1
    return new_rows, new_share, np.cumsum(sizes)


@compiled
def divide_parts(
    codes: NDArray[Any],
    son: Int64s,
    cut: int,
    plain: int,
    missing: int,
    rows: NDArray[Any],
    ends: Int64s,
    sizes: Int64s,
) -> NDArray[Any]:
    """Order the rows of each of several parts by son, otherwise as they are; `sizes[part, son]` gets their numbers.

    The rows of part p end at `ends[p]`, and begin where those of part p - 1 end. No row may be shared by sons.
    """
    new_rows, begin = np.empty_like(rows), 0
    for part in range(ends.size):
        for i in range(begin, ends[part]):
            sizes[part, _son_of(codes[rows[i]], son, cut, plain, missing)] += 1
        place = begin + np.cumsum(sizes[part]) - sizes[part]
        for i in range(begin, ends[part]):
            to = _son_of(codes[rows[i]], son, cut, plain, missing)
            new_rows[place[to]] = rows[i]
            place[to] += 1
        begin = ends[part]
    return new_rows


@compiled
def divide_portions(
    codes: NDArray[Any],
    portion: Floats,
    labels: NDArray[Any],
    rows: NDArray[Any],
    share: Floats,
    least: float,
    counts: Floats,
) -> tuple[NDArray[Any], Floats, Int64s]:
    """The rows of each son, one after the other, their weights, and where each son's rows end.

    Each son gets the part `portion[code, label, son]` of a row's weight. If some son would get less than `least`, all
    of it goes to the son that would get most. Adds people to `counts[son, label]`.
    """
    sons = counts.shape[0]
    sizes, only = np.zeros(sons, np.int64), np.full(rows.size, -1, np.int64)
    for i in range(rows.size):
        parts = portion[codes[rows[i]], labels[rows[i]]]
        weight = share[i] if share.size else 1.0
        largest = 0
        for each in range(sons):
            if parts[each] > parts[largest]:
                largest = each
        for each in range(sons):
            if parts[each] > 0.0 and (parts[each] == 1.0 or parts[each] * weight < least):
                only[i] = largest
        if only[i] >= 0:
            sizes[only[i]] += 1
        else:
            for each in range(sons):
                sizes[each] += parts[each] > 0.0
    place = np.cumsum(sizes) - sizes
    new_rows, new_share = np.empty(sizes.sum(), rows.dtype), np.empty(sizes.sum())
    for i in range(rows.size):
        row = rows[i]
        parts = portion[codes[row], labels[row]]
        weight = share[i] if share.size else 1.0
        for each in range(sons):
            if each == only[i] or (only[i] < 0 and parts[each] > 0.0):
                new_rows[place[each]] = row
                new_share[place[each]] = weight if only[i] >= 0 else weight * parts[each]
                counts[each, labels[row]] += new_share[place[each]]
                place[each] += 1
    return new_rows, new_share, np.cumsum(sizes)
