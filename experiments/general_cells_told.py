"""What was found of learning from sets of values, in charts and in words."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from experiments.lines import lines
from experiments.page import markdown

ORIGINAL, HIGHEST, FEWEST = "original", 64, 6
NUMBERS = Path(__file__).parent / "published" / "002-numbers.csv"
STATED = {(row["k"], row["public"]): row for row in pl.read_csv(NUMBERS).iter_rows(named=True)}
PUBLISHED = {key: row["accuracy"] / 100 for key, row in STATED.items() if row["accuracy"] is not None}
"""Accuracies that the text states, by k and number of quasi-identifiers."""
PUBLISHED_ORIGINAL = PUBLISHED.pop((1, FEWEST))
ROOTS = {public: row["root"] for (_, public), row in STATED.items() if row["root"] is not None}
"""The roots of Table IV."""


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """Accuracy by k, and by the number of quasi-identifiers."""
    means = _means(table)
    raw = means.filter(pl.col("method") == ORIGINAL)
    ways = means.filter(pl.col("method") != ORIGINAL)
    chosen = {
        "k": ("k", ways.filter(pl.col("public") == FEWEST), "Accuracy of ID3 by k, 6 quasi-identifiers (Fig. 2)"),
        "public": (
            "public",
            ways.filter(pl.col("k") == HIGHEST),
            "Accuracy of ID3 by the number of quasi-identifiers, k=64 (Fig. 3)",
        ),
    }
    made = {}
    for ending, (x, part, title) in chosen.items():
        order = sorted(set(part[x]))
        flat = pl.DataFrame(
            [{x: place, "method": ORIGINAL, "accuracy": value} for place in order for value in raw["accuracy"]]
        )
        said = [
            {x: key[x != "k"], "method": "published", "accuracy": value}
            for key, value in PUBLISHED.items()
            if x == "k" or key[0] == HIGHEST
        ]
        shown = pl.concat([part.select(x, "method", "accuracy"), flat, pl.DataFrame(said)], how="vertical_relaxed")
        made[ending] = lines(shown, x, "accuracy", "method", title, facet=None, order=order)
    return made


def found(table: pl.DataFrame) -> str:
    """Ours, figure by figure."""
    means = _means(table)
    raw = float(means.filter(pl.col("method") == ORIGINAL)["accuracy"].item())
    cells = {(row["k"], row["public"], row["method"]): row for row in means.iter_rows(named=True)}
    methods = [name for name in dict.fromkeys(means["method"]) if name != ORIGINAL]
    ks = sorted({key[0] for key in cells if key[1] == FEWEST and key[0] > 1})
    publics = sorted({key[1] for key in cells if key[0] == HIGHEST})

    def accuracy(k: int, public: int, method: str) -> float | None:
        row = cells.get((k, public, method))
        return None if row is None else float(row["accuracy"])

    def lost(k: int, public: int) -> tuple[Any, ...]:
        theirs, ours = PUBLISHED.get((k, public)), accuracy(k, public, methods[0])
        fall = None if theirs is None else PUBLISHED_ORIGINAL - theirs
        mine = None if ours is None else raw - ours
        return theirs, fall, mine, None if fall is None or mine is None else mine - fall

    head = ["published", "lost, published", "lost by chance, ours", "difference", *methods]
    by_k = [(k, *lost(k, FEWEST), *(accuracy(k, FEWEST, one) for one in methods)) for k in ks]
    by_public = [
        (public, *lost(HIGHEST, public), *(accuracy(HIGHEST, public, one) for one in methods)) for public in publics
    ]
    roots = [
        (
            public,
            ROOTS[public],
            *(cells[HIGHEST, public, one]["root"] for one in methods if (HIGHEST, public, one) in cells),
        )
        for public in publics
    ]
    same = sum(row[2] == row[1] for row in roots)
    spread = float(means["spread"].max() or 0)  # type: ignore[arg-type]
    return "\n\n".join(
        [
            f"The tree of the original: {100 * PUBLISHED_ORIGINAL:.2f} published, {100 * raw:.2f} ours. "
            f"Runs of what chance decides differ by {100 * spread:.2f} at most.",
            "By k, six quasi-identifiers (Fig. 2):\n\n" + markdown(["k", *head], by_k),
            "By the number of quasi-identifiers, k=64 (Fig. 3):\n\n"
            + markdown(["quasi-identifiers", *head], by_public),
            "The root (Table IV):\n\n" + markdown(["quasi-identifiers", "published", *methods], roots),
            f"With the paper's counting (`{methods[0]}`) {same} of {len(roots)} roots are those of Table IV.",
        ]
    )


def _means(table: pl.DataFrame) -> pl.DataFrame:
    return table.group_by("k", "public", "method", maintain_order=True).agg(
        pl.col("accuracy").mean(),
        (pl.col("accuracy").max() - pl.col("accuracy").min()).alias("spread"),
        pl.col("root").first(),
    )
