"""From frames to coded tables: the only module that sees raw cells."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.data.alike import spellings
from kspan.data.arrays import Codes, Floats, Int64s
from kspan.data.calendars import Calendar, as_numbers, calendar_of
from kspan.data.cells import NOT_A_NUMBER, SUPPRESSED, number_text
from kspan.data.cover import check_domain, check_names, with_hierarchy
from kspan.data.domain import Domain
from kspan.data.hierarchy import Hierarchy
from kspan.data.levels import Dates, Ordered, Prefixes
from kspan.data.persons import check_one_row_each, check_says_whose, persons_of
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.errors import DataError
from kspan.limits import LARGEST_NUMBER, LEAST_NUMBER

MOST_PEOPLE = 1 << 62
"""Counts of people are 64-bit integers."""

WIDE = tuple(kind for name in ("Int128", "UInt128") if (kind := getattr(pl, name, None)) is not None)
"""Whole numbers that numpy has no type for; they are coded as text."""

INTEGER, DECIMAL = r"^[+-]?(0|[1-9]\d*)$", r"^[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$"


def encode(
    frame: pl.DataFrame, schema: Schema, names: Sequence[str] | None = None, *, by_person: bool = False
) -> Table:
    """Code the public and private columns of a frame (or the named ones); rows keep their order.

    Whoever counts people, not rows, asks for the table `by_person`; otherwise a table in which people have several rows
    is refused.
    """
    if names is None:
        schema.check_columns(frame.columns)
        names = (*schema.public, *schema.private)
    if frame.height == 0:
        raise DataError("the table has no rows: there is nobody to protect or to audit")
    if not by_person:
        check_one_row_each(frame, schema)
    with ThreadPoolExecutor(min(len(names), os.cpu_count() or 1) or 1) as threads:
        columns = list(threads.map(lambda name: encode_column(frame[name], schema), names))
    weights = None if schema.weight is None else _weights(frame[schema.weight])
    persons = persons_of(frame, schema) if by_person else None
    return Table({column.name: column for column in columns}, frame.height, weights, persons)


def encode_people(frame: pl.DataFrame, schema: Schema, names: Sequence[str] | None = None) -> Table:
    """Code the people behind a model, for whoever counts people: the table must say whose row each is."""
    check_says_whose(frame, schema)
    return encode(frame, schema, names, by_person=True)


def encode_column(series: pl.Series, schema: Schema) -> Column:
    """Code one column of a frame, and check it against its declared domain and its hierarchy."""
    domain, hierarchy = schema.domains.get(series.name), schema.hierarchies.get(series.name)
    if domain is None and isinstance(hierarchy, Prefixes):
        domain = Domain("categorical")  # what has prefixes is a code, even if it is written in digits
    order = tuple(series.dtype.categories) if isinstance(series.dtype, pl.Enum) else ()
    calendar = _calendar(series, schema)
    series = _plain(series if calendar is None else as_numbers(series, calendar).alias(series.name))
    if domain is not None and domain.kind == "categorical":
        series = _as_text(series) if domain.values else _without_fraction(_as_text(series))
    column = _words(series, schema, domain, order) if series.dtype == pl.String else _numbers(series, domain)
    column = replace(column, calendar=calendar)
    check_domain(column, schema.range_pattern, hierarchy)
    if hierarchy is None:
        return column
    column = with_hierarchy(column, hierarchy, schema.range_pattern)
    check_names(column, schema.suppressed_text)
    return column


def _calendar(series: pl.Series, schema: Schema) -> Calendar | None:
    """The calendar by which a column is read: as declared or, unless something else is declared, as its cells tell."""
    domain, hierarchy = schema.domains.get(series.name), schema.hierarchies.get(series.name)
    if series.name == schema.target or (domain is not None and domain.calendar is None):
        return None
    if domain is None:
        # A file of a hierarchy, and most recipes, are about words.
        return calendar_of(series) if hierarchy is None or isinstance(hierarchy, Dates) else None
    said = domain.calendar
    if said is None or series.dtype == pl.String:
        return said if said is not None and any(said.read(cell) for cell in series.unique().drop_nulls()) else None
    found = calendar_of(series)
    if found is not None and found != said:
        raise DataError(
            f"column {series.name!r} holds {found}, and the policy declares {said}: correct the domain in the policy"
        )
    return found


def _plain(series: pl.Series) -> pl.Series:
    """The series as text, whole numbers or other numbers."""
    kind = series.dtype
    if kind == pl.String or (kind.is_integer() and kind not in WIDE):
        return series
    if kind.is_float():
        series = series.fill_nan(None)
        return series if _are_reckoned(series).all() else _as_text(series)
    if kind.is_decimal():
        floats = series.cast(pl.Float64)
        # Numbers, unless floats have too few digits to keep all values apart.
        return floats if floats.n_unique() == series.n_unique() else series.cast(pl.String)
    if kind == pl.Duration:
        return series.dt.total_microseconds() / 1e6  # in seconds
    if kind in (*WIDE, pl.Null, pl.Boolean, pl.Date, pl.Datetime, pl.Time, pl.Categorical, pl.Enum):
        return series.cast(pl.String)
    raise DataError(f"column {series.name!r} holds {kind} cells: turn them into text or numbers first")


def _are_reckoned(numbers: pl.Series) -> pl.Series:
    """Which numbers are neither too large nor too small to compute with; null where there is none."""
    sizes = numbers.abs()
    return (sizes == 0) | sizes.is_between(LEAST_NUMBER, LARGEST_NUMBER)


def _as_text(series: pl.Series) -> pl.Series:
    if series.dtype == pl.String:
        return series
    distinct = series.unique().drop_nulls()
    return series.replace_strict(
        distinct, [number_text(value) for value in distinct], return_dtype=pl.String, default=None
    )


def _without_fraction(series: pl.Series) -> pl.Series:
    """Codes that a file writes as floats (`1.0`, `2.0`, all of them) as other files write them (`1`, `2`)."""
    labels = series.unique().drop_nulls()
    floats = labels.str.contains(r"^-?(0|[1-9]\d*)\.0$")
    if not floats.any() or not (floats | labels.is_in([*NOT_A_NUMBER, SUPPRESSED])).all():
        return series
    return series.str.strip_suffix(".0")


def _numbers(series: pl.Series, domain: Domain | None) -> Column:
    has_missing = series.null_count() > 0
    # UInt64 may not fit into the Int64 offsets from the lowest number, and a column of nulls has no lowest number.
    if series.dtype.is_integer() and series.dtype != pl.UInt64 and series.null_count() < len(series):
        values, codes = _ranked_integers(series, has_missing)
    else:
        values, codes = _ranked(series)
    codes = _smallest(codes, len(values) + has_missing)
    return Column(series.name, "numeric", codes, values, has_missing=has_missing, domain=domain)


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


def _words(series: pl.Series, schema: Schema, domain: Domain | None, order: tuple[str, ...]) -> Column:
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
    numbers = None if domain is not None and domain.kind == "categorical" else _parsed(ordinary)
    if numbers is None:
        kind, kept = domain.kind if domain else "categorical", _in_order(ordinary, domain, order)
        values: NDArray[Any] = kept.to_numpy().astype(object)
        place = dict(zip(kept.to_list(), range(len(kept)), strict=True))
    else:
        kind, values = "numeric", numbers.drop_nulls().unique().sort().to_numpy()
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


def _parsed(labels: pl.Series) -> pl.Series | None:
    """The labels as numbers (null for a sign of a missing number), or None if they are words."""
    words = labels.is_in(list(NOT_A_NUMBER))
    if words.all():
        return None
    for pattern, kind in ((INTEGER, pl.Int64), (DECIMAL, pl.Float64)):
        if (labels.str.contains(pattern) | words).all():
            numbers = labels.cast(kind, strict=False)
            finite = numbers.is_not_null() if kind == pl.Int64 else _are_reckoned(numbers).fill_null(False)
            return numbers if (finite | words).all() and _stay_different(labels.filter(~words), numbers) else None
    return None


def _stay_different(labels: pl.Series, numbers: pl.Series) -> bool:
    """Do labels that spell different numbers stay different as numbers? With too many digits they do not."""
    different = numbers.drop_nulls().n_unique()
    return different == len(labels) or different == len({Decimal(label) for label in labels})


def _in_order(labels: pl.Series, domain: Domain | None, order: tuple[str, ...]) -> pl.Series:
    """The labels as the domain lists them, else in the order of the column's own categories, else by the alphabet."""
    if domain is not None and domain.values is not None:
        order = domain.values
    if not order:
        return labels
    listed_first = {value: place for place, value in enumerate(order)}
    ranked = sorted(labels, key=lambda label: (listed_first.get(label, len(listed_first)), label))
    return pl.Series(labels.name, ranked, dtype=pl.String)


def _weights(series: pl.Series) -> Int64s:
    series = _plain(series)
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
        raise DataError(
            f"the weight {series.name!r} adds up to more than {MOST_PEOPLE:,} people: that cannot be counted"
        )
    return numbers.to_numpy()


def sampling_weights(series: pl.Series) -> Floats:
    """The sampling weights of rows: how many people of a population each stands for, with fractions."""
    plain = _plain(series)
    numbers = (
        plain.str.strip_chars().cast(pl.Float64, strict=False) if plain.dtype == pl.String else plain.cast(pl.Float64)
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
