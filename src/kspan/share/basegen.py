"""BASEGEN: people from anywhere in the domain, labeled by the published trees (Tian et al., Sect. 7.2)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats
from kspan.data.table import Table
from kspan.errors import PolicyError
from kspan.share.codings import Numbers
from kspan.share.paths import ALL, Chooser
from kspan.share.pgen import apportioned, check_rows, check_word, codings_of, draw, empty_codes, target_column
from kspan.share.pool import Pool


def basegen(
    pool: Pool, *, rows: int | None = None, numbers: Numbers = "cells", rng: int | np.random.Generator = 0
) -> Table:
    """Return people from anywhere in the domain, each with the label that a tree predicts: the baseline for PGEN.

    There are as many people as the trees tell of, or as many as `rows` says. Each tree labels a part of them, in
    proportion to its own people, or an equal part if some tree does not tell how many it has. `numbers` works as in
    `pgen`.
    """
    check_word("numbers", numbers, ("cells", "uniform"))
    chance = np.random.default_rng(rng)
    told = [member.people for member in pool.members]
    weights = np.array([0.0 if people is None else float(people) for people in told])
    if None in told:
        weights = np.ones(len(told))
        if rows is None:
            raise PolicyError("some tree does not tell how many people it has: say how many rows to make")
    wanted = check_rows(rows, float(weights.sum()))
    wanted = max(round(float(weights.sum())), 1) if wanted is None else wanted
    columns = {}
    for attribute, coding in zip(pool.attributes, codings_of(pool, numbers), strict=True):
        codes, everybody = empty_codes(coding.size, wanted), np.array([wanted], np.int64)
        draw(everybody, np.array([ALL]), Chooser(coding, attribute).choices.arrays(), False, codes, chance)
        columns[attribute.name] = coding.column(codes, chance)
    table = Table(columns, wanted)
    # Trees that tell of nobody label equal parts.
    labels = _labels(pool, table, weights if weights.any() else np.ones(len(weights)), chance)
    return Table({**columns, pool.target: target_column(pool, labels)}, wanted)


def _labels(pool: Pool, table: Table, weights: Floats, rng: np.random.Generator) -> NDArray[Any]:
    """Return the codes of the labels that the trees predict, each tree for its part of the rows."""
    labels = empty_codes(len(pool.labels), table.rows)
    # Rows are drawn independently, so that consecutive ones are as good as any others.
    ends = np.cumsum(apportioned(weights, table.rows, rng))
    for member, end, begin in zip(pool.members, ends, np.append(0, ends[:-1]), strict=True):
        own = member.tree.shares(table.at(np.arange(begin, end))).argmax(axis=1)
        labels[begin:end] = np.array(member.labels)[own]
    return labels
