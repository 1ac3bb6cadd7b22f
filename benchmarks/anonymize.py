"""How fast anonymizing is beside growing a tree, a sort of polars and anonypy, and what memory it takes: one run."""

import argparse
import sys
from dataclasses import dataclass
from statistics import median

import numpy as np
import peak_memory
import polars as pl
import table_memory
from adult_scaled import scaled
from goals import Result, Work, alternate, compared, in_ms, say, seconds, told
from peer import ANONYPY, Failed
from table_memory import CASES, SEVEN, TARGET, K, policy

import kspan as ks
from kspan.anonymize.crowd import crowd
from kspan.anonymize.full_domain.incognito import incognito
from kspan.anonymize.kactus.kactus import kactus
from kspan.anonymize.mondrian import mondrian
from kspan.data.encode import encode
from kspan.tables.inner_tree import inner_tree
from kspan.tables.methods import methods

SIX = ("age", "workclass", "education", "marital-status", "occupation", "sex")
"""Public attributes for the comparison with anonypy."""
EIGHT = ("age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex")
"""Public attributes for the search of the best full-domain generalization."""
DRAWN = 12
"""Cells of 15 that a variation draws: three are kept, as in the paper."""
ARX = {0.0: (0.2, 0.4), 1.0: (3.0, 6.0)}
"""Seconds that the search of ARX takes on a machine like those that this was written on, by the share that may be
withheld: from its fastest to its slowest setting."""


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    factor: int
    """How many times Adult the large table is."""
    fewer: int
    """The same for the table that it is compared with, to see if time grows with rows alone."""
    people: int | None
    """The first rows of Adult, for the comparison with anonypy; None for all."""
    rounds: int
    memory: bool
    """Is memory measured? A small table tells nothing of it: what every process needs would count most."""


FULL = Size(factor=30, fewer=5, people=None, rounds=5, memory=True)
QUICK = Size(factor=6, fewer=2, people=3_000, rounds=3, memory=False)


def main() -> int:
    """Measure, print, and say by the exit code if every goal is reached."""
    given = _arguments()
    size = QUICK if given.quick else FULL
    people = ks.datasets.load_adult(missing=False).drop("split")
    say(f"scaling Adult {size.factor} and {size.fewer} times")
    many, fewer = (
        scaled(people, factor, DRAWN, rng=np.random.default_rng(given.seed)).select(*SEVEN, TARGET)
        for factor in (size.factor, size.fewer)
    )
    results = beside_growing_and_sorting(many, size)
    results += crowd_beside_mondrian(size, seed=given.seed)
    results += by_rows(many, fewer, size)
    results += beside_anonypy(size, quick=given.quick)
    results += beside_arx(many, size)
    if size.memory:
        results += memory(many)
    else:
        say("memory is measured by a full run only")
    return told(results)


def beside_growing_and_sorting(many: pl.DataFrame, size: Size) -> list[Result]:
    """Phase 2 of kACTUS beside phase 1, and Mondrian beside one sort."""
    rows = f"{many.height:,} rows"
    asked = policy()
    table = encode(many, asked)
    say("kACTUS: growing its tree and pruning it, in turn")
    tree = inner_tree(table, asked, "c45", K)
    times = alternate(
        lambda: kactus(table, asked, tree, rng=_chance(), blank=True),
        lambda: inner_tree(table, asked, "c45", K),
        size.rounds,
    )
    results = [compared(f"kACTUS phase 2 / growing its tree, {rows}", times, 1.0)]
    for k in (K, 10):
        say(f"Mondrian with k={k} and a sort, in turn")
        wanted = policy(k=k)
        times = alternate(lambda: mondrian(table, wanted, rng=_chance()), lambda: many.sort(SEVEN), size.rounds)  # noqa: B023
        results.append(compared(f"Mondrian k={k} / sort by all 7, {rows}", times, 3.0))
    return results


def crowd_beside_mondrian(size: Size, *, seed: int) -> list[Result]:
    """Crowd, which learns grades and compares all cuts, beside Mondrian: the groups, and the table that is judged."""
    people = ks.datasets.load_adult(missing=False).drop("split")
    table = scaled(people, size.factor, DRAWN, rng=np.random.default_rng(seed))
    results = []
    for public in (SEVEN, tuple(name for name in people.columns if name != TARGET)):
        asked = ks.Policy(public=public, target=TARGET, require="k=10")
        rows = table.select(*public, TARGET)
        coded = encode(rows, asked)
        what = f"{len(public)} public attributes, k=10, {rows.height:,} rows"
        say(f"crowd and Mondrian, {what}, in turn")
        groups = alternate(
            lambda: crowd(coded, asked, rng=_chance()),  # noqa: B023
            lambda: mondrian(coded, asked, rng=_chance()),  # noqa: B023
            size.rounds,
        )
        tables = alternate(
            lambda: ks.anonymize(rows, asked, "crowd", secret="0" * 32),  # noqa: B023
            lambda: ks.anonymize(rows, asked, "mondrian", secret="0" * 32),  # noqa: B023
            1 + size.rounds // 2,
        )
        results.append(compared(f"crowd's table / Mondrian's, {what}", tables, 3.0))
        results.append(compared(f"crowd's groups / Mondrian's, {what}", groups, None))
    return results


def by_rows(many: pl.DataFrame, fewer: pl.DataFrame, size: Size) -> list[Result]:
    """Time per row of a large table beside that of a smaller one, for kACTUS with both phases and for Mondrian."""
    asked = policy()
    large, small = encode(many, asked), encode(fewer, asked)
    results = []
    for method in ("kactus", "mondrian"):
        say(f"{method} on {many.height:,} and {fewer.height:,} rows, in turn")
        run = methods()[method]
        times = alternate(
            lambda: run(large, asked, rng=_chance()),  # noqa: B023
            lambda: run(small, asked, rng=_chance()),  # noqa: B023
            size.rounds,
        )
        of_a_million = [(1e6 * ours / large.rows, 1e6 * theirs / small.rows) for ours, theirs in times]
        what = f"{method}, time of a million rows: {size.factor} times Adult / {size.fewer} times"
        results.append(compared(what, of_a_million, 1.5))
    return results


def beside_anonypy(size: Size, *, quick: bool) -> list[Result]:
    """Mondrian of anonypy beside ours: the groups, and all that is done to the rows that leave."""
    adult = ks.datasets.load_adult("train", missing=False).select(*SIX, TARGET)
    adult = adult if size.people is None else adult.head(size.people)
    asked = ks.Policy(public=SIX, private=(TARGET,), require="k=10")
    frame = adult.to_pandas()
    say(f"Mondrian of Adult, {adult.height:,} rows")
    cutting = _times(lambda: mondrian(encode(adult, asked), asked, rng=_chance()), size.rounds)
    whole = _times(lambda: ks.anonymize(frame, asked, "mondrian", secret="0" * 32), size.rounds)
    names = (
        f"anonypy's groups / coding and cutting, Adult, {adult.height:,} rows",
        f"anonypy's table / anonymize(), which judges too, {adult.height:,} rows",
    )
    if quick and not ANONYPY.installed:
        say("there is no environment for anonypy yet: a full run makes it, a quick one goes without")
        return []
    try:
        say("anonypy: its environment (made once) and its Mondrian (twice, a minute or two for all of Adult)")
        ANONYPY.install()
        theirs = ANONYPY.run(adult, ["--public", *SIX, "--private", TARGET, "--k", "10"])
    except Failed as error:
        failed = f"anonypy did not run: {type(error).__name__}"
        return [Result(name, None, "at least", 100, failed) for name in names]
    pairs = ((theirs["cutting"], median(cutting)), (theirs["whole"], median(whole)))
    return [
        Result(name, other / ours, "at least", 100, f"{in_ms(other)}, {in_ms(ours)}")
        for name, (other, ours) in zip(names, pairs, strict=True)
    ]


def beside_arx(many: pl.DataFrame, size: Size) -> list[Result]:
    """The proved optimum of full-domain generalization: seconds beside the range of ARX, and beside one sort."""
    known = ks.datasets.adult_policy()
    hierarchies = {name: known.hierarchies[name] for name in EIGHT}
    asked = ks.Policy(public=EIGHT, private=(TARGET,), require="k=5", hierarchies=hierarchies)
    table = encode(ks.datasets.load_adult("train", missing=False).select(*EIGHT, TARGET), asked)
    results = []
    for withhold, (fastest, slowest) in ARX.items():
        share = "anybody" if withhold else "nobody"
        say(f"the best full-domain generalization with {share} withheld, and a sort of {many.height:,} rows, in turn")
        facts = incognito(table, asked, rng=_chance(), withhold=withhold).facts
        times = alternate(
            lambda: incognito(table, asked, rng=_chance(), withhold=withhold),  # noqa: B023
            lambda: many.sort(SEVEN),
            size.rounds,
        )
        what = f"optimum of 8 attributes, {share} withheld"
        proved = median(ours for ours, _ in times) if facts["optimum proved"] else None
        context = (
            f"ARX {fastest:g} to {slowest:g} s; {facts['vectors checked']:,} of {facts['lattice']:,} vectors checked, "
            f"{'proved' if facts['optimum proved'] else 'NOT PROVED'}"
        )
        results.append(Result(f"{what}, seconds", proved, "at most", slowest, context, " s"))
        results.append(compared(f"{what} / sort of {many.height:,} rows", times, None))
    return results


def memory(many: pl.DataFrame) -> list[Result]:
    """The peak of every method over four coded tables and the output."""
    results = []
    for name, case in CASES.items():
        say(f"memory of {name}")
        what = f"memory, {name}"
        if not peak_memory.possible():
            results.append(Result(what, None, "at most", 1.0, "only Linux counts pages so that it can be measured"))
            continue
        found = table_memory.measured(encode(many, policy(case.besides)), case)
        results.append(Result(what, found.ratio, "at most", 1.0, str(found)))
    return results


def _chance() -> np.random.Generator:
    return np.random.default_rng(0)


def _times(work: Work, rounds: int) -> list[float]:
    """Seconds of some rounds, after one that does not count."""
    return [seconds(work) for _ in range(1 + rounds)][1:]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, epilog="The exit code is 1 if a goal is missed.")
    parser.add_argument("--quick", action="store_true", help="small data, no memory; anonypy if its environment exists")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random variation (default: 0)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
