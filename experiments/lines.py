"""Line charts with a panel a data set."""

from typing import Any

import altair as alt
import polars as pl

from kspan.report.charts import COLORS

WIDTH, HEIGHT = 250, 190
MORE = ["#882255", "#999933", "#8C564B", "#A0A0A0"]
"""Colors for charts with many lines."""


def lines(
    table: pl.DataFrame,
    x: str,
    y: str,
    color: str,
    title: str,
    *,
    facet: str | None = "data",
    order: Any = None,
    form: str = "~%",
) -> Any:
    """What changes along `x`, a line a `color`; what was not reached is a gap."""
    names = list(dict.fromkeys(table[color]))
    kind = "O" if order is not None or x == "sources" else "N"
    shown = table.select(*dict.fromkeys([x, y, color, *([facet] if facet else [])]))
    chart = (
        alt.Chart(shown)
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.6)
        .encode(
            x=alt.X(f"{x}:{kind}", sort=order, title=x, axis=alt.Axis(labelAngle=-60 if order is not None else 0)),
            y=alt.Y(f"{y}:Q", title=y.replace("_", " "), scale=alt.Scale(zero=False), axis=alt.Axis(format=form)),
            color=alt.Color(f"{color}:N", sort=names, scale=alt.Scale(domain=names, range=_colors(len(names)))),
            strokeDash=alt.StrokeDash(f"{color}:N", sort=names, legend=None),
            tooltip=[facet or color, x, color, alt.Tooltip(f"{y}:Q", format=".2%")],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    if facet is not None:
        chart = chart.facet(
            facet=alt.Facet(f"{facet}:N", title=None, sort=list(dict.fromkeys(table[facet]))), columns=2
        )
        chart = chart.resolve_scale(x="independent", y="independent")
    return chart.properties(title=alt.Title(title, anchor="start"), background="white")


def _colors(number: int) -> list[str]:
    palette = [*COLORS, *MORE]
    return [palette[place % len(palette)] for place in range(number)]
