"""Small random tables with hierarchies, numbers, missing values and weights, and the release of a recoding."""

from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

import kspan as ks
from anonymize.full_domain.naive_levels import PATHS, People
from kspan.data.encode import encode
from kspan.data.table import Table
from kspan.model.partition import WITHHELD, Partition
from kspan.privacy.spec import from_table

HIERARCHIES = {name: ks.Hierarchy.of(list(paths.values())) for name, paths in PATHS.items()}
VALUES: dict[str, list[Any]] = {
    "job": [*PATHS["job"], None],
    "age": [*PATHS["age"], None],
    "town": ["x", "y", None],
    "pay": [1, 7],
}
OTHER: list[dict[str, Any]] = [
    {}, {}, {"distinct_l": 2}, {"entropy_l": 1.5}, {"confidence": 0.75}, {"t": 0.3}, {"delta": 1.5}, {"alpha": 0.5},
]  # fmt: skip


@st.composite
def cases(draw: st.DrawFn, most_rows: int = 14) -> tuple[pl.DataFrame, ks.Policy, People]:
    """A frame, a policy, and the same people one by one."""
    public = tuple(draw(st.permutations(list(VALUES)))[: draw(st.integers(1, 3))])
    row = st.fixed_dictionaries(
        {**{name: st.sampled_from(VALUES[name]) for name in public}, "ill": st.sampled_from(["flu", "cough", "flu"])}
    )
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    require = {"k": draw(st.integers(1, 4)), **draw(st.sampled_from(OTHER))}
    kinds: dict[str, Any] = {name: pl.Int64 if name in ("age", "pay") else pl.String for name in (*public, "ill")}
    frame = pl.DataFrame(rows, schema=kinds)
    if weights is not None:
        frame = frame.with_columns(pl.Series("people", weights))
    policy = ks.Policy(
        public=public,
        private=["ill"],
        target="ill",
        weight=None if weights is None else "people",
        require=from_table(require),
        hierarchies={name: HIERARCHIES[name] for name in public if name in HIERARCHIES},
    )
    people = [one for one, times in zip(rows, weights or [1] * len(rows), strict=True) for _ in range(times)]
    return frame, policy, People(people, public, require)


def coded(frame: pl.DataFrame, policy: ks.Policy) -> Table:
    return encode(frame, policy)


def released(frame: pl.DataFrame, policy: ks.Policy, partition: Partition) -> pl.DataFrame:
    """What leaves: the public cells of each row's group, all else as it is, withheld rows left out."""
    kept = partition.group != WITHHELD
    shown = {}
    for name, cells in partition.shown.items():
        codes = cells.code[partition.group[kept]]
        labels = [None if code == cells.column.missing else cells.column.label(int(code)) for code in codes]
        shown[name] = pl.Series(name, labels, dtype=pl.String)
    return frame.filter(pl.Series(kept)).with_columns(**shown).select(frame.columns)


def shown_by_person(frame: pl.DataFrame, policy: ks.Policy, partition: Partition) -> list[tuple[Any, ...]]:
    """The released cells of everybody, with the private value, in an order that tells nothing."""
    table = released(frame, policy, partition)
    people = table["people"].to_list() if "people" in table.columns else [1] * table.height
    rows = table.select(*policy.public, "ill").rows()
    return sorted((row for row, times in zip(rows, people, strict=True) for _ in range(times)), key=repr)


def generator() -> np.random.Generator:
    return np.random.default_rng(0)
