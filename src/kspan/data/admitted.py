"""Which values a shown cell admits: the one reading for whoever links people to cells, or shows people in some."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter

import numpy as np

from kspan.data.arrays import Int64s
from kspan.data.cells import Between, Cell, number, number_text, read_cell, values_in
from kspan.data.hierarchy import Hierarchy
from kspan.data.meaning import meanings
from kspan.data.table import Column


def admitted(shown: Column, known: Column) -> tuple[Int64s, Int64s]:
    """Return the known values that each cell admits, as codes: those of cell c from `start[c]` to `start[c + 1]`.

    A set or an interval admits its values, a name of the hierarchy the values below it, `*` everything; a missing
    value agrees with a missing one only, and a value that is `*` itself with every cell.
    """
    place = {known.label(code): code for code in range(len(known.values))}
    spelled = sorted(place)
    numbers = sorted((value, code) for label, code in place.items() if (value := number(label)) is not None)
    # A hierarchy that is built, not declared, knows the values of the table that it was built for: people have more.
    hierarchies = [each for each in (shown.hierarchy, known.hierarchy) if each is not None]
    codes: list[list[int]] = [
        _named(shown.label(code), cell, hierarchies, place, numbers) for code, cell in enumerate(meanings(shown).cells)
    ]
    for code, admits in enumerate(codes):
        label = shown.label(code)
        begun = {each.prefix(label) for each in hierarchies if label not in place} - {None}
        # A masked name is as long as the longest code of its table: nobody in it has a longer one.
        longer = (text for start in begun for text in _longer(str(start), spelled) if len(text) <= len(label))
        admits[:] = sorted({*admits, *(place[text] for text in longer)})
    if shown.suppressed is not None:
        codes.append(list(range(known.size)))
    if shown.missing is not None:
        codes.append([] if known.missing is None else [known.missing])
    if known.suppressed is not None:
        codes = [[*each, known.suppressed] for each in codes]
    start = np.cumsum([0, *map(len, codes)])
    return start, np.fromiter((code for each in codes for code in each), np.int64, int(start[-1]))


def _named(
    label: str, cell: Cell, hierarchies: Iterable[Hierarchy], place: dict[str, int], numbers: list[tuple[float, int]]
) -> list[int]:
    """Return the codes of the known values that a shown cell admits, in ascending order."""
    if label in place:
        return [place[label]]
    names = [(each, name) for each in hierarchies if (name := each.find(label))]
    values = {each.values[member] for each, name in names for member in each.members[name]}
    if names:
        cell = read_cell(label)  # a name that is a range admits all numbers in it, also those that it was not built for
    else:
        values.update(values_in(cell))
    # Codes such as `1.10` and `1.1` are two values: only what is not known as it is written may be another spelling.
    spelled = (value if value in place else _canonical(value) for value in values)
    found = {place[text] for text in spelled if text in place}
    if isinstance(cell, Between):
        first = (bisect_right if cell.without_low else bisect_left)(numbers, cell.low, key=itemgetter(0))
        end = (bisect_left if cell.without_high else bisect_right)(numbers, cell.high, key=itemgetter(0))
        found.update(code for _, code in numbers[first:end])
    return sorted(found)


def _longer(start: str, spelled: list[str]) -> Iterator[str]:
    """Yield the values, given in order, that begin with a prefix and go on after it."""
    for text in spelled[bisect_right(spelled, start) :]:
        if not text.startswith(start):
            return
        yield text


def _canonical(value: str) -> str:
    """Return a number in its usual spelling, so that `17.0` is `17`; other text stays as it is."""
    as_number = number(value)
    return value if as_number is None else number_text(as_number)
