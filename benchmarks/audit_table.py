"""How fast the audit of a table is beside pycanon, a group-by of polars, and reading the file: ratios from one run."""

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from adult_scaled import scaled
from goals import Result, Work, alternate, compared, in_ms, say, seconds, told
from peer import PYCANON, Failed

import kspan as ks
from kspan.data.encode import encode

PUBLIC = ("age", "education", "occupation", "relationship", "sex", "native-country")
FEW = ("race", "sex")
"""Public attributes that leave groups large enough to tell definitions apart that agree on groups of one person."""
PRIVATE = "income"
MEASURES = ("k", "alpha", "distinct_l", "entropy_l", "recursive_cl", "basic_beta", "enhanced_beta", "delta", "t")

TABLES = {"12 of 15 cells drawn": 12, "3 of 15 cells drawn": 3, "exact copies": 0}
"""The scaled tables, by how many cells of a variation are drawn; the first is the paper's."""


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
    if given.quick and not PYCANON.installed:
        say("there is no environment for pycanon yet: a full run makes it, a quick one goes without")
    else:
        results, comparisons = beside_pycanon(size)
    results += beside_polars(size, given.seed)

    for comparison in comparisons:
        print(comparison, end="\n\n")
    code = told(results)
    if given.json:
        given.json.write_text(_json(size, given.seed, results, comparisons), encoding="utf-8")
    return code


def beside_pycanon(size: Size) -> tuple[list[Result], list[Comparison]]:
    """The audit of Adult beside pycanon's report, both of the same rows in a pandas frame."""
    adult = ks.datasets.load_adult()
    adult = adult if size.people is None else adult.head(size.people)
    what = f"pycanon's report / audit, Adult, {adult.height:,} rows"
    say(f"auditing Adult, {adult.height:,} rows")
    first, *later = _audit_seconds(adult, size.rounds)
    try:
        say("pycanon: its environment (made once) and its report (a minute for all of Adult)")
        PYCANON.install()
        reports = {public: _reported(adult, public) for public in (PUBLIC, FEW)}
    except Failed as error:
        return [Result(what, None, "at least", 100, f"pycanon did not run: {type(error).__name__}")], []
    ours, theirs = median(later), reports[PUBLIC]["seconds"]
    context = f"{in_ms(theirs)}, {in_ms(ours)}; first audit of the process {in_ms(first)}"
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
        audits.append(compared(f"audit / group-by, {name}", alternate(*_audit_and_group_by(frame), size.rounds), 3))
        say("encoding and reading in turn")
        with TemporaryDirectory() as folder:
            work = _encode_and_read(frame, Path(folder) / "adult.csv")
            encodings.append(compared(f"encode / read CSV, {name}", alternate(*work, size.rounds), 1.25))
    return [*audits, *encodings]


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


def _reported(adult: pl.DataFrame, public: Sequence[str]) -> dict[str, Any]:
    """What pycanon reports, and the seconds it took: see `pycanon_report.py`."""
    return PYCANON.run(_complete(adult, public), ["--public", *public, "--private", PRIVATE])


def _audited(adult: pl.DataFrame, public: Sequence[str]) -> dict[str, Any]:
    found = ks.audit(_complete(adult, public), _policy(public))
    return {"k": found.k.rows, **found.reached[PRIVATE]}


def _complete(adult: pl.DataFrame, public: Sequence[str]) -> pl.DataFrame:
    """The columns at hand, a missing cell as a value of its own: pycanon fails on some and leaves others out."""
    return adult.select(*public, PRIVATE).fill_null("?")


def _policy(public: Sequence[str]) -> ks.Policy:
    return ks.Policy(public=tuple(public), private=(PRIVATE,), require=ks.KAnonymity(10))


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
