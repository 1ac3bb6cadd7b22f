"""Grow the tree that kACTUS prunes, with one of our learners by name or with a tree learner of scikit-learn."""

from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from kspan.anonymize.crowds import Recoding
from kspan.anonymize.kactus.kactus import kactus
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.errors import PolicyError
from kspan.induce.tree.c45 import c45
from kspan.induce.tree.id3 import id3
from kspan.induce.tree.together import together
from kspan.model.tree.imported import imported, is_fitted_tree
from kspan.model.tree.model import Tree
from kspan.options import hands_on, takes_options
from kspan.policy import Policy

Inducer: TypeAlias = Literal["c45", "id3", "together"] | Any
"""One of ours by its name, or a `DecisionTreeClassifier` of scikit-learn, fitted or not."""


@hands_on(kactus)
@takes_options
def grown_and_pruned(
    table: Table, policy: Policy, *, rng: np.random.Generator, inducer: Inducer | None = None, **options: Any
) -> Recoding:
    """Both phases of kACTUS: a tree, and what is left of it when everybody has a crowd.

    Options:
        inducer: The tree that is pruned: one for the target, or one that tells most of all public attributes together.
            If it is not given, c45 for a private target of words; for a private number the tree that tells most of it;
            without a private target, together.
    """
    return kactus(table, policy, lambda k: inner_tree(table, policy, inducer, k), rng=rng, **options)


def inner_tree(table: Table, policy: Policy, inducer: Inducer | None, min_rows: int) -> Tree:
    """Return a tree over the public attributes: of the policy's private target, or of all public attributes together.

    Our learners split a node only if at least two of the branches have `min_rows`.
    """
    target = policy.target if policy.target in policy.private else None
    schema = Schema(public=policy.public, private=[target] if target else [], target=target)
    is_number = target is not None and table[target].is_measured
    if inducer == "together" or (inducer is None and (target is None or is_number)):
        told = [str(target)] if is_number and inducer is None else policy.public
        return together(table, schema, told, min_rows=min_rows)
    if target is None:
        raise PolicyError(
            f"the tree of {_name(inducer)} predicts a target: name a private one in the policy, or use 'together'"
        )
    if inducer in (None, "c45"):
        return c45(table, schema, min_rows=min_rows, entropy="own-value")
    if inducer == "id3":
        return id3(table, schema, min_rows=min_rows, entropy="own-value")
    if is_fitted_tree(inducer):
        return imported(inducer, table, schema)
    if hasattr(inducer, "fit") and hasattr(inducer, "get_params"):
        return imported(_fitted(inducer, table, schema), table, schema)
    raise PolicyError(
        f"kactus wraps 'c45', 'id3', 'together' or a DecisionTreeClassifier of scikit-learn, not {inducer!r:.40}"
    )


def _name(inducer: Inducer) -> str:
    return inducer if isinstance(inducer, str) else type(inducer).__name__


def _fitted(model: Any, table: Table, schema: Schema) -> Any:
    """Return a fitted copy of a model of scikit-learn, which sees numbers as they are and each word as a 0-1 column."""
    from sklearn.base import clone

    columns = [series for name in schema.public for series in _columns(table[name])]
    target = table[str(schema.target)]
    labels = np.array([target.label(code) for code in range(target.size)], object)[target.codes]
    return clone(model).fit(pl.DataFrame(columns), labels, sample_weight=table.weights)


def _columns(column: Column) -> list[pl.Series]:
    if column.is_measured and not column.has_suppressed:
        numbers = np.append(column.values.astype(np.float64), np.nan)  # a missing one has the code after the last
        return [pl.Series(column.name, numbers[column.codes])]
    # `imported` finds attributes and values by such names, where nan is a missing one.
    names = ["nan" if code == column.missing else column.label(code) for code in range(column.size)]
    return [pl.Series(f"{column.name}_{name}", column.codes == code) for code, name in enumerate(names)]
