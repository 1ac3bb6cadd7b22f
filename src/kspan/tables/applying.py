"""New rows as a release of their own: shown as an earlier release shows such people, true, and judged.

A row finds its place as in `kspan.anonymize.newcomers`. That is enough to learn from, but a release must be true: a
cell that does not admit what a person has is replaced by the narrowest one that does, where every value has one cell
everywhere, and else by `*`. Then the rows are judged by themselves, and as one table with earlier releases.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from kspan.anonymize.cells import shown
from kspan.anonymize.crowds import Recoding
from kspan.anonymize.frame import labels_of, recoded
from kspan.anonymize.newcomers import Placed, placed, placed_by_nearest
from kspan.anonymize.ways import ABSENT, Way, Ways
from kspan.audit.audit import audit
from kspan.audit.findings import Audit
from kspan.data.admitted import admitted
from kspan.data.arrays import Bools, Int64s
from kspan.data.cells import SUPPRESSED, Between, number
from kspan.data.encode import encode
from kspan.data.meaning import meanings
from kspan.data.prepared import prepared
from kspan.data.table import Column, Table
from kspan.errors import DataError, DoesNotHold, KspanError, PolicyError, listed
from kspan.frames.files import load
from kspan.frames.native import of_its_kind
from kspan.frames.rows import FORM, rows_checksum, spelled
from kspan.ledger.ledger import current_ledger
from kspan.model.partition import WITHHELD, Partition
from kspan.policy import Policy
from kspan.policy.free_text import check_no_free_text
from kspan.policy.private_numbers import PrivateNumbers
from kspan.secret import Secret
from kspan.tables.private_numbers import PrivateNumbersShown
from kspan.tables.release import TableRelease, rows_behind
from kspan.utility.loss import penalties

METHOD = "applied"


@dataclass(frozen=True)
class Asked:
    """How new rows are to be released."""

    beside: Sequence[Any] = ()
    """Earlier releases, with which they must hold as one table."""
    withhold: bool = False
    """Leave out rows that break the requirement, instead of refusing all?"""
    secret: str | Secret | None = None
    keep_order: bool = False
    progress: Callable[[str], None] = lambda step: None


def applied(
    data: Any,
    policy: Policy,
    ways: Ways,
    numbers: Mapping[str, PrivateNumbers],
    origin: Mapping[str, Any],
    asked: Asked,
) -> TableRelease:
    """Return the release of new rows by the ways of an earlier one; refuse it if it does not hold."""
    secret = Secret.of(asked.secret)
    people, before = prepared(load(data), policy)
    asked.progress("coding the columns")
    beside_ledger = current_ledger(before) is not None
    shown = PrivateNumbersShown.of(people, before, secret, beside_ledger=beside_ledger, kept=numbers)
    people, policy = shown.people, before.as_shown()
    table, of_rows = _coded(people, policy, asked)
    earlier = [load(each) for each in asked.beside]
    asked.progress("finding the place of each row")
    # Where groups admit something else than they show, a value does not tell its cell.
    by_value = ways.by_value and ways.group_of_region is None
    places = (placed if by_value else placed_by_nearest)(people, ways, policy)
    pairs = zip(places, ways.attributes.values(), strict=True)
    cells = {way.name: _true_cells(place, way, by_value=by_value) for place, way in pairs}
    asked.progress("judging them")
    partition = _Judging(people, table, of_rows, ways, cells, earlier).partition(withhold=asked.withhold)
    frame = recoded(people, of_rows, partition, None if asked.keep_order else secret)
    facts: dict[str, Any] = {"applied from": dict(origin)}
    if earlier:
        facts["applied from"] |= {"judged with": [rows_checksum(each) for each in earlier], "sha256_of": FORM}
    recoding = Recoding(partition, facts)
    found = audit(frame, rows_behind(people, table, recoding, of_rows), of_rows)
    return TableRelease(
        of_its_kind(data, frame), of_rows, METHOD, {}, facts, found, partition.withheld, asked.keep_order, secret.text,
        people, table, recoding, before, numbers=shown,
    )  # fmt: skip


def _coded(people: pl.DataFrame, policy: Policy, asked: Asked) -> tuple[Table, Policy]:
    """Return the coded rows, and the policy for them; refuse what cannot be judged, and what no release may hold."""
    if policy.person and policy.person not in people.columns:
        raise DataError(f"the new rows do not say whose they are: add the column {policy.person!r}")
    if policy.person and asked.beside:
        raise PolicyError(
            f"people may have several rows (person = {policy.person!r}), and earlier releases do not say whose theirs "
            "are: leave out --with"
        )
    if policy.counting == "people" and asked.beside:
        raise PolicyError(
            "the policy counts people, and those behind earlier releases are not known: leave out --with, or let the "
            "policy count rows"
        )
    check_no_free_text(people, policy)
    # That a public value is not declared is no reason to refuse a row: no cell will admit it, but `*`.
    private = set(policy.private)
    declared: dict[str, Any] = {
        key: {name: says for name, says in getattr(policy, key).items() if name in private}
        for key in ("hierarchies", "domains")
    }
    table = encode(people, replace(policy, **declared), by_person=True)
    if table.persons is not None:
        raise PolicyError(
            f"{table.rows} new rows are of {table.people} people ({policy.person!r} repeats): a recoding can be "
            "applied to one row a person; anonymize these rows by themselves"
        )
    return table, policy.of_rows()


def _true_cells(place: Placed, way: Way, *, by_value: bool) -> Int64s:
    """The code of the cell that each new row shows: one that admits its value, or `ABSENT` for `*`."""
    new, cells = place.new, place.cells.copy()
    untrue = ~_admits(place, way.region.column)
    cells[untrue] = _narrowest(way.region.column, new)[new.codes[untrue]] if by_value and untrue.any() else ABSENT
    return cells


def _admits(place: Placed, column: Column) -> Bools:
    """Which new rows have a value that the cell of their place admits."""
    new, cell = place.new, place.admitting
    found: Bools = np.zeros(len(cell), bool)
    # Very many numbers may be in very many ranges: each row is compared with its own.
    read = meanings(column).cells if column.hierarchy is None else ()
    ranges = {code: one for code, one in enumerate(read) if isinstance(one, Between)}
    if ranges:
        numbers = np.array([_number(new, code) for code in range(new.size)])
        low, high = np.full((2, column.size), np.nan)
        low[list(ranges)], high[list(ranges)] = zip(*(one.closed(whole=False) for one in ranges.values()), strict=True)
        found = (low[cell] <= numbers[new.codes]) & (numbers[new.codes] <= high[cell])
    others = np.array([code for code in range(column.size) if code not in ranges], np.int64)
    plain = column.values[others[others < len(column.values)]]
    start, values = admitted(replace(column, values=plain), new)
    pairs = np.repeat(others, np.diff(start)) * new.size + values
    found |= np.isin(cell * new.size + new.codes, pairs)
    found[cell == ABSENT] = False
    return found


def _number(column: Column, code: int) -> float:
    value = number(column.label(code)) if code < len(column.values) else None
    return math.nan if value is None else value


def _narrowest(column: Column, new: Column) -> Int64s:
    """The narrowest cell that admits each new value, or `ABSENT`."""
    start, value = admitted(column, new)
    cell = np.repeat(np.arange(column.size), np.diff(start))
    widest_first = np.argsort(-penalties(column)[cell], kind="stable")
    found = np.full(new.size, ABSENT, np.int64)
    found[value[widest_first]] = cell[widest_first]  # the last one stays
    return found


@dataclass(frozen=True)
class _Judging:
    """New rows with the cells that they are to show, and the earlier releases that they join."""

    people: pl.DataFrame
    table: Table
    policy: Policy
    ways: Ways
    cells: Mapping[str, Int64s]
    earlier: Sequence[pl.DataFrame]

    def partition(self, *, withhold: bool) -> Partition:
        """Return the groups of rows that hold; refuse them all if some do not, unless these may be withheld."""
        kept: Bools = np.ones(self.people.height, bool)
        while True:
            partition = _partition(self.cells, self.ways, kept)
            breaking, error = self._breaking(partition)
            if error is None:
                return partition
            if not withhold or not breaking.any():
                raise error
            kept[np.flatnonzero(kept)[breaking]] = False
            if not kept.any():
                raise DoesNotHold(
                    f"all {len(kept)} new rows would be withheld to keep {self.policy.require}: nothing was released; "
                    "wait for more people"
                )

    def _breaking(self, partition: Partition) -> tuple[Bools, KspanError | None]:
        """Return which of the rows that are left break the requirement, and the error that says so."""
        frame = recoded(self.people, self.policy, partition, None)
        found = audit(frame, rows_behind(self.people, self.table, Recoding(partition), self.policy), self.policy)
        if not found.holds:
            return _failing(found), _refusal("the new rows", found, "withhold those (--withhold), or wait for more")
        if not self.earlier:
            return np.zeros(frame.height, bool), None
        found = audit(_united(self.earlier, frame), self.policy)
        new = _failing(found)[-frame.height :]
        if found.holds:
            return new, None
        remedy = "withhold those that are new (--withhold)" if new.any() else "none of those is new: anonymize anew"
        return new, _refusal("the new rows together with the earlier releases", found, remedy)


def _failing(found: Audit) -> Bools:
    failing: Bools = ~found.per_row["holds"].to_numpy()
    return failing


def _refusal(what: str, found: Audit, remedy: str) -> KspanError:
    return DoesNotHold(
        f"{what} break {found.requirement} for {found.failing_people} of {found.people} people: nothing was released; "
        f"{remedy}"
    )


def _partition(cells: Mapping[str, Int64s], ways: Ways, kept: Bools) -> Partition:
    """The groups of rows that show the same; rows that are not kept are withheld."""
    group = np.full(len(kept), WITHHELD, np.int64)
    shown_codes = np.column_stack(list(cells.values()))[kept]
    kinds, group[kept] = np.unique(shown_codes, axis=0, return_inverse=True)
    made = {}
    for name, codes in zip(cells, kinds.T, strict=True):
        way = ways.attributes[name]
        # `ABSENT` is -1, the place of the last cell.
        labels = [*labels_of(way.shown.column), SUPPRESSED]
        made[name] = shown(way.source, codes % len(labels), labels)
    return Partition(group, len(kinds), made)


def _united(earlier: Sequence[pl.DataFrame], frame: pl.DataFrame) -> pl.DataFrame:
    """The earlier releases and the new rows as one table; a column that is not of one type everywhere is text."""
    for each in earlier:
        odd = sorted({*each.columns} ^ {*frame.columns})
        if odd:
            raise DataError(
                f"an earlier release and the new rows do not have the same columns ({listed(odd)}): give the tables "
                "that were released"
            )
    tables = [each.select(frame.columns) for each in (*earlier, frame)]
    mixed = [name for name in frame.columns if len({table.schema[name] for table in tables}) > 1]
    return pl.concat([table.with_columns(_as_text(table, name) for name in mixed) for table in tables])


def _as_text(table: pl.DataFrame, name: str) -> pl.Series:
    column = table[name]
    if column.dtype == pl.String:
        return column
    # A missing cell has a spelling, too, which must not become a value.
    return spelled(table.select(name))[name].set(column.is_null(), None)
