"""How people spread over values where the cells that they show admit several words.

Cell c admits `value[start[c]:start[c + 1]]`; `weights[value, label]` says how likely each is, and only values `inside`
are possible (all, if it is empty).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def expected_words(start: Int64s, value: Int64s, weights: Floats, inside: Bools, cells: Floats, counts: Floats) -> None:
    """Add the people of `cells[cell, label]` to `counts[value, label]`, each spread over what the cell admits."""
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


@njit(cache=True, nogil=True)
def portions_of_words(
    start: Int64s, value: Int64s, weights: Floats, inside: Bools, son: Int64s, portion: Floats
) -> None:
    """Fill `portion[cell, label, son]` with the part of a person that goes to each son, by the son of each value."""
    for cell in range(start.size - 1):
        for label in range(weights.shape[1]):
            mass = _mass(start, value, weights, inside, cell, label)
            if mass > 0.0:
                for at in range(start[cell], start[cell + 1]):
                    if (inside.size == 0 or inside[value[at]]) and son[value[at]] >= 0:
                        portion[cell, label, son[value[at]]] += weights[value[at], label] / mass


@njit(cache=True, nogil=True)
def _mass(start: Int64s, value: Int64s, weights: Floats, inside: Bools, cell: int, label: int) -> float:
    """The weight of all that a cell admits."""
    mass = 0.0
    for at in range(start[cell], start[cell + 1]):
        if inside.size == 0 or inside[value[at]]:
            mass += weights[value[at], label]
    return mass
