"""ID3: the tree of highest information gain, without a requirement (Quinlan 1986)."""

import numpy as np

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError
from kspan.induce.features import Feature, understood
from kspan.induce.grow import Growth
from kspan.induce.people import People
from kspan.induce.release import released
from kspan.induce.spread import AS_SHOWN, Division, Entropy, Marginals, Reading
from kspan.induce.worth import score_of
from kspan.model.tree import Tree


def id3(
    table: Table,
    schema: Schema,
    *,
    score: str = "information-gain",
    min_rows: int = 1,
    entropy: Entropy = "equal",
    division: Division = "fractional",
    marginals: Marginals | None = None,
    rng: int | np.random.Generator = 0,
) -> Tree:
    """The tree that splits as long as a split gains; numbers by thresholds, a missing value is a value of its own.

    Cells that admit several values are understood as `entropy` and `division` say (see `kspan.induce.spread`):
    `entropy="equal", division="random"` is the modified ID3 of Shao and Beckford. `marginals` are what the owner
    published for `division="distribution"`.
    """
    chance = np.random.default_rng(rng)
    reading = Reading(entropy, division, marginals, chance, schema.range_pattern)
    people, asked = offered(table, schema, reading)
    by_chance = chance if division in ("random", "distribution") else None
    growth = Growth(people, asked, score=score_of(score), min_rows=min_rows, rng=by_chance)
    while candidate := growth.best():
        growth.divide(candidate)
    return released(growth, table, schema)


def offered(
    table: Table, schema: Schema, reading: Reading = AS_SHOWN, *, stars_unknown: bool = False
) -> tuple[People, tuple[Feature, ...]]:
    """The people with their labels, and all other public and private attributes."""
    if schema.target is None:
        raise PolicyError("learning needs a target: name the column to predict")
    target = table[schema.target]
    if target.missing is not None:
        gone = int((target.codes == target.missing).sum())
        raise DataError(f"{gone} people have no label in {schema.target!r}: leave them out before learning")
    names = [name for name in (*schema.public, *schema.private) if name != schema.target]
    if not names:
        raise PolicyError("there is no attribute to learn from: list some as public or private")
    return People.of(table, schema.target), understood(table, schema, names, reading, stars_unknown=stars_unknown)
