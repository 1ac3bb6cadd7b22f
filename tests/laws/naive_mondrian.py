"""Strict Mondrian straight from its description, slow and plain; shares no code with the package and imports none.

LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006, with what `kspan.anonymize.mondrian`
says about widths, medians, missing values and the order in which cuts are tried.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Row = dict[str, Any]
Part = list[int]


def partition(
    rows: Sequence[Row],
    people: Sequence[int],
    attributes: Sequence[str],
    holds: Callable[[Part, Part], bool],
) -> list[Part]:
    """The rows of each group, by their numbers; `holds` says if a cut into two parts may be made."""
    ranges = {name: _present(rows, range(len(rows)), name) for name in attributes}

    def cut(part: Part) -> list[Part]:
        widths = {name: _width(_present(rows, part, name), ranges[name], rows, part, name) for name in attributes}
        for name in sorted(attributes, key=lambda name: -widths[name]):
            order = _present(rows, part, name) + [None] * any(rows[row][name] is None for row in part)
            if len(order) < 2:
                continue
            middle = _median(order, rows, people, part, name)
            for left_values in (order[: middle + 1], order[:middle]):
                left = [row for row in part if rows[row][name] in left_values]
                right = [row for row in part if rows[row][name] not in left_values]
                if left and right and holds(left, right):
                    return cut(left) + cut(right)
        return [part]

    return cut(list(range(len(rows))))


def _present(rows: Sequence[Row], part: Sequence[int], name: str) -> list[Any]:
    return sorted({rows[row][name] for row in part} - {None})


def _width(here: list[Any], everywhere: list[Any], rows: Sequence[Row], part: Part, name: str) -> Fraction:
    if here and any(rows[row][name] is None for row in part):
        return Fraction(1)
    if len(here) < 2:
        return Fraction(0)
    if isinstance(here[0], str):
        return Fraction(len(here), len(everywhere))
    return Fraction(here[-1] - here[0]) / Fraction(everywhere[-1] - everywhere[0])


def _median(order: list[Any], rows: Sequence[Row], people: Sequence[int], part: Part, name: str) -> int:
    total, so_far = sum(people[row] for row in part), 0
    for place, value in enumerate(order):
        so_far += sum(people[row] for row in part if rows[row][name] == value)
        if 2 * so_far >= total:
            return place
    raise AssertionError("somebody is in the middle")
