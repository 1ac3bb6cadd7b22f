"""The linking attack: which groups may a person be in, for someone who knows the public values?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.cells import Between, number, number_text, read_cell, values_in
from kspan.data.groups import NO_WEIGHTS, count_groups, tally
from kspan.data.hierarchy import Hierarchy
from kspan.data.table import Column, Table
from kspan.model.partition import Partition


@dataclass(frozen=True)
class Relation:
    """Which cells of a release (left) agree with which values of people (right), as pairs of codes of one attribute."""

    left: Int64s
    right: Int64s
    any_left: int | None = None
    """A code that agrees with everything on the other side."""
    any_right: int | None = None


def people_matching(partition: Partition, known: Table) -> Int64s:
    """How many people of a table of known public values could be in each group of a release."""
    names = list(partition.shown)
    kinds = Partition.by_equality(known, names)
    sizes = count_groups(known, kinds.group, kinds.number, ()).sizes
    shown, values = ([part.shown[name] for name in names] for part in (partition, kinds))
    relations = [agreement(cell.column, value.column) for cell, value in zip(shown, values, strict=True)]
    group, kind = linked([cell.code for cell in shown], [value.code for value in values], relations)
    people = np.zeros(len(partition), np.int64)
    np.add.at(people, group, sizes[kind])
    return people


def agreement(shown: Column, known: Column) -> Relation:
    """How the cells that a release shows agree with the values that are known of people.

    A set or an interval admits its values, a name of the hierarchy the values below it, `*` everything; a missing
    value agrees with a missing one only.
    """
    place = {known.label(code): code for code in range(len(known.values))}
    numbers = [(value, code) for label, code in place.items() if (value := number(label)) is not None]
    pairs = [
        (code, found)
        for code in range(len(shown.values))
        for found in _admitted(shown.label(code), shown.hierarchy, place, numbers)
    ]
    if shown.missing is not None and known.missing is not None:
        pairs.append((shown.missing, known.missing))
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    return Relation(left, right, shown.suppressed, known.suppressed)


def sameness(column: Column) -> Relation:
    """How the cells of a release agree with each other, if a suppressed one may stand for anything."""
    codes = np.delete(np.arange(column.size), [] if column.suppressed is None else [column.suppressed])
    return Relation(codes, codes, column.suppressed, column.suppressed)


def linked(left: Sequence[Int64s], right: Sequence[Int64s], relations: Sequence[Relation]) -> tuple[Int64s, Int64s]:
    """All pairs (i, j) such that the i-th tuple on the left agrees with the j-th on the right in every attribute.

    Attribute by attribute, only for beginnings of tuples that agree so far.
    """
    if not left:  # nothing is known of anybody: there is one tuple on each side, and they agree
        return np.zeros(1, np.int64), np.zeros(1, np.int64)
    pairs = pl.DataFrame({"left": [0], "right": [0]}, schema={"left": pl.Int64, "right": pl.Int64})
    stems = [np.zeros(len(left[0]), np.int64), np.zeros(len(right[0]), np.int64)]
    for codes_left, codes_right, relation in zip(left, right, relations, strict=True):
        stems[0], twigs_left = _extended(stems[0], codes_left, "left")
        stems[1], twigs_right = _extended(stems[1], codes_right, "right")
        pairs = _agreeing(pairs, twigs_left, twigs_right, relation)
    members = [
        pl.DataFrame({side: stem, f"{side}_at": np.arange(len(stem))})
        for side, stem in zip(("left", "right"), stems, strict=True)
    ]
    found = pairs.join(members[0], on="left").join(members[1], on="right").sort("left_at", "right_at")
    return found["left_at"].to_numpy(), found["right_at"].to_numpy()


def _extended(stem: Int64s, codes: Int64s, side: str) -> tuple[Int64s, pl.DataFrame]:
    """Number the beginnings that are one attribute longer, and list them with what they extend."""
    width = int(codes.max()) + 1
    keys, _, longer = tally(stem * width + codes, (int(stem.max()) + 1) * width, NO_WEIGHTS, locate=True)
    twigs = pl.DataFrame({side: keys // width, f"{side}_code": keys % width, f"{side}_twig": np.arange(len(keys))})
    return longer, twigs


def _agreeing(pairs: pl.DataFrame, left: pl.DataFrame, right: pl.DataFrame, relation: Relation) -> pl.DataFrame:
    any_left = pl.col("left_code") == (-1 if relation.any_left is None else relation.any_left)
    any_right = pl.col("right_code") == (-1 if relation.any_right is None else relation.any_right)
    codes = pl.DataFrame({"left_code": relation.left, "right_code": relation.right})
    plain, open_left, open_right = left.filter(~any_left), left.filter(any_left), right.filter(any_right)
    ways = (
        pairs.join(plain, on="left")
        .join(codes, on="left_code")
        .join(right.filter(~any_right), on=["right", "right_code"]),
        pairs.join(open_left, on="left").join(right, on="right"),
        pairs.join(open_right, on="right").join(plain, on="left"),
    )
    return pl.concat([way.select(left="left_twig", right="right_twig") for way in ways])


def _admitted(
    label: str, hierarchy: Hierarchy | None, place: dict[str, int], numbers: list[tuple[float, int]]
) -> Iterable[int]:
    """The codes of the known values that a shown cell admits."""
    if label in place:
        return (place[label],)
    if hierarchy is not None and (name := hierarchy.find(label)):
        values: Iterable[str] = (hierarchy.values[member] for member in hierarchy.members[name])
    else:
        cell = read_cell(label)
        if isinstance(cell, Between):
            return (code for value, code in numbers if cell.low <= value <= cell.high)
        values = values_in(cell)
    return (place[text] for value in values if (text := _canonical(value)) in place)


def _canonical(value: str) -> str:
    """A number is the same however it is written: `17.0` is `17`."""
    as_number = number(value)
    return value if as_number is None else number_text(as_number)
