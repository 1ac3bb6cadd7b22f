"""Twelve releases: who comes and goes, and what the results that are kept must show."""

from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from experiments.data_sets import HOME
from experiments.experiment import read_rows
from experiments.months import PERSON, WAYS, Way, _adult, _made, _policy, _released, register
from experiments.months_told import LEDGER, RAW
from kspan.audit.seen import ABSENT

RESULTS = read_rows(HOME / "experiments" / "results" / "months.csv")
BY_LEDGER = pl.col("way").str.contains(LEDGER)


def test_people_come_and_go_and_nobody_comes_back() -> None:
    every, _ = _adult()
    months = [set(there[PERSON]) for there in register(every.head(1000), 4, 0)]
    assert [len(there) for there in months] == [600, 606, 612, 618]
    for before, after in pairwise(months):
        assert (len(before - after), len(after - before)) == (12, 18)
    gone: set[str] = set()
    for before, after in pairwise(months):
        gone |= before - after
        assert not gone & after
    assert months == [set(there[PERSON]) for there in register(every.head(1000), 4, 0)]
    assert months != [set(there[PERSON]) for there in register(every.head(1000), 4, 1)]


def test_groups_that_are_made_at_one_go_do_not_overlap() -> None:
    """So without a ledger it is the same to know the group of everybody, or all groups that everybody matches."""
    every, _ = _adult()
    policy, people = _policy("k=10"), every.head(1500)
    made = _made(Way("mondrian", ledger=False), people, policy)
    seen = ks.audit(made.release, made.shown, policy).seen
    assert seen is not None
    groups = ks.audit(made.release, policy).groups
    assert len(set(seen.span.tolist()) - {ABSENT}) == groups


@pytest.mark.parametrize("name", [name for name in WAYS if name != RAW and not name.startswith("kadet-c45")])
def test_two_months_hold_together_with_a_ledger_and_not_without(name: str, tmp_path: Path) -> None:
    every, _ = _adult()
    months = list(register(every.head(1500), 2, 0))
    *_, (_, joint, _) = _released(WAYS[name], months, _policy("k=10"), tmp_path)
    assert joint is not None
    assert joint.releases == 2
    assert (joint.holds, joint.failing_people == 0) == (WAYS[name].ledger,) * 2


def test_the_results_keep_the_promise_with_a_ledger_and_break_it_without() -> None:
    beside = RESULTS.filter(BY_LEDGER)
    assert beside.height == len([name for name in WAYS if LEDGER in name]) * RESULTS.filter(way=RAW).height
    assert (beside["failing"].max(), beside["k"].min()) == (0, 10)
    without = RESULTS.filter(~BY_LEDGER & (pl.col("way") != RAW))
    assert without.filter(pl.col("month") == 1)["failing"].max() == 0
    later = without.filter((pl.col("month") > 1) & pl.col("way").is_in(["mondrian", "kadet"]))
    assert int(later["failing"].min()) > 0  # type: ignore[arg-type]
