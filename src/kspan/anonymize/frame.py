"""From groups and the cells they show to the table that is released."""

from dataclasses import replace

import numpy as np
import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.cells import SUPPRESSED
from kspan.data.groups import NO_WEIGHTS, group_rows, tally
from kspan.data.table import Column, Table
from kspan.frames.rebuilt import rebuilt
from kspan.frames.rows import spelled
from kspan.model.partition import WITHHELD, Partition
from kspan.policy import Policy
from kspan.secret import Secret

WITHHELD_CELL = "(withheld)"


def recoded(people: pl.DataFrame, policy: Policy, partition: Partition, secret: Secret | None) -> pl.DataFrame:
    """The table to release: rows that are not withheld, with the public cells that their groups show, no identifiers.

    Groups come in the order of their cells, and the rows of a group in one that the secret decides; without a secret
    all rows stay in the order of the source. The memory of the result holds nothing of rows that are withheld.
    """
    rows = np.flatnonzero(partition.group != WITHHELD)
    names = [name for name in people.columns if name not in policy.never_released]
    if secret is not None:
        told = [people[name][rows] for name in names if name not in partition.shown]
        rows = rows[_mixed(pl.DataFrame(told), _place(partition)[partition.group[rows]], secret)]
    columns = [
        shown_cells(partition, name, policy.suppressed_text)[partition.group[rows]]
        if name in partition.shown
        else people[name][rows]
        for name in names
    ]
    return rebuilt(pl.DataFrame([column.alias(name) for name, column in zip(names, columns, strict=True)]))


def _mixed(told: pl.DataFrame, place: Int64s, secret: Secret) -> Int64s:
    """Return the rows by the place of their groups, and those of a group shuffled.

    Before they are shuffled they are sorted by all that is shown of them. So nothing of the source's order remains,
    even for somebody who has the secret, or sees two tables that were shuffled by one.
    """
    cells = pl.DataFrame({str(at): column for at, column in enumerate([pl.Series(place), *spelled(told)])})
    rows = cells.select(pl.arg_sort_by(cells.columns)).to_series().to_numpy().astype(np.int64)
    rows = rows[secret.order(len(rows))]
    return rows[np.argsort(place[rows], kind="stable")]


def shown_cells(partition: Partition, name: str, suppressed_text: str = SUPPRESSED) -> pl.Series:
    """What each group shows of a public attribute, as text; null is a missing cell."""
    shown = partition.shown[name]
    return pl.Series(spelled_of(shown.column, suppressed_text), dtype=pl.String)[shown.code]


def mapped(table: Table, partition: Partition, suppressed_text: str = SUPPRESSED) -> pl.DataFrame:
    """What each public value became, and in how many rows; null is a missing value."""
    return pl.concat([_mapped(table[name], partition, name, suppressed_text) for name in partition.shown])


def _mapped(column: Column, partition: Partition, name: str, suppressed_text: str) -> pl.DataFrame:
    shown = partition.shown[name]
    values, cells = (spelled_of(each, suppressed_text) for each in (column, shown.column))
    cells.append(WITHHELD_CELL)
    # A withheld row has group -1, which picks the last entry: the mark for that.
    became = np.append(shown.code, len(cells) - 1)[partition.group]
    keys = column.codes.astype(np.int64) * len(cells) + became
    pairs, rows, _ = tally(keys, column.size * len(cells), NO_WEIGHTS)
    before, after = np.divmod(pairs, len(cells))
    return pl.DataFrame(
        {
            "attribute": pl.Series([name] * len(pairs), dtype=pl.String),
            "value": pl.Series([values[code] for code in before.tolist()], dtype=pl.String),
            "shown": pl.Series([cells[code] for code in after.tolist()], dtype=pl.String),
            "rows": rows,
        }
    )


def labels_of(column: Column, suppressed_text: str = SUPPRESSED) -> list[str | None]:
    """What a cell with each code shows as text; None is a missing one."""
    labels = [column.label(code) for code in range(column.size)]
    return [
        None if code == column.missing else suppressed_text if label == SUPPRESSED else label
        for code, label in enumerate(labels)
    ]


def spelled_of(column: Column, suppressed_text: str = SUPPRESSED) -> list[str | None]:
    """What a cell with each code shows to people as text; None is a missing one."""
    labels = labels_of(column, suppressed_text)
    return [column.spelled(code) if code < len(column.values) else label for code, label in enumerate(labels)]


def _place(partition: Partition) -> Int64s:
    """The rank of each group by its cells; groups that show the same have the same."""
    columns = [
        replace(shown.column, codes=shown.code.astype(shown.column.codes.dtype)) for shown in partition.shown.values()
    ]
    return group_rows(columns, partition.number)[0]
