"""How fast the audit of a table is beside pycanon, a group-by of polars, and reading the file: ratios from one run."""

import argparse
import gc
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Literal

import numpy as np
import polars as pl
import pycanon_peer
from adult_scaled import scaled

import kspan as ks
from kspan.data.encode import encode

PUBLIC = ("age", "education", "occupation", "relationship", "sex", "native-country")
FEW = ("race", "sex")
"""Public attributes that leave groups large enough to tell definitions apart that agree on groups of one person."""
PRIVATE = "income"
MEASURES = ("k", "alpha", "distinct_l", "entropy_l", "recursive_cl", "basic_beta", "enhanced_beta", "delta", "t")

TABLES = {"12 of 15 cells drawn": 12, "3 of 15 cells drawn": 3, "exact copies": 0}
"""The scaled tables, by how many cells of a variation are drawn; the first is the paper's."""

Work = Callable[[], object]


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    people: int | None
    """The first rows of Adult, for the comparison with pycanon; None for all."""
    factor: int
    """How many times Adult the large tables are."""
    tables: Sequence[str]
    rounds: int


FULL = Size(people=None, factor=30, tables=tuple(TABLES), rounds=9)
QUICK = Size(people=2_000, factor=10, tables=tuple(TABLES)[:1], rounds=9)


@dataclass(frozen=True)
class Result:
    """One ratio beside its goal; None where it could not be measured."""

    what: str
    ratio: float | None
    wanted: Literal["at least", "at most"]
    goal: float
    context: str

    @property
    def reached(self) -> bool:
        """Is the ratio on the good side of the goal?"""
        if self.ratio is None:
            return False
        return self.ratio >= self.goal if self.wanted == "at least" else self.ratio <= self.goal

    def __str__(self) -> str:
        ratio = "unmeasured" if self.ratio is None else f"{self.ratio:,.{0 if self.ratio > 50 else 2}f}x"
        verdict = "reached" if self.reached else "MISSED"
        return f"{self.what:<58} {ratio:>10}  goal {self.wanted} {self.goal:g}x: {verdict:<7}  ({self.context})"


@dataclass(frozen=True)
class Comparison:
    """What both report of the same table, measure by measure."""

    public: Sequence[str]
    kspan: dict[str, Any]
    pycanon: dict[str, Any]

    def __str__(self) -> str:
        head = f"Adult, private: {PRIVATE}, public: {', '.join(self.public)}\n  {'':<14} {'kspan':>20} {'pycanon':>20}"
        rows = ((name, _shown(self.kspan[name]), _shown(self.pycanon[name])) for name in MEASURES)
        return "\n".join([head, *(f"  {name:<14} {ours:>20} {theirs:>20}" for name, ours, theirs in rows)])


def main() -> int:
    """Measure, print, and say by the exit code if every goal is reached."""
    given = _arguments()
    size = QUICK if given.quick else FULL
    results: list[Result] = []
    comparisons: list[Comparison] = []
    if given.quick and not pycanon_peer.installed():
        say("there is no environment for pycanon yet: a full run makes it, a quick one goes without")
    else:
        results, comparisons = beside_pycanon(size)
    results += beside_polars(size, given.seed)

    for comparison in comparisons:
        print(comparison, end="\n\n")
    print(*results, sep="\n")
    missed = sum(not result.reached for result in results)
    print(f"\n{missed} of {len(results)} goals missed" if missed else f"\nall {len(results)} goals reached")
    if given.json:
        given.json.write_text(_json(size, given.seed, results, comparisons), encoding="utf-8")
    return 1 if missed else 0


def beside_pycanon(size: Size) -> tuple[list[Result], list[Comparison]]:
    """The audit of Adult beside pycanon's report, both of the same rows in a pandas frame."""
    adult = ks.datasets.load_adult()
    adult = adult if size.people is None else adult.head(size.people)
    what = f"pycanon's report / audit, Adult, {adult.height:,} rows"
    say(f"auditing Adult, {adult.height:,} rows")
    first, *later = _audit_seconds(adult, size.rounds)
    try:
        say("pycanon: its environment (made once) and its report (a minute for all of Adult)")
        pycanon_peer.install()
        reports = {public: pycanon_peer.report(_complete(adult, public), public, PRIVATE) for public in (PUBLIC, FEW)}
    except pycanon_peer.Failed as error:
        return [Result(what, None, "at least", 100, f"pycanon did not run: {type(error).__name__}")], []
    ours, theirs = median(later), reports[PUBLIC]["seconds"]
    context = f"{_ms(theirs)}, {_ms(ours)}; first audit of the process {_ms(first)}"
    comparisons = [Comparison(public, _audited(adult, public), report["reached"]) for public, report in reports.items()]
    return [Result(what, theirs / ours, "at least", 100, context)], comparisons


def beside_polars(size: Size, seed: int) -> list[Result]:
    """The audit of large tables beside one group-by of polars, and encoding them beside reading them from disk."""
    people = ks.datasets.load_adult(missing=False).drop("split")
    audits, encodings = [], []
    for title in size.tables:
        say(f"scaling Adult {size.factor} times: {title}")
        frame = scaled(people, size.factor, TABLES[title], rng=np.random.default_rng(seed))
        name = f"{frame.height:,} rows, {title}"
        say("auditing and grouping in turn")
        audits.append(_result(f"audit / group-by, {name}", 3, alternate(*_audit_and_group_by(frame), size.rounds)))
        say("encoding and reading in turn")
        with TemporaryDirectory() as folder:
            work = _encode_and_read(frame, Path(folder) / "adult.csv")
            encodings.append(_result(f"encode / read CSV, {name}", 1.25, alternate(*work, size.rounds)))
    return [*audits, *encodings]


def alternate(ours: Work, theirs: Work, rounds: int) -> list[tuple[float, float]]:
    """Seconds of both, round by round, after one round that does not count; who begins changes with every round."""
    times = []
    for turn in range(1 + rounds):
        if turn % 2:
            begun = seconds(ours)
            times.append((begun, seconds(theirs)))
        else:
            begun = seconds(theirs)
            times.append((seconds(ours), begun))
    return times[1:]


def seconds(work: Work) -> float:
    """How long one call takes, without the time to free what it made."""
    gc.collect()
    begin = perf_counter()
    made = work()
    elapsed = perf_counter() - begin
    del made
    return elapsed


def say(step: str) -> None:
    """Tell on stderr what is going on."""
    print(f"... {step}", file=sys.stderr, flush=True)


def _audit_and_group_by(frame: pl.DataFrame) -> tuple[Work, Work]:
    known = frame.select(*PUBLIC, PRIVATE)
    policy = _policy(PUBLIC)
    return lambda: ks.audit(known, policy), lambda: known.group_by(PUBLIC).len()


def _encode_and_read(frame: pl.DataFrame, path: Path) -> tuple[Work, Work]:
    frame.write_csv(path)
    policy = _policy(tuple(name for name in frame.columns if name != PRIVATE))
    return lambda: encode(frame, policy), lambda: pl.read_csv(path)


def _audit_seconds(adult: pl.DataFrame, rounds: int) -> list[float]:
    """Seconds of every audit of a pandas frame, the first of the process included."""
    frame, policy = _complete(adult, PUBLIC).to_pandas(), _policy(PUBLIC)
    return [seconds(lambda: ks.audit(frame, policy)) for _ in range(1 + rounds)]


def _audited(adult: pl.DataFrame, public: Sequence[str]) -> dict[str, Any]:
    found = ks.audit(_complete(adult, public), _policy(public))
    return {"k": found.k.rows, **found.reached[PRIVATE]}


def _complete(adult: pl.DataFrame, public: Sequence[str]) -> pl.DataFrame:
    """The columns at hand, a missing cell as a value of its own: pycanon fails on some and leaves others out."""
    return adult.select(*public, PRIVATE).fill_null("?")


def _policy(public: Sequence[str]) -> ks.Policy:
    return ks.Policy(public=tuple(public), private=(PRIVATE,), require=ks.KAnonymity(10))


def _result(what: str, goal: float, times: Sequence[tuple[float, float]]) -> Result:
    ratios = [ours / theirs for ours, theirs in times]
    ours, theirs = (median(side) for side in zip(*times, strict=True))
    context = f"rounds {min(ratios):.2f} to {max(ratios):.2f}; {_ms(ours)}, {_ms(theirs)}"
    return Result(what, median(ratios), "at most", goal, context)


def _ms(duration: float) -> str:
    return f"{1e3 * duration:,.0f} ms"


def _shown(value: float | list[float]) -> str:
    if isinstance(value, list):
        return "c={}, l={}".format(*map(_shown, value))
    return f"{value:.10g}"


def _json(size: Size, seed: int, results: Sequence[Result], comparisons: Sequence[Comparison]) -> str:
    """Everything that was measured; what is infinite or not a number is null."""
    facts = {
        "size": asdict(size),
        "seed": seed,
        "cores": os.cpu_count(),
        "versions": {name: version(name) for name in ("kspan", "numba", "numpy", "pandas", "polars")},
        "results": [{**asdict(result), "reached": result.reached} for result in results],
        "comparisons": [asdict(comparison) for comparison in comparisons],
    }
    return json.dumps(_finite(facts), indent=2, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, epilog="The exit code is 1 if a goal is missed.")
    parser.add_argument(
        "--quick", action="store_true", help="small data, some 20 seconds; pycanon only if its environment exists"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to this file as well")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random variation (default: 0)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
