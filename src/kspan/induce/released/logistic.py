"""Logistic regression from cells that may be general, by what they are expected to hold."""

import warnings
from typing import Annotated, Literal

import numpy as np

from kspan.data.expected import Likelihood
from kspan.data.general import GeneralNumbers
from kspan.data.numeric_features import learn_features
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.released.bins import Bins, cut_places, cuts_after, expected_people
from kspan.induce.released.examples import Examples, examples
from kspan.model.linear.model import Linear
from kspan.options import Typed, Within, takes_options

BOTH_WAYS = Typed(("--missing-indicator", "--no-missing-indicator"))


@takes_options
def logistic(
    table: Table,
    schema: Schema,
    *,
    C: Annotated[float, Within(1e-10, 1e10)] = 1.0,  # noqa: N803
    likelihood: Likelihood = "even",
    numbers: Literal["scaled", "binned", "by-label"] = "scaled",
    bins: Bins = 10,
    missing_indicator: Annotated[bool, BOTH_WAYS] = False,
    max_iter: Annotated[int, Within(1, 1e9)] = 1000,
) -> Linear:
    """scikit-learn's LogisticRegression on the expected encoding of each cell.

    With `numbers="by-label"`, numbers are cut as by Fayyad and Irani (1993).

    Options:
        C: The inverse of the penalty.
        likelihood: How values share a cell: in even parts, or as the table itself tells (em).
        numbers: How numbers are taken: as they are, by bins of equally many people, or by bins cut where labels change.
        bins: How many bins of equally many people.
        missing_indicator: Learn from what is missing, too.
        max_iter: Steps that the search may take.
    """
    people = examples(table, schema)
    encoding, rows = learn_features(
        people.columns,
        people.weights,
        likelihood=likelihood,
        standardize=True,
        indicator=missing_indicator,
        signs=people.signs,
        cuts=None if numbers == "scaled" else _cuts(people, likelihood, numbers, bins),
    )
    labels, columns = len(people.labels), rows.shape[1]
    weights, intercepts = np.zeros((labels, columns)), np.zeros(labels)
    if labels > 1 and columns:
        from sklearn.linear_model import LogisticRegression

        given = None if table.weights is None else people.weights
        with warnings.catch_warnings():
            # scikit-learn suspects that so many different labels are numbers, but here they are labels.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            fitted = LogisticRegression(C=C, max_iter=int(max_iter)).fit(rows, people.label, sample_weight=given)
        # With two labels there is one sum, for the second of them.
        weights[-len(fitted.coef_) :], intercepts[-len(fitted.coef_) :] = fitted.coef_, fitted.intercept_
    elif labels > 1:
        # Without any column, how frequent labels are is all that is known.
        intercepts = np.log(np.bincount(people.label, people.weights, labels))
    each = tuple(tuple(row) for row in weights.tolist())
    return Linear(people.target, people.labels, encoding, each, tuple(intercepts.tolist()))


def _cuts(people: Examples, likelihood: str, numbers: str, bins: int) -> dict[str, tuple[float, ...]]:
    """Where each column of numbers is cut."""
    return {
        column.column.name: cuts_after(column, cut_places(expected_people(people, column, likelihood), numbers, bins))
        for column in people.columns
        if isinstance(column, GeneralNumbers)
    }
