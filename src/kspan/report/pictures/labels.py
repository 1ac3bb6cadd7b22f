"""Short texts for pictures, without characters that cannot be shown."""

from collections.abc import Sequence

from kspan.model.outcome import plain
from kspan.model.tree.model import Attribute, Region
from kspan.model.tree.paths import EVERYONE
from kspan.report.formatting import visible

MOST_VALUES = 3
"""How many values of a set are named at most."""
MOST_LETTERS = 60
"""How long a name or value may be, so that a page stays small whatever the data is like."""


def short(text: str) -> str:
    """Return a name or value without characters that cannot be shown, cut if it is very long.

    >>> short("a" * 100) == "a" * 59 + "…", short("sex")
    (True, 'sex')
    """
    # Cut first, since a cell may be huge; the letter too many shows that it was longer.
    text = visible(text[: MOST_LETTERS + 1])
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def way(attribute: Attribute, region: Region) -> str:
    """Write what a branch admits, briefly enough for a picture.

    >>> age = Attribute("age", "public", "numeric", low=17, high=90)
    >>> way(age, Region(intervals=((None, 37),))), way(age, Region(intervals=((37, 50),)))
    ('age ≤ 37', '37 < age ≤ 50')
    >>> way(age, Region(intervals=((37, None),), missing=True)), way(age, Region(missing=True))
    ('age > 37 or missing', 'age missing')
    >>> town = Attribute("town", "public", "categorical", ("a", "b", "c", "d", "e"))
    >>> way(town, Region(frozenset("a"))), way(town, Region(frozenset("abcde")))
    ('town = a', 'town in {a, b, c, +2 more}')
    """
    name = short(attribute.name)
    ways = [_between(attribute, name, low, high) for low, high in region.intervals[:MOST_VALUES]]
    if len(region.intervals) > MOST_VALUES:
        ways.append(f"+{len(region.intervals) - MOST_VALUES:,} more")
    if region.values:
        ways.insert(0, _among(name, attribute, region))
    if region.missing and not _is_rest(attribute, region):
        missing = "missing or rare" if attribute.others else "missing"
        ways.append(missing if ways else f"{name} {missing}")
    return " or ".join(ways) or EVERYONE


def people_text(people: float) -> str:
    """Write a number of people, fractions with one decimal.

    >>> people_text(1), people_text(1204), people_text(12.4321)
    ('1 person', '1,204 people', '12.4 people')
    """
    number = plain(people)
    return f"{number:,} {'person' if number == 1 else 'people'}" if isinstance(number, int) else f"{number:,.1f} people"


def number_short(number: float) -> str:
    """Write a number with about four digits.

    >>> number_short(40.18712), number_short(98000.0), number_short(7.0)
    ('40.19', '98,000', '7')
    """
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e15 else f"{number:.4g}"


def joined(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def ranges(bins: Sequence[int]) -> list[tuple[int, int]]:
    """Return numbers as runs of neighbors, each by its first and last number.

    >>> ranges((3, 7, 8, 9))
    [(3, 3), (7, 9)]
    """
    runs = list[tuple[int, int]]()
    for number in sorted(bins):
        if runs and number <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def bins_attribute(bins: Sequence[int]) -> str:
    """Write leaves or clusters for the `data-leaves` of a row, by which a picture finds what to highlight.

    >>> bins_attribute((3, 7, 8, 9))
    '3 7-9'
    """
    return " ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in ranges(bins))


def _is_rest(attribute: Attribute, region: Region) -> bool:
    """Does a branch take whoever does not have one of a few values, missing ones included?"""
    left = len(attribute.values) - len(attribute.among(region.values))
    return 0 < left <= MOST_VALUES and 2 * left < len(region.values) and region.missing == attribute.has_missing


def _among(name: str, attribute: Attribute, region: Region) -> str:
    values = attribute.among(region.values)
    if len(values) == 1:
        return f"{name} = {short(values[0])}"
    if _is_rest(attribute, region):
        others = [value for value in attribute.values if value not in region.values]
        return (
            f"{name} ≠ {short(others[0])}" if len(others) == 1 else f"{name} not in {{{', '.join(map(short, others))}}}"
        )
    more = [f"+{len(values) - MOST_VALUES:,} more"] if len(values) > MOST_VALUES else []
    return f"{name} in {{{', '.join([*map(short, values[:MOST_VALUES]), *more])}}}"


def _between(attribute: Attribute, name: str, low: float | None, high: float | None) -> str:
    if low is None:
        return f"{name} is a number" if high is None else f"{name} ≤ {attribute.number(high)}"
    if high is None:
        return f"{name} > {attribute.number(low)}"
    return f"{attribute.number(low)} < {name} ≤ {attribute.number(high)}"
