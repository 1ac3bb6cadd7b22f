"""What was found of trees of grouped values, in a chart and in words."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from experiments.census import NONE, TARGET, TAXONOMIES
from experiments.lines import lines
from experiments.page import markdown

NAME = "trees-grouped"
GROUPED, C45, SCIKIT, FLOOR = "grouped", "kadet-c45", "scikit-learn", "majority label"
OURS = (GROUPED, "kadet", C45)
METHODS = (*OURS, SCIKIT)
KS = (10, 50, 100, 200, 500, 1000)
NUMBERS = ("age", "hours-per-week")
"""Columns of Adult that are predicted as numbers."""
COMPLETE, EVERYBODY = "complete", "everybody"
AS_THEY_ARE = "as they are"
ONE_MISSING, ALL_MISSING = "one missing in each column but fnlwgt", "one missing in each column"
MOST_LOST = 0.2
"""Points that missing cells may cost, one in a column."""
TITLES = {NONE: "without taxonomy", "papers": "the papers' taxonomies", "shipped": "our taxonomies"}
Errors = Mapping[tuple[Any, ...], float]


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Error along k, a line a kind of tree, a panel for each taxonomy and one with missing cells."""
    income = table.filter(pl.col("method").is_in(METHODS), target=TARGET, people=COMPLETE)
    panels = {(each, AS_THEY_ARE): title for each, title in TITLES.items()}
    panels[NONE, ONE_MISSING] = f"{TITLES[NONE]}, {ONE_MISSING}"
    shown = []
    for (taxonomy, cells), title in panels.items():
        part = income.filter(cells=cells)
        # scikit-learn's tree takes no taxonomy, so that its line is the same in all panels.
        part = part.filter((pl.col("taxonomy") == taxonomy) | (pl.col("method") == SCIKIT))
        if not part.filter(taxonomy=taxonomy).is_empty():
            shown.append(part.with_columns(pl.lit(title).alias("panel")))
    title = "Error of Adult's test people along k"
    drawn = lines(pl.concat(shown), "k", "error", "method", title, facet="panel", order=list(KS), form=".1%")
    return {"error": drawn}


def found(table: pl.DataFrame) -> str:
    """Ours beside all others, whether the goals are reached, and where ours loses."""
    error = errors(table)
    return "\n\n".join([*_adult(error), *_missing(error), _numbers(table), *_others(table), _trees(table)])


def errors(table: pl.DataFrame) -> Errors:
    """Errors of Adult's income in percent, by people, taxonomy, cells, method and k."""
    keys = ("people", "taxonomy", "cells", "method", "k")
    rows = table.filter(target=TARGET).iter_rows(named=True)
    return {tuple(row[key] for key in keys): 100 * row["error"] for row in rows}


def along(error: Errors, *keys: str) -> dict[int, float]:
    """Errors along k for some people, a taxonomy, cells and a method."""
    return {key[-1]: each for key, each in error.items() if key[:-1] == keys}


def beside(ours: Mapping[int, float], theirs: Mapping[int, float], most: float = 0.0) -> str:
    """At which k ours is at most so many points above theirs, and by how much more it is elsewhere.

    >>> beside({10: 14.1, 100: 14.4}, {10: 14.3, 100: 14.4}), beside({10: 14.1, 100: 14.8}, {10: 14.3, 100: 14.4})
    ('at every k', 'at every k but 100 (0.40 points more)')
    """
    gaps = {k: round(ours[k] - theirs[k], 2) for k in ours if k in theirs}
    lost = [f"{k} ({gap:.2f} points more)" for k, gap in gaps.items() if gap > most]
    return "at every k" + (f" but {', '.join(lost)}" if lost else "")


def _adult(error: Errors) -> Iterator[str]:
    """Errors along k for complete people and for everybody, with every taxonomy."""
    for people, title in ((COMPLETE, "people without missing values"), (EVERYBODY, "also people who miss a value")):
        scikit = along(error, people, NONE, AS_THEY_ARE, SCIKIT)
        for taxonomy, named in TITLES.items():
            curves = {each: along(error, people, taxonomy, AS_THEY_ARE, each) for each in OURS}
            if not curves[GROUPED]:
                continue
            yield (
                f"Adult, {title}, {named}, error in percent:\n\n"
                + _curves({**curves, SCIKIT: scikit})
                + f"\n\n`grouped` errs at most as often as {SCIKIT}'s tree {beside(curves[GROUPED], scikit)}, and as "
                + f"`{C45}` {beside(curves[GROUPED], curves[C45])}."
            )


def _curves(curves: Mapping[str, Mapping[int, float]]) -> str:
    """A row a k, a column a method."""
    order = list(next(iter(curves.values())))
    return markdown(["k", *curves], [(k, *(_two(curve.get(k)) for curve in curves.values())) for k in order])


def _missing(error: Errors) -> Iterator[str]:
    """What one missing cell in a column costs."""
    for missing, taxonomy in product((ONE_MISSING, ALL_MISSING), (NONE, *TAXONOMIES)):
        both = {
            each: [along(error, COMPLETE, taxonomy, cells, each) for cells in (missing, AS_THEY_ARE)]
            for each in METHODS
        }
        with_missing, without = both[GROUPED]
        if not with_missing:
            continue
        shown = {each: pair for each, pair in both.items() if pair[0]}
        rows = [
            (k, *(f"{more[k]:.2f} ({more[k] - less[k]:+.2f})" for more, less in shown.values())) for k in with_missing
        ]
        yield (
            f"Adult, {missing}, {TITLES[taxonomy]}, error in percent (and points more than without):\n\n"
            + markdown(["k", *shown], rows)
            + f"\n\n`grouped` loses at most {MOST_LOST} points {beside(with_missing, without, MOST_LOST)}."
            + _floor(error)
        )


def _floor(error: Errors) -> str:
    """What is wrong if everybody gets the commoner label."""
    (floor,) = set(along(error, COMPLETE, NONE, AS_THEY_ARE, FLOOR).values())
    return f" Whoever always says the commoner label errs {floor:.2f}."


def _numbers(table: pl.DataFrame) -> str:
    """How much of the variance of numbers trees leave open."""
    rows = {
        (row["target"], row["k"], row["method"]): row
        for row in table.drop_nulls("target").filter(pl.col("target") != TARGET).iter_rows(named=True)
    }
    shown = []
    for target, k in dict.fromkeys(key[:2] for key in rows):
        ours, theirs = (rows[target, k, method] for method in (GROUPED, SCIKIT))
        both = [(100 * (1 - row["error"]), row["mean_absolute"], row["leaves"]) for row in (ours, theirs)]
        shown.append((target, k, *(f"{r2:.1f}, {off:.2f}, {leaves}" for r2, off, leaves in both)))
    head = ["number", "k", GROUPED, SCIKIT]
    return (
        "Numbers of Adult (people without missing values, without taxonomy): percent of the variance explained, mean "
        "absolute error, and leaves:\n\n" + markdown(head, shown)
    )


def halves(table: pl.DataFrame) -> pl.DataFrame:
    """The rows of the other data sets."""
    return table.filter(pl.col("target").is_null())


def means(table: pl.DataFrame) -> dict[tuple[str, int], dict[str, float]]:
    """Mean errors over halves in percent, by data set and k, and by method."""
    mean = halves(table).group_by("data", "k", "method", maintain_order=True).agg(pl.col("error").mean())
    found: dict[tuple[str, int], dict[str, float]] = {}
    for name, k, method, error in mean.select("data", "k", "method", "error").iter_rows():
        found.setdefault((name, k), {})[method] = 100 * error
    return found


def _others(table: pl.DataFrame) -> Iterator[str]:
    """Errors on other data sets, who is ahead how often, and where ours loses."""
    cells = means(table)
    rows = [(*cell, *(_two(error[method]) for method in METHODS)) for cell, error in cells.items()]
    mean = {method: float(np.mean([error[method] for error in cells.values()])) for method in METHODS}
    rows.append(("mean", "", *(_two(mean[method]) for method in METHODS)))
    yield "Other data sets, error in percent (means of halves):\n\n" + markdown(["data", "k", *METHODS], rows)
    yield _wins(halves(table))
    lost = list(_lost(cells))
    if lost:
        yield "On average over its halves, `grouped` errs more\n\n" + "\n".join(lost)


def _wins(table: pl.DataFrame) -> str:
    """In how many halves ours errs at most as often as others, and how far halves are apart."""
    reached = {(row["data"], row["fold"], row["k"], row["method"]): row["error"] for row in table.iter_rows(named=True)}
    trials = list(dict.fromkeys(key[:3] for key in reached))
    said = []
    for method in METHODS[1:]:
        gaps = [reached[*trial, GROUPED] - reached[*trial, method] for trial in trials]
        said.append(f"less than {method} in {sum(gap < 0 for gap in gaps)} and more in {sum(gap > 0 for gap in gaps)}")
    gap = 100 * (pl.col("error").max() - pl.col("error").min())
    apart = table.group_by("data", "k", "method").agg(gap.alias("gap"))["gap"]
    middle = float(np.median(apart.to_numpy()))
    return (
        f"Of {len(trials)} trials (a half and a k), `grouped` errs {', '.join(said)}. "
        f"Halves differ by {middle:.2f} points in the median cell."
    )


def _lost(cells: Mapping[tuple[str, int], Mapping[str, float]]) -> Iterator[str]:
    """Where ours errs more than others on average, the largest gap first."""
    for method in METHODS[1:]:
        gaps = {cell: round(error[GROUPED] - error[method], 2) for cell, error in cells.items()}
        worse = sorted((cell for cell, gap in gaps.items() if gap > 0), key=lambda cell: -gaps[cell])
        if worse:
            told = ", ".join(f"{name} at k = {k} ({gaps[name, k]:.2f} points)" for name, k in worse)
            yield f"- than {method}: {told}"


def _trees(table: pl.DataFrame) -> str:
    """How large trees of complete people are, and how long they take."""
    part = table.filter(target=TARGET, people=COMPLETE, taxonomy=NONE, cells=AS_THEY_ARE)
    rows: dict[int, dict[str, Mapping[str, Any]]] = {}
    for row in part.iter_rows(named=True):
        rows.setdefault(row["k"], {})[row["method"]] = row
    shown: Sequence[tuple[Any, ...]] = [
        (
            k,
            *(f"{each[name]['leaves']}, {each[name]['k_reached']}, {each[name]['seconds']:.2f}" for name in OURS),
            f"{each[SCIKIT]['leaves']}, {each[SCIKIT]['seconds']:.1f}",
        )
        for k, each in rows.items()
    ]
    return (
        "The trees of Adult's people without missing values, without taxonomy: leaves, people in the smallest span, "
        f"seconds of the processor (of {SCIKIT} leaves, and seconds of all trees that were compared to prune it):\n\n"
        + markdown(["k", *METHODS], shown)
    )


def _two(percent: float | None) -> str | None:
    return None if percent is None else f"{percent:.2f}"
