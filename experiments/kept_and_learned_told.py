"""What was found of what tables keep and teach, in one chart and in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import altair as alt
import numpy as np
import polars as pl

from experiments.lines import MORE
from experiments.page import markdown
from kspan.report.charts import COLORS

NAME = "kept-and-learned"
RAW, FLOOR = "raw rows", "majority label"
METHODS = {
    "crowd": "crowd",
    "kactus": "kactus",
    "kactus (paper)": "kactus",
    "mondrian": "mondrian",
    "one-dim": "one-dim",
    "tds": "tds",
    "tdr": "tdr",
    "incognito": "incognito",
    "k-optimize": "k-optimize",
}
"""The method behind each name."""
LEARNERS = {"c45": "C4.5", "boosted": "boosting", "marginals": "boosting with marginals"}
SECONDS = ("making", *(f"{learner}_seconds" for learner in LEARNERS))
MEASURES = ("ncp", "blank", "cm", "withheld", *LEARNERS, *SECONDS)
GOALS = {10: 0.862, 100: 0.855}
"""What boosting with marginals was to reach from crowd's table of half of Adult, by k."""
MOST_BLANK = 0.05
WIDTH, HEIGHT = 340, 300
Cells: TypeAlias = Mapping[tuple[str, int, str], Mapping[str, Any]]


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Accuracy against information kept, a point a method and k, a panel a data set."""
    mean = means(table)
    panels = [_panel(mean.filter(data=name), name, _ks(mean)) for name in _names(mean)]
    title = alt.Title(
        "What tables keep, and what is learned from them",
        subtitle="accuracy of boosting with marginals, of people not learned from; dashed: boosting from raw rows",
        anchor="start",
        offset=12,
    )
    return {"accuracy": alt.concat(*panels, columns=2).properties(title=title, background="white")}


def _panel(mean: pl.DataFrame, name: str, ks: Sequence[int]) -> Any:
    kept = (1 - pl.col("ncp")).alias("kept")
    points = mean.filter(pl.col("method").is_in(list(METHODS))).drop_nulls("marginals")
    shown = points.select("method", "k", kept, pl.col("marginals").alias("accuracy"))
    raw = mean.filter(method=RAW).select(pl.col("boosted").mean().alias("accuracy"))
    x = alt.X("kept:Q", title="information kept (1 - NCP)", scale=_scale(shown["kept"]), axis=alt.Axis(format=".0%"))
    reached = pl.concat([shown["accuracy"], raw["accuracy"]])
    y = alt.Y("accuracy:Q", title="accuracy", scale=_scale(reached), axis=alt.Axis(format="~%"))
    color = alt.Color(
        "method:N",
        sort=list(METHODS),
        scale=alt.Scale(domain=list(METHODS), range=[*COLORS, *MORE]),
        legend=alt.Legend(symbolOpacity=1, symbolType="circle", symbolStrokeWidth=0),
    )
    shape = alt.Shape("k:N", sort=list(ks), scale=alt.Scale(domain=list(ks), range=["circle", "square", "triangle-up"]))
    base = alt.Chart(shown).encode(x=x, y=y, color=color)
    joined = base.mark_line(strokeWidth=1, opacity=0.5).encode(order="k:Q")
    marked = base.mark_point(size=75, filled=True, opacity=0.9).encode(
        shape=shape,
        tooltip=["method", "k", alt.Tooltip("kept:Q", format=".1%"), alt.Tooltip("accuracy:Q", format=".2%")],
    )
    ceiling = alt.Chart(raw).mark_rule(color="#666666", strokeDash=[6, 4], strokeWidth=1.5).encode(y=y)
    return alt.layer(ceiling, joined, marked).properties(width=WIDTH, height=HEIGHT, title=name)


def _scale(numbers: pl.Series) -> alt.Scale:
    """Somewhat more than the numbers take, so that no point is at the edge."""
    low, high = float(np.min(numbers.to_numpy())), float(np.max(numbers.to_numpy()))
    edge = 0.06 * (high - low) or 0.01
    return alt.Scale(domain=[max(0.0, low - edge), min(1.0, high + edge)], nice=False, zero=False)


def found(table: pl.DataFrame) -> str:
    """All that was measured, and what follows from it."""
    mean = means(table)
    cells = by_cell(mean)
    return "\n\n".join(
        [
            *(_told(cells, name) for name in _names(mean)),
            *_goals(cells, table),
            _best(cells),
            _unbeaten(cells),
            _marginals(table),
            _wins(table),
            _spread(table),
        ]
    )


def means(table: pl.DataFrame) -> pl.DataFrame:
    """The mean of every measure over the halves."""
    mean = [pl.col(name).cast(pl.Float64).mean() for name in MEASURES]
    halves = pl.col("fold").n_unique().alias("halves")
    return table.group_by("data", "k", "method", maintain_order=True).agg(*mean, halves)


def by_cell(mean: pl.DataFrame) -> Cells:
    """Means by data set, k and method."""
    return {(row["data"], row["k"], row["method"]): row for row in mean.iter_rows(named=True)}


def _names(table: pl.DataFrame) -> list[str]:
    return list(dict.fromkeys(table["data"]))


def _ks(table: pl.DataFrame) -> list[int]:
    return sorted(table["k"].unique().to_list())


def _pairs(cells: Cells) -> list[tuple[str, int]]:
    """Each data set with each of its k."""
    return list(dict.fromkeys((name, k) for name, k, _ in cells))


def _told(cells: Cells, name: str) -> str:
    """All that was measured of a data set."""
    head = ["k", "method", "kept", "blank", "CM", "withheld", *LEARNERS.values(), "seconds to make", "to learn"]
    asked = [k for data, k in _pairs(cells) if data == name]
    rows = [(k, each, *_figures(cells[name, k, each])) for k in asked for each in (RAW, *METHODS, FLOOR)]
    return f"`{name}`, means of {cells[name, asked[0], RAW]['halves']} halves, in percent:\n\n" + markdown(head, rows)


def _figures(cell: Mapping[str, Any]) -> Iterator[str | None]:
    """Shares in percent, seconds as they are; the last figure is that of learning in the best way."""
    kept = None if cell["ncp"] is None else 1 - cell["ncp"]
    for share in (kept, cell["blank"], cell["cm"], cell["withheld"]):
        yield None if share is None else f"{100 * share:.1f}"
    for learner in LEARNERS:
        yield _percent(cell[learner])
    for seconds in (cell["making"], cell["marginals_seconds"]):
        yield None if seconds is None else f"{seconds:.1f}"


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.2f}"


def _goals(cells: Cells, table: pl.DataFrame) -> Iterator[str]:
    """Whether crowd reached on Adult what it was to reach, and by how much it did not."""
    said = []
    for k, goal in GOALS.items():
        if ("adult", k, "crowd") not in cells:
            continue
        crowd, mondrian = (cells["adult", k, each] for each in ("crowd", "mondrian"))
        ncp = "at most" if crowd["ncp"] <= mondrian["ncp"] else "more than"
        stars = "under" if crowd["blank"] < MOST_BLANK else "not under"
        said.append(
            f"- k = {k}: accuracy {_against(crowd['marginals'], goal)}; NCP {crowd['ncp']:.3f}, {ncp} Mondrian's "
            f"{mondrian['ncp']:.3f} ({_halves_kept(table, k)}); {100 * crowd['blank']:.1f}% of cells show `*`, {stars} "
            f"{100 * MOST_BLANK:.0f}%."
        )
    if said:
        yield "What `crowd` was to reach on Adult, with boosting and marginals:\n\n" + "\n".join(said)


def _halves_kept(table: pl.DataFrame, k: int) -> str:
    """In how many halves of Adult crowd loses no more than Mondrian."""
    both = [table.filter(data="adult", k=k, method=each).sort("fold")["ncp"] for each in ("crowd", "mondrian")]
    return f"in {(both[0] <= both[1]).sum()} of {both[0].len()} halves"


def _against(reached: float, goal: float) -> str:
    """A figure beside its goal.

    >>> _against(0.8634, 0.862), _against(0.85, 0.855)
    ('86.34, goal 86.20 **reached**', '85.00, goal 85.50 **missed by 0.50 points**')
    """
    missed = f"missed by {100 * goal - round(100 * reached, 2):.2f} points"
    return f"{_percent(reached)}, goal {_percent(goal)} **{'reached' if reached >= goal else missed}**"


def ranked(cells: Cells, name: str, k: int) -> list[str]:
    """Methods by what boosting with marginals learns from their tables, the best first."""
    reached = {each: cells[name, k, each]["marginals"] for each in METHODS}
    return sorted((each for each in METHODS if reached[each] is not None), key=lambda each: -reached[each])


def _best(cells: Cells) -> str:
    """Who teaches most where, who comes next, and what is lost beside raw rows."""
    said = []
    for name, k in _pairs(cells):
        first, second = ranked(cells, name, k)[:2]
        most, next_most = (cells[name, k, each]["marginals"] for each in (first, second))
        lost = 100 * (cells[name, k, RAW]["boosted"] - most)
        beside = f"{abs(lost):.2f} points {'below' if lost >= 0 else 'above'} raw rows"
        said.append(f"- {name}, k = {k}: {first} {_percent(most)} ({beside}), then {second} {_percent(next_most)}")
    return "Taught most, to boosting with marginals:\n\n" + "\n".join(said)


def unbeaten(cells: Cells, name: str, k: int) -> list[str]:
    """Methods of which no other keeps more and teaches more."""
    at = {each: (-cells[name, k, each]["ncp"], cells[name, k, each]["marginals"]) for each in ranked(cells, name, k)}
    return [
        each
        for each, (kept, taught) in at.items()
        if not any(more > kept and better > taught for more, better in at.values())
    ]


def _unbeaten(cells: Cells) -> str:
    said = [f"{', '.join(unbeaten(cells, name, k))} ({name}, k = {k})" for name, k in _pairs(cells)]
    return f"No other method both keeps more and teaches more than: {'; '.join(said)}."


def _marginals(table: pl.DataFrame) -> str:
    """What marginals add to boosting, over all tables."""
    both = table.drop_nulls(["boosted", "marginals"])
    more = 100 * (both["marginals"] - both["boosted"])
    mean = float(np.mean(more.to_numpy()))
    return (
        f"Marginals help boosting in {(more > 0).sum()} of {both.height} tables and harm it in {(more < 0).sum()}, "
        f"by {mean:+.2f} points on average."
    )


def _wins(table: pl.DataFrame) -> str:
    """From how many halves crowd's table teaches at least as much as others', for means hide how sure that is."""
    keys = ("data", "k", "fold", "method")
    taught = {tuple(row[key] for key in keys): row["marginals"] or 0.0 for row in table.iter_rows(named=True)}
    said = []
    for name in _names(table):
        cells = sorted({key[:3] for key in taught if key[0] == name})
        won = {
            each: sum(taught[*cell, "crowd"] >= taught[*cell, each] for cell in cells)
            for each in METHODS
            if each != "crowd"
        }
        told = ", ".join(f"{each} {many}" for each, many in won.items())
        said.append(f"- {name}, of {len(cells)} tables: {told}")
    return "`crowd` teaches boosting with marginals at least as much as\n\n" + "\n".join(said)


def _spread(table: pl.DataFrame) -> str:
    """How far halves are apart, lest smaller differences be read."""
    said = []
    for name in _names(table):
        gap = 100 * (pl.col("marginals").max() - pl.col("marginals").min())
        apart = table.filter(data=name).group_by("k", "method").agg(gap.alias("gap"))["gap"].drop_nulls()
        said.append(f"{float(np.median(apart.to_numpy())):.2f} points ({name})")
    return f"Halves differ in the median cell by {', '.join(said)}."
