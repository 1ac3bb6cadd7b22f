"""The definitions of every requirement, counted by hand: a group is the list of the private values of its people."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

Value = str | None
Group = Sequence[Value]
SLACK = 1e-9
"""What is lost in logarithms and sums; the product promises no more."""


def exact(number: Any) -> Fraction:
    """A parameter as it is written: 0.1 is one tenth."""
    return Fraction(str(number))


def holds(key: str, bound: Any, group: Group, everybody: Group) -> bool:
    """Does a group keep a requirement?

    >>> holds("k", 2, ["flu", "flu"], ["flu", "flu"]), holds("distinct_l", 2, ["flu", "flu"], ["flu", "flu"])
    (True, False)
    """
    return KEPT[key](bound, Counter(group), Counter(everybody))


def _entropy(group: Counter[Value]) -> float:
    people = group.total()
    return -sum(count / people * math.log(count / people) for count in group.values())


def _recursive(bound: Any, group: Counter[Value], _: Counter[Value]) -> bool:
    counts = sorted(group.values(), reverse=True)
    return counts[0] < exact(bound[0]) * sum(counts[int(bound[1]) - 1 :])


def _largest(group: Counter[Value]) -> Fraction:
    return Fraction(max(group.values()), group.total())


def _share(value: Value, people: Counter[Value]) -> Fraction:
    return Fraction(people[value], people.total())


def _distance(group: Counter[Value], everybody: Counter[Value]) -> float:
    """The earth mover's distance: by ranks if all values are numbers, else all are equally far apart."""
    if not all(value is None or _number(value) for value in everybody):
        return float(sum(max(_share(value, group) - _share(value, everybody), Fraction(0)) for value in everybody))
    order = sorted(everybody, key=lambda value: (value is None, 0.0 if value is None else float(value)))
    moved, held = Fraction(0), Fraction(0)
    for value in order[:-1]:
        held += _share(value, group) - _share(value, everybody)
        moved += abs(held)
    return float(moved / max(len(order) - 1, 1))


def _number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _gains(group: Counter[Value], everybody: Counter[Value]) -> list[tuple[Fraction, Fraction]]:
    pairs = [(_share(value, group), _share(value, everybody)) for value in everybody]
    return [((ours - theirs) / theirs, theirs) for ours, theirs in pairs if ours > theirs]


def _disclosed(group: Counter[Value], everybody: Counter[Value]) -> float:
    if any(value not in group for value in everybody):
        return math.inf
    return max(abs(math.log(_share(value, group) / _share(value, everybody))) for value in everybody)


KEPT: dict[str, Callable[[Any, Counter[Value], Counter[Value]], bool]] = {
    "k": lambda k, group, _: group.total() >= k,
    "distinct_l": lambda least, group, _: len(group) >= least,
    "entropy_l": lambda least, group, _: _entropy(group) >= math.log(least) - SLACK,
    "recursive_cl": _recursive,
    "simple_l": lambda least, group, _: _largest(group) * exact(least) <= 1,
    "confidence": lambda most, group, _: _largest(group) <= exact(most),
    "alpha": lambda most, group, _: _largest(group) <= exact(most),
    "t": lambda most, group, everybody: _distance(group, everybody) <= most + SLACK,
    "basic_beta": lambda most, group, everybody: all(gain <= exact(most) for gain, _ in _gains(group, everybody)),
    "enhanced_beta": lambda most, group, everybody: all(
        gain <= exact(most) and float(gain) <= -math.log(share) + SLACK for gain, share in _gains(group, everybody)
    ),
    "delta": lambda most, group, everybody: _disclosed(group, everybody) < most + SLACK,
}


def grouped(keys: Sequence[Hashable], values: Sequence[Value]) -> dict[Hashable, list[Value]]:
    """Values by the key of their people."""
    groups: dict[Hashable, list[Value]] = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(value)
    return groups
