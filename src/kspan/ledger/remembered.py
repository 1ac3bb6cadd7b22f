"""What a release let anybody see of people, as a ledger keeps it and gives it back.

Of private attributes, what was told and what people truly have is kept, since those who left cannot be asked again.
Hierarchies are not kept: without them values are as far apart as they can be, which is never laxer.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kspan.audit.seen import ABSENT, Seen, Tells
from kspan.audit.together.spans import Release
from kspan.data.arrays import Int64s
from kspan.data.kinds.kind import NUMERIC
from kspan.data.kinds.registry import kind_in_file
from kspan.data.table import Column
from kspan.errors import LedgerError
from kspan.ledger.payload import Payload

Arrays = dict[str, NDArray[Any]]


def payload_of(seen: Seen, who: Int64s) -> Payload:
    """Keep what is seen of people; `who` has the number of each row's person."""
    rows = np.flatnonzero(seen.span != ABSENT)
    arrays: Arrays = {
        "person": _small(who[rows]),
        "span": _small(seen.span[rows]),
        "exposing": seen.exposing,
    }
    if seen.weights is not None:
        arrays["weights"] = seen.weights[rows]
    tells = []
    for place, (name, told) in enumerate(seen.tells.items()):
        arrays[f"where {place}"] = told.where
        said: dict[str, Any] = {"name": name, "private": told.is_private}
        said["told"] = _kept(told.column, rows, f"told {place}", arrays)
        if told.held is not told.column:
            said["held"] = _kept(told.held, rows, f"held {place}", arrays)
        tells.append(said)
    return Payload({"tells": tells}, arrays)


def release_in(payload: Payload, name: str) -> Release:
    """Return a release as it was kept; its rows are those that were in it."""
    try:
        arrays = payload.arrays
        span, exposing = arrays["span"].astype(np.int64), arrays["exposing"].astype(bool)
        tells = {}
        for place, said in enumerate(payload.document["tells"]):
            column = _column(said["name"], said["told"], f"told {place}", arrays)
            held = _column(said["name"], said["held"], f"held {place}", arrays) if "held" in said else column
            tells[str(said["name"])] = Tells(column, held, arrays[f"where {place}"].astype(bool), bool(said["private"]))
        weights = arrays["weights"].astype(np.int64) if "weights" in arrays else None
        return Release(name, Seen(span, exposing, tells, weights), arrays["person"].astype(np.int64))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise LedgerError(f"what the ledger keeps of {name} cannot be read: it was made by another kspan") from None


def _kept(column: Column, rows: Int64s, key: str, arrays: Arrays) -> dict[str, Any]:
    arrays[f"{key} codes"] = _small(column.codes[rows].astype(np.int64))
    said: dict[str, Any] = {
        "measured": column.kind.is_measured, "suppressed": column.has_suppressed, "missing": column.has_missing,
    }  # fmt: skip
    if column.is_measured:
        arrays[f"{key} values"] = column.values
    else:
        said["values"] = [str(value) for value in column.values]
    return said


def _column(name: str, said: dict[str, Any], key: str, arrays: Any) -> Column:
    kind = kind_in_file(NUMERIC if said["measured"] else "categorical")
    if "values" in said:
        values: NDArray[Any] = np.empty(len(said["values"]), object)
        values[:] = said["values"]
    else:
        values = arrays[f"{key} values"]
    codes = arrays[f"{key} codes"].astype(np.uint32)
    found = Column(name, kind, codes, values, bool(said["suppressed"]), bool(said["missing"]))
    if len(codes) and int(codes.max()) >= found.size:
        raise ValueError
    return found


def _small(numbers: Int64s) -> NDArray[Any]:
    """The same numbers in as few bytes as they need."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
