"""How private numbers are shown, from the definitions: one number after the other, with exact fractions."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction


def naive_round(number: float, step: float) -> Fraction:
    """The nearest multiple; in the middle, the higher one."""
    exact, width = Fraction(str(number)), Fraction(str(step))
    return math.floor(exact / width + Fraction(1, 2)) * width


def partitions(number: int, least: int) -> Iterator[list[int]]:
    """All ways to cut so many things in a row into runs of at least so many."""
    if number >= least:
        yield [number]
    for first in range(least, number - least + 1):
        yield from ([first, *rest] for rest in partitions(number - first, least))


def naive_spread(numbers: Sequence[Fraction]) -> Fraction:
    """The squared distances from the mean."""
    mean = sum(numbers, Fraction()) / len(numbers)
    return sum(((one - mean) ** 2 for one in numbers), Fraction())


def least_spread(numbers: Sequence[int], least: int) -> Fraction:
    """The least spread inside groups that any groups of neighbors have."""
    exact = sorted(Fraction(one) for one in numbers)
    costs = []
    for sizes in partitions(len(exact), least):
        begin, cost = 0, Fraction()
        for size in sizes:
            cost += naive_spread(exact[begin : begin + size])
            begin += size
        costs.append(cost)
    return min(costs)


def naive_bin(number: float, step: float, low: float = -math.inf, high: float = math.inf) -> str:
    """The cell of a number."""
    if number >= high:
        return f">={high:g}"
    if number < low:
        return f"<{low:g}"
    begin = math.floor(Fraction(str(number)) / Fraction(str(step))) * Fraction(str(step))
    return f"[{max(float(begin), low):g}, {min(float(begin + Fraction(str(step))), high):g}["
