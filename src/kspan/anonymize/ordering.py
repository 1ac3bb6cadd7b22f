"""The values of a public attribute in the order in which neighbors are alike, for methods that need one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.data.table import Column


def in_order(column: Column) -> Column:
    """The column with categories coded in the order of their hierarchy, so that values of one name are neighbors.

    Numbers stay in order of size, and categories without a hierarchy as they are: as declared, or else by the alphabet.
    A suppressed cell and a missing one stay last.

    >>> from kspan.data.hierarchy import Hierarchy
    >>> from kspan.data.kinds.words import WORDS
    >>> jobs = Hierarchy.of([("nurse", "health"), ("clerk", "office"), ("doctor", "health")])
    >>> values = np.array(["clerk", "doctor", "nurse"], object)
    >>> column = in_order(Column("job", WORDS, np.array([0, 1, 2], np.uint8), values, hierarchy=jobs))
    >>> column.values.tolist(), column.codes.tolist()
    (['nurse', 'doctor', 'clerk'], [2, 1, 0])
    """
    hierarchy = column.hierarchy
    if hierarchy is None or column.is_measured:
        return column
    place = [{name: at for at, name in enumerate(names)} for names in hierarchy.names]

    def from_the_root(code: int) -> tuple[Any, ...]:
        label = column.label(code)
        if hierarchy.find(label) is None:  # a set of a released source: after all that the hierarchy knows
            return (len(hierarchy.values), label)
        path = hierarchy.path(label)
        return (*(places.get(name, -1) for places, name in zip(reversed(place), reversed(path), strict=True)), label)

    order = sorted(range(len(column.values)), key=from_the_root)
    translate = np.arange(column.size, dtype=column.codes.dtype)
    translate[order] = np.arange(len(order))
    return replace(column, values=column.values[order], codes=translate[column.codes])


def matrix(columns: Sequence[Column], rows: int) -> NDArray[Any]:
    """The codes of some columns side by side, a row a person, in the smallest type that fits all of them."""
    kind = np.result_type(np.uint8, *(column.codes.dtype for column in columns))
    codes = np.empty((rows, len(columns)), kind)
    for place, column in enumerate(columns):
        codes[:, place] = column.codes
    return codes
