"""Naive Bayes from cells that may be general, by fractions of people."""

from typing import Literal, get_args

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.expected import Numbers, Words, known, likely, spoken
from kspan.data.general import General
from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import PolicyError, check_number, did_you_mean
from kspan.induce.label_cuts import label_cuts
from kspan.induce.released import Examples, examples
from kspan.model.bayes import Binned, Chances, Gaussian, NaiveBayes, Rows, WordChances

Shape = Literal["gaussian", "binned", "by-label"]
SHAPES: tuple[str, ...] = get_args(Shape)


def naive_bayes(
    table: Table,
    schema: Schema,
    *,
    likelihood: str = "even",
    alpha: float = 1.0,
    numbers: str = "gaussian",
    bins: int = 10,
    var_smoothing: float = 1e-9,
) -> NaiveBayes:
    """How often labels are, and how likely each makes the values of every attribute.

    A cell that admits several values counts for each with its part of the person: even parts, or those that the table
    itself tells ("em"). Numbers are taken as normal, by `bins` of equally many people ("binned"), or by bins that are
    cut where labels change ("by-label", Fayyad and Irani 1993). `alpha` people are added to every word or bin;
    `var_smoothing` of the largest variance to all.
    """
    check_number("alpha", alpha, low=1e-10, high=1e10)
    check_number("bins", bins, low=1, high=1e6, whole=True)
    check_number("var_smoothing", var_smoothing, low=1e-15, high=1e10)
    if numbers not in SHAPES:
        said = str(numbers)[:40]
        raise PolicyError(f"numbers cannot be {said!r}{did_you_mean(said, SHAPES)}: use {' or '.join(SHAPES)}")
    people = examples(table, schema)
    prior = np.bincount(people.label, people.weights, len(people.labels))
    made: list[Chances] = []
    for column in people.columns:
        if column.kind == "categorical":
            made.append(_words(people, column, likelihood, alpha))
        elif numbers != "gaussian":
            made.append(_binned(people, column, likelihood, alpha, bins if numbers == "binned" else None))
        else:
            made.append(_gaussian(people, column, likelihood))
    attributes = _smoothed(people, made, var_smoothing)
    return NaiveBayes(people.target, people.labels, tuple((prior / prior.sum()).tolist()), attributes)


def _words(people: Examples, column: General, likelihood: str, alpha: float) -> WordChances:
    attribute = known(column, signs=people.signs)
    assert isinstance(attribute, Words)
    return WordChances(attribute, _shares(_expected(people, column, likelihood), alpha))


def _binned(people: Examples, column: General, likelihood: str, alpha: float, bins: int | None) -> Binned:
    """So many bins of about equally many people, or None for bins that are cut where labels change."""
    attribute = known(column, signs=people.signs)
    assert isinstance(attribute, Numbers)
    each = _expected(people, column, likelihood)
    if not each.sum():
        return Binned(attribute, (), _shares(np.zeros((1, len(people.labels))), alpha))
    ends = label_cuts(each) if bins is None else _even_cuts(each, bins)
    values = column.values.astype(np.float64)
    cuts = values[ends] / 2 + values[ends + 1] / 2
    counts = np.add.reduceat(each, np.concatenate([[0], ends + 1]), axis=0)
    return Binned(attribute, tuple(cuts.tolist()), _shares(counts, alpha))


def _even_cuts(each: Floats, bins: int) -> Int64s:
    """The places after which each part of the people is reached; the last place needs no cut."""
    below = np.cumsum(each.sum(axis=1))
    wanted = below[-1] * np.arange(1, bins) / bins
    ends = np.unique(np.searchsorted(below, wanted - 1e-9 * below[-1], side="left"))
    return ends[ends < len(below) - 1]


def _gaussian(people: Examples, column: General, likelihood: str) -> Gaussian:
    """Means and variances; a range is spread evenly between its ends, or over places as the table makes them likely."""
    attribute = known(column, signs=people.signs)
    assert isinstance(attribute, Numbers)
    counts = spoken(column, people.counts(column))
    if likelihood == "even":
        cells = attribute.cells(column)
        low, high = (np.where(cells.says, end, 0.0) for end in attribute.ends(cells))
        points, inner = low / 2 + high / 2, (high - low) ** 2 / 12
        points = np.where(low == high, low, points)
    else:
        counts = _expected(people, column, likelihood)
        points, inner = column.values.astype(np.float64), np.zeros(column.size)
    means, variances = _moments(counts, points, inner)
    everybody = _moments(counts.sum(axis=1, keepdims=True), points, inner)
    nobody = counts.sum(axis=0) == 0
    # Of a label without any number nothing else is known than of all people.
    means, variances = (np.where(nobody, all_, each) for each, all_ in zip((means, variances), everybody, strict=True))
    return Gaussian(attribute, tuple(means.tolist()), tuple(variances.tolist()))


def _moments(counts: Floats, points: Floats, inner: Floats) -> tuple[Floats, Floats]:
    people = np.maximum(counts.sum(axis=0), np.finfo(float).tiny)
    means = points @ counts / people
    variances = (((points[:, None] - means) ** 2 + inner[:, None]) * counts).sum(axis=0) / people
    return means, variances


def _smoothed(people: Examples, made: list[Chances], var_smoothing: float) -> tuple[Chances, ...]:
    """The attributes with a part of the largest variance of all added to every one, so that none is zero."""
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
    return float(share @ (np.array(gaussian.variances) + (means - share @ means) ** 2))


def _expected(people: Examples, column: General, likelihood: str) -> Floats:
    """How many people of each label have each value, in fractions."""
    counts = spoken(column, people.counts(column))
    return column.expected(counts, likely(column, counts, likelihood))


def _shares(counts: Floats, alpha: float) -> Rows:
    """The share of each value among the people of a label, after alpha people were added to each."""
    more = counts + alpha
    return tuple(tuple(row) for row in (more / more.sum(axis=0)).tolist())
