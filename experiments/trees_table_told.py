"""What was found of the classification metric, in a chart and in words."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from experiments.page import markdown
from experiments.stated import Ours, beside, stated
from kspan.report.charts import COLORS

NAME, PAPERS = "trees-table", "001"
KS = (10, 25, 50, 100)
TREE, OPTIMIZE = "kadet", "k-optimize"
AGE = "7 categorical and age"


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """CM along k, published and ours."""
    published = [
        {"k": int(quantity.rsplit(" ", 1)[1]), "cm": int(number), "series": f"{quantity.split(',')[0]} (published)"}
        for quantity, text in stated(NAME, PAPERS).select("quantity", "published").rows()
        for number in text.split(" to ")
    ]
    ours = [
        {"k": row["k"], "cm": row["cm"], "series": f"{row['method']}, {row['attributes']} (ours)"}
        for row in table.iter_rows(named=True)
    ]
    shown = pl.DataFrame([*published, *ours])
    names = list(dict.fromkeys(shown["series"]))
    chart = (
        alt.Chart(shown)
        .mark_point(filled=True, size=60, opacity=0.8)
        .encode(
            x=alt.X("k:O", sort=list(KS), axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("series:N", sort=names),
            y=alt.Y("cm:Q", title="people outside the majority", scale=alt.Scale(zero=False)),
            color=alt.Color(
                "series:N", title=None, scale=alt.Scale(domain=names, range=COLORS), legend=alt.Legend(labelLimit=260)
            ),
            shape=alt.Shape("series:N", title=None, scale=alt.Scale(domain=names)),
            tooltip=["k", "series", "cm"],
        )
        .properties(width=420, height=260, background="white", title="Classification metric (Table 6)")
    )
    return {"cm": chart}


def found(table: pl.DataFrame) -> str:
    """Ours, beside what was published."""
    return "\n\n".join(
        [
            "Published and ours (7 categorical attributes; people outside the majority):\n\n"
            + beside(NAME, PAPERS, compared(table)),
            "All of ours (withheld people count as outside; seconds of the processor):\n\n"
            + markdown(
                ["attributes", "method", "k", "CM", "withheld", "seconds"],
                [
                    (
                        row["attributes"],
                        row["method"],
                        row["k"],
                        row["cm"],
                        row["withheld"],
                        f"{row['seconds']:.2f}",
                    )
                    for row in table.iter_rows(named=True)
                ],
            ),
        ]
    )


def compared(table: pl.DataFrame) -> Mapping[str, Ours]:
    """Ours for every cell of the table."""
    seven = table.filter(pl.col("attributes") != AGE)
    return {
        f"{name}, CM at k = {row['k']}": row["cm"]
        for method, name in ((TREE, "Anonymous-DT"), (OPTIMIZE, "k-optimal"))
        for row in seven.filter(pl.col("method") == method).iter_rows(named=True)
    }
