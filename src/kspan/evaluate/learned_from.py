"""Are these the people that a model was learned from? Then what it says of them foretells nothing."""

import numpy as np
import polars as pl

from kspan.audit.lists.judge import untrue_rules
from kspan.audit.tree.truth import ends_of, untrue_nodes
from kspan.data.arrays import Int64s
from kspan.data.domain import Domain
from kspan.data.encode import encode_column
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.errors import DataError
from kspan.evaluate.agreement import meant_labels
from kspan.model.kinds import Released
from kspan.model.lists.model import DecisionList
from kspan.model.outcome import NUMBER_DISCLOSURES
from kspan.model.predict import NumberPredictor, TreePredictor, asked
from kspan.model.predictor import Predictor
from kspan.model.questions import answers
from kspan.model.tree.model import Tree

COUNTED = ("counts", "hit-miss", *NUMBER_DISCLOSURES)
"""What a tree must tell of its nodes, so that people can be held against it."""


def learned_from(
    model: Predictor | NumberPredictor | Released,
    people: pl.DataFrame,
    range_pattern: str | None = None,
    *,
    weights: Int64s | None = None,
) -> bool | None:
    """Say whether people give just the figures that a model tells; None if it tells too little for anybody to say.

    Figures are counts of labels, or people and means of numbers. Of several targets those of one are enough.

    >>> from kspan.datasets import small_mortgage
    >>> from kspan.induce.methods import learn
    >>> from kspan.policy import Policy
    >>> people = small_mortgage().drop("Name")
    >>> tree = learn(people, Policy(public=["Marital status", "Sports car"], target="Loan risk", require="k=1"))
    >>> learned_from(tree, people), learned_from(tree, people.head(5)), learned_from(tree.disclosing("label"), people)
    (True, False, None)
    """
    tree = model.tree if isinstance(model, TreePredictor | NumberPredictor) else model
    if isinstance(tree, DecisionList):
        return _rules_agree(tree, people, range_pattern, weights) if tree.rules else None
    if not isinstance(tree, Tree):
        return None
    views = [view for view in tree.views() if view.target in people.columns and _tells_them_apart(view)]
    if not views:
        return None
    return people.height > 0 and any(_nodes_agree(view, people, range_pattern, weights) for view in views)


def _rules_agree(rules: DecisionList, people: pl.DataFrame, range_pattern: str | None, weights: Int64s | None) -> bool:
    labels = _labels_of(rules, people)
    if labels is None or not people.height:
        return False
    place = {label: number for number, label in enumerate(rules.labels)}
    codes = np.array([place[label] for label in labels], np.int64)
    return not untrue_rules(rules, answers(rules.asked, people, range_pattern), codes, weights)


def _nodes_agree(tree: Tree, people: pl.DataFrame, range_pattern: str | None, weights: Int64s | None) -> bool:
    """Do people give what every node of a tree of one target tells?"""
    target = _target(tree, people)
    if target is None:
        return False
    questions = asked(tree, people, range_pattern)
    table = Table({**questions.columns, tree.target: target}, people.height, weights)
    try:
        return not untrue_nodes(tree, ends_of(tree, table))
    except DataError:  # somebody has a value that the tree has no branch for
        return False


def _target(tree: Tree, people: pl.DataFrame) -> Column | None:
    """Return what people have of the target of a tree; None if it is nothing that the tree may tell of."""
    name = tree.target
    if tree.target_kind is not None:
        column = encode_column(people[name], Schema())
        is_number = column.is_measured and column.kind.unit == tree.target_kind.unit
        return column if is_number and column.size == len(column.values) else None
    labels = _labels_of(tree, people)
    words = Schema(public=[name], domains={name: Domain(WORDS)})
    return None if labels is None else encode_column(labels.alias(name), words)


def _labels_of(model: Tree | DecisionList, people: pl.DataFrame) -> pl.Series | None:
    """Return the labels of people as a model spells them; None if some are none of its labels."""
    labels = meant_labels(people[model.target], model.labels)
    return labels if labels.is_in(list(model.labels)).fill_null(False).all() else None


def are_the_same(test: pl.DataFrame, people: pl.DataFrame) -> bool:
    """Say whether two tables have the same rows, in any order, as far as the columns of the first one tell.

    >>> people = pl.DataFrame({"age": [20, 30, 30], "name": ["a", "b", "c"]})
    >>> are_the_same(people.select("age").reverse(), people), are_the_same(people.head(2), people)
    (True, False)
    """
    if test.height != people.height or not set(test.columns) <= set(people.columns):
        return False
    one, other = (each.select(test.columns).hash_rows().sort() for each in (test, people))
    return one.equals(other)


def _tells_them_apart(tree: Tree) -> bool:
    """Does a tree tell figures of people at several places? Those of all together are the figures of many tables."""
    return tree.disclosure in COUNTED and not tree.root.is_leaf
