"""Gradient boosting from cells that may be general, by values that are drawn for them several times."""

import warnings
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.expected import Likelihood
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.released.examples import examples
from kspan.induce.released.numbered import numbered_tables
from kspan.induce.tree.spread import Seed
from kspan.limits import LARGEST_NUMBER
from kspan.model.boosted.model import Boosted, BoostedTree, Question
from kspan.model.distributions import distributions_of
from kspan.options import NOT_TYPED, Within, takes_options

STEADY = 1.0
"""What is added to the certainty of every leaf: without it, leaves in which hardly anything is left to be learned add
enormous numbers, and a label that two people have leads all others astray."""
SMALL = 20_000_000
"""Up to so many cells one thread is used: several wait for each other, which takes far longer on a busy machine."""


@takes_options
def boosted(
    table: Table,
    schema: Schema,
    *,
    rounds: Annotated[int, Within(1, 1e5)] = 100,
    learning_rate: Annotated[float, Within(1e-6, 1e3)] = 0.1,
    most_leaves: Annotated[int, Within(2, 1e5)] = 31,
    min_rows: Annotated[int, Within(1, 1e9)] = 20,
    imputations: Annotated[int, Within(1, 1e4)] = 10,
    likelihood: Likelihood = "em",
    marginals: Annotated[Any, NOT_TYPED] = None,
    rng: Seed = 0,
) -> Boosted:
    """scikit-learn's HistGradientBoostingClassifier on tables in which every cell is one of the values that it admits.

    Several such tables are drawn, and one model is learned from all of them.

    Options:
        rounds: How many trees are added for each label.
        learning_rate: How much each tree adds.
        most_leaves: Leaves that a tree may have.
        min_rows: People that a leaf must have.
        imputations: How often the value of each general cell is drawn.
        likelihood: How values share a cell: in even parts, or as the table itself tells (em).
        marginals: How attributes are distributed, as the owner published it: a file, or what it holds.
        rng: The seed of what is left to chance.
    """
    people = examples(table, schema)
    chance = np.random.default_rng(rng)
    numbered, tables = numbered_tables(people, distributions_of(marginals), likelihood, int(imputations), chance)
    labels = len(people.labels)
    if labels < 2:
        return Boosted(people.target, people.labels, numbered, (0.0,) * labels, ())
    fitted = _fitted(
        np.concatenate(tables),
        np.tile(people.label, len(tables)),
        np.tile(people.weights / len(tables), len(tables)),
        max_iter=int(rounds),
        learning_rate=float(learning_rate),
        max_leaf_nodes=int(most_leaves),
        # Everybody is in all tables.
        min_samples_leaf=int(min_rows) * len(tables),
    )
    start = np.zeros(labels)
    raw = np.asarray(fitted._baseline_prediction, np.float64).ravel()
    start[-len(raw) :] = raw
    return Boosted(people.target, people.labels, numbered, tuple(start.tolist()), _trees(fitted, labels))


def _fitted(rows: Floats, label: Int64s, weights: Floats, **settings: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier  # which takes a while to load

    # A column of which nothing is known is the same for all, which scikit-learn refuses to see of missing numbers.
    rows = np.where(np.isnan(rows).all(axis=0), 0.0, rows)
    model = HistGradientBoostingClassifier(
        early_stopping=False, categorical_features=None, l2_regularization=STEADY, random_state=0, **settings
    )
    with _threads(rows.size), warnings.catch_warnings():
        # scikit-learn suspects that so many different labels are numbers, but here they are labels.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        return model.fit(rows, label, sample_weight=weights)


def _threads(cells: int) -> AbstractContextManager[Any]:
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, "openmp") if cells <= SMALL else nullcontext()


def _trees(fitted: Any, labels: int) -> tuple[BoostedTree, ...]:
    """Return the trees of a fitted model; of two labels, all trees are for the second one."""
    return tuple(
        BoostedTree(1 if labels == 2 else label, tuple(_node(node) for node in one.nodes))
        for each in fitted._predictors
        for label, one in enumerate(each)
    )


def _node(node: Any) -> Question | float:
    if node["is_leaf"]:
        return float(node["value"])
    # Every number there is goes left of infinity, and a file cannot hold that.
    at_most = min(float(node["num_threshold"]), LARGEST_NUMBER)
    left, right = int(node["left"]), int(node["right"])
    return Question(int(node["feature_idx"]), at_most, bool(node["missing_go_to_left"]), left, right)
