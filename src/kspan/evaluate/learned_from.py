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
from kspan.data.table import Table
from kspan.errors import DataError
from kspan.evaluate.agreement import meant_labels
from kspan.model.lists.model import DecisionList
from kspan.model.predict import TreePredictor, asked
from kspan.model.predictor import Predictor
from kspan.model.questions import answers
from kspan.model.tree.model import Tree

COUNTED = ("counts", "hit-miss")
"""What a tree must tell of its nodes, so that people can be held against it."""


def learned_from(
    model: Predictor | Tree, people: pl.DataFrame, range_pattern: str | None = None, *, weights: Int64s | None = None
) -> bool | None:
    """Say whether people give just the counts that a model tells; None if it tells too little for anybody to say.

    >>> from kspan.datasets import small_mortgage
    >>> from kspan.induce.methods import learn
    >>> from kspan.policy import Policy
    >>> people = small_mortgage().drop("Name")
    >>> tree = learn(people, Policy(public=["Marital status", "Sports car"], target="Loan risk", require="k=1"))
    >>> learned_from(tree, people), learned_from(tree, people.head(5)), learned_from(tree.disclosing("label"), people)
    (True, False, None)
    """
    tree = model.tree if isinstance(model, TreePredictor) else model
    if not isinstance(tree, DecisionList | Tree) or not _tells_them_apart(tree):
        return None
    labels = meant_labels(people[tree.target], tree.labels)
    if not people.height or not labels.is_in(list(tree.labels)).fill_null(False).all():
        return False
    if isinstance(tree, DecisionList):
        place = {label: number for number, label in enumerate(tree.labels)}
        codes = np.array([place[label] for label in labels], np.int64)
        return not untrue_rules(tree, answers(tree.asked, people, range_pattern), codes, weights)
    name = tree.target
    target = encode_column(labels.alias(name), Schema(public=[name], domains={name: Domain(WORDS)}))
    questions = asked(tree, people, range_pattern)
    table = Table({**questions.columns, name: target}, people.height, weights)
    try:
        return not untrue_nodes(tree, ends_of(tree, table))
    except DataError:  # somebody has a value that the tree has no branch for
        return False


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


def _tells_them_apart(model: Tree | DecisionList) -> bool:
    """Does a model tell how many people of each label are at several places? Labels alone are those of many tables."""
    if isinstance(model, DecisionList):
        return bool(model.rules)
    return model.disclosure in COUNTED and not model.root.is_leaf
