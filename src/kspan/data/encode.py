"""From frames to coded tables: the only module that sees raw cells."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.data.ages import with_ages
from kspan.data.alike import spellings
from kspan.data.arrays import Codes, Floats, Int64s
from kspan.data.cells import NOT_A_NUMBER, SUPPRESSED
from kspan.data.cover import check_domain, check_names, with_hierarchy
from kspan.data.domain import Domain
from kspan.data.hierarchy import Hierarchy
from kspan.data.kinds.kind import Kind
from kspan.data.kinds.numbers import NUMBERS, as_text, parsed
from kspan.data.kinds.registry import kind_of, plain
from kspan.data.kinds.words import WORDS
from kspan.data.levels import Dates, Ordered, Prefixes
from kspan.data.meaning import with_one_spelling
from kspan.data.persons import check_one_row_each, check_says_whose, persons_of
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.errors import DataError, PolicyError, listed
from kspan.limits import LARGEST_NUMBER

MOST_PEOPLE = 1 << 62
"""Counts of people are 64-bit integers."""


def encode(
    frame: pl.DataFrame,
    schema: Schema,
    names: Sequence[str] | None = None,
    *,
    by_person: bool = False,
    released: bool = False,
    like: Table | None = None,
) -> Table:
    """Code the public and private columns of a frame (or the named ones); rows keep their order.

    Whoever counts people, not rows, asks for the table `by_person`; otherwise a table in which people have several rows
    is refused. A `released` table may show names of hierarchies that are made by recipes: what the public ones stand
    for is told by the people behind it, if they are given (`like`).
    """
    frame = with_ages(frame, schema.ages, schema.missing)
    if schema.sets:
        raise PolicyError(
            f"{listed(schema.sets)} holds sets of codes, and no model takes sets: make a row of each code, with the "
            "person it belongs to, or leave the column out"
        )
    if names is None:
        schema.check_columns(frame.columns)
        names = (*schema.public, *schema.private)
    if frame.height == 0:
        raise DataError("the table has no rows: there is nobody to protect or to audit")
    if not by_person:
        check_one_row_each(frame, schema)
    with ThreadPoolExecutor(min(len(names), os.cpu_count() or 1) or 1) as threads:
        columns = list(threads.map(lambda name: _encoded(frame[name], schema, released, like), names))
    weights = None if schema.weight is None else weights_of(frame[schema.weight])
    persons = persons_of(frame, schema) if by_person else None
    return Table({column.name: column for column in columns}, frame.height, weights, persons)


def encode_people(frame: pl.DataFrame, schema: Schema, names: Sequence[str] | None = None) -> Table:
    """Code the people behind a model, for whoever counts people: the table must say whose row each is."""
    check_says_whose(frame, schema)
    return encode(frame, schema, names, by_person=True)


def _encoded(series: pl.Series, schema: Schema, released: bool, like: Table | None) -> Column:
    """Code one column; where a recipe made names for other people, these are the names that it has."""
    known = None if like is None or series.name not in schema.public else like[series.name].hierarchy
    if known is None or isinstance(schema.hierarchies.get(series.name), Hierarchy):
        return encode_column(series, schema, released=released)
    # Without the recipe: the names of these people need not cover a table that others are in as well.
    return replace(encode_column(series, schema, released=released, bare=True), hierarchy=known)


def encode_column(series: pl.Series, schema: Schema, *, released: bool = False, bare: bool = False) -> Column:
    """Code one column of a frame, and check it against its declared domain and, unless it is `bare`, its hierarchy."""
    domain, hierarchy = schema.domains.get(series.name), schema.hierarchies.get(series.name)
    if domain is None and isinstance(hierarchy, Prefixes):
        domain = Domain(WORDS)  # what has prefixes is a code, even if it is written in digits
    kind = _kind(series, schema)
    order = kind.order(series)
    series = kind.plain(series)
    if domain is not None and not domain.kind.is_measured:
        series = as_text(series) if domain.values else _without_fraction(as_text(series))
    text = series.dtype == pl.String
    column = _words(series, schema, domain, kind, order) if text else _numbers(series, domain, kind)
    check_domain(column, schema.range_pattern, hierarchy)
    if hierarchy is not None and not bare:
        column = with_hierarchy(column, hierarchy, schema.range_pattern, released=released)
        check_names(column, schema.suppressed_text)
    return with_one_spelling(column, schema.range_pattern)


def _kind(series: pl.Series, schema: Schema) -> Kind:
    """The kind of a column: as declared or, unless something else is declared, as its cells tell."""
    domain, hierarchy = schema.domains.get(series.name), schema.hierarchies.get(series.name)
    if series.name == schema.target or (domain is not None and not domain.kind.has_own_spelling):
        return kind_of(series, spelled=False)
    if domain is None:
        # A file of a hierarchy, and most recipes, are about words.
        return kind_of(series, spelled=hierarchy is None or isinstance(hierarchy, Dates))
    said = domain.kind
    if series.dtype == pl.String:
        reads = any(said.read(cell) for cell in series.unique().drop_nulls())
        return said if reads else kind_of(series, spelled=False)
    found = kind_of(series)
    if found.has_own_spelling and found != said:
        raise DataError(
            f"column {series.name!r} holds {found}, and the policy declares {said}: correct the domain in the policy"
        )
    return found


def _without_fraction(series: pl.Series) -> pl.Series:
    """Codes that a file writes as floats (`1.0`, `2.0`, all of them) as other files write them (`1`, `2`)."""
    labels = series.unique().drop_nulls()
    floats = labels.str.contains(r"^-?(0|[1-9]\d*)\.0$")
    if not floats.any() or not (floats | labels.is_in([*NOT_A_NUMBER, SUPPRESSED])).all():
        return series
    return series.str.strip_suffix(".0")


def _numbers(series: pl.Series, domain: Domain | None, kind: Kind) -> Column:
    has_missing = series.null_count() > 0
    # UInt64 may not fit into the Int64 offsets from the lowest number, and a column of nulls has no lowest number.
    if series.dtype.is_integer() and series.dtype != pl.UInt64 and series.null_count() < len(series):
        values, codes = _ranked_integers(series, has_missing)
    else:
        values, codes = _ranked(series)
    codes = _smallest(codes, len(values) + has_missing)
    return Column(series.name, kind, codes, values, has_missing=has_missing, domain=domain)


def _ranked(series: pl.Series) -> tuple[NDArray[Any], NDArray[Any]]:
    """The sorted values, and the place of every cell among them; null cells come after them."""
    values = series.unique().drop_nulls().sort().to_numpy()
    return values, (series.rank("dense") - 1).fill_null(len(values)).to_numpy()


def _ranked_integers(series: pl.Series, has_missing: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same through a table of all numbers in the range, unless the range is too wide for that."""
    low, high = int(series.min()), int(series.max())  # type: ignore[arg-type]
    span = high - low + 1
    if span > max(1 << 16, 8 * len(series)):
        return _ranked(series)
    offsets = (series.cast(pl.Int64) - low).fill_null(span).to_numpy()
    seen = np.zeros(span + 1, bool)
    seen[offsets] = True
    values = np.flatnonzero(seen[:span]) + low
    ranks = np.cumsum(seen[:span]) - 1
    places = np.append(ranks, len(values)).astype(_code_type(len(values) + has_missing))
    return values, places[offsets]


def _words(series: pl.Series, schema: Schema, domain: Domain | None, kind: Kind, order: tuple[str, ...]) -> Column:
    labels = series.unique().drop_nulls().sort()
    codes = _label_codes(series, labels)
    gone = set(schema.missing)
    stars = {SUPPRESSED, schema.suppressed_text} - gone  # what the policy calls missing is not suppressed
    has_missing = series.null_count() > 0
    # Private columns only: public values that look alike stay different, since an attacker may tell them apart.
    if series.name in schema.private and (found := spellings(labels, _known(series.name, schema))) is not None:
        labels, places = found
        codes = places[codes]
        has_missing |= bool((places[:-1] == len(labels)).any())  # labels that show nothing
    ordinary = labels.filter(~labels.is_in([*gone, *stars]))
    numbers = None if domain is not None and not domain.kind.is_measured else parsed(ordinary)
    if numbers is None:
        kind, kept = _kind_of_text(kind, domain), _in_order(ordinary, domain, order)
        values: NDArray[Any] = kept.to_numpy().astype(object)
        place = dict(zip(kept.to_list(), range(len(kept)), strict=True))
    else:
        kind, values = kind.measure, numbers.drop_nulls().unique().sort().to_numpy()
        # The 0 of a sign such as `?` does not matter: such labels count as missing below.
        ranks = np.searchsorted(values, numbers.fill_null(0).to_numpy())
        place = {label: int(rank) for label, rank in zip(ordinary.to_list(), ranks, strict=True)}
        gone |= {label for label, is_null in zip(ordinary.to_list(), numbers.is_null(), strict=True) if is_null}
    has_suppressed = any(star in labels for star in stars)
    has_missing |= any(label in gone for label in labels)
    size = len(values) + has_suppressed + has_missing
    translate = [
        size - 1 if label in gone else len(values) if label in stars else place[label] for label in labels.to_list()
    ]
    table = np.array([*translate, size - 1], _code_type(size))  # null cells point to the last entry
    return Column(series.name, kind, _smallest(table[codes], size), values, has_suppressed, has_missing, domain)


def _known(name: str, schema: Schema) -> Iterator[str]:
    """The spellings that the policy itself uses for cells of a column."""
    yield from (*schema.missing, SUPPRESSED, schema.suppressed_text)
    domain, hierarchy = schema.domains.get(name), schema.hierarchies.get(name)
    yield from () if domain is None or domain.values is None else domain.values
    if isinstance(hierarchy, Hierarchy):
        yield from hierarchy.members
    elif isinstance(hierarchy, Ordered):
        yield from hierarchy.order


def _label_codes(series: pl.Series, labels: pl.Series) -> NDArray[Any]:
    """The place of every cell among the sorted labels; null cells come after them."""
    if len(labels) > len(series) // 8:
        codes = series.rank("dense") - 1
    else:
        codes = series.cast(pl.Enum(labels)).to_physical().cast(pl.UInt32)
    return codes.fill_null(len(labels)).to_numpy()


def _kind_of_text(kind: Kind, domain: Domain | None) -> Kind:
    """The kind of a column of which some cells are no exact numbers: words, or ranges where numbers are declared."""
    if kind.has_own_spelling:
        return kind
    if domain is not None and domain.kind.is_measured:
        return NUMBERS
    return WORDS if kind.is_measured else kind


def _in_order(labels: pl.Series, domain: Domain | None, order: tuple[str, ...]) -> pl.Series:
    """The labels as the domain lists them, else in the order of the column's own categories, else by the alphabet."""
    if domain is not None and domain.values is not None:
        order = domain.values
    if not order:
        return labels
    listed_first = {value: place for place, value in enumerate(order)}
    ranked = sorted(labels, key=lambda label: (listed_first.get(label, len(listed_first)), label))
    return pl.Series(labels.name, ranked, dtype=pl.String)


def weights_of(series: pl.Series) -> Int64s:
    """The weights of rows: how many people each stands for."""
    series = plain(series)
    numbers = series.cast(pl.Int64, strict=False)
    wrong = numbers.is_null() | (numbers < 1)
    if series.dtype != pl.String:
        wrong |= series.cast(pl.Float64) != numbers.cast(pl.Float64)
    if wrong.fill_null(True).any():
        raise DataError(
            f"the weight {series.name!r} is no count of people in {wrong.fill_null(True).sum()} rows: "
            "give whole numbers from 1 on; for the weights of a sample there is sampling_weight"
        )
    if numbers.cast(pl.Float64).sum() > MOST_PEOPLE:
        raise too_many(series.name)
    return numbers.to_numpy()


def too_many(weight: str) -> DataError:
    """Say that there are more people than can be counted."""
    return DataError(f"the weight {weight!r} adds up to more than {MOST_PEOPLE:,} people: that cannot be counted")


def sampling_weights(series: pl.Series) -> Floats:
    """The sampling weights of rows: how many people of a population each stands for, with fractions."""
    cells = plain(series)
    numbers = (
        cells.str.strip_chars().cast(pl.Float64, strict=False) if cells.dtype == pl.String else cells.cast(pl.Float64)
    )
    wrong = numbers.is_null() | ~numbers.is_finite() | (numbers < 0) | (numbers > LARGEST_NUMBER)
    if wrong.fill_null(True).any():
        raise DataError(
            f"the sampling weight {series.name!r} is no number from 0 on in {wrong.fill_null(True).sum()} rows: mend "
            "these, or leave them out"
        )
    return numbers.to_numpy()


def _code_type(size: int) -> type[np.unsignedinteger[Any]]:
    return next(kind for kind in (np.uint8, np.uint16, np.uint32) if size <= np.iinfo(kind).max + 1)


def _smallest(codes: NDArray[Any], size: int) -> Codes:
    return np.ascontiguousarray(codes, dtype=_code_type(size))
