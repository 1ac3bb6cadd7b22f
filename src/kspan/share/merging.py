"""One global model, or pseudo-data for any learner, from the trees that several owners published."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from kspan.data.table import Table
from kspan.errors import ModelError, PolicyError, did_you_mean
from kspan.induce.methods import LEARNERS, PREDICTING, PRIVATE_METHODS
from kspan.induce.tree.c45 import c45
from kspan.model.committee.model import Committee
from kspan.model.models import Model
from kspan.model.predictor import Predictor
from kspan.model.tree.json import tree_json
from kspan.model.tree.model import Tree
from kspan.model.tree.release import TreeRelease
from kspan.options import check_names
from kspan.share.basegen import basegen
from kspan.share.codings import Numbers
from kspan.share.pgen import Draws, Labels, check_word, frame_of, pgen
from kspan.share.pool import Pool, pool
from kspan.share.source import Source, read_sources

Generator = Literal["pgen", "basegen"]
Given: TypeAlias = str | os.PathLike[str] | Tree | TreeRelease | Source
"""A tree, or where it lies: a file, a folder of them, a URL."""

EACH, PLENTY = 10, 1_000_000
"""How many pseudo-people are learned from for each person that trees tell of, and up to how many in all."""
TRUSTS = (10.0, 3.0, 1.0, 0.3)
"""How many people each person that trees tell of may count for when a tree is pruned; highest first."""
ABOUT = 0.01
"""How much less accurate, summed over both halves, still counts as about equally good."""
TRIED = 30_000
"""How many pseudo-people are made of half of the owners, at most, to find that out."""
BAGGING = "bagging"
MERGERS: tuple[str, ...] = (*(name for name in PREDICTING if name not in PRIVATE_METHODS), BAGGING)
"""What can be made of several trees."""


DRAWING = ("numbers", "values", "labels", "marginals")
"""What `pseudo_data` can be told about how people are drawn."""


def pseudo_data(
    trees: Given | Iterable[Given],
    *,
    method: str = "pgen",
    rows: int | None = None,
    numbers: Numbers = "cells",
    values: Draws = "even",
    labels: Labels = "exact",
    marginals: bool = True,
    rng: int | np.random.Generator | None = None,
) -> pl.DataFrame:
    """Return pseudo-people of published trees for a miner to learn from; they are no anonymized table of any owner.

    `trees` are files, folders, URLs or trees. Options are those of `pgen`; `basegen` takes `rows`, `numbers` and `rng`.
    Without `rng`, what is left to chance follows from the trees: only those who have all of them can find it again.

    >>> from kspan.model.tree.model import Node
    >>> tree = Tree((), "risk", "private", ("bad", "good"), Node.of_counts((4, 2)))
    >>> sorted(pseudo_data(tree)["risk"])
    ['bad', 'bad', 'bad', 'bad', 'good', 'good']
    """
    drawing = {"rows": rows, "numbers": numbers, "values": values, "labels": labels, "marginals": marginals}
    pooled = pool_of(trees)
    return frame_of(_made(pooled, method, _chance(pooled, rng), drawing))


def merge_trees(
    trees: Given | Iterable[Given],
    method: str = "c45",
    *,
    generator: str = "pgen",
    rows: int | None = None,
    rng: int | np.random.Generator | None = None,
    **options: Any,
) -> Model:
    """Make one model of several published trees: learned from their pseudo-data, or by their votes ("bagging").

    `method` is a learner that keeps no requirement, since pseudo-people need none. `options` are those of `pseudo_data`
    (`numbers`, `values`, `labels`, `marginals`) and of the learner; a name that both have means the former. Unless
    `rows` is given, each person that the trees tell of becomes ten pseudo-people, up to a million in all: they cost
    little, and the more there are, the less chance decides. The learner's `min_rows` counts people that trees tell of,
    not pseudo-people. How much C4.5 trusts them when it prunes is tried out: trees of some owners are judged by the
    pseudo-people of the others (`row_worth` sets it instead).
    """
    check_method(method)
    pooled = pool_of(trees)
    drawing = {name: options.pop(name) for name in DRAWING if name in options}
    if method == BAGGING:
        if options or rows is not None:
            raise PolicyError("bagging lets the trees vote as they are: leave out rows and options of learners")
        return Committee(tuple(member.tree for member in pooled.members))
    known = LEARNERS[method].options
    check_names(method, options, known)
    chance = _chance(pooled, rng)
    told = sum(member.people or 0 for member in pooled.members)
    rows = _plenty(told) if rows is None and told else rows

    def made(some: Pool, number: int | None) -> Table:
        return _made(some, generator, chance, {**drawing, "rows": number})

    # Made before any trial, so that these people do not depend on what is tried out.
    table = made(pooled, rows)
    # How many pseudo-people stand for one person that the trees tell of.
    share = table.rows / told if told else 1.0
    if "min_rows" in known:
        fewest = options.get("min_rows", known["min_rows"].default)
        options["min_rows"] = max(1, round(fewest * share))
    if "rng" in known:
        options["rng"] = chance
    if method == "c45" and told and options.get("prune", True) and "row_worth" not in options:
        # `trust` gets `min_rows` as it was given, since it scales that to tables of its own.
        options["row_worth"] = trust(pooled, made, {**options, "min_rows": fewest}) / share
    model = LEARNERS[method].function(table, pooled.schema, **options)
    assert isinstance(model, Tree | Predictor)
    return model


def pool_of(trees: Given | Iterable[Given]) -> Pool:
    """Return the pool of the given trees: first those that lie at places, then the others, named by their number."""
    given = [trees] if isinstance(trees, str | os.PathLike | Tree | TreeRelease | Source) else list(trees)
    sources = read_sources(one for one in given if isinstance(one, str | os.PathLike))
    for number, one in enumerate(given, 1):
        if isinstance(one, Source):
            sources.append(one)
        elif isinstance(one, Tree | TreeRelease):
            release = one if isinstance(one, TreeRelease) else TreeRelease(one)
            sources.append(Source(f"tree {number}", release))
        elif not isinstance(one, str | os.PathLike):
            raise ModelError(f"a {type(one).__name__} is no tree: give trees, or the files or folders where they lie")
    return pool(sources)


def trust(pooled: Pool, made: Callable[[Pool, int], Table], options: dict[str, Any]) -> float:
    """Return how many people each person that trees tell of should count for when a tree is pruned.

    Every second owner's pseudo-people are learned from, with each answer in `TRUSTS`, and the tree is judged by the
    pseudo-people of the other owners; then the other way round. Of the answers that do about as well as the best one,
    the highest is taken. It is also taken if there is only one owner.
    """
    if len(pooled.members) < 2:
        return TRUSTS[0]
    halves = [replace(pooled, members=pooled.members[begin::2]) for begin in (0, 1)]
    people = [sum(member.people or 0 for member in half.members) for half in halves]
    # A half that tells of nobody can neither teach nor judge.
    if not all(people):
        return TRUSTS[0]
    sizes = [round(min(number * EACH, TRIED)) for number in people]
    tables = [made(half, size) for half, size in zip(halves, sizes, strict=True)]
    right = dict.fromkeys(TRUSTS, 0.0)
    for own, other, number in zip(tables, reversed(tables), people, strict=True):
        share = own.rows / number
        least = {**options, "min_rows": max(1, round(options["min_rows"] * share))}
        for answer in TRUSTS:
            tree = c45(own, pooled.schema, **{**least, "row_worth": answer / share})
            truth = other[pooled.target].codes
            right[answer] += float((tree.shares(other).argmax(axis=1) == truth).mean())
    best = max(right.values())
    # The answers descend, so the first that is good enough is the highest.
    return next(answer for answer in TRUSTS if right[answer] >= best - ABOUT)


def _plenty(told: float) -> int:
    """Return how many pseudo-people to learn from if the trees tell of this many people.

    >>> _plenty(300), _plenty(400_000), _plenty(2_000_000)
    (3000, 1000000, 2000000)
    """
    return round(max(told, min(told * EACH, PLENTY)))


def check_method(method: str) -> None:
    """Refuse a method that makes no global model."""
    if method in PRIVATE_METHODS:
        raise PolicyError(
            f"{method} keeps a requirement, and pseudo-people need no privacy: use {', '.join(MERGERS)} to merge trees"
        )
    if method not in MERGERS:
        said = str(method)[:40]
        raise PolicyError(
            f"there is no method {said!r} to merge trees{did_you_mean(said, MERGERS)}: use {', '.join(MERGERS)}"
        )


def _chance(pooled: Pool, rng: int | np.random.Generator | None) -> np.random.Generator:
    """Return what decides what is left to chance: that which was given, or all trees together."""
    if rng is not None:
        return np.random.default_rng(rng)
    written = "\n".join(tree_json(member.release) for member in pooled.members)
    return np.random.default_rng(int(sha256(written.encode()).hexdigest(), 16))


def _made(pooled: Pool, method: str, rng: np.random.Generator, drawing: dict[str, Any]) -> Table:
    check_word("the generator", method, get_args(Generator))
    if method == "basegen":
        return basegen(pooled, rows=drawing["rows"], numbers=drawing.get("numbers", "cells"), rng=rng)
    return pgen(pooled, **drawing, rng=rng)
