"""Reading released tables and what their cells admit, without the product."""

import csv
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

Cells = dict[str, list[str | None]]


def table(path: Path) -> Cells:
    """The columns of a released table as text; None is a missing cell."""
    if path.suffix in {".csv", ".tsv"}:
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
        return {name: [line[at] or None for line in lines[1:]] for at, name in enumerate(lines[0])}
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix == ".parquet":
        read = pq.ParquetFile(path).read()
    else:
        with pa.OSFile(str(path)) as file:
            read = pa.ipc.open_file(file).read_all()
    return {
        name: [None if cell is None else str(cell) for cell in read[name].to_pylist()] for name in read.column_names
    }


def rows(cells: Cells, names: Sequence[str]) -> list[tuple[str | None, ...]]:
    """The cells of some columns, row by row."""
    return list(zip(*(cells[name] for name in names), strict=True))


def admits(cell: str | None, value: str | None, names: Mapping[str, set[str]]) -> bool:
    """May a shown cell stand for a value? `names` are those of a hierarchy with their members.

    >>> admits("[20, 29]", "25", {}), admits("{a|b}", "c", {}), admits("*", None, {}), admits("]20, 29[", "29", {})
    (True, False, True, False)
    """
    if cell == "*" or cell == value:
        return True
    if cell is None or value is None:
        return False
    if cell in names:
        return value in names[cell]
    if cell.startswith("{") and cell.endswith("}"):
        return value in [re.sub(r"\\(.)", r"\1", one) for one in re.findall(r"(?:\\.|[^\\|])+", cell[1:-1])] or any(
            _equal(one, value) for one in cell[1:-1].split("|")
        )
    ends = re.fullmatch(r"([\[\]])(.+), (.+)([\[\]])", cell)
    if ends:
        low, high, number = _number(ends[2]), _number(ends[3]), _number(value)
        if low is None or high is None or number is None:
            return False
        above = number >= low if ends[1] == "[" else number > low
        return above and (number <= high if ends[4] == "]" else number < high)
    return _equal(cell, value)


def _equal(one: str, other: str) -> bool:
    first, second = _number(one), _number(other)
    return first is not None and first == second


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def matched(wanted: Sequence[Sequence[int]]) -> bool:
    """Can each get one of those that it admits, and no two the same? (Kuhn's augmenting paths.)

    >>> matched([[0, 1], [0]]), matched([[0], [0]])
    (True, False)
    """
    owner: dict[int, int] = {}

    def placed(one: int, tried: set[int]) -> bool:
        for choice in wanted[one]:
            if choice not in tried:
                tried.add(choice)
                if choice not in owner or placed(owner[choice], tried):
                    owner[choice] = one
                    return True
        return False

    return all(placed(one, set()) for one in range(len(wanted)))


def same(cell: str | None, value: str | None) -> bool:
    """Is a cell a value as it was, if perhaps written in another way?"""
    return cell == value or (cell is not None and value is not None and _equal(cell, value))
