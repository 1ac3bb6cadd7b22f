"""Where people go in trees that are given as arrays; a number goes left if it is at most the threshold."""

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bits = NDArray[np.uint64]


@compiled
def followed(
    numbers: Floats, left: Int64s, right: Int64s, feature: Int64s, threshold: Floats, missing_left: Bools, ends: Int64s
) -> None:
    """Write the leaf where each row ends."""
    for row in range(numbers.shape[0]):
        node = 0
        while left[node] >= 0:
            number = numbers[row, feature[node]]
            goes_left = missing_left[node] if np.isnan(number) else number <= threshold[node]
            node = left[node] if goes_left else right[node]
        ends[row] = node


@compiled
def narrowed(
    cells: Floats,
    first: Int64s,
    last: Int64s,
    left: Int64s,
    right: Int64s,
    feature: Int64s,
    threshold: Floats,
    missing_left: Bools,
    admitted: Bits,
    possible: Bools,
) -> None:
    """Find which private cells can come to each node, and which nodes can be reached at all.

    `cells[feature, cell]` are the numbers of all private cells, those of one attribute being neighbors: the cells of a
    feature's attribute are those from `first[feature]` up to `last[feature]`, and none if the feature is public.
    `admitted[node]` has a bit for each cell, 64 in a number; it and `possible[node]` are given for the root.
    """
    one, words = np.uint64(1), admitted.shape[1]
    waiting = np.empty(left.size, np.int64)
    waiting[0] = 0
    number_waiting = 1
    while number_waiting > 0:
        number_waiting -= 1
        node = waiting[number_waiting]
        if left[node] < 0:
            continue
        asked, low, high = feature[node], left[node], right[node]
        for word in range(words):
            admitted[low, word] = admitted[node, word]
            admitted[high, word] = admitted[node, word]
        possible[low] = possible[high] = possible[node]
        if first[asked] < last[asked]:
            some_low = some_high = False
            for cell in range(first[asked], last[asked]):
                bit = one << np.uint64(cell % 64)
                if admitted[node, cell // 64] & bit:
                    number = cells[asked, cell]
                    goes_left = missing_left[node] if np.isnan(number) else number <= threshold[node]
                    if goes_left:
                        admitted[high, cell // 64] &= ~bit
                        some_low = True
                    else:
                        admitted[low, cell // 64] &= ~bit
                        some_high = True
            possible[low] = possible[low] and some_low
            possible[high] = possible[high] and some_high
        waiting[number_waiting], waiting[number_waiting + 1] = low, high
        number_waiting += 2


@compiled
def reached(
    numbers: Floats,
    is_private: Bools,
    left: Int64s,
    right: Int64s,
    feature: Int64s,
    threshold: Floats,
    missing_left: Bools,
    possible: Bools,
    marks: Bits,
    told: Bits,
    sums: Bits,
    leaves: Int64s,
    varies: Bools,
) -> None:
    """Send each kind of people down every branch that public numbers leave open, and add up the marks of its leaves.

    `told[node, attribute]` says what a leaf tells of each private attribute; `varies[kind, attribute]` becomes true if
    the leaves of a kind tell different things.
    """
    waiting = np.empty(left.size, np.int64)
    attributes = told.shape[1]
    before = np.empty(attributes, np.uint64)
    for kind in range(numbers.shape[0]):
        is_first = True
        waiting[0] = 0
        number_waiting = 1
        while number_waiting > 0:
            number_waiting -= 1
            node = waiting[number_waiting]
            if left[node] < 0:
                sums[kind, 0] += marks[node, 0]
                sums[kind, 1] += marks[node, 1]
                leaves[kind] += 1
                for attribute in range(attributes):
                    if not is_first and before[attribute] != told[node, attribute]:
                        varies[kind, attribute] = True
                    before[attribute] = told[node, attribute]
                is_first = False
            elif is_private[feature[node]]:
                for child in (right[node], left[node]):
                    if possible[child]:
                        waiting[number_waiting] = child
                        number_waiting += 1
            else:
                number = numbers[kind, feature[node]]
                goes_left = missing_left[node] if np.isnan(number) else number <= threshold[node]
                waiting[number_waiting] = left[node] if goes_left else right[node]
                number_waiting += 1


@compiled
def summed(left: Int64s, right: Int64s, sums: Floats) -> None:
    """Add up what is at the leaves, at every node above them."""
    order, waiting = np.empty(left.size, np.int64), np.empty(left.size, np.int64)
    waiting[0] = 0
    number_waiting, inner = 1, 0
    while number_waiting > 0:
        number_waiting -= 1
        node = waiting[number_waiting]
        if left[node] >= 0:
            order[inner] = node
            inner += 1
            waiting[number_waiting], waiting[number_waiting + 1] = left[node], right[node]
            number_waiting += 2
    # Parents came before their children.
    for place in range(inner - 1, -1, -1):
        node = order[place]
        sums[node, :] = sums[left[node], :] + sums[right[node], :]
