"""How long kACTUS took, in a chart and in words."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from experiments.page import markdown
from kspan.report.charts import COLORS

PUBLISHED = Path(__file__).parent / "published" / "003-seconds.csv"
HEAD = (
    "factor", "rows", "C4.5, published", "C4.5, ours", "anonymity, published", "release, ours", "published / ours",
    "rows a second, ours", "leaves", "groups",
)  # fmt: skip


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Seconds by the number of rows."""
    theirs = pl.read_csv(PUBLISHED)
    lines = [
        {"rows": row["rows"], "seconds": row[column], "what": what}
        for source, names in (
            (theirs, {"training": "C4.5, published", "anonymity": "anonymity, published"}),
            (table, {"training": "C4.5, ours", "release": "whole release, ours"}),
        )
        for column, what in names.items()
        for row in source.iter_rows(named=True)
    ]
    names = list(dict.fromkeys(line["what"] for line in lines))
    chart = (
        alt.Chart(pl.DataFrame(lines))
        .mark_line(point=True)
        .encode(
            x=alt.X("rows:Q"),
            y=alt.Y("seconds:Q", scale=alt.Scale(type="log")),
            color=alt.Color(
                "what:N", sort=names, title=None, scale=alt.Scale(domain=names, range=list(COLORS[: len(names)]))
            ),
        )
        .properties(
            width=420, height=240, background="white", title=alt.Title("Seconds by rows (Table 6)", anchor="start")
        )
    )
    return {"seconds": chart}


def found(table: pl.DataFrame) -> str:
    """Ours beside Table 6."""
    theirs = {row["factor"]: row for row in pl.read_csv(PUBLISHED).iter_rows(named=True)}
    rows = []
    for ours in table.sort("factor").iter_rows(named=True):
        said = theirs.get(ours["factor"])
        rows.append(
            (
                ours["factor"],
                ours["rows"],
                said and str(said["training"]),
                f"{ours['training']:.2f}",
                said and str(said["anonymity"]),
                f"{ours['release']:.2f}",
                said and f"{said['anonymity'] / ours['release']:.0f} times",
                f"{ours['rows'] / ours['release']:,.0f}",
                ours["leaves"],
                ours["groups"],
            )
        )
    gone = max(table["withheld"])
    head = "Seconds (k=150; ours with coding, tree, pruning and audit):"
    return f"{head}\n\n{markdown(HEAD, rows)}\n\nRows withheld: {gone} at most."
