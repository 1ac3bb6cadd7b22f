"""Clusters that others made: converts a fitted KMeans, alone or after scalers, or an array of centers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kspan.data.arrays import Floats, Int64s
from kspan.data.kinds.numbers import NUMBERS
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema
from kspan.data.table import Column, Table
from kspan.errors import DataError, ModelError, did_you_mean
from kspan.model.clusters.axes import Axis, Center, NumberAxis, WordAxis
from kspan.model.clusters.model import Clusters
from kspan.model.tree.imported import NO_VALUE
from kspan.model.tree.model import Attribute, Role

ONE_HOT_SCALE = 0.5**0.5
"""Two one-hot rows are the root of 2 apart, which is 1 over this scale."""


def is_fitted_clustering(model: Any) -> bool:
    """Is it something with centers, such as a fitted KMeans, or a pipeline that ends in one?

    Bisections have centers, too, but do not go by the nearest.
    """
    last = _last(model)
    return hasattr(last, "cluster_centers_") and not hasattr(last, "_bisecting_tree")


def imported_clusters(model: Any, people: Table, schema: Schema, names: Sequence[str] | None = None) -> Clusters:
    """Convert the centers of a fitted model, or the rows of an array, to clusters of the people.

    Columns are those that the model was fitted on, or `names`; roles come from the schema. Scalers of single columns
    before the model (StandardScaler, MinMaxScaler) are undone. A complete set of one-hot columns (`color_red`,
    `color_blue`) becomes one attribute.
    """
    centers = np.asarray(getattr(_last(model), "cluster_centers_", model), np.float64)
    if centers.ndim != 2 or not centers.size:
        raise ModelError("centers must be a table of numbers, a row a cluster: give a fitted KMeans or an array")
    columns = _columns(model, names, centers.shape[1])
    centers, scales = _unscaled(model, centers)
    axes, parts = list[Axis](), list[list[Center]]()
    waiting = dict(enumerate(columns))
    while waiting:
        place, name = next(iter(waiting.items()))
        if name in people.columns:
            axes.append(_number(people[name], schema, float(scales[place])))
            parts.append([(float(center),) for center in centers[:, place]])
            del waiting[place]
            continue
        axis, places = _one_hot(name, {each: at for at, each in waiting.items()}, people, schema)
        if not np.allclose(scales[places], 1.0):
            raise ModelError(f"the one-hot columns of {axis.attribute.name!r} were scaled: leave them as 0 and 1")
        axes.append(axis)
        parts.append([tuple(row.tolist()) for row in centers[:, places]])
        for at in places:
            del waiting[at]
    found = Clusters(tuple(axes), tuple(zip(*parts, strict=True)), (0,) * len(centers))
    counts = np.bincount(_members(model, found, people), people.weights, minlength=len(found)).astype(np.int64)
    return replace(found, people=tuple(counts.tolist()))


def _members(model: Any, found: Clusters, people: Table) -> Int64s:
    """Return the cluster of each row: as the model was fitted, if it says so of as many rows, else by the centers."""
    said = getattr(_last(model), "labels_", None)
    if said is None:
        return found.nearest(people)
    if len(said) != people.rows:
        raise DataError(
            f"the clusters were fitted on {len(said):,} rows, and the people have {people.rows:,}: give the table that "
            "they were made from"
        )
    return np.asarray(said, np.int64)


def _last(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _columns(model: Any, names: Sequence[str] | None, number: int) -> list[str]:
    known = getattr(model, "feature_names_in_", None) if names is None else names
    if known is None:
        raise ModelError("the columns of the centers have no names: fit on a dataframe, or name them (columns=[...])")
    if len(known) != number:
        raise ModelError(f"{len(known)} columns are named, but the centers have {number}: name each once")
    return [str(name) for name in known]


def _unscaled(model: Any, centers: Floats) -> tuple[Floats, Floats]:
    """Return the centers in the units of the people, and the number that each column was divided by."""
    if not hasattr(model, "steps"):
        return centers, np.ones(centers.shape[1])
    scalers = [step for _, step in model.steps[:-1] if step != "passthrough"]
    # What becomes of 0 and of the unit vectors shows the scale of each column, and whether columns are mixed.
    zero, one = np.zeros((1, centers.shape[1])), np.eye(centers.shape[1])
    for scaler in reversed(scalers):
        if not hasattr(scaler, "inverse_transform"):
            raise ModelError(
                f"{type(scaler).__name__} before the clusters cannot be undone: use scalers of single columns, or none"
            )
        centers, zero, one = (np.asarray(scaler.inverse_transform(each)) for each in (centers, zero, one))
    widths = one - zero
    if not np.allclose(widths, np.diag(np.diag(widths))):
        raise ModelError("what is before the clusters mixes columns: use scalers of single columns, or none")
    return centers, np.diag(widths).copy()


def _number(column: Column, schema: Schema, scale: float) -> Axis:
    column.check_measured_for_all()
    role: Role = "public" if column.name in schema.public else "private"
    low, high = (None, None) if column.domain is None else (column.domain.low, column.domain.high)
    return NumberAxis(Attribute(column.name, role, NUMBERS, (), low, high), abs(scale))


def _one_hot(name: str, places: dict[str, int], people: Table, schema: Schema) -> tuple[Axis, list[int]]:
    """Return the attribute behind a one-hot column, and the places of all one-hot columns of that attribute."""
    for attribute, column in people.columns.items():
        if not name.startswith(f"{attribute}_") or column.kind.is_measured:
            continue
        values = [column.label(code) for code in range(column.size) if code != column.missing]
        wanted = [f"{attribute}_{value}" for value in values]
        if column.missing is not None:
            # The empty name is that of no one-hot column: without one for missing values, a set is not complete.
            wanted.append(next((f"{attribute}_{one}" for one in NO_VALUE if f"{attribute}_{one}" in places), ""))
        if all(one in places for one in wanted):
            role: Role = "public" if attribute in schema.public else "private"
            known = Attribute(attribute, role, WORDS, tuple(values), has_missing=column.has_missing)
            return WordAxis(known, ONE_HOT_SCALE), [places[one] for one in wanted]
    raise ModelError(
        f"the centers have {name!r}, which is neither a column of the people nor one of a complete set of one-hot "
        f"columns{did_you_mean(name, people.columns)}: audit them with the columns that they were fitted on"
    )
