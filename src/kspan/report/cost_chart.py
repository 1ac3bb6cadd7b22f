"""What each k costs, to look at: accuracy and loss over k, with the k that was chosen."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import numpy as np

from kspan.evaluate.cost import CostCurve, CostPoint
from kspan.evaluate.errors import share_explained
from kspan.report.charts import COLORS, harmless

WIDTH, TALL, LOW = 560, 220, 130
INK = "currentColor"
"""The color of the text around the chart, so that it can be read in dark mode and on paper."""
Align = Literal["left", "center", "right"]
WORDS, ROOM = 190, 14
"""The width of the longest name in the chart, and the distance from a line at which it is easy to read, in pixels."""
CROSS = "M-1,-1L1,1M1,-1L-1,1"
LOST, WITHHELD = "detail lost in public cells", "rows withheld"
RIGHT, EXPLAINED = "people predicted right", "explained of how people differ"
FACTS = {
    "accuracy": (RIGHT, ".1%"),
    "explained": (EXPLAINED, ".1%"),
    "loss": (LOST, ".1%"),
    "suppressed": ("public cells suppressed", ".1%"),
    "withheld": (WITHHELD, ".1%"),
    "crowds": ("groups or spans", ","),
}


def cost_chart(curve: CostCurve) -> Any:
    """Draw accuracy over k, between that of raw rows and that of guessing, and below it what the table loses.

    Trees of numbers are neither right nor wrong: how much they explain is drawn.
    """
    panels = []
    if curve.target is not None:
        panels.append((TALL, _measured(curve)))
    if not panels or any(point.loss is not None for point in curve.points):
        panels.append((LOW, _loss(curve)))
    drawn = []
    for place, (height, marks) in enumerate(panels):
        # Later layers cover earlier ones: the line of the chosen k stays behind the curves.
        layers = [*_chosen(curve, named=place == 0), *marks, *_refused(curve, height)]
        drawn.append(alt.layer(*layers).properties(width=WIDTH, height=height))
    whole = alt.vconcat(*drawn, spacing=16).resolve_legend(color="independent", strokeDash="independent")
    quiet = {"labelColor": INK, "titleColor": INK}
    return (
        whole.properties(description=in_words(curve), background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            **quiet, domainColor=INK, tickColor=INK, gridColor=INK, gridOpacity=0.15, domainOpacity=0.5, tickOpacity=0.5
        )
        .configure_legend(**quiet)
    )


def in_words(curve: CostCurve) -> str:
    """The chart in words, for those who cannot see it."""
    said = [f"What k costs with {harmless(curve.method)}."]
    if curve.of_numbers and curve.ceiling is not None:
        said.append(f"A tree without any promise explains {share_explained(curve.ceiling)} of how people differ.")
    elif curve.ceiling is not None and curve.floor is not None:
        said.append(
            f"{curve.ceiling:.1%} of people are predicted right by what raw rows teach, {curve.floor:.1%} by always "
            "saying the commonest label."
        )
    for point in curve.points:
        right = [] if point.accuracy is None else [f"{point.accuracy:.1%} of people are predicted right"]
        if point.explained is not None:
            right = [f"{share_explained(point.explained)} of how people differ is explained"]
        lost = [] if point.loss is None else [f"{point.loss:.1%} of the detail in public cells is lost"]
        left = "there is no release" if point.refused is not None else " and ".join(right + lost)
        said.append(f"At k = {point.k:,} {left}.")
    return " ".join([*said, f"The chosen k is {curve.chosen:,}."])


def _measured(curve: CostCurve) -> list[Any]:
    """Draw how well people are predicted, between what raw rows teach and what a guess reaches."""
    what, title, above, below = ("accuracy", RIGHT, "learned from raw rows", "always the commonest label")
    if curve.of_numbers:
        what, title, above, below = ("explained", EXPLAINED, "without any promise", "always the mean")
    rows = [row for point in curve.points if what in (row := _row(point))]
    levels = [level for level in (curve.ceiling, curve.floor) if level is not None]
    domain = _around([*levels, *(row[what] for row in rows)], below_zero=curve.of_numbers)
    y = _share(f"{what}:Q", title, domain)
    base = _over(rows).encode(x=_x(curve), y=y, tooltip=_told(rows))
    line = AccuracyLine([row["k"] for row in rows], [row[what] for row in rows], _reach(curve), domain)
    return [
        *_level(curve.ceiling, above, what, line, above=True),
        *_level(curve.floor, below, what, line, above=False),
        base.mark_line(color=COLORS[0], strokeWidth=2.5),
        base.mark_point(color=COLORS[0], filled=True, size=70, opacity=1),
    ]


def _loss(curve: CostCurve) -> list[Any]:
    """Draw the loss of cells and the rows withheld, if there are any; color, shape and dashes tell them apart."""
    reached = [point for point in curve.points if point.loss is not None]
    rows = [{**_row(point), "what": LOST, "share": point.loss} for point in reached]
    if any(point.withheld for point in reached):
        rows += [{**_row(point), "what": WITHHELD, "share": point.withheld} for point in reached]
    names, colors = [LOST, WITHHELD], [COLORS[1], COLORS[2]]
    legend = (
        alt.Legend(title=None, orient="bottom", symbolType="stroke", symbolSize=300)
        if len(rows) > len(reached)
        else None
    )
    highest = max((row["share"] for row in rows), default=1.0)
    base = _over(rows).encode(
        x=_x(curve),
        # Where nothing is lost at any k, the axis would have no length without the last alternative.
        y=_share("share:Q", "share lost" if legend else LOST, [0, min(1.0, highest * 1.25) or 1.0]),
        color=alt.Color("what:N", scale=alt.Scale(domain=names, range=colors), legend=legend),
        tooltip=_told(rows),
    )
    dashes = alt.StrokeDash("what:N", scale=alt.Scale(domain=names, range=[[1, 0], [5, 3]]), legend=legend)
    shapes = alt.Shape("what:N", scale=alt.Scale(domain=names, range=["circle", "square"]), legend=None)
    return [
        base.mark_line(strokeWidth=2.5).encode(strokeDash=dashes),
        base.mark_point(filled=True, size=60, opacity=1).encode(shape=shapes),
    ]


@dataclass(frozen=True)
class AccuracyLine:
    """Where the line of accuracy runs, so that words can keep away from it."""

    ks: Sequence[int]
    accuracy: Sequence[float]
    reach: tuple[float, float]
    domain: Sequence[float]

    def distance(self, level: float, dy: int, *, right: bool) -> float:
        """Return how far the name of a level is from the line, in pixels.

        `dy` is the offset of the name from the level, and `right` says at which end of the level it stands.
        """
        if not self.ks:
            return math.inf
        low, high = np.log(self.reach)
        begin = 1 - WORDS / WIDTH if right else 0.0
        across = low + (high - low) * np.linspace(begin, begin + WORDS / WIDTH, 20)
        line = np.interp(across, np.log(self.ks), self.accuracy)
        there = (across >= np.log(self.ks[0])) & (across <= np.log(self.ks[-1]))
        # Pixels are counted downward, so a name above the level has a negative `dy`, and its distance is a sum.
        height = (line - level) / (self.domain[1] - self.domain[0]) * TALL + dy
        return float(np.abs(height[there]).min(initial=TALL))


def _level(level: float | None, name: str, what: str, line: AccuracyLine, *, above: bool) -> list[Any]:
    """Draw a level as a dashed line, with its name on the side and at the end where there is room."""
    if level is None:
        return []
    sides = (-8, 9) if above else (9, -8)
    spots = [(dy, right) for dy in sides for right in (above, not above)]
    # Room beyond `ROOM` makes a spot no better, so that the first one with enough room wins.
    dy, right = max(spots, key=lambda spot: min(line.distance(level, spot[0], right=spot[1]), ROOM))
    align: Align = "right" if right else "left"
    base = _over([{what: level, "name": f"{name}: {level:.1%}"}]).encode(y=f"{what}:Q", tooltip="name:N")
    return [
        base.mark_rule(color=INK, strokeDash=[5, 4], opacity=0.7),
        base.mark_text(color=INK, align=align, dy=dy, fontSize=11).encode(
            x=alt.value(WIDTH - 4 if right else 4), text="name:N"
        ),
    ]


def _chosen(curve: CostCurve, *, named: bool) -> list[Any]:
    """Draw a vertical line at the chosen k; if `named`, with its name above the panel."""
    low, high = _reach(curve)
    if not low <= curve.chosen <= high:
        return []
    name = f"chosen: k = {curve.chosen:,}"
    base = _over([{"k": curve.chosen, "name": name}]).encode(x=_x(curve), tooltip="name:N")
    place = math.log(curve.chosen / low) / math.log(high / low)
    # A centered name would be cut off at the edge of the panel.
    align: Align = "left" if place < 0.1 else "right" if place > 0.9 else "center"
    text = base.mark_text(color=INK, align=align, fontWeight="bold", fontSize=11)
    return [
        base.mark_rule(color=INK, strokeWidth=1.5, opacity=0.6),
        *([text.encode(text="name:N", y=alt.value(-8))] if named else []),
    ]


def _refused(curve: CostCurve, height: int) -> list[Any]:
    """Draw a cross on the axis at every k that has no release; its tooltip says why."""
    rows = [{"k": point.k, "why": harmless(point.refused)} for point in curve.points if point.refused is not None]
    if not rows:
        return []
    told = [alt.Tooltip("k:Q", format=",", title="k"), alt.Tooltip("why:N", title="no release")]
    marks = _over(rows).mark_point(shape=CROSS, size=50, strokeWidth=2, color=INK, opacity=1)
    return [marks.encode(x=_x(curve), y=alt.value(height), tooltip=told)]


def _over(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return a chart of some rows; there may be none."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def _x(curve: CostCurve) -> Any:
    ks = sorted({point.k for point in curve.points})
    axis = alt.Axis(values=ks, format=",", labelOverlap="greedy", grid=False)
    scale = alt.Scale(type="log", domain=list(_reach(curve)), nice=False)
    return alt.X("k:Q", title="k: everybody must stand in a crowd of at least so many", scale=scale, axis=axis)


def _reach(curve: CostCurve) -> tuple[float, float]:
    """Return where the axis of k begins and ends: a little outside of all k that were tried."""
    ks = [point.k for point in curve.points]
    return min(ks) / 1.2, max(ks) * 1.2


def _share(what: str, title: str, domain: Sequence[float]) -> Any:
    scale = alt.Scale(domain=list(domain), zero=False, nice=False)
    return alt.Y(
        what,
        title=title,
        scale=scale,
        axis=alt.Axis(format=".0%" if domain[1] - domain[0] > 0.05 else ".1%", tickCount=5),
    )


def _around(values: Sequence[float], *, below_zero: bool = False) -> list[float]:
    """Return a range a little wider than all values, so that none lies on the edge; a share is not `below_zero`."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = max((high - low) * 0.15, 0.01)
    return [low - room if below_zero else max(low - room, 0.0), min(high + room, 1.0)]


def _row(point: CostPoint) -> dict[str, Any]:
    return {"k": point.k, **{name: getattr(point, name) for name in FACTS if getattr(point, name) is not None}}


def _told(rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    known = {name for row in rows for name in row}
    facts = [
        alt.Tooltip(f"{name}:Q", title=title, format=form) for name, (title, form) in FACTS.items() if name in known
    ]
    return [alt.Tooltip("k:Q", format=","), *facts]
