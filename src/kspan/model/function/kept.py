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
OF_MEMBERS = (
    "classes_",
    "estimator_errors_",
    "estimator_weights_",
    "estimators_",
    "feature_names_in_",
    "oob_improvement_",
    "oob_scores_",
    "train_score_",
    "validation_score_",
    "_seeds",
)
"""Arrays as long as there are labels, columns or members, and there may be as many people by chance."""
OF_COLUMNS = ("coef_", "feature_importances_", "mean_", "means_", "var_", "scale_", "theta_", "feature_log_prob_")
"""Arrays with an entry for each column of the model (`n_features_in_`), and there may be as many people by chance."""
DEEPEST = 4


def kept_rows(model: Any, rows: int, *, known: Collection[str] = ()) -> str | None:
    """Return the name of an attribute that keeps rows of people, or an entry for each of them; None if there is none.

    An array counts if it is as long, or as wide, as the people are many, unless its name is among those that are
    `known`. An array of an unknown name counts if it has an entry for each column and there are as many people: that
    errs on the safe side.
    """
    for owner, name, value in _attributes(model, DEEPEST):
        if name in known:
            continue
        if name in ROWS:
            return name
        shape = getattr(value, "shape", ())
        if name in OF_MEMBERS or not isinstance(shape, tuple) or rows <= 1:
            continue
        if name in OF_COLUMNS and shape[-1:] == (getattr(owner, "n_features_in_", None),):
            shape = shape[:-1]
        if rows in shape:
            return name
    return None


def _attributes(model: Any, depth: int) -> Iterator[tuple[Any, str, Any]]:
    """Yield the attributes of a model that hold something, and those of its members, each behind its owner."""
    for name, value in getattr(model, "__dict__", {}).items():
        if value is None:
            continue
        yield model, name, value
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
