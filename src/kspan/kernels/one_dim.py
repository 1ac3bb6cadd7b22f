"""Groups of neighbors on a line: what the box around a group costs, the best cuts, groups from buckets, and mergers.

`Prices` says what the cells of a box cost, attribute by attribute:
- `value[begin[a] + place]`: how far along its domain a place lies; a range costs the difference plus `step[a]`;
- `plain[a]`: places from here on are no values; `free[a]` is the one of them (missing) that costs nothing by itself;
- `levels[a]`: the levels of its hierarchy (0: the range counts). The name of a place at a level, and what that name
  costs, are at `name_begin[a] + level * size[a] + place` of `name` and `name_cost`.
"""

import heapq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Prices(NamedTuple):
    """What a range of places costs in each attribute."""

    begin: Int64s
    size: Int64s
    plain: Int64s
    free: Int64s
    value: Floats
    step: Floats
    levels: Int64s
    name_begin: Int64s
    name: Int64s
    name_cost: Floats


@compiled
def _cell(prices: Prices, attribute: int, low: int, high: int) -> float:
    """The cost of a cell that admits the places from low to high."""
    # Places that are no values come last, so that a range with any of them ends in one.
    if high >= prices.plain[attribute]:
        return 0.0 if low == high and high == prices.free[attribute] else 1.0
    if low == high:
        return 0.0
    if prices.levels[attribute] == 0:
        begin = prices.begin[attribute]
        return float(prices.value[begin + high] - prices.value[begin + low] + prices.step[attribute])
    at = prices.name_begin[attribute]
    for _ in range(prices.levels[attribute]):
        if prices.name[at + low] == prices.name[at + high]:
            return float(prices.name_cost[at + low])
        at += prices.size[attribute]
    return 1.0


@compiled
def best_cuts(points: NDArray[Any], people: Int64s, k: int, prices: Prices) -> Int64s:
    """Where the groups of the cheapest cuts begin, if each group is a run of rows with at least k people.

    A group that could be cut into two of k people never costs less than the two, so only shorter ones are tried: for a
    given end, the start goes back from where k people are reached, until k more people are in front of that.
    """
    rows, attributes = points.shape
    best = np.full(rows + 1, np.inf)
    best[0] = 0.0
    back = np.zeros(rows + 1, np.int32)  # for each end, how many rows the last group of the best cuts has
    low, high = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    cells = np.empty(attributes)
    enough, inside = 0, 0  # people[enough:end] are the fewest rows before the end that have k people
    for end in range(1, rows + 1):
        inside += people[end - 1] if people.size else 1
        while inside - (people[enough] if people.size else 1) >= k:
            inside -= people[enough] if people.size else 1
            enough += 1
        if inside < k:
            continue
        for a in range(attributes):
            low[a] = high[a] = points[end - 1, a]
        for row in range(enough, end - 1):
            for a in range(attributes):
                place = np.int64(points[row, a])
                low[a] = min(low[a], place)
                high[a] = max(high[a], place)
        cost = 0.0
        for a in range(attributes):
            cells[a] = _cell(prices, a, low[a], high[a])
            cost += cells[a]
        total, in_front, start = inside, 0, enough
        while True:
            worth = best[start] + total * cost
            if worth < best[end]:
                best[end] = worth
                back[end] = end - start
            start -= 1
            if start < 0:
                break
            weight = people[start] if people.size else 1
            in_front += weight
            if in_front >= k:
                break
            total += weight
            for a in range(attributes):
                place = np.int64(points[start, a])
                if place < low[a] or place > high[a]:
                    low[a] = min(low[a], place)
                    high[a] = max(high[a], place)
                    cost -= cells[a]
                    cells[a] = _cell(prices, a, low[a], high[a])
                    cost += cells[a]
    return _traced(back)


@compiled
def _traced(back: NDArray[np.int32]) -> Int64s:
    """The starts of the groups, in order, found by going back from the end."""
    number, end = 0, back.size - 1
    while end > 0:
        end -= back[end]
        number += 1
    starts = np.empty(number, np.int64)
    end = back.size - 1
    while end > 0:
        end -= back[end]
        number -= 1
        starts[number] = end
    return starts


@compiled
def _in_buckets(value: NDArray[Any], counts: Int64s) -> tuple[Int32s, Int64s]:
    """The rows ordered by value, otherwise as they are, and where those of each value begin."""
    begins = np.zeros(counts.size + 1, np.int64)
    begins[1:] = np.cumsum(counts)
    at = begins[:-1].copy()
    rows = np.empty(value.size, np.int32)
    for row in range(value.size):
        rows[at[value[row]]] = row
        at[value[row]] += 1
    return rows, begins


@compiled
def from_buckets(
    value: NDArray[Any], place: NDArray[Any], counts: Int64s, by_count: Int64s, size: int, most: int
) -> Int64s:
    """Divide rows into groups of `size` neighbors, at most `most` of one bucket each; return the group of every row.

    A bucket has the rows of one value, in the order of their `place`, which ascends; `counts` says how many it has, and
    `by_count` lists buckets, the fullest first. The remaining rows must stay eligible: no bucket may have more than
    `most / size` of them. A bucket that would break this gives as many rows as it must before others are asked; if such
    buckets must give more than `size` rows, the group is larger. What is left in the end, fewer than two groups, is the
    last group.
    """
    buckets = counts.size
    rows, begins = _in_buckets(value, counts)
    group = np.empty(place.size, np.int64)
    at = begins[:-1].copy()
    given = np.zeros(buckets, np.int64)
    # A key of the heap is `place * buckets + bucket`: the smallest is the nearest row, and tells its bucket.
    frontier = [np.int64(place[rows[at[b]]]) * buckets + b for b in range(buckets) if at[b] < begins[b + 1]]
    heapq.heapify(frontier)
    remaining, number = place.size, 0
    in_heap = np.ones(buckets, np.bool_)
    touched = np.empty(buckets, np.int64)
    while remaining > 0:
        if remaining < 2 * size:
            for bucket in range(buckets):
                for i in range(at[bucket], begins[bucket + 1]):
                    group[rows[i]] = number
            break
        after = most * (remaining - size) // size  # so many rows of one bucket may remain
        taken, touching = 0, 0
        for bucket in by_count:
            if begins[bucket + 1] - begins[bucket] <= after:
                break  # this bucket and all after it never had more than that
            must = min(most, begins[bucket + 1] - at[bucket] - after)
            if must > 0:
                touched[touching] = bucket
                touching += 1
                given[bucket] = must
                for i in range(at[bucket], at[bucket] + must):
                    group[rows[i]] = number
                at[bucket] += must
                taken += must
        while taken < size and len(frontier) > 0:
            key = heapq.heappop(frontier)
            bucket = int(key % buckets)
            if at[bucket] == begins[bucket + 1]:
                in_heap[bucket] = False
                continue
            nearest = np.int64(place[rows[at[bucket]]]) * buckets + bucket
            if nearest != key:
                heapq.heappush(frontier, nearest)  # the key is old: the bucket had to give rows in the meantime
                continue
            if given[bucket] == 0:
                touched[touching] = bucket
                touching += 1
            if given[bucket] < most:
                group[rows[at[bucket]]] = number
                at[bucket] += 1
                given[bucket] += 1
                taken += 1
            if given[bucket] < most and at[bucket] < begins[bucket + 1]:
                heapq.heappush(frontier, np.int64(place[rows[at[bucket]]]) * buckets + bucket)
            else:
                in_heap[bucket] = False
        for i in range(touching):
            bucket = touched[i]
            given[bucket] = 0
            if not in_heap[bucket] and at[bucket] < begins[bucket + 1]:
                heapq.heappush(frontier, np.int64(place[rows[at[bucket]]]) * buckets + bucket)
                in_heap[bucket] = True
        remaining -= taken
        number += 1
    return group


@compiled
def boxes(points: NDArray[Any], group: Int64s, number: int) -> tuple[Int32s, Int32s]:
    """The lowest and the highest place of each group in each attribute."""
    rows, attributes = points.shape
    low = np.full((number, attributes), np.iinfo(np.int32).max, np.int32)
    high = np.full((number, attributes), -1, np.int32)
    for row in range(rows):
        for a in range(attributes):
            place = np.int32(points[row, a])
            low[group[row], a] = min(low[group[row], a], place)
            high[group[row], a] = max(high[group[row], a], place)
    return low, high


@compiled
def box_costs(low: Int32s, high: Int32s, prices: Prices) -> Floats:
    """What the cells of each box cost per person."""
    costs = np.zeros(low.shape[0])
    for box in range(low.shape[0]):
        for a in range(low.shape[1]):
            costs[box] += _cell(prices, a, low[box, a], high[box, a])
    return costs


@compiled
def _growth(people: Int64s, low: Int32s, high: Int32s, one: int, other: int, prices: Prices) -> float:
    """By how much the total cost of two groups grows when they are united."""
    grown = 0.0
    for a in range(low.shape[1]):
        both = _cell(prices, a, min(low[one, a], low[other, a]), max(high[one, a], high[other, a]))
        grown += people[one] * (both - _cell(prices, a, low[one, a], high[one, a]))
        grown += people[other] * (both - _cell(prices, a, low[other, a], high[other, a]))
    return grown


@compiled
def join_failing(fails: Bools, people: Int64s, low: Int32s, high: Int32s, times: int, prices: Prices) -> Bools:
    """Unite every failing group on a line with the neighbor with which less is lost; repeat with the unions.

    That is done `times` times. Each time a union takes in no third group, unless a group has no other neighbor left.
    Returns which groups are the first of their union; their people and boxes become those of the union.
    """
    groups = fails.size
    first = np.ones(groups, np.bool_)
    before, after = np.arange(-1, groups - 1), np.arange(1, groups + 1)
    united = np.zeros(groups, np.int64)  # when a group was last united with another
    queue = np.flatnonzero(fails)
    for now in range(1, times + 1):
        following = np.empty(queue.size, np.int64)
        number = 0
        for failing in queue:
            one, left, right = int(failing), int(before[failing]), int(after[failing])
            if not first[one] or united[one] == now or (left < 0 and right == groups):
                continue
            to_left, to_right = np.inf, np.inf
            if left >= 0 and united[left] != now:
                to_left = _growth(people, low, high, left, one, prices)
            if right < groups and united[right] != now:
                to_right = _growth(people, low, high, one, right, prices)
            if to_left < to_right or right == groups:
                one, right = left, one
            if united[one] != now and united[right] != now:
                following[number] = one
                number += 1
            elif united[right] == now:  # the union at the right now begins here
                for place in range(number):
                    if following[place] == right:
                        following[place] = one
            people[one] += people[right]
            for a in range(low.shape[1]):
                low[one, a] = min(low[one, a], low[right, a])
                high[one, a] = max(high[one, a], high[right, a])
            first[right] = False
            united[one] = now
            after[one] = after[right]
            if after[one] < groups:
                before[after[one]] = one
        queue = following[:number]
    return first
