"""C4.5: the tree of the best gain ratio, pruned by the errors it promises (Quinlan 1993; release 8, 1996)."""

from typing import Annotated, Literal

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.tree.grow import Growth, MinRows
from kspan.induce.tree.id3 import offered
from kspan.induce.tree.prune import ConfidenceFactor
from kspan.induce.tree.prune import prune as prune_growth
from kspan.induce.tree.release import released
from kspan.induce.tree.spread import Counted, Reading
from kspan.induce.tree.worth import C45
from kspan.model.tree.model import Tree
from kspan.options import NOT_TYPED, Typed, Within, takes_options

Missing = Literal["shared", "value"]
"""Does a missing value go down every branch with a share of its weight, or is it a value of its own?"""


@takes_options
def c45(
    table: Table,
    schema: Schema,
    *,
    min_rows: MinRows = 2,
    confidence_factor: ConfidenceFactor = 0.25,
    prune: bool = True,
    subtree_raising: Annotated[bool, Typed(("--raising", "--no-raising"))] = True,
    entropy: Counted = "equal",
    missing: Annotated[Missing, NOT_TYPED] = "shared",
    row_worth: Annotated[float, Within(1e-9), NOT_TYPED] = 1.0,
) -> Tree:
    """The tree of C4.5, without a requirement.

    A row whose value is missing, or shown as `*`, goes down every branch with a share of its weight, in training and in
    prediction, so that counts may be fractions. A row whose cell admits several values goes down the branches that take
    some of these values in the same way (see `kspan.induce.tree.spread`).

    Options:
        min_rows: People that at least two branches of a split must have.
        confidence_factor: How hard to prune: less is harder.
        prune: Prune what has grown.
        subtree_raising: Pruning may put a branch in the place of its node.
        entropy: How cells that admit several values are counted.
        missing: With "value" a missing value is a value of its own, so that everybody ends at one leaf.
        row_worth: How much of a person a row stands for, so that pruning does not believe rows too much.

    Weather, Quinlan's example of 1986:

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> schema = Schema(public=["outlook", "humidity"], private=["play"], target="play")
    >>> outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    >>> humidity = [85, 90, 95, 70, 70, 78, 65, 90, 75, 96, 80, 70, 80, 80]
    >>> play = ["no", "no", "no", "yes", "yes", "yes", "yes", "yes", "yes", "no", "no", "yes", "yes", "yes"]
    >>> c45(encode(pl.DataFrame({"outlook": outlook, "humidity": humidity, "play": play}), schema), schema)
    Tree(4 leaves, 14 people, target 'play')
    """
    shared = missing == "shared"
    reading = Reading(entropy, range_pattern=schema.range_pattern)
    people, features = offered(table, schema, reading, stars_unknown=shared)
    growth = Growth(people, features, score=C45, min_rows=min_rows, shares_missing=shared)
    while candidate := growth.best():
        growth.divide(candidate)
    if prune:
        prune_growth(growth, confidence_factor, raising=subtree_raising, row_worth=row_worth)
    return released(growth, table, schema)
