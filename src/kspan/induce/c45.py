"""C4.5: the tree of the best gain ratio, pruned by the errors it promises (Quinlan 1993; release 8, 1996)."""

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.grow import Growth
from kspan.induce.id3 import offered
from kspan.induce.prune import prune as prune_growth
from kspan.induce.release import released
from kspan.induce.spread import Entropy, Reading
from kspan.induce.worth import C45
from kspan.model.tree import Tree


def c45(
    table: Table,
    schema: Schema,
    *,
    min_rows: int = 2,
    confidence_factor: float = 0.25,
    prune: bool = True,
    subtree_raising: bool = True,
    entropy: Entropy = "equal",
) -> Tree:
    """The tree of C4.5, without a requirement.

    A row whose value is missing, or shown as `*`, goes down every branch with a share of its weight, in training and in
    prediction, so that counts may be fractions. A cell that admits several values does so with those branches that take
    some, and `entropy` says how likely they are (see `kspan.induce.spread`). Weather, Quinlan's example of 1986:

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> schema = Schema(public=["outlook", "humidity"], private=["play"], target="play")
    >>> outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    >>> humidity = [85, 90, 95, 70, 70, 78, 65, 90, 75, 96, 80, 70, 80, 80]
    >>> play = ["no", "no", "no", "yes", "yes", "yes", "yes", "yes", "yes", "no", "no", "yes", "yes", "yes"]
    >>> c45(encode(pl.DataFrame({"outlook": outlook, "humidity": humidity, "play": play}), schema), schema)
    Tree(4 leaves, 14 people, target 'play')
    """
    people, features = offered(table, schema, Reading(entropy, range_pattern=schema.range_pattern), stars_unknown=True)
    growth = Growth(people, features, score=C45, min_rows=min_rows, shares_missing=True)
    while candidate := growth.best():
        growth.divide(candidate)
    if prune:
        prune_growth(growth, confidence_factor, raising=subtree_raising)
    return released(growth, table, schema)
