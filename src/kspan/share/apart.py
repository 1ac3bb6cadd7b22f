"""Is a tree still private among people whom earlier releases tell apart?"""

from dataclasses import replace

import numpy as np
import polars as pl

from kspan.audit.tree.spans import joint_spans, people_of
from kspan.data.arrays import Int64s
from kspan.data.groups import NO_WEIGHTS, Groups, count_values, tally
from kspan.induce.known import classes_of
from kspan.model.tree.model import Tree
from kspan.policy import Policy


def holds_apart(tree: Tree, people: pl.DataFrame, policy: Policy, known: Int64s) -> bool:
    """Do the people of each class in each span of a tree satisfy the policy's requirement by themselves?

    `known` has the class of each row.
    """
    together = joint_spans([tree], people_of([tree], people, policy))
    table = together.table
    of_row = classes_of(known, table.rows, table.persons)
    classes = int(of_row.max(initial=0)) + 1
    weights = NO_WEIGHTS if table.weights is None else table.weights
    keys = together.span * classes + of_row
    pairs, sizes, span = tally(keys, len(together.sizes) * classes, weights, locate=True)
    example = np.empty(len(pairs), np.int64)
    example[span] = np.arange(table.rows)
    told = {
        name: count_values(together.told_of_rows(name), span, len(pairs), weights) for name in together.groups.private
    }
    groups = Groups(sizes.astype(np.int64), told, together.exposing[pairs // classes])
    apart = replace(together, span=span, groups=groups, example=example)
    return all(bool(apart.holds(part).all()) for part in policy.require.parts)
