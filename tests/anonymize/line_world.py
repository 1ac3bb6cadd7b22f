"""Small random tables for the methods that need an order, and what any table they make must satisfy, spelled out."""

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

import kspan as ks
from kspan.anonymize.crowds import Recoding
from kspan.data.cells import Anything, Between, read_cell, values_in
from kspan.data.encode import encode
from kspan.data.table import MISSING_LABEL, Table
from kspan.model.partition import WITHHELD
from laws import naive

JOBS = ks.Hierarchy.of(
    [
        ("nurse", "health", "work"),
        ("clerk", "office", "work"),
        ("doctor", "health", "work"),
        ("boss", "office", "work"),
        ("none", "none", "none"),
    ]
)
PUBLIC = ["age", "job", "zip"]
PEOPLE = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from([17, 20, 21, 40, 90, None]),
            "job": st.sampled_from(["nurse", "doctor", "clerk", "boss", None]),
            "zip": st.sampled_from(["a", "b", "c|d"]),
            "illness": st.sampled_from(["flu", "flu", "ulcer", "fear", None]),
            "people": st.integers(1, 3),
        }
    ),
    min_size=1,
    max_size=12,
)
REQUIRES = st.one_of(
    st.integers(1, 5).map(lambda k: {"k": k}),
    st.tuples(st.integers(1, 3), st.integers(1, 3)).map(lambda kl: {"k": kl[0], "distinct_l": kl[1]}),
    st.tuples(st.integers(1, 3), st.sampled_from([1.5, 2.0, 3.0])).map(lambda kl: {"k": kl[0], "entropy_l": kl[1]}),
    st.tuples(st.integers(1, 3), st.sampled_from([0.5, 0.75])).map(lambda kc: {"k": kc[0], "confidence": kc[1]}),
    st.tuples(st.sampled_from([1.0, 2.0]), st.integers(1, 3)).map(lambda cl: {"recursive_cl": list(cl)}),
    st.tuples(st.integers(1, 3), st.sampled_from([0.5, 2.0])).map(lambda kb: {"k": kb[0], "basic_beta": kb[1]}),
)


def policy(require: dict[str, Any] | str, *, weighted: bool = False, **says: Any) -> ks.Policy:
    weights = {"weight": "people"} if weighted else {"identifier": ["people"], "person": False}
    hierarchies = {"job": JOBS}
    return ks.Policy(
        public=PUBLIC,
        private=["illness"],
        target="illness",
        require=require,
        hierarchies=hierarchies,
        **weights,
        **says,
    )


def framed(people: list[dict[str, Any]]) -> pl.DataFrame:
    kinds = {"age": pl.Int64, "job": pl.String, "zip": pl.String, "illness": pl.String, "people": pl.Int64}
    return pl.DataFrame(people, schema=kinds)


def coded(people: list[dict[str, Any]], rules: ks.Policy) -> Table:
    return encode(framed(people), rules)


def counted(row: dict[str, Any], rules: ks.Policy) -> int:
    return int(row["people"]) if rules.weight else 1


def shown_rows(recoding: Recoding) -> list[tuple[str, ...] | None]:
    """What every row shows, or None if it is withheld."""
    partition = recoding.partition
    cells = [tuple(partition.cells(group).values()) for group in range(partition.number)]
    return [None if group == WITHHELD else cells[group] for group in partition.group]


def groups_of(people: list[dict[str, Any]], shown: list[Any], rules: ks.Policy) -> list[list[Any]]:
    """The private values of the people who show the same, group by group."""
    crowds: dict[Any, list[Any]] = {}
    for row, cells in zip(people, shown, strict=True):
        if cells is not None:
            crowds.setdefault(cells, []).extend([row["illness"]] * counted(row, rules))
    return list(crowds.values())


def all_hold(groups: list[list[Any]], require: dict[str, Any]) -> bool:
    return all(all(naive.holds(key, value, groups, distance=naive.equal_distance())) for key, value in require.items())


def admits(cell: str, value: Any, name: str) -> bool:
    """Does a shown cell admit a value?"""
    if cell == "*":
        return True
    if value is None:
        return cell == MISSING_LABEL
    if name == "job" and cell in JOBS.members:
        return JOBS.values.index(value) in JOBS.members[cell]
    match read_cell(cell):
        case Anything():
            return True
        case Between(low, high):
            return bool(low <= value <= high)
        case other:
            return str(value) in values_in(other)


def check_release(people: list[dict[str, Any]], rules: ks.Policy, require: dict[str, Any], recoding: Recoding) -> None:
    """The groups that an attacker sees hold, cells are true, groups are numbered without gaps and in order."""
    partition, shown = recoding.partition, shown_rows(recoding)
    assert len(partition.group) == len(people)
    assert set(partition.group.tolist()) - {WITHHELD} == set(range(partition.number))
    assert partition.number > 0
    for row, cells in zip(people, shown, strict=True):
        assert cells is None or all(admits(cell, row[name], name) for name, cell in zip(PUBLIC, cells, strict=True))
    assert all_hold(groups_of(people, shown, rules), require)


def same_for_any_order(first: Recoding, second: Recoding) -> bool:
    return Counter(shown_rows(first)) == Counter(shown_rows(second))


def released_frame(frame: pl.DataFrame, recoding: Recoding, rules: ks.Policy) -> pl.DataFrame:
    """The table as it would be written."""
    partition = recoding.partition
    kept = np.flatnonzero(partition.group != WITHHELD)
    out = frame[kept]
    for name, shown in partition.shown.items():
        labels = np.array([shown.label(group) for group in range(partition.number)], object)
        out = out.with_columns(pl.Series(name, labels[partition.group[kept]], dtype=pl.String))
    return out.with_columns(pl.col(rules.public).replace(MISSING_LABEL, None))
