"""The charts of a page: what is drawn, and what a reader who cannot see it is told instead."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from kspan.audit.risk import Sizes
from kspan.report.cost_chart import cost_chart
from kspan.report.cost_chart import in_words as cost_in_words
from kspan.report.pictures.clusters import ClustersPicture
from kspan.report.pictures.clusters_spec import clusters_chart
from kspan.report.pictures.itemsets import ItemsetsPicture, itemsets_chart
from kspan.report.pictures.rules import RulesPicture, rules_chart
from kspan.report.pictures.tree import TreePicture
from kspan.report.pictures.tree_spec import described as in_words
from kspan.report.pictures.tree_spec import tree_spec
from kspan.report.summary import ColumnChange, State, Summary

BEFORE, AFTER = "#E69F00", "#0072B2"
"""Colors that people with color blindness can tell apart, too (Okabe and Ito)."""
INK = "currentColor"
FONT = "system-ui, sans-serif"


@dataclass(frozen=True)
class Figure:
    """A picture, and the same in words."""

    spec: dict[str, Any]
    """The picture as a Vega specification."""
    label: str
    kind: str = "chart"


def figures(summary: Summary) -> dict[str, Figure]:
    """Return all figures of a chapter by name."""
    made: dict[str, Figure] = {}
    if summary.after is not None:
        made["sizes"] = Figure(compiled(sizes_chart(summary.after, summary.before, summary.k)), sizes_label(summary))
    for number, change in enumerate(summary.columns):
        if change.bars:
            label = f"Values of {change.name}: the share of people before and as far as the release shows it."
            made[f"column{number}"] = Figure(compiled(bars_chart(change)), label)
    # A single k makes no curve: the costs of the release tell its accuracy in a sentence.
    if summary.curve is not None and len(summary.curve.points) > 1:
        made["curve"] = Figure(compiled(cost_chart(summary.curve)), cost_in_words(summary.curve))
    picture = summary.picture
    if isinstance(picture, TreePicture):
        label = in_words(picture)
        made["tree"] = Figure(tree_spec(picture), label, "tree")
    elif isinstance(picture, ClustersPicture):
        label = "The clusters by their centers; they are listed in the table below."
        made["clusters"] = Figure(clusters_chart(picture), label, "clusters")
    elif isinstance(picture, RulesPicture):
        made["rules"] = Figure(
            compiled(rules_chart(picture)),
            "Support and confidence of the rules, as listed below.",
        )
    elif isinstance(picture, ItemsetsPicture):
        made["itemsets"] = Figure(compiled(itemsets_chart(picture)), "Support of the itemsets, as listed below.")
    return made


def sizes_label(summary: Summary) -> str:
    """The distribution of crowd sizes in words."""
    assert summary.after is not None
    told = _in_words(summary.after)
    return f"How many people have a crowd of which size. Now: {told}." + (
        "" if summary.before is None else f" Before: {_in_words(summary.before)}."
    )


@dataclass(frozen=True)
class SizeRow:
    """The people in crowds of about one size."""

    name: str
    before: int
    after: int
    crowds: int


def size_rows(summary: Summary) -> list[SizeRow]:
    """What the chart of crowd sizes shows, as a table."""
    assert summary.after is not None
    now = {size.at_least: size for size in summary.after.sizes}
    then = {} if summary.before is None else {size.at_least: size for size in summary.before.sizes}
    return [
        SizeRow(
            span_text(now.get(start) or then[start]),
            then[start].people if start in then else 0,
            now[start].people if start in now else 0,
            now[start].crowds if start in now else 0,
        )
        for start in sorted({*now, *then})
    ]


def _in_words(state: State) -> str:
    return ", ".join(f"{size.people:,} in crowds of {span_text(size)}" for size in state.sizes)


def span_text(size: Sizes) -> str:
    """Write a range of sizes as people do, such as 5–9, or a single number if both ends are the same."""
    return f"{size.at_least:,}" if size.at_least == size.at_most else f"{size.at_least:,}–{size.at_most:,}"


def sizes_chart(after: State, before: State | None, k: int = 1, *, width: int | str = "container") -> Any:
    """Draw the share of people by the size of their crowd, before and after."""
    states = [("before", before), ("released", after)] if before is not None else [("released", after)]
    rows = [
        {"when": when, "size": span_text(size), "share": size.people / state.people, "people": size.people,
         "crowds": size.crowds}
        for when, state in states if state is not None for size in state.sizes
    ]  # fmt: skip
    sizes = {size.at_least: span_text(size) for _, state in states if state is not None for size in state.sizes}
    order = [sizes[start] for start in sorted(sizes)]
    chart = (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X(
                "size:N",
                sort=order,
                title="people in the crowd",
                axis=alt.Axis(labelAngle=0, labelOverlap="greedy"),
            ),
            y=alt.Y("share:Q", title="share of people", axis=alt.Axis(format="%", tickCount=5)),
            color=_when([when for when, _ in states]),
            tooltip=[
                alt.Tooltip("when:N", title="table"),
                alt.Tooltip("size:N", title="people in the crowd"),
                alt.Tooltip("people:Q", format=",", title="people"),
                alt.Tooltip("share:Q", format=".2%", title="share"),
                alt.Tooltip("crowds:Q", format=",", title="crowds"),
            ],
        )
    )
    if before is not None:
        chart = chart.encode(xOffset=alt.XOffset("when:N", sort=["before", "released"]))
    from_k = sorted(
        size.at_least for _, state in states if state is not None for size in state.sizes if size.at_most >= k
    )
    if k > 1 and from_k:
        # The line stands in front of the first bar of k or more, or in the middle of a bar that has k inside.
        promised = alt.Chart(pl.DataFrame({"size": [sizes[from_k[0]]], "says": [f"required: at least {k:,}"]})).encode(
            x=alt.X("size:N", sort=order, bandPosition=0 if from_k[0] >= k else 0.5)
        )
        chart += promised.mark_rule(strokeDash=[4, 3], color=INK, opacity=0.7)
        chart += promised.mark_text(align="left", dx=4, baseline="top", color=INK).encode(y=alt.value(0), text="says:N")
    return chart.properties(width=width, height=200)


def bars_chart(change: ColumnChange) -> Any:
    """Draw how the values of a column spread, before and, as far as cells tell, in the release."""
    rows = [
        {"value": bar.name, "when": when, "share": share}
        for bar in change.bars
        for when, share in (("before", bar.before), ("released", bar.after))
    ]
    return (
        alt.Chart(pl.DataFrame(rows))
        .mark_bar()
        .encode(
            y=alt.Y("value:N", sort=[bar.name for bar in change.bars], title=None, axis=alt.Axis(labelLimit=150)),
            yOffset=alt.YOffset("when:N", sort=["before", "released"]),
            x=alt.X("share:Q", title=None, axis=alt.Axis(format="%", tickCount=4)),
            color=_when(["before", "released"], legend=False),
            tooltip=[
                alt.Tooltip("value:N", title="value"),
                alt.Tooltip("when:N", title="table"),
                alt.Tooltip("share:Q", format=".1%", title="people"),
            ],
        )
        .properties(width=200, height=alt.Step(9))
    )


def _when(names: Sequence[str], *, legend: bool = True) -> Any:
    colors = {"before": BEFORE, "released": AFTER}
    return alt.Color(
        "when:N",
        scale=alt.Scale(domain=list(names), range=[colors[name] for name in names]),
        legend=alt.Legend(title=None, orient="top") if legend and len(names) > 1 else None,
    )


def compiled(chart: Any) -> dict[str, Any]:
    """Return a chart as a Vega specification, in the colors of the page around it."""
    import vl_convert

    words = {"labelColor": INK, "titleColor": INK, "labelFont": FONT, "titleFont": FONT}
    lines = {"gridColor": INK, "gridOpacity": 0.15, "domainColor": INK, "tickColor": INK, "domainOpacity": 0.5}
    themed = (
        chart.configure_view(stroke=None)
        .configure_axis(**words, **lines, titleFontWeight="normal")
        .configure_legend(**words)
        .configure_title(color=INK, font=FONT)
        .configure_text(color=INK, font=FONT)
        .properties(background="transparent")
    )
    spec: dict[str, Any] = vl_convert.vegalite_to_vega(themed.to_dict())
    return spec
