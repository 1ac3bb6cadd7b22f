"""What was found of kACTUS beside other methods on Adult, in charts and in words."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import polars as pl

import kspan as ks
from experiments.beside import (
    ALPHA,
    Cells,
    Printed,
    beside_by_label,
    by_label,
    cells,
    chance,
    columns,
    pair,
    printed,
    verdict,
)
from experiments.lines import lines
from experiments.page import markdown

WAYS = ("kactus", "kactus, intervals", "kactus, shown alike")
KEYS = ("inducer", "public", "k")
GENERALIZING, SUPPRESSING = ("tds", "tdr", "kadet"), ("tds, suppressing", "tdr, suppressing", "kadet, suppressing")
RIVALS = (*GENERALIZING, *SUPPRESSING, "mondrian")
TABLE = {**dict.fromkeys((*WAYS, *GENERALIZING), 3), **dict.fromkeys(SUPPRESSING, 4), "mondrian": 5}
"""Where the paper prints a method."""


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Accuracy of C4.5 by k after every method, and of every inducer after kACTUS."""
    order = sorted(set(table["k"]))
    trees = table.filter(pl.col("inducer") == "c45").with_columns(data=pl.format("{} public", "public"))
    best = pl.DataFrame(list(cells(trees, "public", "k", "method").values()), infer_schema_length=None)
    said = [("kactus", "kactus, published"), ("kadet", "kadet, published")]
    theirs = pl.DataFrame(
        [
            {"data": f"{public} public", "k": k, "method": name, "accuracy": each.accuracy}
            for method, name in said
            for (public, k), each in printed("public", "k", table=3, inducer="c45", method=method).items()
        ]
    )
    ours = best.select(theirs.columns)
    general = pl.concat([ours.filter(~pl.col("method").is_in(SUPPRESSING)), theirs])
    suppressing = pl.concat(
        [ours.filter(pl.col("method").is_in((*WAYS, *SUPPRESSING))), theirs.filter(pl.col("method") == said[0][1])]
    )
    inducers = _wide(table)
    return {
        "c45": lines(general, "k", "accuracy", "method", "Accuracy of C4.5 on Adult (Tables 3 and 5)", order=order),
        "c45-suppressing": lines(
            suppressing,
            "k",
            "accuracy",
            "method",
            "Accuracy of C4.5 on Adult, methods that suppress (Table 4)",
            order=order,
        ),
        "inducers": lines(
            inducers,
            "k",
            "accuracy",
            "line",
            "Accuracy of inducers after kACTUS, 14 public (Table 3)",
            facet="inducer",
            order=order,
        ),
    }


def _wide(table: pl.DataFrame) -> pl.DataFrame:
    """Published and ours, 14 public, as lines of one panel an inducer."""
    ours = cells(table.filter(pl.col("public") == 14, pl.col("method").is_in(WAYS)), "inducer", "k", "method")
    rows = [
        {"inducer": key[0], "k": key[1], "line": key[2], "accuracy": each["accuracy"]} for key, each in ours.items()
    ]
    theirs = beside_by_label(printed("inducer", "k", table=3, public="14", method="kactus"), 0)
    rows += [
        {"inducer": inducer, "k": k, "line": "published", "accuracy": each.accuracy}
        for (inducer, k), each in theirs.items()
        if any(row["inducer"] == inducer for row in rows)
    ]
    return pl.DataFrame(rows)


def found(table: pl.DataFrame) -> str:
    """Ours beside Tables 3, 4 and 5."""
    texts = table.with_columns(pl.col("public").cast(pl.String))
    ours = {way: cells(texts.filter(pl.col("method") == way), *KEYS) for way in (*WAYS, *RIVALS)}
    paper = printed(*KEYS, table=3, method="kactus")
    theirs = beside_by_label(paper, KEYS.index("inducer"))
    seen = {key: each for key, each in theirs.items() if any(key in ours[way] for way in WAYS)}
    rows = [
        (*key, each, *(cell for way in WAYS for cell in columns(each, ours[way].get(key))))
        for key, each in seen.items()
    ]
    head = [head for way in WAYS for head in (way, "difference", "within or better")]
    said = ["kACTUS in Table 3:\n\n" + markdown([*KEYS, "published", *head], rows)]
    for way in WAYS:
        best = by_label(ours[way], KEYS.index("inducer"))
        said.append(
            f"`{way}` is within the published interval or better with {_by_inducer(seen, ours[way])}. "
            f"All four, numbers by label: {verdict(paper, best, _name)}."
        )
    said.append(_rivals(ours, GENERALIZING, "Table 3: C4.5 after methods with hierarchies"))
    said.append(_rivals(ours, SUPPRESSING, "Table 4: the same without hierarchies, so that they suppress"))
    said.append(_rivals(ours, ("mondrian",), "Table 5: Mondrian"))
    said.append(_gaps(ours))
    said.append(_other_inducers(ours))
    said.append(_tests(ours))
    said.append(_ranks(ours))
    return "\n\n".join(each for each in said if each)


def _name(key: tuple[Any, ...]) -> str:
    return f"{key[0]}, {key[1]} public, k={key[2]}"


def _by_inducer(theirs: Mapping[tuple[Any, ...], Printed], ours: Cells) -> str:
    """The verdict for each inducer."""
    said = []
    for inducer in dict.fromkeys(key[0] for key in theirs):
        part = {key: each for key, each in theirs.items() if key[0] == inducer}
        said.append(f"{inducer} {verdict(part, ours, _name).split(';')[0]}")
    return ", ".join(said)


def _rivals(ours: Mapping[str, Cells], methods: Sequence[str], title: str) -> str:
    """Published / ours, a row a cell of C4.5."""
    keys = [key for key in ours["kactus"] if key[0] == "c45" and any(key in ours[method] for method in methods)]
    if not keys:
        return ""
    shown = (*WAYS, *methods)
    rows = [(*key[1:], *(pair(_printed(method, key), ours[method].get(key)) for method in shown)) for key in keys]
    return f"{title}, published / ours:\n\n" + markdown(["public", "k", *shown], rows)


def _printed(method: str, key: tuple[Any, ...]) -> Printed | None:
    base = method.split(",")[0]
    if method in WAYS[1:]:
        return None
    return printed(*KEYS, table=TABLE[method], method=base).get(key)


def _gaps(ours: Mapping[str, Cells]) -> str:
    """How many points kACTUS is ahead, in the mean of the cells that were measured, with each inducer and with all."""
    rows: list[tuple[Any, ...]] = []
    for method in RIVALS:
        both = [key for key in ours[method] if all(key in ours[way] for way in WAYS)]
        inducers = list(dict.fromkeys(key[0] for key in both))
        for inducer in [*inducers, *(["all"] if len(inducers) > 1 else [])]:
            keys = [key for key in both if inducer in (key[0], "all")]
            pairs = [(_printed("kactus", key), _printed(method, key)) for key in keys]
            theirs = fmean(one.accuracy - other.accuracy for one, other in pairs if one and other)
            gaps = [fmean(ours[way][key]["accuracy"] - ours[method][key]["accuracy"] for key in keys) for way in WAYS]
            rows.append((method, inducer, len(keys), theirs, *gaps))
    if not rows:
        return ""
    head = ["method", "inducer", "cells", "published", *WAYS]
    return "How many points kACTUS is ahead of each, in the mean of these cells:\n\n" + markdown(head, rows)


def _other_inducers(ours: Mapping[str, Cells]) -> str:
    """What inducers other than C4.5 learn after the rivals."""
    methods = [method for method in RIVALS if any(key[0] != "c45" for key in ours[method])]
    if not methods:
        return ""
    keys = [key for key in ours[methods[0]] if key[0] != "c45"]
    shown = ("kactus", *methods)
    rows = [(*key, *(pair(_printed(method, key), ours[method].get(key)) for method in shown)) for key in keys]
    return "Other inducers, published / ours:\n\n" + markdown([*KEYS, *shown], rows)


def _tests(ours: Mapping[str, Cells]) -> str:
    """The F test on kACTUS and every other method, where there are five rounds."""
    rows: list[tuple[Any, ...]] = []
    counts: list[str] = []
    for way in WAYS:
        asked = {
            method: {
                key: (p, cell, ours[method][key])
                for key, cell in ours[way].items()
                if (p := chance(cell, ours[method].get(key))) is not None
            }
            for method in RIVALS
        }
        rows += [
            (way, *key[1:], *(_shown(*each[key]) if key in each else None for each in asked.values()))
            for key in dict.fromkeys(key for each in asked.values() for key in each)
        ]
        said = "; ".join(_counted(method, each) for method, each in asked.items() if each)
        if said:
            counts.append(f"`{way}` is significantly better (the paper's: in the same cells) than {said}.")
    if not rows:
        return ""
    table = markdown(["kACTUS", "public", "k", *RIVALS], rows)
    title = "The 5x2 F test, C4.5: is kACTUS better (+), worse (-) or neither at 95%, and p:"
    return "\n\n".join([title, table, *counts])


def _counted(method: str, found: Mapping[tuple[Any, ...], tuple[float, Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """In how many cells kACTUS is significantly better than a method or worse, ours and theirs."""
    signs = [_shown(*each)[:1] for each in found.values()]
    marks = [one.mark for key in found if (one := _printed(method, key)) is not None]
    return (
        f"{method} in {signs.count('+')} ({marks.count('better')}) of {len(found)} cells "
        f"and worse in {signs.count('-')} ({marks.count('worse')})"
    )


def _shown(p: float, cell: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    sign = "" if p >= ALPHA else "+ " if cell["accuracy"] > other["accuracy"] else "- "
    return f"{sign}{p:.3f}"


def _ranks(ours: Mapping[str, Cells]) -> str:
    """Friedman and Bonferroni-Dunn over the cells of C4.5 that all methods of a table have."""
    said = []
    for title, rivals in (
        ("Table 3", GENERALIZING),
        ("Table 4", SUPPRESSING),
        ("Tables 3 and 5", (*GENERALIZING, "mondrian")),
    ):
        for way in WAYS:
            methods = (way, *rivals)
            keys = [key for key in ours[way] if key[0] == "c45" and all(key in ours[method] for method in methods)]
            if len(keys) < 2:
                continue
            result = ks.friedman({method: [ours[method][key]["accuracy"] for key in keys] for method in methods})
            beside = result.against(way, alpha=ALPHA)
            ranks = ", ".join(f"{method} {rank:.2f}" for method, rank in result.ranks.items())
            better, worse = (", ".join(names) or "none" for names in (beside.better_than, beside.worse_than))
            said.append(
                f"- {title}, {len(keys)} cells, average ranks: {ranks}; Friedman p = {result.p:.2g}; "
                f"by Bonferroni-Dunn `{way}` is better than {better}, worse than {worse}."
            )
    return "Ranks over the cells of C4.5:\n\n" + "\n".join(said) if said else ""
