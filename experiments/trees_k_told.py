"""What was found of anonymous trees along k, in charts and in words."""

from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from experiments.lines import lines
from experiments.page import markdown
from experiments.stated import Ours, beside

NAME, PAPERS = "trees-k", "000, 001"
KS = (10, 25, 50, 75, 100, 150, 200, 250, 500, 750, 1000, 1500, 2000)
KADET, TDS, BOTH = "kadet", "tds", "tds, both"
PLAIN_TREES: Mapping[int, tuple[Literal["id3", "c45"], ...]] = {8: ("id3", "c45"), 14: ("c45",)}
TREES = {8: "ID3, 8 categorical attributes", 14: "C4.5, 14 attributes"}


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Error along k for both kinds of trees, and people exposed."""
    order = sorted(table.filter(pl.col("k") > 1)["k"].unique())
    everywhere = [
        {**row, "k": k} for row in table.filter(pl.col("taxonomy") == "none").iter_rows(named=True) for k in order
    ]
    along = table.filter(pl.col("taxonomy") != "none")
    shown = pl.concat([along, pl.DataFrame(everywhere, schema=along.schema)]).with_columns(
        pl.col("attributes").replace_strict(TREES).alias("tree")
    )
    title = "Error of the test people along k"
    papers, own = (shown.filter(pl.col("taxonomy").is_in([name, "none"])) for name in ("papers", "shipped"))
    ours = shown.filter(pl.col("method") == KADET)
    drawn = {
        "error": lines(papers, "k", "error", "method", title, facet="tree", order=order, form=".1%"),
        "exposed": lines(
            ours, "k", "exposed", "taxonomy", "People whose label is certain", facet="tree", order=order, form=".1%"
        ),
    }
    if own.filter(pl.col("taxonomy") == "shipped").height:
        titled = f"{title}, our taxonomies"
        drawn["own"] = lines(own, "k", "error", "method", titled, facet="tree", order=order, form=".1%")
    return drawn


def found(table: pl.DataFrame) -> str:
    """Ours, beside what was published."""
    said = [
        "Published and ours (papers' taxonomies; errors in percent of the test people):\n\n"
        + beside(NAME, PAPERS, compared(table))
    ]
    for number, tree in TREES.items():
        part = table.filter(pl.col("attributes") == number)
        plain = " and ".join(
            f"{_percent(row['error'])} with plain {row['method']}"
            for row in part.filter(pl.col("taxonomy") == "none").iter_rows(named=True)
        )
        said.append(f"{tree}, error in percent ({plain}):\n\n" + _errors(part))
    said.append("The anonymous trees (papers' taxonomies; seconds of the processor):\n\n" + _trees(table))
    return "\n\n".join(said)


def compared(table: pl.DataFrame) -> Mapping[str, Ours]:
    """Ours for everything that the papers state in numbers or names."""
    papers = table.filter(pl.col("taxonomy") == "papers")
    kadet = papers.filter(pl.col("method") == KADET)
    id3, c45 = (kadet.filter(pl.col("attributes") == number) for number in TREES)
    ours: dict[str, Ours] = {}
    for number in TREES:
        for method, which in ((TDS, "the people to learn from"), (BOTH, "all people")):
            gain = _gain(papers.filter(pl.col("attributes") == number), method)
            ours[f"{TREES[number]}: mean error less than with TDS's table of {which}, points"] = gain
    for k in (750, 1000):
        row = _only(id3.filter(pl.col("k") == k))
        ours[f"root at k = {k}"] = None if row is None else f"{row['root']}, {row['branches']} branches"
    ours["most error of anonymous ID3, percent"] = _most(id3, "error", 100)
    ours["longest induction of ID3, seconds"] = _most(id3, "seconds", 1)
    ours["longest induction of C4.5, seconds"] = _most(c45, "seconds", 1)
    ours["most people exposed by ID3, percent"] = _most(id3, "exposed", 100)
    safe = c45.filter(pl.col("exposed") == 0)["k"].min()
    ours["least k at which C4.5 exposes nobody"] = int(str(safe)) if safe is not None else None
    return ours


def _gain(part: pl.DataFrame, method: str) -> float | None:
    """By how many points anonymous trees err less than those from TDS's tables, on average over k."""
    wide = {row["k"]: row["error"] for row in part.filter(pl.col("method") == method).iter_rows(named=True)}
    gains = [
        100 * (wide[row["k"]] - row["error"]) for row in part.filter(pl.col("method") == KADET).iter_rows(named=True)
    ]
    return sum(gains) / len(gains) if gains else None


def _only(rows: pl.DataFrame) -> dict[str, Any] | None:
    return rows.row(0, named=True) if rows.height else None


def _most(rows: pl.DataFrame, column: str, times: int) -> float | None:
    return times * float(rows[column].to_numpy().max()) if rows.height else None


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.2f}"


def _errors(part: pl.DataFrame) -> str:
    """A row a k, a column a method and taxonomy."""
    cells = {(row["k"], row["taxonomy"], row["method"]): row["error"] for row in part.iter_rows(named=True)}
    columns = list(dict.fromkeys(key[1:] for key in cells if key[1] != "none"))
    head = ["k", *(method if taxonomy == "papers" else f"{method}, our taxonomy" for taxonomy, method in columns)]
    order = sorted({key[0] for key in cells if key[1] != "none"})
    return markdown(head, [(k, *(_percent(cells.get((k, *column))) for column in columns)) for k in order])


def _trees(table: pl.DataFrame) -> str:
    rows = table.filter((pl.col("taxonomy") == "papers") & (pl.col("method") == KADET))
    return markdown(
        ["tree", "k", "root", "leaves", "spans", "people in the smallest", "exposed, percent", "seconds"],
        [
            (
                TREES[row["attributes"]],
                row["k"],
                row["root"],
                row["leaves"],
                row["spans"],
                row["k_reached"],
                _percent(row["exposed"]),
                f"{row['seconds']:.2f}",
            )
            for row in rows.iter_rows(named=True)
        ],
    )
