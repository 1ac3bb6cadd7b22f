"""ID3: the tree of highest information gain, without a requirement (Quinlan 1986)."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError
from kspan.induce.tree.features import Feature, understood
from kspan.induce.tree.grow import Growth, MinRows
from kspan.induce.tree.people import People
from kspan.induce.tree.release import released
from kspan.induce.tree.spread import AS_SHOWN, Division, Entropy, Marginals, Reading, Seed
from kspan.induce.tree.worth import SCORES, Score
from kspan.model.tree.model import Tree
from kspan.options import Typed, takes_options


@takes_options
def id3(
    table: Table,
    schema: Schema,
    *,
    score: Score = "information-gain",
    min_rows: MinRows = 1,
    entropy: Entropy = "equal",
    division: Annotated[Division, Typed(without=("distribution",))] = "fractional",  # marginals cannot be typed
    marginals: Marginals | None = None,
    rng: Seed = 0,
) -> Tree:
    """Grow a tree as long as a split gains; numbers are split by thresholds, a missing value is a value of its own.

    Cells that admit several values are understood as `entropy` and `division` say (see `kspan.induce.tree.spread`):
    `entropy="equal", division="random"` is the modified ID3 of Shao and Beckford.

    Options:
        score: How splits are compared.
        min_rows: People that at least two branches of a split must have.
        entropy: How cells that admit several values are counted.
        division: Where people go whose cells admit several values.
        marginals: The share of people with each value, as the owner published it, for the division "distribution".
        rng: The seed of what is left to chance.
    """
    chance = np.random.default_rng(rng)
    reading = Reading(entropy, division, marginals, chance, schema.range_pattern)
    people, asked = offered(table, schema, reading)
    by_chance = chance if division in ("random", "distribution") else None
    growth = Growth(people, asked, score=SCORES[score], min_rows=min_rows, rng=by_chance)
    while candidate := growth.best():
        growth.divide(candidate)
    return released(growth, table, schema)


def offered(
    table: Table,
    schema: Schema,
    reading: Reading = AS_SHOWN,
    *,
    stars_unknown: bool = False,
    also: Sequence[str] = (),
) -> tuple[People, tuple[Feature, ...]]:
    """The people with their labels, and all other attributes, public and private, as features that may be asked.

    `also` are predicted as well.
    """
    if schema.target is None:
        raise PolicyError("learning needs a target: name the column to predict")
    for target in (table[name] for name in (schema.target, *also)):
        if target.missing is not None:
            gone = int((target.codes == target.missing).sum())
            raise DataError(f"{gone} people have no label in {target.name!r}: leave them out before learning")
    names = [name for name in (*schema.public, *schema.private) if name != schema.target and name not in also]
    if not names:
        raise PolicyError("there is no attribute to learn from: list some as public or private")
    return People.of(table, schema.target), understood(table, schema, names, reading, stars_unknown=stars_unknown)
