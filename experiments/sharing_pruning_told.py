"""What was found of trees and tables under an l-diversity, in charts and in words."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from experiments.lines import lines
from experiments.page import markdown

TREES = ("atp", "atp, information", "ldm")
TABLES = ("opti", "ldd")
METHODS = TREES + TABLES
MEASURES = ("accuracy", "accuracy_or_majority", "reached", "cm", "cm_of_paths")


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """A chart a figure of the paper, and one of our own that counts what is not reached as the majority label."""
    means = _means(table).with_columns(pl.col("requirement").replace_strict(_short(table)))
    order = sorted(set(means["requirement"]), key=_strength)
    trees = means.filter(pl.col("model") == "c45")
    one, ten = (trees.filter(pl.col("sources") == number) for number in (1, 10))
    bayes = means.filter((pl.col("model") == "naive-bayes") & (pl.col("sources") == 10))
    found = {
        "accuracy": (one, "accuracy", "Accuracy, one source (Fig. 14)"),
        "accuracy-or-majority": (one, "accuracy_or_majority", "Accuracy, one source; not reached: the majority label"),
        "cm": (one, "cm", "Classification metric, one source (Fig. 15)"),
        "ten-accuracy": (ten, "accuracy", "Accuracy of trees, ten sources (Fig. 16a)"),
        "ten-bayes": (bayes, "accuracy", "Accuracy of naive Bayes, ten sources (Fig. 16b)"),
        "ten-cm": (ten, "cm", "Classification metric, ten sources (Fig. 16c)"),
    }
    return {
        name: lines(part, "requirement", measure, "method", title, order=order)
        for name, (part, measure, title) in found.items()
        if not part.is_empty()
    }


def found(table: pl.DataFrame) -> str:
    """Ours, figure by figure."""
    means = _means(table)
    said = []
    for sources, model, figure in ((1, "c45", "Fig. 14"), (10, "c45", "Fig. 16a"), (10, "naive-bayes", "Fig. 16b")):
        part = means.filter((pl.col("sources") == sources) & (pl.col("model") == model))
        owners = "one source" if sources == 1 else "ten sources"
        said.append(
            f"Ours, {owners}, {model}, accuracy ({figure}; -: not reached, or not measured):\n\n"
            + _table(part, "accuracy")
        )
        said.append(_verdict(part, "accuracy_or_majority", better=1))
    for sources, figure in ((1, "Fig. 15"), (10, "Fig. 16c")):
        part = means.filter((pl.col("sources") == sources) & (pl.col("model") == "c45"))
        owners = "one source" if sources == 1 else "ten sources"
        said.append(
            f"Classification metric in percent of people, {owners} ({figure}):\n\n" + _table(part, "cm", "cm_of_paths")
        )
        said.append(_verdict(part, "cm", better=-1))
    said.append("Not reached (of all cells that were tried):\n\n" + _unreached(table))
    return "\n\n".join(said)


def _means(table: pl.DataFrame) -> pl.DataFrame:
    mean = [pl.col(name).cast(pl.Float64).mean() for name in MEASURES]
    keys = ("data", "sources", "requirement", "method", "model")
    return table.group_by(keys, maintain_order=True).agg(*mean)


def _strength(short: str) -> tuple[bool, int, int]:
    """Where a requirement stands along the charts: (c,l) before simple l, each from weak to strong.

    >>> sorted(["l=3", "(5,2)", "(5,3)", "(20,2)", "l=2"], key=_strength)
    ['(20,2)', '(5,2)', '(5,3)', 'l=2', 'l=3']
    """
    if short.startswith("l="):
        return True, int(short.removeprefix("l=")), 0
    c, least = short.strip("()").split(",")
    return False, int(least), -int(c)


def _short(table: pl.DataFrame) -> dict[str, str]:
    return {each: each.removeprefix("recursive_cl=").replace("simple_l", "l") for each in table["requirement"].unique()}


def _table(means: pl.DataFrame, measure: str, beside: str | None = None) -> str:
    """A row a requirement and a column a method; `beside` is shown for trees as well."""
    short = _short(means)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in means.iter_rows(named=True):
        cells = rows.setdefault((row["data"], short[row["requirement"]]), {})
        cells[row["method"]] = row[measure]
        if beside and row["method"] in TREES:
            cells[f"{row['method']}: paths"] = row[beside]
    more = [f"{name}: paths" for name in TREES] if beside else []
    head = [*METHODS, *more]
    return markdown(
        ["data", "requirement", *head], [(*key, *(cells.get(one) for one in head)) for key, cells in rows.items()]
    )


def _verdict(means: pl.DataFrame, measure: str, *, better: int) -> str:
    """In how many cells ATP is at least as good as each other method, counted from the rows."""
    cells: dict[tuple[str, str], dict[str, float]] = {}
    for row in means.iter_rows(named=True):
        if row[measure] is not None and row["reached"]:
            cells.setdefault((row["data"], row["requirement"]), {})[row["method"]] = row[measure]
    said = []
    for other in METHODS[2:]:
        both = [cell for cell in cells.values() if "atp" in cell and other in cell]
        won = sum(better * (cell["atp"] - cell[other]) >= 0 for cell in both)
        said.append(f"{other} in {won} of {len(both)}")
    return f"ATP is at least as good as {', '.join(said)} cells that both reach (means over folds)."


def _unreached(table: pl.DataFrame) -> str:
    tried = (
        table.filter(pl.col("model") == "c45")
        .group_by("data", "sources", "method", maintain_order=True)
        .agg(
            pl.len(),
            (pl.col("reached") == 0).sum().alias("none"),
            ((pl.col("reached") > 0) & (pl.col("reached") < 1)).sum().alias("some"),
        )
    )
    cells = {(row["data"], row["sources"], row["method"]): row for row in tried.iter_rows(named=True)}
    keys = list(dict.fromkeys(key[:2] for key in cells))

    def shown(key: tuple[Any, ...], method: str) -> str | None:
        row = cells.get((*key, method))
        if row is None:
            return None
        return f"{row['none']} of {row['len']}" + (f", {row['some']} in part" if row["some"] else "")

    return markdown(["data", "sources", *METHODS], [(*key, *(shown(key, one) for one in METHODS)) for key in keys])
