"""Naive Bayes from cells that may be general, by fractions of people."""

from typing import Annotated, Literal

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.expected import Likelihood, Numbers, Words, known, spoken
from kspan.data.general import General, GeneralWords
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.induce.released.bins import Bins, cut_places, cuts_after, expected_people
from kspan.induce.released.examples import Examples, examples
from kspan.model.bayes.model import Binned, Chances, Gaussian, NaiveBayes, Rows, WordChances
from kspan.options import Within, takes_options


@takes_options
def naive_bayes(
    table: Table,
    schema: Schema,
    *,
    likelihood: Likelihood = "even",
    alpha: Annotated[float, Within(1e-10, 1e10)] = 1.0,
    numbers: Literal["gaussian", "binned", "by-label"] = "gaussian",
    bins: Bins = 10,
    var_smoothing: Annotated[float, Within(1e-15, 1e10)] = 1e-9,
) -> NaiveBayes:
    """Learn how frequent each label is, and how likely the values of every attribute are among its people.

    A cell that admits several values counts for each with a part of the person. With `numbers="by-label"`, numbers are
    cut as by Fayyad and Irani (1993).

    Options:
        likelihood: How values share a cell: in even parts, or as the table itself tells (em).
        alpha: People that are added to every word or bin.
        numbers: How numbers are taken: as they are, by bins of equally many people, or by bins cut where labels change.
        bins: How many bins of equally many people.
        var_smoothing: The part of the largest variance that is added to all.
    """
    people = examples(table, schema)
    prior = np.bincount(people.label, people.weights, len(people.labels))
    made: list[Chances] = []
    for column in people.columns:
        if isinstance(column, GeneralWords):
            made.append(_words(people, column, likelihood, alpha))
        elif numbers == "gaussian":
            made.append(_gaussian(people, column, likelihood))
        else:
            each = expected_people(people, column, likelihood)
            made.append(_binned(people, column, each, cut_places(each, numbers, bins), alpha))
    attributes = _smoothed(people, made, var_smoothing)
    return NaiveBayes(people.target, people.labels, tuple((prior / prior.sum()).tolist()), attributes)


def _words(people: Examples, column: General, likelihood: str, alpha: float) -> WordChances:
    attribute = known(column, signs=people.signs)
    assert isinstance(attribute, Words)
    return WordChances(attribute, _shares(expected_people(people, column, likelihood), alpha))


def _binned(people: Examples, column: General, each: Floats, places: Int64s, alpha: float) -> Binned:
    """Chances of the bins that end after some places of the column's numbers."""
    attribute = known(column, signs=people.signs)
    assert isinstance(attribute, Numbers)
    starts = np.concatenate([[0], places + 1])
    counts = np.add.reduceat(each, starts, axis=0) if each.size else np.zeros((1, len(people.labels)))
    return Binned(attribute, cuts_after(column, places), _shares(counts, alpha))


def _gaussian(people: Examples, column: General, likelihood: str) -> Gaussian:
    """Means and variances by label; a range is spread evenly, or over the numbers as likely as the table makes them."""
    attribute = known(column, signs=people.signs)
    assert isinstance(attribute, Numbers)
    counts = spoken(column, people.counts(column))
    if likelihood == "even":
        cells = attribute.cells(column)
        low, high = (np.where(cells.says, end, 0.0) for end in attribute.ends(cells))
        # The middle and the variance of an even spread; halves are added, since a sum may overflow.
        points, inner = low / 2 + high / 2, (high - low) ** 2 / 12
        points = np.where(low == high, low, points)
    else:
        counts = expected_people(people, column, likelihood)
        points, inner = column.values.astype(np.float64), np.zeros(column.size)
    means, variances = _moments(counts, points, inner)
    everybody = _moments(counts.sum(axis=1, keepdims=True), points, inner)
    nobody = counts.sum(axis=0) == 0
    # A label whose people have no number gets what holds for all people.
    means, variances = (np.where(nobody, all_, each) for each, all_ in zip((means, variances), everybody, strict=True))
    return Gaussian(attribute, tuple(means.tolist()), tuple(variances.tolist()))


def _moments(counts: Floats, points: Floats, inner: Floats) -> tuple[Floats, Floats]:
    people = np.maximum(counts.sum(axis=0), np.finfo(float).tiny)
    means = points @ counts / people
    variances = (((points[:, None] - means) ** 2 + inner[:, None]) * counts).sum(axis=0) / people
    return means, variances


def _smoothed(people: Examples, made: list[Chances], var_smoothing: float) -> tuple[Chances, ...]:
    """The attributes, with a part of the largest variance added to every variance, so that none is zero."""
    gaussians = [each for each in made if isinstance(each, Gaussian)]
    largest = max((_spread(people, each) for each in gaussians), default=0.0)
    extra = var_smoothing * (largest or 1.0)
    return tuple(
        Gaussian(each.known, each.means, tuple(variance + extra for variance in each.variances))
        if isinstance(each, Gaussian)
        else each
        for each in made
    )


def _spread(people: Examples, gaussian: Gaussian) -> float:
    """The variance of a number over all labels."""
    column = next(each for each in people.columns if each.column.name == gaussian.known.name)
    share = spoken(column, people.counts(column)).sum(axis=0)
    if not share.sum():
        return 0.0
    share = share / share.sum()
    means = np.array(gaussian.means)
    # The variance within labels, and that between their means.
    return float(share @ (np.array(gaussian.variances) + (means - share @ means) ** 2))


def _shares(counts: Floats, alpha: float) -> Rows:
    """The share of each value among the people of a label, after alpha people were added to each."""
    more = counts + alpha
    return tuple(tuple(row) for row in (more / more.sum(axis=0)).tolist())
