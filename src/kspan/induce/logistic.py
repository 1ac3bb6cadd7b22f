"""Logistic regression from cells that may be general, by what they are expected to hold."""

import warnings

import numpy as np

from kspan.data.encoding import learn_encoding
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import check_choice, check_number
from kspan.induce.bins import BINNED, BY_LABEL, cut_places, cuts_after, expected_people
from kspan.induce.released import Examples, examples
from kspan.model.linear import Linear

SCALED = "scaled"
SHAPES = (SCALED, BINNED, BY_LABEL)
"""How numbers may be taken."""


def logistic(
    table: Table,
    schema: Schema,
    *,
    C: float = 1.0,  # noqa: N803
    likelihood: str = "even",
    numbers: str = SCALED,
    bins: int = 10,
    missing_indicator: bool = False,
    max_iter: int = 1000,
) -> Linear:
    """scikit-learn's LogisticRegression on the expected encoding of each cell.

    `C` is the inverse of its penalty. `likelihood` says how words share a cell: evenly, or as the table tells ("em").
    Numbers are standardized ("scaled"), or told by `bins` of equally many people ("binned"), or by bins that are cut
    where labels change ("by-label", Fayyad and Irani 1993).
    """
    check_number("C", C, low=1e-10, high=1e10)
    check_number("bins", bins, low=1, high=1e6, whole=True)
    check_number("max_iter", max_iter, low=1, high=1e9, whole=True)
    check_choice("numbers", numbers, SHAPES)
    people = examples(table, schema)
    encoding, rows = learn_encoding(
        people.columns,
        people.weights,
        likelihood=likelihood,
        standardize=True,
        indicator=missing_indicator,
        signs=people.signs,
        cuts=None if numbers == SCALED else _cuts(people, likelihood, numbers, bins),
    )
    labels, columns = len(people.labels), rows.shape[1]
    weights, intercepts = np.zeros((labels, columns)), np.zeros(labels)
    if labels > 1 and columns:
        from sklearn.linear_model import LogisticRegression

        given = None if table.weights is None else people.weights
        with warnings.catch_warnings():
            # Labels are labels, also where there are nearly as many as people.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            fitted = LogisticRegression(C=C, max_iter=int(max_iter)).fit(rows, people.label, sample_weight=given)
        # With two labels there is one sum, for the second of them.
        weights[-len(fitted.coef_) :], intercepts[-len(fitted.coef_) :] = fitted.coef_, fitted.intercept_
    elif labels > 1:
        intercepts = np.log(np.bincount(people.label, people.weights, labels))
    each = tuple(tuple(row) for row in weights.tolist())
    return Linear(people.target, people.labels, encoding, each, tuple(intercepts.tolist()))


def _cuts(people: Examples, likelihood: str, numbers: str, bins: int) -> dict[str, tuple[float, ...]]:
    """Where each column of numbers is cut."""
    return {
        column.column.name: cuts_after(column, cut_places(expected_people(people, column, likelihood), numbers, bins))
        for column in people.columns
        if column.kind == "numeric"
    }
