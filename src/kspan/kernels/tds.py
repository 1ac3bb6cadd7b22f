"""Top-down specialization: where to cut numbers, how small groups would become, and which rows go where.

A *key* is a code of an attribute, numbered through all attributes. A node of an attribute's cut is named by the key of
its first code. The rows of a group stand together: those of group g from place `start[g]` up to `end[g]`, and
`cell[g, attribute]` is the node that they have. For each place, `keys[place, attribute]` are the keys of its row,
`weights[place]` says how many people it stands for (one, if `weights` is empty), and `rows[place]` which row it is.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

DIGITS = 9
"""Gains that agree in so many digits are equal: the order in which a sum was added up must not decide."""


@compiled
def _n_log_n(number: float) -> float:
    return number * math.log2(number) if number > 0.0 else 0.0


@compiled
def best_cut(code: Int64s, label: Int64s, people: Int64s, labels: int) -> int:
    """The lowest code after which a cut gains most information about labels, or -1 if there is only one code.

    `people[i]` people have `code[i]` and `label[i]`; codes ascend.
    """
    below, above = np.zeros(labels), np.zeros(labels)
    for i in range(code.size):
        above[label[i]] += people[i]
    inside_below, inside_above, size_below, size_above = 0.0, 0.0, 0.0, above.sum()
    for count in above:
        inside_above += _n_log_n(count)
    total, best, best_after = size_above, -np.inf, -1
    for i in range(code.size):
        if i and code[i] != code[i - 1]:
            # The entropy that remains, negated and times the number of people.
            worth = inside_below - _n_log_n(size_below) + inside_above - _n_log_n(size_above)
            worth = math.floor(worth / total * 10**DIGITS + 0.5)
            if worth > best:
                best, best_after = worth, code[i - 1]
        at, number = label[i], float(people[i])
        inside_below += _n_log_n(below[at] + number) - _n_log_n(below[at])
        inside_above += _n_log_n(above[at] - number) - _n_log_n(above[at])
        below[at] += number
        above[at] -= number
        size_below += number
        size_above -= number
    return best_after


@compiled
def label_totals(codes: Int64s, start: Int64s, label: Int64s, people: Int64s, labels: int) -> Floats:
    """How many people with one of `codes` have each label; code c has the entries from `start[c]` to `start[c + 1]`."""
    totals = np.zeros(labels)
    for code in codes:
        for entry in range(start[code], start[code + 1]):
            totals[label[entry]] += people[entry]
    return totals


@compiled
def sums(codes: Int64s, start: Int64s, kind: Int64s, worth: Floats) -> Floats:
    """For each of some codes, the total worth of its entries; `worth[kind[entry]]` is that of an entry."""
    together = np.zeros(codes.size)
    for i in range(codes.size):
        for entry in range(start[codes[i]], start[codes[i] + 1]):
            together[i] += worth[kind[entry]]
    return together


@compiled
def smallest_parts(
    groups: Int64s,
    attributes: Int64s,
    keys: NDArray[Any],
    weights: Int64s,
    start: Int64s,
    end: Int64s,
    cell: Int32s,
    asked: Bools,
    node_of: Int32s,
    part_of: Int32s,
    one_by_one: Bools,
    counts: Int64s,
    after: Int64s,
) -> None:
    """Lower `after` to the size of the smallest part into which each specialization would divide one of these groups.

    The specialization of a node has its place in `after` at the key of the node. Where values are disclosed one by one,
    each value has its own place, and the other people of the group are a part as well. Nodes that are not `asked` are
    skipped. `counts` is working space, full of zeros before and after.
    """
    some, touched = np.empty(attributes.size, np.int64), np.empty(counts.size, np.int64)
    for group in groups:
        number = 0
        for attribute in attributes:
            if asked[cell[group, attribute]]:
                some[number] = attribute
                number += 1
        if number == 0:
            continue
        found, size = 0, 0
        for i in range(start[group], end[group]):
            weight = weights[i] if weights.size else 1
            size += weight
            for j in range(number):
                part = part_of[keys[i, some[j]]]
                if counts[part] == 0:
                    touched[found] = part
                    found += 1
                counts[part] += weight
        for j in range(found):
            part = touched[j]
            slot = part if one_by_one[part] else node_of[part]
            after[slot] = min(after[slot], counts[part])
            if one_by_one[part] and size > counts[part]:
                after[slot] = min(after[slot], size - counts[part])
            counts[part] = 0


@compiled
def divide_groups(
    groups: Int64s,
    attribute: int,
    keys: NDArray[Any],
    weights: Int64s,
    rows: Int32s,
    start: Int64s,
    end: Int64s,
    cell: Int32s,
    node_of: Int32s,
    number: int,
    counts: Int64s,
) -> tuple[int, int]:
    """Divide groups by the node that their rows now have; return the number of groups and the smallest part's people.

    The first part of a group keeps its number, the others get new ones from `number` on. `counts` is working space,
    full of zeros before and after.
    """
    smallest = np.iinfo(np.int64).max
    places, people = np.empty_like(counts), np.zeros_like(counts)
    touched = np.empty(counts.size, np.int64)
    for group in groups:
        begin, finish, found = start[group], end[group], 0
        for i in range(begin, finish):
            node = node_of[keys[i, attribute]]
            if counts[node] == 0:
                touched[found] = node
                found += 1
            counts[node] += 1
            people[node] += weights[i] if weights.size else 1
        nodes = np.sort(touched[:found])
        at = begin
        for node in nodes:
            places[node] = at
            at += counts[node]
        old_keys, old_rows = keys[begin:finish].copy(), rows[begin:finish].copy()
        old_weights = weights[begin:finish].copy()
        for i in range(finish - begin):
            node = node_of[old_keys[i, attribute]]
            to = places[node]
            rows[to] = old_rows[i]
            for j in range(keys.shape[1]):
                keys[to, j] = old_keys[i, j]
            if weights.size:
                weights[to] = old_weights[i]
            places[node] += 1
        for j in range(found):
            node = nodes[j]
            made = group
            if j:
                made = number
                number += 1
                cell[made] = cell[group]
            start[made], end[made] = places[node] - counts[node], places[node]  # each place has moved to its end
            cell[made, attribute] = node
            smallest = min(smallest, people[node])
            counts[node] = people[node] = 0
    return number, smallest
