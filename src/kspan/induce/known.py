"""What earlier releases let anybody tell of people, as learners see it: a class for every row.

The class works like a public attribute that is known and never shown. People of different classes are told apart from
the start, so they never count as one crowd; no model may ask the class or tell of it.
"""

from typing import Any

import numpy as np

from kspan.data.arrays import Int64s
from kspan.errors import DataError, PolicyError, Unreachable
from kspan.privacy import Requirement


def classes_of(known: Int64s | None, rows: int, persons: Int64s | None) -> Int64s:
    """The class of each row, numbered without gaps; one class of everybody if nothing is known.

    >>> classes_of(np.array([7, 3, 7]), 3, None).tolist()
    [1, 0, 1]
    """
    if known is None:
        return np.zeros(rows, np.int64)
    given: Any = np.asarray(known)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise DataError("what is known of people must be whole numbers, one for each row: number the classes")
    if len(given) != rows:
        raise DataError(f"known has {len(given)} entries, and the table {rows} rows: give one entry for each row")
    if persons is not None:
        raise PolicyError(
            "what earlier releases tell (known) cannot be kept where people have several rows: give one row a person"
        )
    return np.unique(given, return_inverse=True)[1].astype(np.int64)


def exposed_before(people: int, everybody: int, require: Requirement) -> Unreachable:
    """The error that says how many people are in classes that break a requirement, whatever is learned."""
    return Unreachable(
        f"what earlier releases tell leaves {people} of {everybody} people in classes that break {require}: withhold "
        "them, or lower it"
    )
