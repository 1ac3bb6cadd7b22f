"""The nearest group of each row, by how far the groups' cells are from the row's values."""

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]


@compiled
def nearest(cells: Int64s, values: Int64s, distances: NDArray[np.float32], begins: Int64s, widths: Int64s) -> Int64s:
    """For each row of `values`, the first row of `cells` at the smallest distance, summed over attributes.

    `distances` holds one table of cells by values for each attribute, one after the other. That of attribute a begins
    at `begins[a]` and has `widths[a]` values per cell.
    """
    found = np.zeros(len(values), np.int64)
    for row in range(len(values)):
        least = np.inf
        for group in range(len(cells)):
            distance = 0.0
            for attribute in range(len(begins)):
                at = begins[attribute] + cells[group, attribute] * widths[attribute] + values[row, attribute]
                distance += distances[at]
                if distance >= least:  # also if equal: the first group stays
                    break
            else:
                least = distance
                found[row] = group
                if least == 0.0:
                    break
    return found
