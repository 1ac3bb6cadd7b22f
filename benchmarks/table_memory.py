"""How much memory one method takes at its peak, by the kernel's count of resident pages; each in a process of its own.

`tracemalloc` would see what numpy allocates, but not what compiled loops do, and would slow everything else down.
"""

import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from typing import Any

import numpy as np
from peak_memory import peak, settled

import kspan as ks
from kspan.anonymize.crowds import Recoding
from kspan.anonymize.kactus.kactus import kactus
from kspan.data.table import Table
from kspan.model.partition import Partition
from kspan.tables.inner_tree import inner_tree
from kspan.tables.methods import methods

SEVEN = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex")
"""Public attributes of the large table; the paper has seven too, but does not name them."""
TARGET = "income"
K = 150

WARM_ROWS = 100_000
"""So many rows are anonymized first: more than two bytes can count, so that the same loops are compiled and loaded."""

GIVE_BACK = "MALLOC_MMAP_THRESHOLD_"
"""Of the GNU C library: arrays of so many bytes are maps of their own, and go back when they are freed."""


@dataclass(frozen=True)
class Peak:
    """Bytes at the peak beyond those at the start, bytes of the coded table and of what was made."""

    peak: int
    coded: int
    output: int
    resident: int = 0
    """The peak if the C library keeps what it likes of freed memory."""

    @property
    def ratio(self) -> float:
        """The peak over what is allowed: the coded table four times, and the output."""
        return self.peak / (4 * self.coded + self.output)

    def __str__(self) -> str:
        """All of it in megabytes."""
        sizes = {"peak": self.peak, "of the process": self.resident, "coded": self.coded, "output": self.output}
        return ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in sizes.items())


@dataclass(frozen=True)
class Case:
    """A method with its options, and what is required besides k."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    besides: str = ""


GROWING, PRUNING = "growing the tree of kactus", "kactus, phase 2"
"""The two phases apart."""
CASES = {
    GROWING: Case(GROWING),
    PRUNING: Case(PRUNING),
    "kactus": Case("kactus"),
    "mondrian": Case("mondrian"),
    "mondrian, relaxed": Case("mondrian", {"relaxed": True}),
    "mondrian, l-diverse": Case("mondrian", besides=", entropy_l=1.5"),
    "tds": Case("tds"),
    "tdr": Case("tdr"),
    "incognito": Case("incognito"),
    "incognito, withholding": Case("incognito", {"withhold": 1.0}),
    "datafly": Case("datafly"),
    "one-dim": Case("one-dim"),
    "one-dim, l-diverse (buckets)": Case("one-dim", besides=", distinct_l=2"),
    "one-dim, t-close (uniting)": Case("one-dim", besides=", t=0.2"),
    "k-optimize, 10 seconds": Case("k-optimize", {"seconds": 10.0}),
}


def policy(besides: str = "", k: int = K) -> ks.Policy:
    """The seven attributes public, in the shipped hierarchies where they have one; income is private and the target."""
    hierarchies = {name: one for name, one in ks.datasets.adult_policy().hierarchies.items() if name in SEVEN}
    return ks.Policy(public=SEVEN, target=TARGET, require=f"k={k}{besides}", hierarchies=hierarchies)


def measured(table: Table, case: Case) -> Peak:
    """What a case takes with a table, in processes of their own that have done nothing before but the same on few rows.

    The first one gives every array back to the system as soon as it is freed, so that its peak is what the method
    holds; the other leaves it to the C library how much of the freed memory it keeps, as people will.
    """
    held = _in_new_process(table, case, {GIVE_BACK: "65536"})
    return replace(held, resident=_in_new_process(table, case, {}).peak)


def _in_new_process(table: Table, case: Case, environment: Mapping[str, str]) -> Peak:
    os.environ.update(environment)
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            return pool.submit(_measure, table, case).result()
    finally:
        for name in environment:
            del os.environ[name]


def _measure(table: Table, case: Case) -> Peak:
    asked = policy(case.besides)
    work = _work(case)
    work(table.at(np.arange(min(table.rows, WARM_ROWS))), asked)()
    run = work(table, asked)
    start = settled()
    made = run()
    coded = sum(column.codes.nbytes for column in table.columns.values())
    return Peak(peak() - start, coded, _size(made))


def _work(case: Case) -> Callable[[Table, ks.Policy], Callable[[], object]]:
    """What is to be measured, made ready for a table."""

    def ready(table: Table, asked: ks.Policy) -> Callable[[], object]:
        rng = np.random.default_rng(0)
        if case.method == GROWING:
            return lambda: inner_tree(table, asked, "c45", K)
        if case.method == PRUNING:
            tree = inner_tree(table, asked, "c45", K)
            return lambda: kactus(table, asked, tree, rng=rng, blank=True)
        return lambda: methods()[case.method](table, asked, rng=rng, **case.options)

    return ready


def _size(made: object) -> int:
    """The bytes of what a method made: the group of each row, and the cells of each group; a tree counts as nothing."""
    return _partition_size(made.partition) if isinstance(made, Recoding) else 0


def _partition_size(partition: Partition) -> int:
    cells = partition.shown.values()
    texts = sum(sys.getsizeof(value) + 8 for each in cells for value in each.column.values)
    return partition.group.nbytes + sum(each.code.nbytes + each.column.codes.nbytes for each in cells) + texts
