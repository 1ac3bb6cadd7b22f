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
def _add(sums: Floats, row: int, weight: float, labels: NDArray[Any], numbers: Floats, first: Int64s) -> None:
    for target in range(labels.shape[0]):
        sums[first[target] + labels[target, row]] += weight
    for target in range(numbers.shape[0]):
        number, at = numbers[target, row], first[labels.shape[0] + target]
        if not math.isnan(number):
            sums[at] += weight
            sums[at + 1] += weight * number
            sums[at + 2] += weight * number * number


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
def _key(sums: Floats, people: float, first: Int64s, classes: int, label: int) -> float:
    """By what values are ordered: how many of their people have a label, or the mean of a number."""
    if first.size < 2:
        return -people
    if classes:
        return float(sums[label] / people)
    return float(sums[1] / sums[0]) if sums[0] > 0 else 0.0


@compiled
def best_ranges(
    done: Bytes, codes: NDArray[Any], lower: Floats, upper: Floats, plain: int, weights: Int64s, begin: Int64s,
    end: Int64s, labels: NDArray[Any], numbers: Floats, first: Int64s, least: Floats, scale: Floats, k: int,
    strength: float, closing: float, way: int,
) -> tuple[Floats, Int64s]:  # fmt: skip
    """For each part the worth of the best cut of an attribute in order, and the last code on its left; -1 if none."""
    size, width, classes = lower.size, first[-1], labels.shape[0]
    worth, cut = np.full(begin.size, -np.inf), np.full(begin.size, -1, np.int64)
    people, sums = np.zeros(size, np.float64), np.zeros((size, width), np.float64)
    left, right, whole = np.empty(width), np.empty(width), np.empty(width)
    present = np.empty(size, np.int64)
    for part in range(begin.size):
        if done[part]:
            continue
        found, total = 0, 0.0
        whole[:] = 0.0
        for row in range(begin[part], end[part]):
            code, weight = codes[row], np.float64(weights[row]) if weights.size else 1.0
            if people[code] == 0:
                present[found] = code
                found += 1
            people[code] += weight
            total += weight
            _add(sums[code], row, weight, labels, numbers, first)
        present[:found].sort()
        for at in range(found):
            whole += sums[present[at]]
        possible, before = 0, 0.0
        for at in range(found - 1):
            before += people[present[at]]
            possible += before >= k and total - before >= k
        if possible:
            written = _length(whole, first, classes, least, scale)
            price = math.log2(possible) + 1.0
            tells = way == TARGET and width > 0 and written > price
            open_now = total * _open_range(present[0], present[found - 1], lower, upper, plain)
            left[:] = 0.0
            before = 0.0
            for at in range(found - 1):
                before += people[present[at]]
                left += sums[present[at]]
                after = total - before
                if before < k or after < k:
                    continue
                open_then = before * _open_range(present[0], present[at], lower, upper, plain)
                open_then += after * _open_range(present[at + 1], present[found - 1], lower, upper, plain)
                value = closing * (open_now - open_then)
                if tells:
                    for one in range(width):
                        right[one] = whole[one] - left[one]
                    told = (
                        written
                        - _length(left, first, classes, least, scale)
                        - _length(right, first, classes, least, scale)
                    )
                    value += strength * max(told - price, 0.0)
                if way == BALANCE:
                    value = min(before, after)
                if value > worth[part]:
                    worth[part], cut[part] = value, present[at]
        for at in range(found):
            people[present[at]] = 0.0
            sums[present[at]] = 0.0
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
    people, sums = np.zeros(size, np.float64), np.zeros((size, width), np.float64)
    left, right, whole = np.empty(width), np.empty(width), np.empty(width)
    present, key = np.empty(size, np.int64), np.empty(size, np.float64)
    best = np.empty(size, np.int64)
    for part in range(begin.size):
        start[part + 1] = filled
        if done[part]:
            continue
        found, total, others = 0, 0.0, 0
        whole[:] = 0.0
        for row in range(begin[part], end[part]):
            code, weight = codes[row], np.float64(weights[row]) if weights.size else 1.0
            if people[code] == 0:
                present[found] = code
                found += 1
                others += code >= plain
            people[code] += weight
            total += weight
            _add(sums[code], row, weight, labels, numbers, first)
        present[:found].sort()
        for at in range(found):
            whole += sums[present[at]]
        label = 0
        if classes:
            for one in range(first[1]):
                if whole[one] > whole[label]:
                    label = one
        written = _length(whole, first, classes, least, scale)
        open_now = total * _open_set(found - others, others, domain)
        taken = 0
        for order in range(2 if width else 1):
            for at in range(found):
                code = present[at]
                key[at] = _key(sums[code], people[code], first, classes, label) if order == 0 else -people[code]
            place = np.argsort(key[:found], kind="mergesort")
            possible, before = 0, 0.0
            for at in range(found - 1):
                before += people[present[place[at]]]
                possible += before >= k and total - before >= k
            price = math.log2(max(possible, 1)) + 1.0
            tells = way == TARGET and width > 0 and written > price
            left[:] = 0.0
            before, apart = 0.0, 0
            for at in range(found - 1):
                code = present[place[at]]
                before += people[code]
                left += sums[code]
                apart += code >= plain
                after = total - before
                if before < k or after < k:
                    continue
                open_then = before * _open_set(at + 1 - apart, apart, domain)
                open_then += after * _open_set(found - others - (at + 1 - apart), others - apart, domain)
                value = closing * (open_now - open_then)
                if tells:
                    for one in range(width):
                        right[one] = whole[one] - left[one]
                    told = (
                        written
                        - _length(left, first, classes, least, scale)
                        - _length(right, first, classes, least, scale)
                    )
                    value += strength * max(told - price, 0.0)
                if way == BALANCE:
                    value = min(before, after)
                if value > worth[part]:
                    worth[part], taken = value, at + 1
                    for one in range(at + 1):
                        best[one] = present[place[one]]
        for at in range(taken):
            chosen[filled + at] = best[at]
        filled += taken
        start[part + 1] = filled
        for at in range(found):
            people[present[at]] = 0.0
            sums[present[at]] = 0.0
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
