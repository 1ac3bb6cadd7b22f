"""What was found of twelve releases, in charts and in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from experiments.lines import lines
from experiments.page import markdown

NAME, RAW, LEDGER = "months", "raw rows", "ledger"
CALLED = {
    "shown": "People who are shown",
    "withheld": "People who are there and not shown",
    "kept": "People who left and are still shown",
    "ncp": "NCP in percent, the information that cells lost",
    "accuracy": "Accuracy in percent, on people who are never in the register",
}
TOLD = {
    "k": "The smallest crowd of all months so far, worst draw",
    "failing": "People in crowds that break the requirement, by all months so far",
    "alone": "People who are alone, by all months so far",
    "exposed": "People whose income is certain, by all months so far (the worst month for them)",
}
"""What several releases tell; with a ledger the first two are one sentence."""


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Accuracy and people shown along the months, and who fails without a ledger."""
    means = _means(table).with_columns(share=pl.col("shown") / pl.col("there"))
    months = sorted(means["month"].unique())
    told = means.filter(~_by_ledger() & (pl.col("way") != RAW)).with_columns(share=pl.col("failing") / pl.col("so_far"))
    made = {
        "accuracy": (means, "accuracy", "Accuracy of what is learned, month by month"),
        "shown": (means.filter(_by_ledger()), "share", "Rows shown, per person who is there, with a ledger"),
        "failing": (told, "share", "People given away by all months so far, without a ledger"),
    }
    return {
        ending: lines(rows, "month", y, "way", title, facet="require", order=months)
        for ending, (rows, y, title) in made.items()
    }


def found(table: pl.DataFrame) -> str:
    """Ours, a table a requirement and measure, a column a month."""
    means = _means(table)
    said = [_people(means), _kept_promise(table), _spread(table)]
    for require in dict.fromkeys(means["require"]):
        part = means.filter(pl.col("require") == require)
        said.append(f"### {require}")
        said += [f"{called}:\n\n{_by_month(part, measure)}" for measure, called in CALLED.items()]
        without = part.filter(~_by_ledger())
        said += [f"{called}, without a ledger:\n\n{_by_month(without, measure)}" for measure, called in TOLD.items()]
        said.append(_both_readings(table.filter(pl.col("require") == require)))
    return "\n\n".join(said)


def _by_ledger() -> pl.Expr:
    return pl.col("way").str.contains(LEDGER)


def _means(table: pl.DataFrame) -> pl.DataFrame:
    mean = [
        pl.col(name).cast(pl.Float64).mean() for name in ("there", "so_far", *CALLED, "failing", "alone", "exposed")
    ]
    return table.group_by("require", "way", "month", maintain_order=True).agg(*mean, pl.col("k").min())


def _by_month(part: pl.DataFrame, measure: str) -> str:
    months = sorted(part["month"].unique())
    cells = {(row["way"], row["month"]): row[measure] for row in part.iter_rows(named=True)}
    ways = [way for way in dict.fromkeys(part["way"]) if any(cells[way, month] is not None for month in months)]
    if measure in ("withheld", "kept"):
        ways = [way for way in ways if any(cells[way, month] for month in months)]
    rows = [(way, *(_shown(cells[way, month], measure) for month in months)) for way in ways]
    return markdown(["way", *map(str, months)], rows) if rows else "none."


def _shown(cell: float | None, measure: str) -> str | None:
    if cell is None:
        return None
    return f"{100 * cell:.1f}" if measure in ("ncp", "accuracy") else f"{cell:,.0f}"


def _people(means: pl.DataFrame) -> str:
    there = means.unique("month", maintain_order=True).sort("month")["there"].to_list()
    return "People who are there, month by month: " + ", ".join(f"{number:,.0f}" for number in there) + "."


def _kept_promise(table: pl.DataFrame) -> str:
    """What all months together tell where there is a ledger."""
    beside = table.filter(_by_ledger())
    k, failing, cells = int(_number(beside["k"].min())), int(_number(beside["failing"].sum())), beside.height
    return (
        f"With a ledger, the smallest crowd by all months so far has {k} people, and {failing} people fail, in all "
        f"{cells:,} releases."
    )


def _both_readings(table: pl.DataFrame) -> str:
    """Who fails after the last month, by the crowd that everybody is in, and by all crowds that everybody matches."""
    last = table.filter((pl.col("month") == pl.col("month").max()) & (pl.col("way") != RAW))
    means = last.group_by("way", maintain_order=True).agg(
        pl.col("so_far", "failing", "failing_matched").cast(pl.Float64).mean()
    )
    rows = [(way, *(f"{number:,.0f}" for number in numbers)) for way, *numbers in means.iter_rows()]
    return (
        "People in crowds that break the requirement after the last month, by the crowd that everybody is in (which is "
        "what a ledger keeps), and by all crowds that everybody matches (which is what `ks.audit(..., beside=...)` "
        "finds in tables):\n\n" + markdown(["way", "people so far", "is in", "matches"], rows)
    )


def _spread(table: pl.DataFrame) -> str:
    """How far draws are apart, lest smaller differences be read."""
    keys: Sequence[str] = ("require", "way", "month")
    apart = table.group_by(keys).agg(gap=100 * (pl.col("accuracy").max() - pl.col("accuracy").min()))["gap"]
    middle, most = _number(apart.median()), _number(apart.max())
    return (
        f"Figures are means of {table['draw'].n_unique()} draws of who comes and goes; accuracies differ between them "
        f"by {middle:.1f} points in the median cell, and by {most:.1f} at most."
    )


def _number(value: Any) -> float:
    return float(value or 0)
