"""What was found of pseudo-data, votes and pooled rows, in charts and in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from experiments.lines import lines
from experiments.page import markdown

MODELS = ("c45", "naive-bayes", "conjunctive")
METHODS = ("basis", "pgen", "bagging", "basegen")
VARIANTS = ("basis, unpruned", "pgen, marginals", "pgen, hit-miss", "pgen, pruned local trees", "pgen, pruned harder")


def charts(table: pl.DataFrame) -> Mapping[str, Any]:
    """A chart a figure of the paper."""
    means = _means(table)
    trees = means.filter(pl.col("model") == "c45")
    plain = trees.filter(pl.col("method").is_in(METHODS))
    made = means.filter((pl.col("method") == "pgen") & pl.col("model").is_in(MODELS))
    bayes = means.filter((pl.col("model") == "naive-bayes") & pl.col("method").is_in(METHODS))
    of = "sources"
    return {
        "accuracy": lines(plain, of, "accuracy", "method", "Accuracy of global decision trees (Fig. 10a)"),
        "variants": lines(trees, of, "accuracy", "method", "Accuracy of global decision trees, with our variants"),
        "bayes": lines(bayes, of, "accuracy", "method", "Accuracy of global naive Bayes (Fig. 10b)"),
        "models": lines(made, of, "accuracy", "model", "Accuracy of models from PGEN (Fig. 11)"),
        "class-match": lines(plain, of, "class_match", "method", "Class match with the tree of pooled rows (Fig. 12)"),
        "path-match": lines(
            trees.filter(pl.col("method") == "pgen"),
            of,
            "path_match",
            "data",
            "Path match of PGEN (Fig. 13)",
            facet=None,
        ),
    }


def found(table: pl.DataFrame) -> str:
    """Ours, figure by figure."""
    means = _means(table)
    trees, bayes = (means.filter(pl.col("model") == model) for model in ("c45", "naive-bayes"))
    return "\n\n".join(
        [
            "Ours, decision trees, accuracy (Fig. 10a) and our variants:\n\n"
            + _table(trees, "accuracy", METHODS + VARIANTS),
            _verdict(trees, "accuracy"),
            "Naive Bayes, accuracy (Fig. 10b; bagging votes with the same trees):\n\n"
            + _table(bayes, "accuracy", METHODS),
            _verdict(bayes, "accuracy"),
            "Models from PGEN, accuracy (Fig. 11):\n\n" + _by_model(means),
            "Class match with the tree of the pooled rows (Fig. 12):\n\n" + _table(trees, "class_match", METHODS[1:]),
            _verdict(trees, "class_match"),
            "Path match of PGEN's trees with that tree (Fig. 13):\n\n" + _table(trees, "path_match", ("pgen",)),
        ]
    )


def _means(table: pl.DataFrame) -> pl.DataFrame:
    measures = ("accuracy", "class_match", "path_match")
    mean = [pl.col(name).cast(pl.Float64).mean() for name in measures]
    return table.group_by("data", "sources", "method", "model", maintain_order=True).agg(*mean)


def _table(means: pl.DataFrame, measure: str, methods: Sequence[str]) -> str:
    cells = {(row["data"], row["sources"], row["method"]): row[measure] for row in means.iter_rows(named=True)}
    keys = list(dict.fromkeys(key[:2] for key in cells))
    return markdown(
        ["data", "sources", *methods], [(*key, *(cells.get((*key, one)) for one in methods)) for key in keys]
    )


def _by_model(means: pl.DataFrame) -> str:
    of_pgen = means.filter(pl.col("method") == "pgen")
    cells = {(row["data"], row["sources"], row["model"]): row["accuracy"] for row in of_pgen.iter_rows(named=True)}
    keys = list(dict.fromkeys(key[:2] for key in cells))
    return markdown(["data", "sources", *MODELS], [(*key, *(cells.get((*key, one)) for one in MODELS)) for key in keys])


def _verdict(means: pl.DataFrame, measure: str) -> str:
    """In how many cells of two or more sources PGEN is best, counted from the rows."""
    several = means.filter(pl.col("sources") > 1)
    wide = several.pivot("method", index=["data", "sources"], values=measure)
    said = []
    for other in ("basegen", "bagging"):
        lost = wide.filter(pl.col("pgen") < pl.col(other))
        where = ", ".join(f"{row['data']} at {row['sources']}" for row in lost.iter_rows(named=True))
        said.append(
            f"as {other} in {wide.height - lost.height} of {wide.height}" + (f" (not: {where})" if where else "")
        )
    return f"PGEN is at least as good {' and '.join(said)} cells with two sources or more."
