"""C4.5: the tree of the best gain ratio, pruned by the errors it promises (Quinlan 1993; release 8, 1996)."""

from typing import Literal, get_args

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import PolicyError, check_number
from kspan.induce.grow import Growth
from kspan.induce.id3 import offered
from kspan.induce.prune import prune as prune_growth
from kspan.induce.release import released
from kspan.induce.spread import Entropy, Reading
from kspan.induce.worth import C45
from kspan.model.tree import Tree

Missing = Literal["shared", "value"]
"""Does a missing value go down every branch with a share of its weight, or is it a value of its own?"""


def c45(
    table: Table,
    schema: Schema,
    *,
    min_rows: int = 2,
    confidence_factor: float = 0.25,
    prune: bool = True,
    subtree_raising: bool = True,
    entropy: Entropy = "equal",
    missing: Missing = "shared",
    row_worth: float = 1.0,
) -> Tree:
    """The tree of C4.5, without a requirement.

    A row whose value is missing, or shown as `*`, goes down every branch with a share of its weight, in training and in
    prediction, so that counts may be fractions. A cell that admits several values does so with those branches that take
    some, and `entropy` says how likely they are (see `kspan.induce.spread`). With `missing="value"` it is a value of
    its own instead, so that everybody ends at one leaf. Where rows stand for less than a person each, `row_worth` says
    how much, so that pruning does not believe them too much. Weather, Quinlan's example of 1986:

    >>> import polars as pl
    >>> from kspan.data.encode import encode
    >>> schema = Schema(public=["outlook", "humidity"], private=["play"], target="play")
    >>> outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    >>> humidity = [85, 90, 95, 70, 70, 78, 65, 90, 75, 96, 80, 70, 80, 80]
    >>> play = ["no", "no", "no", "yes", "yes", "yes", "yes", "yes", "yes", "no", "no", "yes", "yes", "yes"]
    >>> c45(encode(pl.DataFrame({"outlook": outlook, "humidity": humidity, "play": play}), schema), schema)
    Tree(4 leaves, 14 people, target 'play')
    """
    check_number("row_worth", row_worth, low=1e-9)
    if missing not in get_args(Missing):
        raise PolicyError(f"missing cannot be {missing!r}: use {' or '.join(get_args(Missing))}")
    shared = missing == "shared"
    reading = Reading(entropy, range_pattern=schema.range_pattern)
    people, features = offered(table, schema, reading, stars_unknown=shared)
    growth = Growth(people, features, score=C45, min_rows=min_rows, shares_missing=shared)
    while candidate := growth.best():
        growth.divide(candidate)
    if prune:
        prune_growth(growth, confidence_factor, raising=subtree_raising, row_worth=row_worth)
    return released(growth, table, schema)
