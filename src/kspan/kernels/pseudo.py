"""Drawing codes for made-up rows, block by block, from what each block may hold.

A choice is a row of stretches of neighboring codes, from `first[s]` to `first[s] + count[s] - 1`. `reach[s]` is the
total weight of the stretches of the choice up to and including s; every stretch has some weight. Choice c has the
stretches from `begin[c]` up to, but not including, `begin[c + 1]`. The codes of a stretch are equally likely, unless
the choice is `uneven`: then `below[code]` is the weight of all smaller codes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.kernels.compiled import compiled

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

STEPS = 1 << 20
"""An even row of picks begins in the middle of one of so many steps, so that rounding moves no pick across a border."""
UNIT = 1.0 / (1 << 53)


@compiled
def draw_codes(
    sizes: Int64s,
    choice: Int64s,
    begin: Int64s,
    first: Int64s,
    count: Int64s,
    reach: Floats,
    uneven: Bools,
    below: Floats,
    even: bool,
    seed: np.uint64,
    out: NDArray[Any],
) -> None:
    """Fill `out` with codes block after block; block b has `sizes[b]` rows, drawn from `choice[b]`.

    If `even`, every code occurs as often as its weight says, rounded down or up, in random order. Otherwise each row is
    drawn by itself.
    """
    state, row = seed, 0
    for block in range(sizes.size):
        size, start, stop = sizes[block], begin[choice[block]], begin[choice[block] + 1]
        if size == 0:
            continue
        if stop - start == 1 and count[start] == 1:
            out[row : row + size] = first[start]
            row += size
            continue
        weighted, total, at = uneven[choice[block]], reach[stop - 1], start
        state, chance = _next(state)
        offset = (np.floor(chance * STEPS) + 0.5) / STEPS
        for i in range(size):
            if even:  # picks at equal distances, all moved by one random offset
                mass = (i + offset) * (total / size)
                while at < stop - 1 and reach[at] <= mass:
                    at += 1
            else:
                state, chance = _next(state)
                mass = chance * total
                at = _first_above(reach, start, stop - 1, mass)
            inside = mass - (reach[at - 1] if at > start else 0.0)
            low, last = first[at], first[at] + count[at] - 1
            if weighted:
                code = _first_above(below[1:], low, last, below[low] + inside)
                # Rounding may have led beyond the last code with any weight.
                while code > low and below[code + 1] <= below[code]:
                    code -= 1
            else:
                weight = reach[at] - (reach[at - 1] if at > start else 0.0)
                code = min(low + np.int64(inside * (count[at] / weight)), last)
            out[row + i] = code
        if even:
            for i in range(size - 1, 0, -1):
                state, chance = _next(state)
                other = np.int64(chance * (i + 1))
                out[row + i], out[row + other] = out[row + other], out[row + i]
        row += size


@compiled
def _first_above(sums: Floats, low: int, high: int, mass: float) -> int:
    """The first place from `low` on whose sum is above `mass`, or `high` if there is none before; sums never fall."""
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > mass:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _next(state: np.uint64) -> tuple[np.uint64, float]:
    """The next state of SplitMix64 (Steele, Lea, Flood 2014), and its number from 0 up to, but not including, 1."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return state, (mixed >> np.uint64(11)) * UNIT
