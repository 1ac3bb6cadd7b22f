"""Tables of values that were drawn for general cells, as numbers for any model of numbers."""

from collections.abc import Iterable, Sequence

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.expected import Known, Words, known
from kspan.data.general import General, GeneralWords
from kspan.induce.released.examples import Examples
from kspan.induce.released.imputed import Drawn, drawn_tables
from kspan.model.boosted.numbered import Numbered, numbered_words
from kspan.model.distributions import Distributions


def numbered_tables(
    people: Examples, told: Distributions | None, likelihood: str, number: int, rng: np.random.Generator
) -> tuple[Numbered, list[Floats]]:
    """Draw so many tables, or take the one table if no cell is general; return how values become numbers, and these."""
    drawn, tables = drawn_tables(people, told, likelihood, number, rng)
    every = list(tables)
    order = [_order(people, one.column, (each[place] for each in every)) for place, one in enumerate(drawn)]
    attributes = tuple(_attribute(people, one, at) for one, at in zip(drawn, order, strict=True))
    return Numbered(attributes), [_numbers(drawn, order, each) for each in every]


def _order(people: Examples, column: General, drawn: Iterable[Int64s]) -> Int64s | None:
    """Return the places of words from those that fewest people of the commonest label have to those that most have.

    A question for a part of this order is then a question for the words that go with a label. None for numbers.
    """
    if not isinstance(column, GeneralWords):
        return None
    common = int(np.bincount(people.label, people.weights).argmax())
    have, with_label = np.zeros(column.size), np.zeros(column.size)
    for places in drawn:
        some = places >= 0
        have += np.bincount(places[some], people.weights[some], column.size)
        some &= people.label == common
        with_label += np.bincount(places[some], people.weights[some], column.size)
    overall = np.sum(with_label) / max(np.sum(have), 1e-300)
    return np.argsort((with_label + overall) / (have + 1), kind="stable").astype(np.int64)


def _attribute(people: Examples, drawn: Drawn, order: Int64s | None) -> Known:
    attribute = known(drawn.column, drawn.weights if order is not None else None, people.signs)
    if order is None or not isinstance(attribute, Words):
        return attribute
    return numbered_words(attribute, order)


def _numbers(drawn: Sequence[Drawn], order: Sequence[Int64s | None], table: Sequence[Int64s]) -> Floats:
    """Return a table of drawn values as numbers: words by their place in the order."""
    columns = []
    for one, at, places in zip(drawn, order, table, strict=True):
        if at is None:
            values = one.column.values.astype(np.float64)
        else:
            values = np.empty(len(at))
            values[at] = np.arange(len(at))
        columns.append(np.append(values, np.nan)[places])  # the place of a missing value is -1
    return np.column_stack(columns)
