"""How people are spread over values if the cells that they show admit several values.

A cell c of words admits `value[start[c]:start[c + 1]]`; a cell of numbers admits those from `low[c]` up to, but not
including, `high[c]`. `weights[value, label]` says how likely each value is. Only values `inside` are possible (all, if
it is empty).
"""

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@compiled
def expected_words(start: Int64s, value: Int64s, weights: Floats, inside: Bools, cells: Floats, counts: Floats) -> None:
    """Add the people in `cells[cell, label]` to `counts[value, label]`, spread over the values that the cell admits."""
    for cell in range(start.size - 1):
        for label in range(cells.shape[1]):
            people = cells[cell, label]
            if people == 0.0:
                continue
            mass = _mass(start, value, weights, inside, cell, label)
            if mass > 0.0:
                for at in range(start[cell], start[cell + 1]):
                    if inside.size == 0 or inside[value[at]]:
                        counts[value[at], label] += people * weights[value[at], label] / mass


@compiled
def expected_numbers(
    low: Int64s, high: Int64s, weights: Floats, inside: Bools, cells: Floats, rounding: float, counts: Floats
) -> None:
    """The same for numbers; a density that is zero but for rounding, relative to the largest, counts as zero."""
    sums, steps = np.empty(weights.shape[0] + 1), np.empty(weights.shape[0] + 1)
    for label in range(cells.shape[1]):
        sums[0], steps[:] = 0.0, 0.0
        for value in range(weights.shape[0]):
            possible = inside.size == 0 or inside[value]
            sums[value + 1] = sums[value] + (weights[value, label] if possible else 0.0)
        largest = 1.0
        for cell in range(low.size):
            mass = sums[high[cell]] - sums[low[cell]]
            if cells[cell, label] > 0.0 and mass > 0.0:
                # The density of a cell is added where its range begins, and taken away where it ends.
                each = cells[cell, label] / mass
                steps[low[cell]] += each
                steps[high[cell]] -= each
                largest = max(largest, each)
        density = 0.0
        for value in range(weights.shape[0]):
            density += steps[value]
            if density > rounding * largest and (inside.size == 0 or inside[value]):
                counts[value, label] = weights[value, label] * density


@compiled
def portions_of_words(
    start: Int64s, value: Int64s, weights: Floats, inside: Bools, son: Int64s, portion: Floats
) -> None:
    """Fill `portion[cell, label, son]` with the part of a person for each son; `son` has the son of each value."""
    for cell in range(start.size - 1):
        for label in range(weights.shape[1]):
            mass = _mass(start, value, weights, inside, cell, label)
            if mass > 0.0:
                for at in range(start[cell], start[cell + 1]):
                    if (inside.size == 0 or inside[value[at]]) and son[value[at]] >= 0:
                        portion[cell, label, son[value[at]]] += weights[value[at], label] / mass


@compiled
def _mass(start: Int64s, value: Int64s, weights: Floats, inside: Bools, cell: int, label: int) -> float:
    """The total weight of the possible values that a cell admits."""
    mass = 0.0
    for at in range(start[cell], start[cell + 1]):
        if inside.size == 0 or inside[value[at]]:
            mass += weights[value[at], label]
    return mass
