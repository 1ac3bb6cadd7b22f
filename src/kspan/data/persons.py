"""People with several rows: whose row each is, and how such people are counted, each of them once.

A person may have several private values. Of a group it is asked how many of its people have a value at all: in any of
their rows there. Where every person must count with one value, it is the commonest in the group of those that the
person has, since that is the best guess of somebody who knows no more than the group.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

import numpy as np
import polars as pl

from kspan.data.alike import look
from kspan.data.arrays import Int64s
from kspan.data.cells import NOT_A_NUMBER, number, number_text
from kspan.data.groups import NO_WEIGHTS, Counts, Groups, counts_of_keys, nobody, tally
from kspan.data.schema import Schema
from kspan.data.table import MISSING_LABEL, Column
from kspan.errors import DataError, PolicyError, listed

_Keys = tuple[Int64s, Int64s]

PLAIN, MAY_BE_ODD = r"^[!-~]+( [!-~]+)*$", r"^(\+|-0|-?\d+[.eE])"
"""Texts that look as they are spelled, and those of them that may spell a number in another way than usual."""
A_NUMBER = r"^\s*[+-]?\d+(\.\d*)?([eE][+-]?\d+)?\s*$"
EXACT = 2.0**53
"""From here on floats skip whole numbers: longer numbers of people are told apart as they are written."""


@dataclass(frozen=True, repr=False)
class PersonCounts(Counts):
    """The people of each group by one private value each, and how many have a value at all."""

    having_any: Counts | None = field(default=None, compare=False)
    """For each group and value, the people who have it in any of their rows: whoever has several counts for each."""

    def people_with(self, name: str) -> Int64s:
        """The number of people in each group who have a value, given by its name, in any row, or may have it."""
        assert self.having_any is not None
        # Whoever has it in several spellings would count several times.
        return np.minimum(self.having_any.people_with(name), self.sizes)

    def united(self, member: Int64s, union: Int64s, number: int) -> "PersonCounts":
        """The counts of `number` unions of groups that have nobody in common."""
        assert self.having_any is not None
        united = super().united(member, union, number)
        having = self.having_any.united(member, union, number)
        return PersonCounts(**{each.name: getattr(united, each.name) for each in fields(Counts)}, having_any=having)


def persons_of(frame: pl.DataFrame, schema: Schema) -> Int64s | None:
    """The person of every row, numbered in the order of their first rows; None if everybody has one row.

    Refused is a table in which the declared identifiers repeat and nothing says whether a row is a person, since each
    row would count as one.
    """
    if schema.person is None:
        check_rows_are_people(frame, schema)
        return None
    if schema.person is False or schema.person not in frame.columns:
        return None
    column = plain_names(frame[schema.person], schema)
    if column.null_count():
        raise DataError(
            f"{column.null_count()} rows do not say whose they are ({schema.person!r} is missing): fill that in, or "
            "leave these rows out"
        )
    number = column.rank("dense").to_numpy().astype(np.int64) - 1
    _, first, person = np.unique(number, return_index=True, return_inverse=True)
    if len(first) == len(person):
        return None
    place = np.empty(len(first), np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[person]


def check_says_whose(frame: pl.DataFrame, schema: Schema) -> None:
    """Refuse a table of people who may have several rows, if it does not say whose row each is."""
    if schema.person and schema.person not in frame.columns:
        raise PolicyError(
            f"people may have several rows, and the table does not say whose they are: add the column "
            f"{schema.person!r}, or take `person` out of the policy if each row is a person"
        )


def check_one_row_each(frame: pl.DataFrame, schema: Schema) -> None:
    """Refuse a table in which people may have several rows, where rows are counted."""
    check_says_whose(frame, schema)
    if (person := persons_of(frame, schema)) is not None:
        raise PolicyError(
            f"{frame.height} rows are of {int(person.max()) + 1} people ({schema.person!r} repeats), and rows are "
            "counted here: give a table with one row a person"
        )


def names_of_people(columns: Iterable[str], schema: Schema) -> list[str]:
    """Return those of some columns that name people: identifiers, but for dates of birth that ages come from."""
    births = {age.born for age in schema.ages.values()}  # many people are born on one day
    there = set(columns)
    return [name for name in schema.identifier if name in there and name not in births]


def check_rows_are_people(frame: pl.DataFrame, schema: Schema, times: pl.Series | None = None) -> None:
    """Refuse a table in which names of people repeat; `times` says how many rows each one stands for, if not one."""
    names = names_of_people(frame.columns, schema)
    if not names:
        return
    each = pl.repeat(1, frame.height, eager=True) if times is None else times
    known = frame.select(plain_names(frame[name], schema) for name in names)
    filled = known.select(pl.all_horizontal(pl.all().is_not_null())).to_series()
    repeated = int(each.filter(filled).sum()) - known.filter(filled).n_unique()
    if repeated:
        raise PolicyError(
            f"{listed(names)} repeats in {repeated} of {each.sum()} rows: if a person has several rows, say so "
            f'(person = "{names[0]}" instead of identifier), so that people are counted; if each row is a person, '
            "say person = false"
        )


def plain_names(names: pl.Series, schema: Schema) -> pl.Series:
    """Names of people as they look: those that look alike, or spell the same number, are one; null shows nothing."""
    if names.dtype.is_integer():
        return names
    if names.dtype.is_nested() or names.dtype == pl.Object:
        raise DataError(f"the column {names.name!r} cannot say who people are, since it holds lists or objects")
    if names.dtype.is_float():
        different = names.unique().drop_nulls()
        names = names.replace_strict(different, list(map(number_text, different)), return_dtype=pl.String, default=None)
    # A cast would cut the fractions of seconds off.
    names = names.dt.to_string("iso") if names.dtype == pl.Time else names.cast(pl.String)
    nothing = ["", "nan", MISSING_LABEL, *schema.missing]
    labels = names.unique().drop_nulls()
    signs = labels.is_in(list(NOT_A_NUMBER))
    if signs.any() and labels.filter(~signs).str.contains(A_NUMBER).all():
        nothing += NOT_A_NUMBER  # as in every column of numbers
    odd = labels.filter(~labels.str.contains(PLAIN) | labels.str.contains(MAY_BE_ODD) | labels.is_in(nothing))
    if not len(odd):  # as a rule, so that names are not gone through one by one
        return names
    seen = [None if look(text) in nothing else _number(look(text)) for text in odd]
    return names.replace_strict(odd, seen, return_dtype=pl.String, default=names)


def _number(text: str) -> str:
    """The text, or the usual spelling of the number that it is."""
    found = number(text)
    return text if found is None or abs(found) >= EXACT else number_text(found)


def rows_of_the_largest(person: Int64s, group: Int64s, number: int) -> Int64s:
    """The number of rows that one person has in each group, at most."""
    space = int(person.max()) + 1
    pairs, rows, _ = tally(group * space + person, number * space, NO_WEIGHTS)
    most = np.zeros(number, np.int64)
    np.maximum.at(most, pairs // space, rows)
    return most


def count_persons(
    columns: Mapping[str, Column], person: Int64s, group: Int64s, number: int, rows: Int64s | None = None
) -> Groups:
    """Count the people and the private values of each of `number` groups, each person once; no group may be empty.

    `person` is that of every row. `group` is that of every row, too, or that of each of some `rows`.
    """
    space, there = int(person.max()) + 1, person if rows is None else person[rows]
    pairs, _, _ = tally(group * space + there, number * space, NO_WEIGHTS)
    counts = {name: values_of_persons(column, person, group, number, rows) for name, column in columns.items()}
    return Groups(np.bincount(pairs // space, minlength=number), counts)


def everybody_by_value(column: Column, person: Int64s) -> Counts:
    """How many people have each value of a column at all, in any row; there are no groups yet."""
    # A value that is counted somewhere is had by somebody, so that no share of everybody is zero there.
    (distinct, people), _ = _by_value(column.codes.astype(np.int64), person, np.zeros_like(person), column.size)
    whole = np.zeros(column.size, np.int64)
    whole[distinct] = people
    return nobody(column, whole)


def values_of_persons(
    column: Column,
    person: Int64s,
    group: Int64s,
    number: int,
    rows: Int64s | None = None,
    like: Counts | None = None,
) -> PersonCounts:
    """Count the people of each group by their values of a column; no group may be empty.

    `person` is that of every row. `group` is that of every row, too, or that of each of some `rows`, of which one may
    be in several groups. `like` is `everybody_by_value`, if that was found before.
    """
    like = everybody_by_value(column, person) if like is None else like
    value, who = (column.codes, person) if rows is None else (column.codes[rows], person[rows])
    found = _by_value(value.astype(np.int64), who, group, column.size)
    having, counted = (counts_of_keys(*keys, number, like) for keys in found)
    return PersonCounts(**{each.name: getattr(counted, each.name) for each in fields(Counts)}, having_any=having)


def _by_value(value: Int64s, person: Int64s, group: Int64s, width: int) -> tuple[_Keys, _Keys]:
    """The keys `group * width + value` with the people who have that value, and with those who are counted for it."""
    space = int(person.max()) + 1
    pairs, _, pair = tally(group * space + person, (int(group.max()) + 1) * space, NO_WEIGHTS, locate=True)
    # Whoever has a value in several rows has it once.
    triples, _, _ = tally(pair * width + value, len(pairs) * width, NO_WEIGHTS)
    of_pair, had = np.divmod(triples, width)
    keys = pairs[of_pair] // space * width + had
    distinct, people, place = tally(keys, (int(group.max()) + 1) * width, NO_WEIGHTS, locate=True)
    # The commonest value of each pair comes first; of equally common ones the lowest.
    order = np.lexsort((had, -people[place], of_pair))
    first = order[np.searchsorted(of_pair[order], np.arange(len(pairs)))]
    chosen, counted, _ = tally(keys[first], (int(group.max()) + 1) * width, NO_WEIGHTS)
    return (distinct, people), (chosen, counted)
