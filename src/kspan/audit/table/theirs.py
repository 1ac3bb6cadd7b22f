"""Are these the people behind a table: are its rows theirs, is everybody in it, and are its private values theirs?"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kspan.audit.table.link import Links
from kspan.data.alike import look
from kspan.data.arrays import Int64s
from kspan.data.table import Column, Table
from kspan.errors import DataError
from kspan.policy.private_numbers import unknown_of_others

if TYPE_CHECKING:
    from kspan.audit.table.spans import TableSpans


def check_theirs(released: Int64s, theirs: Int64s, matched: int) -> None:
    """Refuse rows that cannot be of the people given: `theirs[g]` of their rows fit group g, `matched` fit any."""
    more = int(np.maximum(released - theirs, 0).sum())
    more = max(more, int(released.sum()) - matched)
    if more:
        raise strange(more)


def strange(rows: int) -> DataError:
    """Say that a release has rows of other people."""
    return DataError(
        f"the release has {rows} rows more than these people can have in it, so nobody knows whose they are: "
        "give all rows that it was made from"
    )


def check_all_are_in_it(matched: int, released: int) -> None:
    """Refuse people of whom some must have been withheld: nothing tells who, and others are told apart by that."""
    if matched != released:
        raise DataError(
            f"{matched:,} people match the {released:,} rows of the release, so some of them are not in it, and nobody "
            "knows who: give just the people that are in it"
        )


def bins_of_groups(links: Links, span: Int64s, groups: int) -> tuple[Int64s, Int64s]:
    """Return which bin has which group, in pairs."""
    found = [np.unique(span[kind] * groups + group) for kind, group in links.of(np.arange(len(span)))]
    bin_, group = np.divmod(np.unique(np.concatenate(found)), groups)
    return bin_, group


def check_values(
    spans: "TableSpans", people: Table, bin_: Int64s, of_bin: tuple[Int64s, Int64s], private: Iterable[str]
) -> None:
    """Refuse private values that are not those of the people, where it is known whose rows a group has."""
    alone = (np.bincount(of_bin[0])[of_bin[0]] == 1) & (np.bincount(of_bin[1])[of_bin[1]] == 1)
    bins = np.flatnonzero(np.bincount(of_bin[0][alone], minlength=int(bin_.max()) + 1))
    group_of = np.full(int(bin_.max()) + 1, -1, np.int64)
    group_of[of_bin[0][alone]] = of_bin[1][alone]
    for name in private:
        if name in spans.policy.private_numbers and not spans.policy.private_numbers[name].is_by_value:
            raise unknown_of_others(name)
        shown = pl.DataFrame({"group": spans.partition.group, "value": _labels(spans.table[name])})
        had = pl.DataFrame({"group": group_of[bin_], "value": _labels(people[name])})
        known = pl.Series(group_of[bins])
        counted = [
            each.filter(pl.col("group").is_in(known.implode())).group_by("group", "value").len().sort("group", "value")
            for each in (shown, had)
        ]
        if not counted[0].equals(counted[1]):
            raise DataError(
                f"the values of {name!r} in the release are not those of these people: give the table that it was made "
                "from"
            )


def _labels(column: Column) -> pl.Series:
    return pl.Series([look(column.label(code)) for code in range(column.size)], dtype=pl.String)[column.codes]
