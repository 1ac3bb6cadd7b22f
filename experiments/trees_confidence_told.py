"""What was found of trees under a limit of confidence, in charts and in words."""

from collections.abc import Mapping
from math import log2
from typing import Any

import polars as pl

from experiments.lines import lines
from experiments.page import markdown
from experiments.stated import Ours, beside
from experiments.trees_k_told import TREES

NAME, PAPERS = "trees-confidence", "000, 001"
USEFUL = 0.001
"""How much less than the majority label a tree must err to be of use."""


def entropy_l(limit: float) -> float:
    """The l of entropy l-diversity that two labels have where the commoner has this share.

    >>> round(entropy_l(0.85), 3)
    1.526
    """
    return float(2 ** -(limit * log2(limit) + (1 - limit) * log2(1 - limit)))


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Error along the limit for both kinds of trees."""
    order = sorted(table["limit"].unique(), reverse=True)
    shown = table.with_columns(
        pl.col("attributes").replace_strict(TREES).alias("tree"),
        pl.col("limit").map_elements(_limit, return_dtype=pl.String).alias("confidence limit, %"),
        pl.col("error").cast(pl.Float64),
    )
    limits = [_limit(limit) for limit in order]
    title = "Error of the test people along the limit of confidence"
    return {"error": lines(shown, "confidence limit, %", "error", "way", title, facet="tree", order=limits, form=".1%")}


def found(table: pl.DataFrame) -> str:
    """Ours, beside what was published."""
    cells = {(row["attributes"], row["limit"], row["way"]): row for row in table.iter_rows(named=True)}
    keys = list(dict.fromkeys(key[:2] for key in cells))
    ways = ("confidence", "entropy")
    rows = []
    for number, limit in keys:
        both = [cells[number, limit, way] for way in ways]
        shown = [None if row["error"] is None else f"{100 * row['error']:.2f}" for row in both]
        rows.append((TREES[number], _limit(limit), *shown, *(row["leaves"] for row in both)))
    head = ["tree", "limit, %", *(f"error, by {way}" for way in ways), *(f"leaves, by {way}" for way in ways)]
    return "\n\n".join(
        [
            "Published and ours:\n\n" + beside(NAME, PAPERS, compared(table)),
            "Error in percent of the test people (-: not even a single leaf keeps the limit):\n\n"
            + markdown(head, rows),
        ]
    )


def compared(table: pl.DataFrame) -> Mapping[str, Ours]:
    """Ours for everything that the papers state in numbers."""
    id3, c45 = (table.filter(pl.col("attributes") == number) for number in TREES)
    reached = table.filter("reached")["limit"].min()
    return {
        "entropy l that denies more than 85%": round(entropy_l(0.85), 3),
        "lowest limit that can be kept, percent": None if reached is None else int(str(reached)) / 100,
        "highest limit without a useful ID3 tree, percent": _useless(id3),
        "highest limit without a useful C4.5 tree, percent": _useless(c45),
    }


def _useless(part: pl.DataFrame) -> float | None:
    """The highest limit at which trees are no better than the majority label, in either way of asking."""
    least = part.group_by("limit").agg(pl.col("error", "floor").cast(pl.Float64).min())
    useless = least.filter(pl.col("error") > pl.col("floor") - USEFUL)["limit"].max()
    return None if useless is None else int(str(useless)) / 100


def _limit(limit: int) -> str:
    """In percent.

    >>> _limit(9900), _limit(7511)
    ('99', '75.11')
    """
    return f"{limit / 100:g}"
