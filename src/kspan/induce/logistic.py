"""Logistic regression from cells that may be general, by what they are expected to hold."""

import numpy as np

from kspan.data.encoding import learn_encoding
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import check_number
from kspan.induce.released import examples
from kspan.model.linear import Linear


def logistic(
    table: Table,
    schema: Schema,
    *,
    C: float = 1.0,  # noqa: N803
    likelihood: str = "even",
    missing_indicator: bool = False,
    max_iter: int = 1000,
) -> Linear:
    """scikit-learn's LogisticRegression on the expected encoding of each cell, numbers standardized.

    `C` is the inverse of its penalty. `likelihood` says how words share a cell: evenly, or as the table tells ("em").
    """
    check_number("C", C, low=1e-10, high=1e10)
    check_number("max_iter", max_iter, low=1, high=1e9, whole=True)
    people = examples(table, schema)
    encoding, numbers = learn_encoding(
        people.columns,
        people.weights,
        likelihood=likelihood,
        standardize=True,
        indicator=missing_indicator,
        signs=people.signs,
    )
    labels, columns = len(people.labels), numbers.shape[1]
    weights, intercepts = np.zeros((labels, columns)), np.zeros(labels)
    if labels > 1 and columns:
        from sklearn.linear_model import LogisticRegression

        given = None if table.weights is None else people.weights
        fitted = LogisticRegression(C=C, max_iter=int(max_iter)).fit(numbers, people.label, sample_weight=given)
        # With two labels there is one sum, for the second of them.
        weights[-len(fitted.coef_) :], intercepts[-len(fitted.coef_) :] = fitted.coef_, fitted.intercept_
    elif labels > 1:
        intercepts = np.log(np.bincount(people.label, people.weights, labels))
    rows = tuple(tuple(row) for row in weights.tolist())
    return Linear(people.target, people.labels, encoding, rows, tuple(intercepts.tolist()))
