"""How the few people who are left over join the groups of others, so that nobody is withheld."""

from dataclasses import replace

import numpy as np

from kspan.anonymize.crowds import Crowds
from kspan.anonymize.kactus.leaves import AllowedTogether
from kspan.anonymize.kactus.routes import Rows
from kspan.data.arrays import Floats, Int64s
from kspan.data.groups import group_rows
from kspan.data.table import Column
from kspan.kernels.shown import lowest_and_highest


def joined_to_nearest(judge: AllowedTogether, group: Int64s, number: int, left: Rows) -> tuple[Int64s, int]:
    """Put rows that are in no group into those whose cells they widen least, and return the groups.

    People who are alike go together: to the first group that satisfies the requirement with them. Where no group does,
    the nearest ones are united with them until all satisfy it.
    """
    group = group.copy()
    for rows in _kinds(judge.crowds, left):
        nearest_first = np.argsort(_widening(judge.crowds, group, number, int(rows[0])), kind="stable").tolist()
        able = (each for each in nearest_first if judge.holds([_with(rows, group, each)])[0])
        found = next(able, None)
        if found is not None:
            group[rows] = found
            continue
        together = rows
        for each in nearest_first:
            together = _with(together, group, each)
            if judge.holds([together])[0]:
                break
        group[together] = nearest_first[0]
    there, numbered = np.unique(group, return_inverse=True)
    return numbered, len(there)


def _with(rows: Rows, group: Int64s, number: int) -> Rows:
    """Some rows and those of a group."""
    return np.append(rows, np.flatnonzero(group == number)).astype(np.int32)


def _kinds(crowds: Crowds, left: Rows) -> list[Rows]:
    """The rows that are alike in all that matters here, those with the lowest codes first."""
    columns = [*crowds.columns, *(crowds.table[name] for name in crowds.asked)]
    kind, number = group_rows([_at(column, left) for column in columns], len(left))
    return [left[kind == each] for each in range(number)]


def _at(column: Column, rows: Rows) -> Column:
    return replace(column, codes=column.codes[rows])


def _widening(crowds: Crowds, group: Int64s, number: int, row: int) -> Floats:
    """How much wider the cells of all people of each group become with one more row, in shares of domains."""
    wider = np.zeros(number)
    for column in crowds.columns:
        wider += _wider(column, group, number, int(column.codes[row]))
    return wider * crowds.sizes(group, number)


def _wider(column: Column, group: Int64s, number: int, code: int) -> Floats:
    """The share of the domain that the cell of each group leaves open besides, if it admits one more code."""
    low, high = lowest_and_highest(column.codes, column.size, group, number)
    plain = len(column.values)
    has = np.zeros(number, bool)
    has[group[(column.codes == code) & (group >= 0)]] = True
    if code >= plain:
        return np.where(has, 0.0, 1.0)  # values with a missing one show `*`
    if column.is_measured:
        numbers = column.values.astype(np.float64) / 2  # halves, since the range of very large numbers would overflow
        least, most = numbers[np.minimum(low, plain - 1)], numbers[np.clip(high, 0, plain - 1)]
        beyond = np.maximum(np.maximum(least - numbers[code], numbers[code] - most), 0.0)
        wider: Floats = beyond / (float(numbers[-1] - numbers[0]) or 1.0)
    else:
        wider = np.where(has, 0.0, 1.0 / plain)
    wider[high >= plain] = np.where(low < plain, 0.0, 1.0)[high >= plain]
    return wider
