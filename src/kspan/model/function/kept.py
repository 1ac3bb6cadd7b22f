"""Does a fitted model keep something of every person, or whole rows? Then it is a table, whatever it predicts."""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

ROWS = (
    "support_vectors_",
    "_fit_X",
    "X_train_",
    "X_fit_",
    "_raw_data",
    "component_indices_",
    "quantiles_",
    "affinity_matrix_",
    "cluster_centers_indices_",
)
"""Where models of scikit-learn keep rows or cells of people, though perhaps not of all."""
OF_COLUMNS = ("feature_names_in_", "classes_", "train_score_", "validation_score_", "estimator_weights_")
"""Arrays whose length has nothing to do with people."""
DEEPEST = 4


def kept_rows(model: Any, rows: int, *, known: Collection[str] = ()) -> str | None:
    """Return the name of an attribute that keeps rows of people, or an entry for each of them; None if there is none.

    An array counts if it is as long as the people are many, unless that is also the number of columns or of members, or
    its name is among those that are `known`.
    """
    innocent = {1, getattr(model, "n_features_in_", 1), getattr(model, "n_estimators", 1)}
    for name, value in _attributes(model, DEEPEST):
        if name in known:
            continue
        if name in ROWS:
            return name
        if name not in OF_COLUMNS and rows not in innocent and _length(value) == rows:
            return name
    return None


def _length(value: Any) -> int:
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    return 0


def _attributes(model: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a model that hold something, and those of its members."""
    for name, value in getattr(model, "__dict__", {}).items():
        if value is None:
            continue
        yield name, value
        if depth:
            for inner in _members(value):
                yield from _attributes(inner, depth - 1)


def _members(value: Any) -> list[Any]:
    """Return the models inside a value: itself, or those in a list, perhaps with names beside them."""
    if isinstance(value, np.ndarray):
        return list(value.ravel()) if value.dtype == object and value.size <= 10_000 else []
    if isinstance(value, dict):
        return _members(list(value.values()))
    if isinstance(value, list | tuple):
        return [inner for one in value for inner in (one if isinstance(one, tuple) else (one,)) if _is_object(inner)]
    return [value] if _is_object(value) else []


def _is_object(value: Any) -> bool:
    return hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value)
