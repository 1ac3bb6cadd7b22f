"""Which column of the people each number is made from that a pipeline of scikit-learn hands to its last step."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kspan.model.boosted.numbered import Numbered

Owner = str | None
"""A column; None if a number is made from several, or nobody knows."""

ONE_BY_ONE = frozenset(
    {
        "Binarizer",
        "KBinsDiscretizer",
        "MaxAbsScaler",
        "MinMaxScaler",
        "OneHotEncoder",
        "OrdinalEncoder",
        "PowerTransformer",
        "QuantileTransformer",
        "RobustScaler",
        "SimpleImputer",
        "StandardScaler",
        "TargetEncoder",
    }
)
"""Transformers of scikit-learn that make each of their numbers from one column."""
RISING = ONE_BY_ONE - {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder"}
"""Those of them that make larger numbers of larger ones, or the same."""


def owners_of(step: Any, given: Sequence[Owner], known: frozenset[str] = ONE_BY_ONE) -> list[Owner] | None:
    """Return the owner of each number that a fitted transformer makes, given the owners of what it gets.

    None if the transformer is not `known`.
    """
    if step in ("passthrough", None):
        return list(given)
    if isinstance(step, Numbered):
        return list(step.names)
    if isinstance(step, str) or not type(step).__module__.startswith("sklearn."):
        return None
    name = type(step).__name__
    if name == "FunctionTransformer" and step.func is None:  # which is how a column transformer passes columns through
        return list(given)
    if name == "Pipeline":
        found: list[Owner] | None = list(given)
        for _, inner in step.steps:
            found = None if found is None else owners_of(inner, found, known)
        return found
    if name == "ColumnTransformer":
        return _of_columns(step, given, known)
    return _one_by_one(step, given) if name in known else None


def _of_columns(step: Any, given: Sequence[Owner], known: frozenset[str]) -> list[Owner] | None:
    ends = [part.stop for part in step.output_indices_.values()]
    found: list[Owner] = [None] * max(ends, default=0)
    names = [str(name) for name in getattr(step, "feature_names_in_", ())]
    for part, inner, columns in step.transformers_:
        place = step.output_indices_[part]
        if inner == "drop" or place.stop == place.start:
            continue
        numbers = _places(columns, names, len(given))
        owners = None if numbers is None else owners_of(inner, [given[number] for number in numbers], known)
        if owners is not None and len(owners) == place.stop - place.start:
            found[place] = owners
    return found


def _places(columns: Any, names: Sequence[str], width: int) -> list[int] | None:
    """Return the places of the columns that a part of a column transformer gets."""
    if isinstance(columns, slice):
        if isinstance(columns.start, str) or isinstance(columns.stop, str):
            return None
        return list(range(width))[columns]
    if isinstance(columns, str) or not np.iterable(columns):
        return None  # one column, handed over as a series
    every = list(columns)
    if every and isinstance(every[0], bool | np.bool_):
        return np.flatnonzero(every).tolist()
    if all(isinstance(one, str) for one in every):
        return [names.index(one) for one in every] if set(every) <= set(names) else None
    return [int(one) % width for one in every]


def _one_by_one(step: Any, given: Sequence[Owner]) -> list[Owner] | None:
    inside = getattr(step, "feature_names_in_", None)
    # Names that cannot be taken for each other, unless the transformer insists on its own.
    names = [f"x{place:06}" for place in range(len(given))] if inside is None else [str(name) for name in inside]
    made = [str(name) for name in step.get_feature_names_out(None if inside is not None else names)]
    if len(names) != len(given):
        return None
    found: list[Owner] = []
    for name in made:
        candidates = [
            place
            for place, one in enumerate(names)
            if name == one or name.startswith(f"{one}_") or name == f"missingindicator_{one}"
        ]
        found.append(given[candidates[0]] if len(candidates) == 1 else None)
    return found


def rising(steps: Sequence[Any], columns: Sequence[str]) -> set[str] | None:
    """Return the columns of which one number is made that rises with them; None if nobody knows where numbers go."""
    owners: list[Owner] | None = list(columns)
    sure: list[Owner] | None = list(columns)
    for step in steps:
        owners = None if owners is None else owners_of(step, owners)
        sure = None if sure is None else owners_of(step, sure, RISING)
    if owners is None or None in owners:
        return None
    return {name for name in sure or () if name is not None and owners.count(name) == 1}
