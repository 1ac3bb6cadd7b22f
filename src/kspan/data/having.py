"""Who has a value: which cells of a column show it, or admit it, however it is spelled."""

from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.alike import look
from kspan.data.arrays import Bools
from kspan.data.cells import NOT_A_NUMBER, Anything, Between, Cell, OneOf, number, read_cell, values_in
from kspan.data.kinds.words import WORDS
from kspan.data.meaning import Meanings, meaning, meanings
from kspan.data.table import MISSING_LABEL, Column


class Having:
    """Finds the codes of a column that show a value; what was found is kept."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self._found: dict[str, Bools] = {}
        self._meanings: Meanings | None = None

    @classmethod
    def labels(cls, *labels: str) -> "Having":
        """Find values among labels, whose places are their codes.

        >>> Having.labels("flu", "hiv").codes("hiv").tolist()
        [False, True]
        """
        return cls(Column("", WORDS, np.zeros(0, np.uint8), np.array(labels, object)))

    def codes(self, value: str) -> Bools:
        """Tell for each code whether its cell shows a value, or admits it as `{a|b}`, a range, a name or `*` does.

        Spellings that look alike are one value, and so are spellings of one number; `(missing)` is the missing value.

        >>> Having.labels("100000", "[5, 200000]", "7").codes("1e5").tolist()
        [True, True, False]
        """
        if value not in self._found:
            self._found[value] = self._codes(look(value))
        return self._found[value]

    def shown(self, value: str) -> bool:
        """Does any cell show or admit the value? A suppressed one does not count."""
        codes = self.codes(value).copy()
        if self.column.suppressed is not None:
            codes[self.column.suppressed] = False
        return bool(codes.any())

    def shown_in_other_case(self, value: str) -> bool:
        """Does any cell differ from the value in capital letters only?"""
        cells = [read_cell(look(label)) for label in map(str, self.column.values)]
        shown = [*map(str, self.column.values), *(member for cell in cells for member in values_in(cell))]
        return any(look(label).casefold() == look(value).casefold() for label in shown)

    def _admitted(self, label: str, cell: Cell) -> list[Cell]:
        """What a cell admits: itself, and each member of a set as a cell of its own, which may be a name or a range.

        A set that cannot be read may hide anything.
        """
        written = look(label)
        if written[:1] != "{":
            return [cell]
        inside = read_cell(written)
        if not isinstance(inside, OneOf):
            return [Anything()]
        numeric = self._meanings is not None and self._meanings.numeric
        members = [meaning(self.column, member, numeric=numeric) for member in inside.values]
        # A member that begins like a set again is none that could be read.
        return [cell, *members, *[Anything() for member in inside.values if look(member)[:1] == "{"]]

    def _codes(self, seen: str) -> Bools:
        column = self.column
        found = np.zeros(column.size, bool)
        plain, exact = len(column.values), column.is_measured
        if exact:
            found[:plain] = _among(column.values, meaning(column, seen, numeric=True))
        else:
            self._meanings = self._meanings or meanings(column)
            value = meaning(column, seen, numeric=self._meanings.numeric)
            found[:plain] = [
                look(str(label)) == seen or any(_overlap(one, value) for one in self._admitted(str(label), cell))
                for label, cell in zip(column.values, self._meanings.cells, strict=True)
            ]
        # A suppressed cell may hide any value, unless all cells are suppressed: then nothing is told of anybody.
        if column.suppressed is not None:
            found[column.suppressed] = column.size > 1
        if column.missing is not None:
            found[column.missing] = seen == MISSING_LABEL or (exact and seen in NOT_A_NUMBER)
        return found


def same_value(one: str, other: str) -> bool:
    """Are two spellings one value: do they look alike, or spell one number?

    >>> same_value("1e5", "100000.0"), same_value("hiv", " hiv "), same_value("007", "7")
    (True, True, False)
    """
    return _same(look(one), look(other))


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    return number(one) is not None and number(other) is not None and Decimal(one) == Decimal(other)


def _overlap(one: Cell, other: Cell) -> bool:
    """Is there a value that both cells admit?"""
    if isinstance(one, Anything) or isinstance(other, Anything):
        return True
    if isinstance(one, Between) and isinstance(other, Between):
        low, high = max(one.low, other.low), min(one.high, other.high)
        return low < high or (low == high and _within(one, low) and _within(other, low))
    if isinstance(one, Between) or isinstance(other, Between):
        between, listed = (one, other) if isinstance(one, Between) else (other, one)
        assert isinstance(between, Between)
        return any(_within(between, value) for value in map(number, map(look, values_in(listed))) if value is not None)
    return any(_same(look(a), look(b)) for a in values_in(one) for b in values_in(other))


def _within(cell: Between, value: float) -> bool:
    above = cell.low < value if cell.without_low else cell.low <= value
    return above and (value < cell.high if cell.without_high else value <= cell.high)


def _among(values: NDArray[Any], cell: Cell) -> Bools:
    """Which numbers a cell admits."""
    if isinstance(cell, Between):
        above = values > cell.low if cell.without_low else values >= cell.low
        inside: Bools = above & (values < cell.high if cell.without_high else values <= cell.high)
        return inside
    found: Bools = np.zeros(len(values), bool)
    for value in values_in(cell):
        found |= _equal(values, value)
    return found


def _equal(values: NDArray[Any], seen: str) -> Bools:
    """Which numbers a text spells."""
    none: Bools = np.zeros(len(values), bool)
    if number(seen) is None:
        return none
    if np.issubdtype(values.dtype, np.integer):
        exact, ends = Decimal(seen), np.iinfo(values.dtype)
        # Whole numbers may have more digits than a float.
        if exact != exact.to_integral_value() or not ends.min <= exact <= ends.max:
            return none
        spelled: int | float = int(exact)
    else:
        spelled = float(seen)
    same: Bools = values == values.dtype.type(spelled)
    return same
