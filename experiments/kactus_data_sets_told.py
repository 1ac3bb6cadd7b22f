"""What was found of kACTUS on ten data sets, in charts and in words."""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

import polars as pl

from experiments.beside import ALPHA, beside_by_label, cells, chance, columns, folds, pair, printed, verdict
from experiments.lines import lines
from experiments.page import markdown

WAYS = ("kactus", "kactus, intervals", "kactus, shown alike")
OPTIONS = ("kactus, as printed", "kactus, merged siblings", "kactus, greedy", "kactus, people")
ADULT = "adult-income"
KEYS = ("data", "inducer", "k")


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Accuracy of C4.5 by k on every data set, beside what was published."""
    trees = _fit(table).filter(pl.col("inducer") == "c45", pl.col("method").is_in(["original", *WAYS]))
    raw = trees.filter(pl.col("method") == "original")
    begun = pl.concat(
        [trees.filter(pl.col("method") != "original"), *(raw.with_columns(method=pl.lit(way)) for way in WAYS)]
    )
    theirs = pl.DataFrame(
        [
            {"data": data, "k": k, "method": "published", "accuracy": each.accuracy}
            for (data, k), each in printed("data", "k", table=2, inducer="c45").items()
            if data in set(trees["data"])
        ]
    )
    shown = pl.concat([theirs, begun.select(theirs.columns)])
    order = sorted(set(shown["k"]))
    return {
        "c45": lines(
            shown, "k", "accuracy", "method", "Accuracy of C4.5 after kACTUS (Table 2); k=1: no anonymity", order=order
        )
    }


def found(table: pl.DataFrame) -> str:
    """Ours beside Table 2, and what changes with the options."""
    theirs = beside_by_label(printed(*KEYS, table=2), KEYS.index("inducer"))
    fit = _fit(table)
    ways = {way: cells(fit.filter(pl.col("method").is_in([way, "original"])), *KEYS) for way in WAYS}
    trees = {key: each for key, each in theirs.items() if key[1] == "c45"}
    rows = [
        (data, k, each, *(cell for way in WAYS for cell in columns(each, ways[way].get((data, inducer, k)))))
        for (data, inducer, k), each in trees.items()
        if (data, inducer, k) in ways[WAYS[0]]
    ]
    head = [head for way in WAYS for head in (way, "difference", "within or better")]
    said = ["C4.5 (k=1: the original):\n\n" + markdown(["data", "k", "published", *head], rows)]
    anonymous = {key: each for key, each in trees.items() if key[2] > 1}
    said += [
        f"`{way}` is within the published interval or better in {verdict(anonymous, ways[way], _name)}." for way in WAYS
    ]
    said.append(_different(trees, ways))
    others = {key: each for key, each in theirs.items() if key[1] != "c45" and key in ways[WAYS[0]]}
    if others:
        said.append(f"Other inducers, published / {' / '.join(WAYS)}:\n\n" + _others(others, ways))
        for way in WAYS:
            shares = []
            for inducer in dict.fromkeys(key[1] for key in others):
                part = {key: each for key, each in others.items() if key[1] == inducer and key[2] > 1}
                shares.append(f"{inducer} {verdict(part, ways[way], _name).split(';')[0]}")
            said.append(f"`{way}` is within the published interval or better with {', '.join(shares)}.")
    said.append(_options(fit))
    said.append("Rows withheld: " + "; ".join(_withheld(fit, way) for way in (*WAYS, "kactus, people")) + ".")
    said.append(_complete(table))
    return "\n\n".join(each for each in said if each)


def _fit(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(~pl.col("data").str.ends_with("complete"))


def _name(key: tuple[Any, ...]) -> str:
    return f"{key[0]}, k={key[2]}"


def _different(trees: Mapping[tuple[Any, ...], Any], ways: Mapping[str, Mapping[tuple[Any, ...], Any]]) -> str:
    """How many cells differ significantly from the original, theirs and ours."""
    found = []
    for way in WAYS:
        asked = [
            (bool(each.mark), p < ALPHA)
            for (data, inducer, k), each in trees.items()
            if k > 1 and (p := chance(ways[way].get((data, inducer, k)), ways[way].get((data, inducer, 1)))) is not None
        ]
        found.append(
            f"`{way}` in {sum(ours for _, ours in asked)} of {len(asked)} (the paper: {sum(mark for mark, _ in asked)})"
        )
    return "By the 5x2 F test at 95% C4.5 differs from that of the original: " + "; ".join(found) + "."


def _others(theirs: Mapping[tuple[Any, ...], Any], ways: Mapping[str, Mapping[tuple[Any, ...], Any]]) -> str:
    order = sorted({key[2] for key in theirs})
    rows = []
    for data, inducer in dict.fromkeys(key[:2] for key in theirs):
        shown: list[str | None] = []
        for k in order:
            key = (data, inducer, k)
            both = pair(theirs.get(key), ways[WAYS[0]].get(key))
            more = [] if k == 1 else [ways[way].get(key) for way in WAYS[1:]]
            shown.append(
                " / ".join([both or "-", *(f"{100 * one['accuracy']:.1f}" for one in more if one is not None)])
            )
        rows.append((data, inducer, *shown))
    return markdown(["data", "inducer", *(f"k={k}" for k in order)], rows)


def _options(fit: pl.DataFrame) -> str:
    """Options with C4.5, beside the default on the same halves."""
    ours = cells(fit.filter(pl.col("inducer") == "c45"), "data", "k", "method")
    keys = [key for key in dict.fromkeys(key[:2] for key in ours) if (*key, OPTIONS[0]) in ours]
    if not keys:
        return ""
    halves = {key: len(folds(ours[*key, OPTIONS[0]])) for key in keys}
    rows = [(*key, *(_mean(ours.get((*key, one)), halves[key]) for one in (*WAYS, *OPTIONS))) for key in keys]
    known = ([one for one in each if one is not None] for each in zip(*(row[2:] for row in rows), strict=True))
    means = [fmean(each) if each else None for each in known]
    rows.append(("mean", "", *means))
    return "Options with C4.5 (one round, the same halves):\n\n" + markdown(["data", "k", *WAYS, *OPTIONS], rows)


def _mean(row: Mapping[str, Any] | None, number: int) -> float | None:
    """The accuracy in the first folds."""
    return None if row is None else fmean(folds(row)[:number])


def _withheld(fit: pl.DataFrame, way: str) -> str:
    gone = fit.filter(pl.col("method") == way)["withheld"].to_list()
    share = sum(gone) / max(len(gone), 1)
    return f"`{way}` {100 * share:.3f}% in the mean of all cells, {100 * max(gone, default=0):.2f}% at most"


def _complete(table: pl.DataFrame) -> str:
    part = table.filter(pl.col("data").str.starts_with(ADULT), pl.col("inducer") == "c45")
    ours = cells(part, "k", "method", "data")
    keys = [key[:2] for key in ours if key[2] != ADULT]
    if not keys:
        return ""
    rows = [
        (*key, *((ours.get((*key, one)) or {}).get("accuracy") for one in (ADULT, f"{ADULT}-complete"))) for key in keys
    ]
    return "Adult, all 48,842 people and the 45,222 without a missing cell, C4.5:\n\n" + markdown(
        ["k", "method", "all", "complete"], rows
    )
