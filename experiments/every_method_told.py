"""What was found of every method, in one chart and in words."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from experiments.lines import MORE
from experiments.page import markdown
from kspan.report.charts import COLORS

NAME = "every-method"
RAW, FLOOR = "raw rows", "majority label"
METHODS = {
    "grouped": "tree",
    "kadet-c45": "tree",
    "kadet": "tree",
    "atp": "tree",
    "kactus": "table",
    "mondrian": "table",
    "one-dim": "table",
    "k-optimize": "table",
    "incognito": "table",
    "tds": "table",
    "tdr": "table",
}
"""What each method releases: a tree, which is the model itself, or a table, which C4.5 learns from."""
TREE, TABLE = "grouped", "kactus"
"""The tree and the table that are set beside all others."""


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Accuracy along k, a line a method, between two dashed ones."""
    means = _means(table)
    names = list(METHODS)
    order = sorted(means["k"].unique())
    k = alt.X("k:O", sort=order, axis=alt.Axis(labelAngle=0))
    y = alt.Y("accuracy:Q", scale=alt.Scale(zero=False), axis=alt.Axis(format=".0%"))
    along = (
        alt.Chart(means.filter(pl.col("method").is_in(names)).select("method", "kind", "k", "accuracy"))
        .mark_line(point=alt.OverlayMarkDef(size=32), strokeWidth=1.8)
        .encode(
            x=k,
            y=y,
            color=alt.Color("method:N", sort=names, scale=alt.Scale(domain=names, range=[*COLORS, *MORE])),
            strokeDash=alt.StrokeDash(
                "kind:N", legend=None, scale=alt.Scale(domain=["tree", "table"], range=[[1, 0], [5, 3]])
            ),
            tooltip=["method", "k", alt.Tooltip("accuracy:Q", format=".2%")],
        )
    )
    ends = means.filter(~pl.col("method").is_in(names)).group_by("method").agg(pl.col("accuracy").mean())
    bounds = alt.Chart(ends)
    rules = bounds.mark_rule(color="#666666", strokeWidth=2).encode(y="accuracy:Q")
    # Each name stands where no method has a line: the ceiling's on the right, the floor's on the left.
    named = [bounds.transform_filter(alt.datum.method == name).mark_text for name in (RAW, FLOOR)]
    told = [
        named[0](align="right", dx=-4, dy=-7, color="#444444", x="width").encode(y="accuracy:Q", text="method:N"),
        named[1](align="left", dx=4, dy=-7, color="#444444", x=0).encode(y="accuracy:Q", text="method:N"),
    ]
    chart = alt.layer(rules, along, *told).properties(
        width=520,
        height=360,
        background="white",
        title=alt.Title(
            "Adult: accuracy along k, every method on the same folds",
            subtitle="solid: a tree is released; dashed: a table, which C4.5 learns from",
        ),
    )
    return {"accuracy": chart}


def found(table: pl.DataFrame) -> str:
    """Ours, and who is best where."""
    means = _means(table)
    cells = {(row["k"], row["method"]): row for row in means.iter_rows(named=True)}
    order = sorted({k for k, _ in cells})
    names = [RAW, *METHODS, FLOOR]
    accuracy = [(k, *(_shown(cells, k, name) for name in names)) for k in order]
    seconds = [
        (name, kind, *(None if (k, name) not in cells else f"{cells[k, name]['seconds']:.1f}" for k in order))
        for name, kind in METHODS.items()
    ]
    withheld = [
        f"{name} {100 * cells[k, name]['withheld']:.1f}% at k = {k}"
        for name in METHODS
        for k in order
        if (k, name) in cells and (cells[k, name]["withheld"] or 0) >= 0.0005
    ]
    return "\n\n".join(
        [
            "Ours, accuracy in percent (means over folds):\n\n" + markdown(["k", *names], accuracy),
            _best(cells, order),
            _spread(table),
            _wins(table),
            "Seconds of the processor, to make the tree, or to make the table and learn from it:\n\n"
            + markdown(["method", "releases", *(f"k = {k}" for k in order)], seconds),
            f"People withheld: {', '.join(withheld) or 'none'}.",
        ]
    )


def _means(table: pl.DataFrame) -> pl.DataFrame:
    spent = pl.sum_horizontal(pl.col("making", "learning").cast(pl.Float64)).alias("seconds")
    measures = ("accuracy", "seconds", "withheld")
    mean = [pl.col(name).cast(pl.Float64).mean() for name in measures]
    return table.with_columns(spent).group_by("k", "method", "kind", maintain_order=True).agg(*mean)


def _shown(cells: Mapping[tuple[int, str], dict[str, Any]], k: int, name: str) -> str | None:
    reached = cells[k, name]["accuracy"] if (k, name) in cells else None
    return None if reached is None else f"{100 * reached:.2f}"


def _best(cells: Mapping[tuple[int, str], dict[str, Any]], order: list[int]) -> str:
    """Which method is best at each k, among trees and among tables."""
    said = []
    for kind in ("tree", "table"):
        best: dict[str, list[str]] = {}
        for k in order:
            ranked = {name: cells[k, name]["accuracy"] or 0.0 for name, what in METHODS.items() if what == kind}
            best.setdefault(max(ranked, key=lambda name: ranked[name]), []).append(str(k))
        said.append(f"of {kind}s " + ", ".join(f"{name} at k = {', '.join(where)}" for name, where in best.items()))
    return f"Best: {'; '.join(said)}."


def _spread(table: pl.DataFrame) -> str:
    """How far folds are apart, lest smaller differences be read."""
    gap = 100 * (pl.col("accuracy").max() - pl.col("accuracy").min())
    apart = table.group_by("k", "method").agg(gap.alias("gap"))["gap"].drop_nulls()
    middle, most = (float(each) for each in np.quantile(apart.to_numpy(), [0.5, 1]))
    return f"Folds differ by {middle:.2f} points in the median cell, and by {most:.2f} at most."


def _wins(table: pl.DataFrame) -> str:
    """In how many cells a tree and a table are at least as good as the others, for means hide how sure that is."""
    reached = {(row["fold"], row["k"], row["method"]): row["accuracy"] or 0.0 for row in table.iter_rows(named=True)}
    cells = sorted({key[:2] for key in reached})
    said = []
    for one, others in ((TREE, METHODS), (TABLE, [name for name in METHODS if METHODS[name] == "table"])):
        won = {
            name: sum(reached[*cell, one] >= reached[*cell, name] for cell in cells) for name in others if name != one
        }
        said.append(f"{one} is at least as good as " + ", ".join(f"{name} in {many}" for name, many in won.items()))
    return f"Of {len(cells)} cells (a fold and a k), {'; '.join(said)}."
