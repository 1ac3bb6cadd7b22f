"""The best cuts of parts by what they tell of targets and by what they leave of an attribute.

In every array with one entry per row, the rows of part p are those from `begin[p]` up to `end[p]`. With empty
`weights`, every row counts once.

What is known of targets is kept in sums: for each target of words the people with each label, for each target of
numbers how many people have one, their sum and the sum of their squares. `first` says where the sums of each target
begin, the last entry where they end; the first `classes` targets are words. `scale` says how much the bits of each
target count, `closing` how much the cells of the attribute do.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]

TARGET, LOSS, BALANCE = 0, 1, 2
"""Cuts are compared by targets and loss, by loss alone, or by how even they are."""
MOST_CUTS = 256
"""Where an attribute has more codes in a part, cuts are compared that have at least one in so many people between them,
and those on both sides of a code with as many."""
SMALL = 4096
BITS = np.append(0.0, np.arange(1, SMALL) * np.log2(np.arange(1, SMALL)))
"""What small numbers of people cost, since logarithms take long."""


@compiled
def _bits(people: float) -> float:
    """A number of people times its logarithm."""
    if people < SMALL and people == math.floor(people):
        return float(BITS[int(people)])
    return people * math.log2(people)


@compiled
def _length(sums: Floats, first: Int64s, classes: int, least: Floats, scale: Floats) -> float:
    """The bits that it takes to write down the targets of some people, if just these sums are known."""
    total = 0.0
    for target in range(first.size - 1):
        bits = 0.0
        if target < classes:
            people = 0.0
            for at in range(first[target], first[target + 1]):
                if sums[at] > 0:
                    people += sums[at]
                    bits -= _bits(sums[at])
            if people > 0:
                bits += _bits(people)
        else:
            at = first[target]
            people = sums[at]
            if people > 0:
                spread = (sums[at + 2] - sums[at + 1] * sums[at + 1] / people) / people
                bits += people / 2 * math.log2(max(spread / least[target - classes], 1.0))
        total += scale[target] * bits
    return total


@compiled
def _open_range(low: int, high: int, lower: Floats, upper: Floats, plain: int) -> float:
    """How much of the domain the codes from one to another leave open; values mixed with missing ones, all of it."""
    if low >= plain:
        return 0.0 if low == high else 1.0
    return 1.0 if high >= plain else float(upper[high] - lower[low])


@compiled
def _open_set(values: int, others: int, size: float) -> float:
    """How much of the domain some values leave open, together with missing ones if there are any."""
    if others:
        return 0.0 if values == 0 and others == 1 else 1.0
    return 0.0 if values <= 1 else values / size


@compiled
def _key(sums: Floats, at: int, people: float, first: Int64s, classes: int, label: int) -> float:
    """By what values are ordered: how many of their people have a label, or the mean of a number."""
    if classes:
        return float(sums[at, label] / people)
    return float(sums[at, 1] / sums[at, 0]) if sums[at, 0] > 0 else 0.0


@compiled
def _counted(
    codes: NDArray[Any], weights: Int64s, begin: int, end: int, labels: NDArray[Any], numbers: Floats, first: Int64s,
    place_of: Int64s, present: Int64s, people: Floats, sums: Floats, order: Int64s,
) -> int:  # fmt: skip
    """Count the people of a part and their targets, by code; returns how many codes are present.

    `present` says which codes these are, as they were met, `people` and `sums` what was counted for each, and `order`
    where those of lower and those of higher codes stand. `place_of` has an entry of -1 for each code, before and after.
    """
    found = 0
    for row in range(begin, end):
        code, weight = codes[row], np.float64(weights[row]) if weights.size else 1.0
        at = place_of[code]
        if at < 0:
            at = found
            found += 1
            place_of[code], present[at], people[at] = at, code, 0.0
            for one in range(sums.shape[1]):
                sums[at, one] = 0.0
        people[at] += weight
        for target in range(labels.shape[0]):
            sums[at, first[target] + labels[target, row]] += weight
        for target in range(numbers.shape[0]):
            number, place = numbers[target, row], first[labels.shape[0] + target]
            if not math.isnan(number):
                sums[at, place] += weight
                sums[at, place + 1] += weight * number
                sums[at, place + 2] += weight * number * number
    if found > place_of.size >> 3:
        ordered = 0
        for code in range(place_of.size):
            if place_of[code] >= 0:
                order[ordered] = place_of[code]
                ordered += 1
                place_of[code] = -1
    else:
        order[:found] = present[:found]
        order[:found].sort()
        for at in range(found):
            code = order[at]
            order[at] = place_of[code]
            place_of[code] = -1
    return found


@compiled
def _summed(found: int, people: Floats, sums: Floats, whole: Floats) -> float:
    """Add up what was counted for each code; returns how many people there are."""
    total = 0.0
    whole[:] = 0.0
    for at in range(found):
        total += people[at]
        for one in range(whole.size):
            whole[one] += sums[at, one]
    return total


@compiled
def _best_of_order(
    place: Int64s, present: Int64s, total: float, people: Floats, sums: Floats, whole: Floats, left: Floats,
    right: Floats, first: Int64s, classes: int, least: Floats, scale: Floats, ordered: bool, lower: Floats,
    upper: Floats, plain: int, domain: float, k: int, strength: float, closing: float, way: int,
) -> tuple[float, int]:  # fmt: skip
    """The worth of the best cut of codes in some order, and how many of them are on its left; 0 if none can be made.

    `place` says where each code of the order was counted.
    """
    worth, taken, found, width = -np.inf, 0, place.size, whole.size
    possible, before, others = 0, 0.0, 0
    for at in range(found):
        before += people[place[at]]
        possible += before >= k and total - before >= k
        others += present[place[at]] >= plain
    if not possible:
        return worth, taken
    price = math.log2(possible) + 1.0
    written = _length(whole, first, classes, least, scale) if way == TARGET else 0.0
    tells = width > 0 and written > price
    if ordered:
        low, high = present[place[0]], present[place[found - 1]]
        open_now = _open_range(low, high, lower, upper, plain)
    else:
        open_now = _open_set(found - others, others, domain)
    step = total / MOST_CUTS if found > MOST_CUTS else 0.0
    left[:] = 0.0
    before, apart, since = 0.0, 0, step
    for at in range(found - 1):
        now = place[at]
        before += people[now]
        apart += present[now] >= plain
        after = total - before
        if after < k:
            break
        if tells:
            for one in range(width):
                left[one] += sums[now, one]
        if before < k:
            continue
        since += people[now]
        if since < step and people[place[at + 1]] < step:
            continue
        since = 0.0
        if way == BALANCE:
            value = min(before, after)
        else:
            if ordered:
                open_left = _open_range(low, present[now], lower, upper, plain)
                open_right = _open_range(present[place[at + 1]], high, lower, upper, plain)
            else:
                open_left = _open_set(at + 1 - apart, apart, domain)
                open_right = _open_set(found - others - (at + 1 - apart), others - apart, domain)
            value = closing * (total * open_now - (before * open_left + after * open_right))
            if tells:
                for one in range(width):
                    right[one] = whole[one] - left[one]
                told = written - _length(left, first, classes, least, scale)
                told -= _length(right, first, classes, least, scale)
                value += strength * max(told - price, 0.0)
        if value > worth:
            worth, taken = value, at + 1
    return worth, taken


@compiled
def best_ranges(
    done: Bytes, codes: NDArray[Any], lower: Floats, upper: Floats, plain: int, weights: Int64s, begin: Int64s,
    end: Int64s, labels: NDArray[Any], numbers: Floats, first: Int64s, least: Floats, scale: Floats, k: int,
    strength: float, closing: float, way: int,
) -> tuple[Floats, Int64s]:  # fmt: skip
    """For each part the worth of the best cut of an attribute in order, and the last code on its left; -1 if none."""
    size, width, classes = lower.size, first[-1], labels.shape[0]
    worth, cut = np.full(begin.size, -np.inf), np.full(begin.size, -1, np.int64)
    present, people, sums = np.empty(size, np.int64), np.empty(size), np.empty((size, width))
    place_of, order = np.full(size, -1, np.int64), np.empty(size, np.int64)
    left, right, whole = np.empty(width), np.empty(width), np.empty(width)
    for part in range(begin.size):
        if done[part]:
            continue
        found = _counted(
            codes, weights, begin[part], end[part], labels, numbers, first, place_of, present, people, sums, order
        )
        total = _summed(found, people, sums, whole)
        value, taken = _best_of_order(
            order[:found], present, total, people, sums, whole, left, right, first, classes, least, scale, True,
            lower, upper, plain, 0.0, k, strength, closing, way,
        )  # fmt: skip
        if taken:
            worth[part], cut[part] = value, present[order[taken - 1]]
    return worth, cut


@compiled
def best_sets(
    done: Bytes, codes: NDArray[Any], size: int, domain: float, room: int, plain: int, weights: Int64s, begin: Int64s,
    end: Int64s, labels: NDArray[Any], numbers: Floats, first: Int64s, least: Floats, scale: Floats, k: int,
    strength: float, closing: float, way: int,
) -> tuple[Floats, Int64s, Int64s]:  # fmt: skip
    """For each part the worth of the best cut of an attribute without order, and the codes on its left.

    Those of part p are from `start[p]` up to `start[p + 1]`; none if it cannot be cut. `room` must be enough for all.
    Codes are tried in two orders: by what their people have of the first target, and by how many people have them.
    """
    width, classes = first[-1], labels.shape[0]
    worth, start = np.full(begin.size, -np.inf), np.zeros(begin.size + 1, np.int64)
    chosen, filled = np.empty(room, np.int64), 0
    present, people, sums = np.empty(size, np.int64), np.empty(size), np.empty((size, width))
    place_of, order = np.full(size, -1, np.int64), np.empty(size, np.int64)
    left, right, whole = np.empty(width), np.empty(width), np.empty(width)
    key, nowhere = np.empty(size), np.empty(0)
    for part in range(begin.size):
        start[part + 1] = filled
        if done[part]:
            continue
        found = _counted(
            codes, weights, begin[part], end[part], labels, numbers, first, place_of, present, people, sums, order
        )
        if found < 2:
            continue
        total = _summed(found, people, sums, whole)
        label = 0
        if classes:
            for one in range(first[1]):
                if whole[one] > whole[label]:
                    label = one
        taken = 0
        for turn in range(2 if width and found > 2 else 1):
            for place in range(found):
                at = order[place]
                told = width and not turn
                key[place] = _key(sums, at, people[at], first, classes, label) if told else -people[at]
            places = order[np.argsort(key[:found], kind="mergesort")]
            value, left_of = _best_of_order(
                places, present, total, people, sums, whole, left, right, first, classes, least, scale, False, nowhere,
                nowhere, plain, domain, k, strength, closing, way,
            )  # fmt: skip
            if value > worth[part]:
                worth[part], taken = value, left_of
                chosen[filled : filled + taken] = present[places[:taken]]
        filled += taken
        start[part + 1] = filled
    return worth, start, chosen[:filled].copy()


@compiled
def mark_sets(
    codes: NDArray[Any], size: int, weights: Int64s, begin: Int64s, end: Int64s, start: Int64s, chosen: Int64s,
    right: Bytes,
) -> Int64s:  # fmt: skip
    """Mark the rows whose codes are not chosen for their part by 1, the others by 0; return how many people these are.

    The codes of part p are those from `start[p]` up to `start[p + 1]`.
    """
    left, chosen_in = np.zeros(begin.size, np.int64), np.full(size, -1, np.int64)
    for part in range(begin.size):
        for at in range(start[part], start[part + 1]):
            chosen_in[chosen[at]] = part
        for row in range(begin[part], end[part]):
            beyond = chosen_in[codes[row]] != part
            right[row] = beyond
            left[part] += 0 if beyond else (weights[row] if weights.size else 1)
    return left
