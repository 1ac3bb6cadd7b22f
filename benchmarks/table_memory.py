"""How much memory one method takes at its peak, by the kernel's count of resident pages; each in a process of its own.

`tracemalloc` would see what numpy allocates, but not what compiled loops do, and would slow everything else down.
"""

import ctypes
import gc
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import kspan as ks
from kspan.anonymize.crowds import Recoding, rows_of
from kspan.anonymize.kactus import kactus
from kspan.data.table import Table
from kspan.inner_tree import inner_tree
from kspan.model.partition import Partition
from kspan.tables import methods

SEVEN = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex")
"""Public attributes of the large table; the paper has seven too, but does not name them."""
TARGET = "income"
K = 150

WARM_ROWS = 100_000
"""So many rows are anonymized first: more than two bytes can count, so that the same loops are compiled and loaded."""

STATUS, FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
FORGET_THE_PEAK = "5"


@dataclass(frozen=True)
class Peak:
    """Bytes at the peak beyond those at the start, bytes of the coded table and of what was made, and the time."""

    peak: int
    coded: int
    output: int
    seconds: float

    @property
    def ratio(self) -> float:
        """The peak over what is allowed: the coded table four times, and the output."""
        return self.peak / (4 * self.coded + self.output)

    def __str__(self) -> str:
        """All of it in megabytes."""
        sizes = {"peak": self.peak, "coded table": self.coded, "output": self.output}
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


def measured(table: Table, case: Case, k: int = K) -> Peak:
    """What a case takes with a table, in a process of its own that has done nothing before but the same on few rows."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measure, table, case, k).result()


def possible() -> bool:
    """Does this system count the pages of a process as Linux does?"""
    return FORGET.exists()


def _measure(table: Table, case: Case, k: int) -> Peak:
    asked = policy(case.besides, k)
    work = _work(case)
    work(rows_of(table, np.arange(min(table.rows, WARM_ROWS))), asked)()
    run = work(table, asked)
    start = _settled()
    begin = perf_counter()
    made = run()
    seconds = perf_counter() - begin
    coded = sum(column.codes.nbytes for column in table.columns.values())
    return Peak(_status("VmHWM") - start, coded, _size(made), seconds)


def _work(case: Case) -> Callable[[Table, ks.Policy], Callable[[], object]]:
    """What is to be measured, made ready for a table."""

    def ready(table: Table, asked: ks.Policy) -> Callable[[], object]:
        rng = np.random.default_rng(0)
        if case.method == GROWING:
            return lambda: inner_tree(table, asked, "c45", K)
        if case.method == PRUNING:
            tree = inner_tree(table, asked, "c45", K)
            return lambda: kactus(table, asked, tree, rng=rng)
        return lambda: methods()[case.method](table, asked, rng=rng, **case.options)

    return ready


def _settled() -> int:
    """Give back what was freed, forget the peak so far, and say how many bytes are resident."""
    gc.collect()
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)
    FORGET.write_text(FORGET_THE_PEAK)
    return _status("VmRSS")


def _status(key: str) -> int:
    lines = STATUS.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(key))


def _size(made: object) -> int:
    """The bytes of what a method made: the group of each row, and the cells of each group; a tree counts as nothing."""
    return _partition_size(made.partition) if isinstance(made, Recoding) else 0


def _partition_size(partition: Partition) -> int:
    cells = partition.shown.values()
    texts = sum(sys.getsizeof(value) + 8 for each in cells for value in each.column.values)
    return partition.group.nbytes + sum(each.code.nbytes + each.column.codes.nbytes for each in cells) + texts
