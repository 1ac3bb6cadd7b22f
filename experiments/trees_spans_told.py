"""What was found of trees with private attributes, in charts and in words."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from experiments.lines import lines
from experiments.page import markdown
from experiments.stated import Ours, beside
from experiments.trees_k_told import TREES

NAME, PAPERS = "trees-spans", "000, 001"
PRIVATE = ("occupation", "education", "relationship", "marital-status")
"""What an attacker may not know, in the order in which it is made private."""


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Spans, seconds and error along the number of private attributes."""
    shown = table.with_columns(pl.col("attributes").replace_strict(TREES).alias("tree"), pl.col("k").cast(pl.String))
    order = sorted(table["private"].unique())
    measures = {"spans": "Spans", "seconds": "Seconds of the processor", "error": "Error of the test people"}
    return {
        name: lines(
            shown,
            "private",
            name,
            "k",
            f"{title}, along the number of private attributes",
            facet="tree",
            order=order,
            form=".1%" if name == "error" else ",.0f" if name == "spans" else ".1f",
        )
        for name, title in measures.items()
    }


def found(table: pl.DataFrame) -> str:
    """Ours, beside what was published."""
    rows = [
        (
            TREES[row["attributes"]],
            row["private"],
            row["k"],
            row["leaves"],
            row["peopled"],
            row["spans"],
            row["k_reached"],
            f"{100 * row['error']:.2f}",
            f"{100 * row['exposed']:.2f}",
            f"{row['seconds']:.2f}",
        )
        for row in table.iter_rows(named=True)
    ]
    head = [
        "tree",
        "private",
        "k",
        "leaves",
        "with people",
        "spans",
        "least people",
        "error, %",
        "exposed, %",
        "seconds",
    ]
    return "\n\n".join(
        [
            "Published and ours (no attribute private but the target):\n\n" + beside(NAME, PAPERS, compared(table)),
            f"Ours (private, in this order: {', '.join(PRIVATE)}):\n\n" + markdown(head, rows),
        ]
    )


def compared(table: pl.DataFrame) -> Mapping[str, Ours]:
    """Ours for everything that the papers state in numbers."""
    public = table.filter(pl.col("private") == 0)
    longest = {number: public.filter(pl.col("attributes") == number)["seconds"].max() for number in TREES}
    id3, c45 = (None if longest[number] is None else float(str(longest[number])) for number in TREES)
    apart = public.filter(pl.col("spans") != pl.col("peopled"))
    return {
        "as many spans as leaves where only the class is private": "no" if apart.height else "yes",
        "longest induction of ID3, seconds": id3,
        "longest induction of C4.5, seconds": c45,
    }
