"""PGEN: pseudo-people from the paths of published trees (Tian et al., Fig. 9)."""

from collections.abc import Container, Sequence
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kspan.data.arrays import Floats, Int64s
from kspan.data.domain import Domain
from kspan.data.kinds.words import WORDS
from kspan.data.table import Column, Table
from kspan.errors import ModelError, PolicyError, check_number, did_you_mean
from kspan.model.tree.model import Node
from kspan.share.codings import MISSING, Coding, Numbers, Pieces, Values
from kspan.share.number_line import NumberLine
from kspan.share.paths import Arrays, Paths, label_choices, paths
from kspan.share.pool import Member, Pool

Draws = Literal["even", "random"]
Labels = Literal["exact", "random"]

MOST_ROWS = 100_000_000
LABELS_AT_ONCE = 1 << 22
"""How many numbers are held at once for the labels of paths, so that many paths with many labels fit into memory."""


def pgen(
    pool: Pool,
    *,
    rows: int | None = None,
    numbers: Numbers = "cells",
    values: Draws = "even",
    labels: Labels = "exact",
    marginals: bool = True,
    rng: int | np.random.Generator = 0,
) -> Table:
    """Return pseudo-people of every path: as many as it has people, or its part of `rows`, with values that it admits.

    What a path does not ask is drawn from the whole domain. `values`: "even" gives each path every admitted value
    equally often, or once more, in random order; "random" draws each by itself. `numbers`: "cells" gives the middle of
    one of the cells into which all bounds of all trees cut the range, since no learner gains by anything finer;
    "uniform" gives any number of one of the path's intervals, "midpoint" and "endpoint" its middle or its upper end.
    `labels`: "exact" gives a path the label counts that it tells, with its misses spread evenly over the other labels
    and remainders by chance; "random" draws with these probabilities. Where an owner published how an attribute
    spreads, `marginals` uses that instead of equal chances. A missing value is drawn only on paths that ask for it. An
    attribute without a range that no tree asks is 0 for everybody; one without any value is missing for everybody.
    """
    check_word("numbers", numbers, get_args(Numbers))
    check_word("values", values, get_args(Draws))
    check_word("labels", labels, get_args(Labels))
    chance = np.random.default_rng(rng)
    for member in pool.members:
        _check_people(member)
    codings, ways = _ways(pool, numbers, marginals)
    sizes = _sizes([way.people for way in ways], rows, chance)
    columns = {}
    for at, (attribute, coding) in enumerate(zip(pool.attributes, codings, strict=True)):
        codes = _drawn(at, ways, sizes, coding, values == "even", chance)
        columns[attribute.name] = coding.column(codes, chance)
    told = _labels(pool, ways, sizes, labels == "exact", chance)
    columns[pool.target] = target_column(pool, told)
    return Table(columns, len(told))


def frame_of(table: Table) -> pl.DataFrame:
    """Return a table of pseudo-people as a frame: words as Enum, numbers, and nulls for missing values."""
    return pl.DataFrame([_series(column) for column in table.columns.values()])


def codings_of(pool: Pool, numbers: Numbers, fractions: Container[int] = ()) -> list[Coding]:
    """Return the coding of every attribute of a pool; `fractions` are the places of those that must have fractions."""
    named: list[set[float]] = [set() for _ in pool.attributes]
    for member in pool.members:
        for node in member.tree.nodes():
            if node.attribute is not None:
                _collect(named[member.attributes[node.attribute]], node)
        for marginal in member.release.marginals:
            for region, _ in marginal.bins:
                ends = (end for interval in region.intervals for end in interval if end is not None)
                named[member.attributes[marginal.attribute]].update(ends)
    made: list[Coding] = []
    for at, (attribute, bounds) in enumerate(zip(pool.attributes, named, strict=True)):
        if not attribute.is_measured:
            made.append(Values(attribute))
            continue
        line = NumberLine.of(attribute, bounds, fractions=at in fractions)
        made.append(Values(attribute, line) if numbers == "cells" else Pieces(attribute, line, numbers))
    return made


def _ways(pool: Pool, numbers: Numbers, marginals: bool) -> tuple[list[Coding], list[Paths]]:
    """Return codings and paths of all trees, with fractions where a path with people admits no whole number."""
    fractions = set[int]()
    while True:
        codings = codings_of(pool, numbers, fractions)
        ways = [paths(pool, member, codings, marginals=marginals) for member in pool.members]
        impossible = {at: member for member, way in zip(pool.members, ways, strict=True) for at in way.impossible}
        if not impossible:
            return codings, ways
        for at, member in impossible.items():
            # Even with fractions this path admits nothing, so trying again would not end.
            if at in fractions:
                raise ModelError(
                    f"{member.name} has people on a path that admits no value of {pool.attributes[at].name!r}: ask its "
                    "owner for a tree that does"
                )
        fractions.update(impossible)


def apportioned(weights: Floats, total: int, rng: np.random.Generator) -> Int64s:
    """Divide a total in proportion to weights, into whole numbers: the largest remainders round up, ties by chance.

    >>> apportioned(np.array([24.0, 10.0, 1.0]), 70, np.random.default_rng(0)).tolist()
    [48, 20, 2]
    """
    if not weights.sum():
        return np.zeros(len(weights), np.int64)
    quotas = weights * (total / weights.sum())
    parts: Int64s = np.floor(quotas).astype(np.int64)
    # The last key counts first: the largest remainders, and chance among equal ones.
    order = np.lexsort((rng.random(len(weights)), parts - quotas))
    parts[order[: total - int(parts.sum())]] += 1
    return parts


def check_rows(rows: int | None, people: float) -> int | None:
    """Return the number of rows to make, None if none is given; refuse an impossible one, or too many people."""
    if rows is not None:
        check_number("the number of rows", rows, low=1, high=MOST_ROWS, whole=True)
        return int(rows)
    if people > MOST_ROWS:
        raise ModelError(f"the trees tell of more than {MOST_ROWS:,} people: say how many rows to make of them")
    return None


def check_word(what: str, said: str, known: Sequence[str]) -> None:
    """Refuse a word that an option does not take."""
    if said not in known:
        word = str(said)[:40]
        raise PolicyError(f"{what} cannot be {word!r}{did_you_mean(word, known)}: use {', '.join(known)}")


def target_column(pool: Pool, codes: NDArray[Any]) -> Column:
    """Return the labels of pseudo-people as a column."""
    return Column(
        pool.target,
        WORDS,
        codes,
        np.array(pool.labels, object),
        domain=Domain(WORDS, values=pool.labels),
    )


def draw(sizes: Int64s, choice: NDArray[Any], choices: Arrays, even: bool, out: Any, rng: np.random.Generator) -> None:
    """Fill `out` with codes, block by block; `choice` says from which of the choices each block is drawn."""
    from kspan.kernels.pseudo import draw_codes  # loading compiled code takes a moment

    draw_codes(sizes, choice.astype(np.int64), *choices, even, rng.integers(1 << 63, dtype=np.uint64), out)


def empty_codes(size: int, rows: int) -> NDArray[Any]:
    """Return an array for the codes of some rows; `size` is how many different codes there are."""
    return np.full(rows, MISSING, np.min_scalar_type(max(size - 1, 0)))


def _collect(bounds: set[float], node: Node) -> None:
    for edge in node.edges:
        for low, high in edge.region.intervals:
            bounds.update(end for end in (low, high) if end is not None)


def _check_people(member: Member) -> None:
    if member.people is None:
        what = "shares" if member.tree.disclosure == "shares" else "labels"
        raise ModelError(
            f"{member.name} discloses only {what}, so how many people each path has is not known: ask its owner for "
            "hit-miss or counts, or let the trees vote (bagging)"
        )


def _sizes(people: Sequence[Floats], rows: int | None, rng: np.random.Generator) -> list[Int64s]:
    """Return how many rows each path of each tree gives."""
    everybody = float(sum(each.sum() for each in people))
    wanted = check_rows(rows, everybody)
    if wanted is None:
        # Each tree keeps as many people as it tells of.
        found = [apportioned(each, round(float(each.sum())), rng) for each in people]
    else:
        ends = np.cumsum([len(each) for each in people])[:-1]
        found = np.split(apportioned(np.concatenate(people), wanted, rng), ends)
    if not any(each.any() for each in found):
        raise ModelError("the trees tell of nobody, so nothing can be made of them: give trees that people reached")
    return found


def _drawn(
    at: int, ways: Sequence[Paths], sizes: Sequence[Int64s], coding: Coding, even: bool, rng: np.random.Generator
) -> NDArray[Any]:
    """Draw the codes of one attribute, tree after tree."""
    # All paths are known by now: a coding that numbers intervals as they are met has its final size.
    out, row = empty_codes(coding.size, sum(int(each.sum()) for each in sizes)), 0
    for way, size in zip(ways, sizes, strict=True):
        rows = int(size.sum())
        if rows:
            draw(size, way.choice[at], way.choices[at].arrays(), even, out[row : row + rows], rng)
        row += rows
    return out


def _labels(
    pool: Pool, ways: Sequence[Paths], sizes: Sequence[Int64s], even: bool, rng: np.random.Generator
) -> NDArray[Any]:
    out, row = empty_codes(len(pool.labels), sum(int(each.sum()) for each in sizes)), 0
    for member, way, size in zip(pool.members, ways, sizes, strict=True):
        step = max(LABELS_AT_ONCE // len(member.labels), 1)
        for begin in range(0, len(size), step):
            here = size[begin : begin + step]
            rows = int(here.sum())
            if rows:
                choices = label_choices(way.outcomes[begin : begin + step], member)
                draw(here, np.arange(len(here)), choices, even, out[row : row + rows], rng)
            row += rows
    return out


def _series(column: Column) -> pl.Series:
    shown = [*column.values.tolist(), *["*"] * column.has_suppressed]
    kind: Any = pl.Float64 if column.values.dtype == np.float64 else pl.Int64
    if not column.is_measured:
        kind = pl.Enum(shown)
    # The code after the last value is that of a missing one.
    values = pl.Series(column.name, [*shown, None], dtype=kind)
    return values.gather(column.codes.astype(np.uint32))
