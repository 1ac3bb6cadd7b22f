"""Numbers and names that papers state, with ours beside them."""

import re
from collections.abc import Mapping

import polars as pl

from experiments.page import PUBLISHED, anchor, markdown

Ours = str | float | int | None


def stated(name: str, papers: str) -> pl.DataFrame:
    """What can be compared of an experiment: paper, figure, quantity and what was published of it."""
    found = [
        pl.read_csv(PUBLISHED / f"{paper}.csv", infer_schema=False)
        .filter(experiment=name)
        .drop_nulls("quantity")
        .select(pl.lit(paper).alias("paper"), "figure", "quantity", "published")
        for paper in papers.split(", ")
    ]
    return pl.concat(found)


def beside(name: str, papers: str, ours: Mapping[str, Ours]) -> str:
    """A table of Markdown: published, ours, and the difference; rows can be linked to, as `name-1`, `name-2`, ..."""
    rows = []
    for number, (paper, figure, quantity, published) in enumerate(stated(name, papers).rows(), start=1):
        mine = ours.get(quantity)
        linked = f"{anchor(f'{name}-{number}')}{paper}"
        rows.append((linked, figure, quantity, published, _shown(mine), difference(published, mine)))
    return markdown(["paper", "figure", "quantity", "published", "ours", "difference"], rows)


def difference(published: str, ours: Ours) -> str | None:
    """How far ours is from a published number, range, bound or name; None if there is nothing to compare.

    >>> difference("0.6", 0.75), difference("5230 to 5280", 5240), difference("5230 to 5280", 5200)
    ('+0.15', 'within', '-30')
    >>> difference("less than 4", 5.0), difference("relationship", "relationship"), difference("75", None)
    ('not so', 'same', None)
    """
    if ours is None:
        return None
    if isinstance(ours, str):
        return "same" if ours == published else "differs"
    if bound := re.fullmatch(r"less than ([\d.]+)", published):
        return "holds" if ours < float(bound[1]) else "not so"
    if ends := re.fullmatch(r"([\d.]+) to ([\d.]+)", published):
        low, high = float(ends[1]), float(ends[2])
        return "within" if low <= ours <= high else _signed(ours - (low if ours < low else high), ours)
    return _signed(ours - float(published), ours)


def _signed(gap: float, ours: float | int) -> str:
    return f"{gap:+.0f}" if isinstance(ours, int) else f"{gap:+.2f}"


def _shown(ours: Ours) -> str | None:
    return f"{ours:.2f}" if isinstance(ours, float) else None if ours is None else str(ours)
