"""Groups of neighboring numbers with the least spread inside them."""

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled
def best_groups(numbers: Floats, people: Int64s, least: int) -> Int64s:
    """The group of each of some numbers in ascending order, if groups of at least `least` people differ least inside.

    What counts is the sum of squared distances from the mean of the group, over all people. A group that could be cut
    into two large enough never has less of it than the two, so for each end only the starts are tried from which the
    group cannot be cut: from the last one that gives enough people, until as many more are in front of that.
    """
    rows = len(numbers)
    best = np.full(rows + 1, np.inf)
    best[0] = 0.0
    begin = np.zeros(rows + 1, np.int64)
    enough, inside = 0, 0  # numbers[enough:end] are the fewest before the end that have enough people
    for end in range(1, rows + 1):
        inside += people[end - 1]
        while inside - people[enough] >= least:
            inside -= people[enough]
            enough += 1
        if inside < least:
            continue
        # Mean and spread are carried along (Welford): sums of squares would lose the digits of small groups.
        count, mean, spread, in_front = 0, 0.0, 0.0, 0
        for start in range(end - 1, -1, -1):
            if start < enough:
                in_front += people[start]
                if in_front >= least:
                    break
            count += people[start]
            away = numbers[start] - mean
            mean += away * people[start] / count
            spread += away * (numbers[start] - mean) * people[start]
            if start <= enough and best[start] + spread < best[end]:
                best[end], begin[end] = best[start] + spread, start
    begins = np.zeros(rows, np.int64)
    end = rows
    while end > 0:
        end = begin[end]
        begins[end] = 1
    return np.cumsum(begins) - 1
