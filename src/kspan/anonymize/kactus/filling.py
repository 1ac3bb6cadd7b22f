"""What groups of leaves show where nothing is left blank: the tightest cells that are true of their people."""

from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import numpy as np

from kspan.anonymize.canvas import apart
from kspan.anonymize.cells import MEAN_DIGITS, as_cells, as_nodes, chosen, shown
from kspan.anonymize.crowds import Crowds, Recoding, Regions
from kspan.data.arrays import Int64s
from kspan.data.cells import number_text
from kspan.data.table import Column
from kspan.kernels.shown import lowest_and_highest
from kspan.model.partition import WITHHELD, Shown

Show = Literal["interval", "hierarchy", "median", "mean"]
OneNumber = Callable[[Column, Int64s, Int64s | None], str]
"""What is shown of the numbers of some rows, given by their codes and how many people each row is."""


def filled(crowds: Crowds, group: Int64s, number: int, show: Show) -> Recoding:
    """Groups with a cell for every public attribute; those that show the same become one."""
    write = as_nodes if show == "hierarchy" else as_cells
    ranges = {column.name: write(column, group, number) for column in crowds.columns}
    if show in ("interval", "hierarchy"):
        return Recoding(apart(group, ranges, number))
    one = middle if show == "median" else mean
    shown_too = {
        column.name: _one_number(crowds, column, group, ranges[column.name], one)
        for column in crowds.columns
        if column.is_measured
    }
    partition = apart(group, {**ranges, **shown_too}, number)
    return Recoding(partition, regions=Regions(_places(partition.group, group, number), ranges))


def _one_number(crowds: Crowds, column: Column, group: Int64s, ranges: Shown, one: OneNumber) -> Shown:
    """One number of each group, where all of its people have one."""
    number, weights = len(ranges.code), crowds.table.weights
    _, high = lowest_and_highest(column.codes, column.size, group, number)
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(number + 1))
    rows = [order[begin:end] for begin, end in pairwise(ends.tolist())]
    cells = [
        one(column, column.codes[each].astype(np.int64), None if weights is None else weights[each])
        if last < len(column.values)
        else None
        for each, last in zip(rows, high.tolist(), strict=True)
    ]
    return chosen(high < len(column.values), shown(column, np.arange(number), cells), ranges)


def _places(merged: Int64s, group: Int64s, number: int) -> Int64s:
    """The group that each group has become a part of."""
    found = np.full(number, WITHHELD, np.int64)
    there = group != WITHHELD
    found[group[there]] = merged[there]
    return found


def middle(column: Column, codes: Int64s, weights: Int64s | None) -> str:
    """The number of the person in the middle, of two the lower one."""
    if weights is None:
        place = (len(codes) - 1) // 2
        return column.label(int(np.partition(codes, place)[place]))
    order = np.argsort(codes, kind="stable")
    people = np.cumsum(weights[order])
    return column.label(int(codes[order[np.searchsorted(people, (people[-1] + 1) // 2)]]))


def mean(column: Column, codes: Int64s, weights: Int64s | None) -> str:
    """The mean between the lowest and the highest number that is there."""
    return mean_between(column, codes, weights, int(codes.min()), int(codes.max()))


def mean_between(column: Column, codes: Int64s, weights: Int64s | None, lowest: int, highest: int) -> str:
    """The mean, with few digits, but with as many as it takes to stay between two codes."""
    exact = float(np.average(column.values[codes].astype(np.float64), weights=weights))
    low, high = float(column.values[lowest]), float(column.values[highest])
    rounded = (float(f"{exact:.{digits}g}") for digits in range(MEAN_DIGITS, 18))
    return number_text(next((each for each in rounded if low <= each <= high), min(max(exact, low), high)))
